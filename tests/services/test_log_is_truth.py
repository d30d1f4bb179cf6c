"""The log is the truth: whatever else is lost comes back from the logs alone, by one command."""

from __future__ import annotations

import time
from typing import Any, Final

import pytest

from doorcard.commands import Leave, OpenTable, PauseTable
from doorcard.engine.table import Table
from doorcard.events import HandEnded
from doorcard.streams.folding import rebuild
from doorcard.streams.recover import restore_derived
from doorcard.tables import Role
from services.embedded import EmbeddedServer
from tests.services.harness import LIMITS, House, assert_all_is_done, calm, settings_for, sit_down
from tests.services.processes import services
from tests.services.shops import ROLES, RedisShop

WAITING: Final[dict[str, Role]] = {
    "p00.waits-for-floor": "floor",
    "p00.waits-for-showdown": "showdown",
    "p00.waits-for-dealer": "dealer",
    "p00.waits-for-player": "betting",
}


def fill(house: House) -> None:
    """Four tables, each waiting for another role, whose wake-up nobody has read."""
    for name in WAITING:
        house.send(OpenTable("seven_card_stud", LIMITS, action_ms=60_000), "open", table=name)
        for seat in range(3):
            house.send(sit_down(seat), f"sit-{seat}", table=name)
    house.settle()
    working = list(ROLES)
    for name, role in WAITING.items():
        if role == "floor":
            house.ask(Leave(1, "player-1", "bye"), "bye", table=name)
        if role != "betting":
            working.remove(role)  # from here on nobody does its work
        while house.table(name).awaited != role:
            if house.table(name).awaited == "betting":
                house.send(calm(house.table(name)), table=name)
            house.settle(working)


def lose_everything_but_the_logs(client: Any) -> int:
    """Delete timers, wake-ups, feeds, replies, and the lists of tables."""
    keys = [key for key in client.keys("*") if b":log:" not in key]
    return int(client.delete(*keys))


@pytest.mark.parametrize("known", [True, False])
def test_everything_derived_is_lost_and_comes_back(
    server: EmbeddedServer, server_client: Any, *, known: bool
) -> None:
    """Then every table is played on to the end, by workers that saw it happen or by new ones."""
    house = House(RedisShop(server_client), settings_for(claim_idle_ms=0))
    fill(house)
    before = {name: house.table(name) for name in WAITING}
    assert {name: table.awaited for name, table in before.items()} == WAITING
    assert lose_everything_but_the_logs(server_client) > len(WAITING)
    assert house.log.tables() == []
    settings = {"DOORCARD_REDIS_URL": server.url, "DOORCARD_PARTITIONS": "1"}
    done = services("recover", **settings)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("logs 4, put back: tables 4, timers 1, wake-ups 3, feed entries 4\n")
    assert services("recover", **settings).stdout == (
        "logs 4, put back: tables 0, timers 0, wake-ups 0, feed entries 0\n"
    )
    assert house.log.tables() == sorted(WAITING)
    assert {name: house.table(name) for name in WAITING} == before
    if not known:
        for role in ROLES:
            house.hire(role)
    _play_on(house)


def _play_on(house: House) -> None:
    for name in WAITING:
        house.ask(PauseTable("last hand"), "pause", table=name)
    for _ in range(300):
        house.settle()
        acting = [name for name in WAITING if house.table(name).awaited == "betting"]
        if not acting:
            break
        for name in acting:
            house.send(calm(house.table(name)), table=name)
    for name in WAITING:
        table = house.table(name)
        assert not table.in_hand
        ended = [event for event in house.events(name) if isinstance(event, HandEnded)]
        assert len(ended) == table.hands >= 1
        assert sum(seat.stack for seat in table.seats.values()) + table.chips_out == 300
    assert_all_is_done(house)


def test_recovering_while_workers_run_changes_nothing(server_client: Any) -> None:
    house = House(RedisShop(server_client))
    house.open(3)
    started = time.monotonic()
    for number in range(30):
        restored = restore_derived(server_client, ["p00"])
        assert (restored.put_back, restored.problems) == (0, []), number
        assert house.act().ok
    assert time.monotonic() - started < 30
    assert_all_is_done(house)


def test_what_was_committed_meanwhile_was_not_missing(
    server_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the feed and the look at the log, somebody acts."""
    house = House(RedisShop(server_client))
    house.open(3)
    acts = iter([house.act])

    def rebuild_later(log: Any, name: str) -> Table:
        for act in acts:
            assert act().ok
        return rebuild(log, name)

    monkeypatch.setattr("doorcard.streams.recover.rebuild", rebuild_later)
    assert restore_derived(server_client, ["p00"]).put_back == 0
    assert next(acts, None) is None


def test_a_log_that_cannot_be_read_is_named_and_the_others_recover(
    server: EmbeddedServer, server_client: Any
) -> None:
    house = House(RedisShop(server_client))
    house.open(2)
    server_client.xadd("dc:{p00-2e4}:log:p00.broken", {"c": b"no commit"}, "1-0")
    settings = {"DOORCARD_REDIS_URL": server.url, "DOORCARD_PARTITIONS": "1"}
    done = services("recover", **settings)
    assert done.returncode == 1
    assert "problem: table p00.broken: commit 1 cannot be read: " in done.stdout
    assert done.stdout.startswith("logs 2, ")
