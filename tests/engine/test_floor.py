"""Tables, seats, chips and void hands (R18.4 to R18.6, R19)."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.commands import (
    AddChips,
    CloseTable,
    FloorCommand,
    Leave,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
    SitIn,
    SitOut,
    VoidHand,
)
from doorcard.engine import floor
from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import (
    ChipsAdded,
    Event,
    HandVoided,
    LeaveAsked,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
    TablePaused,
    TableResumed,
    UncalledReturned,
)
from tests.engine.play import STUD, Play

HANDS = ("? ? Kh", "? ? 9d", "? ? 2c")


def granted(play: Play, command: FloorCommand) -> tuple[Event, ...]:
    outcome = play.floor(command)
    assert isinstance(outcome, Decided), outcome
    return outcome.events


def refused(play: Play, command: FloorCommand) -> str:
    before = play.table.draft()
    outcome = play.floor(command)
    assert isinstance(outcome, Refused)
    assert outcome.sentence
    assert play.table == before
    return outcome.code


def open_with(**changes: Any) -> Decided | Refused:
    return floor.open_table("p00.one", OpenTable("razz", STUD, **changes))


def test_opening_a_table() -> None:
    outcome = open_with(buy_in_min=40, buy_in_max=400, action_ms=20_000)
    assert isinstance(outcome, Decided)
    (opened,) = outcome.events
    assert isinstance(opened, TableOpened)
    assert opened.table == "p00.one"
    assert opened.config.seats == 8
    assert outcome.table.config == opened.config


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"seats": 1}, "floor/bad_seats"),
        ({"seats": 10}, "floor/bad_seats"),
        ({"buy_in_min": 0}, "floor/bad_buy_in"),
        ({"buy_in_min": 10, "buy_in_max": 9}, "floor/bad_buy_in"),
        ({"buy_in_max": 2**53}, "floor/bad_buy_in"),
        ({"action_ms": 99}, "floor/bad_time"),
        ({"action_ms": 24 * 3600 * 1000 + 1}, "floor/bad_time"),
        ({"variant": "fast"}, "floor/unknown_variant"),
        ({"house": (("jokers", 2),)}, "house/unknown_switch"),
    ],
)
def test_what_a_table_cannot_be_opened_with(changes: dict[str, Any], code: str) -> None:
    """R2.1."""
    outcome = open_with(**changes)
    assert isinstance(outcome, Refused)
    assert outcome.code == code


@pytest.mark.parametrize("seats", [2, 9])
def test_seven_card_games_seat_two_to_nine(seats: int) -> None:
    """R2.1, R21.14."""
    assert isinstance(open_with(seats=seats), Decided)


def test_a_table_is_opened_once_and_must_be_open() -> None:
    play = Play((100, 100))
    assert refused(play, OpenTable("razz", STUD)) == "floor/table_exists"
    outcome = floor.decide(Table(), SitDown(0, "ann", 100, "r1"))
    assert isinstance(outcome, Refused)
    assert outcome.code == "floor/unknown_table"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (SitDown(4, "eve", 100, "r"), "floor/unknown_seat"),
        (SitDown(-1, "eve", 100, "r"), "floor/unknown_seat"),
        (SitDown(0, "eve", 100, "r"), "floor/seat_taken"),
        (SitDown(3, "p0", 100, "r"), "floor/seated_already"),
        (SitDown(0, "p0", 99, "r0"), "floor/seated_already"),
        (SitDown(0, "p0", 100, "r9"), "floor/seated_already"),
        (SitDown(3, "", 100, "r"), "floor/bad_request"),
        (SitDown(3, "eve", 100, ""), "floor/bad_request"),
        (SitDown(3, "eve", 100, "r", b"short"), "floor/bad_key"),
        (SitDown(3, "eve", 0, "r"), "floor/bad_buy_in"),
        (SitDown(3, "eve", -5, "r"), "floor/bad_buy_in"),
        (SitDown(3, "eve", 2**53, "r"), "floor/bad_buy_in"),
        (Leave(3, "eve", "r"), "floor/not_seated"),
        (Leave(0, "eve", "r"), "floor/not_your_seat"),
        (SitOut(3, "eve"), "floor/not_seated"),
        (SitOut(0, "eve"), "floor/not_your_seat"),
        (SitIn(0, "eve"), "floor/not_your_seat"),
        (AddChips(3, "eve", 5, "r"), "floor/not_seated"),
        (AddChips(0, "eve", 5, "r"), "floor/not_your_seat"),
        (AddChips(0, "p0", 0, "r"), "floor/bad_amount"),
        (AddChips(0, "p0", -5, "r"), "floor/bad_amount"),
        (AddChips(0, "p0", 2**53, "r"), "floor/bad_amount"),
        (AddChips(0, "p0", 5, ""), "floor/bad_request"),
        (AddChips(0, "p0", 5, "r0"), "floor/request_reused"),
        (VoidHand("none in progress"), "floor/no_hand"),
    ],
)
def test_what_the_floor_refuses(command: FloorCommand, code: str) -> None:
    """R1.5, R18.6, R19.3: a refusal changes nothing."""
    assert refused(Play((100, 100, 100), seats=4), command) == code


def test_sitting_down_twice_is_once() -> None:
    """R18.6: the same request again has the same answer and moves no chip."""
    play = Play((100, 100), seats=3)
    sit = SitDown(2, "carol", 80, "r", bytes(32))
    assert granted(play, sit) == (SeatTaken(2, "carol", 80, bytes(32), "r"),)
    assert granted(play, sit) == ()
    assert play.table.chips_in == 280


def test_adding_chips_twice_is_once() -> None:
    """R18.6."""
    play = Play((100, 100))
    more = AddChips(0, "p0", 50, "more")
    assert granted(play, more) == (ChipsAdded(0, 50, "more"),)
    assert granted(play, more) == ()
    assert refused(play, AddChips(0, "p0", 51, "more")) == "floor/request_reused"
    assert play.stacks() == [150, 100]
    assert play.table.chips_in == 250


def test_chips_added_during_a_hand_wait_for_its_end() -> None:
    """R18.6, R6.9: the stack in play does not change."""
    play = Play((100,) * 3, HANDS).start()
    granted(play, AddChips(0, "p0", 50, "more"))
    assert play.stack("A") == 98
    assert play.table.seats[0].waiting == 50
    play.do("C bring_in", "A fold", "B fold")
    assert play.stacks() == [148, 98, 104]


def test_chips_added_by_somebody_not_in_the_hand_count_at_once() -> None:
    """R18.6."""
    play = Play((100, 100), ("? ? Kh", "? ? 2c"), seats=3).start()
    granted(play, SitDown(2, "carol", 80, "r"))
    granted(play, AddChips(2, "carol", 20, "more"))
    assert play.stack("C") == 100


def test_never_more_than_the_largest_buy_in() -> None:
    opened = floor.open_table("p00.one", OpenTable("razz", STUD, buy_in_min=50, buy_in_max=120))
    assert isinstance(opened, Decided)
    sat = floor.decide(opened.table, SitDown(0, "ann", 100, "r1"))
    assert isinstance(sat, Decided)
    for chips, code in ((21, "floor/bad_amount"), (20, None)):
        outcome = floor.decide(sat.table, AddChips(0, "ann", chips, "more"))
        assert (outcome.code if isinstance(outcome, Refused) else None) == code
    for chips in (49, 121):
        outcome = floor.decide(opened.table, SitDown(0, "ann", chips, "r1"))
        assert isinstance(outcome, Refused)
        assert outcome.code == "floor/bad_buy_in"


def test_no_table_takes_more_chips_in_its_time_than_its_log_can_count() -> None:
    """Whoever comes and goes with a fortune again and again must not bring the table to a stop."""
    opened = floor.open_table("p00.one", OpenTable("razz", STUD))
    assert isinstance(opened, Decided)
    table = opened.table

    def ask(command: SitDown | Leave | AddChips) -> str | None:
        nonlocal table
        outcome = floor.decide(table, command)
        table = table if isinstance(outcome, Refused) else outcome.table
        return outcome.code if isinstance(outcome, Refused) else None

    for turn in range(1_024):
        assert ask(SitDown(0, "ann", 2**53 - 1, f"sit-{turn}")) is None
        assert ask(Leave(0, "ann", f"leave-{turn}")) is None
    room = 2**63 - 1 - table.chips_in
    assert 0 < room < 2_000
    assert ask(SitDown(0, "ann", room + 1, "too-many")) == "floor/too_many_chips"
    assert ask(SitDown(0, "ann", room - 5, "fits")) is None
    assert ask(AddChips(0, "ann", 6, "more")) == "floor/too_many_chips"
    assert ask(AddChips(0, "ann", 5, "just")) is None
    assert table.chips_in == 2**63 - 1
    assert ask(Leave(0, "ann", "home")) is None


def test_leaving_between_hands_is_at_once() -> None:
    """R18.6."""
    play = Play((100,) * 3, HANDS)
    assert granted(play, Leave(1, "p1", "go")) == (SeatLeft(1, "p1", 100),)
    assert play.table.chips_out == 100


def test_leaving_during_a_hand_is_at_its_end() -> None:
    """R18.4, R18.6: asked once; chips in the middle stay there, chips added come along."""
    play = Play((100,) * 3, HANDS).start()
    granted(play, AddChips(1, "p1", 30, "more"))
    assert granted(play, Leave(1, "p1", "go")) == (LeaveAsked(1),)
    assert granted(play, Leave(1, "p1", "go")) == ()
    assert refused(play, SitIn(1, "p1")) == "floor/leaving"
    assert refused(play, AddChips(1, "p1", 5, "again")) == "floor/leaving"
    play.do("C bring_in", "A fold", "B fold")
    play.settle()
    assert play.events[-1] == SeatLeft(1, "p1", 128)
    outcome = floor.settle_leavers(play.table)
    assert isinstance(outcome, Refused)
    assert outcome.code == "floor/nothing_due"


def test_an_all_in_player_who_leaves_still_competes() -> None:
    """R18.4."""
    hands = ("As Ad Ah 4c 7s 2h 3d", "Qs Qd Kh 8s 8c Jd 6d", "? ? 2c")
    play = Play((12, 100, 100), hands).start().do("C bring_in", "A complete")
    granted(play, Leave(0, "p0", "go"))
    play.do("B call", "C fold")
    assert play.shares() == [{"A": 31}]
    play.settle()
    assert play.events[-1] == SeatLeft(0, "p0", 31)


def test_sitting_out_and_in() -> None:
    """R18.5."""
    play = Play((100,) * 3, HANDS)
    assert granted(play, SitOut(1, "p1")) == (SatOut(1),)
    assert granted(play, SitOut(1, "p1")) == ()
    assert granted(play, SitIn(1, "p1")) == (SatIn(1),)
    assert granted(play, SitIn(1, "p1")) == ()


def test_the_absent_may_be_dealt_in() -> None:
    """R18.5: anted, a bring-in that is due is posted, and otherwise time is up at once."""
    play = Play((100,) * 3, HANDS, house={"missed_ante_policy": "dealt_in"})
    granted(play, SitOut(2, "p2"))
    play.start()
    assert play.asked == "C"
    play.time_out()
    play.do("A complete", "B call")
    play.time_out()
    assert play.stacks() == [88, 88, 93]


def test_pausing_and_closing() -> None:
    play = Play((100,) * 3, HANDS)
    assert granted(play, PauseTable("late")) == (TablePaused("late"),)
    assert granted(play, PauseTable("later")) == ()
    assert not play.table.ready_to_deal
    assert granted(play, ResumeTable()) == (TableResumed(),)
    assert granted(play, ResumeTable()) == ()
    play.start()
    assert refused(play, CloseTable()) == "floor/hand_running"
    play.do("C bring_in", "A fold", "B fold")
    assert granted(play, CloseTable()) == (
        SeatLeft(0, "p0", 98),
        SeatLeft(1, "p1", 98),
        SeatLeft(2, "p2", 104),
        TableClosed(),
    )
    assert refused(play, SitDown(0, "ann", 100, "r")) == "floor/closed"
    assert play.table.awaited is None


def test_voiding_returns_everything() -> None:
    """R19.1, R19.2, R13.5: antes and bets of everybody, folded ones too; no rake, nothing shown."""
    play = Play((100,) * 3, HANDS, house={"rake_bps": 500}).start()
    play.do("C bring_in", "A complete", "B raise", "C fold")
    before = play.events[:]
    (voided,) = granted(play, VoidHand("a card was exposed"))
    assert voided == HandVoided("a card was exposed", ((0, 12), (1, 22), (2, 7)))
    assert play.stacks() == [100, 100, 100]
    assert play.table.rake == 0
    assert play.events == [*before, voided]
    assert play.asked is None
    assert play.table.voided


def test_voiding_returns_dead_money_too() -> None:
    """R19.2, R12.5."""
    play = Play((100,) * 3, HANDS, house={"missed_ante_policy": "post_one"})
    granted(play, SitOut(1, "p1"))
    play.start().do("C bring_in", "A fold")
    granted(play, SitIn(1, "p1"))
    play.next_hand(HANDS)
    (voided,) = granted(play, VoidHand("test"))
    assert isinstance(voided, HandVoided)
    assert dict(voided.refunds) == {0: 2, 1: 4, 2: 2}
    assert play.stacks() == [98, 100, 102]


def test_an_uncalled_bet_is_not_returned_twice() -> None:
    """R19.2, R12.3: it was no contribution any more."""
    play = Play((100, 14, 100), ("? ? Kh 9h", "? ? 9d 8d", "? ? 2c 3c")).start()
    play.do("C bring_in", "A call", "B call", "A bet", "B call")
    folded = play.ask("C fold")
    assert isinstance(folded, Decided)
    assert UncalledReturned(0, 3) in folded.events
    outcome = floor.decide(folded.table, VoidHand("test"))
    assert isinstance(outcome, Decided)
    assert outcome.events == (HandVoided("test", ((0, 14), (1, 14), (2, 7))),)
    assert [outcome.table.stack(seat) for seat in range(3)] == [100, 14, 100]


def test_awarded_pots_stand() -> None:
    """R19.3."""
    play = Play((100,) * 3, HANDS).start().do("C bring_in", "A fold", "B fold")
    assert refused(play, VoidHand("too late")) == "floor/no_hand"


def test_conduct_is_never_a_misdeal() -> None:
    """R19.4: wrong amounts and acting out of turn are refused, and the hand goes on."""
    play = Play((100,) * 3, HANDS).start()
    assert play.refusal("A raise 500") == "betting/not_your_turn"
    assert play.refusal("C complete 11") == "betting/illegal_action"
    assert not play.table.voided
    assert play.do("C bring_in").asked == "A"


def test_a_new_hand_is_dealt_after_a_void_one() -> None:
    """R19.2."""
    play = Play((100,) * 3, HANDS).start()
    granted(play, VoidHand("test"))
    play.next_hand(HANDS).do("C bring_in", "A fold", "B fold")
    assert play.stacks() == [98, 98, 104]
    assert not play.table.voided
