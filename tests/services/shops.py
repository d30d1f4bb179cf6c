"""The stores that a service can run on in a test: in memory, on a fake Redis, on a real one."""

from __future__ import annotations

import time
from typing import Any, Final

from doorcard.streams.delivery import MessageQueues
from doorcard.streams.keys import feed_key, given_key, log_key, partition_names, queue_key
from doorcard.streams.log import Log
from doorcard.streams.memory_log import MemoryLog
from doorcard.streams.memory_queues import MemoryQueues
from doorcard.streams.memory_store import MemoryStore
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from doorcard.tables import Role

ROLES: Final[tuple[Role, ...]] = ("floor", "dealer", "betting", "showdown")
START_MS: Final = 1_760_000_000_000


class FakeTime:
    """A clock that a test sets; to a worker it is the store's."""

    def __init__(self) -> None:
        self.ms = START_MS

    def now_ms(self) -> int:
        return self.ms

    def compare(self) -> None:
        """Nothing can be off."""


class SystemTime:
    """The clock of a store that lives on this machine."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def compare(self) -> None:
        """Nothing can be off."""


class Shop:
    """One store, what is in it, and how time passes there."""

    partitions: tuple[str, ...] = partition_names(1)

    def log(self) -> Log:
        """A new adapter, as a new process would have it."""
        raise NotImplementedError

    def queues(self) -> MessageQueues:
        """A new adapter, as a new process would have it."""
        raise NotImplementedError

    def clock(self) -> FakeTime | SystemTime:
        raise NotImplementedError

    def pass_ms(self, milliseconds: int) -> None:
        """Let time pass."""
        raise NotImplementedError

    def forget(self, table: str, count: int) -> None:
        """Lose the last commits of a table, as a replica that is promoted would."""
        raise NotImplementedError

    def forget_news(self, count: int) -> None:
        """Lose the last entries of the first partition's feed."""
        raise NotImplementedError

    def unfinished(self) -> dict[str, int]:
        """Messages in each queue that nobody has finished; empty queues are left out."""
        queues = self.queues()
        lengths = {
            f"{role} {partition}": queues.length(role, partition)
            for role in ROLES
            for partition in self.partitions
        }
        return {name: length for name, length in lengths.items() if length}


class MemoryShop(Shop):
    """Everything in this process, under a clock that a test sets."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.store = MemoryStore(self.time.now_ms)

    def log(self) -> Log:
        return MemoryLog(self.store)

    def queues(self) -> MessageQueues:
        return MemoryQueues(self.store)

    def clock(self) -> FakeTime:
        return self.time

    def pass_ms(self, milliseconds: int) -> None:
        """Let time pass, in which a clock looked at the timers, and found none that was due."""
        self.time.ms += milliseconds
        for partition in self.store.wrote_ms:
            self.store.wrote_ms[partition] = self.time.ms

    def forget(self, table: str, count: int) -> None:
        del self.store.logs[table][-count:]

    def forget_news(self, count: int) -> None:
        for _ in range(count):
            self.store.feeds["p00"].pop()

    def be_away_ms(self, milliseconds: int) -> None:
        """Let time pass in which the store took no writes."""
        self.time.ms += milliseconds


class RedisShop(Shop):
    """A Redis, real or fake, which has its own time."""

    def __init__(self, client: Any) -> None:
        self.client = client
        client.flushall()
        queues = Queues(client)
        for role in ROLES:
            queues.ensure_groups(role, self.partitions)

    def log(self) -> Log:
        return RedisLog(self.client, partitions=self.partitions)

    def queues(self) -> MessageQueues:
        return Queues(self.client)

    def clock(self) -> SystemTime:
        return SystemTime()

    def pass_ms(self, milliseconds: int) -> None:
        time.sleep(min(milliseconds, 150) / 1000)

    def forget(self, table: str, count: int) -> None:
        kept = self.client.xrange(log_key(table))[:-count]
        self.client.delete(log_key(table))
        for entry_id, fields in kept:
            self.client.xadd(log_key(table), fields, entry_id)

    def forget_news(self, count: int) -> None:
        for entry_id, _ in self.client.xrevrange(feed_key("p00"), "+", "-", count):
            self.client.xdel(feed_key("p00"), entry_id)

    def pass_long(self) -> None:
        """Let what was handed out look as if that had been long ago."""
        for key in [queue_key(role, name) for role in ROLES for name in self.partitions]:
            for group in self.client.xinfo_groups(key):
                self.client.hset(given_key(key), "line", b"0 " + group["last-delivered-id"])
