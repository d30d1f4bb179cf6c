"""A second account of the chips, kept from the amounts in events alone (R1.5, R12.6).

It does not ask the engine anything, so an amount that the engine lost would show here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from doorcard.engine.table import Table
from doorcard.errors import BadLog
from doorcard.events import (
    AntesPosted,
    BetMade,
    BringInPosted,
    Called,
    CardBought,
    ChipsAdded,
    Completed,
    Event,
    ExtraCardPaid,
    HandVoided,
    PotAwarded,
    PotMatched,
    Raised,
    SeatLeft,
    SeatTaken,
    UncalledReturned,
)
from doorcard.tables import Snapshot


class Ledger:
    """Where all chips of a table are: before its seats, in the middle, raked, or gone."""

    __slots__ = ("brought", "gone", "middle", "raked", "stacks")

    def __init__(self) -> None:
        self.stacks: dict[int, int] = {}
        """By seat, chips that wait for the next hand included."""
        self.middle = self.raked = self.gone = self.brought = 0

    def begin(self, snapshot: Snapshot) -> None:
        """Open the account in the middle of a log, with what a hand's beginning says."""
        self.stacks = {seat.seat: seat.stack + seat.waiting for seat in snapshot.seats}
        self.brought, self.gone = snapshot.chips_in, snapshot.chips_out
        self.raked = snapshot.rake

    def take(self, event: Event) -> None:
        """Book an event.

        Raises:
            BadLog: somebody has less than nothing, or chips appear or vanish.
        """
        book = _BOOKINGS.get(type(event))
        if book is None:
            return
        try:
            book(self, event)
        except KeyError as seat:
            raise BadLog(f"moves chips of seat {seat}, where nobody sits") from None
        name = type(event).__name__
        if self.middle < 0 or min(self.stacks.values(), default=0) < 0:
            raise BadLog(f"{name} leaves less than nothing somewhere")
        total = sum(self.stacks.values()) + self.middle + self.raked + self.gone
        if total != self.brought:
            raise BadLog(
                f"after {name} there are {total} chips, and {self.brought} were brought in"
            )

    def compare(self, table: Table) -> None:
        """Raise ``BadLog`` where a folded table has another account than this one."""
        held = {number: table.stack(number) + seat.waiting for number, seat in table.seats.items()}
        hand = table.hand
        middle = 0 if hand is None else hand.pot
        folded = (held, middle, table.rake, table.chips_out, table.chips_in)
        if folded != (self.stacks, self.middle, self.raked, self.gone, self.brought):
            raise BadLog("folds to other chips than its amounts add up to")

    def pay(self, seat: int, amount: int) -> None:
        """Move chips from a seat to the middle; a negative amount moves them back."""
        self.stacks[seat] -= amount
        self.middle += amount


def _bring(ledger: Ledger, event: SeatTaken | ChipsAdded) -> None:
    if event.chips <= 0:
        raise BadLog(f"{type(event).__name__} brings {event.chips} chips")
    before = 0 if isinstance(event, SeatTaken) else ledger.stacks[event.seat]
    ledger.stacks[event.seat] = before + event.chips
    ledger.brought += event.chips


def _leave(ledger: Ledger, event: SeatLeft) -> None:
    held = ledger.stacks.pop(event.seat)
    if held != event.chips:
        raise BadLog(f"seat {event.seat} leaves with {event.chips} chips and had {held}")
    ledger.gone += held


def _antes(ledger: Ledger, event: AntesPosted) -> None:
    for seat, amount in event.antes + event.dead:
        ledger.pay(seat, amount)


def _wager(ledger: Ledger, event: _Paid) -> None:
    ledger.pay(event.seat, event.amount)


def _price(ledger: Ledger, event: CardBought | ExtraCardPaid) -> None:
    ledger.pay(event.seat, event.price)


def _returned(ledger: Ledger, event: UncalledReturned) -> None:
    ledger.pay(event.seat, -event.amount)


def _awarded(ledger: Ledger, event: PotAwarded) -> None:
    for seat, _, amount in event.shares:
        ledger.stacks[seat] += amount
    ledger.raked += event.rake
    ledger.middle -= event.amount


def _voided(ledger: Ledger, event: HandVoided) -> None:
    for seat, amount in event.refunds:
        ledger.pay(seat, -amount)
    if ledger.middle:
        raise BadLog(f"the void hand leaves {ledger.middle} chips in the middle")


_Paid = BringInPosted | Completed | BetMade | Raised | Called | PotMatched
_BOOKINGS: Final[dict[Any, Callable[[Ledger, Any], None]]] = {
    SeatTaken: _bring,
    ChipsAdded: _bring,
    SeatLeft: _leave,
    AntesPosted: _antes,
    BringInPosted: _wager,
    Completed: _wager,
    BetMade: _wager,
    Raised: _wager,
    Called: _wager,
    PotMatched: _wager,
    CardBought: _price,
    ExtraCardPaid: _price,
    UncalledReturned: _returned,
    PotAwarded: _awarded,
    HandVoided: _voided,
}
"""Events that move no chips are not listed."""
