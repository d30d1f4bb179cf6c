"""How the functions in the server are called: loaded where missing, repeated, never half done."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Gone
from redis.exceptions import ResponseError
from redis.retry import Retry

from doorcard.errors import StoreError
from doorcard.streams.functions import (
    BURY,
    CLAIM,
    FIRE,
    HOLD,
    LIBRARY,
    REPLY,
    call,
    call_each,
    library_code,
    load_library,
)
from doorcard.streams.functions import Call as FunctionCall
from doorcard.streams.keys import dead_key, log_key, paused_key, queue_key, reply_key
from doorcard.streams.log import Source, Timer
from doorcard.streams.redis_log import RedisLog


class Recorder:
    """A client that remembers what was sent, and can lose replies."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.sent: list[list[tuple[Any, ...]]] = []
        self.lose_replies = 0

    def execute_command(self, *words: Any, **options: Any) -> Any:
        self.sent.append([words])
        return self.client.execute_command(*words, **options)

    def pipeline(self, transaction: bool) -> Any:
        assert not transaction
        return _RecordedPipeline(self)


class _RecordedPipeline:
    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.commands: list[tuple[Any, ...]] = []

    def execute_command(self, *words: Any) -> None:
        self.commands.append(words)

    def execute(self, raise_on_error: bool) -> list[Any]:
        pipeline = self.recorder.client.pipeline(transaction=False)
        for words in self.commands:
            pipeline.execute_command(*words)
        self.recorder.sent.append(self.commands)
        answers: list[Any] = pipeline.execute(raise_on_error=raise_on_error)
        if self.recorder.lose_replies:
            self.recorder.lose_replies -= 1
            raise Gone("the reply was lost")
        return answers


# --- functions --------------------------------------------------------------------------------


def test_an_unknown_function_is_loaded_and_only_what_failed_is_sent_again(
    redis_shop: Any, writer: Any
) -> None:
    recorder = Recorder(redis_shop.client)
    log = RedisLog(recorder)
    one, two = writer(log, "p00.a").draw(), writer(log, "p00.b").draw()
    assert log.append([one]) == [("ok", "")]
    ping = FunctionCall(REPLY, [reply_key("p00", "ann")], [9, 9, b"pong"])
    redis_shop.client.function_delete(LIBRARY)
    recorder.sent.clear()
    answers = call_each(recorder, [ping, ping], then=[("XLEN", log_key("p00.a"))])
    assert [answers[0][0], answers[1][0], answers[2]] == [b"ok", b"ok", 1]
    first, loading, again = recorder.sent
    assert len(first) == 3
    assert loading[0][:2] == ("FUNCTION", "LOAD")
    assert again == [ping.words, ping.words]
    recorder.sent.clear()
    assert log.append([two]) == [("ok", "")]
    assert [len(commands) for commands in recorder.sent] == [1]


def test_loading_twice_does_no_harm_and_another_library_is_an_error(redis_shop: Any) -> None:
    load_library(redis_shop.client)
    redis_shop.log.prepare()
    redis_shop.client.function_delete(LIBRARY)
    other = library_code().replace("{'ok', ''}", "{'ok', 'changed'}")
    redis_shop.client.function_load(other)
    with pytest.raises(StoreError, match="not this program's"):
        redis_shop.log.prepare()


def test_a_library_without_the_function_is_an_error_not_a_loop(
    redis_shop: Any, writer: Any
) -> None:
    redis_shop.client.function_load(
        f"#!lua name={LIBRARY}\nredis.register_function('else', function() return 1 end)"
    )
    with pytest.raises(StoreError, match="not this program's"):
        redis_shop.log.append([writer(redis_shop.log).draw()])


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (1, ""),
        (1, "1 5 5"),
        (1, "1 5 5 9 9"),
        (1, "x 5 5 9"),
        (1, "0 5 5 9"),
        (1, "01 5 5 9"),
        (1, "1 -5 5 9"),
        (1, "1 1e3 5 9"),
        (1, "1 5 5 1234567890123456"),
        (7, "soon"),
        (7, "1234567890123456"),
        (10, "now"),
        (10, "1-99999999999999999999"),
    ],
)
def test_the_function_itself_refuses_bad_arguments(
    redis_shop: Any, writer: Any, place: int, value: str
) -> None:
    """Whoever calls it: nothing is written before everything has been looked at."""
    log = redis_shop.log
    log.prepare()
    source = Source(queue_key("betting", "p00"), "1-1")
    append = writer(log).draw(wake="dealer", timer=Timer(log.now_ms()), source=source)
    words = list(log._call(append).words)
    words[3 + 7 + place] = value
    assert redis_shop.client.execute_command(*words)[0] == b"bad"
    assert redis_shop.client.execute_command(*words[:-1])[0] == b"bad"
    assert redis_shop.client.keys("*") == []
    sound = list(log._call(append).words)
    for wrong in (sound[:-1], [*sound, "more"], [*sound[:2], 6, *sound[3:9], *sound[10:]]):
        assert redis_shop.client.execute_command(*wrong)[0] == b"bad"
    assert redis_shop.client.keys("*") == []


