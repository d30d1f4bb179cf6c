"""What the simulation has found, each as the shortest story that shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import fakeredis
import pytest
from redis.exceptions import ConnectionError as CutError

from doorcard.audit.verify import verify_table
from doorcard.commands import Leave, OpenTable, PauseTable, ResumeTable, VoidHand
from doorcard.engine.table import Table
from doorcard.limits import Limits
from doorcard.streams.messages import encode_request
from doorcard.streams.recover import restore_table
from doorcard.streams.redis_log import RedisLog
from services.cache import TableCache
from services.jobs import Tally
from services.logs import Logger
from services.losses import SENDER, request_id
from tests.services.harness import (
    ACTION_MS,
    LIMITS,
    RING,
    TABLE,
    House,
    NoteBook,
    calm,
    settings_for,
    sit_down,
)
from tests.services.shops import MemoryShop


@pytest.fixture
def house() -> House:
    return House(MemoryShop())


def test_a_repeat_gets_its_first_answer_though_its_player_has_left(house: House) -> None:
    """It was refused: there is no such seat. The player would think that the action failed."""
    house.open(2)
    house.ask(PauseTable("last hand"))
    act = calm(house.table())
    first = house.ask(act, "act")
    assert first.ok
    house.ask(VoidHand("by order"))
    house.ask(Leave(act.seat, f"player-{act.seat}", "leave"), "leave")
    assert act.seat not in house.table().seats
    again = house.ask(act, "act")
    assert (again.ok, again.seq) == (True, first.seq)


class SlowClock:
    """A machine's clock that is behind the store's until it is compared."""

    def __init__(self, house: House, behind_ms: int) -> None:
        self._house = house
        self._behind_ms = behind_ms

    def now_ms(self) -> int:
        return self._house.shop.clock().now_ms() - self._behind_ms

    def compare(self) -> None:
        self._behind_ms = 0


def run_out(house: House) -> Table:
    """Let the time of whoever is asked run out; the table before that."""
    before = house.table()
    house.shop.pass_ms(max(0, before.deadline_ms - house.shop.clock().now_ms()))
    assert house.fire() == 1
    return before


def assert_timed_out(house: House, before: Table) -> None:
    after = house.table()
    assert house.commits()[-1].cause == f"timer-{before.deadline_ms}"
    assert after.time_ms >= before.deadline_ms
    assert verify_table(house.log, TABLE, ring=RING).problem is None


def test_a_timer_is_obeyed_by_a_worker_whose_clock_is_behind(house: House) -> None:
    """It was put away as not due, and the table waited for ever."""
    house.open(2)
    clock = SlowClock(house, 20_000)
    house.workers["betting"]._clock = clock  # pyright: ignore[reportPrivateUsage]
    before = run_out(house)
    house.settle()
    assert_timed_out(house, before)


def test_a_timer_runs_again_when_the_stores_clock_goes_back_behind_it(house: House) -> None:
    """It ran out, and then it was too early: again nothing was left that would end the wait."""
    house.open(2)
    before = run_out(house)
    house.shop.pass_ms(-20_000)
    house.settle()
    assert house.table() == before
    assert house.fire() == 0
    run_out(house)
    house.settle()
    assert_timed_out(house, before)


def test_voiding_a_hand_that_asks_for_a_choice_of_cards_wakes_the_dealer(house: House) -> None:
    """The dealer is awaited before, for what players choose, and after, for a new hand."""
    house.open(2, game="roll_your_own", limits=Limits(ante=2, small_bet=5, big_bet=10))
    table = house.table()
    assert (table.awaited, set(table.asked)) == ("dealer", {0, 1})
    assert house.ask(VoidHand("by order")).ok
    assert house.table().hands == 2


class CutOnce:
    """A log whose connection is cut at one reading of a whole hand."""

    def __init__(self, log: Any) -> None:
        self._log = log
        self._cut = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def read_back(self, *words: Any) -> Any:
        if not self._cut:
            self._cut = True
            raise CutError
        return self._log.read_back(*words)


def test_what_the_store_forgot_is_said_though_reading_anew_fails_at_first(house: House) -> None:
    house.open(2)
    lost: Table = house.table()
    assert isinstance(house.shop, MemoryShop)
    del house.shop.store.logs[TABLE][-1:]
    notes = NoteBook()
    cache = TableCache(cast("Any", CutOnce(house.log)), 10, cast("Logger", notes), Tally())
    cache.put(TABLE, lost)
    with pytest.raises(CutError):
        cache.catch_up(TABLE)
    assert notes.said("the store forgot commits") == []
    assert cache.catch_up(TABLE) == house.table()
    (line,) = notes.said("the store forgot commits")
    assert (line["seen"], line["left"]) == (lost.seq, lost.seq - 1)
    assert cache.peek(TABLE) == house.table()


def test_resuming_a_table_that_was_never_opened_makes_none() -> None:
    """A message for it was buried and its name paused; resumed, it stood among the tables, and
    its log was missed by everybody."""
    client = fakeredis.FakeRedis(version=(7, 2), server_type="redis", protocol=2)
    assert restore_table(client, "p00.nowhere").put_back == 0
    assert RedisLog(client).tables() == []
    assert RedisLog(client).head("p00.nowhere") is None


def test_no_refusal_is_given_on_a_table_that_its_cache_dropped_meanwhile() -> None:
    """The cache has room for one table. What was refused on a lost history was not decided again,
    because by then the cache held the true one."""
    house, other = House(MemoryShop(), settings_for(cache_tables=1)), "p00.other"
    house.send(OpenTable("razz", LIMITS, seats=2, action_ms=ACTION_MS), "open", table=other)
    for seat in range(2):
        house.send(sit_down(seat), f"sit-{seat}", table=other)
    house.open(3)
    act = calm(house.table())
    for _ in range(2):
        house.act()
    assert isinstance(house.shop, MemoryShop)
    del house.shop.store.logs[TABLE][-2:]
    house.send(act, "again")
    house.send(replace(calm(house.table(other)), decision=0), "late", table=other)
    house.send(replace(act, seat=(act.seat + 1) % 3), "not-on-turn")
    house.replies()
    house.workers["betting"].step(0)
    answers = {reply.id: reply.code for reply in house.replies()}
    assert answers["again"] is None
    assert house.commits()[-1].cause == "again"


def test_a_table_that_was_lost_as_a_whole_is_opened_though_its_cache_dropped_it_meanwhile() -> None:
    """It was refused as one that is there, on what the store had forgotten, opening and all."""
    house, other = House(MemoryShop(), settings_for(cache_tables=1)), "p00.other"
    house.open(2)
    assert isinstance(house.shop, MemoryShop)
    del house.shop.store.logs[TABLE]
    opening = OpenTable("razz", LIMITS, seats=2, action_ms=ACTION_MS)
    house.send(opening, "other", table=other)
    house.send(opening, "anew")
    house.replies()
    house.workers["floor"].step(0)
    assert {reply.id: reply.code for reply in house.replies()} == {"other": None, "anew": None}


def dealt_again() -> tuple[House, Table, Table]:
    """A store lost a hand, and dealt another with its number: the table with each of the two."""
    house = House(MemoryShop(), settings_for(after_loss="void"))
    house.open(3)
    house.act()
    lost = house.table()
    assert isinstance(house.shop, MemoryShop)
    del house.shop.store.logs[TABLE][lost.hand_seq - 1 :]
    house.ask(PauseTable("a while"))
    house.ask(ResumeTable())
    return house, lost, house.table()


def test_a_late_request_to_void_a_hand_spares_another_one_with_its_number() -> None:
    """Its sender slept, the store went back once more, and the number was dealt out again."""
    house, meant, dealt = dealt_again()
    assert (dealt.hands, dealt.in_hand) == (meant.hands, True)
    void = VoidHand("the store lost commits", meant.hands)
    raw = encode_request(request_id(meant), SENDER, TABLE, void)
    house.queues.send("floor", TABLE, raw)
    house.settle()
    assert house.table() == dealt
    raw = encode_request(request_id(dealt), SENDER, TABLE, void)
    house.queues.send("floor", TABLE, raw)
    house.settle()
    assert house.table().hands == dealt.hands + 1


def test_a_hand_that_was_dealt_again_in_the_same_millisecond_is_not_voided() -> None:
    """Times alone were compared, and one that had lost nothing began as late as what was seen."""
    house, seen, dealt = dealt_again()
    assert (dealt.hands, dealt.in_hand, dealt.time_ms) == (seen.hands, True, seen.time_ms)
    house.ask(calm(dealt))
    assert [line["voids"] for line in house.notes.said("the store forgot commits")][-1] is None
    assert house.table().hands == dealt.hands
