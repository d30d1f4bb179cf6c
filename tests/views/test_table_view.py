"""What a view says about a table, its pots, its turn and its results."""

from __future__ import annotations

import json

import pytest

from doorcard.cards import Card, parse_cards
from doorcard.commands import ActionName, AddChips, Leave, PauseTable, SitOut, VoidHand
from doorcard.engine.reducer import fold
from doorcard.engine.table import Table
from doorcard.errors import BadInput
from doorcard.limits import Limits
from doorcard.local import LocalTable
from doorcard.testing import stacked_table
from doorcard.views import (
    AUDITOR,
    SPECTATOR,
    ActionView,
    AwardView,
    HandView,
    PotView,
    ShareView,
    event_text,
    plain,
    render,
    view,
    view_json,
)

STAKES = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
DECK = "2c Kd As  7h Qs 3d  Th 4c 9h  2s  Ac Jc 8s"
"""Three players, the first in deal order with 2c 7h | Th, the next with Kd Qs | 4c."""


def opened_table(chips: tuple[int, ...] = (100, 100, 100), deck: str = DECK) -> LocalTable:
    """Three seats with a house dealer, so that seat 0 is first in deal order."""
    table = stacked_table(
        "seven_card_stud", deck, limits=STAKES, house={"dealer_mode": "fixed"}, seats=4
    )
    for name, count in zip(("ann", "bob", "cas"), chips, strict=True):
        table.sit(name, count)
    return table


def check_or_call(table: LocalTable) -> None:
    """Play a hand to its end without a bet."""
    while (options := table.legal) is not None:
        table.act("bring_in" if options.bring_in else "check" if options.check else "call")


def test_a_table_that_was_never_opened_has_no_view() -> None:
    with pytest.raises(BadInput, match="never opened"):
        view(Table(), SPECTATOR)


def test_an_empty_table() -> None:
    seen = LocalTable.open("razz").view()
    assert (seen.hand, seen.street_name, seen.seats, seen.pot, seen.turn) == (0, "", (), 0, None)
    assert "nobody is seated" in render(seen)


def test_everybody_sees_upcards_and_one_sees_ones_own_hole_cards() -> None:
    table = opened_table()
    table.deal()
    own = table.view(0)
    assert own.seats[0].down == parse_cards("2c 7h")
    assert own.seats[0].up == (Card("Th"),)
    assert own.seats[1].down == (None, None)
    assert own.seats[1].up == (Card("4c"),)
    assert table.view().seats[0].down == (None, None)
    assert table.view(AUDITOR).seats[2].down == parse_cards("As 3d")


def test_upcards_are_seen_in_the_order_received() -> None:
    """R2.8: by everybody, and in the words for it; neither by rank nor by suit."""
    table = opened_table(deck="2c Kd As  7h Qs 3d  Th 4c 9h  2s  Ac Jc 8s  2d  3c Jd 8d")
    table.deal()
    while (options := table.legal) is not None and "fifth" not in table.view().street_name:
        table.act("bring_in" if options.bring_in else "check" if options.check else "call")
    for viewer in (0, 1, SPECTATOR, AUDITOR):
        assert table.view(viewer).seats[0].up == parse_cards("Th Ac 3c")
    assert "Th Ac 3c" in render(table.view())


def test_the_lowest_card_number_is_a_card_like_any_other() -> None:
    """2c is number 0, which is as false as no card at all."""
    table = opened_table()
    table.deal()
    assert table.view(0).seats[0].down[0] == Card("2c")
    assert table.view(1).seats[0].down[0] is None


def test_options_are_shown_to_the_seat_that_is_asked_and_to_nobody_else() -> None:
    table = opened_table()
    table.deal()
    assert table.legal is not None
    assert table.legal.seat == 1
    assert table.view(1).legal == table.legal
    assert [table.view(who).legal for who in (0, 2, SPECTATOR, AUDITOR)] == [None] * 4
    assert {table.view(who).turn for who in (0, 1, 2, SPECTATOR, AUDITOR)} == {1}


