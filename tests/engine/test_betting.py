"""Deciding players' actions: given a table, when a command, then events or a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.commands import Act, ActionName, TimeOut
from doorcard.engine import betting
from doorcard.engine.betting import options_text, time_out_event, uncalled_bet
from doorcard.engine.decided import Decided
from doorcard.engine.options import Legal, Wager
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import (
    BetMade,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Event,
    Folded,
    Raised,
    StreetClosed,
    UncalledReturned,
)
from tests.engine.play import Play

HANDS = ("? ? Kh 9h", "? ? 9d 8d", "? ? 2c 3c")


def three(stacks: tuple[int, ...] = (200, 200, 200)) -> Play:
    """C brings in, A leads on the second street."""
    return Play(stacks, HANDS).start()


def events_of(play: Play, action: str) -> tuple[Event, ...]:
    outcome = play.ask(action)
    assert isinstance(outcome, Decided), outcome
    return outcome.events


@pytest.mark.parametrize(
    ("before", "action", "event"),
    [
        ([], "C bring_in", BringInPosted(2, 5)),
        ([], "C bring_in 5", BringInPosted(2, 5)),
        ([], "C complete", Completed(2, 10, 10)),
        (["C bring_in"], "A call", Called(0, 5)),
        (["C bring_in"], "A fold", Folded(0)),
        (["C bring_in"], "A complete 10", Completed(0, 10, 10)),
        (["C bring_in", "A complete"], "B raise", Raised(1, 20, 20)),
        (["C bring_in", "A complete", "B call"], "C raise", Raised(2, 15, 20)),
        (["C bring_in", "A call", "B call"], "A check", Checked(0)),
        (["C bring_in", "A call", "B call"], "A bet", BetMade(0, 10, 10)),
    ],
)
def test_an_action_is_one_event(before: list[str], action: str, event: Event) -> None:
    """R5.5, R6.6, R6.7: amounts are what is put in, totals what stands in the round."""
    assert events_of(three().do(*before), action) == (event,)


def test_the_last_action_closes_the_street() -> None:
    """R6.4."""
    play = three().do("C bring_in", "A call")
    assert events_of(play, "B call") == (Called(1, 5), StreetClosed(1))


def test_the_unmatched_part_comes_back_before_the_street_closes() -> None:
    """R12.3."""
    play = three().do("C bring_in", "A complete", "B fold")
    assert events_of(play, "C fold") == (Folded(2), UncalledReturned(0, 5), StreetClosed(1))


def test_an_all_in_call_for_less_returns_the_rest() -> None:
    """R6.9, R12.3: stacks 200 against nine; nine call for seven."""
    play = Play((200, 9), ("? ? Kh", "? ? 2c")).start().do("B bring_in", "A complete")
    assert events_of(play, "B call") == (Called(1, 2), UncalledReturned(0, 3), StreetClosed(1))


def test_a_decision_changes_nothing_given() -> None:
    """R6.10: the table before is still the table before."""
    play = three()
    before = play.table
    copy = before.draft()
    assert events_of(play, "C bring_in")
    assert before == copy
    assert events_of(play, "C bring_in") == events_of(play, "C bring_in")


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("A fold", "betting/not_your_turn"),
        ("F fold", "betting/unknown_seat"),
        ("C fold", "betting/illegal_action"),
        ("C check", "betting/illegal_action"),
        ("C call", "betting/illegal_action"),
        ("C bet 10", "betting/illegal_action"),
        ("C raise 10", "betting/illegal_action"),
        ("C bring_in 4", "betting/illegal_action"),
        ("C complete 11", "betting/illegal_action"),
        ("C complete 9", "betting/illegal_action"),
        ("C complete -10", "betting/illegal_action"),
    ],
)
def test_what_is_not_legal_is_refused(action: str, code: str) -> None:
    """R6.10, R5.5: the bring-in seat may neither fold, check nor call."""
    assert three().refusal(action) == code


def test_a_refusal_names_what_is_legal() -> None:
    outcome = three().ask("C fold")
    assert isinstance(outcome, Refused)
    assert outcome.sentence == "Seat 2 cannot fold: legal is bring in 5, complete to 10."
    assert outcome.seat == 2


def act(
    table: Table, name: Any, to: Any = None, *, late: int = 0, player: str | None = None
) -> str:
    outcome = betting.decide(table, Act(2, table.decision + late, name, to, player))
    assert isinstance(outcome, Refused)
    return outcome.code


@pytest.mark.parametrize("to", ["10", 10.0, True, b"10", [10]])
def test_an_amount_is_a_whole_number(to: Any) -> None:
    """R1.5."""
    assert act(three().table, "complete", to) == "betting/bad_amount"


def test_other_names_players_and_decisions_are_refused() -> None:
    """R6.10."""
    table = three().table
    assert act(table, "allin") == "betting/unknown_action"
    assert act(table, "fold", player="p0") == "betting/not_your_seat"
    assert act(table, "bring_in", late=-1) == "betting/late"
    assert act(table, "bring_in", late=1) == "betting/late"


def test_nobody_is_asked_between_hands_and_streets() -> None:
    """R6.10."""
    play = Play((100, 100), ("? ? Kh", "? ? 2c"))
    outcome = play.ask("A fold")
    assert isinstance(outcome, Refused)
    assert outcome.code == "betting/nobody_asked"


@pytest.mark.parametrize(
    ("options", "event"),
    [
        (Legal(1, 4, False, False, None, 5, Wager("complete", (10,), 10, 10)), BringInPosted(1, 5)),
        (Legal(1, 4, False, False, None, 3, None), BringInPosted(1, 3)),
        (Legal(1, 4, False, True, None, None, Wager("bet", (10,), 10, 10)), Checked(1)),
        (Legal(1, 4, True, True, None, None, None), Checked(1)),
        (Legal(1, 4, True, False, 10, None, None), Folded(1)),
    ],
)
def test_the_server_acts_when_the_time_is_up(options: Legal, event: Event) -> None:
    """R18.1, R18.3: bring-in, else check, else fold, whether connected or not."""
    assert time_out_event(options) == event


def test_a_time_out_ends_a_round_like_an_action() -> None:
    """R18.1."""
    play = three().do("C bring_in", "A call")
    outcome = betting.decide(play.table, TimeOut(play.table.decision))
    assert isinstance(outcome, Decided)
    assert outcome.events == (Folded(1), StreetClosed(1))


@pytest.mark.parametrize(
    ("bets", "uncalled"),
    [
        ([20, 20, 5], None),
        ([20, 5, 5], (0, 15)),
        ([0, 0, 10], (2, 10)),
        ([0, 0, 0], None),
        ([7, 30, 12], (1, 18)),
        ([5], (0, 5)),
    ],
)
def test_the_uncalled_bet(bets: list[int], uncalled: tuple[int, int] | None) -> None:
    """R12.3: more than every other contribution, folded players' included."""
    assert uncalled_bet(bets) == uncalled


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (Legal(0, 1, True, False, 10, None, Wager("raise", (20, 30), 20, 30)),
         "legal is fold, call 10, raise to 20 or 30"),
        (Legal(0, 1, False, True, None, None, Wager("bet", (), 5, 80)),
         "legal is check, bet to 5 to 80"),
        (Legal(0, 1, False, False, None, 5, None), "legal is bring in 5"),
    ],
)  # fmt: skip
def test_options_in_words(options: Legal, text: str) -> None:
    assert options_text(options) == text


