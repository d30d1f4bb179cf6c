"""Logs in this process: the same checks and effects as on Redis, without a server."""

from __future__ import annotations

from collections.abc import Sequence

from doorcard.engine.table import NO_CHAIN
from doorcard.errors import BadLog
from doorcard.streams.commit import PREV_BYTES
from doorcard.streams.delivery import FeedEntry, Outgoing
from doorcard.streams.heads import require_hand, scan_head
from doorcard.streams.keys import partition_of, queue_key, timer_member
from doorcard.streams.log import (
    NO_HEAD,
    OK,
    TIME_BOUND_MS,
    TIMER_SLACK_MS,
    Append,
    Head,
    Outcome,
    Stored,
    problem_with,
)
from doorcard.streams.memory_store import MemoryStore
from doorcard.streams.wakes import encode_wake


class MemoryLog:
    """The logs of a ``MemoryStore``; an adapter like any other (``doorcard.streams.log.Log``)."""

    def __init__(
        self, store: MemoryStore | None = None, *, time_bound_ms: int = TIME_BOUND_MS
    ) -> None:
        self.store = MemoryStore() if store is None else store
        self._time_bound_ms = time_bound_ms

    def head(self, table: str) -> Head | None:
        """Where a table's log ends; None if there is no such log."""
        with self.store.changed:
            head = scan_head(self, table)
            return None if head == NO_HEAD else head

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits behind a number, oldest first; all of them without ``count``."""
        with self.store.changed:
            log = self.store.logs.get(table, [])
            start = max(after + 1 - log[0].seq, 0) if log else 0
            return log[start : None if count is None else start + count]

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Stored]]:
        """``read`` for many (table, after) at once."""
        return [self.read(table, after) for table, after in wanted]

    def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
        """Commits below a number, or the last ones with None, newest first."""
        with self.store.changed:
            log = self.store.logs.get(table, [])
            end = len(log) if before is None else max(before - log[0].seq, 0) if log else 0
            return log[max(end - count, 0) : end][::-1]

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        """Append commits, each alone all or nothing, and say what became of each, in order."""
        with self.store.changed:
            return [self._append(append) for append in appends]

    def trim(self, table: str, kept: Stored) -> int:
        """Remove the commits before one, which must begin a hand; how many they were."""
        require_hand(table, kept)
        with self.store.changed:
            log = self.store.logs.get(table, [])
            if kept not in log:
                raise BadLog(f"table {table}: commit {kept.seq} is not in its log as it was read")
            count = kept.seq - log[0].seq
            del log[:count]
            return count

    def tables(self) -> list[str]:
        """The ids of all tables, sorted."""
        with self.store.changed:
            return sorted(self.store.logs)

    def pause(self, table: str, reason: str) -> None:
        """Let nobody but the floor commit to a table."""
        with self.store.changed:
            partition_of(table)
            self.store.paused[table] = reason

    def resume(self, table: str) -> None:
        """Let everybody commit again."""
        with self.store.changed:
            self.store.paused.pop(table, None)

    def paused(self) -> dict[str, str]:
        """The paused tables, each with the reason."""
        with self.store.changed:
            return dict(self.store.paused)

    def now_ms(self) -> int:
        """The store's clock, in milliseconds since 1970, UTC."""
        return self.store.clock_ms()

    def _append(self, append: Append) -> Outcome:
        problem = problem_with(append)
        if problem:
            return Outcome("bad", problem)
        log = self.store.logs.get(append.table)
        newest = log[-1] if log else Stored(0, b"", NO_CHAIN[:PREV_BYTES])
        if (newest.seq, newest.mark) == (append.seq, append.chain[:PREV_BYTES]):
            self._finish(append)
            return OK
        refused = self._refused(append, newest)
        if refused is None:
            self._write(append)
            return OK
        return refused

    def _refused(self, append: Append, newest: Stored) -> Outcome | None:
        reason = self.store.paused.get(append.table)
        if reason is not None and append.role != "floor":
            return Outcome("paused", reason)
        if (newest.seq, newest.mark) != (append.seq - 1, append.before[:PREV_BYTES]):
            return Outcome("conflict", f"the log is at commit {newest.seq}")
        if abs(append.time_ms - self.store.clock_ms()) > self._time_bound_ms:
            return Outcome("time", f"the store's clock says {self.store.clock_ms()}")
        return None

    def _write(self, append: Append) -> None:
        store = self.store
        table, seq = append.table, append.seq
        partition = partition_of(table)
        store.logs.setdefault(table, []).append(Stored(seq, append.raw, append.chain[:PREV_BYTES]))
        if append.wake is not None:
            store.put(queue_key(append.wake, partition), encode_wake(table, seq))
        timers = store.timers[partition]
        if append.ended is not None:
            timers.pop(timer_member(table, append.ended), None)
        if append.timer is not None:
            deadline_ms, role = append.timer
            member = timer_member(table, role)
            running_ms = timers.get(member)
            if running_ms is None or not 0 <= deadline_ms - running_ms <= TIMER_SLACK_MS:
                timers[member] = deadline_ms
        store.feeds[partition].append(FeedEntry(partition, store.next_id(), table, seq))
        self._finish(append)
        store.changed.notify_all()

    def _finish(self, append: Append) -> None:
        if append.source is not None:
            self.store.queues[append.source.queue].finish(append.source.id)
        if append.reply is not None:
            self.store.answer(Outgoing(partition_of(append.table), *append.reply))
