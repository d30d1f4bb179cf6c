"""Answers that no server gives: none is believed, and none ends a program or blames a message."""

from __future__ import annotations

import socket
from collections.abc import Callable
from threading import Thread
from typing import Any, Final, cast

import pytest
from redis.exceptions import ConnectionError as Gone
from redis.exceptions import RedisError, ResponseError

from doorcard.errors import DoorcardError
from doorcard.streams import connection
from doorcard.streams.cluster_node import ServerNode
from doorcard.streams.connection import Client, connect, exchange
from doorcard.streams.delivery import BEGINNING, Delivery, Outgoing, Settled
from doorcard.streams.functions import Call, call_each, load_library
from doorcard.streams.keys import queue_key
from doorcard.streams.memory_log import MemoryLog
from doorcard.streams.memory_store import MemoryStore
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from doorcard.streams.shares import Shares

P00: Final = ["p00"]
DELIVERY: Final = Delivery(queue_key("betting", "p00"), "1-0", b"m", 1)
ANSWERS: Final[tuple[Any, ...]] = (
    None,
    [],
    7,
    b"OK",
    b"foo",
    [[], None],
    [b"ok", ResponseError("inner")],
    [b"\xff\xfe", b"\xff"],
    [[b"key", [[b"1-0", None], None]]],
    [[[[[7]]]]],
)


class Liar:
    """A client that gives one answer to everything."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.commands = 0

    def execute_command(self, *_words: Any, **_options: Any) -> Any:
        self.commands += 1
        return self.answer

    def pipeline(self, transaction: bool) -> Liar:
        assert not transaction
        self.commands = 0
        return self

    def execute(self, raise_on_error: bool) -> list[Any]:
        assert not raise_on_error
        return [self.answer] * self.commands


def asks(client: Client, writer: Any) -> dict[str, Callable[[], object]]:
    """Everything that a store is asked."""
    log, queues = RedisLog(client, partitions=P00), Queues(client)
    append = writer(MemoryLog(MemoryStore())).draw()
    return {
        "append": lambda: log.append([append]),
        "head": lambda: log.head("p00.a"),
        "read": lambda: log.read("p00.a"),
        "read_many": lambda: log.read_many([("p00.a", 0)]),
        "read_back": lambda: log.read_back("p00.a", None, 1),
        "tables": log.tables,
        "paused": log.paused,
        "now_ms": log.now_ms,
        "send": lambda: queues.send("betting", "p00.a", b"m"),
        "queue": lambda: queues.read("betting", P00, 1),
        "claim": lambda: queues.claim("betting", P00, 1, 1),
        "hold": lambda: queues.hold([DELIVERY]),
        "finish": lambda: queues.finish([Outgoing("p00", "ann", b"m")], [DELIVERY]),
        "bury": lambda: queues.bury(DELIVERY, "p00.a", "why"),
        "dead": lambda: queues.dead("p00"),
        "length": lambda: queues.length("betting", "p00"),
        "fire": lambda: queues.fire("p00", 1),
        "settle": lambda: queues.settle(DELIVERY, Settled("p00.a", 0, b"")),
        "replies": lambda: queues.replies("ann", {"p00": BEGINNING}),
        "feed": lambda: queues.feed({"p00": BEGINNING}),
        "feed_end": lambda: queues.feed_end("p00"),
        "shares": lambda: Shares(client, "betting", ["p00", "p01"]).look(),
    }


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_an_answer_of_another_shape_is_trouble_with_the_store(writer: Any, answer: Any) -> None:
    raised: set[str] = set()
    for name, ask in asks(cast("Client", Liar(answer)), writer).items():
        try:
            ask()
        except (RedisError, DoorcardError):  # anything else ends the test, as it ends a worker
            raised.add(name)
    assert {"append", "bury"} <= raised


def test_an_answer_that_nobody_asked_for_is_not_taken_for_one(server_url: str) -> None:
    client: Any = connect(server_url)
    (made,) = exchange(client, [("PING",)])
    kept = client.take_connection()
    kept._parser._reader.feed(b":7\r\n")
    client.give_back(kept)
    assert exchange(client, [("ECHO", "a"), ("ECHO", "b")]) == [b"a", b"b"]
    assert made in {b"PONG", "PONG", True}
    client.close()


def test_a_doubled_answer_shifts_none_of_those_behind_it(
    server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client: Any = connect(server_url)
    first: list[Any] = []
    plain = connection.answer_on

    def doubled(kept: Any) -> Any:
        if first:
            return plain(kept)
        first.append(kept.read_response())
        kept._parser._reader.feed(b"$1\r\nx\r\n")  # behind what came with the first one
        return first[0]

    monkeypatch.setattr(connection, "answer_on", doubled)
    assert exchange(client, [("ECHO", "a"), ("ECHO", "b"), ("ECHO", "c")]) == [b"a", b"b", b"c"]
    assert first == [b"a"]
    client.close()


def test_a_doubled_answer_of_a_clusters_node_is_not_believed() -> None:
    def answer(door: socket.socket) -> None:
        with door.accept()[0] as line:
            while asked := line.recv(4096):
                line.sendall(b"+OK\r\n" * (asked.count(b"*") + asked.count(b"DOUBLE")))

    with socket.create_server(("127.0.0.1", 0)) as door:
        Thread(target=answer, args=(door,), daemon=True).start()
        node = ServerNode(door.getsockname(), {})
        assert node.send([("ONCE",), ("ONCE",)]).answers() == [b"OK", b"OK"]
        with pytest.raises(Gone, match="what it was not asked"):
            node.send([("DOUBLE",), ("ONCE",)]).answers()
        node.close()


def test_a_missing_function_is_looked_for_among_the_calls_alone(server_client: Any) -> None:
    load_library(server_client)
    unknown = ("FCALL", "no_such_function", 0)
    call = Call("doorcard_reply_v6", ("r",), (1, 1))
    (answer, other) = call_each(server_client, [call], then=[unknown])
    assert answer[0] == b"ok"
    assert isinstance(other, ResponseError)
