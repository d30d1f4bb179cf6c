"""A game is a value: what is dealt, who opens, how hands are ranked and split.

Nothing in the engine asks which game it is playing; it reads these fields. What a ``Game``
cannot express is refused when a table is opened, never approximated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from doorcard.limits import HighRanking, LowRanking, Opening, Scalar
from doorcard.rankings import BoardOrder

Split = Literal["high", "low", "high_low"]
"""What wins: the best hand, the lowest hand, or half the pot each (R15.2)."""


@dataclass(frozen=True, slots=True)
class Street:
    """One dealing step and its betting round."""

    deal: str
    """One letter a pass: ``d`` a downcard, ``u`` an upcard, in dealing order (R2.3)."""
    size: Literal["small", "big"]
    """The fixed-limit bet size (R7.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """Everything that makes one stud game different from another."""

    id: str
    """Stable name on the wire and on the command line."""
    name: str
    """Name for people."""
    summary: str
    """One sentence for people."""
    family: Literal["five_card", "seven_card"]
    streets: tuple[Street, ...]
    seats_default: int
    """Seats a table has unless its opening says otherwise."""
    seats_max: int
    """Most seats that the deck and R3 can serve."""
    opening: Opening
    openings: tuple[Opening, ...]
    """Openings that make sense for this game; another is refused when a table is opened."""
    board_order: BoardOrder
    """The order in which boards are compared for first to act (R11)."""
    split: Split
    high_ranking: HighRanking | None = None
    low_ranking: LowRanking | None = None
    low_rankings: tuple[LowRanking, ...] = ()
    """Low rankings that the house may choose between."""
    opener_tie: Literal["suit", "position"]
    pair_option: Literal["any", "none"]
    variants: Mapping[str, Mapping[str, Scalar]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """Named variants: the switches that each one sets."""
    modifiers: tuple[str, ...] = ()
    """Switches that change this game and make no sense in others (``last_card_down``)."""

    @property
    def cards_each(self) -> int:
        """Cards that a player who stays to the end holds."""
        return sum(len(street.deal) for street in self.streets)
