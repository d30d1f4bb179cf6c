"""What only queues on a server meet: what else lies there, refusals, ends of patience."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from redis.exceptions import ResponseError

from doorcard.errors import BadInput, Refused, StoreError
from doorcard.streams.connection import BLOCK_MS_MAX
from doorcard.streams.delivery import BEGINNING, Delivery, Outgoing
from doorcard.streams.keys import given_key, queue_key, reply_key
from doorcard.streams.queues import Queues

KEY = queue_key("betting", "p00")
PARTITIONS = ["p00", "p01"]


def test_a_destroyed_group_is_made_again(redis_shop: Any, caplog: pytest.LogCaptureFixture) -> None:
    """S-39: 10 entries, 6 handled: the other 4 come again, and the handled ones do not."""
    for number in range(10):
        redis_shop.queues.send("betting", "p00.a", b"%d" % number)
    for delivery in redis_shop.queues.read("betting", PARTITIONS, 6):
        redis_shop.queues.ack(delivery)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            redis_shop.client.xgroup_destroy(KEY, "workers")
            assert [each.raw for each in redis_shop.queues.read("betting", PARTITIONS, 100)] == [
                b"6",
                b"7",
                b"8",
                b"9",
            ]
        redis_shop.client.xgroup_destroy(KEY, "workers")
        assert redis_shop.queues.claim("betting", PARTITIONS, 0, 10) == []
    assert len(caplog.records) == 1
    redis_shop.client.delete(KEY)
    assert redis_shop.queues.read("betting", PARTITIONS, 100) == []
    redis_shop.queues.send("betting", "p00.a", b"after")
    assert [each.raw for each in redis_shop.queues.read("betting", PARTITIONS, 100)] == [b"after"]


def test_an_entry_of_another_form_is_an_empty_message(redis_shop: Any) -> None:
    """Whoever may append to a queue must not be able to stop its readers with that."""
    redis_shop.client.xadd(KEY, {"else": b"x"})
    (delivery,) = redis_shop.queues.read("betting", PARTITIONS, 100)
    assert delivery.raw == b""
    redis_shop.look()
    assert [each.raw for each in redis_shop.queues.claim("betting", PARTITIONS, 0, 10)] == [b""]
    redis_shop.queues.bury(delivery, None, "no message")
    assert redis_shop.queues.length("betting", "p00") == 0


def test_a_note_of_another_form_is_forgotten(redis_shop: Any) -> None:
    redis_shop.queues.send("betting", "p00.a", b"0")
    redis_shop.queues.read("betting", PARTITIONS, 100)
    junk = {"no id": "x", "line": "no time"}
    redis_shop.client.hset(given_key(KEY), mapping=junk)
    redis_shop.look()
    assert [
        (each.raw, each.count) for each in redis_shop.queues.claim("betting", PARTITIONS, 0, 10)
    ] == [(b"0", 2)]
    assert b"no id" not in redis_shop.client.hgetall(given_key(KEY))


def test_a_full_store_takes_no_messages(server_client: Any) -> None:
    queues = Queues(server_client)
    server_client.config_set("maxmemory", 1)
    try:
        answer = queues.send("betting", "p00.a", b"x")
        assert isinstance(answer, Refused)
        assert answer.code == "queue/full"
    finally:
        server_client.config_set("maxmemory", 0)
    assert isinstance(queues.send("betting", "p00.a", b"x"), str)


def test_what_is_no_queue_stops_its_own_partition_alone(
    server_client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    queues = Queues(server_client)
    server_client.set(KEY, "a text")
    queues.ensure_groups("betting", PARTITIONS)
    queues.send("betting", "p01.a", b"x")
    assert [each.raw for each in queues.read("betting", PARTITIONS, 9, 100)] == [b"x"]
    assert queues.read("betting", PARTITIONS, 9, 10) == []
    assert [record.getMessage() for record in caplog.records] == [
        f"{KEY} is no queue: it is left out, the others go on"
    ]
    server_client.delete(KEY)
    queues.send("betting", "p00.a", b"y")
    assert [each.raw for each in queues.read("betting", PARTITIONS, 9)] == [b"y"]


def test_other_errors_are_raised(server_client: Any) -> None:
    queues = Queues(server_client)
    server_client.set(KEY, "a text")
    with pytest.raises(StoreError, match=f"{KEY} is no queue"):
        queues.read("betting", ["p00"], 1)
    with pytest.raises(StoreError, match=f"{KEY} is no queue"):
        queues.ensure_groups("betting", ["p00"])
    with pytest.raises(ResponseError, match="WRONGTYPE"):
        queues.ack(Delivery(KEY, "1-1", b"", 1))
    with pytest.raises(ResponseError, match="WRONGTYPE"):
        queues.finish([], [Delivery(KEY, "1-1", b"", 1)])
    with pytest.raises(StoreError, match="is a string"):
        queues.fire("p00", 1)
    server_client.config_set("maxmemory", 1)
    try:
        with pytest.raises(ResponseError, match="used memory"):
            queues.fire("p01", 1)
    finally:
        server_client.config_set("maxmemory", 0)


def test_a_wait_longer_than_the_sockets_patience_is_refused(redis_shop: Any) -> None:
    with pytest.raises(BadInput, match="10000 ms"):
        redis_shop.queues.read("betting", ["p00"], 1, block_ms=BLOCK_MS_MAX + 1)
    with pytest.raises(BadInput, match="10000 ms"):
        redis_shop.queues.replies("anna", {"p00": BEGINNING}, block_ms=-1)


def test_replies_are_capped_and_end_some_day(redis_shop: Any) -> None:
    for number in range(1_300):
        redis_shop.queues.finish([Outgoing("p00", "anna", b"%d" % number)], [])
    assert 1_000 <= redis_shop.client.xlen(reply_key("p00", "anna")) < 1_300
    assert 0 < redis_shop.client.ttl(reply_key("p00", "anna")) <= 24 * 3600


def test_a_reply_that_cannot_be_kept_stops_nobody(
    redis_shop: Any, caplog: pytest.LogCaptureFixture
) -> None:
    redis_shop.client.set(reply_key("p00", "anna"), "a text")
    with caplog.at_level(logging.WARNING):
        redis_shop.queues.finish([Outgoing("p00", "anna", b"x")], [])
    assert "replies were not kept" in caplog.text
