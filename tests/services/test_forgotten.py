"""A store that forgot the end of a log: it is noticed, said, and never built upon (S-36, S-47)."""

from __future__ import annotations

import pytest

from doorcard.client import Client, Follower
from tests.services.harness import TABLE, House, assert_all_is_done, calm
from tests.services.shops import Shop


@pytest.mark.parametrize("another", [0, 1, 3])
def test_s36_what_the_store_lost_is_noticed_and_not_built_upon(shop: Shop, another: int) -> None:
    """The worker's cache holds two commits that the store lost; perhaps others came instead."""
    house = House(shop)
    house.open()
    for _ in range(2):
        house.act()
    lost = house.table()
    house.shop.forget(TABLE, 2)
    rest = house.new_worker("betting")
    for number in range(another):
        house.send(calm(house.table()), f"instead-{number}")
        rest.step(0)
        house.settle(("dealer", "showdown", "floor"))
    truth = house.log.read(TABLE)
    house.act()
    (line,) = house.notes.said("the store forgot commits")
    assert (line["level"], line["table"], line["seen"]) == ("error", TABLE, lost.seq)
    assert house.log.read(TABLE)[: len(truth)] == truth
    assert house.table().seq > len(truth)
    house.settle()
    assert_all_is_done(house)


def test_a_player_who_looks_again_sees_what_is_left(shop: Shop) -> None:
    """No news names what is gone; a player's program asks for it once the store is back."""
    house = House(shop)
    house.open()
    follower = Follower(Client(house.log, house.queues, "ann", shop.partitions))
    follower.follow([TABLE, "p00.none"])
    house.act()
    assert follower.poll(0) == [TABLE]
    assert follower.compare(follower.tables) == []
    house.shop.forget(TABLE, 1)
    assert follower.poll(0) == []
    assert follower.compare(follower.tables) == [TABLE]
    assert follower.tables[TABLE] == house.table()


def test_a_refusal_is_not_given_on_a_history_that_is_gone(shop: Shop) -> None:
    """What is late by the lost history is right by the true one."""
    house = House(shop)
    house.open()
    before = house.table()
    act = calm(before)
    for _ in range(2):
        house.act()
    house.shop.forget(TABLE, 2)
    assert house.table() == before
    assert house.ask(act, "again").ok
    assert len(house.notes.said("the store forgot commits")) == 1
