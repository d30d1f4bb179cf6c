"""The action clock: absolute deadlines, one time-out each, whoever is awake (S-32, S-33, R18)."""

from __future__ import annotations

import pytest

from doorcard.commands import Leave, SitIn, SitOut
from doorcard.engine.legal import legal
from doorcard.events import BringInPosted, Checked, Folded
from doorcard.streams.messages import encode_fired
from tests.services.harness import ACTION_MS, TABLE, House, assert_all_is_done, calm, sit_down
from tests.services.shops import ROLES, MemoryShop


def timers(house: House) -> dict[str, int]:
    assert isinstance(house.shop, MemoryShop)
    return dict(house.shop.store.timers["p00"])


def pass_to(house: House, at_ms: int) -> None:
    assert isinstance(house.shop, MemoryShop)
    house.shop.pass_ms(at_ms - house.shop.time.ms)


def test_s32_the_deadline_is_a_time_not_a_duration(house: House) -> None:
    """All workers are killed ten seconds into somebody's time and start again a minute later."""
    house.open()
    table = house.table()
    assert timers(house) == {f"{TABLE}|act": table.deadline_ms}
    assert table.deadline_ms == table.time_ms + ACTION_MS
    house.shop.pass_ms(10_000)
    assert house.fire() == 0
    for role in ROLES:
        house.hire(role)
    house.shop.pass_ms(60_000)
    extra = [house.new_worker("betting") for _ in range(2)]
    assert house.fire() == 1
    assert house.fire() == 0, "a second clock finds nothing"
    for worker in extra:
        worker.step(0)
    house.settle()
    causes = [commit.cause for commit in house.commits()]
    assert causes.count(f"timer-{table.deadline_ms}") == 1
    assert_all_is_done(house)


def test_s32_every_clock_and_worker_may_fire_and_one_time_out_happens(house: House) -> None:
    house.open()
    table = house.table()
    house.shop.pass_ms(ACTION_MS)
    house.fire()
    for _ in range(5):
        house.queues.send("betting", TABLE, encode_fired(TABLE, table.deadline_ms))
    workers = [house.workers["betting"], house.new_worker("betting")]
    while house.shop.unfinished():
        for worker in workers:
            worker.step(0)
    assert [commit.cause for commit in house.commits()].count(f"timer-{table.deadline_ms}") == 1
    assert house.table().decision == table.decision + 1


def test_a_timer_that_fires_early_is_ignored(house: House) -> None:
    house.open()
    table = house.table()
    for _ in range(3):
        house.queues.send("betting", TABLE, encode_fired(TABLE, table.deadline_ms))
    house.settle()
    assert house.table() == table
    pass_to(house, table.deadline_ms)
    assert house.fire() == 1
    house.settle()
    assert house.table().decision == table.decision + 1


def test_a_timer_that_is_early_by_a_workers_clock_alone_is_not_lost(house: House) -> None:
    """The store's clock is a little ahead: its message waits until the worker's agrees."""
    house.open()
    table = house.table()
    pass_to(house, table.deadline_ms - 40)
    house.queues.send("betting", TABLE, encode_fired(TABLE, table.deadline_ms))
    worker = house.workers["betting"]
    for _ in range(3):
        worker.step(0)
        assert worker.waiting == 1
        assert house.table() == table
    pass_to(house, table.deadline_ms)
    worker.step(0)
    house.settle()
    assert house.table().decision == table.decision + 1
    assert house.commits()[-1].cause == f"timer-{table.deadline_ms}"


def test_a_timer_that_was_not_moved_with_every_action_times_nobody_out_early(house: House) -> None:
    """It runs out for an earlier decision, and is then set to the present one's deadline."""
    house.open()
    first = house.table()
    house.shop.pass_ms(3_000)
    house.act()
    table = house.table()
    assert table.deadline_ms == first.deadline_ms + 3_000
    assert timers(house) == {f"{TABLE}|act": first.deadline_ms}
    house.shop.pass_ms(first.deadline_ms - table.time_ms)
    assert house.fire() == 1
    house.settle()
    assert house.table() == table
    assert timers(house) == {f"{TABLE}|act": table.deadline_ms}
    house.shop.pass_ms(3_000)
    assert house.fire() == 1
    house.settle()
    assert house.table().decision == table.decision + 1


def test_s33_the_bring_in_is_posted_a_bet_folds_nothing_checks(house: House) -> None:
    house.open()
    house.shop.pass_ms(ACTION_MS)
    house.fire()
    house.settle()
    assert isinstance(house.commits()[-1].events[0], BringInPosted)
    house.shop.pass_ms(ACTION_MS)
    house.fire()
    house.settle()
    assert isinstance(house.commits()[-1].events[0], Folded)
    while house.hand().street == 1:
        house.act()
    house.shop.pass_ms(ACTION_MS)
    house.fire()
    house.settle()
    assert isinstance(house.commits()[-1].events[0], Checked)


