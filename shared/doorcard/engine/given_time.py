"""Time that players had nothing of, because the store took no writes: it is given back (R18.1)."""

from __future__ import annotations

from doorcard.commands import TimeOut
from doorcard.engine.choices import time_out_due
from doorcard.engine.table import Table
from doorcard.events import TimeGiven
from doorcard.tables import Outages


def time_up(table: Table, now_ms: int, outages: Outages | None) -> TimeOut | TimeGiven | None:
    """What has become due by now: a time-out, or time given back; None if nothing has.

    Absent players have no time, and are given none (R18.4).

    Args:
        outages: when the store is known to have taken no writes; None where that is not known, so
            that the time of no player who is there is up.
    """
    due = time_out_due(table, now_ms)
    if due is None or due.absent_only or len(table.absent) == len(table.asked):
        return due
    if outages is None:
        return TimeOut(table.decision, absent_only=True) if table.absent else None
    return time_owed(table, now_ms, outages) or due


def time_owed(table: Table, now_ms: int, outages: Outages) -> TimeGiven | None:
    """The time that the seats asked have not had yet; None if they have had all of it by now.

    They have had it when the time for a decision has gone by since they were asked, without the
    outages. So the same outages move the same deadline once, however often they are told.
    """
    config = table.config
    if config is None or not table.asked:
        return None
    until_ms = table.asked_ms + config.action_ms
    seen_ms = table.asked_ms
    lost: list[tuple[int, int]] = []
    for start_ms, end_ms in sorted(outages):
        begin_ms = max(start_ms, seen_ms)
        if begin_ms < min(end_ms, until_ms):
            lost.append((begin_ms, end_ms))
            until_ms += end_ms - begin_ms
            seen_ms = end_ms
    if until_ms <= max(table.deadline_ms, now_ms, table.time_ms):
        return None
    return TimeGiven(table.asked, until_ms - table.deadline_ms, tuple(lost))
