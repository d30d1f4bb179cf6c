"""Stored bytes of every format that was ever in use: they must be read for ever (S-49).

``format1.jsonl`` holds at least one commit with each event, as bytes and as what they say.
``hand1.json`` is the whole log of a table with a hand, and what came out of it. Neither is ever
written anew: a new format gets new files beside them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doorcard.cards import Card
from doorcard.engine.table import Table
from doorcard.event_types import EVENT_TYPES
from doorcard.events import HandStarted
from doorcard.streams.codec import decode
from doorcard.streams.folding import fold_commits
from doorcard.streams.log import Stored
from doorcard.streams.strict import check_types

FOLDER = Path(__file__).parent / "fixtures"
COMMITS: list[dict[str, Any]] = [
    json.loads(line) for line in (FOLDER / "format1.jsonl").read_text("utf-8").splitlines()
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


def test_every_event_has_a_sample() -> None:
    seen = {event["is"] for line in COMMITS for event in line["commit"]["events"]}
    assert seen == {cls.__name__ for cls in EVENT_TYPES.values()}


def test_a_stored_log_gives_the_same_payouts() -> None:
    log = json.loads((FOLDER / "hand1.json").read_text("utf-8"))
    stored = [
        Stored(number, bytes.fromhex(raw)) for number, raw in enumerate(log["commits"], start=1)
    ]
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
