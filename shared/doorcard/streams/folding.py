"""From stored commits to a table: the only way that anybody learns a table's state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from doorcard.engine.reducer import HANDLERS, stamp
from doorcard.engine.table import Table
from doorcard.errors import BadCommit, BadLog
from doorcard.streams.codec import decode, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.heads import last_hand, require_hand, unreadable
from doorcard.streams.log import Log, Stored

DECODED_AT_ONCE: Final = 64
"""Commits: more than most hands have."""


def fold_commits(table: Table, stored: Iterable[Stored]) -> Table:
    """The table after some more commits of its log. The table given is not changed.

    Raises:
        BadLog: a commit is out of order, does not follow the chain, or does not fold; the
            message names the table and the commit.
        BadCommit: a commit cannot be read; ``NewerFormat`` if only a newer version can.
    """
    draft = table.draft()
    seq = draft.seq
    handlers = HANDLERS
    chain = draft.chain
    left = iter(stored)
    while page := list(islice(left, DECODED_AT_ONCE)):
        decoded = [_decode(raw) for _, raw, _ in page]
        for (number, raw, mark), commit in zip(page, decoded, strict=True):
            seq += 1
            if number != seq:
                raise BadLog(f"table {draft.id}: commit {number} stands where {seq} should")
            if isinstance(commit, BadCommit):
                raise unreadable(draft.id, seq, commit) from commit
            time_ms, _, cause, _, prev, events = commit
            if not chain.startswith(prev):
                raise BadLog(f"table {draft.id}: commit {seq} does not follow the commit before it")
            asked = draft.decision
            try:
                for event in events:
                    handlers[type(event)](draft, event)
            except Exception as error:  # whatever a reducer trips over
                reason = f"{type(error).__name__}: {error}"
                raise BadLog(f"table {draft.id}: commit {seq} does not fold ({reason})") from error
            chain = next_chain(chain, raw)
            if mark and mark != chain[:PREV_BYTES]:
                raise BadLog(f"table {draft.id}: commit {seq} is not the one that was appended")
            stamp(draft, asked, seq, chain, time_ms, cause)
    return draft


def _decode(raw: bytes) -> Commit | BadCommit:
    try:
        return decode(raw)
    except BadCommit as error:
        return error


def rebuild(log: Log, table_id: str) -> Table:
    """A table from its log. Reads one hand, however long the log is.

    Every hand begins with the whole table in its ``HandStarted``; before the first hand there is
    little to read. A table that was never opened is an empty one, at commit 0.

    Raises:
        BadLog: the log cannot be read, or does not fold.
        StoreError: the store holds something else than a log.
    """
    stored = last_hand(log, table_id)
    if stored:
        return fold_commits(_before(table_id, stored[0]), stored)
    log.head(table_id)  # raises if there was a log once
    return Table()


def missed(stored: Sequence[Stored], table: Table) -> Sequence[Stored] | None:
    """What a table lacks, of its log from its own newest commit on.

    None if that commit is not there: the log is not the one that the table was folded from.
    """
    if not table.seq:
        return stored
    mark = table.chain[:PREV_BYTES]
    if not stored or (stored[0].seq, stored[0].mark) != (table.seq, mark):
        return None
    return stored[1:]


def is_trimmed_behind(log: Log, table_id: str, table: Table) -> bool:
    """Whether a log was trimmed past the newest commit that a table was folded from.

    Nothing is lost then: the log begins with a hand, and that holds the whole table. Where it
    begins right behind what was seen, it must also be its continuation.

    Raises:
        BadLog: the log cannot be read there.
    """
    first = log.read(table_id, 0, 1)
    if not first or first[0].seq <= max(table.seq, 1):
        return False
    started = require_hand(table_id, first[0])
    return first[0].seq > table.seq + 1 or started.chain == table.chain


def _before(table_id: str, first: Stored) -> Table:
    """The table that a fold may begin with at a commit: an empty one that knows the chain."""
    table = Table()
    if first.seq == 1:
        return table
    started = require_hand(table_id, first)
    stamp(table, asked_before=0, seq=first.seq - 1, chain=started.chain, time_ms=0)
    return table
