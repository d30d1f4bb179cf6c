"""What comes in from outside, and every way in which it makes no sense (S-18)."""

from __future__ import annotations

import math
from typing import Any, get_args

import msgpack
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doorcard.commands import (
    Act,
    AddChips,
    CallGame,
    Choose,
    CloseTable,
    Command,
    Leave,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
    SitIn,
    SitOut,
    TimeOut,
    VoidHand,
)
from doorcard.errors import BadInput, Refused
from doorcard.limits import CHIPS_MAX, Limits
from doorcard.streams.messages import (
    Reply,
    Request,
    decode_reply,
    encode_reply,
    encode_request,
    parse,
    return_address,
    role_for,
)
from doorcard.streams.wakes import Fired, Wake, encode_fired, encode_wake
from doorcard.tables import GameSpec

COMMANDS: list[Command] = [
    Act(3, 17, "raise", 40, "anna"),
    Act(0, 0, "fold"),
    OpenTable("razz", Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)),
    OpenTable(
        "five_card_stud",
        Limits("spread_limit", 1, spread_min=2, spread_max=20),
        "low_bring_in",
        (("burn", False), ("max_raises", None), ("rake_bps", 500)),
        5,
        40,
        400,
        9_000,
    ),
    OpenTable(
        "five_card_high_low_buy",
        Limits(ante=2, small_bet=5, big_bet=10),
        house=(("buy_price", (10, 20)), ("buy_rounds", 2)),
    ),
    CloseTable(),
    PauseTable("shift change"),
    PauseTable(),
    ResumeTable(),
    SitDown(2, "anna", 200, "other", b"\x01" * 32),
    SitDown(2, "anna", 200, "m1"),
    Leave(2, "anna", "m1"),
    SitOut(2, "anna"),
    SitIn(2, "anna"),
    AddChips(2, "anna", CHIPS_MAX, "m1"),
    VoidHand("misdeal"),
    Choose(3, 17, "roll", sealed=b"s" * 80, player="anna"),
    Choose(3, 17, "buy", 51),
    Choose(0, 0, "decline"),
    Choose(3, 17, "declare", direction="both"),
    CallGame(2, "anna", 1),
]
GOOD: dict[str, Any] = {
    "id": "m1",
    "from": "anna-1",
    "table": "p00.a",
    "do": "act",
    "seat": 1,
    "decision": 4,
    "action": "raise",
    "to": 40,
}


def code(**changes: Any) -> str:
    """The code of the refusal of the good message with some changes; ``...`` takes a field out."""
    body = {name: value for name, value in (GOOD | changes).items() if value is not ...}
    answer = parse(msgpack.packb(body))
    assert isinstance(answer, Refused), answer
    assert answer.sentence.endswith(".")
    assert "\n" not in answer.sentence
    return answer.code


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_every_command_comes_back_as_it_was(command: Command) -> None:
    request = parse(encode_request("m1", "anna-1", "p00.a", command))
    assert isinstance(request, Request)
    assert request[:4] == ("m1", "anna-1", "p00.a", command)
    assert type(request.command) is type(command)
    assert role_for(command) == expected_role(command)


def expected_role(command: Command) -> str:
    if isinstance(command, Choose):
        return "betting" if command.choice == "declare" else "dealer"
    return "betting" if isinstance(command, Act) else "floor"


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"choice": "stand"}, "message/bad_field"),
        ({"choice": None}, "message/bad_field"),
        ({"place": 52}, "message/bad_field"),
        ({"place": -1}, "message/bad_field"),
        ({"place": 1.5}, "message/bad_field"),
        ({"place": True}, "message/bad_field"),
        ({"direction": "sideways"}, "message/bad_field"),
        ({"sealed": "text"}, "message/bad_field"),
        ({"sealed": b"x" * 257}, "message/bad_field"),
        ({"seat": "3"}, "message/bad_field"),
        ({"card": "As"}, "message/unknown_field"),
    ],
)
def test_a_choice_whose_fields_do_not_fit_is_refused(changes: dict[str, Any], wanted: str) -> None:
    body = GOOD | {"do": "choose", "choice": "buy", "place": 3} | changes
    body = {name: body[name] for name in body if name not in ("action", "to")}
    refused = parse(msgpack.packb(body))
    assert isinstance(refused, Refused)
    assert refused.code == wanted


def test_every_command_can_be_asked_for_but_a_time_out() -> None:
    asked = {type(command) for command in COMMANDS}
    flat = {cls for part in get_args(Command) for cls in (get_args(part) or (part,))}
    assert flat - asked == {TimeOut}
    with pytest.raises(BadInput, match="TimeOut cannot be asked for"):
        encode_request("m1", "anna-1", "p00.a", TimeOut(3))
    assert code(do="time_out") == "message/unknown_command"


def test_a_request_that_moves_chips_is_known_by_the_messages_id() -> None:
    body = {"id": "m7", "from": "a", "table": "p00.a", "do": "leave", "seat": 1, "player": "anna"}
    request = parse(msgpack.packb(body))
    assert isinstance(request, Request)
    assert request.command == Leave(1, "anna", "m7")


