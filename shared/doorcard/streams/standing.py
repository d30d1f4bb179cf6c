"""Waiting for what comes into streams of many slots at once, without a thread for each.

No command may name streams of two slots, even where one node holds both. So each stream has a
blocked XREAD on a connection of its own, and whoever waits asks the system which of them has
something to read. Nothing is taken from a queue by that: it only says where to look.
"""

from __future__ import annotations

import selectors
from collections.abc import Mapping
from typing import Any, NamedTuple

from redis.connection import ConnectionPool
from redis.exceptions import RedisError, ResponseError

from doorcard.streams.connection import BLOCK_MS_MAX, RoutingClient, pack


class _Reading(NamedTuple):
    after: str
    pool: ConnectionPool
    connection: Any
    socket: Any


class StandingReads:
    """Blocked reads, one a stream. They stay while their owner does other things."""

    def __init__(self, client: RoutingClient) -> None:
        self._client = client
        self._selector = selectors.DefaultSelector()
        self._readings: dict[str, _Reading] = {}

    def after(self, key: str) -> str | None:
        """The id behind which a stream is watched; None if it is not."""
        reading = self._readings.get(key)
        return None if reading is None else reading.after

    def begin(self, positions: Mapping[str, str]) -> dict[str, Exception]:
        """Watch streams for what lies behind an id; why it cannot be done, for some."""
        failed: dict[str, Exception] = {}
        for key, after in positions.items():
            reading = self._readings.get(key)
            if reading is not None and reading.after == after:
                continue
            try:
                if reading is not None:
                    self._drop(key)
                self._begin(key, after)
            except (RedisError, OSError) as error:
                failed[key] = error
        return failed

    def wait(self, timeout_s: float) -> dict[str, str]:
        """Wait until a read ends, for whatever reason, or the time is over.

        The streams whose reads ended, each with the id of what came in, or nothing.
        """
        ready = self._selector.select(timeout_s)
        return {selected.data: self._end(selected.data) for selected, _ in ready}

    def close(self) -> None:
        """Give up all reads."""
        for key in list(self._readings):
            self._drop(key)
        self._selector.close()

    def _begin(self, key: str, after: str) -> None:
        pool = self._client.pool_of(key)
        connection: Any = pool.get_connection()  # pyright: ignore[reportUnknownMemberType]
        words = ("XREAD", "COUNT", 1, "BLOCK", BLOCK_MS_MAX, "STREAMS", key, after)
        try:
            connection.send_packed_command([pack([words])])
            # There is no public way to wait for more than one of redis-py's connections.
            socket = connection._sock  # noqa: SLF001
            self._selector.register(socket, selectors.EVENT_READ, key)
        except BaseException:
            connection.disconnect()
            pool.release(connection)
            raise
        self._readings[key] = _Reading(after, pool, connection, socket)

    def _end(self, key: str) -> str:
        """Read what came in; the connection is then free for others."""
        reading = self._readings.pop(key)
        self._selector.unregister(reading.socket)
        try:
            answer = reading.connection.read_response()
        except ResponseError:  # the slot moves, or nobody may read this: asking will tell
            return ""
        except (RedisError, OSError):
            reading.connection.disconnect()
            return ""
        finally:
            reading.pool.release(reading.connection)
        return answer[0][1][0][0].decode() if answer else ""

    def _drop(self, key: str) -> None:
        reading = self._readings.pop(key)
        self._selector.unregister(reading.socket)
        reading.connection.disconnect()
        reading.pool.release(reading.connection)
