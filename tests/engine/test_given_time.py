"""R18.1: a player's time is the time in which an answer could have been taken."""

from __future__ import annotations

import pytest

from doorcard.commands import Leave, SitOut, TimeOut
from doorcard.engine.given_time import time_owed, time_up
from doorcard.engine.reducer import fold, stamp
from doorcard.engine.table import Table
from doorcard.events import TimeGiven
from doorcard.tables import Outages
from tests.engine.play import Play

HANDS = ("? ? Kh 9h", "? ? 9d 8d", "? ? 2c 3c")
ASKED_MS = 100_000
ACTION_MS = 30_000
DUE_MS = ASKED_MS + ACTION_MS


def asked() -> Table:
    """Seat 2 is asked for the bring-in."""
    table = Play((100,) * 3, HANDS).start().table
    return stamped(table, ASKED_MS, asked_before=table.decision - 1)


def stamped(table: Table, time_ms: int, asked_before: int | None = None) -> Table:
    draft = table.draft()
    before = table.decision if asked_before is None else asked_before
    stamp(draft, asked_before=before, seq=table.seq + 1, chain=b"c" * 32, time_ms=time_ms)
    return draft


def given(table: Table, event: TimeGiven, time_ms: int) -> Table:
    return stamped(fold(table, [event]), time_ms)


def test_without_an_outage_the_time_is_up_at_the_deadline() -> None:
    table = asked()
    assert (table.asked_ms, table.deadline_ms) == (ASKED_MS, DUE_MS)
    assert time_up(table, DUE_MS - 1, ()) is None
    assert time_up(table, DUE_MS, ()) == TimeOut(table.decision)


@pytest.mark.parametrize(
    ("outages", "now_ms", "ms"),
    [
        (((110_000, 115_000),), 130_000, 5_000),
        (((50_000, 104_000),), 130_000, 4_000),
        (((129_999, 500_000),), 500_000, 370_001),
        (((120_000, 200_000),), 200_000, 80_000),
        (((110_000, 112_000), (131_000, 200_000)), 200_000, 71_000),
        (((131_000, 200_000), (110_000, 112_000)), 200_000, 71_000),
        (((110_000, 120_000), (115_000, 125_000)), 130_000, 15_000),
    ],
    ids=[
        "within the time",
        "begun before the question",
        "in the last moment",
        "beyond the deadline",
        "another in the time given for the first",
        "in any order",
        "overlapping",
    ],
)
def test_what_the_store_could_not_take_is_given_back(
    outages: Outages, now_ms: int, ms: int
) -> None:
    """Then the time is up when the seat has had its whole time, and the same is not given twice."""
    table = asked()
    event = time_up(table, now_ms, outages)
    assert isinstance(event, TimeGiven)
    assert (event.seats, event.ms) == ((2,), ms)
    later = given(table, event, now_ms)
    assert (later.asked_ms, later.deadline_ms) == (ASKED_MS, DUE_MS + ms)
    assert later.decision == table.decision
    assert time_up(later, now_ms, outages) is None
    assert time_up(later, later.deadline_ms - 1, outages) is None
    assert time_up(later, later.deadline_ms, outages) == TimeOut(table.decision)
    assert time_owed(table, now_ms, event.outages) == event


@pytest.mark.parametrize(
    "outages",
    [((50_000, ASKED_MS),), ((DUE_MS, 200_000),), ((120_000, 120_000),), ((120_000, 110_000),)],
    ids=["before the question", "after the deadline", "empty", "backwards"],
)
def test_other_outages_give_nothing(outages: Outages) -> None:
    table = asked()
    assert time_up(table, 200_000, outages) == TimeOut(table.decision)


def test_a_second_outage_gives_time_a_second_time() -> None:
    table = asked()
    first = (110_000, 140_000)
    event = time_up(table, 140_000, (first,))
    assert isinstance(event, TimeGiven)
    table = given(table, event, 140_000)
    second = (150_000, 170_000)
    again = time_up(table, 170_000, (first, second))
    assert isinstance(again, TimeGiven)
    assert again == TimeGiven((2,), 20_000, (first, second))
    table = given(table, again, 170_000)
    assert table.deadline_ms == DUE_MS + 50_000
    assert time_up(table, table.deadline_ms, (first, second)) == TimeOut(table.decision)


def test_whoever_had_all_time_by_now_gets_none() -> None:
    """The worker itself was away: the seat could have been answered for since."""
    table = asked()
    assert time_up(table, 200_000, ((110_000, 140_000),)) == TimeOut(table.decision)


def test_without_knowing_of_outages_nobodys_time_is_called_up() -> None:
    assert time_up(asked(), DUE_MS, None) is None


@pytest.mark.parametrize("command", [SitOut(2, "p2"), Leave(2, "p2", "go")])
def test_r18_4_the_absent_get_no_time_back(command: SitOut | Leave) -> None:
    play = Play((100,) * 3, HANDS).start()
    play.floor(command)
    table = stamped(play.table, 105_000)
    for outages in (None, ((90_000, 500_000),)):
        assert time_up(table, 500_000, outages) == TimeOut(table.decision)


def test_where_nobody_is_asked_no_time_is_owed() -> None:
    outages = ((0, 10**9),)
    assert time_owed(Table(), 10**9, outages) is None
    play = Play((100,) * 3, HANDS)
    assert time_owed(play.table, 10**9, outages) is None
    play.start().do("C bring_in", "A fold", "B fold")
    over = stamped(play.table, 200_000)
    assert (over.asked_ms, over.deadline_ms) == (0, 0)
    assert time_up(over, 10**9, outages) is None
