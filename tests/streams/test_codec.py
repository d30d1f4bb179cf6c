"""Commits as bytes and back, and every way in which bytes are no commit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doorcard.cards import CARDS, Card
from doorcard.errors import BadCommit, NewerFormat
from doorcard.event_types import EVENT_TYPES, TAGS
from doorcard.events import AntesPosted, Called, Dealt, HandStarted
from doorcard.limits import Limits
from doorcard.streams.codec import FORMAT, decode, encode, next_chain
from doorcard.streams.commit import ROLE_NUMBERS, ROLES, Commit
from doorcard.streams.shapes import make_reader, make_writer
from doorcard.streams.strict import check_event, check_types
from doorcard.tables import GameSpec, Seat, Snapshot, TableConfig

INTEGERS = st.integers(-(2**63), 2**64 - 1)
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    int: INTEGERS,
    str: st.text(max_size=30),
    bytes: st.binary(max_size=40),
    bool: st.booleans(),
    NoneType: st.none(),
    Card: st.sampled_from(CARDS),
}
SPEC = GameSpec("razz", "", Limits(ante=1), (("burn", False),))
SNAPSHOT = Snapshot(1, TableConfig(SPEC, 6), (Seat(1, "a", 5),), 0, 0, None, False, 5, 0, 0)
STARTED = HandStarted(1, "p00.a", 1, SPEC, 1, (1,), SNAPSHOT, bytes(32), "", b"", ())


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values that a field's type hint allows."""
    if hint in SCALARS:
        return SCALARS[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in {Union, UnionType}:
        return st.one_of(*map(values, inner))
    if origin is tuple and inner[-1] is Ellipsis:
        return st.lists(values(inner[0]), max_size=4).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, inner))
    return records(hint)


def records(cls: Any) -> st.SearchStrategy[Any]:
    """Records of a NamedTuple class; often with defaults, which are left out on the wire."""
    hints = get_type_hints(cls)
    fields = {
        name: st.one_of(st.just(cls._field_defaults[name]), values(hint))
        if name in cls._field_defaults
        else values(hint)
        for name, hint in hints.items()
    }
    if cls is Snapshot:
        fields["format"] = st.just(1)
    return st.builds(cls, **fields)


def commit_of(*events: Any, **changes: Any) -> Commit:
    return Commit(1_764_000_000_000, "betting", "c", b"d", b"12345678", events)._replace(**changes)


def wire(*rows: Any, **changes: Any) -> bytes:
    """Bytes of a commit put together by hand."""
    header = {"format": FORMAT, "time": 5, "role": 2, "cause": "", "digest": b"", "prev": bytes(8)}
    packed: bytes = msgpack.packb([*(header | changes).values(), list(rows)])
    return packed


# --- there and back -----------------------------------------------------------------------------


@pytest.mark.parametrize("cls", EVENT_TYPES.values())
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_event_comes_back_as_it_was(cls: Any, data: st.DataObject) -> None:
    commit = data.draw(
        st.builds(
            Commit,
            time_ms=st.integers(0, 10**15 - 1),
            role=st.sampled_from(ROLES),
            cause=st.text(max_size=20),
            digest=st.binary(max_size=16),
            prev=st.binary(min_size=8, max_size=8),
            events=st.lists(records(cls), min_size=1, max_size=3).map(tuple),
        )
    )
    again = decode(encode(commit))
    assert again == commit
    assert typed(again) == typed(commit)
    check_types(again)


def typed(value: Any) -> Any:
    """A value with the class of each part: True equals 1, and a card equals its number."""
    if isinstance(value, tuple):
        return (type(value), *map(typed, value))  # pyright: ignore[reportUnknownArgumentType]
    return (type(value), value)


@settings(max_examples=200, deadline=None)
@given(raw=st.binary(max_size=60))
def test_any_bytes_are_a_commit_or_a_bad_commit(raw: bytes) -> None:
    assert isinstance(read(raw), Commit | str)


def read(raw: bytes) -> Commit | str:
    """The commit in some bytes, or why there is none; any other error is a mistake."""
    try:
        return decode(raw)
    except BadCommit as error:
        return str(error)


JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 70), st.floats(), st.text(max_size=3),
              st.binary(max_size=8)),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=2), inner,
                                                                max_size=3),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(rows=st.lists(st.lists(JUNK, max_size=6), max_size=3), data=st.data())
def test_rows_of_anything_are_read_rightly_or_refused(rows: Any, data: st.DataObject) -> None:
    tag = data.draw(st.sampled_from([*TAGS.values(), 0, 99]))
    commit = read(wire([tag, *(rows[0] if rows else [])], *rows[1:]))
    if isinstance(commit, Commit):
        check_types(commit)


@settings(max_examples=60, deadline=None)
@given(place=st.integers(0), bit=st.integers(0, 7))
def test_a_flipped_bit_is_another_commit_or_none(place: int, bit: int) -> None:
    commit = commit_of(STARTED, Called(3, 10))
    raw = bytearray(encode(commit))
    raw[place % len(raw)] ^= 1 << bit
    assert typed(read(bytes(raw))) != typed(commit)


