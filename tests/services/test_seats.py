"""Sitting down, leaving and chips, while hands are played (S-34, R18.4 to R18.6, R19)."""

from __future__ import annotations

import pytest

from doorcard.commands import (
    AddChips,
    CloseTable,
    Command,
    Leave,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
    SitIn,
    SitOut,
    VoidHand,
)
from doorcard.events import AntesPosted, HandEnded, HandVoided, SeatLeft, SeatTaken, TableClosed
from doorcard.streams.codec import decode
from doorcard.streams.keys import partition_names
from doorcard.tables import Role
from tests.services.harness import LIMITS, TABLE, House, assert_all_is_done, calm, sit_down
from tests.services.shops import Shop


def chips_in_play(house: House) -> int:
    table = house.table()
    held = sum(table.stack(seat.seat) + seat.waiting for seat in table.seats.values())
    return held + (table.hand.pot if table.hand is not None else 0)


def play_out(house: House) -> None:
    """Play the hand in progress to its end."""
    number = house.table().hands
    while house.table().hands == number and house.table().awaited == "betting":
        house.act()


def test_s34a_one_account_on_two_connections_gets_one_seat(shop: Shop) -> None:
    house = House(shop)
    house.ask(OpenTable("razz", LIMITS, seats=4), "open")
    house.send(SitDown(0, "ann", 100, "first"), "first", sender="laptop")
    house.send(SitDown(1, "ann", 100, "second"), "second", sender="phone")
    house.send(SitDown(0, "ann", 100, "third"), "third", sender="tablet")
    house.settle()
    table = house.table()
    assert [(seat.seat, seat.player, seat.stack) for seat in table.seats.values()] == [
        (0, "ann", 100)
    ]
    assert table.chips_in == 100
    assert len([event for event in house.events() if isinstance(event, SeatTaken)]) == 1


def test_s34b_who_leaves_while_antes_are_collected_is_folded_and_paid(shop: Shop) -> None:
    """The dealer's wake-up and the leave race: whichever is first, nothing hangs."""
    orders: tuple[tuple[Role, ...], ...] = (("floor", "dealer"), ("dealer", "floor"))
    for order in orders:
        house = House(shop)
        name = f"p00.race-{order[0]}"
        house.send(OpenTable("seven_card_stud", LIMITS, seats=3), "open", table=name)
        for seat in range(3):
            house.send(sit_down(seat), f"sit-{seat}", table=name)
        house.settle(("floor",))
        house.send(Leave(1, "player-1", "bye"), "bye", table=name)
        for role in order:
            house.step((role,))
        house.settle()
        while house.table(name).hands < 2:
            house.ask(calm(house.table(name)), table=name)
        table = house.table(name)
        assert sorted(table.seats) == [0, 2]
        antes = [event for event in house.events(name) if isinstance(event, AntesPosted)]
        assert [len(event.antes) for event in antes] == ([2, 2] if order[0] == "floor" else [3, 2])
        (left,) = [event for event in house.events(name) if isinstance(event, SeatLeft)]
        stacks = sum(table.stack(seat) for seat in table.seats)
        assert left.chips + stacks + house.hand(name).pot == 300


def test_s34c_a_newcomer_pays_nothing_until_he_is_dealt_in(house: House) -> None:
    house.ask(OpenTable("seven_card_stud", LIMITS, seats=4), "open")
    for seat in range(2):
        house.send(sit_down(seat), f"sit-{seat}")
    house.settle()
    assert house.ask(sit_down(2), "sit-2").ok
    play_out(house)
    antes = [event.antes for event in house.events() if isinstance(event, AntesPosted)]
    assert [sorted(dict(paid)) for paid in antes] == [[0, 1], [0, 1, 2]]
    assert house.table().stack(2) + 1 == 100


def test_leaving_in_the_middle_is_paid_after_the_hand(shop: Shop) -> None:
    house = House(shop)
    house.open(3)
    house.act()
    assert house.ask(Leave(1, "player-1", "bye"), "bye").ok
    assert not [event for event in house.events() if isinstance(event, SeatLeft)]
    play_out(house)
    commits = house.commits()
    (ended,) = [n for n, c in enumerate(commits) if any(isinstance(e, HandEnded) for e in c.events)]
    left = commits[ended + 1]
    assert (left.role, left.cause) == ("floor", f"wake-{ended + 1}")
    (event,) = left.events
    assert isinstance(event, SeatLeft)
    assert event.chips + chips_in_play(house) == 300
    assert sorted(house.table().seats) == [0, 2]
    assert house.ask(SitDown(1, "new", 50, "new"), "new").ok
    assert_all_is_done(house)


def test_adding_chips_is_idempotent_and_waits_for_the_hands_end(shop: Shop) -> None:
    house = House(shop)
    house.open(2, buy_in_max=200)
    more = AddChips(0, "player-0", 60, "more")
    first = house.ask(more, "more")
    for _ in range(3):
        assert house.ask(more, "more") == first
    table = house.table()
    assert (table.seats[0].waiting, table.chips_in) == (60, 260)
    assert house.ask(AddChips(0, "player-0", 60, "again"), "again").code == "floor/bad_amount"
    play_out(house)
    assert house.ask(more, "more") == first
    assert house.table().chips_in == 260
    assert chips_in_play(house) == 260
    for chips in (0, -1, 10**9):
        house.send(AddChips(0, "player-0", chips, f"odd{chips}"), f"odd{chips}")
    house.settle()
    assert all(not reply.ok for reply in house.replies())
    assert house.table().chips_in == 260


