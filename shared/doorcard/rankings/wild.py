"""The high ranking with wild cards (K2.3 to K2.9).

A wild card may stand for whatever is best, so only the number of wild cards held matters, never
which they are, and one more wild card never makes a hand worse, so all of them are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

from doorcard.cards import Card
from doorcard.rankings.high import high_key
from doorcard.rankings.lanes import (
    SUIT_COUNTER_TOPS,
    SUIT_COUNTERS_BITS,
    Memo,
    ace_high_weights,
    spread,
    suit_bias,
)
from doorcard.rankings.model import Key

_weigh: Final = ace_high_weights()
_ACE: Final = 14
_STRAIGHTS: Final = tuple(
    (top, frozenset(top - step if top - step > 1 else _ACE for step in range(5)))
    for top in range(_ACE, 4, -1)
)


def wild_key(
    cards: Sequence[Card], wild: AbstractSet[Card], *, double_ace_flush: bool = False
) -> Key:
    """Return the key of the best high hand in five or more cards with wild cards among them.

    ``double_ace_flush`` makes every wild card of a flush an ace (K2.6).
    """
    naturals = [card for card in cards if card not in wild]
    wilds = len(cards) - len(naturals)
    if not wilds:
        return high_key(naturals)
    if wilds >= 5:
        return (9, _ACE)
    packed = sum(map(_weigh, naturals), suit_bias(5 - wilds))
    key = _UNSUITED[wilds][packed >> SUIT_COUNTERS_BITS]
    if packed & SUIT_COUNTER_TOPS:
        for suit in range(4):
            if packed >> 5 * suit & 0b10000:
                key = max(key, _flush_key(naturals, suit, wilds, double_ace_flush=double_ace_flush))
    return key


def _flush_key(naturals: Sequence[Card], suit: int, wilds: int, *, double_ace_flush: bool) -> Key:
    ranks = sorted((card.rank for card in naturals if card & 3 == suit), reverse=True)
    straight = _straight_top(set(ranks), wilds)
    if straight:
        return (8, straight)
    played = ranks[: 5 - wilds]
    missing = [rank for rank in range(_ACE, 1, -1) if rank not in played]
    filled = [_ACE] * wilds if double_ace_flush else missing[:wilds]
    return (5, *sorted(played + filled, reverse=True))


def _unsuited_key(wilds: int, lanes: int) -> Key:
    ranks = spread(lanes, lowest=2)
    key = _grouped_key(ranks, wilds)
    straight = _straight_top(set(ranks), wilds)
    return max(key, (4, straight)) if straight else key


def _straight_top(ranks: AbstractSet[int], wilds: int) -> int:
    """Return the top of the best straight that the wild cards can fill in, or 0."""
    for top, straight in _STRAIGHTS:
        if len(straight & ranks) + wilds >= 5:
            return top
    return 0


def _grouped_key(ranks: Sequence[int], wilds: int) -> Key:
    """Rank by equal ranks alone. Two pair never occurs: a pair and a wild card are three."""
    five = _highest_group(ranks, 5 - wilds)
    if five:
        return (9, five)
    four = _highest_group(ranks, 4 - wilds)
    if four:
        return (7, four, *_others(ranks, four)[:1])
    pairs = sorted({rank for rank in ranks if ranks.count(rank) == 2}, reverse=True)
    if len(pairs) >= 2:
        return (6, pairs[0], pairs[1])
    three = _highest_group(ranks, 3 - wilds)
    if three:
        return (3, three, *_others(ranks, three)[:2])
    pair = max(ranks)
    return (1, pair, *_others(ranks, pair)[:3])


def _highest_group(ranks: Sequence[int], naturals: int) -> int:
    return max((rank for rank in ranks if ranks.count(rank) >= naturals), default=0)


def _others(ranks: Sequence[int], group: int) -> list[int]:
    return sorted(set(ranks) - {group}, reverse=True)


_UNSUITED: Final = {wilds: Memo(partial(_unsuited_key, wilds)) for wilds in range(1, 5)}
