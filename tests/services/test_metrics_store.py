"""What waits in the store, as the clock sees it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from doorcard.streams.keys import dead_key, partition_names, paused_key, queue_key
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from services import metrics_store
from services.metrics_store import Queue, StoreFigures
from tests.services.harness import NoteBook
from tests.services.shops import ROLES

PARTITIONS = partition_names(2)


@pytest.fixture
def notes() -> NoteBook:
    return NoteBook()


@pytest.fixture
def figures(server_client: Any, notes: NoteBook, monkeypatch: pytest.MonkeyPatch) -> StoreFigures:
    """Looks at every call."""
    monkeypatch.setattr(metrics_store, "LOOK_EVERY_S", 0.0)
    logger: Any = notes
    return StoreFigures(server_client, PARTITIONS, RedisLog(server_client).now_ms, logger)


def test_an_empty_store_has_nothing_waiting(figures: StoreFigures) -> None:
    assert figures.seen_s == 0
    figures.look()
    assert figures.queues == {(role, name): Queue(0, 0.0) for role in ROLES for name in PARTITIONS}
    assert figures.dead_letters == figures.paused_tables == dict.fromkeys(PARTITIONS, 0)
    assert abs(figures.seen_s - time.time()) < 5


def test_the_oldest_message_is_as_old_as_its_sending(
    figures: StoreFigures, server_client: Any
) -> None:
    """Whether it was handed out makes no difference: it is unfinished."""
    queues = Queues(server_client)
    queues.ensure_groups("betting", PARTITIONS)
    key = queue_key("betting", "p01")
    now_ms = RedisLog(server_client).now_ms()
    server_client.xadd(key, {"m": b"old"}, f"{now_ms - 90_000}-0")
    server_client.xadd(key, {"m": b"new"})
    figures.look()
    messages, age_s = figures.queues["betting", "p01"]
    assert messages == 2
    assert 90 <= age_s < 100
    (old, new) = queues.read("betting", PARTITIONS, 9)
    figures.look()
    assert figures.queues["betting", "p01"].oldest_age_s >= 90
    queues.ack(old)
    figures.look()
    assert figures.queues["betting", "p01"].oldest_age_s < 10
    queues.ack(new)
    figures.look()
    assert figures.queues["betting", "p01"] == Queue(0, 0.0)


def test_dead_letters_and_pauses_are_counted(figures: StoreFigures, server_client: Any) -> None:
    server_client.xadd(dead_key("p01"), {"t": "p01.x"})
    server_client.hset(paused_key("p00"), mapping={"p00.a": "why", "p00.b": "why"})
    figures.look()
    assert figures.dead_letters == {"p00": 0, "p01": 1}
    assert figures.paused_tables == {"p00": 2, "p01": 0}


def test_a_broken_key_is_left_out_and_said_once(
    figures: StoreFigures, server_client: Any, notes: NoteBook
) -> None:
    server_client.set(dead_key("p00"), "no stream")
    server_client.set(queue_key("floor", "p01"), "no stream")
    for _ in range(3):
        figures.look()
    assert figures.dead_letters == {"p01": 0}
    assert ("floor", "p01") not in figures.queues
    assert ("floor", "p00") in figures.queues
    (line,) = notes.said("some figures cannot be read")
    assert (line["level"], line["count"]) == ("warning", 3)
    server_client.delete(dead_key("p00"), queue_key("floor", "p01"))
    figures.look()
    assert figures.dead_letters == {"p00": 0, "p01": 0}


def test_it_looks_now_and_then_alone(server_client: Any, notes: NoteBook) -> None:
    logger: Any = notes
    figures = StoreFigures(server_client, PARTITIONS, lambda: 7_000, logger)
    figures.look()
    server_client.xadd(dead_key("p00"), {"t": "p00.x"})
    figures.look()
    assert figures.dead_letters == {"p00": 0, "p01": 0}
    assert figures.seen_s == 7


def test_a_store_that_is_away_is_the_loops_trouble(
    figures: StoreFigures, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures.look()
    seen_s = figures.seen_s

    def cut(*_: object, **__: object) -> list[Any]:
        raise RedisConnectionError("cut")

    monkeypatch.setattr(metrics_store, "exchange", cut)
    with pytest.raises(RedisConnectionError):
        figures.look()
    assert figures.seen_s == seen_s
