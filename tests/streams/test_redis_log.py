"""What can go wrong with a log on Redis: its keys, its end, a forgetful or full server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from redis.exceptions import ResponseError

from doorcard.errors import BadLog, StoreError
from doorcard.streams.keys import (
    feed_key,
    log_key,
    paused_key,
    queue_key,
    reply_key,
    tables_key,
    timers_key,
)
from doorcard.streams.log import Source, Timer
from doorcard.streams.redis_log import RedisLog

KEYS = {
    "log": log_key("p00.a"),
    "paused": paused_key("p00"),
    "tables": tables_key("p00"),
    "timers": timers_key("p00"),
    "feed": feed_key("p00"),
    "wake": queue_key("dealer", "p00"),
    "source": queue_key("betting", "p00"),
}


# --- keys of the wrong type -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "seq"),
    [
        (place, seq)
        for place in KEYS
        for seq in (1, 2)
        if place != "source" and (place, seq) != ("tables", 2)
    ],
)
def test_a_key_of_the_wrong_type_leaves_everything_as_it_is(
    redis_shop: Any, writer: Any, place: str, seq: int
) -> None:
    client, ada = redis_shop.client, writer(redis_shop.log)
    redis_shop.queues.send("betting", "p00.a", b"the request")
    (delivery,) = redis_shop.queues.read("betting", ["p00"], 1)
    if seq == 2:
        ada.add(wake="dealer", timer=Timer(redis_shop.log.now_ms()))
    client.delete(KEYS[place])
    client.set(KEYS[place], "a text")
    before = _dump(client)
    append = ada.draw(
        wake="dealer",
        timer=Timer(redis_shop.log.now_ms()),
        ended="dealer",
        source=Source(KEYS["source"], delivery.id),
    )
    (outcome,) = redis_shop.log.append([append])
    assert outcome.code == "wrong_type"
    assert KEYS[place] in outcome.detail
    assert _dump(client) == before


def _dump(client: Any) -> dict[bytes, Any]:
    """Everything in a store, and how far its groups have read."""
    readers: dict[bytes, Callable[[Any], Any]] = {
        b"stream": lambda key: (client.xrange(key), client.xinfo_groups(key)),
        b"hash": client.hgetall,
        b"set": client.smembers,
        b"zset": lambda key: client.zrange(key, 0, -1, withscores=True),
        b"string": client.get,
    }
    return {key: readers[client.type(key)](key) for key in client.keys("*")}


def test_a_log_of_the_wrong_type_is_named(redis_shop: Any) -> None:
    redis_shop.client.set(KEYS["log"], "a text")
    with pytest.raises(StoreError, match=r"log:p00\.a"):
        redis_shop.log.head("p00.a")
    with pytest.raises(StoreError, match=r"log:p00\.a"):
        redis_shop.log.read("p00.a")


# --- a log whose end was taken away ---------------------------------------------------------------


def test_a_number_that_was_used_up_is_not_written_again(redis_shop: Any, writer: Any) -> None:
    """Whoever deletes a log's last entries does not make a second history possible."""
    ada = writer(redis_shop.log)
    first = ada.add()
    ada.add()
    redis_shop.client.xdel(KEYS["log"], "2-0")
    redis_shop.queues.send("betting", "p00.a", b"the request")
    (delivery,) = redis_shop.queues.read("betting", ["p00"], 1)
    ada.wrote(first)
    append = ada.draw("another", wake="dealer", source=Source(KEYS["source"], delivery.id))
    (outcome,) = redis_shop.log.append([append])
    assert outcome.code == "bad"
    assert KEYS["log"] in outcome.detail
    assert [stored.seq for stored in redis_shop.log.read("p00.a")] == [1]
    assert redis_shop.waiting("betting") == [b"the request"]


def test_a_source_that_is_no_queue_any_more_keeps_nothing_from_being_committed(
    redis_shop: Any, writer: Any
) -> None:
    redis_shop.client.set(KEYS["source"], "a text")
    append = writer(redis_shop.log).draw(source=Source(KEYS["source"], "1-1"))
    assert redis_shop.log.append([append])[0].code == "ok"
    assert redis_shop.client.get(KEYS["source"]) == b"a text"


@pytest.mark.parametrize("right", ["xrevrange", "zscore", "zadd", "zrem", "sadd", "xadd"])
def test_a_right_that_is_taken_away_leaves_no_commit_that_nobody_is_told_of(
    server_client: Any, writer: Any, right: str
) -> None:
    log = RedisLog(server_client)
    ada = writer(log)
    append = ada.draw(wake="dealer", timer=Timer(log.now_ms()), ended="betting")
    server_client.execute_command("ACL", "SETUSER", "default", f"-{right}")
    try:
        with pytest.raises(ResponseError, match=r"NOPERM|ACL|permission"):
            log.append([append])
    finally:
        server_client.execute_command("ACL", "SETUSER", "default", "+@all")
    assert log.read("p00.a") == []
    assert log.append([append])[0].code == "ok"
    assert server_client.zcard(KEYS["timers"]) == 1
    assert server_client.xlen(KEYS["wake"]) >= 1
    assert server_client.smembers(KEYS["tables"]) == {b"p00.a"}


