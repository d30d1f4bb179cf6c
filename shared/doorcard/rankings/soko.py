"""The Sökö ranking: high, with four-card straights and four-card flushes above a pair (K8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from doorcard.cards import Card
from doorcard.rankings.high import high_key, top_rank, unsuited_key
from doorcard.rankings.lanes import (
    SUIT_COUNTER_TOPS,
    SUIT_COUNTERS_BITS,
    Memo,
    ace_high_weights,
    held_lanes,
    suit_bias,
)
from doorcard.rankings.model import Key

_FOUR_SUITED: Final = suit_bias(4)
_weigh: Final = ace_high_weights()
_ACE_TO_FOUR: Final = 1 << 36 | 0b001_001_001


def soko_key(cards: Sequence[Card]) -> Key:
    """Return the key of the best Sökö hand in five or more different cards (K8, G6.1)."""
    packed = sum(map(_weigh, cards), _FOUR_SUITED)
    if packed & SUIT_COUNTER_TOPS:
        return _suited_key(cards, packed)
    return _UNSUITED[packed >> SUIT_COUNTERS_BITS]


def _suited_key(cards: Sequence[Card], packed: int) -> Key:
    key = high_key(cards)
    if key[0] >= 2:
        return _raised(key)
    return max(_four_flush_key(cards, suit) for suit in range(4) if packed >> 5 * suit & 0b10000)


def _four_flush_key(cards: Sequence[Card], suit: int) -> Key:
    """Rank a suit of exactly four cards: with a fifth the hand would be a flush."""
    flush = sorted((card.rank for card in cards if card & 3 == suit), reverse=True)
    return (3, *flush, max(card.rank for card in cards if card & 3 != suit))


def _unsuited_key(lanes: int) -> Key:
    key = unsuited_key(lanes)
    if key[0] >= 2:
        return _raised(key)
    run = four_straight(held_lanes(lanes))
    if not run:
        return key
    odd_card = ((lanes - run).bit_length() - 1) // 3 + 2
    return (2, four_straight_top(run), odd_card)


def _raised(key: Key) -> Key:
    """Make room for the two four-card classes below two pair."""
    return (key[0] + 2, *key[1:])


def four_straight(held: int) -> int:
    """Return the lanes of the best four ranks in sequence, or 0 (A-2-3-4 is the lowest, G6.2)."""
    runs = held & held >> 3 & held >> 6 & held >> 9
    if runs:
        return 0b001_001_001_001 << runs.bit_length() - 1
    return _ACE_TO_FOUR if held & _ACE_TO_FOUR == _ACE_TO_FOUR else 0


def four_straight_top(run: int) -> int:
    """Return the top rank of four ranks in sequence; 4 for A-2-3-4."""
    return 4 if run == _ACE_TO_FOUR else top_rank(run)


_UNSUITED: Final = Memo(_unsuited_key)