def test_the_last_action_comes_from_the_last_commit() -> None:
    table = opened_table()
    table.deal()
    assert table.view().last_action is None
    table.act("bring_in")
    assert table.view().last_action == ActionView(1, "bring_in", 2, None)
    table.act("complete")
    assert table.view().last_action == ActionView(2, "complete", 5, 5)
    table.act("raise")
    assert table.view().last_action == ActionView(0, "raise", 10, 10)
    table.act("call")
    assert table.view().last_action == ActionView(1, "call", 8, None)
    table.act("fold")
    last = view(table.table, SPECTATOR, happened=table.commits[-2]).last_action
    assert last == ActionView(2, "fold", 0, None)


def test_bets_of_the_round_stand_apart_from_the_pots() -> None:
    table = opened_table((100, 12, 100))
    table.deal()
    table.act("bring_in")
    table.act("complete")
    seen = table.view()
    assert [seat.bet for seat in seen.seats] == [0, 2, 5]
    assert [seat.total for seat in seen.seats] == [1, 3, 6]
    assert (seen.pot, seen.pots) == (10, (PotView(3, (0, 1, 2)),))


def test_side_pots_name_who_can_win_them() -> None:
    """R12.1: seat 1 is all-in for 12; what the others put in above that is a side pot."""
    table = opened_table((100, 12, 100))
    table.deal()
    actions: tuple[ActionName, ...] = ("bring_in", "complete", "raise", "raise", "complete", "call")
    for action in actions:
        table.act(action)
    seen = table.view()
    assert seen.seats[1].all_in
    assert seen.street_name == "fourth street"
    assert seen.pots == (PotView(36, (0, 1, 2)), PotView(8, (0, 2)))
    assert "main pot 36, side pot 8" in render(seen)


def test_results_name_the_hands_that_were_shown_and_the_shares() -> None:
    """R14.4, R15: the winner's hand is tabled, a beaten one is mucked and stays hidden."""
    table = opened_table((100, 100, 100), "2c Kd As  7h Qs 3d  Th 4c 9h  2s  Tc Kc 8s")
    table.deal()
    check_or_call(table)
    seen = table.view()
    assert not seen.in_hand
    assert seen.pots == ()
    assert seen.pot == 0
    (winner,) = {share.seat for award in seen.awards for share in award.shares}
    assert [award.amount for award in seen.awards] == [9]
    best = next(hand for hand in seen.shown if hand.seat == winner)
    assert len(best.cards) == 7
    assert best.high
    assert best.low == ""
    for seat in seen.seats:
        assert seat.mucked == (None in seat.down)
    assert f"{best.player} wins 9" in render(seen)


def test_a_split_pot_shows_high_and_low() -> None:
    deck = "Ac Kc  2d Kd  3h Ks  9c  4s Qh  9d  8h Qd  9h  Jc 2s  9s  Td 3c"
    table = stacked_table("stud_high_low_8", deck, house={"dealer_mode": "fixed"}, seats=2)
    table.sit("ann", 100)
    table.sit("bob", 100)
    table.deal()
    check_or_call(table)
    seen = table.view()
    high = parse_cards("Kc Kd 3c Ks Qh Qd 2s")
    low = parse_cards("Ac 2d Td 3h 4s 8h Jc")
    assert set(seen.shown) == {
        HandView(0, "ann", low, "ace high", "8-4-3-2-A low"),
        HandView(1, "bob", high, "kings full of queens", "no low"),
    }
    shares = (ShareView(1, "high", 3), ShareView(0, "low", 3))
    assert seen.awards == (AwardView(0, 6, 0, shares),)


