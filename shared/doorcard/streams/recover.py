"""Everything that follows from the logs, put back where it is missing.

The set of tables, running timers, wake-ups and the feeds are written together with each
commit and never hold anything that a log does not say. Lost, they come back from here. Messages
that were not handled yet, dead letters and pauses live nowhere else, and are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from doorcard.engine.table import Table
from doorcard.errors import BadLog
from doorcard.streams.commit import ROLES
from doorcard.streams.connection import Client, ask, fields_of, primaries
from doorcard.streams.folding import rebuild
from doorcard.streams.keys import (
    LOG_PATTERN,
    TABLES_PATTERN,
    feed_key,
    is_table_id,
    partition_of,
    partition_of_tables,
    queue_key,
    table_of_log,
    tables_key,
    timer_member,
    timers_key,
)
from doorcard.streams.log import FEED_MAX
from doorcard.streams.redis_log import RedisLog
from doorcard.streams.understood import understands
from doorcard.streams.wakes import encode_news, encode_wake, read_news
from doorcard.tables import Role

SCAN_COUNT: Final = 1_000


@dataclass(slots=True)
class Restored:
    """How much had to be put back."""

    logs: int = 0
    """Logs looked at."""
    tables: int = 0
    timers: int = 0
    wakes: int = 0
    feed: int = 0
    problems: list[str] = field(default_factory=list[str])
    """Logs that could not be read or are gone, each with its reason; nothing was done for them."""

    @property
    def put_back(self) -> int:
        """Everything together; 0 when nothing was missing."""
        return self.tables + self.timers + self.wakes + self.feed


def restore_derived(client: Client, partitions: Sequence[str]) -> Restored:
    """Put back what is missing in some partitions. Safe at any time, while workers run too.

    What a worker does meanwhile wins: a timer or wake-up that has become late is one that its
    reader ignores. A second run finds nothing to do.

    Raises:
        StoreError: a derived key holds another kind of value.
    """
    restored = Restored()
    logs = _logs(client, partitions)
    for partition in partitions:
        present = _Present(client, partition)
        for table in logs.get(partition, ()):
            restored.logs += 1
            try:
                if not _restore(client, table, present, restored):
                    restored.problems.append(f"table {table}: its log is empty")
            except BadLog as error:
                restored.problems.append(str(error))
        for table in sorted(_own(partition, present.tables).difference(logs.get(partition, ()))):
            try:
                RedisLog(client).head(table)  # it may have been opened just now
            except BadLog as error:
                restored.problems.append(str(error))
    return restored


def restore_table(client: Client, table: str) -> Restored:
    """Put back what is missing for one table.

    Raises:
        BadLog: its log cannot be read, or does not fold; nothing was done.
        StoreError: a derived key holds another kind of value.
    """
    restored = Restored(logs=1)
    _restore(client, table, _Present(client, partition_of(table)), restored)
    return restored


@understands
def logged_tables(client: Client) -> list[str]:
    """The ids of all tables that have a log, sorted, from the logs' own keys, on every node."""
    names = map(table_of_log, _keys(client, LOG_PATTERN))
    return sorted({name for name in names if name is not None})


@understands
def listed_tables(client: Client) -> list[str]:
    """The ids of all tables in the partitions' lists, sorted; each must have a log."""
    found: set[str] = set()
    for partition in map(partition_of_tables, _keys(client, TABLES_PATTERN)):
        if partition is not None:
            names = ask(client, "SMEMBERS", tables_key(partition))
            found |= _own(partition, (name.decode("utf-8", "replace") for name in names))
    return sorted(found)


def _keys(client: Client, pattern: str) -> Iterator[str]:
    """The keys that fit a pattern, on every node."""
    for server in primaries(client):
        cursor: int | str = "0"
        while True:
            words = ("SCAN", cursor, "MATCH", pattern, "COUNT", SCAN_COUNT)
            cursor, keys = server.execute_command(*words)
            yield from (key.decode("utf-8", "replace") for key in keys)
            if int(cursor) == 0:
                break


def _own(partition: str, names: Iterable[str]) -> set[str]:
    """The names in a partition's list that are its tables': somebody may have put in others."""
    return {name for name in names if is_table_id(name) and partition_of(name) == partition}


class _Present:
    """What a partition holds already."""

    def __init__(self, client: Client, partition: str) -> None:
        tables = ask(client, "SMEMBERS", tables_key(partition))
        self.tables = {name.decode("utf-8", "replace") for name in tables}
        timers = ask(client, "ZRANGE", timers_key(partition), 0, -1)
        self.timers = {member.decode("utf-8", "replace") for member in timers}
        self.wakes: dict[Role, set[bytes]] = {}
        for role in ROLES:
            queue = ask(client, "XRANGE", queue_key(role, partition), "-", "+")
            self.wakes[role] = {fields_of(fields).get(b"m", b"") for _, fields in queue}
        self._client = client
        self._feed_key = feed_key(partition)
        self._feed_from = "-"
        self._feed: dict[str, int] = {}
        """The newest commit of each table that the feed names."""
        self._read_feed()

    def names(self, table: Table) -> bool:
        """Whether the feed names a table's newest commit, which may have come in just now."""
        if self._feed.get(table.id, 0) < table.seq:
            self._read_feed()
        return self._feed.get(table.id, 0) >= table.seq

    def _read_feed(self) -> None:
        """Read the feed from where it was read to."""
        for entry_id, fields in ask(self._client, "XRANGE", self._feed_key, self._feed_from, "+"):
            table, seq = read_news(fields_of(fields).get(b"t", b""))
            self._feed[table] = seq
            self._feed_from = entry_id.decode()


def _restore(client: Client, name: str, present: _Present, restored: Restored) -> bool:
    """Put back what one table lacks; whether there is any commit of it."""
    partition = partition_of(name)
    table = rebuild(RedisLog(client), name)
    if not table.seq:
        return False  # perhaps paused for a message to a table that was never opened
    if name not in present.tables:
        restored.tables += int(ask(client, "SADD", tables_key(partition), name))
    restored.timers += _restore_timer(client, table, present)
    restored.wakes += _restore_wake(client, table, present)
    if not present.names(table):
        news = encode_news(name, table.seq)
        ask(client, "XADD", feed_key(partition), "MAXLEN", "~", FEED_MAX, "*", "t", news)
        restored.feed += 1
    return True


def _restore_timer(client: Client, table: Table, present: _Present) -> int:
    role = table.awaited
    if role is None or not table.asked:
        return 0
    member = timer_member(table.id, role)
    if member in present.timers:
        return 0
    key = timers_key(partition_of(table.id))
    return int(ask(client, "ZADD", key, "NX", table.deadline_ms, member))


def _restore_wake(client: Client, table: Table, present: _Present) -> int:
    role = table.awaited
    wake = encode_wake(table.id, table.seq)
    if role is None or wake in present.wakes[role]:
        return 0
    if table.asked and not table.absent:
        return 0  # a player is waited for, or a timer
    ask(client, "XADD", queue_key(role, partition_of(table.id)), "*", "m", wake)
    return 1


def _logs(client: Client, partitions: Sequence[str]) -> dict[str, list[str]]:
    """Tables that have a log, by partition."""
    found: dict[str, list[str]] = {partition: [] for partition in partitions}
    for table in logged_tables(client):
        if partition_of(table) in found:
            found[partition_of(table)].append(table)
    return found
