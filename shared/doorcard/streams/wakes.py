"""The messages that the store itself puts into queues: wake-ups and timers that ran out.

Small msgpack arrays. Either may come twice or late: who reads one looks at the table first.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgpack

from doorcard.streams.keys import is_table_id

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


def encode_wake(table: str, seq: int) -> bytes:
    """The bytes of a wake-up: ``[1, table, seq]``."""
    packed: bytes = msgpack.packb((WAKE_KIND, table, seq))
    return packed


def encode_fired(table: str, deadline_ms: int) -> bytes:
    """The bytes of a timer that ran out: ``[2, table, deadline_ms]``."""
    packed: bytes = msgpack.packb((FIRED_KIND, table, deadline_ms))
    return packed


def encode_news(table: str, seq: int) -> bytes:
    """How a feed names a commit: ``p03.x4f 17``."""
    return f"{table} {seq}".encode()


def read_news(raw: bytes) -> tuple[str, int]:
    """(table, seq) of a commit that a feed names."""
    table, seq = raw.decode().split(" ")
    return table, int(seq)


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
    if type(row) not in {tuple, list} or len(row) != 3:
        return None
    kind, table, number = row
    if type(kind) is not int or type(table) is not str or type(number) is not int or number < 0:
        return None
    if kind == WAKE_KIND:
        return Wake(table, number)
    return Fired(table, number) if kind == FIRED_KIND else None
