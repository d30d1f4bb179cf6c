"""Which house rules could explain a difference between a recorded hand and the defaults."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import Final

from doorcard.audit.foreign_hand import ForeignHand
from doorcard.audit.foreign_result import Difference
from doorcard.audit.foreign_setup import Setup
from doorcard.engine.spec_check import GAME_SWITCHES
from doorcard.limits import BRING_IN_OPENINGS, Scalar

Option = tuple[str, Scalar]


def explanations(difference: Difference, hand: ForeignHand, setup: Setup) -> Iterator[Setup]:
    """Setups that change one thing and could make a replay go past a difference."""
    if hand.told:
        return
    taken = {name for name, _ in setup.house}
    if difference.kind == "turn":
        yield from _dealers(hand, setup, "opener_tie")
    for name, value in _OPTIONS.get(difference.kind, ()):
        if name not in taken and _matters(name, difference, hand):
            yield Setup((*setup.house, (name, value)), setup.dealer)
    if difference.street == 1:
        yield from _openings(hand, setup)
    if difference.kind == "shares":
        yield from _chips(hand, setup)
        yield from _dealers(hand, setup, "odd_chip")


def _dealers(hand: ForeignHand, setup: Setup, switch: str) -> Iterator[Setup]:
    """Places of the deal, which records do not tell, and the switch that makes them matter."""
    if setup.dealer is not None:
        return
    by_position = hand.game.opener_tie == "position" if switch == "opener_tie" else False
    house = setup.house
    if switch not in dict(house) and not by_position:
        house = (*house, (switch, "position"))
    for dealer in range(len(hand.seats)):
        yield Setup(house, dealer)


_SHARING: Final[tuple[Option, ...]] = (
    ("odd_half_chip", "low"),
    ("odd_chip", "tda"),
    ("odd_chip", "position"),
)
_LOW_RANKINGS: Final[tuple[Option, ...]] = (
    ("low_ranking", "a5"),
    ("low_ranking", "a6"),
    ("low_ranking", "27"),
)
_CHOOSING: Final[tuple[Option, ...]] = (
    ("roll_order", "in_turn"),
    ("declare", "sequential"),
    ("declare", "simultaneous"),
    ("declare_start", "dealer_left"),
    ("declare_both", True),
    ("bet_after_declare", True),
    ("buy_rounds", 2),
    ("buy_order", "opener"),
    ("bet_before_buy", True),
    ("bet_between_buys", True),
)
_OPTIONS: Final[dict[str, tuple[Option, ...]]] = {
    "open_fold": (("open_fold", True),),
    "turn": (
        ("opener_tie", "suit"),
        ("opener_tie", "position"),
        ("bring_in_all_in_ante", "next_low_card"),
        ("short_bring_in_price", "actual"),
        ("community_opener", "same_as_previous"),
        ("community_betting", False),
        *_LOW_RANKINGS,
        *_CHOOSING,
    ),
    "call": (("short_bring_in_price", "actual"),),
    "action": (("bring_in_all_in_ante", "next_low_card"), ("short_bring_in_price", "actual")),
    "wager": (
        ("first_raise_from", "bring_in"),
        ("max_raises", 4),
        ("max_raises", None),
        ("heads_up_uncap", "becomes_heads_up"),
        ("pair_option", "any"),
        ("small_raise_after_big", True),
        ("late_streets", "either"),
        ("short_wager_rule", "full"),
        ("short_wager_rule", "half"),
        ("short_bring_in_price", "actual"),
    ),
    "choice": _CHOOSING,
    "deal": (("exhaustion", "community_only"), ("burn", False)),
    "winners": (
        *_LOW_RANKINGS,
        ("low_chicago_ace", "low"),
        ("declare_both_ties", "share"),
    ),
    "shares": _SHARING,
}
"""For each kind of difference, the switches that it can come from, the likeliest first."""


def _matters(name: str, difference: Difference, hand: ForeignHand) -> bool:
    """Whether a switch can change anything at the place of the difference."""
    street = difference.street
    if name in GAME_SWITCHES:
        return name in hand.game.modifiers
    if name == "low_ranking":
        return bool(hand.game.low_rankings)
    if name in ("first_raise_from", "short_bring_in_price"):
        return street == 1 and hand.limits.bring_in > 0
    if name == "bring_in_all_in_ante":
        return street == 1 and any(ante.all_in for ante in hand.antes.values())
    if name in ("pair_option", "small_raise_after_big"):
        return street == 2
    if name == "late_streets":
        return street > 2
    if name in ("community_opener", "community_betting"):
        return any(turn.community for turn in hand.rounds)
    return True


def _openings(hand: ForeignHand, setup: Setup) -> Iterator[Setup]:
    """The game's other openings with a bring-in, or without one, as the record has it."""
    if "opening" not in dict(setup.house):
        for opening in hand.game.openings:
            if (opening in BRING_IN_OPENINGS) == bool(hand.limits.bring_in):
                yield Setup((*setup.house, ("opening", opening)), setup.dealer)


def _chips(hand: ForeignHand, setup: Setup) -> Iterator[Setup]:
    """The smallest chip that all stacks, stakes and, at need, payments are multiples of (R15)."""
    if hand.expect is None or "chip_unit" in dict(setup.house):
        return
    limits = hand.limits
    stakes = gcd(
        *hand.stacks.values(), limits.ante, limits.bring_in, limits.small_bet, limits.big_bet
    )
    paid = gcd(stakes, *(entry.amount for entry in hand.expect.collected or ()))
    for unit in dict.fromkeys((_chip(stakes), _chip(paid))):
        if unit > 1:
            house = (*setup.house, ("chip_unit", unit))
            yield Setup(house, setup.dealer)
            for name, value in _SHARING:
                if name not in dict(house):
                    yield Setup((*house, (name, value)), setup.dealer)


def _chip(amount: int) -> int:
    """The largest chip that there is which divides an amount."""
    return max(chip for chip in _CHIPS if amount % chip == 0)


_CHIPS: Final[tuple[int, ...]] = tuple(
    unit * 10**zeros for zeros in range(16) for unit in (1, 2, 5, 25)
)
"""1, 2, 5, 25, 10, 20, 50, 250 and so on: what a live game pays in."""