def test_the_wire_is_what_is_written_down() -> None:
    """Arrays, tags, cards as numbers: these bytes are for ever."""
    commit = commit_of(
        Dealt(2, None, ((0, 1),), ((0, 2, Card("As"), b"s"),)), role="dealer", time_ms=7
    )
    row = [1, 7, 1, "c", b"d", b"12345678", [[23, 2, None, [[0, 1]], [[0, 2, 51, b"s"]]]]]
    assert msgpack.unpackb(encode(commit)) == row
    assert ROLE_NUMBERS == {"floor": 0, "dealer": 1, "betting": 2, "showdown": 3}


def test_fields_at_their_defaults_are_left_out_at_the_end_only() -> None:
    short = encode(commit_of(AntesPosted(((1, 2),))))
    assert len(encode(commit_of(AntesPosted(((1, 2),), ((1, 5),))))) > len(short)
    assert msgpack.unpackb(short)[-1] == [[22, [[1, 2]]]]
    burned = Dealt(2, None, (), (), burn_again=7)
    assert msgpack.unpackb(encode(commit_of(burned)))[-1] == [[23, 2, None, [], [], [], [], 7]]
    assert decode(encode(commit_of(burned))).events == (burned,)


def test_the_chain_is_sha256_over_hash_and_bytes() -> None:
    assert next_chain(bytes(32), b"abc").hex() == (
        "365aa7d8f7f9402c4b9434502b4cc89ddb09fe50d7cd95b493b834c62d5a5370"
    )


# --- bytes that are no commit -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "its bytes are not msgpack"),
        (b"\xc1", "its bytes are not msgpack"),
        (b"\x92\x01", "its bytes are not msgpack"),
        (b"\x91" * 3_000 + b"\x01", "its bytes are not msgpack"),
        (b"\x92\x01\xa1\xff", "its bytes are not msgpack"),
        (wire([44, 1, 2]) + b"\x00", "bytes follow after its end"),
        (msgpack.packb(None), "does not begin with its format"),
        (msgpack.packb({"0": 1}), "does not begin with its format"),
        (msgpack.packb([]), "wrong shape"),
        (msgpack.packb([True, 1, 2]), "does not begin with its format"),
        (msgpack.packb([1]), "wrong shape"),
        (msgpack.packb([*msgpack.unpackb(wire([44, 1, 2])), 1]), "wrong shape"),
        (wire([44, 1, 2], format=2), "format 2, and this program knows formats up to 1"),
        (wire([44, 1, 2], format=0), "format 0, which never was in use"),
        (wire([44, 1, 2], format=-1), "format -1, which never was in use"),
        (wire([44, 1, 2], time="1"), "malformed"),
        (wire([44, 1, 2], time=1.5), "malformed"),
        (wire([44, 1, 2], role=4), "malformed"),
        (wire([44, 1, 2], role=-1), "malformed"),
        (wire([44, 1, 2], role=True), "malformed"),
        (wire([44, 1, 2], cause=b"x"), "malformed"),
        (wire([44, 1, 2], digest="x"), "malformed"),
        (wire([44, 1, 2], prev=b"1234567"), "malformed"),
        (wire(), "malformed"),
        (wire(44), "wrong shape"),
        (wire(b"\x2c\x01\x02"), "Called: is no list"),
        (wire({"0": 44}), "wrong shape"),
        (wire([]), "wrong shape"),
        (wire([99, 1, 2]), "no event has the tag 99: it was written by a newer version"),
        (wire(["44", 1, 2]), "no event has the tag '44'"),
        (wire([44.0, 1, 2]), "its tag is no integer"),
        (wire([True, "p00.a"]), "TableOpened"),
        (wire([44]), "Called: has 0 fields, and 2 to 2 are known to this program"),
        (wire([44, 1, 2, 3]), "Called: has 3 fields, and 2 to 2 are known to this program"),
        (wire([22]), "AntesPosted: has 0 fields, and 1 to 2 are known to this program"),
        (wire([44, 1, "2"]), r"Called: amount is of a wrong type \(found str\)"),
        (wire([44, 1, 2.0]), r"Called: amount is of a wrong type \(found float\)"),
        (wire([44, True, 2]), r"Called: seat is of a wrong type \(found bool\)"),
        (wire([44, None, 2]), "Called: seat is of a wrong type"),
        (wire([3, b"why"]), "TablePaused: reason is of a wrong type"),
        (wire([21, [[0, 52]]]), "DealerDrawn: cards names no card"),
        (wire([21, [[0, -1]]]), "DealerDrawn: cards names no card"),
        (wire([21, [[0, True]]]), "DealerDrawn: cards names no card"),
        (wire([21, [[0, 1, 2]]]), "DealerDrawn: cards is no list of 2"),
        (wire([21, [3]]), "DealerDrawn: cards is no list of 2"),
        (wire([21, 3]), "DealerDrawn: cards is no list"),
        (wire([1, "p00.a", 3]), "TableConfig: is no list"),
        (wire([1, "p00.a", [["razz", "", ["blinds"]], 6]]), "Limits: structure is of a wrong type"),
        (wire([1, "p00.a", [["razz", "", [], [["burn", 1.5]]], 6]]), "GameSpec: house is of a wr"),
    ],
)  # fmt: skip
def test_bytes_that_are_no_commit_are_refused_by_name(raw: bytes, why: str) -> None:
    with pytest.raises(BadCommit, match=why):
        decode(raw)


