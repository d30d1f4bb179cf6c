"""Tables that everybody commits to, and tables that are resumed while somebody is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from doorcard.commands import AddChips
from doorcard.streams.log import Append, Log, Outcome, Stored
from services.answers import LookedBack
from tests.services.harness import TABLE, House, assert_all_is_done, settings_for
from tests.services.shops import MemoryShop, Shop


class Wrapped:
    """A log that does one thing otherwise."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.read_backs = Counter[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
        self.read_backs[table] += 1
        return self._log.read_back(table, before, count)


class Busy(Wrapped):
    """A log that others commit to all the time: of what was decided long ago nothing fits."""

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        if len(appends) > 1:
            return [Outcome("conflict", "somebody was faster")] * len(appends)
        return self._log.append(appends)


class ResumedMeanwhile(Wrapped):
    """A log that refuses one commit for a pause that is over by the time its sender hears of it."""

    refuses = True

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        if not self.refuses:
            return self._log.append(appends)
        self.refuses = False
        return [Outcome("paused", "somebody looks")] * len(appends)


def wrapped(house: House, kind: type[Wrapped]) -> list[Wrapped]:
    """From now on workers have logs of this kind; those that were made."""
    made: list[Wrapped] = []

    def wrap(_: str, adapter: Any) -> Any:
        if not hasattr(adapter, "append"):
            return adapter
        made.append(kind(adapter))
        return made[-1]

    house.wrap = wrap
    return made


def flooded(shop: Shop, kind: type[Wrapped]) -> tuple[House, Wrapped]:
    """A table that many requests came to, all granted in one batch; and its floor's log."""
    house = House(shop, settings_for(batch=100))
    house.open(buy_in_max=1_000)
    made = wrapped(house, kind)
    house.hire("floor")
    (log,) = made
    for number in range(64):
        house.send(AddChips(0, "player-0", 1, f"more-{number}"), f"more-{number}")
    house.workers["floor"].step(0)
    replies = {reply.id: reply.ok for reply in house.replies()}
    assert [replies.get(f"more-{number}") for number in range(64)] == [True] * 64
    assert log.read_backs[TABLE] == 2, "to fold the table, and what all rounds look back at"
    return house, log


def test_many_requests_to_a_busy_table_are_granted_one_by_one(shop: Shop) -> None:
    house, _ = flooded(shop, Busy)
    house.settle()
    assert house.notes.said("message buried, table paused") == []
    assert_all_is_done(house)


class NeverFits(Wrapped):
    """A log that somebody else has just committed to, each time."""

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        return [Outcome("conflict", "somebody was faster")] * len(appends)


def test_conflicts_bury_no_message() -> None:
    house = House(MemoryShop())
    house.open()
    wrapped(house, NeverFits)
    house.hire("floor")
    house.send(AddChips(0, "player-0", 1, "more"), "more")
    house.workers["floor"].step(0)
    for _ in range(3 * house.settings.deliveries_max):
        assert house.claim() == 1
    assert house.notes.said("message buried, table paused") == []
    house.wrap = lambda _, adapter: adapter
    house.hire("floor")
    assert house.claim() == 1
    assert [(reply.id, reply.ok) for reply in house.replies()][-1] == ("more", True)
    house.settle()
    assert_all_is_done(house)


def test_a_notice_that_was_refused_for_a_pause_is_decided_again_if_the_pause_is_over(
    shop: Shop,
) -> None:
    """Whoever resumed the table found the notice in its queue, and put no other there."""
    house = House(shop)
    house.seat_undealt()
    wrapped(house, ResumedMeanwhile)
    house.hire("dealer").step(0)
    assert house.table().in_hand
    house.settle()
    assert_all_is_done(house)


def test_a_notice_to_a_paused_table_is_put_away(shop: Shop) -> None:
    house = House(shop)
    house.seat_undealt()
    house.log.pause(TABLE, "somebody looks")
    house.settle()
    assert house.queues.length("dealer", "p00") == 0
    assert not house.table().in_hand
    house.log.resume(TABLE)


class Late(Wrapped):
    """A log that somebody else was faster at once, and that is looked at each time it is used."""

    def __init__(self, log: Log) -> None:
        super().__init__(log)
        self.sizes: list[int] = []
        self.look: Callable[[], object] = lambda: None
        self.seen: list[object] = []

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        self.sizes.append(len(appends))
        self.seen.append(self.look())
        if len(self.sizes) == 1:
            return [Outcome("conflict", "somebody was faster")] * len(appends)
        return self._log.append(appends)


def test_where_nobody_is_faster_any_more_a_busy_tables_requests_are_decided_together(
    shop: Shop,
) -> None:
    """Half as many at once after a conflict, then twice as many each time."""
    house, log = flooded(shop, Late)
    assert cast("Late", log).sizes == [64, 32, 32]
    house.settle()
    assert_all_is_done(house)


def test_an_answer_does_not_wait_for_another_tables_requests(shop: Shop) -> None:
    """Those that others were faster than are decided again when the batch's answers are out."""
    house = House(shop, settings_for(batch=100))
    house.open(buy_in_max=1_000)
    made = cast("list[Late]", wrapped(house, Late))
    house.hire("floor")
    (log,) = made
    house.replies()
    log.look = lambda: [reply.code for reply in house.replies()]
    house.send(AddChips(0, "player-0", 1, "more"), "more")
    house.send(AddChips(0, "player-0", 1, "none"), "none", table="p00.not-there")
    house.workers["floor"].step(0)
    assert log.seen == [[], ["floor/unknown_table"]]


def commits_of(looked_back: LookedBack) -> list[int]:
    return [stored.seq for stored in looked_back.newest_first(TABLE)]


def test_what_was_looked_back_at_is_kept_and_followed() -> None:
    house = House(MemoryShop())
    house.open()
    log = Busy(house.log)
    looked_back = LookedBack(cast("Log", log))
    end = len(house.commits())
    assert commits_of(looked_back) == list(range(end, 0, -1))
    house.act()
    assert commits_of(looked_back) == list(range(end, 0, -1)), "not compared yet"
    looked_back.compare()
    assert commits_of(looked_back) == list(range(len(house.commits()), 0, -1))
    assert log.read_backs[TABLE] == 1
    looked_back.forget()
    commits_of(looked_back)
    assert log.read_backs[TABLE] == 2


@pytest.mark.parametrize("others", [0, 1, 3])
def test_what_the_store_forgot_is_not_looked_back_at(others: int) -> None:
    """Whatever has been committed since: a commit's mark speaks for all before it."""
    house = House(MemoryShop())
    house.open()
    house.act()
    looked_back = LookedBack(house.log)
    before = list(looked_back.newest_first(TABLE))
    house.shop.forget(TABLE, 1)
    for role in house.workers:
        house.hire(role)
    for number in range(others):
        house.ask(AddChips(0, "player-0", 1, f"more-{number}"), f"more-{number}")
    looked_back.compare()
    assert list(looked_back.newest_first(TABLE)) == house.log.read(TABLE)[::-1]
    assert before[0] not in looked_back.newest_first(TABLE)
