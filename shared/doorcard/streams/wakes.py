"""The messages that the store itself puts into queues: wake-ups and timers that ran out.

Small msgpack arrays. Either may come twice or late: who reads one looks at the table first.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgpack

WAKE_KIND: Final = 1
FIRED_KIND: Final = 2


class Wake(NamedTuple):
    """A commit made it this role's turn."""

    table: str
    seq: int
    """Number of that commit."""


class Fired(NamedTuple):
    """The time for a decision is up."""

    table: str
    decision: int


def encode_wake(table: str, seq: int) -> bytes:
    """The bytes of a wake-up: ``[1, table, seq]``."""
    packed: bytes = msgpack.packb((WAKE_KIND, table, seq))
    return packed


def encode_fired(table: str, decision: int) -> bytes:
    """The bytes of a timer that ran out: ``[2, table, decision]``."""
    packed: bytes = msgpack.packb((FIRED_KIND, table, decision))
    return packed


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