def test_s33_no_clock_runs_when_nobody_is_asked(house: House) -> None:
    """Not before cards are dealt, not after the hand, not for the all-in.

    While a street is dealt the timer stays where it is, and is nobody's.
    """
    house.open(2)
    for _ in range(60):
        table = house.table()
        is_between = table.hand is not None and table.hand.phase == "deal" and table.hand.street
        if legal(table):
            assert set(timers(house)) == {f"{TABLE}|act"}
        elif not is_between:
            assert not timers(house)
        if table.awaited == "betting":
            house.send(calm(table))
            house.step(("betting",))
        else:
            house.step(("dealer", "showdown"))
    assert house.table().hands > 1


def test_a_timer_that_runs_out_while_a_street_is_dealt_is_nobodys(house: House) -> None:
    house.open()
    while house.table().awaited == "betting":
        house.send(calm(house.table()))
        house.step(("betting",))
    between = house.table()
    house.shop.pass_ms(ACTION_MS)
    assert house.fire() == 1
    house.step(("betting",))
    assert house.table().seq == between.seq
    house.settle()
    asked_ms = house.table().time_ms
    assert timers(house) == {f"{TABLE}|act": asked_ms + ACTION_MS}


def test_an_action_after_the_time_out_is_late(house: House) -> None:
    house.open()
    act = calm(house.table())
    house.shop.pass_ms(ACTION_MS)
    house.fire()
    house.send(act, "late")
    house.settle()
    (reply,) = [reply for reply in house.replies() if reply.id == "late"]
    assert reply.code == "betting/late"
    assert len(house.commits()[-1].events) == 1


def test_an_action_that_comes_before_the_timers_message_counts(house: House) -> None:
    """The time is up, but the player's action was in the queue first."""
    house.open()
    act = calm(house.table())
    house.send(act, "just-in-time")
    house.shop.pass_ms(ACTION_MS)
    house.fire()
    house.settle()
    (reply,) = [reply for reply in house.replies() if reply.id == "just-in-time"]
    assert reply.ok
    assert_all_is_done(house)


@pytest.mark.parametrize("how", ["sit out", "leave"])
def test_r18_4_who_is_absent_on_turn_is_timed_out_at_once(house: House, how: str) -> None:
    house.open()
    house.act()
    table = house.table()
    hand = table.hand
    assert hand is not None
    seat = hand.players[hand.to_act].seat
    player = f"player-{seat}"
    house.ask(SitOut(seat, player) if how == "sit out" else Leave(seat, player, "bye"), "bye")
    assert Folded(seat) in house.commits()[-1].events
    assert house.table().decision == table.decision + 1
    assert timers(house) == {f"{TABLE}|act": house.table().deadline_ms}
    assert_all_is_done(house)


def test_r18_4_who_left_earlier_is_timed_out_when_asked(house: House) -> None:
    """Somebody leaves while another is asked: nothing happens until it is the absent one's turn."""
    house.open()
    house.act()
    table = house.table()
    hand = table.hand
    assert hand is not None
    later = hand.players[(hand.to_act + 1) % 3].seat
    assert house.ask(Leave(later, f"player-{later}", "bye"), "bye").ok
    assert house.table().decision == table.decision
    assert timers(house) == {f"{TABLE}|act": table.deadline_ms}
    house.act()
    folded = [event.seat for event in house.events() if isinstance(event, Folded)]
    assert folded == [later]
    assert_all_is_done(house)


def test_the_clock_of_a_paused_table_waits(house: House) -> None:
    """Nothing is committed to a paused table, so its timers are put off until it goes on."""
    house.open()
    table = house.table()
    house.log.pause(TABLE, "a look")
    house.shop.pass_ms(ACTION_MS)
    assert house.fire() == 0
    house.settle()
    assert house.table() == table
    house.log.resume(TABLE)
    house.shop.pass_ms(5_000)
    assert house.fire() == 1
    house.settle()
    assert house.table().decision == table.decision + 1


def test_coming_back_in_time_gives_the_seat_its_time_again(house: House) -> None:
    """Who sat out and is back before it is his turn is asked as everybody else."""
    house.open()
    house.act()
    hand = house.table().hand
    assert hand is not None
    later = hand.players[(hand.to_act + 1) % 3].seat
    assert house.ask(SitOut(later, f"player-{later}"), "out").ok
    assert house.ask(SitIn(later, f"player-{later}"), "in").ok
    house.act()
    table = house.table()
    assert table.hand is not None
    assert table.hand.players[table.hand.to_act].seat == later
    assert table.deadline_ms == table.time_ms + ACTION_MS


def test_a_newcomer_has_no_clock(house: House) -> None:
    house.open(2)
    before = timers(house)
    assert house.ask(sit_down(2), "sit-2").ok
    assert timers(house) == before