def test_adding_and_leaving_at_once_lose_no_chip(house: House) -> None:
    house.open(2)
    house.send(AddChips(0, "player-0", 50, "more"), "more")
    house.send(Leave(0, "player-0", "bye"), "bye")
    house.send(AddChips(0, "player-0", 50, "after"), "after")
    house.settle()
    replies = {reply.id: reply for reply in house.replies()}
    assert (replies["more"].ok, replies["bye"].ok) == (True, True)
    play_out(house)
    (left,) = [event for event in house.events() if isinstance(event, SeatLeft)]
    table = house.table()
    assert left.chips + table.stack(1) == table.chips_in == 250
    assert replies["after"].code == "floor/leaving"
    assert table.awaited is None
    assert_all_is_done(house)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (SitDown(1, "eve", 100, "x"), "floor/seat_taken"),
        (SitDown(3, "player-0", 100, "x"), "floor/seated_already"),
        (SitDown(9, "eve", 100, "x"), "floor/unknown_seat"),
        (SitDown(3, "eve", 19, "x"), "floor/bad_buy_in"),
        (SitDown(3, "eve", 201, "x"), "floor/bad_buy_in"),
        (SitDown(3, "eve", 0, "x"), "floor/bad_buy_in"),
        (SitDown(3, "eve", 100, "x", b"short"), "floor/bad_key"),
        (SitDown(3, "eve", 100, "x", bytes(32)), "floor/bad_key"),
        (Leave(1, "player-0", "x"), "floor/not_your_seat"),
        (Leave(3, "player-3", "x"), "floor/not_seated"),
        (AddChips(1, "player-0", 10, "x"), "floor/not_your_seat"),
        (SitOut(0, "player-1"), "floor/not_your_seat"),
        (SitIn(3, "nobody"), "floor/not_seated"),
        (CloseTable(), "floor/hand_running"),
    ],
    ids=str,
)
def test_what_the_floor_refuses_changes_nothing(house: House, command: Command, code: str) -> None:
    house.ask(OpenTable("razz", LIMITS, seats=4, buy_in_min=20, buy_in_max=200), "open")
    for seat in range(3):
        house.send(sit_down(seat), f"sit-{seat}")
    house.settle()
    before = house.log.read(TABLE)
    reply = house.ask(command, "x")
    assert (reply.ok, reply.code) == (False, code)
    assert house.log.read(TABLE) == before


def test_voiding_a_hand_returns_everything_and_the_next_begins(shop: Shop) -> None:
    house = House(shop)
    house.open(3)
    for _ in range(4):
        house.act()
    assert house.ask(VoidHand("misdeal"), "void").ok
    (voided,) = [event for event in house.events() if isinstance(event, HandVoided)]
    assert sum(chips for _, chips in voided.refunds) > 3
    table = house.table()
    assert table.hands == 2
    assert chips_in_play(house) == 300
    after_void = next(
        decode(stored.raw) for stored in house.log.read(TABLE) if stored.seq == table.hand_seq
    )
    assert after_void.role == "dealer"
    house.act()
    assert_all_is_done(house)


def test_voiding_pays_out_who_waited_to_leave(house: House) -> None:
    house.open(3)
    house.act()
    house.ask(Leave(0, "player-0", "bye"), "bye")
    house.ask(VoidHand("power cut"), "void")
    (left,) = [event for event in house.events() if isinstance(event, SeatLeft)]
    assert left.chips == 100
    assert house.table().in_hand


def test_closing_pays_everybody_out(shop: Shop) -> None:
    house = House(shop)
    house.open(3)
    assert house.ask(PauseTable("late"), "pause").ok
    play_out(house)
    assert house.table().hands == 1
    assert house.ask(CloseTable(), "close").ok
    last = house.commits()[-1].events
    assert [type(event) for event in last] == [SeatLeft, SeatLeft, SeatLeft, TableClosed]
    table = house.table()
    assert (table.chips_in, table.chips_out, table.seats) == (300, 300, {})
    assert_all_is_done(house)


def test_a_pause_ends_with_the_hand_and_a_resume_starts_the_next(house: House) -> None:
    house.open(2)
    house.ask(PauseTable("dinner"), "pause")
    play_out(house)
    assert (house.table().hands, house.table().in_hand, house.table().awaited) == (1, False, None)
    assert house.ask(PauseTable("dinner"), "pause-again").seq is None
    house.ask(ResumeTable(), "resume")
    assert house.table().hands == 2


def test_two_tables_in_two_partitions(house: House) -> None:
    house.shop.partitions = partition_names(2)
    house.settings = house.settings.model_copy(update={"partitions": 2})
    for role in tuple(house.workers):
        house.hire(role)
    for name in ("p00.a", "p01.b"):
        house.send(OpenTable("razz", LIMITS, seats=2), "open", table=name)
        for seat in range(2):
            house.send(sit_down(seat), f"sit-{seat}", table=name)
    house.settle()
    assert [house.table(name).hands for name in ("p00.a", "p01.b")] == [1, 1]
