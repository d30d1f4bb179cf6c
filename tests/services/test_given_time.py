"""Nobody is timed out for time in which the store took no writes; what is given is an event."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from redis.exceptions import RedisError

from doorcard.audit.verify import verify_table
from doorcard.commands import Leave
from doorcard.errors import Refused
from doorcard.events import (
    BringInPosted,
    DeclarationMade,
    Event,
    RollChosen,
    TimeGiven,
)
from doorcard.streams.connection import connect
from doorcard.streams.delivery import SILENCE_MS
from doorcard.streams.keys import writes_key
from doorcard.streams.recover import restore_derived
from doorcard.streams.wakes import encode_fired, encode_wake
from doorcard.tables import Role
from services.embedded import EmbeddedServer
from tests.services.choosing import DECLARE, ROLL, of_kind, opened, settled_hand
from tests.services.harness import (
    ACTION_MS,
    RING,
    TABLE,
    House,
    assert_all_is_done,
    settings_for,
)
from tests.services.shops import MemoryShop, RedisShop

SHORT_MS: Final = 1_000


def memory(house: House) -> MemoryShop:
    assert isinstance(house.shop, MemoryShop)
    return house.shop


def waiting(house: House, **more: Any) -> int:
    """A hand whose first seat is asked, and a clock that has looked in; the decision."""
    house.open(**more)
    assert house.fire() == 0
    return house.table().decision


def last(house: House) -> tuple[Event, ...]:
    house.settle()
    return house.commits()[-1].events


def verified(house: House) -> None:
    """Every decision of the log can be made again."""
    report = verify_table(house.log, TABLE, ring=RING)
    assert report.problem is None


def test_the_time_of_an_outage_is_given_back_and_then_the_time_is_up(house: House) -> None:
    decision = waiting(house)
    due_ms = house.table().deadline_ms
    shop = memory(house)
    shop.pass_ms(10_000)
    shop.be_away_ms(100_000)
    assert house.fire() == 1
    away = (due_ms - ACTION_MS + 10_000, due_ms - ACTION_MS + 110_000)
    assert last(house) == (TimeGiven(house.table().asked, 100_000, (away,)),)
    table = house.table()
    assert (table.decision, table.deadline_ms) == (decision, due_ms + 100_000)
    assert shop.store.timers["p00"] == {f"{TABLE}|act": due_ms + 100_000}
    shop.pass_ms(20_000 - 1)
    assert house.fire() == 0
    shop.pass_ms(1)
    assert house.fire() == 1
    assert isinstance(last(house)[0], BringInPosted)
    assert house.table().decision == decision + 1
    assert [event.ms for event in of_kind(house, TimeGiven)] == [100_000]
    verified(house)
    assert_all_is_done(house)


def test_whoever_answers_in_the_time_given_is_heard(house: House) -> None:
    waiting(house)
    memory(house).be_away_ms(100_000)
    house.fire()
    house.settle()
    assert house.act().ok
    assert_all_is_done(house)


def test_an_outage_that_ended_before_the_deadline_counts_as_well(house: House) -> None:
    """Most of the time was lost: the few seconds left are not all that the player gets."""
    waiting(house)
    memory(house).be_away_ms(29_000)
    assert house.fire() == 0
    memory(house).pass_ms(1_000)
    assert house.fire() == 1
    house.settle()
    assert [event.ms for event in of_kind(house, TimeGiven)] == [29_000]


def test_a_clock_that_looks_in_all_along_gives_no_time(house: House) -> None:
    """Only the workers are away: what players send is taken, and stands before the timer."""
    decision = waiting(house)
    for _ in range(40):
        memory(house).time.ms += SILENCE_MS
        house.fire()
    house.settle()
    assert house.table().decision == decision + 1
    assert of_kind(house, TimeGiven) == []


def test_the_message_is_repeated_and_the_time_is_given_once(house: House) -> None:
    decision = waiting(house)
    due_ms = house.table().deadline_ms
    memory(house).be_away_ms(100_000)
    house.fire()
    outages = tuple(memory(house).store.outages["p00"])
    for _ in range(4):
        house.queues.send("betting", TABLE, encode_fired(TABLE, due_ms, outages))
    for worker in (house.workers["betting"], house.new_worker("betting")):
        worker.step(0)
    house.settle()
    assert len(of_kind(house, TimeGiven)) == 1
    assert house.table().decision == decision
    assert_all_is_done(house)


def test_only_the_decisions_own_timer_calls_its_time_up(house: House) -> None:
    """Others, which come late, do not know what happened since the seat was asked."""
    decision = waiting(house)
    table = house.table()
    memory(house).be_away_ms(100_000)
    house.queues.send("betting", TABLE, encode_wake(TABLE, table.seq))
    house.queues.send("betting", TABLE, encode_fired(TABLE, table.deadline_ms - 1))
    house.settle()
    assert house.table() == table
    assert house.fire() == 1
    house.settle()
    assert house.table().decision == decision
    assert len(of_kind(house, TimeGiven)) == 1


def test_two_outages_in_one_decision_are_both_given_back(house: House) -> None:
    decision = waiting(house)
    shop = memory(house)
    for _ in range(2):
        shop.pass_ms(8_000)
        shop.be_away_ms(40_000)
        house.fire()
        house.settle()
    assert [event.ms for event in of_kind(house, TimeGiven)] == [40_000, 40_000]
    assert house.table().decision == decision
    shop.pass_ms(14_000)
    house.fire()
    house.settle()
    assert house.table().decision == decision + 1
    verified(house)


def test_a_lost_note_gives_no_time_and_breaks_nothing(house: House) -> None:
    decision = waiting(house)
    memory(house).be_away_ms(100_000)
    memory(house).store.wrote_ms.clear()
    house.fire()
    house.settle()
    assert house.table().decision == decision + 1
    assert of_kind(house, TimeGiven) == []


@pytest.mark.parametrize(
    ("game", "phase", "role"), [(ROLL, "roll", "dealer"), (DECLARE, "declare", "betting")], ids=str
)
def test_r18_7_all_who_owe_a_choice_get_time_back_and_the_absent_have_none(
    house: House, game: dict[str, Any], phase: str, role: Role
) -> None:
    table = opened(house, game, phase)
    house.fire()
    memory(house).be_away_ms(100_000)
    assert house.fire() == 1
    house.settle()
    assert house.commits()[-1].role == role
    (event,) = of_kind(house, TimeGiven)
    assert (event.seats, event.ms) == (table.asked, 100_000)
    leaver = table.asked[0]
    assert house.ask(Leave(leaver, f"player-{leaver}", "bye")).ok
    *_, made = of_kind(house, RollChosen, DeclarationMade)
    assert made.seat == leaver
    others = table.asked[1:]
    assert house.table().asked == others
    memory(house).pass_ms(ACTION_MS)
    house.fire()
    house.settle()
    made_by = [event.seat for event in of_kind(house, RollChosen, DeclarationMade)]
    assert sorted(made_by) == sorted(table.asked)
    settled_hand(house)


def test_r18_7_who_leaves_while_the_others_are_owed_time_chooses_at_once(house: House) -> None:
    """The deadline has passed, but a wake-up does not know whether it was the others' own time."""
    table = opened(house, DECLARE, "declare")
    house.fire()
    memory(house).be_away_ms(100_000)
    leaver, *others = table.asked
    assert house.ask(Leave(leaver, f"player-{leaver}", "bye")).ok
    assert [event.seat for event in of_kind(house, DeclarationMade)] == [leaver]
    assert house.fire() == 1
    house.settle()
    (event,) = of_kind(house, TimeGiven)
    assert (event.seats, event.ms) == (tuple(others), 100_000)
    assert house.table().asked == tuple(others)
    memory(house).pass_ms(ACTION_MS)
    house.fire()
    settled_hand(house)
    assert len(of_kind(house, DeclarationMade)) == len(table.asked)


