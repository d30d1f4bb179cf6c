"""From stored commits to a table: the only way that anybody learns a table's state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from doorcard.engine.reducer import HANDLERS, stamp
from doorcard.engine.table import Table
from doorcard.errors import BadCommit, BadLog
from doorcard.events import HandStarted
from doorcard.streams.codec import decode, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.log import Log, Stored

FIRST_PAGE: Final = 200
"""Commits read at once in a rebuild: more than most hands have."""


def fold_commits(table: Table, stored: Iterable[Stored]) -> Table:
    """The table after some more commits of its log. The table given is not changed.

    Raises:
        BadLog: a commit is out of order, does not follow the chain, or does not fold; the
            message names the table and the commit.
        BadCommit: a commit cannot be read.
    """
    draft = table.draft()
    seq = draft.seq
    handlers = HANDLERS
    chain = draft.chain
    for number, raw in stored:
        seq += 1
        if number != seq:
            raise BadLog(f"table {draft.id}: commit {number} stands where {seq} should")
        try:
            commit = decode(raw)
            if commit.prev != chain[:PREV_BYTES]:
                raise BadLog("does not follow the commit before it")
            asked = draft.decision
            for event in commit.events:
                handlers[type(event)](draft, event)
        except BadCommit as error:
            raise BadCommit(f"table {draft.id}: commit {seq} cannot be read: {error}") from error
        except BadLog as error:
            raise BadLog(f"table {draft.id}: commit {seq} {error}") from None
        except Exception as error:  # whatever a reducer trips over
            reason = f"{type(error).__name__}: {error}"
            raise BadLog(f"table {draft.id}: commit {seq} does not fold ({reason})") from error
        chain = next_chain(chain, raw)
        stamp(
            draft,
            asked_before=asked,
            seq=seq,
            chain=chain,
            time_ms=commit.time_ms,
            cause=commit.cause,
        )
    return draft
