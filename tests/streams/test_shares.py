"""Which of several workers reads which partitions, as they find out from the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from redis.exceptions import NoPermissionError

from doorcard.streams import shares
from doorcard.streams.keys import GROUP, partition_names, queue_key
from doorcard.streams.queues import Queues
from doorcard.streams.shares import Shares

PARTITIONS = partition_names(4)
Hire = Callable[[], Shares]


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is there is asked at each look."""
    monkeypatch.setattr(shares, "CALL_EVERY_S", 0.0)


@pytest.fixture
def hire(redis_shop: Any) -> Hire:
    """One more worker that has its first look."""
    redis_shop.queues.ensure_groups("betting", PARTITIONS)

    def hired() -> Shares:
        worker = Shares(redis_shop.client, "betting", PARTITIONS)
        worker.look()
        return worker

    return hired


def _look(*workers: Shares) -> list[tuple[str, ...]]:
    """What each reads, when all have looked."""
    for worker in workers:
        worker.look()
    return [tuple(worker.partitions()) for worker in workers]


def _members(shop: Any) -> set[bytes]:
    listed = shop.client.execute_command("XINFO", "CONSUMERS", queue_key("betting", "p00"), GROUP)
    return {member[1] for member in listed}


def _say(shop: Any, partition: str) -> str:
    sent = shop.queues.send("betting", f"{partition}.a", b"message")
    assert isinstance(sent, str)
    return sent


def test_one_alone_reads_everything(hire: Hire) -> None:
    alone = hire()
    assert (alone.workers, tuple(alone.partitions())) == (1, PARTITIONS)


@pytest.mark.parametrize("number", [2, 3, 4])
def test_each_partition_is_preferred_by_one_and_all_have_as_many(hire: Hire, number: int) -> None:
    staff = [hire() for _ in range(number)]
    read = _look(*staff)
    assert {worker.workers for worker in staff} == {number}
    assert sorted(name for names in read for name in names) == list(PARTITIONS)
    assert max(map(len, read)) - min(map(len, read)) <= 1


def test_nobody_is_idle_where_there_are_more_workers_than_partitions(hire: Hire) -> None:
    read = _look(*[hire() for _ in range(6)])
    assert {name for names in read for name in names} == set(PARTITIONS)
    assert {len(names) for names in read} == {1}


def test_whoever_leaves_is_missed_at_once(hire: Hire, redis_shop: Any) -> None:
    stays, leaves = hire(), hire()
    _look(stays)
    leaves.leave()
    assert _look(stays) == [PARTITIONS]
    assert _members(redis_shop) == {stays.name.encode()}


@pytest.mark.parametrize(("silent_ms", "workers", "listed"), [
    (2_000, 2, 2),
    (2_001, 1, 2),  # it may only sleep
    (600_000, 1, 2),
    (600_001, 1, 1),
])  # fmt: skip
def test_whoever_is_silent_is_missed_soon_and_struck_off_late(
    hire: Hire,
    redis_shop: Any,
    monkeypatch: pytest.MonkeyPatch,
    silent_ms: int,
    workers: int,
    listed: int,
) -> None:
    stays, silent = hire(), hire()
    said = {stays.name: 0, silent.name: silent_ms}

    def idle_ms(_: object) -> dict[str, int]:
        return said

    monkeypatch.setattr(shares, "_idle_ms", idle_ms)
    stays.look()
    assert stays.workers == workers
    assert len(_members(redis_shop)) == listed


def test_a_call_takes_no_message_and_a_share_no_right(hire: Hire, redis_shop: Any) -> None:
    one, other = hire(), hire()
    sent = [_say(redis_shop, name) for name in PARTITIONS]
    _look(one, other)
    read = redis_shop.queues.read("betting", PARTITIONS, 10)
    assert [delivery.id for delivery in read] == sent


def test_what_another_leaves_lying_is_read_until_it_lies_there_no_more(
    hire: Hire, redis_shop: Any
) -> None:
    one, other = hire(), hire()
    own = set(_look(one, other)[0])
    (theirs, quiet) = [name for name in PARTITIONS if name not in own]
    _say(redis_shop, theirs)
    assert set(_look(one)[0]) == own, "it has only just been sent"
    assert set(_look(one)[0]) == own | {theirs}
    for delivery in redis_shop.queues.read("betting", one.partitions(), 10):
        redis_shop.queues.ack(delivery)
    _say(redis_shop, theirs)
    _say(redis_shop, quiet)
    assert set(_look(one)[0]) == own


def test_who_has_too_much_to_do_is_helped(hire: Hire, redis_shop: Any) -> None:
    """The queue moves on, but what lay there at the last look has not come to its turn."""
    one, other = hire(), hire()
    own = set(_look(one, other)[0])
    theirs = next(name for name in PARTITIONS if name not in own)
    for _ in range(3):
        _say(redis_shop, theirs)
    _look(one)
    for delivery in redis_shop.queues.read("betting", [theirs], 2):
        redis_shop.queues.ack(delivery)
    _say(redis_shop, theirs)
    assert set(_look(one)[0]) == own | {theirs}


class Refusing:
    """A client that a server refuses some commands."""

    def __init__(self, client: Any, *refused: str) -> None:
        self.client = client
        self.refused = refused

    def pipeline(self, transaction: bool) -> Any:
        self.sent = self.client.pipeline(transaction=transaction)
        self.asked: list[str] = []
        return self

    def execute_command(self, *words: Any) -> None:
        self.asked.append(words[0])
        self.sent.execute_command(*words)

    def execute(self, raise_on_error: bool) -> list[Any]:
        answers = self.sent.execute(raise_on_error=raise_on_error)
        return [
            NoPermissionError("no permissions") if name in self.refused else answer
            for name, answer in zip(self.asked, answers, strict=True)
        ]


@pytest.mark.parametrize("refused", [("XINFO",), ("XREADGROUP",), ("XINFO", "XRANGE")])
def test_who_may_not_ask_reads_everything(
    hire: Hire, redis_shop: Any, caplog: pytest.LogCaptureFixture, refused: tuple[str, ...]
) -> None:
    hire()
    client: Any = Refusing(redis_shop.client, *refused)
    worker = Shares(client, "betting", PARTITIONS)
    assert _look(worker) == [PARTITIONS]
    assert [record.message for record in caplog.records] == [
        "it is not known how many workers are there: no permissions"
    ]


def test_who_is_refused_later_keeps_its_share(hire: Hire, redis_shop: Any) -> None:
    hire()
    client: Any = Refusing(redis_shop.client)
    worker = Shares(client, "betting", PARTITIONS)
    before = _look(worker)
    assert len(before[0]) == 2
    client.refused = ("XINFO", "XRANGE", "XREVRANGE")
    assert _look(worker) == before


def test_a_group_that_is_lost_changes_nothing_until_it_is_made_again(
    hire: Hire, redis_shop: Any
) -> None:
    one, other = hire(), hire()
    before = _look(one, other)
    redis_shop.client.xgroup_destroy(queue_key("betting", "p00"), GROUP)
    assert _look(one, other) == before
    queues = Queues(redis_shop.client)
    assert queues.read("betting", PARTITIONS, 1) == []
    _look(one, other)
    assert _look(one, other) == before
