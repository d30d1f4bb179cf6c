"""Whether whoever is awaited at a table has a message, or a timer that will bring one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from doorcard.engine.table import Table
from doorcard.streams.keys import partition_of, queue_key, timer_member
from doorcard.streams.log import TIMER_SLACK_MS
from tests.simulation.store import SimulatedStore
from tests.simulation.trace import Violation


@dataclass(slots=True)
class Waiting:
    """Who is waited for at a table, and what was seen last that will bring him."""

    table: Table
    partition: str
    timer: str = ""
    """The only timer that may run."""
    queue: str = ""
    """Where a message for him would be; empty where nobody is awaited."""
    must_be_told: bool = False
    """No timer is enough."""
    message: str = ""
    """One in that queue which names the table."""
    timer_ms: int | None = None
    """Its timer's deadline, where that was found to be enough."""


class Awaited:
    """Looks after all tables. What has not changed since the last look costs two look-ups."""

    def __init__(self, store: SimulatedStore) -> None:
        self._store = store
        self._waiting: dict[str, Waiting] = {}

    def check(self, tables: Mapping[str, Sequence[Table]], skipped: Collection[str]) -> None:
        """Raise ``Violation`` if nobody would go on somewhere, or a timer runs that nobody needs.

        Args:
            tables: each table after each of its commits.
            skipped: tables of which nothing can be said now.
        """
        all_timers, known, needed = self._store.timers, self._waiting, 0
        for name, states in tables.items():
            table = states[-1]
            if not table.seq or name in skipped:
                continue
            waiting = known.get(name)
            if waiting is None or waiting.table is not table:
                waiting = known[name] = _waiting_at(table)
            timer_ms = waiting.timer_ms
            if timer_ms and all_timers[waiting.partition].get(waiting.timer) == timer_ms:
                needed += 1
            else:
                needed += self._check(waiting)
        if sum(map(len, all_timers.values())) > needed:
            for partition in all_timers:
                self._check_others(partition, tables, skipped)

    def _check(self, waiting: Waiting) -> bool:
        """Check one table; whether its timer runs."""
        table, member = waiting.table, waiting.timer
        deadline_ms = self._store.timers[waiting.partition].get(member) if member else None
        waiting.timer_ms = None
        if not waiting.queue:
            return False
        if (waiting.must_be_told or deadline_ms is None) and not self._is_told(waiting):
            what = "who is not told" if waiting.must_be_told else "and no timer runs"
            raise Violation(f"{table.id} awaits {table.awaited} at {table.seq}, {what}")
        if deadline_ms is None:
            return False
        if deadline_ms < table.deadline_ms - TIMER_SLACK_MS:
            raise Violation(
                f"{table.id} is due at {table.deadline_ms}, its timer early at {deadline_ms}"
            )
        is_late = deadline_ms > table.deadline_ms
        is_put_off = (member, deadline_ms) in self._store.put_off
        if is_late and not is_put_off and not self._is_told(waiting):
            raise Violation(
                f"{table.id} is due at {table.deadline_ms}, its timer late at {deadline_ms}"
            )
        if not is_late and not waiting.must_be_told:
            waiting.timer_ms = deadline_ms
        return True

    def _is_told(self, waiting: Waiting) -> bool:
        """Whether a message, waiting or handed out, names the table."""
        entries = self._store.queues[waiting.queue].entries
        if waiting.message not in entries:
            name = waiting.table.id.encode()
            waiting.message = next((entry for entry, raw in entries.items() if name in raw), "")
        return bool(waiting.message)

    def _check_others(
        self, partition: str, tables: Mapping[str, Sequence[Table]], skipped: Collection[str]
    ) -> None:
        for member, at_ms in self._store.timers[partition].items():
            name = member.partition("|")[0]
            waiting = self._waiting.get(name)
            if waiting is None or name in skipped or member == waiting.timer:
                continue
            table = tables[name][-1]
            if not _runs_on(member, tables[name]):
                raise Violation(
                    f"{name} awaits {table.awaited} at {table.seq}, but {member} runs till {at_ms}"
                )


def _runs_on(member: str, states: Sequence[Table]) -> bool:
    """Whether a timer that nobody needs was left running while a street was dealt.

    It is stopped by the commit that ends its decision, or not at all.
    """
    after: Table | None = None
    for state in reversed(states):
        if state.asked and state.awaited and timer_member(state.id, state.awaited) == member:
            hand = None if after is None else after.hand
            return hand is not None and hand.phase == "deal"
        after = state
    return False


def _waiting_at(table: Table) -> Waiting:
    role, asked = table.awaited, table.asked
    partition = partition_of(table.id)
    if role is None:
        return Waiting(table, partition)
    must_be_told = not asked or bool(table.absent)
    timer = timer_member(table.id, role) if asked else ""
    return Waiting(table, partition, timer, queue_key(role, partition), must_be_told)
