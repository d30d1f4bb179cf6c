"""Stored bytes of every format that was ever in use: they must be read for ever (S-49).

For each format ``format<N>.jsonl`` holds at least one commit with each event, as bytes and as
what they say; ``hand<N>.json`` is the whole log of a table, and ``table<N>.json`` is the table that
it folds to. None is ever written anew: a new format gets new files beside them.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import msgpack
import pytest

from doorcard.cards import Card
from doorcard.engine.table import NO_CHAIN, Table, facts
from doorcard.event_types import EVENT_TYPES
from doorcard.events import HandStarted
from doorcard.streams.codec import FORMAT, decode, encode, encode_like, next_chain
from doorcard.streams.folding import fold_commits
from doorcard.streams.log import Stored
from doorcard.streams.strict import check_types
from tests.newer import newer_release

FOLDER = Path(__file__).parent / "fixtures"
FORMATS = range(1, FORMAT + 1)
COMMITS: list[dict[str, Any]] = [
    json.loads(line)
    for number in FORMATS
    for line in (FOLDER / f"format{number}.jsonl").read_text("utf-8").splitlines()
]


def plain(value: Any) -> Any:
    """A value as JSON, its types included."""
    if isinstance(value, Card):
        return {"card": str(value)}
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if hasattr(value, "_fields"):
        fields = {name: plain(part) for name, part in value._asdict().items()}
        return {"is": type(value).__name__, **fields}
    if isinstance(value, tuple):
        return [plain(part) for part in value]  # pyright: ignore[reportUnknownVariableType]
    return value


@pytest.mark.parametrize("line", COMMITS, ids=[line["name"] for line in COMMITS])
def test_a_stored_commit_says_what_it_always_said(line: dict[str, Any]) -> None:
    commit = decode(bytes.fromhex(line["raw"]))
    assert known(plain(commit), line["commit"]) == line["commit"]
    check_types(commit)


def known(found: Any, stored: Any) -> Any:
    """What was found, without fields that were added after the sample was stored."""
    if isinstance(stored, dict):
        names: list[Any] = list(stored)  # pyright: ignore[reportUnknownArgumentType]
        return {name: known(found[name], stored[name]) for name in names if name in found}
    if isinstance(stored, list):
        parts: list[Any] = list(stored)  # pyright: ignore[reportUnknownArgumentType]
        same = len(parts) == len(found)
        return list(map(known, found, parts)) if same else found
    return found


@pytest.mark.parametrize("line", COMMITS, ids=[line["name"] for line in COMMITS])
def test_a_stored_commit_is_still_written_the_same(line: dict[str, Any]) -> None:
    raw = bytes.fromhex(line["raw"])
    assert encode_like(decode(raw), raw) == raw


def test_every_event_has_a_sample() -> None:
    seen = {event["is"] for line in COMMITS for event in line["commit"]["events"]}
    assert seen == {cls.__name__ for cls in EVENT_TYPES.values()}


def stored_log(number: int) -> tuple[dict[str, Any], list[Stored]]:
    log = json.loads((FOLDER / f"hand{number}.json").read_text("utf-8"))
    raws = [bytes.fromhex(raw) for raw in log["commits"]]
    return log, [Stored(seq, raw) for seq, raw in enumerate(raws, start=1)]


def state(table: Table) -> Any:
    """What a table is, as JSON; of the hand, what came out of it."""
    hand = table.hand
    assert hand is not None
    names = [name for name, _ in cast("Any", facts(table)) if name not in {"hand", "seats"}]
    found = {name: plain(getattr(table, name)) for name in names}
    found["seats"] = [plain(seat) for seat in table.seats.values()]
    found["awards"] = plain(tuple(hand.awards))
    found["players"] = [
        {name: plain(getattr(player, name)) for name in ("seat", "stack", "total", "folded", "up")}
        for player in hand.players
    ]
    return json.loads(json.dumps(found))


@pytest.mark.parametrize("number", FORMATS)
@pytest.mark.parametrize("know", [nullcontext, newer_release], ids=["this", "a newer release"])
def test_a_stored_log_folds_to_the_same_table(know: Any, number: int) -> None:
    expected = json.loads((FOLDER / f"table{number}.json").read_text("utf-8"))
    with know():
        found = state(fold_commits(Table(), stored_log(number)[1]))
    assert known(found, expected) == expected


@pytest.mark.parametrize("number", FORMATS)
@pytest.mark.parametrize("written", [1, 2, 3])
def test_a_log_written_in_any_format_folds_to_the_same_table(written: int, number: int) -> None:
    """But for the hashes, which are of other bytes."""
    with newer_release():
        log = stored_log(number)[1]
        chain, stored = NO_CHAIN, list[Stored]()
        for seq, raw, _ in log:
            commit = decode(raw)
            events = [
                event._replace(chain=chain) if isinstance(event, HandStarted) else event
                for event in commit.events
            ]
            again = encode(commit._replace(prev=chain[:8], events=tuple(events)), written)
            chain = next_chain(chain, again)
            stored.append(Stored(seq, again, chain[:8]))
        assert {msgpack.unpackb(raw)[0] for _, raw, _ in stored} == {written}
        assert (chain == fold_commits(Table(), log).chain) == (written == number)
        assert unhashed(fold_commits(Table(), stored)) == unhashed(fold_commits(Table(), log))


def unhashed(table: Table) -> Any:
    assert table.hand is not None
    table.hand.start = table.hand.start._replace(chain=b"")
    table.chain = b""
    return facts(table)


def test_a_stored_log_gives_the_same_payouts() -> None:
    log, stored = stored_log(1)
    table = fold_commits(Table(), stored)
    assert table.chain.hex() == log["chain"]
    assert [seat.stack for seat in table.seats.values()] == log["stacks"]
    assert (table.rake, table.hands, table.decision) == (
        log["rake"],
        log["hands"],
        log["decision"],
    )
    assert table.hand is not None
    assert [award.amount for award in table.hand.awards] == log["pots"]
    started = [
        event
        for each in stored
        for event in decode(each.raw).events
        if isinstance(event, HandStarted)
    ]
    assert len(started) == log["hands"]
