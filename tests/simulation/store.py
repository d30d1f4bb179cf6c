"""The simulated store: one in memory that tells of new messages, and that can go wrong.

This is the one place that knows how ``MemoryStore`` keeps things.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from threading import Condition
from typing import Any, TypeVar, cast

from doorcard.streams.delivery import FeedEntry, Reply
from doorcard.streams.keys import queue_key
from doorcard.streams.memory_queues import MemoryQueues
from doorcard.streams.memory_store import MemoryQueue, MemoryStore
from doorcard.tables import Role

T = TypeVar("T")


class SimulatedStore(MemoryStore):
    """Everything that a Redis would hold."""

    def __init__(self, clock_ms: Callable[[], int]) -> None:
        super().__init__(clock_ms)
        self.changed = cast("Condition", _Alone())
        self.told: Callable[[str, bytes], None] = lambda _queue, _raw: None
        """Called with each message that comes, and the key of its queue."""
        self.put_off: set[tuple[str, int]] = set()
        """Timers that ran out while their tables were paused, and were put off."""
        self.touched = True
        """Something may have been written."""

    def put(self, queue: str, raw: bytes) -> str:
        """Put a message into a queue, and tell those who wait for it."""
        entry_id = super().put(queue, raw)
        self.told(queue, raw)
        return entry_id

    def bring(self, queue: str, raw: bytes) -> str:
        """Put a message into a queue from outside of the adapters."""
        with self.changed:
            return self.put(queue, raw)

    def unfinished(self, role: Role, partition: str) -> list[bytes]:
        """The messages of a queue that are waiting or handed out."""
        return list(self.queues[queue_key(role, partition)].entries.values())

    def has_unread(self, keys: Iterable[str]) -> bool:
        """Whether something would be read from some queues now."""
        return any(self.queues[key].unread for key in keys)

    def oldest_given_ms(self, keys: Iterable[str]) -> int | None:
        """When the first of what is not finished in some queues was handed out."""
        times = [given.since_ms for key in keys for given in self.queues[key].given.values()]
        return min(times, default=None)

    def next_timer_ms(self, partitions: tuple[str, ...]) -> int | None:
        """When the next timer of all runs out."""
        times = [at for name in partitions for at in self.timers[name].values()]
        return min(times, default=None)

    # --- going wrong -----------------------------------------------------------------------------

    def moment(self) -> dict[str, Any]:
        """All that is in the store now, as a replica would have it."""
        return {
            "logs": {name: list(log) for name, log in self.logs.items()},
            "paused": dict(self.paused),
            "queues": {key: _copied(queue) for key, queue in self.queues.items()},
            "timers": {name: dict(timers) for name, timers in self.timers.items()},
            "feeds": {name: list(feed) for name, feed in self.feeds.items()},
            "dead": {name: list(letters) for name, letters in self.dead.items()},
            "replies": {name: list(replies) for name, replies in self.replies.items()},
            "wrote_ms": dict(self.wrote_ms),
            "outages": {name: list(outages) for name, outages in self.outages.items()},
        }

    def go_back(self, moment: dict[str, Any]) -> None:
        """Become what the store was at an earlier moment; its ids go on, as those by time do."""
        self.logs = {name: list(log) for name, log in moment["logs"].items()}
        self.paused = dict(moment["paused"])
        self.wrote_ms = dict(moment["wrote_ms"])
        lists = (("dead", list), ("outages", list))
        for kept, made in (("queues", _copied), ("timers", dict), *lists):
            mine: dict[str, Any] = getattr(self, kept)
            mine.clear()
            mine.update({name: made(value) for name, value in moment[kept].items()})
        for kept in ("feeds", "replies"):
            streams: dict[str, deque[Any]] = getattr(self, kept)
            for name, stream in streams.items():
                stream.clear()
                stream.extend(moment[kept].get(name, ()))

    def lose_group(self, role: Role, partition: str) -> None:
        """A consumer group is lost, and made again from the beginning of its queue."""
        queue = self.queues[queue_key(role, partition)]
        queue.given.clear()
        queue.unread = deque(queue.entries)
        self.told(queue_key(role, partition), b"")

    def lose_timers(self, partition: str) -> None:
        """A partition's timers are lost."""
        self.timers[partition].clear()

    def lose_notes(self, partition: str) -> None:
        """What a partition knows of when a clock wrote there, and when none could, is lost."""
        self.wrote_ms.pop(partition, None)
        self.outages.pop(partition, None)

    def lose_feed(self, partition: str) -> None:
        """A partition's feed is lost."""
        self.feeds[partition].clear()


class SimulatedQueues(MemoryQueues):
    """Queues on which nobody waits: the scheduler does that."""

    def __init__(self, store: SimulatedStore) -> None:
        super().__init__(store)
        self._simulated = store

    def _wait(self, look: Callable[[], list[T]], block_ms: int) -> list[T]:
        assert not block_ms
        return look()

    def fire(self, partition: str, count: int) -> int:
        """Those of paused tables are put off."""
        timers, store = self._store.timers[partition], self._simulated
        before = list(timers.items())
        fired = super().fire(partition, count)
        for name, at_ms in before:
            later = (name, timers.get(name, at_ms))
            if later[1] != at_ms:
                store.put_off.add(later)
        return fired

    def replies(
        self, sender: str, positions: Mapping[str, str], count: int = 100, block_ms: int = 0
    ) -> list[Reply]:
        """Mostly there is nothing new."""
        found: list[Reply] = []
        for name, after in positions.items():
            entries = self._store.replies[name, sender]
            if entries and entries[-1].id != after:
                found += super().replies(sender, {name: after}, count, block_ms)
        return found

    def feed(
        self, positions: Mapping[str, str], count: int = 100, block_ms: int = 0
    ) -> list[FeedEntry]:
        """Mostly there is nothing new, or one entry."""
        found: list[FeedEntry] = []
        for name, after in positions.items():
            entries = self._store.feeds[name]
            if entries and entries[-1].id != after:
                found += super().feed({name: after}, count, block_ms)
        return found


class _Alone:
    """A lock where there are no threads."""

    def __enter__(self) -> None:
        """Nobody else is there."""

    def __exit__(self, *error: object) -> None:
        """Nobody waits for it."""

    def notify_all(self) -> None:
        """Nobody listens."""


def _copied(queue: MemoryQueue) -> MemoryQueue:
    given = {name: replace(entry) for name, entry in queue.given.items()}
    return MemoryQueue(dict(queue.entries), deque(queue.unread), given)
