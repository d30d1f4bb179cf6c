"""Finding a lost head again: reading a log from its end to the last hand's beginning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from doorcard.errors import BadCommit, BadLog
from doorcard.events import HandStarted
from doorcard.streams.codec import decode, next_chain
from doorcard.streams.commit import Commit
from doorcard.streams.log import NO_HEAD, Head, Log, Stored

PAGE: Final = 64
"""Commits read at once: more than most hands have."""


def scan_head(log: Log, table: str) -> Head:
    """The head that follows from a log alone; ``NO_HEAD`` if there is no log.

    Every hand's first commit holds the chain hash before it, so the hashes are known from the
    last hand on, however long the log is.

    Raises:
        BadLog: a commit cannot be read, or one is missing.
    """
    hand: list[Stored] = []
    chain, hand_seq = NO_HEAD.chain, NO_HEAD.hand_seq
    for stored in _backwards(log, table):
        hand.append(stored)
        started = hand_started(read_commit(table, stored))
        if started is not None:
            chain, hand_seq = started.chain, stored.seq
            break
    if not hand:
        return NO_HEAD
    if not hand_seq and hand[-1].seq != 1:
        raise BadLog(f"table {table}: the log begins at commit {hand[-1].seq}, not with a hand")
    for _, raw in reversed(hand):
        chain = next_chain(chain, raw)
    return Head(hand[0].seq, chain, hand_seq)


def read_commit(table: str, stored: Stored) -> Commit:
    """A stored commit; raises ``BadCommit`` that names its table and number."""
    try:
        return decode(stored.raw)
    except BadCommit as error:
        raise unreadable(table, stored.seq, error) from error


def unreadable(table: str, seq: int, reason: BadCommit) -> BadCommit:
    """The error for a commit that cannot be read, naming its table and number."""
    return BadCommit(f"table {table}: commit {seq} cannot be read: {reason}")


def hand_started(commit: Commit) -> HandStarted | None:
    """The event that begins a hand, where a commit holds it."""
    for event in commit.events:
        if isinstance(event, HandStarted):
            return event
    return None


def _backwards(log: Log, table: str) -> Iterator[Stored]:
    before: int | None = None
    while page := log.read_back(table, before, PAGE):
        for stored in page:
            if before is not None and stored.seq != before - 1:
                raise BadLog(f"table {table}: commit {before - 1} is missing")
            before = stored.seq
            yield stored
