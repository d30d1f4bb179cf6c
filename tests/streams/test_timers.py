"""What timers do, on every store."""

from __future__ import annotations

from typing import Any, cast

import pytest

from doorcard.errors import StoreError
from doorcard.streams.commit import PREV_BYTES
from doorcard.streams.delivery import OUTAGES_MAX, POSTPONE_MS, SILENCE_MS, Delivery, Settled
from doorcard.streams.keys import timers_key, writes_key
from doorcard.streams.log import Append
from doorcard.streams.messages import parse
from doorcard.streams.wakes import Fired, encode_fired
from doorcard.tables import Role


def read(shop: Any) -> list[Delivery]:
    found: list[Delivery] = shop.queues.read("betting", ["p00", "p01"], 100)
    return found


@pytest.mark.parametrize("ago_ms", [1, 5_000, 1_000_000_000])
def test_a_timer_that_ran_out_becomes_a_message(shop: Any, ago_ms: int) -> None:
    deadline_ms = shop.log.now_ms() - ago_ms
    shop.run_timer("p00.a", deadline_ms)
    assert shop.queues.fire("p00", 10) == 1
    (delivery,) = read(shop)
    assert parse(delivery.raw) == Fired("p00.a", deadline_ms)
    assert shop.timers() == {}
    assert shop.queues.fire("p00", 10) == 0


@pytest.mark.parametrize("at_ms", [0, 1, 127, 128, 255, 65_536, 2**31, 2**32 + 5])
def test_any_deadline_is_written_as_a_number(shop: Any, at_ms: int) -> None:
    shop.run_timer("p00.a", at_ms)
    assert shop.queues.fire("p00", 10) == 1
    assert parse(read(shop)[0].raw) == Fired("p00.a", at_ms)


def test_the_timer_of_a_choice_of_cards_goes_to_the_dealer(shop: Any) -> None:
    for at_ms, role in ((4, "dealer"), (5, "betting")):
        shop.run_timer("p00.a", at_ms, role)
    assert shop.queues.fire("p00", 10) == 2
    assert list(map(parse, shop.waiting("dealer"))) == [Fired("p00.a", 4)]
    assert list(map(parse, shop.waiting("betting"))) == [Fired("p00.a", 5)]
    assert shop.timers() == {}


def test_timers_fire_in_their_order_and_not_too_many_at_once(shop: Any) -> None:
    now = shop.log.now_ms()
    for number in range(5):
        shop.run_timer(f"p00.t{number}", now - 10 + number)
    shop.run_timer("p00.later", now + 60_000)
    assert [shop.queues.fire("p00", 2) for _ in range(4)] == [2, 2, 1, 0]
    expected = [encode_fired(f"p00.t{number}", now - 10 + number) for number in range(5)]
    assert list(map(parse, shop.waiting("betting"))) == list(map(parse, expected))
    assert shop.timers() == {"p00.later|act": now + 60_000}


def test_timers_of_many_partitions_fire_at_once(shop: Any) -> None:
    for table in ("p00.a", "p01.b", "p01.c"):
        shop.run_timer(table, shop.log.now_ms() - 1)
    assert shop.queues.fire_many(["p00", "p01"], 10) == 3
    assert shop.queues.fire_many([], 10) == 0


def test_the_timer_of_a_paused_table_waits(shop: Any) -> None:
    now = shop.log.now_ms()
    shop.log.pause("p00.a", "why")
    shop.run_timer("p00.a", now - 10)
    shop.run_timer("p00.b", now - 5)
    assert shop.queues.fire("p00", 10) == 1
    assert list(map(parse, shop.waiting("betting"))) == [Fired("p00.b", now - 5)]
    (again,) = shop.timers().values()
    assert POSTPONE_MS <= again - now < POSTPONE_MS + 10_000


def outages_told(shop: Any, partition: str = "p00") -> list[tuple[int, int]]:
    """What a timer's message says now, from another clock."""
    shop.run_timer(f"{partition}.a", 1)
    assert shop.clock().fire(partition, 10) == 1
    message = parse(shop.waiting("betting", partition)[-1])
    assert isinstance(message, Fired)
    return list(message.outages)


def test_as_long_as_a_clock_looks_in_there_is_no_outage(shop: Any) -> None:
    assert outages_told(shop) == []
    shop.last_write(shop.log.now_ms() - SILENCE_MS + 1_000)
    assert outages_told(shop) == []
    assert outages_told(shop) == []


@pytest.mark.parametrize("away_ms", [SILENCE_MS + 1, 100_000, 10**9])
def test_a_silence_is_an_outage_of_its_partition_and_told_from_then_on(
    shop: Any, away_ms: int
) -> None:
    before_ms = shop.log.now_ms()
    shop.last_write(before_ms - away_ms)
    ((from_ms, to_ms),) = outages_told(shop)
    assert from_ms == before_ms - away_ms
    assert before_ms <= to_ms <= shop.log.now_ms()
    assert outages_told(shop) == [(from_ms, to_ms)]
    assert outages_told(shop, "p01") == []
    shop.last_write(to_ms - 5_000)
    told = outages_told(shop)
    assert (from_ms, to_ms) in told
    assert len(told) == 2


