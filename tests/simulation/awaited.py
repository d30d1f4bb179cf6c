"""Whether whoever is awaited at a table has a message, or a timer that will bring one."""

from __future__ import annotations

from typing import NamedTuple

from doorcard.engine.table import Table
from doorcard.streams.keys import partition_of, timer_member
from doorcard.streams.log import TIMER_SLACK_MS
from doorcard.tables import Role
from tests.simulation.store import SimulatedStore
from tests.simulation.trace import Violation


class Waiting(NamedTuple):
    """Who is waited for at a table."""

    table: Table
    role: Role | None
    asked: tuple[int, ...]
    absent: tuple[int, ...]


def check_awaited(waiting: Waiting, store: SimulatedStore) -> None:
    """Raise ``Violation`` if nobody would go on, or a timer runs that nobody needs."""
    table, role, asked, absent = waiting
    name, partition = table.id, partition_of(table.id)
    own = "" if role is None or not asked else timer_member(name, role)
    deadline_ms: int | None = None
    for member, at_ms in store.timers_of(name, partition):
        if member == own:
            deadline_ms = at_ms
        else:
            raise Violation(f"{name} awaits {role} at {table.seq}, but {member} runs till {at_ms}")
    if role is None:
        return
    told = store.is_named(name, role, partition)
    if not told and (absent or not asked):
        raise Violation(f"{name} awaits {role} at {table.seq}, who is not told")
    if not told and deadline_ms is None:
        raise Violation(f"{name} awaits {role} at {table.seq}, and no timer runs")
    if deadline_ms is None:
        return
    is_early = deadline_ms < table.deadline_ms - TIMER_SLACK_MS
    if is_early:
        raise Violation(f"{name} is due at {table.deadline_ms}, its timer early at {deadline_ms}")
    is_late = deadline_ms > table.deadline_ms and (own, deadline_ms) not in store.put_off
    if is_late and not told:
        raise Violation(f"{name} is due at {table.deadline_ms}, its timer late at {deadline_ms}")
