"""Formats: read up to today's, written as told, and never gone beyond without a new number."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import msgpack
import pytest

from doorcard.errors import BadCommit, BadInput, NeedsFormat, NewerFormat, Refused
from doorcard.event_types import EVENT_TYPES
from doorcard.events import AntesPosted, Called, HandStarted
from doorcard.games import GAMES
from doorcard.limits import HouseRules, Limits
from doorcard.streams import messages, upcast
from doorcard.streams.codec import FORMAT, decode, encode, encode_like
from doorcard.streams.commit import Commit
from doorcard.streams.messages import NEWER_FORMAT, Request, parse
from doorcard.streams.shapes import is_record
from doorcard.streams.upcast import Step
from doorcard.tables import GameSpec, Seat, Snapshot, TableConfig
from tests.newer import newer_release

FOLDER = Path(__file__).parent / "fixtures"
SPEC = GameSpec("razz", "", Limits(ante=1), (("burn", False),))
SNAPSHOT = Snapshot(1, TableConfig(SPEC, 6), (Seat(1, "a", 5),), 0, 0, None, False, 5, 0, 0)
STARTED = HandStarted(1, "p00.a", 1, SPEC, 1, (1,), SNAPSHOT, bytes(32), "", b"", ())


def commit_of(*events: Any) -> Commit:
    return Commit(1_764_000_000_000, "betting", "c", b"d", b"12345678", events)


# --- commits -------------------------------------------------------------------------------------


FORMAT_0 = bytes.fromhex("96000501a163c4016491932c030a")
"""An artificial older form: without the previous hash, which it did not have yet."""


def test_an_older_commit_is_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    def lift(row: tuple[Any, ...]) -> tuple[Any, ...]:
        _, time_ms, role, cause, digest, rows = row
        return (1, time_ms, role, cause, digest, bytes(8), rows)

    def lower(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return (0, *row[1:5], row[6])

    with pytest.raises(BadCommit, match="never was in use"):
        decode(FORMAT_0)
    monkeypatch.setitem(upcast.STEPS, 0, Step(lift, lower))
    commit = Commit(5, "dealer", "c", b"d", bytes(8), (Called(3, 10),))
    assert decode(FORMAT_0) == commit
    assert encode(commit, 0) == encode_like(commit, FORMAT_0) == FORMAT_0
    assert encode(commit) == encode(commit, FORMAT) == encode_like(commit, encode(commit))
    with pytest.raises(BadInput, match="this program writes formats 0 to 1, and not 2"):
        encode(commit, 2)


def test_many_steps_lead_up_and_down() -> None:
    with newer_release():
        commit = commit_of(Called(3, 10), AntesPosted(((1, 2),)))
        rows = {number: encode(commit, number) for number in (1, 2, 3)}
        assert [msgpack.unpackb(raw)[0] for raw in rows.values()] == [1, 2, 3]
        assert msgpack.unpackb(rows[2])[6:] == [[44, 22], [[3, 10], [[[1, 2]]]]]
        assert [decode(raw) for raw in rows.values()] == [commit] * 3
        assert [encode_like(commit, raw) for raw in rows.values()] == [*rows.values()]
        assert encode(commit) == rows[1], "a release goes on writing what the one before it reads"
    assert decode(rows[1]) == commit
    for raw in (rows[2], rows[3]):
        with pytest.raises(NewerFormat, match="this program knows formats up to 1"):
            decode(raw)


def test_what_a_format_has_no_form_for_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def lower(_row: tuple[Any, ...]) -> tuple[Any, ...]:
        raise NeedsFormat("a call needs format 1")

    def lift(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return (1, *row[1:])

    monkeypatch.setitem(upcast.STEPS, 0, Step(lift, lower))
    commit = commit_of(Called(3, 10))
    with pytest.raises(NeedsFormat, match="a call needs format 1"):
        encode(commit, 0)
    assert encode_like(commit, msgpack.packb([0, *msgpack.unpackb(encode(commit))[1:]])) == b""


def test_an_older_snapshot_is_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    """S-50: never half filled; either lifted to today's form or refused."""

    def lift(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return (1, *row[1:], 0)  # the rake was not counted yet

    row = msgpack.unpackb(encode(commit_of(STARTED)))
    row[-1][0][7] = [0, *row[-1][0][7][1:-1]]
    raw = msgpack.packb(row)
    with pytest.raises(BadCommit, match="the snapshot has format 0, which never was in use"):
        decode(raw)
    monkeypatch.setitem(upcast.SNAPSHOT_LIFTS, 0, lift)
    assert decode(raw).events == (STARTED,)
    row[-1][0][7] = []
    with pytest.raises(BadCommit, match="the snapshot does not begin with its format"):
        decode(msgpack.packb(row))


# --- messages ----------------------------------------------------------------------------------

GOOD: dict[str, Any] = {
    "id": "m1",
    "from": "anna-1",
    "table": "p00.a",
    "do": "sit_in",
    "seat": 1,
    "player": "anna",
}


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ([3, "p00.a", 1], NEWER_FORMAT),
        ([200, "p00.a"], NEWER_FORMAT),
        ([3, "p00.a", {"any": "thing"}, None], NEWER_FORMAT),
        ([3, "nowhere", 1], "message/bad_shape"),
        ([3, b"p00.a", 1], "message/bad_shape"),
        ([3], "message/bad_shape"),
        ([3.0, "p00.a", 1], "message/bad_shape"),
        ({**GOOD, "format": FORMAT + 1}, NEWER_FORMAT),
        ({**GOOD, "format": 99, "do": "dance", "with": [1]}, NEWER_FORMAT),
        ({**GOOD, "format": 99, "from": ""}, "message/bad_sender"),
        ({**GOOD, "format": 99, "table": "?"}, "message/bad_table"),
        ({**GOOD, "format": 0}, "message/bad_field"),
        ({**GOOD, "format": True}, "message/bad_field"),
        ({**GOOD, "format": "2"}, "message/bad_field"),
        ({**GOOD, "format": FORMAT, "do": "dance"}, "message/unknown_command"),
    ],
)  # fmt: skip
def test_what_a_newer_version_may_have_sent_is_told_from_nonsense(row: Any, code: str) -> None:
    """It begins as every notice does, or names a format; nothing behind that is looked at."""
    answer = parse(msgpack.packb(row))
    assert isinstance(answer, Refused)
    assert answer.code == code