def test_an_error_shows_no_value() -> None:
    with pytest.raises(BadCommit) as caught:
        decode(wire([60, 1, [[3, "Ks", b"salt of a hole card"]]]))
    assert "salt" not in str(caught.value)
    assert "Ks" not in str(caught.value)


def test_a_newer_snapshot_is_refused() -> None:
    newer = STARTED._replace(snapshot=SNAPSHOT._replace(format=2))
    with pytest.raises(NewerFormat, match="the snapshot has format 2, and this program knows"):
        decode(encode(commit_of(newer)))


# --- records on the wire -------------------------------------------------------------------------


def test_a_later_field_costs_old_bytes_nothing() -> None:
    class Old(NamedTuple):
        seat: int

    class New(NamedTuple):
        seat: int
        limits: Limits = Limits(ante=3)
        note: str = "none"

    read, write = make_reader(New), make_writer(New)
    assert make_writer(Old) is None
    assert write is not None
    assert read((4,)) == New(4)
    assert read((4, ())) == New(4, Limits())
    assert write(New(4)) == (4,)
    assert write(New(4, note="x")) == (4, ("fixed_limit", 3), "x")
    assert read(write(New(4, Limits(ante=9)))) == New(4, Limits(ante=9))


def test_a_field_without_a_form_on_the_wire_is_a_mistake_of_ours() -> None:
    class Wrong(NamedTuple):
        share: float

    with pytest.raises(TypeError, match="no form on the wire"):
        make_reader(Wrong)


# --- the second implementation ------------------------------------------------------------------

called: Any = Called
dealt: Any = Dealt
nothing: Any = None
unraked: Any = SNAPSHOT._replace(rake=nothing)
"""Records put together without regard to their types."""


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (called(1, 2.0), "event 1, Called.amount: Input should be a valid integer"),
        (called(True, 2), "event 1, Called.seat"),
        (dealt(1, None, (), ((1, 2, 51, b"s"),)), r"Dealt\.up\.0\.2: .*Card"),
        (dealt(1, None, [(1, 2)], ()), r"Dealt\.down"),
        (STARTED._replace(snapshot=unraked), r"HandStarted\.snapshot\.rake"),
        ((44, 1, 2), "event 1 is a tuple, which is no event"),
    ],
)
def test_events_put_together_wrongly_are_named(event: Any, why: str) -> None:
    with pytest.raises(BadCommit, match=why):
        check_types(commit_of(event))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"prev": b"1"}, "prev: "),
        ({"time_ms": -1}, "time_ms: "),
        ({"role": "player"}, "role: "),
        ({"cause": None}, "cause: "),
        ({"digest": "x"}, "digest: "),
        ({"events": ()}, "it holds no events"),
        ({"events": [Called(1, 2)]}, "it holds no events"),
    ],
)
def test_a_header_put_together_wrongly_is_named(changes: dict[str, Any], why: str) -> None:
    check_types(commit_of(Called(1, 2)))
    with pytest.raises(BadCommit, match=why):
        check_types(commit_of(Called(1, 2), **changes))


def test_one_event_is_checked_alone() -> None:
    check_event(STARTED)
    with pytest.raises(BadCommit, match=r"the event, Called\.amount"):
        check_event(called(1, None))


# --- what is loaded -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("modules", "allowed"),
    [
        ("doorcard", set[str]()),
        ("doorcard.streams", set[str]()),
        ("doorcard.streams.commit, doorcard.streams.keys, doorcard.streams.log", set[str]()),
        ("doorcard.streams.folding, doorcard.streams.wakes", {"msgpack"}),
        ("doorcard.streams.memory_log, doorcard.streams.memory_queues", {"msgpack"}),
        ("doorcard.streams.redis_log, doorcard.streams.queues", {"msgpack", "redis"}),
        ("doorcard.streams.messages, doorcard.streams.strict", {"msgpack", "pydantic"}),
    ],
)
def test_a_module_loads_no_more_than_it_needs(modules: str, allowed: set[str]) -> None:
    program = f"import sys, {modules}; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).resolve().parents[2] / "shared",
        check=True,
        capture_output=True,
        text=True,
    )
    assert {"msgpack", "redis", "pydantic"} & set(done.stdout.split()) == allowed
