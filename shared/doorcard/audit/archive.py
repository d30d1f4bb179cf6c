"""Moves a table's old hands out of its log into a file, and loses nothing whenever it is stopped.

Whole hands are read and verified like in any audit, written behind what the file holds, synced,
read back and compared; only then the store is told to remove them. Between two of these steps they
are in both places, and the next run goes on from there. Nothing is moved that does not verify, and
nothing is written behind a file that the log does not continue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from doorcard.audit.verify import verify_table
from doorcard.errors import BadInput, BadLog
from doorcard.events import HandEnded, HandVoided
from doorcard.streams.archive_file import ArchiveFile
from doorcard.streams.heads import backwards, hand_started, read_commit, require_hand
from doorcard.streams.log import Head, Stored, TrimmableLog
from doorcard.streams.log_file import PAGE, LogFile, no_table, pages

STRETCH_COMMITS: Final = 5_000
"""About how many commits are moved at once."""


class Kept(NamedTuple):
    """What must stay in a log, at its end."""

    hands: int = 20
    """Hands that have ended; at least one."""
    commits: int = 2_000
    """Commits: as many as somebody may look back for a request's first answer."""


class Moved(NamedTuple):
    """What became of one table's log."""

    table: str
    commits: int
    """Commits that were removed from the log."""
    hands: int
    """Hands in them."""
    archived: Head
    """Where the file ends now."""
    path: Path


def archive_table(
    log: TrimmableLog, table: str, folder: Path, kept: Kept, *, anew: bool = False
) -> Moved:
    """Move all hands of a table out of its log that need not stay in it.

    Args:
        folder: where the table's file is; it must be ``held``.
        anew: begin a file though the log has been trimmed before, into a file elsewhere.

    Raises:
        BadInput: there is no such table, it is paused, or the file cannot be used.
        BadLog: the log does not verify, or does not continue the file. Nothing was removed.
    """
    if log.head(table) is None:
        raise no_table(table)
    reason = log.paused().get(table)
    if reason is not None:
        raise BadInput(f"table {table} is paused: {reason}")
    file = ArchiveFile(folder, table)
    move = _Move(log, table, file)
    move.require_continuation(anew=anew)
    move.run(_end_of_old(log, table, kept))
    return Moved(table, move.commits, move.hands, file.head, file.path)


