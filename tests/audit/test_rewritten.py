"""Logs whose chain was made to fit again: what was decided shows that they were changed."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.audit.verify import Problem
from doorcard.cards import CARDS
from doorcard.events import (
    Called,
    Dealt,
    Event,
    Folded,
    HandShown,
    HandStarted,
    PotAwarded,
    StreetClosed,
    TableOpened,
    TablePaused,
)
from doorcard.local import usual_limits
from tests.audit.played import LIMITS, RING, House, commits_of
from tests.audit.spoiled import (
    first,
    found_in_rewritten,
    mutants,
    with_event,
)


@pytest.fixture(scope="module")
def house() -> House:
    """Some 200 commits: ten hands at a table of four."""
    return House("stud_high_low_8", seats=4, chips=300, seed=11).play(8)


@pytest.fixture(scope="module")
def small() -> House:
    """Two hands at a table of three, with rake."""
    return House(seats=3, chips=60, seed=5, house=(("rake_bps", 500),)).play(2)


def test_every_changed_field_of_every_event_is_found_though_the_chain_fits(small: House) -> None:
    commits = commits_of(small.log, small.id)
    missed: set[str] = set()
    for place, number, path, event in mutants(commits):
        changed = with_event(commits, place, number, event)
        problem = found_in_rewritten(small, changed, keep=place, ring=RING)
        if problem is None:
            missed.add(path)
        else:
            assert problem.seq >= place + 1, path
    # What is sealed to a seat, that seat alone can check; published heads show it to all. A hand
    # whose key the ring lacks is no problem, but told as not checked.
    assert missed == {"Dealt.sealed.#.#", "HandStarted.key_id"}


def test_without_the_deck_key_only_secrets_pass_unseen(small: House) -> None:
    commits = commits_of(small.log, small.id)
    missed = {
        path
        for place, number, path, event in mutants(commits)
        if not found_in_rewritten(small, with_event(commits, place, number, event), keep=place)
    }
    assert missed <= {
        "DealerDrawn.cards.#.#",
        "Dealt.sealed.#.#",
        "HandStarted.key_id",
        "HandStarted.leaves.#",
        "HandStarted.sealed_seed",
    }


SEALED_CHOICES = {"RollChosen.sealed", "DeclarationMade.sealed"}
"""What opens to nonsense counts as the time-out's choice (R18.2), and may have been just that."""
SEALED_CARDS = {"Dealt.sealed.#.#", "CardBought.sealed"}
"""What a seat's own key alone can check."""


@pytest.mark.parametrize(
    "game", ["roll_your_own", "five_card_high_low_buy", "five_card_high_low_declare", "baseball"]
)
def test_changed_choices_are_found_though_the_chain_fits(game: str) -> None:
    house = House(game, limits=usual_limits(game), seats=3, chips=80, seed=3).play(1)
    commits = commits_of(house.log, house.id)
    missed = {
        path
        for place, number, path, event in mutants(commits)
        if not found_in_rewritten(
            house, with_event(commits, place, number, event), keep=place, ring=RING
        )
    }
    assert missed <= SEALED_CHOICES | SEALED_CARDS | {"HandStarted.key_id"}


def test_whatever_fits_is_found_by_published_heads(small: House) -> None:
    commits = commits_of(small.log, small.id)
    changed = [*commits[:8], commits[8]._replace(cause="another"), *commits[9:]]
    assert found_in_rewritten(small, changed) is None
    problem = found_in_rewritten(small, changed, heads=small.heads)
    assert problem is not None
    assert problem.seq == small.heads[0].seq
    assert "the log was written anew somewhere behind commit 0" in problem.reason


@pytest.mark.parametrize("role", ["floor", "dealer", "betting", "showdown"])
def test_another_author_than_the_events_own_is_found(small: House, role: Any) -> None:
    commits = commits_of(small.log, small.id)
    for place, commit in enumerate(commits):
        if commit.role != role:
            changed = [*commits[:place], commit._replace(role=role), *commits[place + 1 :]]
            problem = found_in_rewritten(small, changed)
            assert problem is not None
            assert problem.seq == place + 1
            assert problem.reason.startswith(f"is the {role}'s and holds ")


def test_an_event_of_another_role_among_its_own_is_found(small: House) -> None:
    place, _ = first(small, Called)
    commits = commits_of(small.log, small.id)
    events = (*commits[place].events, TablePaused("by betting"))
    changed = [*commits[:place], commits[place]._replace(events=events), *commits[place + 1 :]]
    problem = found_in_rewritten(small, changed)
    assert problem == Problem(
        small.id, place + 1, "is the betting's and holds TablePaused, which is not theirs"
    )


