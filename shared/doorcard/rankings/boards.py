"""What the upcards show, to find who acts first (K3, K4, K8.2, R11.2)."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from doorcard.cards import Card
from doorcard.errors import BadInput
from doorcard.rankings.hands import NO_WILD, hand_key
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
from doorcard.rankings.low import grouped_key
from doorcard.rankings.model import ACE_LOW, BoardOrder, Key
from doorcard.rankings.soko import four_straight, four_straight_top

_FOUR_SUITED: Final = suit_bias(4)
_weigh_ace_high: Final = ace_high_weights()
_weigh_ace_low: Final = ace_low_weights()


def board_key(
    order: BoardOrder,
    upcards: Sequence[Card],
    *,
    wild: AbstractSet[Card] = NO_WILD,
    double_ace_flush: bool = False,
    soko_four_card: bool = True,
) -> Key:
    """Return the key of a board; the larger key acts first in high and Sökö, else the smaller.

    Up to four upcards count by their pairs and larger groups only; from five on the ranking
    itself counts. ``wild`` holds the cards that are wild on boards, none if printed ranks count
    (R11.6). Without ``soko_four_card`` Sökö boards rank as high ones (G6.3). No upcards at all
    make the lowest high board.

    Raises:
        BadInput: wild cards in an order other than high, which defines none (K1.5).
    """
    if order == "soko" and not soko_four_card:
        order = "high"
    if len(upcards) > 4:
        return hand_key(order, upcards, wild=wild, double_ace_flush=double_ace_flush)
    if wild:
        return _wild_board_key(order, upcards, wild)
    if order in ACE_LOW:
        return _ACE_LOW_BOARDS[sum(map(_weigh_ace_low, upcards)) >> SUIT_COUNTERS_BITS]
    if order == "soko" and len(upcards) == 4:
        return _four_card_soko_key(upcards)
    return _ACE_HIGH_BOARDS[sum(map(_weigh_ace_high, upcards)) >> SUIT_COUNTERS_BITS]


def natural_board_key(order: BoardOrder, upcards: Sequence[Card]) -> Key:
    """``board_key`` without wild cards, for callers that rank many boards."""
    if len(upcards) > 4 or order == "soko":
        return board_key(order, upcards)
    if order in ACE_LOW:
        return _ACE_LOW_BOARDS[sum(map(_weigh_ace_low, upcards)) >> SUIT_COUNTERS_BITS]
    return _ACE_HIGH_BOARDS[sum(map(_weigh_ace_high, upcards)) >> SUIT_COUNTERS_BITS]


def _wild_board_key(order: BoardOrder, upcards: Sequence[Card], wild: AbstractSet[Card]) -> Key:
    """Let the wild cards join the largest group, the highest of those, or be aces (K3.4)."""
    if order != "high":
        raise BadInput(f"wild cards have no meaning on {order} boards, only on high ones")
    ranks = [card.rank for card in upcards if card not in wild]
    joined = max(ranks, key=lambda rank: (ranks.count(rank), rank), default=14)
    return grouped_key(ranks + [joined] * (len(upcards) - len(ranks)))


def _four_card_soko_key(upcards: Sequence[Card]) -> Key:
    packed = sum(map(_weigh_ace_high, upcards), _FOUR_SUITED)
    if packed & SUIT_COUNTER_TOPS:
        return (3, *sorted((card.rank for card in upcards), reverse=True))
    return _SOKO_BOARDS[packed >> SUIT_COUNTERS_BITS]


def _unsuited_soko_key(lanes: int) -> Key:
    run = four_straight(held_lanes(lanes))
    if run:
        return (2, four_straight_top(run))
    key = grouped_key(spread(lanes, lowest=2))
    return (_SOKO_CLASSES[key[0]], *key[1:])


_SOKO_CLASSES: Final = {0: 0, 1: 1, 2: 4, 3: 5, 7: 9}
_ACE_HIGH_BOARDS: Final = Memo(lambda lanes: grouped_key(spread(lanes, lowest=2)))
_ACE_LOW_BOARDS: Final = Memo(lambda lanes: grouped_key(spread(lanes, lowest=1)))
_SOKO_BOARDS: Final = Memo(_unsuited_soko_key)
