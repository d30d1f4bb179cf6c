"""Everything that a Redis would hold, in this process: for tests, notebooks and simulations."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition

from doorcard.streams.delivery import (
    OUTAGES_MAX,
    REPLIES_MAX,
    SILENCE_MS,
    DeadLetter,
    FeedEntry,
    Outgoing,
    Reply,
)
from doorcard.streams.keys import is_sender
from doorcard.streams.log import FEED_MAX, Stored
from doorcard.tables import Outages


def system_clock_ms() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


@dataclass(slots=True)
class Given:
    """A message that was handed out."""

    since_ms: int
    count: int


@dataclass(slots=True)
class MemoryQueue:
    """One queue, and what was handed out of it."""

    entries: dict[str, bytes] = field(default_factory=dict[str, bytes])
    unread: deque[str] = field(default_factory=deque[str])
    given: dict[str, Given] = field(default_factory=dict[str, Given])

    def finish(self, entry_id: str) -> None:
        """Delete a message that was handled."""
        self.entries.pop(entry_id, None)
        self.given.pop(entry_id, None)


class MemoryStore:
    """What a ``MemoryLog`` and a ``MemoryQueues`` share. Every access holds ``changed``."""

    def __init__(self, clock_ms: Callable[[], int] = system_clock_ms) -> None:
        self.clock_ms = clock_ms
        self.changed = Condition()
        """The store's one lock, told of everything that a reader may wait for."""
        self.logs: dict[str, list[Stored]] = {}
        self.paused: dict[str, str] = {}
        self.queues: defaultdict[str, MemoryQueue] = defaultdict(MemoryQueue)
        self.timers: defaultdict[str, dict[str, int]] = defaultdict(dict)
        """By partition: timer and deadline."""
        self.wrote_ms: dict[str, int] = {}
        """By partition: when a clock last wrote there."""
        self.outages: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        """By partition: (from, to) when none could."""
        self.feeds: defaultdict[str, deque[FeedEntry]] = defaultdict(lambda: deque(maxlen=FEED_MAX))
        self.dead: defaultdict[str, list[DeadLetter]] = defaultdict(list)
        self.replies: defaultdict[tuple[str, str], deque[Reply]] = defaultdict(
            lambda: deque(maxlen=REPLIES_MAX)
        )
        """By partition and sender."""
        self._last_id = (0, 0)

    def note_write(self, partition: str) -> Outages:
        """Note that a clock writes now; when none could lately."""
        now_ms = self.clock_ms()
        before_ms = self.wrote_ms.get(partition, now_ms)
        self.wrote_ms[partition] = now_ms
        outages = self.outages[partition]
        if now_ms - before_ms > SILENCE_MS:
            outages.append((before_ms, now_ms))
            del outages[:-OUTAGES_MAX]
        return tuple(outages)

    def next_id(self) -> str:
        """An id for an entry of any stream, higher than all before: the time and a number."""
        last_ms, number = self._last_id
        now_ms = self.clock_ms()
        self._last_id = (now_ms, 0) if now_ms > last_ms else (last_ms, number + 1)
        return "{}-{}".format(*self._last_id)

    def answer(self, reply: Outgoing) -> None:
        """Put a reply into its sender's stream, if it names one."""
        partition, sender, raw = reply
        if is_sender(sender):
            self.replies[partition, sender].append(Reply(partition, self.next_id(), raw))
            self.changed.notify_all()

    def put(self, queue: str, raw: bytes) -> str:
        """Put a message into a queue."""
        entry_id = self.next_id()
        self.queues[queue].entries[entry_id] = raw
        self.queues[queue].unread.append(entry_id)
        self.changed.notify_all()
        return entry_id
