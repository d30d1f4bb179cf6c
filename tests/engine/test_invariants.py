"""What must hold after every commit (R1.5, R12.6), and that it is noticed when it does not."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doorcard.cards import CARDS
from doorcard.engine.invariants import check
from doorcard.engine.table import Hand, Table
from doorcard.errors import BrokenInvariant
from doorcard.events import Event
from doorcard.limits import Limits, Scalar
from doorcard.testing import StackedDeck
from tests.engine.play import Play, require_whole_amounts
from tests.engine.random_play import opened_by_bring_in, seated, step

HANDS: Final = ("? ? Kh", "? ? 9d", "? ? 2c")


def broken(change: Callable[[Table, Hand], None], events: tuple[Event, ...] = ()) -> str:
    """Spoil a table in the middle of a hand; what the check says."""
    play = Play((100,) * 3, HANDS).start()
    table = play.table.draft()
    hand = table.hand
    assert hand is not None
    hand.own(0)
    change(table, hand)
    with pytest.raises(BrokenInvariant) as caught:
        check(table, events)
    return str(caught.value)


def a_lost_chip(table: Table, hand: Hand) -> None:
    hand.pot -= 1


def a_found_chip(table: Table, hand: Hand) -> None:
    hand.players[0].stack += 1


def a_debt(table: Table, hand: Hand) -> None:
    hand.players[0].stack -= 200
    hand.pot += 200


def a_negative_bet(table: Table, hand: Hand) -> None:
    hand.players[0].bet = -1


def a_negative_pot(table: Table, hand: Hand) -> None:
    hand.players[0].stack += 7
    hand.pot -= 7


@pytest.mark.parametrize(
    "change", [a_lost_chip, a_found_chip, a_debt, a_negative_bet, a_negative_pot]
)
def test_chips_that_do_not_add_up_are_noticed(change: Callable[[Table, Hand], None]) -> None:
    """R12.6, R1.5."""
    assert "p00.test" in broken(change)


def test_cards_that_do_not_add_up_are_noticed() -> None:
    """R19.1."""
    dealt = Play((100,) * 3, HANDS).start().commits[-1]

    def a_lost_card(table: Table, hand: Hand) -> None:
        hand.stub = hand.stub[1:]

    assert "51 cards" in broken(a_lost_card, dealt)


def test_chips_between_hands_are_counted_too() -> None:
    """R12.6: what is at rest, gone or raked is what came in."""
    play = Play((100,) * 3, HANDS)
    check(play.table)
    table = play.table.draft()
    table.chips_in += 1
    with pytest.raises(BrokenInvariant, match="300 chips on the table"):
        check(table)


def test_nothing_may_be_left_in_the_middle() -> None:
    """R12.6."""
    play = Play((100,) * 3, HANDS).start().do("C bring_in", "A fold", "B fold")
    table = play.table.draft()
    assert table.hand is not None
    table.hand.pot = 3
    with pytest.raises(BrokenInvariant, match="left in the middle"):
        check(table)


GAMES: Final = [
    ("seven_card_stud", ""),
    ("seven_card_stud", "no_bring_in"),
    ("razz", ""),
    ("stud_high_low_8", ""),
    ("five_card_stud", ""),
    ("five_card_stud", "low_bring_in"),
    ("five_card_stud", "high_bring_in"),
]
STRUCTURES: Final[dict[str, Limits]] = {
    "fixed": Limits("fixed_limit", 1, 2, 5, 10),
    "spread": Limits("spread_limit", 1, 2, spread_min=3, spread_max=12),
    "pot": Limits("pot_limit", 1, 2, min_bet=4),
    "no": Limits("no_limit", 1, 2, min_bet=4),
}
HOUSES: Final[list[dict[str, Scalar]]] = [
    {},
    {"rake_bps": 1000, "rake_cap": 5},
    {"open_fold": True, "late_streets": "either", "short_wager_rule": "full"},
    {"short_bring_in_price": "actual", "bring_in_all_in_ante": "next_low_card"},
    {"odd_chip": "tda", "odd_half_chip": "low", "chip_unit": 5, "auto_muck": False},
    {"expose_all_in": True, "exhaustion": "community_only", "burn": False},
    {"dealer_mode": "fixed", "max_raises": None, "short_wager_rule": "full"},
    {"heads_up_uncap": "becomes_heads_up", "small_raise_after_big": True, "opener_tie": "suit"},
]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(GAMES),
    st.sampled_from(sorted(STRUCTURES)),
    st.sampled_from(HOUSES),
    st.lists(st.integers(1, 60), min_size=2, max_size=9),
    st.integers(0, 2**32),
)
def test_every_hand_of_every_kind_adds_up(
    game: tuple[str, str], structure: str, house: dict[str, Scalar], stacks: list[int], seed: int
) -> None:
    """R1.5, R6.9, R12.6: short stacks, all structures, many house rules; it always ends."""
    limits = STRUCTURES[structure]
    if not opened_by_bring_in(*game):
        limits = limits._replace(bring_in=0)
    table = seated(game[0], stacks, variant=game[1], limits=limits, house=house)
    rng = random.Random(seed)
    cards = list(CARDS)
    rng.shuffle(cards)
    deck = StackedDeck(map(str, cards))
    outcome = step(table, deck, rng)
    while True:
        check(outcome.table, outcome.events)
        require_whole_amounts(outcome.events)
        if not outcome.table.in_hand:
            break
        outcome = step(outcome.table, deck, rng)
    after = outcome.table
    assert sum(seat.stack for seat in after.seats.values()) + after.rake == sum(stacks)
    assert after.hand is not None
    assert sum(award.amount - award.rake for award in after.hand.awards) == sum(
        chips for award in after.hand.awards for _, _, chips in award.shares
    )
