"""An untouched log is found good, whatever was played; each kind of wrong decision is found."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from doorcard.audit.verify import ALWAYS_CHECKED, Problem, verify_table
from doorcard.bots import bold, calling, uniform
from doorcard.commands import (
    Act,
    AddChips,
    CloseTable,
    Leave,
    PauseTable,
    ResumeTable,
    SitDown,
    SitIn,
    SitOut,
    VoidHand,
)
from doorcard.engine.options import Legal
from doorcard.errors import BadInput
from doorcard.fairness.heads import PublishedHead
from doorcard.fairness.keys import DeckKeyRing
from doorcard.games import GAMES
from doorcard.limits import Scalar
from doorcard.local import usual_limits
from doorcard.streams.log import Head
from doorcard.testing import StackedDeck
from tests.audit.played import OTHER_RING, RING, Bot, House, ListLog


def problem(
    house: House, *, ring: DeckKeyRing | None = None, heads: Sequence[PublishedHead] | None = None
) -> Problem | None:
    return verify_table(house.log, house.id, ring=ring, heads=heads).problem


def staying(options: Legal, chance: Random) -> Act:
    """Never fold, so that many showdowns and short decks come about."""
    act = calling(options, chance)
    return act if act.action != "fold" else Act(options.seat, options.decision, "call")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("bot", "chips", "seats"),
    [(calling, 200, 4), (uniform, 60, 5), (bold, 45, 3), (staying, 120, 7)],
)
def test_logs_of_every_game_are_good(game: str, bot: Bot, chips: int, seats: int) -> None:
    limits = usual_limits(game)
    house = House(game, limits=limits, seats=seats, chips=chips, seed=seats).play(3, bot)
    blind = verify_table(house.log, house.id)
    assert blind.problem is None
    assert (blind.commits, blind.hands) == (len(house.stored), house.table.hands)
    assert blind.checked == (*ALWAYS_CHECKED, "leaves")
    report = verify_table(house.log, house.id, ring=RING, heads=house.heads)
    assert report.problem is None
    assert report.checked == (*ALWAYS_CHECKED, "leaves", "heads", "signatures", "decks")


@pytest.mark.parametrize(
    "switch",
    [
        ("auto_muck", False),
        ("expose_all_in", True),
        ("rake_bps", 500),
        ("chip_unit", 5),
        ("odd_chip", "tda"),
        ("dealer_mode", "fixed"),
        ("burn", False),
        ("exhaustion", "community_only"),
        ("max_raises", None),
        ("missed_ante_policy", "post_one"),
        ("missed_ante_policy", "dealt_in"),
    ],
    ids=str,
)
def test_logs_under_other_house_rules_are_good(switch: tuple[str, Scalar]) -> None:
    house = House("stud_high_low_8", house=(switch,), seats=7, chips=90, seed=3).play(6, staying)
    assert problem(house) is None
    assert problem(house, ring=RING) is None


def test_everything_that_the_floor_does_is_good() -> None:
    house = House(seats=4, seed=2)
    house.step()
    house.ask(SitOut(1, "player-1"))
    house.ask(AddChips(2, "player-2", 30, "more"))
    house.ask(Leave(3, "player-3", "bye"))
    house.ask(PauseTable("the lights are out"))
    house.play(1)
    house.step()
    assert 3 not in house.table.seats
    house.ask(ResumeTable())
    house.ask(SitIn(1, "player-1"))
    house.ask(SitDown(3, "newcomer", 150, "in-again"))
    house.step()
    house.ask(VoidHand("a card fell off the table"))
    house.play(2)
    house.ask(Leave(3, "newcomer", "bye-2"))
    house.ask(CloseTable())
    assert problem(house) is None
    assert problem(house, ring=RING, heads=house.heads) is None


def test_leavers_who_are_paid_out_together_are_good() -> None:
    house = House(seats=4)
    house.step()
    house.ask(Leave(3, "player-3", "bye-3"))
    house.ask(Leave(2, "player-2", "bye-2"))
    house.play(1)
    house.step()
    assert sorted(house.table.seats) == [0, 1]
    assert problem(house) is None


def test_time_outs_are_good_when_time_was_up_and_not_before() -> None:
    house = House(seats=3)
    house.step()
    house.time_out()
    house.time_out()
    assert problem(house) is None
    options = house.options
    house.act(Act(options.seat, options.decision, "fold"), cause="timer-9", digest=b"")
    found = problem(house)
    assert found is not None
    assert found.seq == len(house.stored)
    assert "before it is up" in found.reason


def test_what_a_time_out_does_is_not_free() -> None:
    house = House(seats=3)
    house.step()
    house.wait()
    options = house.options
    cause = f"timer-{house.table.deadline_ms}"
    house.act(Act(options.seat, options.decision, "complete"), cause=cause, digest=b"")
    found = problem(house)
    assert found is not None
    assert found.reason == "holds Completed where BringInPosted follows"


def test_a_hand_from_a_given_deck_is_good_as_far_as_it_can_be_checked() -> None:
    house = House(seats=3, next_deck=StackedDeck).play(2, staying)
    report = verify_table(house.log, house.id, ring=RING)
    assert report.problem is None
    assert "leaves" not in report.checked
    assert "decks" not in report.checked
    assert "no leaves in 2 hands: opened cards prove nothing" in report.notes
    assert "no sealed seed in 2 hands: the deck stays unknown" in report.notes


def test_the_notes_say_what_was_not_checked() -> None:
    house = House(seats=2).play(1)
    blind = verify_table(house.log, house.id).notes
    assert any("no published heads were given" in note for note in blind)
    assert any("no deck key was given" in note for note in blind)
    assert any("only the seats'" in note for note in blind)
    unsigned = verify_table(house.log, house.id, heads=house.heads)
    assert any("signatures" in note for note in unsigned.notes)
    assert "signatures" not in unsigned.checked


def test_a_table_without_hands_is_good() -> None:
    house = House(seats=2)
    report = verify_table(house.log, house.id)
    assert (report.problem, report.hands, report.commits) == (None, 0, 3)


def test_an_unknown_table_is_an_error() -> None:
    with pytest.raises(BadInput, match=r"there is no table p00\.nowhere"):
        verify_table(ListLog(), "p00.nowhere")


def test_a_wrong_deck_key_is_told_with_the_hand_that_it_does_not_open() -> None:
    house = House(seats=2).play(1)
    found = problem(house, ring=OTHER_RING)
    assert found is not None
    assert str(found).startswith("table p00.table: commit 4: has a seed that does not open: ")


def test_a_log_under_another_tables_name_is_found() -> None:
    house = House(seats=2).play(1)
    log = ListLog()
    log.commits["p00.other"], log.heads["p00.other"] = house.stored, house.log.heads[house.id]
    found = verify_table(log, "p00.other").problem
    assert found == Problem("p00.other", 1, "opens table p00.table")


def test_a_lost_head_stops_nothing_and_a_wrong_one_is_found() -> None:
    house = House(seats=2).play(1)
    head = house.log.heads.pop(house.id)
    assert problem(house) is None
    house.log.heads[house.id] = head._replace(chain=bytes(32))
    found = problem(house)
    assert found is not None
    assert (found.seq, found.reason) == (head.seq, "is not the one that the log's head names")
    house.log.heads[house.id] = head._replace(seq=head.seq - 1)
    found = problem(house)
    assert found is not None
    assert (found.seq, found.reason) == (head.seq, "stands behind the end that the head names")


def test_commits_that_come_in_during_the_audit_are_good() -> None:
    house = House(seats=2).play(1)

    class Growing(ListLog):
        """A log to which a commit is added between the first look and the last."""

        asked = 0

        def head(self, table: str) -> Head | None:
            self.asked += 1
            head = house.log.heads[table]
            return earlier if self.asked == 1 else head

    earlier = house.log.heads[house.id]
    growing = Growing()
    growing.commits = house.log.commits
    house.step()
    assert verify_table(growing, house.id).problem is None
    assert growing.asked == 2


def test_a_table_that_is_played_faster_than_its_end_can_be_looked_at_is_good() -> None:
    """A commit comes in after the last one was read, and before the log's end is looked at."""
    house = House(seats=2).play(1)

    class Busy(ListLog):
        asked = 0

        def head(self, table: str) -> Head | None:
            self.asked += 1
            before = house.log.heads[table]
            house.step()
            return before if self.asked == 1 else house.log.heads[table]

    earlier = house.log.heads[house.id].seq
    busy = Busy()
    busy.commits = house.log.commits
    report = verify_table(busy, house.id)
    assert (report.problem, report.commits) == (None, earlier + 1)
    assert (busy.asked, house.log.heads[house.id].seq) == (2, earlier + 2)
    del house.log.commits[house.id][-1]  # the log's end names it, and it is not there
    found = problem(house)
    assert found is not None
    assert found.reason.startswith(f"is missing: the log ends with commit {earlier + 1}")


def test_logs_longer_than_a_page_are_read_whole() -> None:
    house = House(seats=6, chips=2000, seed=9).play(30)
    assert len(house.stored) > 1000
    assert verify_table(house.log, house.id).commits == len(house.stored)
