"""The log is the truth: every derived key comes back from it."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.engine.table import Table
from doorcard.errors import BadLog, StoreError
from doorcard.streams.connection import ask
from doorcard.streams.folding import rebuild
from doorcard.streams.keys import feed_key, log_key, queue_key, tables_key, timers_key
from doorcard.streams.recover import restore_derived, restore_table
from doorcard.streams.wakes import read_news

PARTITIONS = ("p00", "p01")


def fill(shop: Any, game: Any) -> dict[str, Table]:
    """Tables that wait for each role: a dealer, a player, a showdown, the floor, and nobody."""
    found: dict[str, Table] = {}
    for number, awaited in enumerate(["dealer", "betting", "showdown", None]):
        played = game(f"p0{number % 2}.t{number}", seed=number)
        while played.table.awaited != awaited and awaited is not None:
            played.step(played.deck())
        if awaited is None:
            played = game(f"p0{number % 2}.t{number}", seed=number, seats=2)
            played.appends = played.appends[:-1]
        found[played.id] = store(shop, played)
    return found


def store(shop: Any, played: Any) -> Table:
    for append in played.appends:
        table = rebuild(shop.log, played.id) if append.seq > 1 else Table()
        now = append._replace(time_ms=shop.log.now_ms())
        assert shop.log.append([now]) == [("ok", "")]
        before, table = table, rebuild(shop.log, played.id)
        if table.awaited == "betting" and table.decision != before.decision:
            # The worker would have said so in the same commit; here it is added behind it.
            shop.run_timer(played.id, table.deadline_ms)
    return rebuild(shop.log, played.id)


def derived(client: Any) -> dict[str, Any]:
    """What the derived keys say, without the ids of entries and without what is late."""
    found: dict[str, Any] = {}
    for partition in PARTITIONS:
        found[partition] = {
            "tables": client.smembers(tables_key(partition)),
            "timers": client.zrange(timers_key(partition), 0, -1, withscores=True),
            "feed": dict(read_news(news[b"t"]) for _, news in client.xrange(feed_key(partition))),
            "queues": {
                role: [fields[b"m"] for _, fields in client.xrange(queue_key(role, partition))]
                for role in ("floor", "dealer", "showdown", "betting")
            },
        }
    return found


def test_every_derived_key_comes_back(redis_shop: Any, game: Any) -> None:
    client = redis_shop.client
    tables = fill(redis_shop, game)
    assert [table.awaited for table in tables.values()] == ["dealer", "betting", "showdown", None]
    restore_derived(client, PARTITIONS)
    for key in client.scan_iter("*:timers"):
        for member, _ in client.zrange(key, 0, -1, withscores=True):
            table, _ = member.decode().split("|")
            if tables[table].awaited != "betting":
                client.zrem(key, member)
    before = derived(client)
    logs = {table: redis_shop.log.read(table) for table in tables}
    for key in client.scan_iter("*"):
        if b":log:" not in key:
            client.delete(key)
    restored = restore_derived(client, PARTITIONS)
    assert restored.problems == []
    assert (restored.logs, restored.tables) == (4, 4)
    assert (restored.timers, restored.wakes, restored.feed) == (1, 2, 4)
    assert derived(client) == before
    assert {table: redis_shop.log.read(table) for table in tables} == logs
    assert {table: rebuild(redis_shop.log, table) for table in tables} == tables


def test_a_second_run_finds_nothing_to_do(redis_shop: Any, game: Any) -> None:
    fill(redis_shop, game)
    restore_derived(redis_shop.client, PARTITIONS)
    before = derived(redis_shop.client)
    again = restore_derived(redis_shop.client, PARTITIONS)
    assert again.put_back == 0
    assert again.logs == 4
    assert derived(redis_shop.client) == before


def test_a_leaver_wakes_the_floor(redis_shop: Any, game: Any) -> None:
    from doorcard.commands import Leave
    from doorcard.engine import floor

    played = game()
    played.step(played.deck())
    played.commit("floor", floor.decide(played.table, Leave(1, "player 1", "go")))
    while played.table.in_hand:
        played.step(played.deck())
    assert played.table.awaited == "floor"
    store(redis_shop, played)
    redis_shop.client.delete(*redis_shop.client.keys("*:q:*"), b"none")
    assert restore_derived(redis_shop.client, ["p00"]).wakes == 1
    assert len(redis_shop.waiting("floor")) == 1


def test_one_table_is_put_back_alone(redis_shop: Any, game: Any, writer: Any) -> None:
    store(redis_shop, game("p00.a"))
    store(redis_shop, game("p00.b"))
    redis_shop.client.delete(tables_key("p00"))
    restored = restore_table(redis_shop.client, "p00.a")
    assert (restored.logs, restored.tables) == (1, 1)
    assert redis_shop.log.tables() == ["p00.a"]
    writer(redis_shop.log, "p00.bad").add("no msgpack")
    with pytest.raises(BadLog, match=r"p00\.bad"):
        restore_table(redis_shop.client, "p00.bad")


def test_a_log_that_cannot_be_read_stops_no_other(redis_shop: Any, game: Any, writer: Any) -> None:
    writer(redis_shop.log, "p00.bad").add("no msgpack")
    store(redis_shop, game())
    redis_shop.client.delete(tables_key("p00"))
    restored = restore_derived(redis_shop.client, ["p00"])
    assert restored.tables == 1
    (problem,) = restored.problems
    assert problem.startswith("table p00.bad: commit 1 cannot be read")


def test_a_table_without_a_log_is_named_and_nothing_is_done_for_it(
    redis_shop: Any, game: Any
) -> None:
    for name in ("p00.a", "p00.gone", "p00.emptied", "p00.unlisted"):
        store(redis_shop, game(name))
    redis_shop.client.delete(log_key("p00.gone"))
    redis_shop.client.xtrim(log_key("p00.emptied"), maxlen=0)
    redis_shop.client.xtrim(log_key("p00.unlisted"), maxlen=0)
    redis_shop.client.srem(tables_key("p00"), "p00.unlisted")
    redis_shop.client.sadd(tables_key("p00"), b"\xff", "p01.elsewhere")
    restored = restore_derived(redis_shop.client, ["p00"])
    assert restored.wakes == 1  # of the one that is there
    assert sorted(restored.problems) == [
        "table p00.emptied: its log is gone",
        "table p00.gone: its log is gone",
        "table p00.unlisted: its log is empty",
    ]


def test_only_the_partitions_named_are_touched(redis_shop: Any, game: Any) -> None:
    store(redis_shop, game("p00.a"))
    store(redis_shop, game("p01.b"))
    redis_shop.client.xadd("dc:{p00-0}:log:p00.strange", {"c": b"x"})
    redis_shop.client.delete(tables_key("p00"), tables_key("p01"))
    assert restore_derived(redis_shop.client, ["p01"]).logs == 1
    assert not redis_shop.client.exists(tables_key("p00"))
    assert redis_shop.client.exists(tables_key("p01"))


@pytest.mark.parametrize("make_key", [tables_key, timers_key, feed_key])
def test_a_derived_key_of_the_wrong_type_is_named(redis_shop: Any, make_key: Any) -> None:
    redis_shop.client.set(make_key("p00"), "a text")
    with pytest.raises(StoreError, match="another kind of value"):
        restore_derived(redis_shop.client, ["p00"])


def test_a_log_of_the_wrong_type_is_named(redis_shop: Any) -> None:
    redis_shop.client.set(log_key("p00.a"), "a text")
    with pytest.raises(StoreError, match=r"log:p00\.a"):
        restore_derived(redis_shop.client, ["p00"])


def test_a_log_that_begins_while_it_is_looked_for_is_not_gone(
    redis_shop: Any, game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers look for a table at once, and one of them opens it."""
    played = game("p00.a")

    def ask_late(client: Any, *words: Any) -> Any:
        if words[0] == "SISMEMBER":
            store(redis_shop, played)
        return ask(client, *words)

    monkeypatch.setattr("doorcard.streams.redis_log.ask", ask_late)
    assert redis_shop.log.head("p00.a").seq == played.table.seq
