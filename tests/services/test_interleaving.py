"""Any number of workers, any order of deliveries: one commit a decision, none built on sand."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from redis.exceptions import ConnectionError as Gone

from doorcard.commands import (
    Act,
    AddChips,
    CloseTable,
    Leave,
    OpenTable,
    PauseTable,
    SitDown,
    SitOut,
)
from doorcard.engine.legal import legal
from doorcard.engine.table import NOBODY, Table
from doorcard.events import HandEnded, HandStarted
from doorcard.streams.log import Append, Log, Outcome, Stored
from doorcard.streams.messages import encode_fired, encode_wake
from services.worker import ROUNDS_MAX, Worker
from tests.services.harness import (
    ACTION_MS,
    LIMITS,
    TABLE,
    House,
    assert_all_is_done,
    calm,
    lively,
    settings_for,
    sit_down,
)
from tests.services.shops import MemoryShop, Shop


def guesses(table: Table, count: int) -> list[Act]:
    """The next actions of everybody in turn, as if they knew what the others will do."""
    hand = table.hand
    assert hand is not None
    assert hand.to_act != NOBODY
    acts: list[Act] = []
    for step in range(count):
        seat = hand.players[(hand.to_act + step) % len(hand.players)].seat
        action = "bring_in" if hand.bring_in_due and not step else "call"
        acts.append(Act(seat, table.decision + step, action))  # type: ignore[arg-type]
    return acts


# --- one batch -----------------------------------------------------------------------------------


def test_actions_of_one_table_read_together_are_decided_on_each_other(shop: Shop) -> None:
    """Three players act before any of them was told of the others: one batch, three commits."""
    house = House(shop)
    house.open()
    before = len(house.commits())
    for number, act in enumerate(guesses(house.table(), 3)):
        house.send(act, f"act-{number}")
    assert house.workers["betting"].step(0) == 3
    assert [commit.cause for commit in house.commits()[before:]] == ["act-0", "act-1", "act-2"]
    assert house.workers["betting"].tally.conflicts == 0
    house.settle()
    assert [reply.ok for reply in house.replies()[-3:]] == [True] * 3
    assert_all_is_done(house)


def test_a_batch_that_meets_a_conflict_is_decided_again_in_order(shop: Shop) -> None:
    """The floor commits in between: all that was stacked upon the old state is decided anew."""
    house = House(shop)
    house.open()

    def meanwhile() -> None:
        house.send(SitOut(2, "player-2"))
        house.workers["floor"].step(0)

    slow = slow_worker(house, meanwhile)
    for number, act in enumerate(guesses(house.table(), 2)):
        house.send(act, f"act-{number}")
    assert slow.step(0) == 2
    assert slow.tally.conflicts == 2
    causes = [commit.cause for commit in house.commits()]
    assert causes[-2:] == ["act-0", "act-1"]
    house.settle()
    assert_all_is_done(house)


class FullOnce:
    """A log whose store takes no writes for the first commit of a worker."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._full = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        if not self._full:
            return self._log.append(appends)
        self._full = False
        return [Outcome("full", "no memory"), *self._log.append(appends[1:])]


def test_what_was_refused_on_a_state_that_did_not_come_is_decided_again(shop: Shop) -> None:
    """The second request is late once the first is in; but the store did not take the first."""
    house = House(shop)
    house.open()
    house.wrap = lambda _, adapter: FullOnce(adapter) if hasattr(adapter, "append") else adapter
    worker = house.hire("betting")
    act = calm(house.table())
    house.send(act, "first")
    house.send(Act(act.seat, act.decision, "complete", 5), "second")
    worker.step(0)
    assert house.commits()[-1].cause == "second"
    house.settle()
    answers = {reply.id: reply for reply in house.replies()}
    assert (answers["second"].ok, answers["first"].code) == (True, "betting/late")
    assert_all_is_done(house)


class GoneOnce:
    """A log that once cannot be reached while a table's end is looked at."""

    def __init__(self, log: Log, table: str) -> None:
        self._log = log
        self._table = table

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        if table == self._table:
            self._table = ""
            raise Gone
        return self._log.read(table, after, count)


