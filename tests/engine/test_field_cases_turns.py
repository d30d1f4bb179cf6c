"""Field reports about forced bets, whose turn it is and what is legal: S-11 to S-18, S-33."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import pytest

from doorcard.commands import Act, Leave, SitOut
from doorcard.engine import betting
from doorcard.engine.decided import Decided
from doorcard.errors import Refused
from doorcard.events import (
    BringInPosted,
    Checked,
    Completed,
    Dealt,
    Folded,
    HandEnded,
    PotAwarded,
    UncalledReturned,
)
from tests.engine.play import Play, letter

S_02_HANDS: Final = (
    "As Ad 9h 4c 7s 2h 3d",
    "Qs Qd Kh 8s 8c Jd 6d",
    "Ac Jh 2c Qh Tc 5s 2s",
)


def returned(play: Play) -> list[tuple[str, int]]:
    return [(letter(event.seat), event.amount) for event in play.of(UncalledReturned)]


def test_s_11_the_ante_is_not_part_of_the_bet() -> None:
    """R4.3: completing costs ten beside the ante of two."""
    play = Play((12, 100, 100), S_02_HANDS).start()
    assert play.hand.pot == 6
    play.do("C bring_in", "A complete")
    assert play.of(Completed)[0].amount == 10
    assert play.stack("A") == 0
    assert play.options() == "B: fold, call 10, raise 20"
    play.do("B call", "C fold")
    assert play.pots() == [31]
    assert sum(play.stacks()) == 212


def test_s_12_bring_in_by_suit_completion_and_cap() -> None:
    """R5.2, R5.11, R8.1, R8.5, R6.10."""
    play = Play([200] * 5, ("? ? 2d", "? ? 2c", "? ? 2s", "? ? 7h", "? ? Kd")).start()
    assert play.options() == "B: bring_in 5, complete 10"
    play.do("B bring_in", "C complete", "D raise 20", "E raise 30", "A raise 40")
    assert play.options() == "B: fold, call 35"
    assert play.refusal("B raise 50") == "betting/illegal_action"
    assert play.options() == "B: fold, call 35"
    play.do("B call", "C call")
    assert play.options() == "D: fold, call 20"


def test_s_12_no_cap_when_the_street_begins_with_two() -> None:
    """R8.3: a raising war ends because stacks are finite."""
    play = Play((500, 500), ("? ? 2d", "? ? 7h")).start()
    play.do("A bring_in", "B complete")
    raises = 0
    while play.legal.wager is not None:
        play.do(f"{play.asked} raise")
        raises += 1
    assert raises == 49  # to 20, 30, ... 490 and 498 all-in
    assert play.options().endswith("fold, call 8")
    play.do(f"{play.asked} call")
    assert play.pots() == [1000]


def test_s_12_the_cap_stays_when_three_become_two() -> None:
    """R8.3."""
    play = Play((500, 500, 500), ("? ? 2d", "? ? 7h", "? ? 8h")).start()
    play.do("A bring_in", "B complete", "C fold", "A raise", "B raise", "A raise")
    assert play.options() == "B: fold, call 10"


def test_s_13_all_in_for_the_ante_with_the_low_card() -> None:
    """R5.8, R12.3, R12.8."""
    play = Play(
        (2, 100, 100),
        ("As Ad 2c 4c 7s 2h 3d", "Qs Qd Kh 8s 8c Jd 6d", "Ac Jh 5h Qh Tc 5s ?"),
    ).start()
    assert play.options() == "B: fold, call 5, complete 10"
    play.do("B call", "C complete", "B call")
    assert play.asked == "B"  # K-8 against Q-5
    play.do("B check", "C check", "B bet", "C fold")
    assert returned(play) == [("B", 20)]
    assert play.pots() == [6, 20]
    assert play.shares() == [{"A": 6}, {"B": 20}]
    assert play.stacks() == [6, 108, 88]


@pytest.mark.parametrize(
    ("boards", "stack_of_c", "third_street", "opens"),
    [
        ("Ks 7d, Kh 7c, 5s 5d, Ac 2d", 100, "C bring_in, D call, A call, B call", "C"),
        ("Ks 7d, Kh 7c, 5s 5d, Ac 2d", 7, "C bring_in, D call, A call, B call", "D"),
        ("Ks 7d, Kh 7c, 5s 5d, Ac 2d", 100, "C bring_in, D complete, A call, B call, C fold", "D"),
        ("Ks 7d, Kh 7c, 5s 4d, 9c 2d", 100, "C bring_in, D call, A call, B call", "A"),
        ("9h 8h, Ts 9s, 5s 4d, Ac 2d", 100, "C bring_in, D call, A call, B call", "D"),
    ],
)
def test_s_14_who_opens_fourth_street(
    boards: str, stack_of_c: int, third_street: str, opens: str
) -> None:
    """R6.2, R11.1, R11.2, R11.4: the same boards with C able, all-in and folded; tied kings."""
    hands = [f"? ? {board}" for board in boards.split(", ")]
    play = Play((100, 100, stack_of_c, 100), hands).start().do(*third_street.split(", "))
    assert play.asked == opens


def test_s_14_the_opener_is_found_anew_on_every_street() -> None:
    """R11.3: exposed straights and flushes do not count; the leader changes with the boards."""
    play = Play(
        (200, 200),
        ("2c 2d 4h 5h 6h 7h 9c", "3c 3d Kc 2s 2h Qs 9d"),
    ).start()
    play.do("A bring_in", "B call")
    openers: list[str | None] = []
    while play.table.in_hand:
        openers.append(play.asked)
        play.do(f"{play.asked} check").do(f"{play.asked} check")
    assert openers == ["B", "B", "B", "B"]  # king, deuces, deuces; four hearts are nothing


def fifth_street(stacks: tuple[int, int, int]) -> Play:
    """Three players, twelve each in; A opens fifth street for 20."""
    play = Play(stacks, ("? ? Ah Kh Qh", "? ? 8d 9c 4h", "? ? 2c 7d 3s")).start()
    play.do("C bring_in", "A complete", "B call", "C call", "A check", "B check", "C check")
    return play.do("A bet")


def test_s_15_nine_more_are_no_raise() -> None:
    """R9.1, R9.4, R9.5."""
    play = fifth_street((200, 41, 200)).do("B raise 29")
    assert play.options() == "C: fold, call 29, complete 40"
    play.do("C call")
    assert play.options() == "A: fold, call 9"


def test_s_15_ten_more_are_a_raise() -> None:
    """R9.1, R9.2, R9.5."""
    play = fifth_street((200, 42, 200)).do("B raise 30")
    assert play.options() == "C: fold, call 30, raise 50"
    play.do("C call")
    assert play.options() == "A: fold, call 10, raise 50"


@pytest.mark.parametrize("folds", [True, False])
def test_s_16_an_all_in_bet_must_be_answered(*, folds: bool) -> None:
    """R6.4: B is asked although he alone has chips left."""
    play = Play((42, 200), ("As Ad 9h 4c 7s 2h 3d", "Qs Qd Kh 8s 8c Jd 6d")).start()
    play.do("A bring_in", "B complete", "A call", "B bet", "A call", "B check", "A bet")
    assert play.stack("A") == 0
    assert play.options() == "B: fold, call 20"
    play.do("B fold" if folds else "B call")
    if folds:
        assert returned(play) == [("A", 20)]
        assert play.pots() == [44]
        assert play.stacks() == [64, 178]
    else:
        assert play.pots() == [84]


def test_s_16_then_no_more_questions() -> None:
    """R6.5: three more streets are dealt and the hand is shown down."""
    play = Play((22, 200, 200), S_02_HANDS).start()
    play.do("C bring_in", "A complete", "B call", "C fold", "B bet", "A call")
    assert not play.table.in_hand
    assert [dealt.street for dealt in play.of(Dealt)] == [1, 2, 3, 4, 5]
    assert [len(dealt.up) + len(dealt.down) for dealt in play.of(Dealt)[1:]] == [2, 2, 2, 2]
    assert play.pots() == [51]


def test_s_17_no_raise_that_nobody_can_call() -> None:
    """R6.8."""
    play = Play((12, 26, 200), S_02_HANDS).start()
    play.do("C bring_in", "A complete", "B call", "C call", "B bet", "C call", "B bet")
    assert play.options() == "C: fold, call 4"
    assert play.refusal("C raise 24") == "betting/illegal_action"
    play.do("C call")
    assert play.pots() == [36, 28]
    assert play.shares() == [{"B": 36}, {"B": 28}]
    assert play.stacks() == [0, 64, 174]


def facing_a_bet() -> Play:
    """B faces 10 with 40 behind."""
    return Play((200, 42), ("? ? 2c", "? ? Kh")).start().do("A complete")


NOT_TO_BE_DONE: Final = [
    ("raise", -10), ("raise", 0), ("raise", 10), ("raise", 10.5), ("raise", "20"),
    ("raise", "1e1"), ("raise", 9007199254740993), ("raise", 2147483648),
    ("raise", float("nan")), ("raise", True), ("raise", 41), ("raise", 15), ("raise", 21),
    ("bet", 20), ("complete", 10), ("check", None), ("bring_in", None), ("call", 10),
    ("fold", 0), ("all_in", None), ("", None), ("RAISE", 20),
]  # fmt: skip


@pytest.mark.parametrize(("name", "to"), NOT_TO_BE_DONE)
def test_s_18_what_is_not_legal_leaves_no_trace(name: Any, to: Any) -> None:
    """R6.10: every refusal is typed, and the table is the very same."""
    play = facing_a_bet()
    before = play.table.draft()
    outcome = betting.decide(play.table, Act(1, play.table.decision, name, to))
    assert isinstance(outcome, Refused)
    assert outcome.code.startswith("betting/")
    assert outcome.seat == 1
    assert play.table == before
    play.do("B call")


def test_s_18_only_the_seat_that_is_asked_may_act_and_only_once() -> None:
    """R6.10: another seat, another player, an old decision, the same fold three times."""
    play = facing_a_bet()
    decision = play.table.decision
    answers = [
        play.ask("A fold"),
        play.ask("C fold"),
        play.ask("B fold", player="p0"),
        play.ask("B fold", decision=decision - 1),
        play.ask("B fold", decision=decision + 1),
    ]
    assert [answer.code for answer in answers if isinstance(answer, Refused)] == [
        "betting/not_your_turn",
        "betting/unknown_seat",
        "betting/not_your_seat",
        "betting/late",
        "betting/late",
    ]
    play.do("B fold")
    for _ in range(2):
        again = play.ask("B fold", decision=decision)
        assert isinstance(again, Refused)
        assert again.code == "betting/nobody_asked"
    assert len(play.of(Folded)) == 1
    assert len(play.of(PotAwarded)) == 1
    assert len(play.of(HandEnded)) == 1


def test_s_33_what_a_time_out_does() -> None:
    """R18.1: the bring-in is posted, a bet is folded to, otherwise a check."""
    play = Play((100, 100, 100), ("? ? 9h Ah", "? ? 8h 4d", "? ? 2c Kd")).start()
    play.time_out()
    assert play.of(BringInPosted)[0] == BringInPosted(2, 5)
    play.do("A complete", "B call")
    play.time_out()
    assert play.of(Folded) == [Folded(2)]
    assert play.asked == "A"
    play.time_out()
    assert play.of(Checked) == [Checked(0)]


def test_s_33_a_late_time_out_is_ignored() -> None:
    """R18.1: an old decision's timer, before the hand and after it."""
    play = Play((100, 100), ("? ? 9h", "? ? 2c"))
    nobody = play.time_out(0)
    assert isinstance(nobody, Refused)
    assert nobody.code == "betting/nobody_asked"
    play.start()
    old = play.table.decision
    play.do("B bring_in")
    late = play.time_out(old)
    assert isinstance(late, Refused)
    assert late.code == "betting/late"
    play.do("A fold")
    assert isinstance(play.time_out(old + 1), Refused)
    assert len(play.of(Folded)) == 1


