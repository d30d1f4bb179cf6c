"""What somebody else wrote into derived keys: it is passed over, and keeps nobody from the rest."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.client import Client
from doorcard.errors import StoreError
from doorcard.streams.delivery import Outgoing
from doorcard.streams.keys import (
    dead_key,
    feed_key,
    given_key,
    paused_key,
    queue_key,
    reply_key,
    tables_key,
    timers_key,
)
from doorcard.streams.recover import restore_derived
from doorcard.streams.replies import Reply, encode_reply

PARTITIONS = ["p00", "p01"]


def test_a_partition_whose_notes_are_broken_keeps_nothing_from_the_others(redis_shop: Any) -> None:
    redis_shop.queues.send("betting", "p00.a", b"left behind")
    (first,) = redis_shop.queues.read("betting", PARTITIONS, 10)
    redis_shop.queues.claim("betting", PARTITIONS, 0, 10)
    redis_shop.client.set(given_key(queue_key("betting", "p01")), "nonsense")
    assert redis_shop.queues.claim("betting", PARTITIONS, 0, 10) == [first._replace(count=2)]
    redis_shop.queues.ack(first)
    with pytest.raises(StoreError, match="q:betting:given is a string"):
        redis_shop.queues.claim("betting", PARTITIONS, 0, 10)


def test_what_somebody_else_wrote_into_feeds_and_replies_is_passed_over(redis_shop: Any) -> None:
    log, client = redis_shop.log, redis_shop.client
    one, two = (encode_reply(Reply(name, "p00.a", True, 1)) for name in ("one", "two"))
    player = Client(log, redis_shop.queues, "anna", ["p00"])
    for text in (b"p00.a 1", b"nonsense", b"\xff 1", b"p00.a x"):
        client.execute_command("XADD", feed_key("p00"), "*", "t", text)
    client.execute_command("XADD", feed_key("p00"), "*", "other", "field")
    redis_shop.queues.finish([Outgoing("p00", "anna", raw) for raw in (one, b"nonsense")], [])
    client.execute_command("XADD", reply_key("p00", "anna"), "*", "other", "field")
    redis_shop.queues.finish([Outgoing("p00", "anna", two)], [])
    client.execute_command("SADD", tables_key("p00"), "p00.a", "nonsense", b"\xff")
    client.execute_command("ZADD", timers_key("p00"), 1, b"\xff")
    client.execute_command("XADD", queue_key("betting", "p00"), "*", "other", "field")
    assert [(entry.table, entry.seq) for entry in player.news(0)] == [("p00.a", 1)] + 4 * [("", 0)]
    assert [reply.id for reply in player.replies()] == ["one", "two"]
    assert log.tables() == ["p00.a"]
    assert restore_derived(client, ["p00"]).problems == ["table p00.a: its log is gone"]


def test_what_somebody_else_wrote_hides_no_dead_letter_and_no_pause(redis_shop: Any) -> None:
    log, queues, client = redis_shop.log, redis_shop.queues, redis_shop.client
    queues.send("betting", "p00.a", b"m")
    (delivery,) = queues.read("betting", ["p00"], 10)
    for fields in (
        ("junk", "x"),
        ("q", b"\xff", "id", 1, "m", "", "t", "", "why", "", "n", "many"),
    ):
        client.execute_command("XADD", dead_key("p00"), "*", *fields)
    queues.bury(delivery, "p00.a", "nobody could")
    one, two, ours = queues.dead("p00")
    assert (ours.table, ours.reason, ours.raw) == ("p00.a", "nobody could", b"m")
    for foreign in (one, two):
        assert (foreign.queue, foreign.table, foreign.count) == ("", "", 0)
        assert foreign.reason == "no dead letter: somebody else wrote it"
        queues.drop_dead("p00", foreign)
    assert queues.dead("p00") == [ours]
    client.execute_command("HSET", paused_key("p00"), b"\xff\xfe", b"why", "p00.b", b"\xff")
    assert log.paused() == {"p00.a": "nobody could", "p00.b": "\ufffd", "\ufffd\ufffd": "why"}