def test_the_digest_tells_bodies_apart_and_not_their_order() -> None:
    def digest(**changes: Any) -> bytes:
        request = parse(msgpack.packb(dict(reversed((GOOD | changes).items()))))
        assert isinstance(request, Request)
        return request.digest

    base = parse(msgpack.packb(GOOD))
    assert isinstance(base, Request)
    assert digest() == base.digest
    assert digest(id="m2") == base.digest
    others = [digest(to=41), digest(seat=2), digest(table="p00.b"), digest(**{"from": "ben"})]
    assert len({base.digest, *others}) == 5
    house = [{"burn": True, "auto_muck": True}, {"auto_muck": True, "burn": True}]
    opened = [
        parse(
            msgpack.packb(
                {"id": "m", "from": "f", "table": "p00.a", "do": "open_table", "game": "razz",
                 "limits": {}, "house": switches}
            )
        )
        for switches in house
    ]  # fmt: skip
    assert opened[0] == opened[1]


def test_notices_of_the_store_are_told_apart() -> None:
    assert parse(encode_wake("p00.a", 9)) == Wake("p00.a", 9)
    assert parse(encode_fired("p00.a", 9)) == Fired("p00.a", 9)
    fired = Fired("p00.a", 9, ((1, 5), (6, 2**41)))
    assert parse(encode_fired(*fired)) == fired
    rows: list[Any] = [
        [1, "p00.a"], [0, "p00.a", 1], [1, 5, 1], [1, "p00.a", -1], [True, "p00.a", 1],
        [1, "p00.a", 1.0], [2, "p00.a", "1"], [2, "p00.a", 9, [1]], [2, "p00.a", 9, [1, "2"]],
        [2, "p00.a", 9, [1, -2]], [2, "p00.a", 9, 1], [2, "p00.a", 9, [], 1], [1, "p00.a", 9, []],
        [], 5, None, "text",
    ]  # fmt: skip
    for row in rows:
        answer = parse(msgpack.packb(row))
        assert isinstance(answer, Refused)
        assert answer.code == "message/bad_shape"


@pytest.mark.parametrize(
    "amount",
    [-10, 10.5, 10.0, "10", "1e1", CHIPS_MAX + 1, 2**64 - 1, -(2**63), math.nan, math.inf, True,
     False, b"10", [10], {"to": 10}],
    ids=str,
)  # fmt: skip
def test_an_amount_is_a_whole_number_of_chips(amount: Any) -> None:
    assert code(to=amount) == "message/bad_field"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"to": None, "action": "allin"}, "message/bad_field"),
        ({"action": 3}, "message/bad_field"),
        ({"seat": -1}, "message/bad_field"),
        ({"seat": 100}, "message/bad_field"),
        ({"seat": "1"}, "message/bad_field"),
        ({"seat": ...}, "message/missing_field"),
        ({"decision": ...}, "message/missing_field"),
        ({"decision": 1.5}, "message/bad_field"),
        ({"player": ""}, "message/bad_field"),
        ({"player": "x" * 65}, "message/bad_field"),
        ({"player": 5}, "message/bad_field"),
        ({"actions": [["fold"], ["fold"]]}, "message/unknown_field"),
        ({"stack": 5}, "message/unknown_field"),
        ({"id": ...}, "message/missing_field"),
        ({"id": ""}, "message/bad_field"),
        ({"id": "a b"}, "message/bad_field"),
        ({"id": "x" * 65}, "message/bad_field"),
        ({"id": 5}, "message/bad_field"),
        ({"from": ...}, "message/missing_field"),
        ({"from": "a b"}, "message/bad_sender"),
        ({"from": "x" * 65}, "message/bad_sender"),
        ({"from": None}, "message/bad_field"),
        ({"table": ...}, "message/missing_field"),
        ({"table": "a"}, "message/bad_table"),
        ({"table": "p00.{a}"}, "message/bad_table"),
        ({"table": b"p00.a"}, "message/bad_field"),
        ({"do": ...}, "message/missing_field"),
        ({"do": "deal"}, "message/unknown_command"),
        ({"do": 1}, "message/bad_field"),
    ],
    ids=str,
)
def test_a_field_that_does_not_fit_is_refused(changes: dict[str, Any], expected: str) -> None:
    assert code(**changes) == expected


OPEN: dict[str, Any] = dict.fromkeys(GOOD, ...) | {
    "id": "m1", "from": "f", "table": "p00.a", "do": "open_table", "game": "razz", "limits": {},
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"limits": ...}, "message/missing_field"),
        ({"limits": [1, 2]}, "message/bad_field"),
        ({"limits": {"ante": -1}}, "message/bad_field"),
        ({"limits": {"ante": 0.5}}, "message/bad_field"),
        ({"limits": {"blind": 5}}, "message/unknown_field"),
        ({"limits": {"structure": "half_pot"}}, "message/bad_field"),
        ({"house": {"burn": 1.5}}, "message/bad_field"),
        ({"house": {"x" * 65: True}}, "message/bad_field"),
        ({"house": {f"switch_{number}": 1 for number in range(101)}}, "message/bad_field"),
        ({"house": [["burn", True]]}, "message/bad_field"),
        ({"seats": 2.0}, "message/bad_field"),
        ({"variant": None}, "message/bad_field"),
        ({"action_ms": -1}, "message/bad_field"),
    ],
    ids=str,
)
def test_a_table_that_makes_no_sense_is_not_opened(changes: dict[str, Any], expected: str) -> None:
    assert code(**(OPEN | changes)) == expected


