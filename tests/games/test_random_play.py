"""Random hands of every game, variant, structure and house rule hold what every hand must.

``DOORCARD_GAME_HANDS`` is the number of hands a game; ``make soak-games`` sets it to 10,000.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import Final, cast

import pytest

from doorcard.engine.reducer import fold
from doorcard.engine.table import Table, facts
from doorcard.events import Event, HandStarted
from doorcard.games import GAMES
from doorcard.streams.codec import decode, encode
from doorcard.streams.commit import Commit
from doorcard.tables import Role
from doorcard.views import SPECTATOR, Viewer, view, view_json
from tests.games.random_hands import STRUCTURES, Played, play_table, random_spec, switches
from tests.views.played import Account, card_texts

HANDS: Final = int(os.environ.get("DOORCARD_GAME_HANDS", "76"))
"""Random hands a game; more for a soak."""
EXPECTED: Final = {
    "roll_your_own": {"RollChosen", "Rolled"},
    "five_card_high_low_buy": {"CardBought", "CardDeclined", "DeclarationsOpened"},
    "five_card_high_low_declare": {"DeclarationMade", "DeclarationsOpened", "Declared"},
    "baseball": {"ExtraCardPaid", "CardDeclined", "PotMatched", "MatchDeclined"},
}
"""Events that must have come up, or the hands were not random enough."""


@pytest.mark.parametrize("game", sorted(GAMES))
def test_random_hands_hold_what_every_hand_must(game: str) -> None:
    """R1.5, R2.7, R6.4, R12.6, R18.4: chips and cards are counted after every commit."""
    kinds: Counter[str] = Counter()
    for seed in range(HANDS):
        rng = random.Random(f"{game} {seed}")
        spec = random_spec(game, STRUCTURES[seed % 4], rng)
        played = play_table(spec, rng, hands=1 + seed % 2)
        kinds += played.kinds
        try:
            chips_are_kept(played)
            folds_in_parts(played, rng)
            is_encoded_exactly(played)
            if seed % 4 == 0:
                nobody_sees_too_much(played)
        except AssertionError as error:
            error.add_note(f"{spec}, seed {seed}")
            raise
    assert EXPECTED.get(game, set()) <= kinds.keys()


def chips_are_kept(played: Played) -> None:
    """R12.6: between hands, with what was raked and paid out, there is what was brought."""
    table = played.table
    held = sum(seat.stack + seat.waiting for seat in table.seats.values())
    assert held + table.rake + table.chips_out == table.chips_in
    assert table.awaited in (None, "dealer")


def folds_in_parts(played: Played, rng: random.Random) -> None:
    """Folding everything, or first the one part and then the other, is the same."""
    events = played.events
    cut = rng.randrange(len(events) + 1)
    whole = fold(played.before, events)
    assert whole == played.table
    assert fold(fold(played.before, events[:cut]), events[cut:]) == whole


def is_encoded_exactly(played: Played) -> None:
    """What is read from a log is what was written."""
    for role, events, _ in played.commits:
        commit = Commit(1, cast("Role", role), "cause", b"", bytes(8), events)
        assert decode(encode(commit)) == commit


def nobody_sees_too_much(played: Played) -> None:
    """R2.6, R2.7: no view holds a card that its viewer was not shown."""
    account = Account(played.deck.cards)
    opened = dict(enumerate(played.deck.cards))
    for _, events, table in played.commits:
        for event in events:
            account.note(event)
        viewers: tuple[Viewer, ...] = (*table.seats, SPECTATOR)
        for viewer in viewers:
            seen = view(table, viewer, opened, events)._replace(wild=(), house=())
            assert card_texts(json.dumps(view_json(seen))) <= account.may_see(viewer)


def test_every_house_rule_is_met() -> None:
    """Each value that is not the usual one is played, in some game."""
    met: set[tuple[str, object]] = set()
    for game in GAMES:
        for seed in range(200):
            rng = random.Random(f"{game} {seed}")
            met.update(random_spec(game, STRUCTURES[seed % 4], rng).house)
    assert {(name, v) for game in GAMES for name, vs in switches(game).items() for v in vs} <= met


def test_a_hand_starts_from_its_snapshot() -> None:
    """Whatever was folded before: a hand's first event holds the whole table."""
    for game in GAMES:
        rng = random.Random(game)
        played = play_table(random_spec(game, "fixed_limit", rng), rng, rough=False)
        events: list[Event] = played.events
        assert isinstance(events[0], HandStarted)
        assert facts(fold(Table(), events).hand) == facts(played.table.hand)