def test_what_is_refused_when_the_store_goes_away_is_not_granted_later(shop: Shop) -> None:
    """Its answer waits to be sent; decided once more, it would be refused and granted both."""
    house = House(shop)
    house.open(1)
    assert house.ask(OpenTable("razz", LIMITS), "other", table="p00.other").ok
    house.wrap = lambda _, log: GoneOnce(log, "p00.other") if hasattr(log, "append") else log
    floor = house.new_worker("floor")
    house.send(SitDown(0, "eve", 100, "eve"), "eve")
    house.send(OpenTable("razz", LIMITS), "again", table="p00.other")
    with pytest.raises(Gone):
        floor.step(0)
    assert floor.stuck
    assert house.ask(Leave(0, "player-0", "leave"), "leave").ok
    floor.step(0)
    assert [(reply.id, reply.code) for reply in house.replies()] == [
        ("eve", "floor/seat_taken"),
        ("again", "floor/table_exists"),
    ]
    assert house.table().seats == {}
    assert_all_is_done(house)


@pytest.mark.parametrize("copies", [2, 3])
def test_all_that_was_refused_on_an_old_state_is_decided_again(shop: Shop, copies: int) -> None:
    """The floor believes that a hand is running; several requests are refused for it at once."""
    house = House(shop)
    house.open(2)
    house.ask(PauseTable("last hand"), "pause")
    floor = house.workers.pop("floor")
    while house.table().awaited is not None:
        house.send(calm(house.table())) if house.table().awaited == "betting" else None
        house.settle(("dealer", "betting", "showdown"))
    for _ in range(copies):
        house.send(CloseTable(), "close")
    floor.step(0)
    replies = [reply for reply in house.replies() if reply.id == "close"]
    assert [(reply.ok, reply.seq) for reply in replies] == [(True, house.table().seq)] * copies
    assert_all_is_done(house)


# --- two workers ---------------------------------------------------------------------------------


def test_s45_two_workers_share_one_table(shop: Shop) -> None:
    """S-45: taking turns at random, each with a cache of its own; every decision is made once."""
    house = House(shop, settings_for(batch=2))
    house.open(4)
    chance = Random(7)
    pair = [house.workers["betting"], house.new_worker("betting")]
    sent: set[int] = set()
    for _ in range(250):
        house.settle(("floor", "dealer", "showdown"))
        table = house.table()
        if table.awaited == "betting" and table.decision not in sent:
            sent.add(table.decision)
            for _ in range(chance.choice([1, 1, 2])):  # some are sent twice
                house.send(lively(table), f"act-{table.decision}")
        chance.choice(pair).step(0)
    for worker in pair:
        worker.step(0)
    house.settle()
    commits = house.commits()
    causes = [commit.cause for commit in commits if commit.cause.startswith("act-")]
    assert len(causes) > 100
    assert len(set(causes)) == len(causes)
    assert all(worker.tally.commits > 20 for worker in pair)
    assert_all_is_done(house)


class Paused:
    """An adapter whose next ``append`` lets somebody else go first."""

    def __init__(self, log: Any, meanwhile: Any) -> None:
        self._log = log
        self._meanwhile = meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def append(self, appends: Any) -> Any:
        meanwhile, self._meanwhile = self._meanwhile, lambda: None
        meanwhile()
        return self._log.append(appends)


def slow_worker(house: House, meanwhile: Any) -> Worker:
    """A betting worker that decides, and then sleeps while the others work."""
    house.wrap = lambda _, adapter: (
        Paused(adapter, meanwhile) if hasattr(adapter, "append") else adapter
    )
    slow = house.new_worker("betting")
    house.wrap = lambda _, adapter: adapter
    return slow


def test_s47_two_workers_decide_the_same_turn(shop: Shop) -> None:
    """One commit wins; the other's request is validated anew, and B is not on turn any more."""
    house = House(shop)
    house.open()
    table = house.table()
    act = calm(table)
    other = Act(act.seat, act.decision, "complete", 5)

    def meanwhile() -> None:
        house.send(other, "other")
        house.workers["betting"].step(0)

    slow = slow_worker(house, meanwhile)
    house.send(act, "slow")
    assert slow.step(0) == 1
    assert slow.tally.conflicts == 1
    answers = {reply.id: reply for reply in house.replies()}
    assert (answers["other"].ok, answers["slow"].code) == (True, "betting/late")
    assert [commit.cause for commit in house.commits()][-1] == "other"
    house.settle()
    assert_all_is_done(house)


def test_s45_a_slow_workers_message_is_claimed_and_handled_once(shop: Shop) -> None:
    """The handler takes longer than the idle time: another worker handles the same message."""
    house = House(shop, settings_for(claim_idle_ms=5_000 if isinstance(shop, MemoryShop) else 0))
    house.open()

    def meanwhile() -> None:
        assert house.claim() == 1

    slow = slow_worker(house, meanwhile)
    house.send(calm(house.table()), "once")
    slow.step(0)
    house.settle()
    assert [commit.cause for commit in house.commits()].count("once") == 1
    replies = [reply for reply in house.replies() if reply.id == "once"]
    assert len({reply.seq for reply in replies}) == 1
    assert all(reply.ok for reply in replies)
    assert_all_is_done(house)