def test_a_stream_of_replies_that_takes_no_more_stops_no_commit(
    server_client: Any, writer: Any
) -> None:
    log = RedisLog(server_client)
    key = reply_key("p00", "anna")
    server_client.execute_command("XADD", key, f"{2**64 - 1}-{2**64 - 1}", "m", "x")
    append = writer(log).draw(reply=("anna", b"yes"))
    assert log.append([append])[0].code == "ok"
    assert len(log.read("p00.a")) == 1
    assert server_client.xlen(key) == 1


@pytest.mark.parametrize("deleted", [True, False])
def test_a_first_commit_needs_a_log_that_never_was(
    redis_shop: Any, writer: Any, *, deleted: bool
) -> None:
    ada = writer(redis_shop.log)
    ada.add()
    if deleted:
        redis_shop.client.delete(KEYS["log"])
    else:
        redis_shop.client.xtrim(KEYS["log"], maxlen=0)
    for append in (ada.draw(), writer(redis_shop.log).draw()):
        assert redis_shop.log.append([append]) == [
            ("bad", "the log is gone, and the table was open")
        ]
    assert redis_shop.client.exists(KEYS["log"]) == (not deleted)
    redis_shop.client.delete(KEYS["tables"])
    first = redis_shop.log.append([writer(redis_shop.log).draw()])[0]
    assert first.code == ("ok" if deleted else "bad")


def test_an_end_that_was_taken_away_is_said(redis_shop: Any, game: Any) -> None:
    played = game().play()
    moved = [append._replace(time_ms=redis_shop.log.now_ms()) for append in played.appends]
    redis_shop.log.append(moved)
    last = len(moved)
    redis_shop.client.xdel(log_key("p00.game"), f"{last}-0", f"{last - 1}-0")
    message = rf"p00\.game: commit {last - 1} is missing, {last} was there"
    with pytest.raises(BadLog, match=message):
        redis_shop.log.head("p00.game")
    redis_shop.client.xtrim(log_key("p00.game"), maxlen=0)
    with pytest.raises(BadLog, match="its log is gone"):
        redis_shop.log.head("p00.game")


# --- what the store lost, and its limits ----------------------------------------------------------


def test_what_the_store_lost_is_not_built_upon(redis_shop: Any, writer: Any) -> None:
    """A promoted replica lacks commit 2; one worker writes another 2, one still holds the first."""
    ada = writer(redis_shop.log)
    first = ada.add()
    promoted = _dump(redis_shop.client)
    lost = ada.add("lost")
    stale = ada.draw("built on what was lost")
    redis_shop.client.flushdb()
    redis_shop.client.xadd(KEYS["log"], promoted[KEYS["log"].encode()][0][0][1], "1-0")
    assert redis_shop.log.append([stale])[0].code == "conflict"
    ben = writer(redis_shop.log)
    ben.wrote(first)
    other = ben.add("another")
    assert (other.seq, other.before) == (lost.seq, lost.before)
    assert redis_shop.log.append([stale]) == [("conflict", "the log is at commit 2")]
    assert len(redis_shop.log.read("p00.a")) == 2


def test_a_full_server_refuses_whole_commits_and_goes_on_later(
    server_client: Any, writer: Any
) -> None:
    """S-43: nothing half written, the source still there; afterwards it goes on by itself."""
    log = RedisLog(server_client)
    ada = writer(log)
    ada.add()
    queue = queue_key("betting", "p00")
    server_client.xgroup_create(queue, "workers", "0", mkstream=True)
    server_client.xadd(queue, {"m": b"request"})
    (entry,) = server_client.xreadgroup("workers", "w", {queue: ">"})[0][1]
    append = ada.draw(wake="dealer", source=Source(queue, entry[0].decode()))
    before = _dump(server_client)
    server_client.config_set("maxmemory", 1)
    try:
        (outcome,) = log.append([append])
        assert outcome.code == "full"
        assert _dump(server_client) == before
    finally:
        server_client.config_set("maxmemory", 0)
    assert log.append([append]) == [("ok", "")]
    assert server_client.xlen(queue) == 0


def test_too_few_replicas_are_said(server_client: Any, writer: Any) -> None:
    log = RedisLog(server_client, replicas=1, replicas_timeout_ms=10)
    ada = writer(log)
    append = ada.draw()
    assert log.append([append, append._replace(seq=9)]) == [
        ("ok", "on 0 of 1 replicas"),
        ("conflict", "the log is at commit 1"),
    ]


def test_the_feed_is_capped(redis_shop: Any, writer: Any) -> None:
    log = RedisLog(redis_shop.client, feed_max=100)
    ada = writer(log)
    for _ in range(300):
        ada.add()
    assert 100 <= redis_shop.client.xlen(KEYS["feed"]) < 300


def test_the_time_bound_is_a_setting(redis_shop: Any, writer: Any) -> None:
    log = RedisLog(redis_shop.client, time_bound_ms=10_000)
    late = writer(log).draw(time_ms=log.now_ms() - 11_000)
    assert log.append([late])[0].code == "time"


def test_an_entry_that_is_no_commit_is_named(redis_shop: Any, writer: Any) -> None:
    ada = writer(redis_shop.log)
    ada.add()
    redis_shop.client.xadd(KEYS["log"], {"c": b"x"}, "7-7")
    (outcome,) = redis_shop.log.append([ada.draw()])
    assert outcome.code == "bad"
    assert "7-7" in outcome.detail
