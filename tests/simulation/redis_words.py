"""The few Redis commands that the operator's ``recover`` uses, carried out on a store in memory."""

from __future__ import annotations

import re
from typing import Any, Final

from doorcard.streams.delivery import FeedEntry
from doorcard.streams.keys import log_key
from doorcard.streams.wakes import encode_news, read_news
from tests.simulation.store import SimulatedStore

_KEY: Final = re.compile(r"dc:\{(p\d+)-[0-9a-f]+\}:(\w+):?(.*)")


class RedisWords:
    """A client (``doorcard.streams.connection.Client``) for one store in memory."""

    def __init__(self, store: SimulatedStore) -> None:
        self._store = store

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Carry out one command."""
        del options
        name = str(words[0]).lower()
        return getattr(self, f"_{name}")(*words[1:])

    def pipeline(self, transaction: bool) -> _Pipeline:
        """Collect commands."""
        del transaction
        return _Pipeline(self)

    def _scan(self, *_: Any) -> tuple[str, list[bytes]]:
        return "0", [log_key(name).encode() for name in self._store.logs]

    def _smembers(self, key: str) -> set[bytes]:
        return {name.encode() for name in self._store.logs if name.startswith(_parts(key)[0])}

    def _sismember(self, _key: str, member: str) -> int:
        return int(member in self._store.logs)

    def _type(self, key: str) -> bytes:
        return b"stream" if _parts(key)[2] in self._store.logs else b"none"

    def _xinfo(self, _stream: str, key: str) -> list[Any]:
        newest = self._store.logs[_parts(key)[2]][-1]
        return [b"last-generated-id", f"{newest.seq}-0".encode()]

    def _sadd(self, key: str, member: str) -> int:
        raise AssertionError(f"a table of {key} is missing: {member}")

    def _zrange(self, key: str, *_: Any) -> list[bytes]:
        return [member.encode() for member in self._store.timers[_parts(key)[0]]]

    def _zadd(self, key: str, _nx: str, deadline_ms: int, member: str) -> int:
        timers = self._store.timers[_parts(key)[0]]
        if member in timers:
            return 0
        timers[member] = deadline_ms
        return 1

    def _xrange(self, key: str, start: str, _end: str, *limit: Any) -> list[Any]:
        partition, kind, table = _parts(key)
        store = self._store
        if kind == "q":
            return [(name.encode(), {b"m": raw}) for name, raw in store.queues[key].entries.items()]
        if kind == "feed":
            return [
                (entry.id.encode(), {b"t": encode_news(entry.table, entry.seq)})
                for entry in store.feeds[partition]
            ]
        first = 0 if start == "-" else int(start.partition("-")[0])
        log = [stored for stored in store.logs.get(table, []) if stored.seq >= first]
        return [_entry(stored) for stored in (log[: limit[1]] if limit else log)]

    def _xrevrange(self, key: str, newest: str, _end: str, *limit: Any) -> list[Any]:
        log = self._store.logs.get(_parts(key)[2], [])
        below = int(newest[1:].partition("-")[0]) if newest != "+" else None
        log = [stored for stored in log if below is None or stored.seq < below]
        return [_entry(stored) for stored in log[::-1][: limit[1]]]

    def _xadd(self, key: str, *words: Any) -> bytes:
        partition, kind, _ = _parts(key)
        if kind == "q":
            return self._store.bring(key, words[-1]).encode()
        assert kind == "feed"
        table, seq = read_news(words[-1])
        entry = FeedEntry(partition, self._store.next_id(), table, seq)
        self._store.feeds[partition].append(entry)
        return entry.id.encode()


class _Pipeline:
    def __init__(self, client: RedisWords) -> None:
        self._client = client
        self._commands: list[tuple[Any, ...]] = []

    def execute_command(self, *words: Any, **options: Any) -> None:
        """Add a command."""
        del options
        self._commands.append(words)

    def execute(self, raise_on_error: bool = True) -> list[Any]:  # noqa: FBT002 - as redis-py has it
        """Carry out all of them."""
        del raise_on_error
        return [self._client.execute_command(*words) for words in self._commands]


def _entry(stored: Any) -> tuple[bytes, dict[bytes, bytes]]:
    return f"{stored.seq}-0".encode(), {b"c": stored.raw, b"h": stored.mark}


def _parts(key: str) -> tuple[str, str, str]:
    """(partition, kind, rest) of a key."""
    found = _KEY.fullmatch(key)
    assert found is not None, key
    return found[1], found[2], found[3]
