"""One node of a cluster: commands go out at once, and their answers are waited for later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, cast

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    ReadOnlyError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as Gone
from redis.exceptions import TimeoutError as Late
from redis.retry import Retry

from doorcard.streams.connection import KEPT_ALIVE, Client, Word, answer_on, pack, require_silence
from doorcard.streams.routing import Address

NODE_TIMEOUT_S: Final = 3.0
"""After this a silent node counts as gone, and the others are asked who took over."""
NODE_CONNECT_TIMEOUT_S: Final = 1.0
AWAY: Final = (
    Gone, Late, OSError, ClusterDownError, TryAgainError, MovedError, AskError, ReadOnlyError,
)  # fmt: skip
"""Errors that say nothing about the command: its node is away, or its slot is on the move."""


def is_away(answer: object) -> bool:
    """Whether an answer is an error that a cluster gets over by itself."""
    return isinstance(answer, AWAY)


class Sent(Protocol):
    """Commands on their way."""

    def answers(self) -> list[Any]:
        """Wait for the answers. Raises ``RedisError`` or ``OSError`` if they do not come."""
        ...

    def abandon(self) -> None:
        """Give up waiting."""
        ...


class Node(Protocol):
    """What is used of one node."""

    def send(self, commands: Sequence[Sequence[Word]]) -> Sent:
        """Send commands. Raises ``RedisError`` or ``OSError`` if that cannot be."""
        ...

    @property
    def client(self) -> Client:
        """A plain client of this node, which repeats nothing."""
        ...

    def close(self, *, used: bool = False) -> None:
        """Close the connections that nobody uses now, or all."""
        ...


class ServerNode:
    """One node, over redis-py's connections."""

    def __init__(self, address: Address, settings: Mapping[str, Any]) -> None:
        """Connect to a node as soon as something is sent.

        Args:
            settings: what the URL says beside hosts and ports, for every node.
        """
        host, port = address
        every: dict[str, Any] = {
            "socket_timeout": NODE_TIMEOUT_S,
            "socket_connect_timeout": NODE_CONNECT_TIMEOUT_S,
            **KEPT_ALIVE,
            **settings,
            "protocol": 2,  # the shape of answers depends on it
            "retry": Retry(NoBackoff(), 0),  # where to repeat, the cluster's client knows
        }
        pool = ConnectionPool(host=host, port=port, **every)
        self._client = Redis.from_pool(pool)  # which closes it in the end
        self._pool = pool

    @property
    def client(self) -> Client:
        """A plain client of this node, which repeats nothing."""
        return cast("Client", self._client)

    def send(self, commands: Sequence[Sequence[Word]]) -> Sent:
        """Send commands. Raises ``RedisError`` or ``OSError`` if that cannot be."""
        connection: Any = self._pool.get_connection()  # pyright: ignore[reportUnknownMemberType]
        try:
            connection.send_packed_command([pack(commands)])
        except BaseException:
            connection.disconnect()
            self._pool.release(connection)
            raise
        return _ServerSent(self._pool, connection, len(commands))

    def close(self, *, used: bool = False) -> None:
        """Close the connections that nobody uses now, or all."""
        self._pool.disconnect(inuse_connections=used)


class _ServerSent:
    def __init__(self, pool: ConnectionPool, connection: Any, count: int) -> None:
        self._pool = pool
        self._connection = connection
        self._count = count

    def answers(self) -> list[Any]:
        try:
            answers = [answer_on(self._connection) for _ in range(self._count)]
            require_silence(self._connection, may_be_closed=True)
        except BaseException:
            self._connection.disconnect()
            raise
        finally:
            self._pool.release(self._connection)
        return answers

    def abandon(self) -> None:
        self._connection.disconnect()
        self._pool.release(self._connection)
