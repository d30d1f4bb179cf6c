"""What a log is asked, whichever store it lives in, and what it answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol

from doorcard.engine.table import NO_CHAIN
from doorcard.errors import BadLog
from doorcard.streams.commit import ROLES
from doorcard.streams.keys import TIMER_ROLES, is_sender, is_table_id, partition_of, read_queue_key
from doorcard.tables import Role

TIME_BOUND_MS: Final = 60_000
"""How far a commit's time may lie from the store's own clock, either way."""
NUMBER_MAX: Final = 10**15 - 1
"""The largest number that a store keeps exactly; the year 33658 in milliseconds."""
TIMER_SLACK_MS: Final = 5_000
"""How much too early a running timer may be for the next decision's deadline and stay as it is:
to move it with every action would be a tenth of all that is written. When it runs out early,
whoever gets its message sets it again."""
FEED_MAX: Final = 10_000
"""About how many entries a partition's feed keeps."""


class Stored(NamedTuple):
    """One commit as it lies in its log."""

    seq: int
    raw: bytes
    mark: bytes = b""
    """The first ``PREV_BYTES`` bytes of the chain hash with it, noted beside it when it was
    appended; the commit behind it repeats them. Empty where nobody noted them, as in a file."""


class Head(NamedTuple):
    """Where a log ends, as reading it from its end shows."""

    seq: int
    chain: bytes
    hand_seq: int
    """Number of the last commit with a ``HandStarted``; 0 before the first hand."""


NO_HEAD: Final = Head(0, NO_CHAIN, 0)
"""The head of a log that does not exist yet."""


class Source(NamedTuple):
    """The message that a commit answers: deleted together with it."""

    queue: str
    id: str


class Timer(NamedTuple):
    """When the decision that a commit asks for is due. A table has one for each role at most."""

    deadline_ms: int
    role: Role = "betting"
    """Whose queue gets the message when the time is up: betting's, or the dealer's."""


class Append(NamedTuple):
    """One commit to append, and everything that must happen together with it."""

    table: str
    seq: int
    """Its number in the log: one more than the number that it was decided on."""
    before: bytes
    """The chain hash that it was decided on."""
    chain: bytes
    """The chain hash with it."""
    raw: bytes
    role: Role
    time_ms: int
    """When it was decided, in milliseconds. Inside ``raw`` stands the time of the commit before
    where that is later: the store's clock has gone back since."""
    wake: Role | None = None
    """The role whose turn it is now, unless a seat is asked."""
    timer: Timer | None = None
    """The timer to start, or to set anew: afterwards one runs that is due then, or earlier by up
    to ``TIMER_SLACK_MS``."""
    ended: Role | None = None
    """The role whose timer ends without another one of that role."""
    source: Source | None = None
    reply: tuple[str, bytes] | None = None
    """A sender and what it is answered; best effort."""


Code = Literal["ok", "conflict", "paused", "wrong_type", "bad", "time", "full"]


class Outcome(NamedTuple):
    """What became of one commit. All but ``ok`` mean that nothing at all was written.

    ``ok`` is also the answer when this very commit was in before. ``conflict``: the table has
    moved on, or is not what the decision was made on; read, fold and decide again. ``paused``:
    only the floor may commit. ``time``: too far from the store's clock. ``full``: the store takes
    no writes for now. ``wrong_type``, ``bad``: a person must look.
    """

    code: Code
    detail: str = ""


OK: Final = Outcome("ok")


class DamagedFile(BadLog):
    """A file that holds a log, or a part of one, does not hold a commit as it must."""

    def __init__(self, table: str, seq: int, reason: str) -> None:
        super().__init__(f"table {table}: commit {seq}: {reason}")
        self.seq = seq
        self.reason = reason
        """What is wrong, and in which file."""


class Log(Protocol):
    """The logs of all tables. Both adapters behave the same, and pass the same tests."""

    def head(self, table: str) -> Head | None:
        """Where a table's log ends, read from its end; None if there is no such log.

        Raises:
            BadLog: the log cannot be read.
            StoreError: the store holds something else than a log.
        """
        ...

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits behind a number, oldest first; all of them without ``count``."""
        ...

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Stored]]:
        """``read`` for many (table, after) at once, in one call to the store."""
        ...

    def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
        """Commits below a number, or the last ones with None, newest first."""
        ...

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        """Append commits, each alone all or nothing, and say what became of each, in order."""
        ...

    def tables(self) -> list[str]:
        """The ids of all tables, sorted."""
        ...

    def pause(self, table: str, reason: str) -> None:
        """Let nobody but the floor commit to a table."""
        ...

    def resume(self, table: str) -> None:
        """Let everybody commit again."""
        ...

    def paused(self) -> dict[str, str]:
        """The paused tables, each with the reason."""
        ...

    def now_ms(self) -> int:
        """The store's clock, in milliseconds since 1970, UTC."""
        ...


class TrimmableLog(Log, Protocol):
    """A log whose old hands can be taken out, when they are kept elsewhere."""

    def trim(self, table: str, kept: Stored) -> int:
        """Remove the commits before one, which must begin a hand; how many they were.

        The store looks at that commit and removes in one step, so a hand's beginning always
        stays, and with it everything that a rebuild needs.

        Raises:
            BadLog: the commit begins no hand, or the log does not hold it.
        """
        ...


def problem_with(append: Append) -> str:
    """What makes an append one that no store can take; empty if nothing does."""
    table, seq, before, chain, raw, role, time_ms, wake, timer, ended, source, reply = append
    if not is_table_id(table):
        return "its table has no such id"
    if role not in ROLES or wake not in _WAKES:
        return "there is no such role"
    if ended not in _TIMED or (timer is not None and timer.role not in TIMER_ROLES):
        return "no timer is of that role"
    deadline_ms = 0 if timer is None else timer.deadline_ms
    if not (_is_number(seq) and _is_number(time_ms) and _is_number(deadline_ms)):
        return "one of its numbers is none, or too large"
    if reply is not None and not is_sender(reply[0]):
        return "nobody who is answered can be called that"
    if seq == 0 or len(before) != 32 or len(chain) != 32 or not raw:
        return "its number, hashes or bytes are missing"
    return "" if source is None else _problem_with_source(source, table)


def _is_number(value: object) -> bool:
    return type(value) is int and 0 <= value <= NUMBER_MAX


def _problem_with_source(source: Source, table: str) -> str:
    if not _is_entry_id(source.id):
        return "its source has no such id"
    queue = read_queue_key(source.queue)
    if queue is None or queue[1] != partition_of(table):
        return "its source is no queue of the table's partition"
    return ""


def _is_entry_id(text: str) -> bool:
    found = _ENTRY_ID.fullmatch(text)
    return found is not None and max(int(found[1]), int(found[2])) <= _IN_ID_MAX


_WAKES: Final = (None, *ROLES)
_TIMED: Final = (None, *TIMER_ROLES)
_ENTRY_ID: Final = re.compile(r"([0-9]{1,20})-([0-9]{1,20})")
_IN_ID_MAX: Final = (1 << 64) - 1
