"""Where the dealer position goes, and the order in which cards are dealt (R2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence


def next_dealer(dealer: int | None, dealt_in: Sequence[int], *, voided: bool = False) -> int | None:
    """The seat of the next rotating dealer position, or None if it must be drawn (R2.9, R2.10).

    Args:
        dealer: seat of the last hand's dealer position; None before the first hand.
        dealt_in: seats dealt into the next hand, ascending.
        voided: the last hand was void, so the position stays where it can (R19.2).
    """
    if dealer is None or not dealt_in:
        return None
    if voided and dealer in dealt_in:
        return dealer
    return next((seat for seat in dealt_in if seat > dealer), dealt_in[0])


def deal_order(dealer: int | None, dealt_in: Sequence[int]) -> tuple[int, ...]:
    """Seats in deal order: clockwise from the dealer's left, the dealer last (R2.2).

    Args:
        dealt_in: ascending.
    """
    if dealer is None:
        return tuple(dealt_in)
    first = bisect_right(dealt_in, dealer)
    return (*dealt_in[first:], *dealt_in[:first])
