"""How table and seat events change a table."""

from __future__ import annotations

from functools import lru_cache

from doorcard.engine.handlers import on
from doorcard.engine.table import NOBODY, Table
from doorcard.events import (
    ChipsAdded,
    GameCalled,
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
from doorcard.tables import Seat, TableConfig


@on(TableOpened)
def _table_opened(table: Table, event: TableOpened) -> None:
    table.id = event.table
    table.config = shared_config(event.config)


@on(TableClosed)
def _table_closed(table: Table, event: TableClosed) -> None:
    table.closed = True


@on(TablePaused)
def _table_paused(table: Table, event: TablePaused) -> None:
    table.paused = True
    table.pause_reason = event.reason


@on(TableResumed)
def _table_resumed(table: Table, event: TableResumed) -> None:
    table.paused = False
    table.pause_reason = ""


@on(SeatTaken)
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


@on(SeatLeft)
def _seat_left(table: Table, event: SeatLeft) -> None:
    table.seats = {number: seat for number, seat in table.seats.items() if number != event.seat}
    table.chips_out += event.chips


@on(LeaveAsked)
def _leave_asked(table: Table, event: LeaveAsked) -> None:
    _put(table, table.seats[event.seat]._replace(leaving=True))


@on(SatOut)
def _sat_out(table: Table, event: SatOut) -> None:
    _put(table, table.seats[event.seat]._replace(sitting_out=True))


@on(SatIn)
def _sat_in(table: Table, event: SatIn) -> None:
    _put(table, table.seats[event.seat]._replace(sitting_out=False))


@on(ChipsAdded)
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


@on(GameCalled)
def _game_called(table: Table, event: GameCalled) -> None:
    table.called = ((event.seat, event.game),)


@lru_cache(maxsize=1024)
def shared_config(config: TableConfig) -> TableConfig:
    """One config for all tables that were opened alike, as thousands are."""
    return config


def _put(table: Table, seat: Seat) -> None:
    """Replace one seat. The dictionary is shared between tables, so it is replaced whole."""
    table.seats = {**table.seats, seat.seat: seat}
