"""What only queues on a server meet: what else lies there, refusals, ends of patience."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from redis.exceptions import ResponseError

from doorcard.errors import BadInput, Refused, StoreError
from doorcard.streams.connection import BLOCK_MS_MAX, connect
from doorcard.streams.delivery import BEGINNING, Delivery, Outgoing
from doorcard.streams.keys import given_key, queue_key, reply_key
from doorcard.streams.queues import Queues

KEY = queue_key("betting", "p00")
PARTITIONS = ["p00", "p01"]
LAST_ID = f"{2**64 - 1}-{2**64 - 1}"


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


@pytest.mark.parametrize("where", [LAST_ID, "99999999999999-7"])
def test_a_group_beyond_its_queues_end_begins_anew(
    redis_shop: Any, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    """Given a group that somebody set too far, when workers look for what was given up, then it is
    handed out what is there and what comes, and that is said."""
    redis_shop.queues.ensure_groups("betting", PARTITIONS)
    redis_shop.queues.send("betting", "p00.a", b"0")
    redis_shop.client.execute_command("XGROUP", "SETID", KEY, "workers", where)
    assert redis_shop.queues.read("betting", PARTITIONS, 100) == []
    with caplog.at_level(logging.WARNING):
        assert redis_shop.queues.claim("betting", PARTITIONS, 0, 10) == []
    (said,) = caplog.messages
    assert said.endswith(f"the group workers of {KEY} stood beyond its end")
    redis_shop.queues.send("betting", "p00.a", b"1")
    read = redis_shop.queues.read("betting", PARTITIONS, 100)
    assert [(each.raw, each.count) for each in read] == [(b"0", 1), (b"1", 1)]


def test_a_group_that_may_not_be_set_back_is_said_and_its_messages_are_claimed(
    server_url: str, server_client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    queues = Queues(server_client)
    queues.ensure_groups("betting", PARTITIONS)
    server_client.execute_command("XGROUP", "SETID", KEY, "workers", LAST_ID)
    queues.send("betting", "p00.a", b"0")
    server_client.acl_setuser("old", enabled=True, nopass=True, keys=["*"], categories=["+@all"])
    server_client.execute_command("ACL", "SETUSER", "old", "-xgroup|setid")
    old: Any = connect(server_url.replace("unix://", "unix://old:x@"))
    try:
        with caplog.at_level(logging.WARNING):
            assert Queues(old).claim("betting", PARTITIONS, 0, 10) == []
            (delivery,) = Queues(old).claim("betting", PARTITIONS, 0, 10)
    finally:
        old.close()
        server_client.acl_deluser("old")
    assert delivery.raw == b"0"
    assert len(caplog.messages) == 2
    assert caplog.messages[0].startswith("new messages are handed out late: the group workers of")
    assert "'xgroup|setid'" in caplog.messages[0]


def test_a_queue_that_has_used_up_its_ids_begins_anew_when_it_is_empty(
    server_client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Given an entry with the last id there is, when it is finished, then messages are taken again;
    until then whoever sends one is told, and nothing is lost."""
    queues = Queues(server_client)
    queues.ensure_groups("betting", PARTITIONS)
    queues.send("betting", "p00.a", b"0")
    server_client.execute_command("XADD", KEY, LAST_ID, "m", "x")
    answer = queues.send("betting", "p00.a", b"1")
    assert isinstance(answer, Refused)
    assert answer.code == "queue/full"
    first, last = queues.read("betting", PARTITIONS, 100)
    queues.ack(last)
    assert queues.claim("betting", PARTITIONS, 9_000, 10) == []
    assert isinstance(queues.send("betting", "p00.a", b"1"), Refused)
    assert queues.length("betting", "p00") == 1, "what is unfinished stays"
    queues.ack(first)
    with caplog.at_level(logging.WARNING):
        assert queues.claim("betting", PARTITIONS, 9_000, 10) == []
    (said,) = caplog.messages
    assert said.endswith(f"{KEY} had used up its ids")
    assert isinstance(queues.send("betting", "p00.a", b"1"), str)
    assert [each.raw for each in queues.read("betting", PARTITIONS, 100)] == [b"1"]


def test_a_message_with_the_last_id_is_held_and_buried_as_any_other(server_client: Any) -> None:
    queues = Queues(server_client)
    queues.ensure_groups("betting", PARTITIONS)
    server_client.execute_command("XADD", KEY, LAST_ID, "m", "x")
    (delivery,) = queues.read("betting", PARTITIONS, 100)
    queues.hold([delivery])
    queues.bury(delivery, None, "nobody can handle it")
    assert [letter.message_id for letter in queues.dead("p00")] == [LAST_ID]
    assert queues.length("betting", "p00") == 0


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


def test_what_was_noted_by_a_clock_that_ran_ahead_keeps_no_message_back(redis_shop: Any) -> None:
    """A store that was set back, or one that took over and is behind: what was given up before, and
    what was held, is not given up for as long as the other clock was ahead."""
    for number in range(2):
        redis_shop.queues.send("betting", "p00.a", b"%d" % number)
    left, held = redis_shop.queues.read("betting", PARTITIONS, 100)
    hour_later = f"{(redis_shop.client.time()[0] + 3_600) * 1_000} "
    ahead = {"line": hour_later + held.id, held.id: hour_later + "3"}
    redis_shop.client.hset(given_key(KEY), mapping=ahead)
    claimed = redis_shop.queues.claim("betting", PARTITIONS, 60_000, 10)
    assert [(each.id, each.count) for each in claimed] == [(left.id, 2), (held.id, 4)]
    assert redis_shop.queues.claim("betting", PARTITIONS, 60_000, 10) == [], "they are noted anew"


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