def test_the_last_outages_are_remembered(shop: Any) -> None:
    now_ms = shop.log.now_ms()
    for number in range(OUTAGES_MAX + 3):
        shop.last_write(now_ms - 1_000_000 + 10_000 * number)
        shop.clock().fire("p00", 10)
    told = outages_told(shop)
    assert [from_ms for from_ms, _ in told] == [
        now_ms - 1_000_000 + 10_000 * number for number in range(3, OUTAGES_MAX + 3)
    ]


def test_a_clock_that_came_late_by_itself_was_no_outage(
    redis_shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another node kept it waiting for three seconds; this one took writes meanwhile."""
    now_s = [1_000.0]
    monkeypatch.setattr("doorcard.streams.rounds.time.monotonic", lambda: now_s[0])
    queues = redis_shop.queues
    queues.fire("p00", 10)
    now_s[0] += 3
    redis_shop.last_write(redis_shop.log.now_ms() - 3_000)
    queues.fire("p00", 10)
    assert redis_shop.client.hlen(writes_key("p00")) == 1
    now_s[0] += 30  # but it does not know what happened while it stood still for long
    redis_shop.last_write(redis_shop.log.now_ms() - 30_000)
    queues.fire("p00", 10)
    assert redis_shop.client.hlen(writes_key("p00")) == 2


def test_a_round_that_failed_vouches_for_nothing(
    redis_shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [1_000.0]
    monkeypatch.setattr("doorcard.streams.rounds.time.monotonic", lambda: now_s[0])
    queues = redis_shop.queues
    queues.fire("p00", 10)
    redis_shop.client.set(timers_key("p00"), "something else")
    with pytest.raises(StoreError):
        queues.fire("p00", 10)
    redis_shop.client.delete(timers_key("p00"))
    now_s[0] += 3
    redis_shop.last_write(redis_shop.log.now_ms() - 3_000)
    queues.fire("p00", 10)
    assert redis_shop.client.hlen(writes_key("p00")) == 2


def test_notes_of_another_form_are_no_outages(redis_shop: Any) -> None:
    junk = {"at": "never", "word": "5", "5": "word", "-3": "9", "1.5": "9"}
    redis_shop.client.hset(writes_key("p00"), mapping=junk)
    assert outages_told(redis_shop) == []
    assert redis_shop.client.hget(writes_key("p00"), "at").isdigit()


def test_a_timer_of_an_unknown_kind_is_left_for_a_newer_version(shop: Any) -> None:
    if shop.client is None:
        shop.log.store.timers["p00"]["p00.a|new"] = 1
    else:
        shop.client.zadd(timers_key("p00"), {"p00.a|new": 1})
    assert shop.queues.fire("p00", 10) == 0
    assert list(shop.timers()) == ["p00.a|new"]
    assert shop.waiting("betting") == []


def notice(shop: Any) -> Delivery:
    shop.queues.send("betting", "p00.a", b"a notice")
    (delivery,) = shop.queues.read("betting", ["p00"], 1)
    return cast("Delivery", delivery)


def settled(append: Append, timer: tuple[Role, int] | None = None) -> Settled:
    return Settled(append.table, append.seq, append.chain[:PREV_BYTES], timer)


@pytest.mark.parametrize(
    ("running_ms", "until_ms"), [(None, 70), (100, 70), (50, 50)], ids=["none", "late", "early"]
)
def test_a_message_that_came_to_nothing_goes_and_its_timer_runs(
    shop: Any, writer: Any, running_ms: int | None, until_ms: int
) -> None:
    last = writer(shop.log).add()
    if running_ms is not None:
        shop.run_timer("p00.a", running_ms)
    assert shop.queues.settle(notice(shop), settled(last, ("betting", 70)))
    assert shop.timers() == {"p00.a|act": until_ms}
    assert shop.waiting("betting") == []


def test_a_message_that_came_to_nothing_stays_if_its_table_is_another(
    shop: Any, writer: Any
) -> None:
    """The store may have gone back to where the message is needed."""
    ada = writer(shop.log)
    first = ada.add()
    last = ada.add()
    delivery = notice(shop)
    for other in (settled(first), settled(last)._replace(mark=b"x" * PREV_BYTES)):
        assert not shop.queues.settle(delivery, other._replace(timer=("betting", 70)))
    assert shop.timers() == {}
    assert shop.waiting("betting") == [b"a notice"]
    assert shop.queues.settle(delivery, settled(last))
    assert (shop.timers(), shop.waiting("betting")) == ({}, [])


def test_a_message_about_no_table_goes(shop: Any) -> None:
    assert shop.queues.settle(notice(shop), Settled("p00.a", 0, b"\0" * PREV_BYTES))
    assert shop.waiting("betting") == []
