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


class Arrived(NamedTuple):
    """What came of a read that stood."""

    after: str
    entries: list[Any]
    """Raw, none if the read ended for another reason."""


class _Place:
    """A connection that reads of one stream stand on, one after another."""

    def __init__(self, pool: ConnectionPool, connection: Any) -> None:
        self.pool = pool
        self.connection = connection
        # There is no public way to wait for more than one of redis-py's connections.
        self.socket = connection._sock  # noqa: SLF001
        self.after: str | None = None
        """Where the read that stands began; None if none does."""


class StandingReads:
    """Blocked reads, one a stream. They stay while their owner does other things."""

    def __init__(self, client: RoutingClient) -> None:
        self._client = client
        self._selector = selectors.DefaultSelector()
        self._places: dict[str, _Place] = {}

    def after(self, key: str) -> str | None:
        """The id behind which a stream is watched; None if it is not."""
        place = self._places.get(key)
        return None if place is None else place.after

    def begin(self, positions: Mapping[str, str], count: int) -> dict[str, Exception]:
        """Watch streams for what lies behind an id; why it cannot be done, for some.

        Args:
            count: how many entries a read may bring.
        """
        failed: dict[str, Exception] = {}
        for key, after in positions.items():
            if self.after(key) == after:
                continue
            try:
                self._begin(key, after, count)
            except (RedisError, OSError) as error:
                failed[key] = error
        return failed

    def wait(self, timeout_s: float) -> dict[str, Arrived]:
        """Wait until a read ends, for whatever reason, or the time is over; what came of them."""
        arrived: dict[str, Arrived] = {}
        for selected, _ in self._selector.select(timeout_s):
            key = selected.data
            after = self.after(key)
            if after is None:  # nobody asked: the node has closed the connection
                self._drop(key)
            else:
                arrived[key] = Arrived(after, self._end(key))
        return arrived

    def close(self) -> None:
        """Give up all reads."""
        for key in list(self._places):
            self._drop(key)
        self._selector.close()

    def _begin(self, key: str, after: str, count: int) -> None:
        place = self._place(key)
        words = ("XREAD", "COUNT", count, "BLOCK", BLOCK_MS_MAX, "STREAMS", key, after)
        try:
            place.connection.send_packed_command([pack([words])])
        except BaseException:
            self._drop(key)
            raise
        place.after = after

    def _place(self, key: str) -> _Place:
        """A connection to the node that holds a stream, on which no read stands."""
        pool = self._client.pool_of(key)
        place = self._places.get(key)
        if place is not None:
            is_whole = place.connection._sock is place.socket  # noqa: SLF001 - as in _Place
            if place.pool is pool and place.after is None and is_whole:
                return place
            self._drop(key)
        connection: Any = pool.get_connection()  # pyright: ignore[reportUnknownMemberType]
        place = self._places[key] = _Place(pool, connection)
        self._selector.register(place.socket, selectors.EVENT_READ, key)
        return place

    def _end(self, key: str) -> list[Any]:
        """Read what came in; the connection stays for the next read."""
        place = self._places[key]
        place.after = None
        try:
            answer = place.connection.read_response()
        except ResponseError:  # the slot moves, or nobody may read this: asking will tell
            return []
        except (RedisError, OSError):
            self._drop(key)
            return []
        return answer[0][1] if answer else []

    def _drop(self, key: str) -> None:
        place = self._places.pop(key)
        self._selector.unregister(place.socket)
        place.connection.disconnect()
        place.pool.release(place.connection)
