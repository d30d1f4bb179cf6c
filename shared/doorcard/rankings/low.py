"""The low rankings: ace-to-five, ace-to-six, deuce-to-seven, eight or better (K5, K6, K7, K9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import Final

from doorcard.cards import CARDS, Card
from doorcard.rankings.lanes import (
    SUIT_COUNTER_TOPS,
    SUIT_COUNTERS_BITS,
    Memo,
    ace_high_weights,
    ace_low_weights,
    held_lanes,
    spread,
    suit_bias,
)
from doorcard.rankings.model import Key

_FIVE_SUITED: Final = suit_bias(5)
_weigh_ace_high: Final = ace_high_weights()
_weigh_ace_low: Final = ace_low_weights()
_weigh_eight_or_lower: Final = [
    _weigh_ace_low(card) >> SUIT_COUNTERS_BITS if card.rank in {14, *range(2, 9)} else 0
    for card in CARDS
].__getitem__


def ace_to_five_key(cards: Sequence[Card]) -> Key:
    """Return the key of the best ace-to-five low in five or more different cards (K5)."""
    return _ACE_TO_FIVE[sum(map(_weigh_ace_low, cards)) >> SUIT_COUNTERS_BITS]


def ace_to_six_key(cards: Sequence[Card]) -> Key:
    """Return the key of the best ace-to-six low in five or more different cards (K6)."""
    packed = sum(map(_weigh_ace_low, cards), _FIVE_SUITED)
    if packed & SUIT_COUNTER_TOPS:
        return _key_with_flushes(cards, _weigh_ace_low, _ACE_TO_SIX)
    return _ACE_TO_SIX[packed >> SUIT_COUNTERS_BITS]


def deuce_to_seven_key(cards: Sequence[Card]) -> Key:
    """Return the key of the best deuce-to-seven low in five or more different cards (K7)."""
    packed = sum(map(_weigh_ace_high, cards), _FIVE_SUITED)
    if packed & SUIT_COUNTER_TOPS:
        return _key_with_flushes(cards, _weigh_ace_high, _DEUCE_TO_SEVEN)
    return _DEUCE_TO_SEVEN[packed >> SUIT_COUNTERS_BITS]


def eight_or_better_key(cards: Sequence[Card]) -> Key | None:
    """Return the key of the best eight-or-better low, or None when nothing qualifies (K9)."""
    return _EIGHT_OR_BETTER[sum(map(_weigh_eight_or_lower, cards))]


def grouped_key(ranks: Iterable[int]) -> Key:
    """Return the class that pairs and larger groups make, then the grouping (K1.2, K5.1)."""
    counts: dict[int, int] = {}
    for rank in ranks:
        counts[rank] = counts.get(rank, 0) + 1
    groups = sorted(((count, rank) for rank, count in counts.items()), reverse=True)
    return (_group_class([count for count, _ in groups]), *(rank for _, rank in groups))


def _group_class(counts: list[int]) -> int:
    most, second = [*counts, 0, 0][:2]
    if most == 2:
        return 2 if second == 2 else 1
    if most == 3:
        return 6 if second == 2 else 3
    return 7 if most == 4 else 0


def _key_with_flushes(
    cards: Sequence[Card], weigh: Callable[[Card], int], unsuited: Memo[Key]
) -> Key:
    """Try every five cards; only five of one suit differ from what their ranks alone say."""
    keys: list[Key] = []
    for five in combinations(cards, 5):
        packed = sum(map(weigh, five), _FIVE_SUITED)
        key = unsuited[packed >> SUIT_COUNTERS_BITS]
        if packed & SUIT_COUNTER_TOPS:
            key = (8 if key[0] else 5, *key[1:])
        keys.append(key)
    return min(keys)


def _unsuited_key(lowest: int, lanes: int, *, straights_count: bool) -> Key:
    five = _lowest_ranks(lanes, lowest)
    if len(five) == 5 and not (straights_count and five[4] - five[0] == 4):
        return (0, *reversed(five))
    keys = map(grouped_key, set(combinations(spread(lanes, lowest), 5)))
    if straights_count:
        return min(map(_straight_counted, keys))
    return min(keys)


def _straight_counted(key: Key) -> Key:
    straight = key[0] == 0 and key[1] - key[5] == 4
    return (4, *key[1:]) if straight else key


def _lowest_ranks(lanes: int, lowest: int) -> list[int]:
    """Return the lowest different ranks, at most five, ascending."""
    held = held_lanes(lanes)
    ranks: list[int] = []
    while held and len(ranks) < 5:
        bit = held & -held
        held ^= bit
        ranks.append(bit.bit_length() // 3 + lowest)
    return ranks


def _qualifying_key(lanes: int) -> Key | None:
    five = _lowest_ranks(lanes, lowest=1)
    return (0, *reversed(five)) if len(five) == 5 else None


_ACE_TO_FIVE: Final = Memo(partial(_unsuited_key, 1, straights_count=False))
_ACE_TO_SIX: Final = Memo(partial(_unsuited_key, 1, straights_count=True))
_DEUCE_TO_SEVEN: Final = Memo(partial(_unsuited_key, 2, straights_count=True))
_EIGHT_OR_BETTER: Final = Memo(_qualifying_key)
