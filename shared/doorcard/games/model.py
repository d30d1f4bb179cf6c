"""A game is a value: what is dealt, who opens, what is wild, how hands are ranked and split.

Nothing in the engine asks which game it is playing; it reads these fields. What a ``Game``
cannot express is refused when a table is opened, never approximated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from doorcard.cards import Card
from doorcard.limits import HighRanking, LowRanking, Opening, Scalar
from doorcard.rankings import BoardOrder

Split = Literal["high", "low", "high_low", "high_chicago", "low_chicago"]
"""What wins: the best hand, the lowest hand, half each (R15.2), or the best hand and the highest
or lowest spade in the hole (G12)."""


@dataclass(frozen=True, slots=True)
class Street:
    """One dealing step and its betting round."""

    deal: str
    """One letter a pass: ``d`` a downcard, ``u`` an upcard, in dealing order (R2.3)."""
    size: Literal["small", "big"]
    """The fixed-limit bet size (R7.1)."""
    roll: bool = False
    """Whether each player then turns one downcard up (R17.6)."""


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
    other_streets: Mapping[tuple[str, Scalar], tuple[Street, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """Streets that a (switch, value) puts in their place."""
    seats_default: int
    """Seats a table has unless its opening says otherwise."""
    seats_max: int
    """Most seats that the deck and R3 can serve."""
    other_seats_max: Mapping[tuple[str, Scalar], int] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """Most seats where a (switch, value) needs more cards."""
    opening: Opening
    openings: tuple[Opening, ...]
    """Openings that make sense for this game; another is refused when a table is opened."""
    board_order: BoardOrder | Literal["low"]
    """The order in which boards are compared for first to act (R11); ``low`` is the low ranking
    in force."""
    split: Split
    high_ranking: HighRanking | None = None
    low_ranking: LowRanking | None = None
    low_rankings: tuple[LowRanking, ...] = ()
    """Low rankings that the house may choose between."""
    opener_tie: Literal["suit", "position"]
    pair_option: Literal["any", "none"]
    wild: frozenset[Card] = frozenset()
    """Cards that are always wild."""
    follow_rank: int | None = None
    """A rank that is wild, and whose face-up cards make the next upcard's rank wild (G10)."""
    extra_card_rank: int | None = None
    """A rank whose upcard entitles its holder to one more card (G11.2)."""
    match_pot_rank: int | None = None
    """A rank whose upcard must be paid for, where the house says so (G11.3)."""
    declare: Literal["none", "simultaneous", "sequential"] = "none"
    """How players declare unless the house says otherwise (R16)."""
    buy_rounds: int = 0
    """Buy rounds unless the house says otherwise (G5)."""
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
