"""Declarations: in secret or in turn, swings, ties, side pots, what is refused (R16)."""

from __future__ import annotations

import pytest

from doorcard.commands import Choose, Leave, SitOut, TimeOut
from doorcard.engine import betting
from doorcard.engine.decided import Decided
from doorcard.engine.showdown import hand_pots
from doorcard.events import (
    DeclarationMade,
    Declared,
    HandMucked,
    HandShown,
    PotAwarded,
)
from doorcard.limits import Scalar
from tests.engine.play import Play
from tests.games.tables import (
    OPEN,
    dealt,
    due,
    payouts,
    quietly,
    refused,
    rules_for,
)

DECLARE_DECK = "2c 3c 4c Kd 9d 8d 5s Kh 9h 8h 5h Ks 9s 8s 5c 7c 2d 3d"
"""Three players; A's three kings lead on the last street."""


def declaring(*, stacks: tuple[int, ...] = (100, 100, 100), **house: Scalar) -> Play:
    """Three players who have checked down."""
    return quietly(dealt("five_card_high_low_declare", DECLARE_DECK, stacks, house=house))


def test_declarations_go_round_from_the_leader_or_the_aggressor() -> None:
    """R16.4: clockwise, each public at once."""
    play = declaring(declare="sequential")
    for seat in "ABC":
        assert due(play) == ("declare", seat)
        play.choose(f"{seat} low")
    assert play.of(Declared) == [Declared(seat, "low") for seat in range(3)]
    bet = dealt("five_card_high_low_declare", DECLARE_DECK, (99,) * 3, declare="sequential")
    quietly(bet, street=4)
    bet.do("A check", "B bet", "C call", "A raise", "B call", "C raise", "A fold", "B call")
    assert due(bet) == ("declare", "C")
    bet.time_out()
    assert bet.of(Declared) == [Declared(2, "high")]
    assert due(bet) == ("declare", "B")


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        (Choose(0, 0, "declare", direction="both"), "choice/bad_direction"),
        (Choose(0, 0, "declare", direction=""), "choice/bad_direction"),
        (Choose(0, 0, "declare", direction="HIGH"), "choice/bad_direction"),
        (Choose(1, 0, "declare", direction="low"), "choice/not_your_turn"),
        (Choose(0, 0, "buy", 0), "choice/illegal"),
        (Choose(0, 0, "declare", sealed=b"low"), "choice/not_sealed"),
        (Choose(0, 0, "declare", direction="low", player="p2"), "choice/not_your_seat"),
        (Choose(7, 0, "declare", direction="low"), "choice/unknown_seat"),
    ],
)
def test_an_open_declaration_is_refused(choice: Choose, code: str) -> None:
    """R16.2, R16.4."""
    play = declaring(declare="sequential")
    number = play.due.decision
    late = Choose(0, number - 1, "declare", direction="low")
    assert refused(play, late) == "choice/late"
    asked = Choose(
        choice.seat, number, choice.choice, choice.place, choice.direction, choice.sealed,
        choice.player,
    )  # fmt: skip
    assert refused(play, asked) == code


def test_nobody_declares_twice() -> None:
    """R16.3, R16.4: neither in public nor in secret."""
    play = declaring(declare="sequential").choose("A low")
    again = Choose(0, play.due.decision, "declare", direction="high")
    assert refused(play, again) == "choice/not_your_turn"
    secret = declaring().choose("B low")
    again = Choose(1, secret.due.decision, "declare", sealed=b"high")
    assert refused(secret, again) == "choice/made_already"


def test_sealed_both_where_it_is_off_counts_as_high() -> None:
    """R16.2, R18.2: what opens to nonsense is what a time-out declares."""
    play = declaring()
    play.choose("A both", "B low", "C sideways")
    declared = [player.declared for player in play.hand.players]
    assert declared == ["high", "low", "high"]


def test_absent_players_declare_high_at_once() -> None:
    """R18.2, R18.4, R18.7: two of three are away."""
    play = declaring()
    play.floor(SitOut(0, "p0"))
    play.floor(Leave(2, "p2", "bye"))
    command = TimeOut(play.due.decision, absent_only=True)
    outcome = betting.decide(play.table, command)
    assert isinstance(outcome, Decided)
    assert outcome.events == (DeclarationMade(0, b""), DeclarationMade(2, b""))
    assert outcome.table.asked == (1,)
    assert refused(play, TimeOut(play.due.decision + 1)) == "betting/late"
    assert refused(declaring(), TimeOut(declaring().due.decision, absent_only=True)) == (
        "betting/not_due"
    )


HIGH = "Kd | Ks 9h 4s 2c"
"""A pair of kings; no low below a pair."""
SIX = "6d | 5h 4s 3h As"
"""6-5-4-3-A; ace-high."""
SIX_TOO = "6c | 5d 4d 3c Ad"
SEVEN = "7d | 5c 4c 3d Ac"
FLUSH = "7h | 5h 4h 3h Ah"
"""A flush, and in a6 no low; in a5 7-5-4-3-A."""


