"""Time that was given back, as an auditor sees it."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.audit.verify import Problem, verify_table
from doorcard.engine.decided import decided
from doorcard.engine.given_time import time_owed
from doorcard.events import TimeGiven
from doorcard.streams.commit import Commit
from tests.audit.played import RING, House, commits_of, rewritten

AWAY_MS = 100_000


def given() -> House:
    """A hand in which a seat got time back, and then let it run out."""
    house = House(seats=3, chips=80, seed=1)
    house.step()
    start_ms, end_ms = house.table.deadline_ms - 20_000, house.table.deadline_ms + 80_000
    house.wait(80_000)
    event = time_owed(house.table, end_ms, ((start_ms, end_ms),))
    assert event is not None
    house.commit("betting", decided(house.table, [event]), "timer-1", b"")
    house.time_out()
    return house.play(1)


def problem_of(house: House) -> Problem | None:
    return verify_table(house.log, house.id, ring=RING).problem


def test_a_log_with_time_given_is_in_order() -> None:
    assert problem_of(given()) is None


def place_of(commits: list[Commit]) -> int:
    (place,) = [
        place for place, commit in enumerate(commits) if isinstance(commit.events[0], TimeGiven)
    ]
    return place


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"ms": AWAY_MS + 1}, "TimeGiven.ms"),
        ({"ms": -1}, "TimeGiven.ms"),
        ({"seats": (0, 1)}, "TimeGiven.seats"),
        ({"outages": ()}, "holds TimeGiven, and nothing more follows"),
    ],
    ids=str,
)
def test_time_that_does_not_follow_from_the_outages_is_found(
    changes: dict[str, Any], reason: str
) -> None:
    house = given()
    commits = commits_of(house.log, house.id)
    place = place_of(commits)
    (event,) = commits[place].events
    assert isinstance(event, TimeGiven)
    event = event._replace(**changes)
    commits[place] = commits[place]._replace(events=(event,))
    rewritten(house.log, house.id, commits)
    problem = problem_of(house)
    assert problem is not None
    assert problem.seq == place + 1
    assert reason in problem.reason


def test_time_out_before_the_time_given_is_up_is_found() -> None:
    house = given()
    commits = commits_of(house.log, house.id)
    place = place_of(commits)
    early = commits[place + 1]._replace(time_ms=commits[place].time_ms)
    rewritten(house.log, house.id, [*commits[: place + 1], early, *commits[place + 2 :]])
    problem = problem_of(house)
    assert problem is not None
    assert problem.seq == place + 2
    assert problem.reason == "takes time from seat 2 before it is up (R18.1)"


def test_another_role_gives_no_time() -> None:
    house = given()
    commits = commits_of(house.log, house.id)
    place = place_of(commits)
    commits[place] = commits[place]._replace(role="floor")
    rewritten(house.log, house.id, commits)
    problem = problem_of(house)
    assert problem is not None
    assert problem.reason == "is the floor's and holds TimeGiven, which is not theirs"
