"""What the dealer and the showdown need to know of a hand's deck."""

from __future__ import annotations

from typing import Protocol

from doorcard.cards import Card


class Deck(Protocol):
    """One hand's deck, fixed before the first card (R1.2). Only the deck's keeper has one."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards by index, 0 on top."""
        ...

    @property
    def salts(self) -> tuple[bytes, ...]:
        """The salt of each index's commitment."""
        ...

    @property
    def button_cards(self) -> tuple[Card, ...]:
        """Another deck, for drawing the first dealer (R2.9)."""
        ...

    def reshuffled(self, pool: tuple[int, ...], count: int) -> tuple[int, ...]:
        """The pool's indices in their new order, for the hand's ``count``-th shuffle (R3.4)."""
        ...
