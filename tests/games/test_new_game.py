"""A game from outside the package: registered, then dealt, bet, shown, logged like the others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from doorcard.cards import CARDS
from doorcard.engine.awards import contender
from doorcard.engine.reducer import fold
from doorcard.engine.ruleset import ruleset
from doorcard.errors import BadInput
from doorcard.games import GAMES, RAZZ, Game, Street, register
from doorcard.limits import Limits
from doorcard.streams.codec import decode, encode
from doorcard.streams.commit import Commit
from doorcard.tables import GameSpec
from tests.games.random_hands import STRUCTURES, play_table, random_spec

# The whole game: six-card stud, last card down, low boards first, one-eyed jacks wild, with a
# card to buy before the last bets. Nothing else in the package knows of it.
SIX_CARD_BUY = Game(
    id="six_card_buy",
    name="Six-card stud with a buy",
    summary="One down, four up, one down; one-eyed jacks are wild, and a card may be bought.",
    family="seven_card",
    streets=(
        Street("du", "small"),
        Street("u", "small"),
        Street("u", "big"),
        Street("u", "big"),
        Street("d", "big"),
    ),
    seats_default=6,
    seats_max=7,
    opening="high_board_opens",
    openings=("high_board_opens", "low_card_bring_in"),
    board_order="high",
    split="high",
    high_ranking="high",
    opener_tie="suit",
    pair_option="any",
    wild=frozenset(card for card in CARDS if str(card) in ("Jh", "Js")),
    buy_rounds=1,
    modifiers=("buy_rounds", "buy_price", "buy_order", "bet_before_buy"),
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The game is known during a test, and forgotten afterwards."""
    games = dict(GAMES)
    monkeypatch.setattr("doorcard.games._GAMES", games)
    for module in ("doorcard.games", "doorcard.engine.spec_check", "doorcard.engine.ruleset"):
        monkeypatch.setattr(f"{module}.GAMES", games)
    monkeypatch.setattr("tests.games.random_hands.GAMES", games)
    register(SIX_CARD_BUY)
    yield
    ruleset.cache_clear()


def test_a_new_game_is_played_at_random_and_logged() -> None:
    """Every structure: it is dealt, bet, bought, shown, encoded and folded like the others."""
    kinds: set[str] = set()
    for seed in range(120):
        rng = random.Random(f"new {seed}")
        spec = random_spec(SIX_CARD_BUY.id, STRUCTURES[seed % 4], rng)
        (played,) = play_table(spec, rng)
        kinds |= played.kinds
        commits = [
            decode(encode(Commit(1, "dealer", "", b"", bytes(8), events)))
            for _, events, _ in played.commits
        ]
        events = [event for commit in commits for event in commit.events]
        assert fold(played.before, events) == played.table
    assert kinds >= {"CardBought", "CardDeclined", "HandShown", "PotAwarded"}


def test_a_new_game_has_its_own_wild_cards() -> None:
    """Five aces from three and both jacks."""
    rules = ruleset(GameSpec("six_card_buy", "", Limits("fixed_limit", 1, 0, 5, 10)))
    aces = tuple(card for card in CARDS if str(card) in ("Ac", "Ad", "Ah", "Jh", "Js"))
    assert contender(rules, (), aces, (), rules.wild).high == (9, 14)


def test_a_game_is_registered_once_and_never_replaced() -> None:
    """Logs name games by their ids for ever."""
    register(SIX_CARD_BUY)
    with pytest.raises(BadInput, match="six_card_buy"):
        register(replace(SIX_CARD_BUY, seats_max=6))
    with pytest.raises(BadInput, match="razz"):
        register(replace(RAZZ, name="Something else"))
