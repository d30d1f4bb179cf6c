"""What timers do, on every store."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.streams.delivery import POSTPONE_MS, Delivery
from doorcard.streams.keys import timers_key
from doorcard.streams.messages import parse
from doorcard.streams.wakes import Fired, encode_fired


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


def test_a_timer_of_an_unknown_kind_is_left_for_a_newer_version(shop: Any) -> None:
    if shop.client is None:
        shop.log.store.timers["p00"]["p00.a|new"] = 1
    else:
        shop.client.zadd(timers_key("p00"), {"p00.a|new": 1})
    assert shop.queues.fire("p00", 10) == 0
    assert list(shop.timers()) == ["p00.a|new"]
    assert shop.waiting("betting") == []


def test_a_timer_is_set_where_none_runs(shop: Any) -> None:
    shop.queues.set_timer("betting", "p00.a", 7)
    shop.queues.set_timer("dealer", "p00.a", 8)
    shop.queues.set_timer("betting", "p00.b", 9)
    assert shop.timers() == {"p00.a|act": 7, "p00.a|card": 8, "p00.b|act": 9}


def test_a_timer_that_runs_is_left_alone(shop: Any) -> None:
    shop.run_timer("p00.a", 100)
    shop.queues.set_timer("betting", "p00.a", 7)
    assert shop.timers() == {"p00.a|act": 100}