def test_a_refusal_names_the_field_and_the_seat_and_shows_no_value() -> None:
    answer = parse(msgpack.packb(GOOD | {"to": "the ace of spades"}))
    assert isinstance(answer, Refused)
    assert answer.seat == 1
    assert answer.sentence.startswith("Field to: ")
    assert "spades" not in answer.sentence
    unseated = parse(msgpack.packb(GOOD | {"seat": True}))
    assert isinstance(unseated, Refused)
    assert unseated.seat is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", "message/not_msgpack"),
        (b"\xc1", "message/not_msgpack"),
        (b"fold", "message/not_msgpack"),
        (b'{"do": "act"}', "message/not_msgpack"),
        (msgpack.packb(GOOD)[:-1], "message/not_msgpack"),
        (msgpack.packb(GOOD) + b"\x00", "message/not_msgpack"),
        (msgpack.packb({1: 2}), "message/not_msgpack"),
        (b"\x82\xa2id\xa1a\xa2id\xa1b", "message/double_field"),
        (b"\x91" * 2_000, "message/not_msgpack"),
        (b"\xdd\xff\xff\xff\xff", "message/not_msgpack"),
        (msgpack.packb(GOOD | {"pad": "x" * 1_000_000}), "message/too_long"),
        (msgpack.packb({}), "message/missing_field"),
    ],
)
def test_bytes_that_are_no_message_are_refused(raw: bytes, expected: str) -> None:
    answer = parse(raw)
    assert isinstance(answer, Refused)
    assert answer.code == expected


@settings(max_examples=200, deadline=None)
@given(
    changes=st.dictionaries(
        st.sampled_from([*GOOD, "player", "chips", "request", "limits", "house", "reason", "key"]),
        st.one_of(
            st.none(), st.booleans(), st.integers(-5, 2**60), st.floats(), st.binary(max_size=40),
            st.text(max_size=9), st.sampled_from(["act", "open_table", "p00.a", "fold"]),
            st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
        ),
    ),
    left_out=st.sets(st.sampled_from([*GOOD]), max_size=2),
)  # fmt: skip
@example(changes={}, left_out=set())
def test_any_map_is_a_request_or_a_refusal(changes: dict[str, Any], left_out: set[str]) -> None:
    body = {name: value for name, value in (GOOD | changes).items() if name not in left_out}
    try:
        raw = msgpack.packb(body)
    except (OverflowError, UnicodeEncodeError):
        return
    answer = parse(raw)
    if isinstance(answer, Request):
        again = encode_request(answer.id, answer.sender, answer.table, answer.command)
        repeated = parse(again)
        assert isinstance(repeated, Request)
        assert repeated[:4] == answer[:4]
    else:
        assert isinstance(answer, Refused)


# --- replies --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        Reply("m1", "p00.a", ok=True, seq=17),
        Reply("m1", "p00.a", ok=True),
        Reply("m1", "p00.a", ok=False, code="betting/late", sentence="Too late.", seat=3),
    ],
)
def test_a_reply_comes_back_as_it_was(reply: Reply) -> None:
    assert decode_reply(encode_reply(reply)) == reply


@pytest.mark.parametrize(
    "raw", [b"", b"\xc1", msgpack.packb([]), msgpack.packb({"id": "m"}),
            msgpack.packb({"id": "m", "table": "t", "ok": 1}),
            msgpack.packb({"id": "m", "table": "t", "ok": True, "cards": "As"})],
)  # fmt: skip
def test_bytes_that_are_no_reply_are_an_error(raw: bytes) -> None:
    with pytest.raises(BadInput, match="no reply"):
        decode_reply(raw)


def test_a_refused_message_may_still_say_whom_to_answer() -> None:
    assert return_address(msgpack.packb(GOOD | {"to": -1})) == ("anna-1", "m1")
    for raw in (b"", b"\xc1", msgpack.packb([1]), msgpack.packb({"id": "m1"}),
                msgpack.packb(GOOD | {"from": "no name!"}), msgpack.packb(GOOD | {"id": 5}),
                encode_wake("p00.a", 1)):  # fmt: skip
        assert return_address(raw) is None


def test_a_mixed_table_can_be_asked_for() -> None:
    limits = Limits("fixed_limit", 1, 2, 5, 10)
    others = (
        GameSpec("seven_card_stud", "", limits, (("max_raises", 4),)),
        GameSpec("stud_high_low_8", "", limits),
    )
    command = OpenTable("razz", limits, others=others, change="orbit")
    request = parse(encode_request("open-1", "floor-desk", "p00.horse", command))
    assert isinstance(request, Request)
    assert request.command == command
