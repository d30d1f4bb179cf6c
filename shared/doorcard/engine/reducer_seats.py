"""How table and seat events change a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from doorcard.engine.table import NOBODY, Table
from doorcard.events import (
    ChipsAdded,
    LeaveAsked,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
    TablePaused,
    TableResumed,
)
from doorcard.tables import Seat


def _table_opened(table: Table, event: TableOpened) -> None:
    table.id = event.table
    table.config = event.config


def _table_closed(table: Table, event: TableClosed) -> None:
    table.closed = True


def _table_paused(table: Table, event: TablePaused) -> None:
    table.paused = True
    table.pause_reason = event.reason


def _table_resumed(table: Table, event: TableResumed) -> None:
    table.paused = False
    table.pause_reason = ""


def _seat_taken(table: Table, event: SeatTaken) -> None:
    _put(
        table,
        Seat(
            event.seat,
            event.player,
            event.chips,
            event.key,
            requests=((event.request, event.chips),),
        ),
    )
    table.chips_in += event.chips


def _seat_left(table: Table, event: SeatLeft) -> None:
    table.seats = {number: seat for number, seat in table.seats.items() if number != event.seat}
    table.chips_out += event.chips


def _leave_asked(table: Table, event: LeaveAsked) -> None:
    _put(table, table.seats[event.seat]._replace(leaving=True))


def _sat_out(table: Table, event: SatOut) -> None:
    _put(table, table.seats[event.seat]._replace(sitting_out=True))


def _sat_in(table: Table, event: SatIn) -> None:
    _put(table, table.seats[event.seat]._replace(sitting_out=False))


def _chips_added(table: Table, event: ChipsAdded) -> None:
    seat = table.seats[event.seat]
    hand = table.hand
    waits = hand is not None and hand.phase != "over" and hand.index_of(event.seat) != NOBODY
    _put(
        table,
        seat._replace(
            stack=seat.stack + (0 if waits else event.chips),
            waiting=seat.waiting + (event.chips if waits else 0),
            requests=(*seat.requests, (event.request, event.chips)),
        ),
    )
    table.chips_in += event.chips


def _put(table: Table, seat: Seat) -> None:
    """Replace one seat. The dictionary is shared between tables, so it is replaced whole."""
    table.seats = {**table.seats, seat.seat: seat}


HANDLERS: Final[dict[Any, Callable[[Table, Any], None]]] = {
    TableOpened: _table_opened,
    TableClosed: _table_closed,
    TablePaused: _table_paused,
    TableResumed: _table_resumed,
    SeatTaken: _seat_taken,
    SeatLeft: _seat_left,
    LeaveAsked: _leave_asked,
    SatOut: _sat_out,
    SatIn: _sat_in,
    ChipsAdded: _chips_added,
}
