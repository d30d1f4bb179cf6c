"""The folded state: a table, the hand in progress, and the players in it.

Every reader treats these records as frozen. Only the reducer assigns to them, and only to a
private draft: ``Table.draft`` copies the table and its hand, ``Hand.own`` copies a player at
the first touch. (Copying whole frozen records for every event costs three times as much.)
"""

from __future__ import annotations

from typing import Final, cast

from doorcard.engine.hand import CHOICE_PHASES, NOBODY, Hand, copy_hand
from doorcard.engine.player import Player, copier
from doorcard.engine.ruleset import Ruleset
from doorcard.tables import Role, Seat, TableConfig

__all__ = ["CHOICE_PHASES", "NOBODY", "NO_CHAIN", "Hand", "Player", "Table", "facts"]

NO_CHAIN: Final = bytes(32)
"""The chain hash before a log's first commit."""


class Table:
    """Everything that a log says about its table."""

    __slots__ = (
        "asked_ms",
        "called",
        "chain",
        "chips_in",
        "chips_out",
        "closed",
        "config",
        "deadline_ms",
        "dealer",
        "decision",
        "hand",
        "hand_seq",
        "hands",
        "id",
        "orbits",
        "pause_reason",
        "paused",
        "rake",
        "seats",
        "seq",
        "time_ms",
        "voided",
    )  # fmt: skip

    id: str
    """Empty until the table is opened."""
    config: TableConfig | None
    seats: dict[int, Seat]
    """Taken seats only. Replaced, never changed in place."""
    hand: Hand | None
    hand_seq: int
    """Number of the commit in which the last hand started; 0 before the first. A rebuild
    begins there."""
    hands: int
    """Hands started so far."""
    dealer: int | None
    """Seat of the dealer position of the last hand (R2.10)."""
    orbits: int
    """How often the dealer position has gone round."""
    called: tuple[tuple[int, int], ...]
    """(seat, game) that the next dealer called; the game by its place in the mix."""
    voided: bool
    """The last hand was void (R19.2)."""
    decision: int
    """Grows each time a seat is asked."""
    paused: bool
    pause_reason: str
    closed: bool
    chips_in: int
    chips_out: int
    rake: int
    seq: int
    """Number of the last commit folded."""
    chain: bytes
    """Chain hash of that commit."""
    time_ms: int
    """Time of that commit, in milliseconds since 1970, UTC."""
    asked_ms: int
    """When the decision was asked for; 0 when no seat is asked."""
    deadline_ms: int
    """When the decision asked for is due; 0 when no seat is asked."""

    def __init__(self) -> None:
        self.id = self.pause_reason = ""
        self.config = self.hand = self.dealer = None
        self.seats = {}
        self.hands = self.decision = self.chips_in = self.chips_out = self.rake = 0
        self.orbits = 0
        self.called = ()
        self.hand_seq = self.seq = self.time_ms = self.asked_ms = self.deadline_ms = 0
        self.paused = self.closed = self.voided = False
        self.chain = NO_CHAIN

    def draft(self) -> Table:
        """A copy that the reducer may change. For the reducer alone."""
        new = _copy_table(self)
        if new.hand is not None:
            new.hand = copy_hand(new.hand)
        return new

    def stack(self, seat: int) -> int:
        """Chips that a taken seat has now: behind in the hand, or at rest between hands."""
        hand = self.hand
        if hand is not None and hand.phase != "over":
            index = hand.index_of(seat)
            if index != NOBODY:
                return hand.players[index].stack
        return self.seats[seat].stack

    @property
    def in_hand(self) -> bool:
        """Whether a hand is in progress."""
        return self.hand is not None and self.hand.phase != "over"

    @property
    def awaited(self) -> Role | None:
        """The role whose turn it is, or that decides what the seats are asked."""
        hand = self.hand
        if hand is not None and hand.phase != "over":
            return _PHASE_ROLES[hand.phase]
        for seat in self.seats.values():
            if seat.leaving:
                return "floor"
        return "dealer" if self.ready_to_deal else None

    @property
    def asked(self) -> tuple[int, ...]:
        """The seats that are asked for something now."""
        hand = self.hand
        return () if hand is None else tuple([hand.players[i].seat for i in hand.asked])

    @property
    def absent(self) -> tuple[int, ...]:
        """The asked seats whose players sit out or are leaving: they have no time (R18.4)."""
        seats = self.seats
        return tuple([s for s in self.asked if seats[s].sitting_out or seats[s].leaving])

    @property
    def ready_to_deal(self) -> bool:
        """Whether the next hand may start (R2.1, R2.11)."""
        if self.closed or self.paused or self.config is None:
            return False
        return len(self.next_players) >= 2

    @property
    def next_players(self) -> list[int]:
        """Seats that would be dealt into a hand starting now, clockwise from seat 0 (R2.11)."""
        if self.config is None:
            return []
        absent_too = ("missed_ante_policy", "dealt_in") in self.config.spec.house
        return sorted(
            [
                seat.seat
                for seat in self.seats.values()
                if seat.stack > 0 and (absent_too or not seat.sitting_out) and not seat.leaving
            ]
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and facts(self) == facts(other)

    # Compared by value, and drafts change.
    __hash__ = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


def facts(record: object) -> object:
    """A table, hand or player as plain nested tuples, for comparing and printing.

    ``owned`` and ``options`` are not part of the state and are left out.
    """
    if isinstance(record, (Table, Hand, Player)):
        names = (name for name in record.__slots__ if name not in _NOT_STATE)
        return tuple((name, facts(getattr(record, name))) for name in names)
    if isinstance(record, Ruleset):
        return record.spec
    if isinstance(record, dict):
        return tuple(sorted(cast("dict[int, object]", record).items()))
    if isinstance(record, list):
        return tuple(facts(item) for item in cast("list[object]", record))
    return record


_NOT_STATE: Final = ("owned", "options", "seat_index")
_PHASE_ROLES: Final[dict[str, Role]] = {
    "deal": "dealer",
    "bet": "betting",
    "roll": "dealer",
    "open_roll": "dealer",
    "buy": "dealer",
    "extra": "dealer",
    "match": "dealer",
    "declare": "betting",
    "open_declare": "showdown",
    "show": "showdown",
}
_copy_table = copier(Table, Table.__slots__)
