"""What a hand's history is made of: seats, steps and pots, as one viewer may read them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from doorcard.cards import Card
from doorcard.tables import GameSpec
from doorcard.views.model import Viewer

What = Literal[
    "ante", "dead_ante", "deal", "community", "bring_in", "complete", "bet", "raise", "call",
    "check", "fold", "uncalled", "show", "muck",
    "roll", "buy", "take", "decline", "match", "declare",
]  # fmt: skip
"""``fold`` is also what a player does who does not match the pot (G11.3)."""
Cards = tuple[Card | None, ...]
"""Cards in the order dealt; None where this viewer never learns them."""


class Step(NamedTuple):
    """One thing that happened. Amounts are chips."""

    what: What
    street: int
    """0 for the antes, 1 for the initial deal."""
    seat: int | None
    """None for a community card."""
    amount: int = 0
    """Chips put in, or given back."""
    to: int = 0
    """The seat's contribution to the betting round afterwards; dead money is none (R12.5)."""
    all_in: bool = False
    down: Cards = ()
    """Downcards dealt or bought, as far as this viewer could see them then."""
    up: tuple[Card, ...] = ()
    """Upcards dealt or bought, the card rolled, or a community card turned."""
    shown: Cards = ()
    """All of the seat's cards, for ``show``."""
    round: int = 1
    """Which betting round of the street (G5.1, R16.9)."""
    place: int | None = None
    """Which of the seat's cards was rolled or thrown away: 0 is the first one dealt."""
    discard: Card | None = None
    """The card thrown away for a bought one; None where this viewer never saw it."""
    direction: str = ""
    """``high``, ``low`` or ``both``, for ``declare`` (R16.2)."""


class HistorySeat(NamedTuple):
    """Somebody who was dealt in."""

    seat: int
    player: str
    stack: int
    """Chips before the ante."""
    final: int
    """Chips after the hand, without those that waited for its end."""
    cards: Cards
    """Own cards in the order dealt; a bought card stands in the place of the one thrown away."""


class HistoryPot(NamedTuple):
    """One pot and who was paid from it."""

    amount: int
    """Rake included."""
    rake: int
    shares: tuple[tuple[int, str, int], ...]
    """(seat, part, chips); the part is ``all``, ``high``, ``low`` or ``spade``."""


class HandHistory(NamedTuple):
    """One whole hand, as one viewer may read it."""

    table: str
    hand: int
    spec: GameSpec
    dealer: int | None
    """Seat of the dealer position; None with a house dealer."""
    table_seats: int
    viewer: Viewer
    seats: tuple[HistorySeat, ...]
    """In deal order."""
    steps: tuple[Step, ...]
    community: tuple[Card, ...]
    pots: tuple[HistoryPot, ...]
    """Main pot first; empty for a void hand."""
    voided: str | None
    """Why the hand was void (R19), or None."""
    wild: tuple[Card, ...] = ()
    """The cards that were wild at the end, by rank and suit (R17.8)."""

    @property
    def rake(self) -> int:
        """Rake taken from all pots."""
        return sum(pot.rake for pot in self.pots)

    @property
    def pot(self) -> int:
        """What all pots held, rake included: wagers less what went back."""
        return sum(pot.amount for pot in self.pots)