@pytest.mark.parametrize(
    ("declared", "hands", "ties", "paid"),
    [
        # R16.7: the sole best of both takes everything.
        ("both low high", [FLUSH, "8d | 5c 4c 3d Ac", HIGH], "lose", [100, 0, 0]),
        # A tie for low: struck; those who declared one direction share.
        ("both low high", [FLUSH, SEVEN, HIGH], "lose", [0, 50, 50]),
        ("both low high", [FLUSH, SEVEN, HIGH], "share", [75, 25, 0]),
        # Beaten for low: struck, whatever the high hand is.
        ("both low high", [FLUSH, SIX, HIGH], "share", [0, 50, 50]),
        # Two swings: neither protects the other, and both go.
        ("both both high", [FLUSH, SIX, HIGH], "lose", [0, 0, 100]),
        ("both both high", [FLUSH, SIX, HIGH], "share", [0, 0, 100]),
        # R16.7: a swing beaten by another swing is not the sole best of all who declared so.
        ("both both low", [FLUSH, "8h | 8d 4c 3d 2c", SIX], "lose", [0, 0, 100]),
        # R16.8: one is struck, the other is then best both ways.
        ("both both low", [FLUSH, SEVEN, "8d | 5s 4c 3d Ac"], "share", [100, 0, 0]),
        # Nobody is left: by cards speak, among those who declared both.
        ("both both both", [FLUSH, SIX, HIGH], "lose", [50, 50, 0]),
        ("both both both", [FLUSH, SIX, HIGH], "share", [50, 50, 0]),
        ("both both both", [FLUSH, SEVEN, HIGH], "share", [100, 0, 0]),
        # R16.6: one direction takes the whole pot; ties share it.
        ("low low low", [SIX, SIX_TOO, HIGH], "lose", [50, 50, 0]),
        ("high high high", [SIX, SIX_TOO, HIGH], "lose", [0, 0, 100]),
    ],
)
def test_who_wins_a_declared_pot(
    declared: str, hands: list[str], ties: str, paid: list[int]
) -> None:
    """R16.5, R16.6, R16.7, R16.8, with three players."""
    rules = rules_for(
        "five_card_high_low_declare",
        low_ranking="a5",
        declare_both=True,
        declare_both_ties=ties,
    )
    assert payouts(rules, 100, hands, declared.split()) == paid


def test_each_pot_is_judged_on_its_own() -> None:
    """R16.12: the only low of the side pot loses the main pot's to a shorter stack."""
    deck = "2c 3c 8c  3d 4d Kd  7h 5d 9h Kh  8d 6h 4s Ks  9s 7c 5s Tc"
    play = dealt("five_card_high_low_declare", deck, (6, 100, 100))
    play.do(f"{play.asked} bet")
    quietly(play, street=4)
    play.do(f"{play.asked} bet")
    quietly(play)
    main, side = hand_pots(play.hand)
    assert (main.amount, main.eligible) == (18, (0, 1, 2))
    assert (side.amount, side.eligible) == (20, (1, 2))
    play.choose("A low", "B low", "C high")
    awards = [{seat: chips for seat, _, chips in a.shares} for a in play.of(PotAwarded)]
    assert awards == [{2: 9, 0: 9}, {2: 10, 1: 10}]


def test_a_pot_with_one_player_goes_there_whatever_was_declared() -> None:
    """R16.11, R12.8."""
    rules = rules_for("five_card_high_low_declare")
    assert rules.house.declare == "simultaneous"
    play = dealt("five_card_high_low_declare", "", (1, 3), limits=OPEN._replace(ante=3))
    quietly(play)
    play.choose("A low", "B low")
    assert [award.amount for award in play.of(PotAwarded)] == [2, 2]
    assert play.of(PotAwarded)[1].shares == ((1, "all", 2),)


def test_a_bet_after_the_declaration_may_be_folded_to() -> None:
    """R16.13: who folds is out with the declaration; the last one takes everything unseen."""
    play = declaring(bet_after_declare=True)
    play.choose("A high", "B low", "C low")
    play.do("A bet", "B fold", "C fold")
    assert not play.table.in_hand
    assert play.stacks() == [102, 99, 99]


def test_all_in_players_declare_and_no_round_follows() -> None:
    """R16.1, R16.13, R6.5."""
    play = declaring(stacks=(1, 1, 1), bet_after_declare=True)
    assert due(play) == ("declare", "ABC")
    play.choose("A high", "B low", "C low")
    assert not play.table.in_hand


def test_nobody_mucks_where_hands_were_declared() -> None:
    """R14.6: neither does B, who is beaten both ways by the hand that is shown first."""
    deck = "2c 8c As Kd Jc 3h 9d Jd 4s 7h Jh 6d 5h"
    play = quietly(dealt("five_card_high_low_declare", deck)).choose("A high", "B high")
    assert [hand.seat for hand in play.of(HandShown)] == [0, 1]
    assert not play.of(HandMucked)
    assert play.shares() == [{"A": 2}]


def test_the_round_after_the_declaration_is_a_new_one() -> None:
    """R16.9, R16.13: three raises in each, A first again; the last to wager shows first (R14.2)."""
    play = dealt("five_card_high_low_declare", DECLARE_DECK, (500,) * 3, bet_after_declare=True)
    quietly(play, street=4)
    play.do("A bet 10", "B raise 20", "C raise 30", "A raise 40")
    assert play.options() == "B: fold, call 20"
    play.do("B call", "C call").choose("A high", "B low", "C low")
    assert play.options() == "A: check, bet 10"
    play.do("A check", "B bet 10", "C raise 20", "A raise 30", "B raise 40")
    assert play.options() == "C: fold, call 20"
    play.do("C call", "A call")
    assert [hand.seat for hand in play.of(HandShown)] == [1, 2, 0]
