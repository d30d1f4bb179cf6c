"""What players and operators may ask: granted once, or refused and nothing has changed."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from doorcard.commands import (
    Act,
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
from doorcard.engine.table import Table
from doorcard.events import BringInPosted, Called, Completed
from doorcard.limits import Limits
from doorcard.streams.delivery import BEGINNING
from doorcard.streams.messages import Reply, decode_reply, encode_request
from doorcard.tables import Role
from services.answers import LOOK_BACK
from tests.services.harness import LIMITS, SENDER, TABLE, House, calm, sit_down
from tests.services.shops import Shop


def asked(table: Table) -> int:
    """The seat that is asked."""
    assert table.hand is not None
    return table.hand.players[table.hand.to_act].seat


def refused(house: House, command: Command, code: str, **more: Any) -> Reply:
    """Ask for something that must be refused, in a sentence, and must change nothing."""
    before = house.log.read(TABLE)
    reply = house.ask(command, **more)
    assert (reply.ok, reply.code, reply.seq) == (False, code, None)
    assert reply.sentence is not None
    assert reply.sentence.endswith(".")
    assert house.log.read(TABLE) == before
    assert house.shop.unfinished() == {}
    return reply


# --- repeats -------------------------------------------------------------------------------------


def test_a_repeat_is_answered_like_the_first_time(shop: Shop) -> None:
    """The same answer, with the number of the same commit, in the hand and long after it."""
    house = House(shop)
    house.open()
    act = calm(house.table())
    first = house.ask(act, "one")
    assert first.ok
    assert house.ask(act, "one") == first
    while house.table().hands < 3:  # streets end, hands end, and the next begin
        assert house.act().ok
        assert house.ask(act, "one") == first
    house.act()
    assert house.ask(act, "one") == first
    posted = [event for event in house.events() if isinstance(event, BringInPosted)]
    assert len(posted) == house.table().hands


@pytest.mark.parametrize(
    ("command", "again"),
    [
        (SitOut(0, "player-0"), SitOut(1, "player-1")),
        (AddChips(1, "player-1", 50, "more"), AddChips(1, "player-1", 51, "more")),
        (AddChips(1, "player-1", 50, "more"), AddChips(2, "player-2", 50, "more")),
        (PauseTable("dinner"), PauseTable("supper")),
        (Leave(2, "player-2", "bye"), Leave(1, "player-1", "bye")),
        (VoidHand("misdeal"), VoidHand("again")),
    ],
    ids=lambda command: type(command).__name__,
)
def test_the_floor_repeats_its_answers_and_refuses_an_id_used_again(
    house: House, command: Command, again: Command
) -> None:
    house.open()
    first = house.ask(command, "once")
    assert first.ok
    commits = len(house.commits())
    assert house.ask(command, "once") == first
    house.ask(calm(house.table())) if house.table().in_hand else None
    assert house.ask(command, "once") == first
    refused(house, again, "message/id_reused", request_id="once")
    assert [c.cause for c in house.commits()].count("once") == 1
    assert len(house.commits()) >= commits


def test_sitting_down_and_opening_are_repeatable_for_ever(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.answers.CHIPS_LOOK_BACK", 200)
    opened = house.ask(OpenTable("razz", LIMITS, seats=2), "open")
    seated = house.ask(sit_down(0), "sit-0")
    assert (opened.seq, seated.seq) == (1, 2)
    house.ask(sit_down(1))
    for _ in range(300):
        house.act()
    assert house.table().seq > 300
    assert house.ask(sit_down(0), "sit-0") == seated._replace(seq=None)
    assert house.ask(OpenTable("razz", LIMITS, seats=2), "open").code == "floor/table_exists"


def test_chips_are_not_brought_again_when_their_player_has_left(house: House) -> None:
    """The table forgets its requests with the seat; the log holds them."""
    house.open(3)
    first = house.ask(sit_down(5), "sit-5")
    more = house.ask(AddChips(5, "player-5", 50, "more"), "more")
    assert (first.ok, more.ok) == (True, True)
    assert house.ask(Leave(5, "player-5", "bye"), "bye").ok
    start = house.table().seq
    while house.table().seq < start + 2 * LOOK_BACK:
        house.act()
    brought = house.table().chips_in
    assert 5 not in house.table().seats
    assert house.ask(sit_down(5), "sit-5") == first
    assert house.ask(AddChips(5, "player-5", 50, "more"), "more") == more
    assert (house.table().chips_in, 5 in house.table().seats) == (brought, False)


def test_ids_used_before_any_hand_are_refused_too(house: House) -> None:
    house.ask(OpenTable("razz", LIMITS, seats=4), "open")
    house.ask(sit_down(0), "one")
    refused(house, sit_down(1), "message/id_reused", request_id="one")
    refused(house, OpenTable("razz", LIMITS, seats=3), "message/id_reused", request_id="open")
    # Both in one batch: the second is decided on what the first will make of it.
    for seat in (2, 3):
        house.send(sit_down(seat), "two")
    house.settle()
    assert [(reply.ok, reply.code) for reply in house.replies()] == [
        (True, None),
        (False, "message/id_reused"),
    ]


def test_an_id_is_its_senders_own(house: House) -> None:
    """Who sees an id in the log cannot have the answer repeated to himself."""
    house.open()
    act = calm(house.table())
    assert house.ask(act, "mine").ok
    house.send(act, "mine", sender="eve")
    house.settle()
    (raw,) = [reply.raw for reply in house.queues.replies("eve", {"p00": BEGINNING})]
    assert decode_reply(raw).code == "message/id_reused"


# --- S-18: out of turn, late, illegal ------------------------------------------------------------


def test_s30_an_answer_to_another_decision_is_refused(house: House) -> None:
    house.open()
    table = house.table()
    for decision in (table.decision - 1, table.decision + 1, table.decision + 1000):
        refused(house, Act(asked(table), decision, "bring_in"), "betting/late")
    prepared = Act(asked(table), table.decision, "fold")
    while house.table().hands == table.hands:
        prepared = Act(asked(house.table()), house.table().decision, "fold")
        house.act()
    refused(house, prepared, "betting/late")


def test_s31_a_double_click_is_one_raise(house: House) -> None:
    house.open(seats=3)
    first = house.table()
    house.ask(calm(first))
    table = house.table()
    raise_it = Act(asked(table), table.decision, "complete", 5)
    house.send(raise_it, "click")
    house.settle()
    other = house.table()
    re_raise = Act(asked(other), other.decision, "raise", 10)
    house.send(re_raise, "other")
    house.send(raise_it, "click")
    house.settle()
    answers = {reply.id: reply for reply in house.replies()}
    assert answers["click"].ok
    causes = [commit.cause for commit in house.commits()]
    assert causes[-2:] == ["click", "other"]
    assert [answers[name].seq for name in ("click", "other")] == [len(causes) - 1, len(causes)]
    assert len([event for event in house.events() if isinstance(event, Completed)]) == 1
    refused(house, raise_it, "betting/late", request_id="another-click")
    refused(
        house,
        Act(raise_it.seat, raise_it.decision, "fold"),
        "message/id_reused",
        request_id="click",
    )


def test_s18_what_is_not_offered_is_refused(house: House) -> None:
    house.open()
    house.act()
    table = house.table()
    seat, decision = asked(table), table.decision
    other = next(number for number in table.seats if number != seat)
    nobody = Act(7, decision, "call")
    refused(house, Act(other, decision, "call"), "betting/not_your_turn")
    refused(house, Act(seat, decision, "call", None, f"player-{other}"), "betting/not_your_seat")
    refused(house, nobody, "betting/unknown_seat")
    refused(house, Act(seat, decision, "check"), "betting/illegal_action")
    refused(house, Act(seat, decision, "bet", 5), "betting/illegal_action")
    for to in (0, 1, 4, 6, 41, 100_000):
        refused(house, Act(seat, decision, "complete", to), "betting/illegal_action")
    for _ in range(3):
        house.send(Act(seat, decision, "fold"), "fold")
    house.settle()
    assert len({reply.seq for reply in house.replies()}) == 1
    assert len([commit for commit in house.commits() if commit.cause == "fold"]) == 1


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("to", -10, "message/bad_field"),
        ("to", 10.5, "message/bad_field"),
        ("to", "10", "message/bad_field"),
        ("to", "1e1", "message/bad_field"),
        ("to", 2**53 + 1, "message/bad_field"),
        ("to", float("nan"), "message/bad_field"),
        ("to", [5, 10], "message/bad_field"),
        ("to", True, "message/bad_field"),
        ("to", 2**31, "betting/illegal_action"),
        ("action", "steal", "message/bad_field"),
        ("action", ["fold", "raise"], "message/bad_field"),
        ("decision", None, "message/bad_field"),
        ("seat", -1, "message/bad_field"),
        ("extra", 1, "message/unknown_field"),
        ("do", "cheat", "message/unknown_command"),
        ("table", "p00.", "message/bad_table"),
        ("table", 7, "message/bad_field"),
    ],
    ids=str,
)
def test_s18_fields_that_make_no_sense_are_refused(
    shop: Shop, field: str, value: object, code: str
) -> None:
    house = House(shop)
    house.open(2)
    house.act()
    table = house.table()
    sound = Act(asked(table), table.decision, "complete", 5)
    body = msgpack.unpackb(encode_request("odd", SENDER, TABLE, sound)) | {field: value}
    before = house.log.read(TABLE)
    house.queues.send("betting", TABLE, msgpack.packb(body))
    house.settle()
    (reply,) = [reply for reply in house.replies() if reply.id == "odd"]
    assert reply.code == code
    assert house.log.read(TABLE) == before
    assert shop.unfinished() == {}
    assert house.ask(sound).ok


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xc1", b"no msgpack at all", msgpack.packb([1, 2]), msgpack.packb(7), b"\x91" * 999],
)
@pytest.mark.parametrize("role", ["floor", "dealer", "betting", "showdown"])
def test_bytes_that_are_no_message_are_acknowledged_and_said(
    house: House, role: Role, raw: bytes
) -> None:
    house.queues.send(role, TABLE, raw)
    house.settle()
    assert house.shop.unfinished() == {}
    (line,) = house.notes.said("message refused")
    assert str(line["code"]).startswith("message/")


def test_a_flood_of_bytes_that_are_no_message_is_said_once_a_second(house: House) -> None:
    for _ in range(50):
        house.queues.send("betting", TABLE, b"nonsense")
    house.settle()
    assert house.shop.unfinished() == {}
    (line,) = house.notes.said("message refused")
    assert line["count"] == 1
    assert house.workers["betting"].tally.refusals == 50


def test_s18_a_megabyte_is_refused(house: House) -> None:
    body = msgpack.packb({"id": "big", "from": SENDER, "do": "act", "x": b"x" * 1_000_000})
    house.queues.send("betting", TABLE, body)
    house.settle()
    assert [reply.code for reply in house.replies()] == ["message/too_long"]


def test_requests_in_a_wrong_queue_are_refused(house: House) -> None:
    house.open()
    requests: list[tuple[Role, Command]] = [
        ("floor", calm(house.table())),
        ("betting", SitOut(0, "player-0")),
        ("dealer", calm(house.table())),
        ("showdown", CloseTable()),
    ]
    before = len(house.commits())
    house.replies()
    for number, (role, command) in enumerate(requests):
        house.queues.send(role, TABLE, encode_request(f"w{number}", SENDER, TABLE, command))
    house.settle()
    assert [reply.code for reply in house.replies()] == ["message/wrong_queue"] * 4
    assert len(house.commits()) == before


def test_what_is_not_there_is_refused(house: House) -> None:
    refused(house, Act(0, 1, "fold"), "betting/unknown_table")
    refused(house, sit_down(0), "floor/unknown_table")
    refused(house, CloseTable(), "floor/unknown_table")
    refused(house, OpenTable("go_fish", LIMITS), "floor/unknown_game")
    refused(house, OpenTable("razz", LIMITS, variant="upside_down"), "floor/unknown_variant")
    refused(house, OpenTable("razz", LIMITS, seats=11), "floor/bad_seats")
    refused(house, OpenTable("razz", Limits(small_bet=0)), "limits/bad_sizes")
    refused(house, OpenTable("razz", LIMITS, buy_in_min=0), "floor/bad_buy_in")
    refused(house, OpenTable("razz", LIMITS, action_ms=1), "floor/bad_time")
    assert house.log.tables() == []


def test_a_closed_table_stays_closed(house: House) -> None:
    house.open(2)
    house.ask(PauseTable(), "pause")
    house.ask(VoidHand("end"), "void")
    closed = house.ask(CloseTable(), "close")
    assert closed.ok
    assert house.ask(CloseTable(), "close") == closed
    refused(house, CloseTable(), "floor/closed")
    refused(house, ResumeTable(), "floor/closed")
    refused(house, SitDown(0, "late", 50, "late"), "floor/closed")
    refused(house, Act(0, 1, "fold"), "betting/nobody_asked")
    refused(house, SitIn(0, "player-0"), "floor/closed")
    table = house.table()
    assert table.chips_in == table.chips_out == 200
    assert table.seats == {}


def test_a_call_answers_the_standing_bet_once(house: House) -> None:
    house.open(2)
    house.act()
    before = house.table()
    act = Act(asked(before), before.decision, "call")
    for request_id in ("a", "b", "a"):
        house.send(act, request_id)
    house.settle()
    replies = house.replies()[-3:]
    assert [(reply.id, reply.ok) for reply in replies if reply.ok] == [("a", True)] * 2
    assert [reply.code for reply in replies if not reply.ok] == ["betting/nobody_asked"]
    assert len([event for event in house.events() if isinstance(event, Called)]) == 1
