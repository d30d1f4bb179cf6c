"""What a table is set up with, and who sits at it: the values that events carry."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from doorcard.cards import Card
from doorcard.limits import Limits, Scalar

Role = Literal["floor", "dealer", "betting", "showdown"]
"""Who may append to a table's log."""
OpenCard = tuple[int, Card, bytes]
"""(index in the deck, card, salt): anyone can check it against the hand's leaves."""
Outages = tuple[tuple[int, int], ...]
"""(from, to) of times in which the store took no writes, in milliseconds since 1970, UTC."""


class GameSpec(NamedTuple):
    """One game exactly as it is played: the game, its variant, stakes and house rules."""

    game: str
    """A game's id, as in ``razz``."""
    variant: str = ""
    """One of the game's variants; empty for its default."""
    limits: Limits = Limits()
    house: tuple[tuple[str, Scalar], ...] = ()
    """Switches set by the house, sorted by name; everything else has its default."""


class TableConfig(NamedTuple):
    """How a table was opened."""

    spec: GameSpec
    """The game that is played."""
    seats: int
    """Places at the table; seats are numbered 0 to seats - 1 clockwise (R2.1)."""
    buy_in_min: int = 1
    """Fewest chips to sit down with."""
    buy_in_max: int = 2**53 - 1
    """Most chips to sit down with, or to have after adding chips."""
    action_ms: int = 30_000
    """Time for one decision, in milliseconds (R18.1)."""
    others: tuple[GameSpec, ...] = ()
    """The games of a mixed table that follow the first one, in order."""
    change: Literal["hands", "orbit", "call"] = "hands"
    """When a mixed table changes games: after some hands, when the dealer position has gone
    round, or when the next dealer calls another."""
    change_hands: int = 1
    """Hands of each game, where games change by hands."""


class Seat(NamedTuple):
    """A taken seat between hands. During a hand the chips in play are the ``Player``'s."""

    seat: int
    player: str
    """The account of the person; one account has one seat at a table."""
    stack: int
    """Chips at the last hand boundary."""
    key: bytes = b""
    """The public key that face-down cards are sealed to; empty where nothing is sealed."""
    sitting_out: bool = False
    leaving: bool = False
    """Asked to leave during a hand; paid out when it ends (R18.4, R18.6)."""
    waiting: int = 0
    """Chips added during a hand; they join the stack when it ends (R18.6)."""
    owes_ante: bool = False
    """Owes one dead ante on return (``missed_ante_policy=post_one``, R18.5)."""
    requests: tuple[tuple[str, int], ...] = ()
    """(id, chips) of the requests that moved chips, so that a repeat is recognised."""

    def after_hand(self, stack: int) -> Seat:
        """The seat after a hand that its player left with ``stack`` chips (R18.6)."""
        seat, player, _, key, sitting_out, leaving, waiting, owes_ante, requests = self
        return _new(
            Seat,
            (seat, player, stack + waiting, key, sitting_out, leaving, 0, owes_ante, requests),
        )


class Snapshot(NamedTuple):
    """A whole table between hands, as written into every ``HandStarted``."""

    format: int
    """Form of this record; older forms are lifted before they are folded."""
    config: TableConfig
    seats: tuple[Seat, ...]
    hands: int
    """Hands started before this one."""
    decision: int
    """Decisions asked before this hand."""
    dealer: int | None
    """The dealer position of the hand before; None before the first hand (R2.9, R2.10)."""
    voided: bool
    """Whether the hand before was void, so that the dealer position stays (R19.2)."""
    chips_in: int
    """All chips ever brought to the table."""
    chips_out: int
    """All chips that ever left the table with a player."""
    rake: int
    """All rake ever taken."""
    orbits: int = 0
    """Rounds of the dealer position finished before this hand."""


_new: Final = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
"""Skips the keyword handling of a record's own constructor: six are made at every hand's end."""
