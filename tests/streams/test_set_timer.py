"""A timer that came before its time is set again, and never stands in the way of another."""

from __future__ import annotations

from typing import Any


def test_a_timer_is_set_where_none_runs(shop: Any) -> None:
    shop.queues.set_timer("betting", "p00.a", 7)
    shop.queues.set_timer("dealer", "p00.a", 8)
    shop.queues.set_timer("betting", "p00.b", 9)
    assert shop.timers() == {"p00.a|act": 7, "p00.a|card": 8, "p00.b|act": 9}


def test_a_timer_that_runs_is_left_alone(shop: Any) -> None:
    shop.run_timer("p00.a", 100)
    shop.queues.set_timer("betting", "p00.a", 7)
    assert shop.timers() == {"p00.a|act": 100}
