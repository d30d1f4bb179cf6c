"""Everything that can be asked of a table. A command may be refused; a refusal is never logged.

Commands are plain records, trusted as they are by the deciders. What comes from outside the
process is checked first (``doorcard.streams.messages``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from doorcard.limits import Limits, Scalar
from doorcard.tables import GameSpec

# --- a player's turn -------------------------------------------------------------------------

ActionName = Literal["bring_in", "complete", "bet", "raise", "call", "check", "fold"]


@dataclass(slots=True, unsafe_hash=True)
class Act:
    """A seat's answer to the decision it was asked for.

    To be treated as frozen like all commands. Declared so, it would take three times as long to
    make, and one is made for every decision.
    """

    seat: int
    decision: int
    """The table's decision number that this answers; another one is refused as late."""
    action: ActionName
    to: int | None = None
    """For ``complete``, ``bet`` and ``raise``: the total street contribution afterwards, in
    chips (R6.7). ``None`` is taken where only one amount is legal."""
    player: str | None = None
    """Who is asking, where that is known: only the seat's own player may act for it."""


Choice = Literal["roll", "buy", "take", "decline", "match", "fold", "declare"]


@dataclass(frozen=True, slots=True)
class Choose:
    """A choice that is no bet: a card to roll or buy, a payment, a declaration (R16, R17)."""

    seat: int
    decision: int
    choice: Choice
    place: int | None = None
    """Deck index of the own card that is rolled in turn or thrown away."""
    direction: str = ""
    """``high``, ``low`` or ``both``, for an open declaration."""
    sealed: bytes = b""
    """A secret choice, sealed to the deck key: a place to roll, or a direction."""
    player: str | None = None
    """Who is asking, where that is known."""


@dataclass(frozen=True, slots=True)
class TimeOut:
    """The clock ran out for a decision (R18.1), or its player is absent (R18.4)."""

    decision: int
    absent_only: bool = False
    """Only those asked whose players are absent: the others' clocks still run (R18.7)."""


# --- the floor -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Open a table for a game (R20: switches that make no sense are refused)."""

    game: str
    limits: Limits
    variant: str = ""
    house: tuple[tuple[str, Scalar], ...] = ()
    seats: int | None = None
    buy_in_min: int = 1
    buy_in_max: int = 2**53 - 1
    action_ms: int = 30_000
    others: tuple[GameSpec, ...] = ()
    """More games, for a mixed table."""
    change: Literal["hands", "orbit", "call"] = "hands"
    """When a mixed table changes games."""
    change_hands: int = 1


@dataclass(frozen=True, slots=True)
class CallGame:
    """Dealer's choice: the player who deals next names the game, by its place in the mix."""

    seat: int
    player: str
    game: int


@dataclass(frozen=True, slots=True)
class CloseTable:
    """Pay out every seat and end the table; between hands only."""


@dataclass(frozen=True, slots=True)
class PauseTable:
    """Start no new hand until resumed."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class ResumeTable:
    """Start hands again."""


@dataclass(frozen=True, slots=True)
class SitDown:
    """Take a seat with chips."""

    seat: int
    player: str
    chips: int
    request: str
    """Identifies the request; a repeat with the same body changes nothing."""
    key: bytes = b""
    """The player's public key for sealed cards."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave the table; at once between hands, otherwise when the hand ends (R18.4)."""

    seat: int
    player: str
    request: str


@dataclass(frozen=True, slots=True)
class SitOut:
    """Stay at the table but out of the next hands (R18.5)."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class SitIn:
    """Come back from sitting out (R18.5)."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class AddChips:
    """Bring more chips; they count from the next hand on (R18.6)."""

    seat: int
    player: str
    chips: int
    request: str


@dataclass(frozen=True, slots=True)
class VoidHand:
    """Void the hand in progress and return every contribution (R19)."""

    reason: str
    hand: int | None = None
    """The number of the hand that is meant; None means whichever is in progress."""


PlayerCommand = Act | Choose | TimeOut
TableCommand = (
    CloseTable
    | PauseTable
    | ResumeTable
    | SitDown
    | Leave
    | SitOut
    | SitIn
    | AddChips
    | VoidHand
    | CallGame
)
"""What may be asked of an open table."""
FloorCommand = OpenTable | TableCommand
Command = PlayerCommand | FloorCommand