@pytest.mark.parametrize(("count", "entry_id"), [("many", "1-1"), ("1", "now"), ("", "1-1")])
def test_a_burial_that_could_fail_half_way_does_not_begin(
    redis_shop: Any, count: str, entry_id: str
) -> None:
    load_library(redis_shop.client)
    keys = [dead_key("p00"), paused_key("p00"), queue_key("betting", "p00")]
    answer = call(redis_shop.client, BURY, keys, ["p00.a", "why", count, entry_id, b"m"])
    assert answer[0] == b"bad"
    assert redis_shop.client.keys("*") == []
    redis_shop.client.set(keys[1], "a text")
    answer = call(redis_shop.client, BURY, keys, ["p00.a", "why", 1, "1-1", b"m"])
    assert answer[0] == b"wrong_type"
    assert redis_shop.client.keys("*") == [keys[1].encode()]


@pytest.mark.parametrize(
    ("function", "keys", "arguments"),
    [
        (CLAIM, 2, ["workers", "soon", 5]),
        (CLAIM, 2, ["workers", 5, "many"]),
        (HOLD, 2, ["now", 1]),
        (HOLD, 2, ["1-1"]),
        (HOLD, 2, ["1-1", "often"]),
        (REPLY, 1, ["many", 5, "x"]),
        (REPLY, 1, [5, "long", "x"]),
        (FIRE, 4, ["all", 5]),
        (FIRE, 4, [5, ""]),
    ],
)
def test_every_function_looks_at_its_numbers_first(
    redis_shop: Any, function: str, keys: int, arguments: list[Any]
) -> None:
    load_library(redis_shop.client)
    names = [f"{{p}}:{number}" for number in range(keys)]
    assert call(redis_shop.client, function, names, arguments)[0] == b"bad"
    assert redis_shop.client.keys("*") == []


class Answering(Recorder):
    """A client whose server answers every call with one error."""

    def __init__(self, client: Any, text: str) -> None:
        super().__init__(client)
        self.text = text

    def pipeline(self, transaction: bool) -> Any:
        assert not transaction
        return _Answering(self)


class _Answering(_RecordedPipeline):
    def execute(self, raise_on_error: bool) -> list[Any]:
        assert isinstance(self.recorder, Answering)
        assert not raise_on_error
        return [ResponseError(self.recorder.text) for _ in self.commands]


def test_an_answer_that_fits_no_code_is_raised(redis_shop: Any, writer: Any) -> None:
    log = RedisLog(Answering(redis_shop.client, "READONLY replica"))
    with pytest.raises(ResponseError, match="READONLY"):
        log.append([writer(redis_shop.log).draw()])


@pytest.mark.parametrize("text", ["OOM command not allowed", "MISCONF disk", "NOREPLICAS few"])
def test_a_store_that_takes_no_writes_for_now_is_full(
    redis_shop: Any, writer: Any, text: str
) -> None:
    log = RedisLog(Answering(redis_shop.client, text))
    assert log.append([writer(redis_shop.log).draw()]) == [("full", text)]


# --- lost replies and lost suffixes ------------------------------------------------------------


def test_a_lost_reply_gives_one_commit(redis_shop: Any, writer: Any) -> None:
    recorder = Recorder(redis_shop.client)
    log = RedisLog(recorder)
    append = writer(redis_shop.log).draw(wake="dealer")
    recorder.lose_replies = 1
    with pytest.raises(Gone):
        log.append([append])
    assert log.append([append]) == [("ok", "")]
    assert len(log.read("p00.a")) == 1
    assert len(redis_shop.waiting("dealer")) == 1


@pytest.fixture
def cutter(server_url: str, server_client: Any) -> Iterator[Any]:
    """A TCP proxy before the server that cuts the connection before one reply to an FCALL."""
    proxy = _Cutter(server_url.removeprefix("unix://"))
    yield proxy
    proxy.close()


class _Cutter:
    def __init__(self, server_path: str) -> None:
        self.server_path = server_path
        self.calls = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.threads: list[threading.Thread] = []
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for thread in self.threads:
            thread.join()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._carry, args=(client,))
            self.threads.append(thread)
            thread.start()

    def _carry(self, client: socket.socket) -> None:
        """Carry bytes both ways until either side ends, or the one reply is due."""
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self.server_path)
            while True:
                for end in select.select([client, server], [], [])[0]:
                    data = end.recv(1 << 20)
                    if not data:
                        return
                    if end is server:
                        client.sendall(data)
                        continue
                    server.sendall(data)
                    if b"FCALL" in data:
                        self.calls += 1
                        if self.calls == 1:
                            server.recv(1 << 20)
                            return


def test_the_clients_own_repeat_gives_one_commit(
    cutter: Any, server_client: Any, writer: Any
) -> None:
    """S-36: the library sends again by itself what it got no answer to."""
    load_library(server_client)
    client: Any = Redis(port=cutter.port, protocol=2, retry=Retry(NoBackoff(), 3))
    log = RedisLog(client)
    assert log.append([writer(RedisLog(server_client)).draw(wake="dealer")]) == [("ok", "")]
    assert cutter.calls == 2
    assert len(log.read("p00.a")) == 1
    assert server_client.xlen(queue_key("dealer", "p00")) == 1
    client.close()


def test_nothing_to_append_asks_nothing(redis_shop: Any) -> None:
    recorder = Recorder(redis_shop.client)
    assert RedisLog(recorder).append([]) == []
    assert recorder.sent == []