class _Move:
    """One run over one table."""

    def __init__(self, log: TrimmableLog, table: str, file: ArchiveFile) -> None:
        self._log = log
        self._id = table
        self._file = file
        self._first = self._read_one(1, at_least=True)
        """The log's first commit."""
        self.commits = self.hands = 0

    def require_continuation(self, *, anew: bool) -> None:
        """Raise ``BadLog`` unless the log goes on where the file ends, or overlaps with its end."""
        first, end = self._first.seq, self._file.head
        unfinished = self._file.unfinished
        if unfinished is not None and unfinished.head and unfinished.head.seq < first:
            raise self._file.cut_short(unfinished)  # the log had it removed, so it was whole
        if unfinished is not None and unfinished.commits:
            self._require_same(unfinished.commits[0].seq, unfinished.commits)
        if self._file.last is None:
            if first > 1 and not anew:
                raise BadLog(
                    f"table {self._id}: commits 1 to {first - 1} are neither in its log nor in "
                    f"{self._file.path.parent}: name the folder that they were moved to, or begin "
                    "another file with --anew"
                )
            return
        if end.seq + 1 < first:
            raise BadLog(
                f"table {self._id}: commits {end.seq + 1} to {first - 1} are neither in its log "
                f"nor in {self._file.path}"
            )
        if end.seq >= first:
            self._require_same(first, self._in_file(first))
        started = hand_started(read_commit(self._id, self._read_one(end.seq + 1)))
        if started is None:
            raise BadLog(
                f"{self._file.path} ends with commit {end.seq}, in the middle of a hand: it is no "
                "archive, and left as it is"
            )
        if started.chain != end.chain:
            raise BadLog(
                f"table {self._id}: commit {end.seq + 1} does not follow commit {end.seq} in "
                f"{self._file.path}: the file is left as it is"
            )

    def run(self, end: int) -> None:
        """Move everything below a commit that begins a hand."""
        both = min(end, self._file.head.seq + 1)  # written before, and not removed
        if both > self._first.seq:
            self._trim(self._read_one(both))
        while self._first.seq < end:
            stretch = self._stretch(end)
            self._require_good(stretch)
            self._file.append(stretch[:-1])
            self._trim(stretch[-1])

    def _stretch(self, end: int) -> list[Stored]:
        """Some whole hands from the log's beginning, and the commit that begins the next one."""
        found: list[Stored] = []
        whole = 0
        for stored in pages(self._log, self._id, self._first.seq - 1):
            if not found and stored != self._first:
                raise BadLog(
                    f"table {self._id}: commit {self._first.seq} is not in the log any more: "
                    "somebody else moves its hands, or the store has lost it"
                )
            found.append(stored)
            if stored.seq > self._first.seq and self._begins_hand(stored):
                whole = len(found)
            if stored.seq >= end or (whole and len(found) >= STRETCH_COMMITS):
                break
        if not whole:
            raise BadLog(f"table {self._id}: the log does not hold commit {end} any more")
        return found[:whole]

    def _require_good(self, stretch: list[Stored]) -> None:
        report = verify_table(_Part(self._id, stretch), self._id)
        if report.problem is not None:
            raise BadLog(str(report.problem))

    def _require_same(self, start: int, written: Iterable[Stored]) -> None:
        """Raise ``BadLog`` where the log does not hold what was written into the file."""
        logged = pages(self._log, self._id, start - 1)
        for one in written:
            other = next(logged, None)
            if other is None or one[:2] != other[:2]:
                is_there = other is not None and other.seq == one.seq
                what = "is another one there than" if is_there else "is not in the log, but"
                raise BadLog(
                    f"table {self._id}: commit {one.seq} {what} in {self._file.path}: the file is "
                    "left as it is"
                )

    def _in_file(self, first: int) -> Iterator[Stored]:
        """The file's commits from one on."""
        last = self._file.last
        if last is not None and last.commits[0].seq <= first:
            return (stored for stored in last.commits if stored.seq >= first)
        return pages(LogFile.open(self._file.path), self._id, first - 1)

    def _trim(self, kept: Stored) -> None:
        hands = require_hand(self._id, kept).hand - 1
        before = hand_started(read_commit(self._id, self._first))
        self._log.trim(self._id, kept)
        self.commits += kept.seq - self._first.seq
        self.hands += hands - (0 if before is None else before.hand - 1)
        self._first = kept

    def _begins_hand(self, stored: Stored) -> bool:
        return hand_started(read_commit(self._id, stored)) is not None

    def _read_one(self, seq: int, *, at_least: bool = False) -> Stored:
        for stored in self._log.read(self._id, seq - 1, 1):
            if at_least or stored.seq == seq:
                return stored
        end = self._file.head.seq
        raise BadLog(
            f"table {self._id}: commit {seq} is not in the log, and {self._file.path} ends with "
            f"commit {end}: the store has lost what followed"
        )


class _Part:
    """A part of a log, as one to be read."""

    def __init__(self, table: str, commits: list[Stored]) -> None:
        self._id = table
        self._commits = commits

    def head(self, table: str) -> Head | None:  # noqa: ARG002 - as every log has it
        """Nobody says where it ends."""
        return None

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits behind a number."""
        start = max(after + 1 - self._commits[0].seq, 0) if table == self._id else PAGE
        return self._commits[start : None if count is None else start + count]

    def tables(self) -> list[str]:
        """The one table."""
        return [self._id]


def _end_of_old(log: TrimmableLog, table: str, kept: Kept) -> int:
    """The number of the commit that begins the first hand to stay; 0 if all must stay."""
    ended = 0
    for count, stored in enumerate(backwards(log, table), start=1):
        commit = read_commit(table, stored)
        ended += any(isinstance(event, HandEnded | HandVoided) for event in commit.events)
        if ended >= kept.hands and count >= kept.commits and hand_started(commit) is not None:
            return stored.seq
    return 0
