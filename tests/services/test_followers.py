"""A player's program that has seen what the store forgot: it notices, and begins again there."""

from __future__ import annotations

import pytest

from doorcard.client import Client, Follower, Forgotten
from doorcard.commands import OpenTable
from services.bots import BotRoom
from tests.services.harness import LIMITS, TABLE, House, assert_all_is_done, calm
from tests.services.shops import ROLES, Shop


class Seconds:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def forget(house: House, count: int) -> None:
    """Let the store lose its last commits and what the feed says of them."""
    house.shop.forget(TABLE, count)
    house.shop.forget_news(count)


def following(house: House) -> tuple[Follower, Seconds]:
    seconds = Seconds()
    client = Client(house.log, house.queues, "ann", house.shop.partitions)
    follower = Follower(client, seconds)
    follower.follow([TABLE])
    return follower, seconds


def test_s47_a_follower_ahead_of_the_log_says_so_and_goes_back(shop: Shop) -> None:
    house = House(shop)
    house.open()
    follower, seconds = following(house)
    for _ in range(2):
        house.act()
    assert follower.poll(0) == [TABLE]
    seen = house.table()
    assert follower.tables[TABLE] == seen
    forget(house, 2)
    assert follower.poll(0) == [], "it does not ask at every turn"
    seconds.now_s += 1
    assert follower.poll(0) == [TABLE]
    left = house.table()
    assert follower.tables[TABLE] == left
    assert follower.forgotten == {TABLE: Forgotten(TABLE, seen.seq, left.seq)}


def test_s47_a_number_that_comes_again_is_another_commit(shop: Shop) -> None:
    """The loss is seen by the first commit that is made instead, before anybody looks back."""
    house = House(shop)
    house.open()
    follower, _ = following(house)
    for _ in range(3):
        house.act()
    follower.poll(0)
    seen = house.table()
    forget(house, 2)
    house.hire("betting")
    house.send(calm(house.table()), "instead")
    house.step(["betting"])
    assert house.table().seq == seen.seq - 1
    assert follower.poll(0) == [TABLE]
    assert follower.tables[TABLE] == house.table()
    assert follower.forgotten[TABLE] == Forgotten(TABLE, seen.seq, seen.seq - 1)


def test_s47_a_quiet_table_is_doubted_too_when_others_go_on(shop: Shop) -> None:
    """What came after the loss stands in the feed where the quiet table's news had stood."""
    house = House(shop)
    house.open()
    follower, _ = following(house)
    for _ in range(2):
        house.act()
    follower.poll(0)
    forget(house, 1)
    house.send(OpenTable("razz", LIMITS), "open-other", table="p00.other")
    house.step(["floor"])
    assert follower.poll(0) == [TABLE]
    assert follower.tables[TABLE] == house.table()
    assert follower.forgotten.keys() == {TABLE}


def test_what_is_all_there_is_not_called_forgotten(shop: Shop) -> None:
    house = House(shop)
    house.open()
    follower, seconds = following(house)
    for _ in range(4):
        house.act()
        seconds.now_s += 1
        assert follower.poll(0) == [TABLE]
        assert follower.poll(0) == []
        assert follower.compare([TABLE]) == []
    assert follower.tables[TABLE] == house.table()
    assert follower.forgotten == {}


def test_s47_a_commit_that_a_reply_named_and_that_is_nowhere_is_forgotten(shop: Shop) -> None:
    house = House(shop)
    house.open()
    follower, seconds = following(house)
    before = house.table()
    reply = house.act()
    seq = before.seq + 1
    assert reply.seq == seq
    forget(house, 1)
    follower.promise(TABLE, seq)
    seconds.now_s += 1
    assert follower.poll(0) == [TABLE]
    assert follower.tables[TABLE] == before
    assert follower.forgotten == {TABLE: Forgotten(TABLE, seq, before.seq)}


@pytest.mark.parametrize("lost", [1, 2, 5])
def test_s47_bots_do_again_what_was_forgotten(
    shop: Shop, lost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else they would wait for each other until the time runs out."""
    monkeypatch.setattr("doorcard.client.LOOK_BACK_EVERY_S", 0)
    house = House(shop)
    house.open(3)
    client = Client(house.log, house.queues, "bots", house.shop.partitions)
    room = BotRoom(client, 1)
    room.enter([TABLE])
    for _ in range(8):
        house.settle()
        room.step(0)
    house.settle()
    forget(house, lost)
    while house.table().awaited != "betting":  # whom the lost wake-ups called, nobody calls
        forget(house, 1)
    for role in ROLES:
        house.hire(role)
    for _ in range(200):
        if room.over:
            break
        room.step(0)
        house.settle()
    assert room.over
    assert_all_is_done(house)
