"""Folding events: the only place where a table changes, and what must hold for it."""

from __future__ import annotations

import random

import pytest

from doorcard.cards import CARDS
from doorcard.commands import Act, AddChips, Leave, SitOut
from doorcard.engine import betting, dealer
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.reducer import HANDLERS, apply, fold, stamp
from doorcard.engine.table import Table, facts
from doorcard.event_types import EVENT_TYPES
from doorcard.events import Event, HandStarted, TableOpened
from doorcard.games import GAMES
from doorcard.testing import StackedDeck
from tests.engine.play import Play
from tests.engine.random_play import play_hand, seated, step

HANDS = ("? ? Kh 9h", "? ? 9d 8d", "? ? 2c 3c")


def test_every_event_has_a_handler() -> None:
    assert set(HANDLERS) == set(EVENT_TYPES.values())


def played(game: str, seed: int) -> list[Event]:
    """Every event of a table from its opening through three random hands."""
    rng = random.Random(seed)
    table = seated(game, [60, 60, 60, 60])
    events: list[Event] = []
    for _ in range(3):
        if not table.ready_to_deal:
            break
        cards = list(CARDS)
        rng.shuffle(cards)
        table, more = play_hand(table, StackedDeck(map(str, cards)), rng)
        events += more
    return events


@pytest.mark.parametrize("game", sorted(GAMES))
def test_folding_in_parts_is_folding_at_once(game: str) -> None:
    """R19.5: the same events give the same table, however they are cut."""
    for seed in range(10):
        events = played(game, seed)
        whole = fold(Table(), events)
        one_by_one = Table()
        for event in events:
            one_by_one = apply(one_by_one, event)
        cut = len(events) // 2
        assert whole == one_by_one == fold(fold(Table(), events[:cut]), events[cut:])
        assert facts(whole) == facts(one_by_one)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_hand_needs_nothing_before_its_start(game: str) -> None:
    """R19.5: a rebuild begins at the last hand's first event."""
    for seed in range(10):
        events = played(game, seed)
        starts = [place for place, event in enumerate(events) if isinstance(event, HandStarted)]
        assert fold(Table(), events[starts[-1] :]) == fold(Table(), events)


def test_folding_changes_nothing_that_was_given() -> None:
    table = seated("razz", [60, 60, 60])
    rng = random.Random(5)
    deck = StackedDeck()
    first = step(table, deck, rng)
    seen = [(table, facts(table)), (first.table, facts(first.table))]
    current = first.table
    while current.in_hand:
        current = step(current, deck, rng).table
        seen.append((current, facts(current)))
    for before, as_it_was in seen:
        assert facts(before) == as_it_was


def test_options_kept_with_a_table_are_those_of_that_table() -> None:
    """What ``legal`` remembers never outlives the decision it was asked for."""
    rng = random.Random(7)
    for seed in range(30):
        table = seated("seven_card_stud", [40, 50, 60, 70])
        deck = StackedDeck(button_cards=["As"] if seed % 2 else [])
        table = step(table, deck, rng).table
        while table.in_hand:
            asked = legal(table)
            assert asked == legal(copy_of(table))
            table = step(table, deck, rng).table


def copy_of(table: Table) -> Table:
    """The same table without anything remembered."""
    copy = table.draft()
    assert copy.hand is not None
    copy.hand.options = None
    return copy


def test_opening_gives_an_empty_table() -> None:
    play = Play()
    (opened,) = play.events
    assert isinstance(opened, TableOpened)
    assert play.table.id == "p00.test"
    assert play.table.seats == {}
    assert play.table.awaited is None


@pytest.mark.parametrize(
    ("script", "awaited"),
    [
        ([], "betting"),
        (["C bring_in", "A fold"], "betting"),
        (["C bring_in", "A fold", "B fold"], None),
    ],
)
def test_who_is_awaited(script: list[str], awaited: str | None) -> None:
    """R6.4: a seat, or nobody when the hand is over (the next one is not started here)."""
    play = Play((100,) * 3, HANDS).start().do(*script)
    assert (play.table.awaited if play.table.in_hand else None) == awaited