def test_a_request_may_name_a_format_that_is_known() -> None:
    plain, named = (parse(msgpack.packb(body)) for body in (GOOD, {**GOOD, "format": FORMAT}))
    assert isinstance(plain, Request)
    assert isinstance(named, Request)
    assert named.command == plain.command


def test_a_message_that_is_handed_back_counts_no_delivery(
    shop: Any, filled: Callable[..., list[str]]
) -> None:
    """Held with one delivery less: what somebody else must read never becomes a dead letter."""
    ids = filled("betting", 2)
    taken = shop.queues.read("betting", ["p00"], 10)
    shop.look()
    for _ in range(3):
        shop.queues.hold([each._replace(count=each.count - 1) for each in taken[:1]])
        taken = shop.queues.claim("betting", ["p00"], 0, 10)
    assert [(each.id, each.count) for each in taken] == [(ids[0], 1), (ids[1], 4)]


# --- what a number stands for --------------------------------------------------------------------


def words() -> dict[str, Any]:
    """All that may lie on the wire: whatever is missing here, an older program cannot read."""
    records: dict[str, list[str]] = {}
    for tag, cls in EVENT_TYPES.items():
        records[f"{tag} {cls.__name__}"] = _fields_of(cls, records)
    known: dict[str, Any] = vars(messages)["_COMMANDS"]
    commands = {name: [*model.model_fields] for name, (_, model) in known.items()}
    return {
        "records": records,
        "commands": commands,
        "games": sorted(GAMES),
        "house": [field.name for field in fields(HouseRules)],
    }


def _fields_of(record: Any, records: dict[str, list[str]]) -> list[str]:
    hints = get_type_hints(record)
    for inner in _records_in(hints.values()):
        if inner.__name__ not in records:
            records[inner.__name__] = []
            records[inner.__name__] = _fields_of(inner, records)
    return [*hints]


def _records_in(hints: Any) -> Any:
    for hint in hints:
        if is_record(hint):
            yield hint
        yield from _records_in(get_args(hint))


def as_text(found: dict[str, Any]) -> str:
    """Words as their file holds them: a line for each record and command."""
    parts: list[str] = []
    for kind, entries in found.items():
        text = json.dumps(entries)
        if isinstance(entries, dict):
            named = cast("dict[str, list[str]]", entries)
            lines = (f"    {json.dumps(name)}: {json.dumps(named[name])}" for name in named)
            text = "\n".join(["{", ",\n".join(lines), "  }"])
        parts.append(f'  "{kind}": {text}')
    return "\n".join(["{", ",\n".join(parts), "}"]) + "\n"


def test_what_is_new_on_the_wire_is_a_new_format(request: pytest.FixtureRequest) -> None:
    """Whoever adds an event, a field, a command, a game or a house rule: read CONTRIBUTING.md."""
    path = FOLDER / f"words{FORMAT}.json"
    if request.config.getoption("--rewrite-words", default=False):
        path.write_text(as_text(words()), "utf-8")
    assert path.read_text("utf-8") == as_text(words()), (
        "new on the wire; if no release has written this format: pytest tests/streams/test_formats"
        ".py --rewrite-words; otherwise it is a new one, see 'Add a format' in CONTRIBUTING.md"
    )


def test_words_are_only_ever_added() -> None:
    now = words()
    for number in range(1, FORMAT + 1):
        stored = json.loads((FOLDER / f"words{number}.json").read_text("utf-8"))
        assert set(stored["games"]) <= set(now["games"])
        assert set(stored["house"]) <= set(now["house"])
        for kind in ("records", "commands"):
            for name, before in stored[kind].items():
                assert now[kind][name][: len(before)] == before, name
