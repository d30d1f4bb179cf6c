"""The bots of ``up``: they play what they were asked to, whatever comes in between."""

from __future__ import annotations

from typing import Any, cast

import pytest
from redis.exceptions import ConnectionError as Gone

from doorcard.client import Client
from doorcard.commands import OpenTable, PauseTable, VoidHand
from doorcard.errors import BadInput
from doorcard.streams.keys import log_key
from doorcard.streams.log import Log
from services.bots import ALL_PLAYED, BotRoom, Latencies
from services.up import left_open
from tests.services.harness import LIMITS, House
from tests.services.shops import RedisShop

GAMES = {
    "p00.razz": OpenTable("razz", LIMITS, seats=3),
    "p00.stud": OpenTable("seven_card_stud", LIMITS, seats=6),
    "p00.short": OpenTable("five_card_stud", LIMITS._replace(bring_in=0), seats=2),
}


def client_of(house: House, log: Any = None) -> Client:
    return Client(cast("Log", log or house.log), house.queues, "bots", house.shop.partitions)


def play(house: House, room: BotRoom, steps: int = 20_000) -> None:
    """Until all tables are closed."""
    for _ in range(steps):
        if room.over:
            return
        room.step(0)
        house.settle()
    raise AssertionError("the bots never come to an end")


def test_every_table_plays_as_many_hands_as_were_asked_for(house: House) -> None:
    room = BotRoom(client_of(house), hands=7)
    room.open(GAMES.items())
    play(house, room)
    assert {name: table.hands for name, table in room.tables.items()} == dict.fromkeys(GAMES, 7)
    assert (room.hands_played, dict(room.refusals), room.late) == (21, {}, 0)
    for name in GAMES:
        table = house.table(name)
        assert (table.closed, table.chips_in) == (True, table.chips_out)
    assert room.actions == sum(
        commit.role == "betting" for name in GAMES for commit in house.commits(name)
    )


def test_tables_are_taken_over_in_the_middle_and_played_on(house: House) -> None:
    first = BotRoom(client_of(house), hands=0)
    first.open(GAMES.items())
    for _ in range(60):
        first.step(0)
        house.settle()
    before = {name: house.table(name) for name in GAMES}
    second = BotRoom(client_of(house), hands=2)
    second.enter(list(GAMES))
    play(house, second)
    for name, table in before.items():
        assert house.table(name).hands == table.hands + (1 if table.in_hand else 2)


def test_a_table_that_an_earlier_run_paused_goes_on(house: House) -> None:
    first = BotRoom(client_of(house), hands=2)
    first.open([("p00.razz", GAMES["p00.razz"])])
    while not house.table("p00.razz").paused:
        first.step(0)
        house.settle()
    second = BotRoom(client_of(house), hands=3)
    second.enter(["p00.razz"])
    play(house, second)
    assert house.table("p00.razz").hands == 4


def test_a_table_that_somebody_else_paused_is_left_alone(house: House) -> None:
    room = BotRoom(client_of(house), hands=5)
    room.open([("p00.razz", GAMES["p00.razz"])])
    for _ in range(10):
        room.step(0)
        house.settle()
    house.ask(PauseTable("dinner"), "pause", table="p00.razz")
    for _ in range(200):
        room.step(0)
        house.settle()
    table = house.table("p00.razz")
    assert (table.in_hand, table.pause_reason != ALL_PLAYED, table.closed) == (False, True, False)


class Faulty:
    """A log that cannot be reached now and then."""

    def __init__(self, log: Log, every: int) -> None:
        self._log = log
        self._every = every
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._log, name)

        def call(*words: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls % self._every == 0:
                raise Gone("away")
            return method(*words, **options)

        return call


def test_nothing_is_forgotten_when_the_store_is_away_for_a_moment(house: House) -> None:
    faulty = Faulty(house.log, every=7)
    room = BotRoom(client_of(house, faulty), hands=4)
    room.open([("p00.stud", GAMES["p00.stud"])])
    errors = 0
    for _ in range(5_000):
        try:
            room.step(0)
        except Gone:
            errors += 1
        house.settle()
        if room.over:
            break
    assert (room.over, house.table("p00.stud").hands) == (True, 4)
    assert errors > 5


def test_what_nobody_answered_is_sent_again_with_the_same_id(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.bots.REPEAT_AFTER_S", 0.0)
    room = BotRoom(client_of(house), hands=1)
    room.open([("p00.razz", GAMES["p00.razz"])])
    for _ in range(3):
        room.step(0)  # and nobody works
    assert house.shop.unfinished() == {"floor p00": 4}
    play(house, room)
    causes = [commit.cause for commit in house.commits("p00.razz")]
    assert causes.count("p00.razz-open") == 1
    assert dict(room.refusals) == {}


def test_an_action_that_a_void_hand_overtook_is_late_and_no_trouble(house: House) -> None:
    room = BotRoom(client_of(house), hands=2)
    room.open([("p00.razz", GAMES["p00.razz"])])
    while house.table("p00.razz").awaited != "betting":
        room.step(0)
        house.settle()
    room.step(0)  # an action is on its way
    assert house.shop.unfinished() == {"betting p00": 1}
    house.send(VoidHand("a dispute"), "void", table="p00.razz")
    house.settle(("floor",))
    play(house, room)
    assert (room.late, dict(room.refusals)) == (1, {})


def test_a_closed_table_is_left_out_whatever_its_log_holds(server_client: Any) -> None:
    """The game that was played there, say, is one that this program has no more."""
    house = House(RedisShop(server_client))
    room = BotRoom(client_of(house), hands=1)
    room.open([("p00.razz", GAMES["p00.razz"])])
    play(house, room)
    house.send(GAMES["p00.stud"], "open", table="p00.stud")
    house.settle()
    last = house.table("p00.razz").seq
    server_client.xdel(log_key("p00.razz"), f"{last - 1}-0")
    later = BotRoom(client_of(house), hands=1)
    assert left_open(client_of(house), later, house.log.tables()) == ["p00.stud"]
    server_client.xdel(log_key("p00.stud"), "1-0")
    with pytest.raises(BadInput, match=r"^table p00\.stud: .* with --data$"):
        left_open(client_of(house), later, house.log.tables())


def test_latencies_are_counted_not_kept() -> None:
    latencies = Latencies()
    assert latencies.at(0.5) == 0
    for millisecond in range(1, 101):
        latencies.add(millisecond / 1000)
    assert (latencies.at(0.5), latencies.at(0.99), latencies.at(1)) == (50, 99, 100)
