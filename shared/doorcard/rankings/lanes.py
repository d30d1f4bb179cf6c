"""A hand packed into one integer, so that ranking it is one sum and one look-up.

Each card has a *weight*; the sum of a hand's weights holds two things side by side::

    bits 0 to 19    four suit counters of five bits each, clubs first
    bits 20 to 58   thirteen *lanes* of three bits, one a rank, each counting 0 to 4 cards

The sum starts from a bias chosen so that a counter's top bit is set as soon as its suit has
enough cards to matter. Everything then fits into 59 bits, which the interpreter adds quickly.
Lane 0 belongs to the lowest rank: the deuce, or the ace where it is low.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from doorcard.cards import CARDS, Card

SUIT_COUNTERS_BITS: Final = 20
SUIT_COUNTER_TOPS: Final = 0b10000_10000_10000_10000
ONE_OF_EACH: Final = sum(1 << 3 * lane for lane in range(13))
"""One card in every lane; also the mask for the lowest bit of every lane."""

MEMO_LENGTH_MAX: Final = 1 << 17
"""Five to seven cards have 73,775 different sets of ranks; a fuller memo starts afresh."""

Result = TypeVar("Result")


def suit_bias(cards: int) -> int:
    """Return the bias after which a counter's top bit means ``cards`` or more of its suit."""
    return (16 - cards) * 0b00001_00001_00001_00001


def ace_high_weights() -> Callable[[Card], int]:
    """Return the weight function whose lanes run from the deuce to the ace."""
    return [_weight(card >> 2, card & 3) for card in CARDS].__getitem__


def ace_low_weights() -> Callable[[Card], int]:
    """Return the weight function whose lanes run from the ace to the king."""
    return [_weight(((card >> 2) + 1) % 13, card & 3) for card in CARDS].__getitem__


def _weight(lane: int, suit: int) -> int:
    return 1 << SUIT_COUNTERS_BITS + 3 * lane | 1 << 5 * suit


def held_lanes(lanes: int) -> int:
    """Return one bit for each lane that is not empty, its lowest."""
    return (lanes | lanes >> 1 | lanes >> 2) & ONE_OF_EACH


def spread(lanes: int, lowest: int) -> list[int]:
    """Return every card's rank, ascending; ``lowest`` is the rank of lane 0."""
    ranks: list[int] = []
    rank = lowest
    while lanes:
        ranks += [rank] * (lanes & 7)
        lanes >>= 3
        rank += 1
    return ranks


class Memo(dict[int, Result]):
    """Remembers what a pure function said for each packed hand, up to a bounded number."""

    __slots__ = ("_work",)

    def __init__(self, work: Callable[[int], Result]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, packed: int) -> Result:
        if len(self) >= MEMO_LENGTH_MAX:
            self.clear()
        result = self[packed] = self._work(packed)
        return result
