"""Connections to Redis or Valkey, set up for workers that wait, repeat and survive."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, cast

import hiredis
from redis import Redis
from redis.backoff import EqualJitterBackoff
from redis.connection import ConnectionPool
from redis.exceptions import ConnectionError as Gone
from redis.exceptions import OutOfMemoryError, ResponseError
from redis.retry import Retry

from doorcard.errors import BadInput, StoreError

SOCKET_TIMEOUT_S: Final = 30.0
"""After this a silent server counts as gone. Far above the longest wait for a message."""
BLOCK_MS_MAX: Final = 10_000
"""The longest wait for a message in one call."""
CONNECT_TIMEOUT_S: Final = 5.0
UNHEARD_S: Final = 5
"""After this a machine counts as gone that does not even confirm what was sent to it: one that
lost its power, or a network that lets nothing through any more. A slow server confirms at once."""
RETRIES: Final = 8
"""Repeats of a command before its error is raised: about three seconds, spread by jitter."""
BACKOFF_BASE_S: Final = 0.02
BACKOFF_CAP_S: Final = 1.0

_KEPT_ALIVE_BY: Final = {
    "TCP_USER_TIMEOUT": UNHEARD_S * 1000,  # for what was sent, in milliseconds
    "TCP_KEEPIDLE": 2,  # where nothing was, somebody asks after so many seconds,
    "TCP_KEEPINTVL": 1,  # and every second
    "TCP_KEEPCNT": UNHEARD_S - 2,
}
KEPT_ALIVE: Final[Mapping[str, Any]] = {
    "socket_keepalive": True,
    "socket_keepalive_options": {  # as far as the system knows them
        getattr(socket, name): value
        for name, value in _KEPT_ALIVE_BY.items()
        if hasattr(socket, name)
    },
}
"""Settings of a connection that ends where the other machine is not there any more."""

USED_UP: Final = "exhausted the last possible ID"
"""What a server says of a stream that can take no entry any more."""

Word = str | bytes | int
_pack: Final = cast("Callable[[tuple[Word, ...]], bytes]", hiredis.pack_command)  # pyright: ignore[reportUnknownMemberType]


class Pipeline(Protocol):
    """What is used of a pipeline."""

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Add a command; options say how redis-py reads its answer."""
        ...

    def execute(self, raise_on_error: bool = ...) -> list[Any]:  # noqa: FBT001  # as redis-py has it
        """Send all of it; the answers, errors among them where they are not raised."""
        ...


class Client(Protocol):
    """What is used of a client: ``redis.Redis``, ``fakeredis.FakeRedis``, or one that routes."""

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Send one command."""
        ...

    def pipeline(self, transaction: bool) -> Pipeline:  # noqa: FBT001  # as redis-py has it
        """Start a pipeline."""
        ...


class ServerClient(Redis):
    """A client of one server that keeps its connections at hand for ``exchange``.

    To take one out of redis-py's pool and to put it back costs more than to send a short command.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)  # pyright: ignore[reportUnknownMemberType]
        self.repeats = cast("Retry", self.get_retry())  # redis-py's clients have one by default
        self._at_hand: list[Any] = []

    def take_connection(self) -> Any:
        """A connection that nobody else uses; maybe one that the server has closed meanwhile."""
        try:
            return self._at_hand.pop()
        except IndexError:
            return self.connection_pool.get_connection()  # pyright: ignore[reportUnknownMemberType]

    def give_back(self, connection: Any) -> None:
        """Keep a connection for the next one who takes one."""
        self._at_hand.append(connection)


