"""Extra cards, pots to match, and wild cards that follow: what upcards bring (G10, G11)."""

from __future__ import annotations

import pytest

from doorcard.commands import Choose, Leave, TimeOut
from doorcard.engine.choices import choices
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.showdown import hand_pots
from doorcard.events import (
    Dealt,
    ExtraCardPaid,
    MatchDeclined,
    PotMatched,
)
from tests.games.tables import (
    dealt,
    due,
    held,
    quietly,
    refused,
    run_out,
)

FOURS = "2c 2d 6c 6d 4h Kd 4s 7s 8s"
"""Baseball: A is dealt a four face up."""
THREES = "2c 2d 5c 6c 6d 7c 3h 3s Kd 5h 5s"
"""Baseball with three players: A and B are dealt threes face up."""


def test_an_extra_card_up_may_be_another_four() -> None:
    """G11.2: each four face up brings a card, at once."""
    deck = "2c 2d 6c 6d 4h 4s Ts Kd"
    play = dealt("baseball", deck, four_extra="up")
    assert held(play, "A") == "2c 6c | 4h 4s Ts"
    assert held(play, "B") == "2d 6d | Kd"


def test_a_four_face_down_brings_nothing() -> None:
    """G11.2."""
    play = dealt("baseball", "4c 2d 4d 6d Kh Kd")
    assert held(play, "A") == "4c 4d | Kh"


def test_an_extra_card_is_paid_for() -> None:
    """G11.3, R17.3: dead money, then the card comes before the next player's."""
    play = dealt("baseball", FOURS, four_extra_price=3)
    assert due(play) == ("extra", "A")
    play.choose("A take")
    assert play.of(ExtraCardPaid) == [ExtraCardPaid(0, 3)]
    assert held(play, "A") == "2c 6c Kd | 4h"
    # B's upcard is a four as well.
    assert due(play) == ("extra", "B")
    play.choose("B decline")
    assert held(play, "B") == "2d 6d | 4s"
    assert (play.stack("A"), play.hand.pot) == (96, 5)
    assert play.hand.dead == ((0, 3, 1),)


def test_who_cannot_pay_gets_no_extra_card() -> None:
    """R17.3: the whole price or nothing."""
    play = dealt("baseball", FOURS, (3, 100), four_extra_price=3)
    assert choices(play.table) is None
    assert held(play, "A") == "2c 6c | 4h"
    assert held(play, "B") == "2d 6d | Kd"


def test_a_three_face_up_costs_the_pot() -> None:
    """G11.3, G11.6: the second three costs what is in the middle by then."""
    play = dealt("baseball", THREES, (100, 100, 100), three_up_match_pot=True)
    assert (due(play), play.due.price) == (("match", "A"), 3)
    play.choose("A match")
    assert (due(play), play.due.price) == (("match", "B"), 6)
    play.choose("B match")
    assert play.of(PotMatched) == [PotMatched(0, 3), PotMatched(1, 6)]
    assert play.hand.pot == 12
    assert held(play, "C") == "5c 7c | Kd"
    assert play.legal.check


def test_a_short_stack_matches_what_it_can() -> None:
    """G11.3, R12.7: all-in for the rest; the price is no contribution."""
    play = dealt("baseball", THREES, (3, 100, 100), three_up_match_pot=True)
    play.choose("A match", "B fold")
    assert play.stack("A") == 0
    assert play.hand.dead == ((0, 2, 1),)
    assert [tuple(pot) for pot in hand_pots(play.hand)] == [(5, (0, 2))]


def test_an_all_in_player_need_not_match() -> None:
    """G11.6: pays nothing and stays in."""
    play = dealt("baseball", THREES, (1, 100, 100), three_up_match_pot=True)
    assert due(play) == ("match", "B")
    assert not play.hand.players[0].folded


def test_who_folds_a_three_gets_no_more_cards() -> None:
    """G11.6, R6.11: and when all others have folded the hand is over in the middle of a deal."""
    play = dealt("baseball", "2c 2d 6c 6d 3h Kd", three_up_match_pot=True)
    play.choose("A fold")
    assert play.of(MatchDeclined) == [MatchDeclined(0)]
    assert not play.table.in_hand
    assert play.stacks() == [99, 101]
    assert len(play.of(Dealt)) == 1


def test_a_three_face_down_costs_nothing() -> None:
    """G11.6."""
    play = dealt("baseball", "3c 2d 6c 6d Kh Kd", three_up_match_pot=True)
    assert choices(play.table) is None


def test_community_cards_cost_and_bring_nothing() -> None:
    """G11.2, G11.6, R3.12: a three or four in the middle is only a card."""
    for card in ("3s", "4c"):
        play = dealt("baseball", f"2c 2d 6c 6d Kh Kd 8c {card}", three_up_match_pot=True)
        run_out(play, left=4)
        quietly(play, street=2)
        assert [str(c) for c in play.hand.community] == [card]
        assert choices(play.table) is None
        assert len(play.of(Dealt)[-1].down) == 0


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        (Choose(0, 1, "take"), "choice/illegal"),
        (Choose(0, 1, "decline"), "choice/illegal"),
        (Choose(1, 1, "fold"), "choice/not_your_turn"),
        (Choose(0, 3, "match"), "choice/late"),
        (Choose(0, 1, "match", sealed=b"1"), "choice/not_sealed"),
    ],
)
def test_payments_are_refused(choice: Choose, code: str) -> None:
    """G11.3."""
    play = dealt("baseball", THREES, (100, 100, 100), three_up_match_pot=True)
    assert refused(play, choice) == code


def test_absent_players_pay_nothing() -> None:
    """R18.9: the extra card is declined, and who must match the pot folds, at once."""
    play = dealt("baseball", THREES, (100, 100, 100), three_up_match_pot=True)
    play.floor(Leave(0, "p0", "bye"))
    command = TimeOut(play.due.decision, absent_only=True)
    outcome = decide_choice(play.table, command, play.deck)
    assert isinstance(outcome, Decided)
    assert outcome.events == (MatchDeclined(0),)


def test_the_lowest_of_all_upcards_brings_it_in() -> None:
    """R5.2: B's extra card is lower than anybody's first one."""
    deck = "5c 5d 6c 6d 7h 4s 2h"
    play = dealt("baseball", deck, four_extra="up", opening="low_card_bring_in")
    assert held(play, "B") == "5d 6d | 4s 2h"
    assert play.options() == "B: bring_in 2, complete 5"


def test_a_community_queen_is_followed() -> None:
    """G10.2, G10.8, R3.12: a queen in the middle ends what was wild; the next upcard follows."""
    play = dealt("queens_and_after", "2c 2d 3c 3d Qd 5h 8c Qs 9c 9d 6h 6s")
    assert {card.rank for card in play.hand.wild} == {12, 5}
    run_out(play, left=4)
    quietly(play, street=2)
    assert [str(card) for card in play.hand.community] == ["Qs"]
    assert {card.rank for card in play.hand.wild} == {12}
    quietly(play, street=3)
    assert [str(card) for card in play.hand.community] == ["Qs", "9d"]
    assert {card.rank for card in play.hand.wild} == {12, 9}


def test_a_queen_after_a_queen_lets_the_next_card_decide() -> None:
    """G10.4: nothing new is wild on the first street."""
    play = dealt("queens_and_after", "2c 2d 3c 3d Qd Qh 8c 7s 9c", opening="high_board_opens")
    assert {card.rank for card in play.hand.wild} == {12}
    assert play.asked == "A"
    play.do("A check", "B check")
    assert {card.rank for card in play.hand.wild} == {12, 7}