def test_a_hand_is_not_tabled_while_one_of_its_cards_is_still_hidden() -> None:
    """R14.6: hands exposed early get one more downcard, which is exposed in an event of its own."""
    table = stacked_table("seven_card_stud", house={"expose_all_in": True}, seats=2)
    table.sit("ann", 1)
    table.sit("bob", 1)
    table.deal()
    now, hidden = Table(), 0
    for event in table.events:
        now = fold(now, [event])
        seen = view(now, SPECTATOR)
        whole = {seat.seat for seat in seen.seats if seat.down and None not in seat.down}
        assert {hand.seat for hand in seen.shown} == whole
        hidden += any(None in seat.down and set(seat.down) != {None} for seat in seen.seats)
    assert hidden
    assert len(view(now, SPECTATOR).shown) == 2


def test_a_seat_taken_by_somebody_else_shows_nothing_of_the_hand_before() -> None:
    """The new player at a seat must not see the cards of the player who left it."""
    table = opened_table()
    table.deal()
    while table.legal is not None:
        table.act("bring_in" if table.legal.bring_in else "fold" if table.legal.fold else "check")
    assert table.view(0).seats[0].down == parse_cards("2c 7h")
    table.do(Leave(0, "ann", "bye"))
    table.sit("zoe", 100, 0)
    seat = table.view(0).seats[0]
    assert seat.player == "zoe"
    assert not seat.dealt_in
    assert (seat.up, seat.down) == ((), ())
    assert table.view(AUDITOR).seats[0].down == ()


def test_who_is_not_dealt_in_has_no_cards() -> None:
    table = opened_table()
    table.do(SitOut(2, "cas"))
    table.deal()
    seat = table.view().seats[2]
    assert (seat.sitting_out, seat.dealt_in, seat.up, seat.down) == (True, False, (), ())
    assert "(sitting out)" in render(table.view())


def test_chips_that_wait_and_players_who_leave_are_marked() -> None:
    table = opened_table()
    table.deal()
    table.do(AddChips(0, "ann", 50, "more"))
    table.do(Leave(2, "cas", "bye"))
    seen = table.view()
    assert seen.seats[0].waiting == 50
    assert seen.seats[2].leaving
    assert "(adds 50)" in render(seen)
    assert "(leaving)" in render(seen)


def test_a_void_hand_has_no_pots_and_reveals_nothing_more() -> None:
    """R19.2."""
    table = opened_table()
    table.deal()
    table.do(VoidHand("wrong deck"))
    seen = table.view()
    assert (seen.voided, seen.in_hand, seen.pots, seen.shown) == (True, False, (), ())
    assert table.stacks == {0: 100, 1: 100, 2: 100}
    assert "hand 1 is void" in render(seen)


def test_a_paused_and_a_closed_table_say_so() -> None:
    table = opened_table()
    table.do(PauseTable("maintenance"))
    assert (table.view().paused, table.view().pause_reason) == (True, "maintenance")
    words = "no new hand until the table is resumed (maintenance)"
    assert render(table.view()).splitlines()[0].endswith(f"; {words}")
    (paused,) = table.commits[-1]
    assert event_text(paused, SPECTATOR) == words, "a hand in progress goes on"


def test_a_view_is_plain_data_for_json() -> None:
    table = opened_table()
    table.deal()
    data = view_json(table.view(1))
    assert json.loads(json.dumps(data)) == data
    assert data["house"] == {"dealer_mode": "fixed"}
    seats = data["seats"]
    assert isinstance(seats, list)
    assert isinstance(seats[1], dict)
    assert seats[1]["down"] == ["Kd", "Qs"]
    assert isinstance(data["legal"], dict)
    assert data["legal"]["bring_in"] == 2


def test_bytes_have_no_place_in_a_view() -> None:
    """Keys, seals, salts and hashes are bytes: none of them can be shown by mistake."""
    with pytest.raises(TypeError, match="bytes"):
        plain(("seat", b"\x01"))


def test_a_name_cannot_break_a_line_or_steer_a_terminal() -> None:
    table = LocalTable.open("razz")
    table.sit("ann\n  0 bob 999\x1b[2J", 100)
    lines = table.text().splitlines()
    assert len(lines) == 2
    assert "\x1b" not in table.text()