class RoutingClient:
    """A client of many servers, each of which holds some of the keys."""

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Send one command to where its key is."""
        raise NotImplementedError

    def pipeline(self, transaction: bool) -> Pipeline:  # noqa: FBT001  # as redis-py has it
        """Start a pipeline, which is no transaction."""
        raise NotImplementedError

    def exchange(self, commands: Sequence[Sequence[Word]], *, patient: bool = True) -> list[Any]:
        """As ``exchange``; errors of connections are answers too."""
        raise NotImplementedError

    def primaries(self) -> list[Client]:
        """A client of each server that takes writes."""
        raise NotImplementedError

    def pool_of(self, key: str) -> ConnectionPool:
        """Connections to the server that holds a key now."""
        raise NotImplementedError


def connect(url: str) -> Client:
    """A client for a server by its URL: ``redis://``, ``rediss://`` or ``unix://``.

    A cluster is named by some of its nodes, ``redis+cluster://user:password@host:port,host:port``
    (``rediss+cluster://`` with TLS); the others are found.

    Nothing is sent yet. A command whose connection fails is repeated after a growing, random
    pause, then the error is raised. Whatever is sent through it must bear to be sent twice.

    Raises:
        BadInput: the URL names no server.
    """
    if "+cluster:" in url[: len("rediss+cluster:")]:
        from doorcard.streams.cluster import connect_cluster  # noqa: PLC0415 - it is built on this

        return connect_cluster(url)
    settings: dict[str, Any] = {
        "protocol": 2,  # the shape of answers depends on it
        "socket_timeout": SOCKET_TIMEOUT_S,
        "retry": Retry(EqualJitterBackoff(BACKOFF_CAP_S, BACKOFF_BASE_S), RETRIES),
    }
    if not url.startswith("unix:"):
        settings |= {"socket_connect_timeout": CONNECT_TIMEOUT_S, **KEPT_ALIVE}
    try:
        return cast("Client", ServerClient.from_url(url, **settings))  # pyright: ignore[reportUnknownMemberType]
    except (ValueError, AttributeError):
        # The error may show the password, and so may what led to it.
        raise BadInput(
            "this is no Redis URL; they look like redis://user:password@host:6379, unix:///path "
            "or redis+cluster://user:password@host:6379,host:6379"
        ) from None


def exchange(
    client: Client, commands: Sequence[Sequence[Word]], *, patient: bool = True
) -> list[Any]:
    """Send commands together; the raw answer to each, which may be a ``ResponseError``.

    What ``client.pipeline`` does, at a third of its cost: for commands that are sent often. An
    error of the connection is raised after the client's own repeats, as everywhere. On a cluster
    it is the answer to those commands alone that were meant for the node.

    Args:
        patient: repeat what a node of a cluster that is away did not answer; a single server's
            client always does.
    """
    if isinstance(client, RoutingClient):
        return client.exchange(commands, patient=patient)
    if not isinstance(client, ServerClient):
        pipeline = client.pipeline(transaction=False)
        for words in commands:
            pipeline.execute_command(*words)
        return pipeline.execute(raise_on_error=False)
    if not commands:
        return []
    packed = pack(commands)
    connection = client.take_connection()

    def send() -> list[Any]:
        try:
            # Else it would connect with repeats of its own: eight times eight of them.
            connection.connect_check_health(retry_socket_connect=False)
            require_silence(connection)
            connection.send_packed_command([packed])
            answers = [answer_on(connection) for _ in commands]
            require_silence(connection, may_be_closed=True)
        except BaseException:
            connection.disconnect()  # or the rest would be taken for the next command's answers
            raise
        return answers

    try:
        return client.repeats.call_with_retry(send, lambda _: None)
    finally:
        client.give_back(connection)


def primaries(client: Client) -> Sequence[Client]:
    """A client of each server that takes writes: of a single one, the client itself."""
    return client.primaries() if isinstance(client, RoutingClient) else [client]


def pack(commands: Sequence[Sequence[Word]]) -> bytes:
    """Commands as they are sent."""
    return b"".join([_pack(tuple(words)) for words in commands])


def answer_on(connection: Any) -> Any:
    """The next raw answer that comes in on a connection; a server's refusal is one too."""
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


def exchange_one(client: Client, words: Sequence[Word]) -> Any:
    """Send one command that is sent often; its raw answer.

    Raises:
        ResponseError: the server refused it.
    """
    (answer,) = exchange(client, [words])
    if isinstance(answer, Exception):
        raise answer
    return answer


def require_silence(connection: Any, *, may_be_closed: bool = False) -> None:
    """Raise ``ConnectionError`` if more has come in than was asked for.

    Which answer belongs to which command is not known then, nor of those that were just read.

    Args:
        may_be_closed: all that was asked for is there, so it does not matter if the server has
            closed the connection since.
    """
    try:
        more = connection.can_read(timeout=0)
    except Gone:
        if may_be_closed:
            return
        raise
    if more:
        raise Gone("the server answers what it was not asked")


def fields_of(entry: Any) -> dict[bytes, bytes]:
    """The fields of a stream's entry, as the server answers them or as a client read them."""
    return entry if isinstance(entry, dict) else dict(zip(entry[::2], entry[1::2], strict=True))  # pyright: ignore[reportUnknownVariableType]


def require_pinned_protocol(client: Client) -> None:
    """Raise ``StoreError`` unless a client speaks RESP2, whose answers this program reads."""
    pool = getattr(client, "connection_pool", None)
    protocol = getattr(pool, "connection_kwargs", {}).get("protocol", 2)
    if protocol not in {2, "2"}:
        raise StoreError(f"the client must be made with protocol=2, not {protocol!r}")


def takes_no_writes(error: Exception) -> bool:
    """Whether an error says that the store refuses writes for now.

    Memory or disk is full, or somebody used up the ids of the stream that is written to.
    """
    if not isinstance(error, ResponseError):
        return False
    why = str(error)
    return (
        isinstance(error, OutOfMemoryError)
        or why.startswith(("OOM", "MISCONF", "NOREPLICAS"))
        or USED_UP in why
    )


def ask(client: Client, *words: Word) -> Any:
    """Send one command about the key that stands second.

    Raises:
        StoreError: the key holds another kind of value.
        RedisError: as the client raises it.
    """
    try:
        return client.execute_command(*words)
    except ResponseError as error:
        if str(error).startswith("WRONGTYPE"):
            raise StoreError(f"the key {words[1]!r} holds another kind of value") from error
        raise