# --- on a real server ----------------------------------------------------------------------------


def until_fired(house: House) -> None:
    """A clock that started anew looks every few ms, as its program does."""
    queues = house.shop.queues()
    give_up = time.monotonic() + 20
    while not queues.fire_many(house.shop.partitions, 100):
        assert time.monotonic() < give_up, "no timer ran out"
        time.sleep(0.02)
    house.settle()


def assert_given_once_then_timed_out(house: House, decision: int, away_ms: int) -> None:
    until_fired(house)
    (event,) = of_kind(house, TimeGiven)
    assert away_ms <= event.ms < away_ms + 2_000
    assert house.table().decision == decision, "timed out for what the store could not take"
    left_ms = house.table().deadline_ms - house.log.now_ms()
    assert 0 < left_ms <= SHORT_MS
    until_fired(house)
    assert house.table().decision == decision + 1, "a silent player is timed out in the end"
    assert len(of_kind(house, TimeGiven)) == 1
    verified(house)
    assert_all_is_done(house)


def test_a_full_server_times_nobody_out_for_it(server_client: Any) -> None:
    house = House(RedisShop(server_client), settings_for(claim_idle_ms=100))
    decision = waiting(house, action_ms=SHORT_MS)
    server_client.config_set("maxmemory", 1)
    full_s = time.monotonic()
    try:
        while time.monotonic() - full_s < SILENCE_MS / 1000 + 0.3:
            with pytest.raises(RedisError, match="maxmemory"):
                house.fire()
            time.sleep(0.05)
        assert isinstance(house.queues.send("betting", TABLE, b"an action"), Refused)
        assert house.table().decision == decision
    finally:
        server_client.config_set("maxmemory", 0)
    away_ms = int(1000 * (time.monotonic() - full_s))
    assert_given_once_then_timed_out(house, decision, away_ms)


def test_a_server_that_was_stopped_times_nobody_out_for_it() -> None:
    """Stopped in the middle of a decision, and started again on its folder; so are all workers."""
    with TemporaryDirectory(prefix="doorcard-") as parent:
        folder = Path(parent) / "data"
        with EmbeddedServer.start(folder, fsync="always") as first:
            house = House(RedisShop(connect(first.url)))
            decision = waiting(house, action_ms=SHORT_MS)
            os.kill(first.pid, signal.SIGKILL)
            killed_s = time.monotonic()
            time.sleep(SILENCE_MS / 1000 + 0.3)
        with EmbeddedServer.start(folder, fsync="always") as second:
            shop = RedisShop.__new__(RedisShop)
            shop.client = connect(second.url)
            away_ms = int(1000 * (time.monotonic() - killed_s))
            again = House(shop)
            assert_given_once_then_timed_out(again, decision, away_ms)


def test_everything_derived_is_lost_and_time_goes_on(server_client: Any) -> None:
    """Without the notes nobody is given time; the timer itself comes back from the log."""
    house = House(RedisShop(server_client))
    decision = waiting(house, action_ms=SHORT_MS)
    assert server_client.hget(writes_key("p00"), "at")
    for key in server_client.keys("*"):
        if b":log:" not in key:
            server_client.delete(key)
    assert restore_derived(server_client, ["p00"]).timers == 1
    until_fired(house)
    assert house.table().decision == decision + 1
    assert of_kind(house, TimeGiven) == []