def test_s_33_no_clock_runs_for_who_cannot_act() -> None:
    """R6.1: no decision is asked of folded and all-in players, nor while cards are dealt."""
    play = Play((12, 100, 100, 100), ("? ? Ah", "? ? 8h", "? ? 9d", "? ? 2c")).start()
    asked: list[str | None] = []
    decisions: list[int] = []
    play.do("D bring_in", "A complete", "B fold", "C call", "D call")
    while play.table.in_hand:
        asked.append(play.asked)
        decisions.append(play.table.decision)
        play.time_out()
    assert {"A", "B"}.isdisjoint(asked)
    assert all(after == before + 1 for before, after in pairwise(decisions))


def test_s_33_absent_players_are_timed_out_by_the_same_rule() -> None:
    """R18.4: who leaves or sits out is still in the hand."""
    play = Play((100, 100, 100), ("? ? 9h", "? ? 8h", "? ? 2c")).start()
    assert isinstance(play.floor(Leave(0, "p0", "go")), Decided)
    assert isinstance(play.floor(SitOut(2, "p2")), Decided)
    assert play.asked == "C"
    play.time_out()
    assert play.of(BringInPosted) == [BringInPosted(2, 5)]
    play.time_out()
    assert play.of(Folded) == [Folded(0)]
    play.do("B complete")
    play.time_out()
    assert play.of(Folded) == [Folded(0), Folded(2)]
    assert play.stacks() == [98, 109, 93]
