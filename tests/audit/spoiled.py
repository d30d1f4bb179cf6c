"""Finished logs, spoiled in every way that a test can think of, and what is found in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from doorcard.audit.verify import Problem, verify_table
from doorcard.cards import CARDS, Card
from doorcard.commands import FloorCommand
from doorcard.engine import floor
from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.events import (
    Event,
)
from doorcard.streams.codec import decode, encode
from doorcard.streams.commit import Commit
from doorcard.streams.folding import fold_commits
from doorcard.streams.log import Stored
from tests.audit.played import House, ListLog, commits_of, rewritten


def found(house: House, stored: Sequence[Stored], **options: Any) -> Problem | None:
    """What is found in a log that was made of a house's commits."""
    log = ListLog()
    log.commits[house.id] = list(stored)
    log.heads[house.id] = house.log.heads[house.id]
    return verify_table(log, house.id, **options).problem


def found_in_rewritten(
    house: House, commits: Sequence[Commit], *, keep: int | None = None, **options: Any
) -> Problem | None:
    """What is found where the chain was made to fit, and the store's head with it."""
    log = ListLog()
    log.heads[house.id] = house.log.heads[house.id]
    rewritten(log, house.id, commits, keep=keep)
    return verify_table(log, house.id, **options).problem


def places(house: House) -> list[int]:
    """The first places of a log, and a third of the others."""
    return [*range(8), *range(8, len(house.stored), 3)]


def with_event(commits: Sequence[Commit], place: int, number: int, event: Event) -> list[Commit]:
    events = commits[place].events
    changed = (*events[:number], event, *events[number + 1 :])
    return [*commits[:place], commits[place]._replace(events=changed), *commits[place + 1 :]]


def first(house: House, kind: type[Any]) -> tuple[int, int]:
    """Where the first event of a kind is: the commit's place and the event's."""
    return next(
        (place, number)
        for place, commit in enumerate(commits_of(house.log, house.id))
        for number, event in enumerate(commit.events)
        if isinstance(event, kind)
    )


def written_after(house: House, seq: int, command: FloorCommand) -> bytes:
    """The commit that a floor worker would have written after one of a house's."""
    table = fold_commits(Table(), house.stored[:seq])
    decision = floor.decide(table, command)
    assert isinstance(decision, Decided)
    commit = Commit(table.time_ms, "floor", "forged", b"", table.chain[:8], decision.events)
    return encode(commit)


def seq_of(problem: Problem | None) -> int | None:
    return None if problem is None else problem.seq


def mutants(commits: Sequence[Commit]) -> Iterator[tuple[int, int, str, Event]]:
    """Every event with one field changed: commit, event, field, event. Long lists are sampled."""
    for place, commit in enumerate(commits):
        for number, event in enumerate(commit.events):
            seen: dict[str, int] = {}
            for path, changed in _changed(event, type(event).__name__):
                seen[path] = seen.get(path, 0) + 1
                if seen[path] <= 3 and _can_be_written(commit, changed):
                    yield place, number, path, changed


def _can_be_written(commit: Commit, event: Event) -> bool:
    try:
        decode(encode(commit._replace(events=(event,))))
    except Exception:  # noqa: BLE001  # no commit can hold it, so nobody can log it
        return False
    return True


def _changed(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Card):
        yield path, CARDS[(value + 1) % 52]
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int):
        yield path, value + 1
        yield path, value - 1
    elif isinstance(value, str):
        yield path, value + "x"
    elif value is None:
        yield path, 0
    elif isinstance(value, bytes):
        yield path, bytes((value[0] ^ 1,)) + value[1:] if value else b"x"
    elif isinstance(value, tuple):
        yield from _changed_inside(value, path)


def _changed_inside(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    make: Any = getattr(value, "_make", tuple)
    names: tuple[str, ...] | None = getattr(value, "_fields", None)
    for place, item in enumerate(value):
        inner = f"{path}.{names[place] if names else '#'}"
        for name, changed in _changed(item, inner):
            yield name, make((*value[:place], changed, *value[place + 1 :]))
    if names is None and value:
        yield f"{path} cut", value[:-1]
        yield f"{path} longer", value + value[-1:]