class AlwaysLate:
    """A log that somebody else has just committed to, each time."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        return [Outcome("conflict", "somebody was faster")] * len(appends)


def test_s47_whoever_is_always_late_fails_nobody(shop: Shop) -> None:
    """A message that meets conflicts without end is left for another delivery, without alarm."""
    house = House(shop, settings_for(claim_idle_ms=5_000 if isinstance(shop, MemoryShop) else 0))
    house.open()
    house.wrap = lambda _, adapter: AlwaysLate(adapter) if hasattr(adapter, "append") else adapter
    late = house.new_worker("betting")
    house.send(calm(house.table()), "act")
    assert late.step(0) == 1
    assert (late.waiting, late.stuck, late.tally.conflicts) == (0, False, ROUNDS_MAX)
    assert len(house.notes.said("many conflicts, left for another delivery")) == 1
    assert house.claim() == 1
    assert house.commits()[-1].cause == "act"
    assert_all_is_done(house)


def test_two_dealers_deal_one_hand(shop: Shop) -> None:
    """A wake-up that comes twice, to two dealers at once, deals one hand with one seed."""
    house = House(shop)
    house.seat_undealt()
    house.queues.send("dealer", TABLE, encode_wake(TABLE, house.table().seq))
    second = house.new_worker("dealer")
    house.workers["dealer"].step(0)
    second.step(0)
    house.settle()
    assert len([event for event in house.events() if isinstance(event, HandStarted)]) == 1
    assert_all_is_done(house)


# --- late, repeated, out of order ----------------------------------------------------------------


def test_wake_ups_and_timers_that_come_late_or_often_change_nothing(shop: Shop) -> None:
    house = House(shop)
    house.open()
    house.act()
    table = house.table()
    before = house.log.read(TABLE)
    for seq in (1, table.seq, table.seq, table.seq + 5, 10_000):
        for role in ("floor", "dealer", "betting", "showdown"):
            house.queues.send(role, TABLE, encode_wake(TABLE, seq))
    for decision in (0, table.decision - 1, table.decision, table.decision, table.decision + 9):
        house.queues.send("betting", TABLE, encode_fired(TABLE, decision))
    house.settle()
    assert house.log.read(TABLE) == before
    assert shop.unfinished() == {}


def test_messages_in_any_order_play_the_same_hand(house: House) -> None:
    """Everything that is ever sent comes again later, in another order, between the rest."""
    house.open(3)
    chance = Random(3)
    old: list[tuple[Any, bytes]] = []
    while house.table().hands < 4:
        table = house.table()
        if table.awaited == "betting":
            old.append(("betting", encode_fired(TABLE, table.decision)))
            house.send(lively(table), f"act-{table.decision}")
        old.extend(
            (role, encode_wake(TABLE, table.seq)) for role in ("dealer", "showdown", "floor")
        )
        for role, raw in chance.sample(old, min(5, len(old))):
            house.queues.send(role, TABLE, raw)
        house.settle()
        for seat, place in house.table().seats.items():
            if place.stack == 0 and not house.table().in_hand:
                more = AddChips(seat, place.player, 100, f"more-{table.seq}-{seat}")
                house.ask(more, more.request)
    assert_all_is_done(house)
    ended = [event for event in house.events() if isinstance(event, HandEnded)]
    assert len(ended) == house.table().hands - 1


def test_a_notice_about_a_table_that_is_not_there_is_acknowledged(shop: Shop) -> None:
    house = House(shop)
    for role in ("floor", "dealer", "betting", "showdown"):
        house.queues.send(role, TABLE, encode_wake("p00.nobody", 3))
    house.queues.send("betting", TABLE, encode_fired("p00.nobody", 3))
    house.settle()
    assert shop.unfinished() == {}
    assert house.log.tables() == []


# --- many tables -------------------------------------------------------------------------------


def test_a_batch_of_many_tables_is_not_held_up_by_one(shop: Shop) -> None:
    house = House(shop)
    names = [f"p00.t{number}" for number in range(6)]
    for name in names:
        house.send(OpenTable("razz", LIMITS, seats=2, action_ms=ACTION_MS), "open", table=name)
        for seat in range(2):
            house.send(sit_down(seat), f"sit-{seat}", table=name)
    house.settle()
    for name in names:
        table = house.table(name)
        options = legal(table)
        assert options is not None
        house.send(calm(table), "act", table=name)
    assert house.workers["betting"].step(0) == len(names)
    assert {house.commits(name)[-1].cause for name in names} == {"act"}
