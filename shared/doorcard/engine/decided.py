"""What every decider answers when it does not refuse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from doorcard.engine.reducer import fold
from doorcard.engine.table import Table
from doorcard.events import Event


class Decided(NamedTuple):
    """The events of one decision, and the table after them.

    No events means that the request had been granted before: the answer is the same again.
    """

    events: tuple[Event, ...]
    table: Table


def decided(table: Table, events: Iterable[Event]) -> Decided:
    """Fold some events onto a table and pack both together."""
    events = tuple(events)
    return Decided(events, fold(table, events) if events else table)
