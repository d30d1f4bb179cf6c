"""The high ranking without wild cards (K2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from doorcard.cards import Card
from doorcard.rankings.lanes import (
    ONE_OF_EACH,
    SUIT_COUNTER_TOPS,
    SUIT_COUNTERS_BITS,
    Memo,
    ace_high_weights,
    suit_bias,
)
from doorcard.rankings.model import Key

_FIVE_SUITED: Final = suit_bias(5)
_weigh: Final = ace_high_weights()
_WHEEL: Final = 1 << 36 | 0b001_001_001_001
"""The ace, deuce, three, four and five."""


def high_key(cards: Sequence[Card]) -> Key:
    """Return the key of the best high hand in five or more different cards (K1.1, K2)."""
    packed = sum(map(_weigh, cards), _FIVE_SUITED)
    if packed & SUIT_COUNTER_TOPS:
        return _suited_key(cards, packed)
    return _UNSUITED[packed >> SUIT_COUNTERS_BITS]


def _suited_key(cards: Sequence[Card], packed: int) -> Key:
    key = _UNSUITED[packed >> SUIT_COUNTERS_BITS]
    for suit in range(4):
        if packed >> 5 * suit & 0b10000:
            flush = _FLUSHES[sum(1 << 3 * (card >> 2) for card in cards if card & 3 == suit)]
            key = max(key, flush)
    return key


def flush_key(held: int) -> Key:
    """Return the key of five or more cards of one suit, given as lanes."""
    straight = straight_top(held)
    return (8, straight) if straight else (5, *top_ranks(held, 5))


def unsuited_key(lanes: int) -> Key:
    """Return the high key of five or more cards without a flush, given as lanes."""
    odd = lanes & ONE_OF_EACH
    twos = lanes >> 1 & ONE_OF_EACH
    fours = lanes >> 2 & ONE_OF_EACH
    held = odd | twos | fours
    if fours:
        return (7, *_group_and_rest(fours, held, 1))
    threes = odd & twos
    three = top_rank(threes)
    if threes and twos != _lane(three):
        return (6, three, top_rank(twos ^ _lane(three)))
    straight = straight_top(held)
    if straight:
        return (4, straight)
    if threes:
        return (3, *_group_and_rest(threes, held, 2))
    return _paired_key(twos, held)


def _paired_key(twos: int, held: int) -> Key:
    pairs = top_ranks(twos, 2)
    if not pairs:
        return (0, *top_ranks(held, 5))
    if len(pairs) == 1:
        return (1, *_group_and_rest(twos, held, 3))
    return (2, *pairs, top_rank(held ^ _lane(pairs[0]) ^ _lane(pairs[1])))


def _group_and_rest(groups: int, held: int, kickers: int) -> list[int]:
    group = top_rank(groups)
    return [group, *top_ranks(held ^ _lane(group), kickers)]


def _lane(rank: int) -> int:
    return 1 << 3 * (rank - 2)


def straight_top(held: int) -> int:
    """Return the top rank of the best straight (5 for A-2-3-4-5), or 0; never wraps (K1.3)."""
    runs = held & held >> 3 & held >> 6 & held >> 9 & held >> 12
    if runs:
        return top_rank(runs) + 4
    return 5 if held & _WHEEL == _WHEEL else 0


def top_rank(held: int) -> int:
    """Return the highest rank among lanes that are marked by their lowest bit."""
    return held.bit_length() // 3 + 2


def top_ranks(held: int, count: int) -> list[int]:
    """Return the highest ranks, at most ``count``, descending, one for each marked lane."""
    ranks: list[int] = []
    while held and len(ranks) < count:
        bits = held.bit_length()
        held ^= 1 << bits - 1
        ranks.append(bits // 3 + 2)
    return ranks


_UNSUITED: Final = Memo(unsuited_key)
_FLUSHES: Final = Memo(flush_key)
