"""Reading a log from its end to the last hand's beginning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from doorcard.errors import BadCommit, BadLog
from doorcard.events import HandStarted
from doorcard.streams.codec import decode, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.log import NO_HEAD, Head, Log, Stored

PAGE: Final = 64
"""Commits read at once: more than most hands have."""


def scan_head(log: Log, table: str) -> Head:
    """The head that follows from a log; ``NO_HEAD`` if there is no log.

    Every hand's first commit holds the chain hash before it, so the hashes are known from the
    last hand on, however long the log is.

    Raises:
        BadLog: a commit cannot be read, or one is missing.
    """
    hand = last_hand(log, table)
    if not hand:
        return NO_HEAD
    started = hand_started(read_commit(table, hand[0]))
    chain, hand_seq = (started.chain, hand[0].seq) if started else (NO_HEAD.chain, 0)
    for _, raw, _ in hand:
        chain = next_chain(chain, raw)
    newest = hand[-1]
    if newest.mark and newest.mark != chain[:PREV_BYTES]:
        raise BadLog(f"table {table}: commit {newest.seq} is not the one that was appended")
    return Head(newest.seq, chain, hand_seq)


def last_hand(log: Log, table: str) -> list[Stored]:
    """A log's commits from the last ``HandStarted`` on; all of them before the first hand.

    Raises:
        BadLog: a commit cannot be read, or one is missing.
    """
    hand: list[Stored] = []
    for stored in backwards(log, table):
        hand.append(stored)
        if hand_started(read_commit(table, stored)) is not None:
            return hand[::-1]
    if hand and hand[-1].seq != 1:
        raise BadLog(f"table {table}: the log begins at commit {hand[-1].seq}, not with a hand")
    return hand[::-1]


def read_commit(table: str, stored: Stored) -> Commit:
    """A stored commit; raises ``BadCommit`` that names its table and number."""
    try:
        return decode(stored.raw)
    except BadCommit as error:
        raise unreadable(table, stored.seq, error) from error


def unreadable(table: str, seq: int, reason: BadCommit) -> BadCommit:
    """The error for a commit that cannot be read, naming its table and number."""
    return type(reason)(f"table {table}: commit {seq} cannot be read: {reason}")


def hand_started(commit: Commit) -> HandStarted | None:
    """The event that begins a hand, where a commit holds it."""
    for event in commit.events:
        if isinstance(event, HandStarted):
            return event
    return None


def require_hand(table: str, stored: Stored) -> HandStarted:
    """How a hand begins with a commit; raises ``BadLog`` if none does."""
    started = hand_started(read_commit(table, stored))
    if started is None:
        raise BadLog(f"table {table}: commit {stored.seq} begins no hand")
    return started


def backwards(log: Log, table: str) -> Iterator[Stored]:
    """A log's commits, newest first; raises ``BadLog`` where one is missing between two."""
    before: int | None = None
    while page := log.read_back(table, before, PAGE):
        for stored in page:
            if before is not None and stored.seq != before - 1:
                raise BadLog(f"table {table}: commit {before - 1} is missing")
            before = stored.seq
            yield stored