def test_the_roles_take_turns() -> None:
    """R6.5: betting over, the dealer is awaited; after the last street the showdown."""
    play = Play((20, 20), ("? ? Kh", "? ? 2c")).start().do("B complete", "A raise 18")
    outcome = play.ask("B call")
    assert isinstance(outcome, Decided)
    roles: list[str] = []
    table = outcome.table
    while table.awaited == "dealer":
        roles.append(table.awaited)
        dealt = dealer.decide(table, StackedDeck())
        assert isinstance(dealt, Decided)
        table = dealt.table
    assert roles == ["dealer"] * 4
    assert table.awaited == "showdown"


def test_a_leaver_is_settled_before_the_next_hand() -> None:
    """R18.6."""
    play = Play((100,) * 3, HANDS).start()
    play.floor(Leave(0, "p0", "go"))
    assert awaited(play) == "betting"
    play.do("C bring_in", "A fold", "B fold")
    assert awaited(play) == "floor"


def awaited(play: Play) -> str | None:
    return play.table.awaited


def test_decisions_are_numbered_by_questions() -> None:
    """A floor commit in between does not change the number; every question does."""
    play = Play((100,) * 3, HANDS).start()
    first = play.table.decision
    play.floor(AddChips(0, "p0", 5, "more"))
    assert play.table.decision == first
    play.do("C bring_in")
    assert play.table.decision == first + 1


def stamped(table: Table, before: int, *, time_ms: int, cause: str = "") -> Table:
    draft = table.draft()
    stamp(draft, asked_before=before, seq=9, chain=b"c" * 32, time_ms=time_ms, cause=cause)
    return draft


def test_a_question_has_a_deadline() -> None:
    """R18.1: from the commit that asks it; other commits leave it as it is."""
    play = Play((100,) * 3, HANDS).start()
    asked = stamped(play.table, play.table.decision - 1, time_ms=1000, cause="c1")
    assert (asked.seq, asked.chain, asked.time_ms) == (9, b"c" * 32, 1000)
    assert asked.deadline_ms == 31_000
    assert asked.hand is not None
    assert asked.hand.causes == " c1 "
    later = stamped(asked, asked.decision, time_ms=5000)
    assert later.deadline_ms == 31_000


@pytest.mark.parametrize("command", [SitOut(2, "p2"), Leave(2, "p2", "go")])
def test_the_absent_have_no_time_at_all(command: SitOut | Leave) -> None:
    """R18.4."""
    play = Play((100,) * 3, HANDS).start()
    assert play.asked == "C"
    play.floor(command)
    assert stamped(play.table, play.table.decision, time_ms=7000).deadline_ms == 7000


def test_between_questions_there_is_no_deadline() -> None:
    """R18.1: no clock runs before cards are dealt or after the hand ends."""
    play = Play((100,) * 3, HANDS)
    assert stamped(play.table, 0, time_ms=1000).deadline_ms == 0
    play.start().do("C bring_in", "A fold", "B fold")
    assert stamped(play.table, 0, time_ms=1000).deadline_ms == 0


def test_a_decision_and_its_events_give_the_same_table() -> None:
    """What a decider hands back is what folding its events gives."""
    rng = random.Random(3)
    table = seated("stud_high_low_8", [30, 60, 90])
    deck = StackedDeck()
    outcome = step(table, deck, rng)
    while True:
        assert fold(table, outcome.events) == outcome.table
        table = outcome.table
        if not table.in_hand:
            return
        outcome = step(table, deck, rng)


def test_a_bet_is_decided_from_the_log_alone() -> None:
    """R19.5: after a restart the same command has the same answer."""
    play = Play((100,) * 3, HANDS).start().do("C bring_in", "A complete")
    again = fold(Table(), [event for commit in play.commits for event in commit])
    assert again == play.table
    command = Act(play.legal.seat, again.decision, "raise")
    here, there = play.ask("B raise"), betting.decide(again, command)
    assert isinstance(here, Decided)
    assert isinstance(there, Decided)
    assert here.events == there.events
