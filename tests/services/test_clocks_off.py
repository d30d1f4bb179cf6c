"""Clocks that are not the store's, and a store's clock that goes forward and back."""

from __future__ import annotations

import pytest

from doorcard.commands import OpenTable
from doorcard.tables import Role
from services.deciders import FloorDecider
from tests.services.harness import LIMITS, House, assert_all_is_done, sit_down
from tests.services.shops import FakeTime, MemoryShop


def test_a_table_goes_on_when_the_stores_clock_went_forward_and_back(house: House) -> None:
    shop = house.shop
    assert isinstance(shop, MemoryShop)
    shop.time.ms += 3_600_000
    assert house.ask(OpenTable("razz", LIMITS)).ok
    shop.time.ms -= 3_600_000
    assert house.ask(sit_down(1)).ok
    first, second = house.commits()
    assert second.time_ms == first.time_ms == shop.time.ms + 3_600_000
    assert_all_is_done(house)


def test_a_clock_that_stays_off_is_said_once_a_second(house: House) -> None:
    shop = house.shop
    assert isinstance(shop, MemoryShop)
    wrong = WrongTime(3_600_000, shop.time)
    wrong.compare = lambda: None  # type: ignore[method-assign]
    shop.clock = lambda: wrong  # type: ignore[method-assign]
    house.hire("floor", FloorDecider())
    house.send(OpenTable("razz", LIMITS), "open")
    for _ in range(5):
        house.workers["floor"].step(0)
    assert len(house.notes.said("not the store's time")) == 1
    assert house.workers["floor"].waiting == 1


class WrongTime(FakeTime):
    """A clock that is off until it is compared with the store's."""

    def __init__(self, off_ms: int, right: FakeTime) -> None:
        super().__init__()
        self.off_ms = off_ms
        self.right = right

    def now_ms(self) -> int:
        return self.right.ms + self.off_ms

    def compare(self) -> None:
        self.off_ms = 0


@pytest.mark.parametrize("off_ms", [-3_600_000, 3_600_000])
def test_a_worker_whose_clock_is_off_looks_at_the_stores(house: House, off_ms: int) -> None:
    shop = house.shop
    assert isinstance(shop, MemoryShop)
    wrong = WrongTime(off_ms, shop.time)
    shop.clock = lambda: wrong  # type: ignore[method-assign]
    house.hire("floor", FloorDecider())
    role: Role = "floor"
    house.send(OpenTable("razz", LIMITS), "open")
    house.workers[role].step(0)
    assert house.log.tables() == []
    assert len(house.notes.said("not the store's time")) == 1
    house.settle()
    assert house.commits()[0].time_ms == shop.time.ms
    assert_all_is_done(house)