def test_a_time_before_the_one_before_is_found(small: House) -> None:
    commits = commits_of(small.log, small.id)
    early = commits[12]._replace(time_ms=commits[11].time_ms - 1)
    problem = found_in_rewritten(small, [*commits[:12], early, *commits[13:]])
    assert problem == Problem(small.id, 13, "has an earlier time than the commit before it")


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (Folded(0), "holds Folded, which is refused: Seat"),
        (StreetClosed(1), "begins with StreetClosed, which is no action"),
    ],
)
def test_an_action_that_was_not_legal_is_found(small: House, event: Event, reason: str) -> None:
    place, _ = first(small, Called)
    commits = commits_of(small.log, small.id)
    asked = commits[place].events[0]
    assert isinstance(asked, Called)
    if isinstance(event, Folded):
        event = Folded((asked.seat + 1) % 3)
    problem = found_in_rewritten(small, with_event(commits, place, 0, event))
    assert problem is not None
    assert problem.seq == place + 1
    assert problem.reason.startswith(reason)


def test_a_request_that_would_have_been_refused_is_found(small: House) -> None:
    commits = commits_of(small.log, small.id)
    again = [*commits[:3], commits[2]._replace(time_ms=commits[3].time_ms), *commits[3:]]
    problem = found_in_rewritten(small, again)
    assert problem is not None
    assert problem.seq == 4


def test_a_table_that_is_opened_twice_is_found(small: House) -> None:
    commits = commits_of(small.log, small.id)
    problem = found_in_rewritten(small, [commits[0], *commits])
    assert problem is not None
    assert problem.seq == 2
    assert "is open already" in problem.reason


def test_the_first_wrong_field_of_a_snapshot_is_named(small: House) -> None:
    place, number = first(small, HandStarted)
    commits = commits_of(small.log, small.id)
    started = commits[place].events[number]
    assert isinstance(started, HandStarted)
    seats = started.snapshot.seats
    richer = (*seats[:1], seats[1]._replace(stack=seats[1].stack + 5), *seats[2:])
    snapshot = started.snapshot._replace(seats=richer, chips_in=185)
    problem = found_in_rewritten(
        small, with_event(commits, place, number, started._replace(snapshot=snapshot))
    )
    assert problem == Problem(
        small.id, place + 1, "HandStarted.snapshot.seats[1].stack is 65, and 60 follows"
    )


def test_an_upcard_that_is_not_the_committed_one_is_found_without_a_key(small: House) -> None:
    place, number = first(small, Dealt)
    commits = commits_of(small.log, small.id)
    dealt = commits[place].events[number]
    assert isinstance(dealt, Dealt)
    seat, index, card, salt = dealt.up[0]
    other = CARDS[(card + 1) % 52]
    changed = dealt._replace(up=((seat, index, other, salt), *dealt.up[1:]))
    problem = found_in_rewritten(small, with_event(commits, place, number, changed))
    assert problem is not None
    assert problem.seq == place + 1
    assert str(card) not in problem.reason


def test_no_finding_repeats_a_card(house: House) -> None:
    place, number = first(house, HandShown)
    commits = commits_of(house.log, house.id)
    shown = commits[place].events[number]
    assert isinstance(shown, HandShown)
    index, card, salt = shown.cards[0]
    other = CARDS[(card + 7) % 52]
    changed = shown._replace(cards=((index, other, salt), *shown.cards[1:]))
    problem = found_in_rewritten(house, with_event(commits, place, number, changed), ring=RING)
    assert problem is not None
    assert problem.reason == "HandShown.cards[0][1] is another card than follows"


def test_a_pot_that_went_to_another_seat_is_found(house: House) -> None:
    place, number = first(house, PotAwarded)
    commits = commits_of(house.log, house.id)
    award = commits[place].events[number]
    assert isinstance(award, PotAwarded)
    seat, part, chips = award.shares[0]
    changed = award._replace(shares=(((seat + 1) % 4, part, chips), *award.shares[1:]))
    problem = found_in_rewritten(house, with_event(commits, place, number, changed))
    assert problem is not None
    assert problem.seq == place + 1


def test_the_samples_are_as_large_as_they_should_be(house: House, small: House) -> None:
    assert len(house.stored) >= 200
    changed = list(mutants(commits_of(small.log, small.id)))
    assert len(changed) > 500
    assert {type(event) for _, _, _, event in changed} >= {HandStarted, Dealt, PotAwarded}


def test_limits_in_the_config_are_part_of_what_is_decided_again() -> None:
    house = House(seats=2, limits=LIMITS).play(1)
    commits = commits_of(house.log, house.id)
    opened = commits[0].events[0]
    assert isinstance(opened, TableOpened)
    spec = opened.config.spec._replace(game="no_such_game")
    changed = opened._replace(config=opened.config._replace(spec=spec))
    problem = found_in_rewritten(house, with_event(commits, 0, 0, changed))
    assert problem is not None
    assert problem.seq == 4, "nobody here knows the game, but hands say another"
    assert problem.reason == "begins a hand at another table than was opened"
