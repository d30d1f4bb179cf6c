"""The messages that the store itself puts into queues: wake-ups and timers that ran out.

Small msgpack arrays. Either may come twice or late: who reads one looks at the table first.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Final, NamedTuple

import msgpack

from doorcard.streams.keys import is_table_id
from doorcard.tables import Outages

WAKE_KIND: Final = 1
FIRED_KIND: Final = 2


class Wake(NamedTuple):
    """A commit made it this role's turn."""

    table: str
    seq: int
    """Number of that commit."""


class Fired(NamedTuple):
    """A timer ran out."""

    table: str
    deadline_ms: int
    """What it was set to; it is past, by the store's clock."""
    outages: Outages = ()
    """When the store is known to have taken no writes lately."""


def encode_wake(table: str, seq: int) -> bytes:
    """The bytes of a wake-up: ``[1, table, seq]``."""
    packed: bytes = msgpack.packb((WAKE_KIND, table, seq))
    return packed


def encode_fired(table: str, deadline_ms: int, outages: Outages = ()) -> bytes:
    """The bytes of a timer that ran out: ``[2, table, deadline_ms]``.

    Behind them, where there were outages, ``[from, to, from, to …]``.
    """
    row = (FIRED_KIND, table, deadline_ms)
    packed: bytes = msgpack.packb((*row, [*chain(*outages)]) if outages else row)
    return packed


def encode_news(table: str, seq: int) -> bytes:
    """How a feed names a commit: ``p03.x4f 17``."""
    return f"{table} {seq}".encode()


def read_news(raw: bytes) -> tuple[str, int]:
    """(table, seq) of a commit that a feed names; ("", 0) where somebody wrote something else."""
    try:
        table, seq = raw.decode().split(" ")
        return table, int(seq)
    except ValueError:
        return "", 0


def newer_kind(row: Any) -> int | None:
    """The kind of a notice in an unpacked array, if it is one that only a newer version knows.

    Whatever its kind, a notice begins with it, and then names its table.
    """
    if type(row) not in {tuple, list} or len(row) < 2:
        return None
    kind, table = row[:2]
    is_notice = type(kind) is int and type(table) is str and is_table_id(table)
    return kind if is_notice and kind > FIRED_KIND else None


def read_notice(row: Any) -> Wake | Fired | None:
    """The message that an unpacked array holds, or None if it is neither."""
    if type(row) not in {tuple, list} or len(row) not in {3, 4}:
        return None
    kind, table, number, *more = row
    if type(kind) is not int or type(table) is not str or not _is_time(number):
        return None
    if kind == WAKE_KIND and not more:
        return Wake(table, number)
    outages = _read_outages(*more)
    return None if kind != FIRED_KIND or outages is None else Fired(table, number, outages)


def _read_outages(row: Any = ()) -> Outages | None:
    if type(row) not in {tuple, list} or len(row) % 2 or not all(map(_is_time, row)):
        return None
    return tuple(zip(row[::2], row[1::2], strict=True))


def _is_time(number: Any) -> bool:
    return type(number) is int and number >= 0
