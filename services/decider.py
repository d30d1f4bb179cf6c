"""What a worker asks of its role, whichever that is."""

from __future__ import annotations

from typing import Protocol

from doorcard.commands import TimeOut
from doorcard.engine.decided import Decided, decided
from doorcard.engine.given_time import time_up
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import TimeGiven
from doorcard.streams.messages import Fired
from doorcard.tables import Outages, Role
from services.jobs import Message


class Decider(Protocol):
    """One role's part in the work."""

    @property
    def role(self) -> Role:
        """Who appends."""
        ...

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        """Decide a message; a refusal of anything but a request means nothing is left to do."""
        ...


def due_at(table: Table, message: Message, now_ms: int) -> TimeOut | Decided | None:
    """The time-out that is due, or time given back instead; None if nothing is due.

    Only the message of the decision's own timer says which time players had nothing of.
    """
    outages: Outages | None = None
    if isinstance(message, Fired) and message.deadline_ms >= table.deadline_ms:
        outages = message.outages
    due = time_up(table, now_ms, outages)
    return decided(table, [due]) if isinstance(due, TimeGiven) else due