def test_a_wager_without_an_amount_needs_only_one_to_be_legal() -> None:
    """R7.2: with two sizes the amount must be said."""
    play = Play((200,) * 2, ("? ? Kh Kd", "? ? 2c 3c")).start().do("B bring_in", "A call")
    assert play.options() == "A: check, bet 10 20"
    assert play.refusal("A bet") == "betting/illegal_action"
    assert events_of(play, "A bet 20") == (BetMade(0, 20, 20),)


NAMES: tuple[ActionName, ...] = ("bring_in", "complete", "bet", "raise", "call", "check", "fold")


@pytest.mark.parametrize("name", NAMES)
def test_betting_grants_exactly_what_legal_offers(name: ActionName) -> None:
    """R6.10: for every total from nothing to beyond the stack."""
    play = three((40, 40, 40))
    for script in ([], ["C bring_in"], ["C bring_in", "A call", "B call"]):
        play = three((40, 40, 40)).do(*script)
        options = play.legal
        for to in (None, *range(60)):
            granted = isinstance(
                betting.decide(play.table, Act(options.seat, options.decision, name, to)), Decided
            )
            assert granted is offered(options, name, to), (script, name, to)


def offered(options: Legal, name: ActionName, to: int | None) -> bool:
    """Whether legal options hold an action; amounts may be left out where there is one only."""
    wager = options.wager
    match name:
        case "fold":
            return options.fold and to is None
        case "check":
            return options.check and to is None
        case "call":
            return options.call is not None and to is None
        case "bring_in":
            return options.bring_in is not None and to in (None, options.bring_in)
        case _:
            if wager is None or wager.kind != name:
                return False
            return len(wager.totals) == 1 if to is None else to in wager.totals
