"""Queues in this process: the twin of those on Redis, for running workers without a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from doorcard.engine.table import NO_CHAIN
from doorcard.errors import BadInput, Refused
from doorcard.streams.commit import PREV_BYTES
from doorcard.streams.delivery import (
    BEGINNING,
    POSTPONE_MS,
    QUEUE_MAX,
    DeadLetter,
    Delivery,
    FeedEntry,
    Outgoing,
    Reply,
    Settled,
    busy,
)
from doorcard.streams.keys import (
    partition_of,
    queue_key,
    read_queue_key,
    read_timer,
    timer_member,
)
from doorcard.streams.memory_store import Given, MemoryQueue, MemoryStore
from doorcard.streams.wakes import encode_fired
from doorcard.tables import Role

T = TypeVar("T")
Entry = TypeVar("Entry", Reply, FeedEntry)


class MemoryQueues:
    """The queues of a ``MemoryStore`` (``doorcard.streams.delivery.MessageQueues``)."""

    def __init__(self, store: MemoryStore, *, queue_max: int = QUEUE_MAX) -> None:
        self._store = store
        self._queue_max = queue_max

    def send(self, role: Role, table: str, raw: bytes) -> str | Refused:
        """Put a message into the queue of a table's partition; its id, or ``queue/busy``."""
        with self._store.changed:
            partition = partition_of(table)
            if self.length(role, partition) >= self._queue_max:
                return busy(role)
            return self._store.put(queue_key(role, partition), raw)

    def send_many(self, messages: Sequence[tuple[Role, str, bytes]]) -> list[str | Refused]:
        """``send`` for many (role, table, message) at once."""
        return [self.send(*message) for message in messages]

    def read(
        self, role: Role, partitions: Sequence[str], count: int, block_ms: int = 0
    ) -> list[Delivery]:
        """New messages, at most ``count`` of each partition; waits for the first one if told."""
        keys = [queue_key(role, partition) for partition in partitions]

        def take() -> list[Delivery]:
            return [delivery for key in keys for delivery in self._take(key, count)]

        return self._wait(take, block_ms)

    def claim(
        self, role: Role, partitions: Sequence[str], idle_ms: int, count: int
    ) -> list[Delivery]:
        """What was handed out ``idle_ms`` ago or earlier and is still there."""
        with self._store.changed:
            since_ms = self._store.clock_ms() - idle_ms
            found: list[Delivery] = []
            for partition in partitions:
                key = queue_key(role, partition)
                found += self._claim(key, since_ms, count)
            return found

    def hold(self, deliveries: Sequence[Delivery]) -> None:
        """Say that messages are still worked at: ``claim`` leaves them alone for another while."""
        with self._store.changed:
            for delivery in deliveries:
                queue = self._store.queues[delivery.queue]
                if delivery.id in queue.entries:
                    queue.given[delivery.id] = Given(self._store.clock_ms(), delivery.count)

    def ack(self, delivery: Delivery) -> None:
        """Delete a message that needed no commit."""
        with self._store.changed:
            self._store.queues[delivery.queue].finish(delivery.id)

    def finish(self, replies: Sequence[Outgoing], handled: Sequence[Delivery]) -> None:
        """Send replies and then ``ack`` messages."""
        with self._store.changed:
            for reply in replies:
                self._store.answer(reply)
        for delivery in handled:
            self.ack(delivery)

    def bury(self, delivery: Delivery, table: str | None, reason: str) -> None:
        """Move a message to the dead letters, and pause its table, at once."""
        with self._store.changed:
            queue = read_queue_key(delivery.queue)
            if queue is None:
                raise BadInput(f"{delivery.queue!r} is no queue")
            if delivery.id not in self._store.queues[delivery.queue].entries:
                return
            letter = DeadLetter(
                self._store.next_id(),
                delivery.queue,
                delivery.id,
                delivery.raw,
                table or "",
                reason,
                delivery.count,
            )
            self._store.dead[queue[1]].append(letter)
            if table:
                self._store.paused.setdefault(table, reason)  # an operator's reason stays
            self.ack(delivery)

    def dead(self, partition: str) -> list[DeadLetter]:
        """The dead letters of a partition, oldest first."""
        with self._store.changed:
            return list(self._store.dead[partition])

    def revive(self, partition: str, letter: DeadLetter) -> None:
        """Put a dead letter back into its queue."""
        with self._store.changed:
            if letter in self._store.dead[partition]:
                self._store.put(letter.queue, letter.raw)
                self._store.dead[partition].remove(letter)

    def drop_dead(self, partition: str, letter: DeadLetter) -> None:
        """Delete a dead letter for good."""
        with self._store.changed:
            if letter in self._store.dead[partition]:
                self._store.dead[partition].remove(letter)

    def length(self, role: Role, partition: str) -> int:
        """Messages that are not finished: waiting, or handed out."""
        with self._store.changed:
            return len(self._queue(role, partition).entries)

    def fire(self, partition: str, count: int) -> int:
        """Turn up to ``count`` timers that ran out into messages; how many it were."""
        with self._store.changed:
            now_ms = self._store.clock_ms()
            outages = self._store.note_write(partition)
            timers = self._store.timers[partition]
            due = sorted((at_ms, member) for member, at_ms in timers.items() if at_ms <= now_ms)
            fired = 0
            for _, member in due[:count]:
                timer = read_timer(member)
                if timer is None or timer[0] in self._store.paused:
                    timers[member] = now_ms + POSTPONE_MS
                    continue
                table, role = timer
                message = encode_fired(table, timers[member], outages)
                self._store.put(queue_key(role, partition), message)
                del timers[member]
                fired += 1
            return fired

    def fire_many(self, partitions: Sequence[str], count: int) -> int:
        """``fire`` for many partitions, each up to ``count`` timers."""
        return sum([self.fire(partition, count) for partition in partitions])

    def settle(self, delivery: Delivery, settled: Settled) -> bool:
        """Delete a message that came to nothing, unless its table is another by now."""
        table, seq, mark, timer = settled
        with self._store.changed:
            log = self._store.logs.get(table)
            if (seq, mark) != ((log[-1].seq, log[-1].mark) if log else (0, NO_CHAIN[:PREV_BYTES])):
                return False
            if timer is not None:
                role, deadline_ms = timer
                timers, member = self._store.timers[partition_of(table)], timer_member(table, role)
                timers[member] = min(timers.get(member, deadline_ms), deadline_ms)
            self.ack(delivery)
            return True

    def shelve(self, delivery: Delivery, table: str) -> bool:
        """Delete a message to a paused table, unless it is paused no more."""
        with self._store.changed:
            if table not in self._store.paused:
                return False
            self.ack(delivery)
            return True

    def replies(
        self, sender: str, positions: Mapping[str, str], count: int = 100, block_ms: int = 0
    ) -> list[Reply]:
        """Replies behind a position in each partition, at most ``count`` of each, oldest first."""

        def look() -> list[Reply]:
            found: list[Reply] = []
            for partition, after in positions.items():
                found += _behind(self._store.replies[partition, sender], after, count)
            return found

        return self._wait(look, block_ms)

    def feed(
        self, positions: Mapping[str, str], count: int = 100, block_ms: int = 0
    ) -> list[FeedEntry]:
        """Feed entries behind a position in each partition, at most ``count`` of each."""

        def look() -> list[FeedEntry]:
            found: list[FeedEntry] = []
            for partition, after in positions.items():
                found += _behind(self._store.feeds[partition], after, count)
            return found

        return self._wait(look, block_ms)

    def feed_end(self, partition: str) -> str:
        """The position of a feed's newest entry."""
        with self._store.changed:
            entries = self._store.feeds[partition]
            return entries[-1].id if entries else BEGINNING

    def _queue(self, role: Role, partition: str) -> MemoryQueue:
        return self._store.queues[queue_key(role, partition)]

    def _take(self, key: str, count: int) -> list[Delivery]:
        queue = self._store.queues[key]
        found: list[Delivery] = []
        while queue.unread and len(found) < count:
            entry_id = queue.unread.popleft()
            if entry_id in queue.entries:
                found.append(self._hand_out(key, entry_id))
        return found

    def _claim(self, key: str, since_ms: int, count: int) -> list[Delivery]:
        queue = self._store.queues[key]
        idle = [
            entry
            for entry, given in queue.given.items()
            if given.since_ms <= since_ms and entry in queue.entries
        ]
        return [self._hand_out(key, entry) for entry in idle[:count]]

    def _hand_out(self, key: str, entry_id: str) -> Delivery:
        queue = self._store.queues[key]
        before = queue.given.get(entry_id)
        count = 1 if before is None else before.count + 1
        queue.given[entry_id] = Given(self._store.clock_ms(), count)
        return Delivery(key, entry_id, queue.entries[entry_id], count)

    def _wait(self, look: Callable[[], list[T]], block_ms: int) -> list[T]:
        """What there is, waiting for it no longer than told."""
        until_s = time.monotonic() + block_ms / 1000
        with self._store.changed:
            while not (found := look()):
                left_s = until_s - time.monotonic()
                if left_s <= 0:
                    break
                self._store.changed.wait(left_s)
            return found


def _behind(entries: Sequence[Entry], after: str, count: int) -> list[Entry]:
    """The first entries behind a position, looked for from the end, where most readers are."""
    place = _place(after)
    found: list[Entry] = []
    for entry in reversed(entries):
        if _place(entry.id) <= place:
            break
        found.append(entry)
    return found[::-1][:count]


@lru_cache(maxsize=1024)
def _place(position: str) -> tuple[int, int]:
    """A stream position as numbers that can be compared."""
    milliseconds, _, number = position.partition("-")
    return int(milliseconds), int(number or 0)
