"""A table's archive: the file that its old hands are moved to, one file a table in a folder.

It is a file of logs like any other (``doorcard.streams.log_file``), written a stretch at a time:
a table's line that says where the stretch ends, and its commits. A stretch begins with the log's
first commit or with a ``HandStarted``, which holds the chain hash before it, and ends with a hand;
so the last one shows alone where the file ends, however long the file is. One that was not written
to its end is told by its own first line.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from doorcard.engine.table import NO_CHAIN
from doorcard.errors import BadInput, BadLog
from doorcard.streams.codec import next_chain
from doorcard.streams.heads import hand_started, read_commit, require_hand
from doorcard.streams.log import Head, Stored
from doorcard.streams.log_file import commit_line, header_line, parse_commit, parse_header

SUFFIX: Final = ".jsonl"
LOCK: Final = ".lock"
"""A file in each folder, which is held as long as somebody archives into it."""
_BLOCK_BYTES: Final = 1 << 20
_HEADER_START: Final = b'{"doorcard_log"'
_LINE_BYTES_MAX: Final = 1 << 16


def archive_path(folder: Path, table: str) -> Path:
    """Where a folder keeps a table's archive."""
    return folder / f"{table}{SUFFIX}"


@contextmanager
def held(folder: Path) -> Generator[None]:
    """Hold a folder of archives, so that no other program writes into it meanwhile.

    Raises:
        BadInput: it is no folder, cannot be written to, or another program holds it.
    """
    if not folder.is_dir():
        raise BadInput(f"there is no folder {folder}: make it first")
    try:
        # Not the folder itself: over NFS only what is open for writing can be locked.
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        why = error.strerror or error
        raise BadInput(f"nothing can be written into {folder}: {why}") from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"another program archives into {folder} now") from None
        yield
    finally:
        os.close(descriptor)


class Stretch(NamedTuple):
    """Some whole hands in a file, or what was written of them."""

    start: int
    """Where it begins in the file, in bytes."""
    head: Head | None
    """Where the log ends with it; None where not even that was written."""
    commits: tuple[Stored, ...]
    end: int
    """Behind its last whole commit, in bytes."""

    @property
    def is_whole(self) -> bool:
        """Whether it was written to its end."""
        if self.head is None or not self.commits:
            return False
        first, last = self.commits[0].seq, self.commits[-1].seq
        return last == self.head.seq and len(self.commits) == last - first + 1


class ArchiveFile:
    """One table's archive, for adding to. The folder must be ``held``.

    Raises:
        BadInput: the file cannot be read, or is something else, or another table's.
        BadLog: it is damaged.
    """

    def __init__(self, folder: Path, table: str) -> None:
        self.path = archive_path(folder, table)
        self._table = table
        self.last: Stretch | None = None
        """The last whole stretch; None if there is none yet."""
        self.unfinished: Stretch | None = None
        """What somebody was writing behind it when he ended."""
        try:
            if self.path.exists():
                with self.path.open("rb") as file:
                    self._look(file)
        except OSError as error:
            raise BadInput(f"{self.path} cannot be read: {error.strerror or error}") from None

    @property
    def head(self) -> Head:
        """Where the file ends, as far as it is whole; all zeros if nothing is in it."""
        head = None if self.last is None else self.last.head
        return Head(0, NO_CHAIN, 0) if head is None else head

    def cut_short(self, stretch: Stretch) -> BadLog:
        """What is raised for a stretch that was whole once: names the first line that is not."""
        try:
            with self.path.open("rb") as file:
                line = file.read(stretch.end).count(b"\n") + 1
        except OSError as error:
            return BadLog(f"{self.path} cannot be read: {error.strerror or error}")
        held = "" if stretch.head is None else f"; it held commits up to {stretch.head.seq}"
        return BadLog(
            f"{self.path} is damaged or was cut short: line {line} is not there, or not whole{held}"
        )

    def append(self, commits: Sequence[Stored]) -> None:
        """Add a stretch, in the place of an unfinished one, and look whether it is on the disk.

        Args:
            commits: whole hands, from the one behind the file's last commit on.

        Raises:
            BadInput: the file cannot be written.
            BadLog: they do not follow the file's last commit; or what was written is not what is
                read.
        """
        self._require_next(commits[0])
        start = 0 if self.last is None else self.last.end
        head = Head(commits[-1].seq, _chain_after(self._table, commits), self._hand_seq(commits))
        lines = [header_line(self._table, head), *map(commit_line, commits)]
        data = "".join(f"{line}\n" for line in lines).encode()
        try:
            with self.path.open("r+b" if self.path.exists() else "xb") as file:
                file.truncate(start)
                file.seek(start)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            _sync_folder(self.path.parent)
            with self.path.open("rb") as file:
                _forget_cached(file)
                file.seek(start)
                written = self._parsed(start, file.read())
        except OSError as error:
            raise BadInput(f"{self.path} cannot be written: {error.strerror or error}") from None
        kept = tuple([Stored(seq, raw) for seq, raw, _ in commits])
        if written != Stretch(start, head, kept, start + len(data)):
            raise BadLog(f"{self.path} does not hold what was just written into it")
        self.last, self.unfinished = written, None

    def _require_next(self, first: Stored) -> None:
        """Raise ``BadLog`` unless a commit follows the last one: somebody else may trim the log."""
        end = self.head
        if self.last is None:
            return
        if first.seq != end.seq + 1 or require_hand(self._table, first).chain != end.chain:
            raise BadLog(
                f"table {self._table}: commit {first.seq} does not follow commit {end.seq} in "
                f"{self.path}: the file is left as it is"
            )

    def _look(self, file: BinaryIO) -> None:
        size = file.seek(0, os.SEEK_END)
        if not size:
            return
        self._require_own(file)
        last = self._last_before(file, size)
        if last.is_whole:
            self._require_nothing_behind(file, last.end)
        else:
            self.unfinished = last
            if not last.start:
                return
            last = self._last_before(file, last.start)
        if not last.is_whole or last.head is None:
            raise self.cut_short(last)
        try:
            chain = _chain_after(self._table, last.commits)
        except BadLog as error:
            raise BadLog(f"{self.path} is damaged: {error}") from None
        if chain != last.head.chain:
            raise BadLog(f"{self.path} is damaged: its last commits break their chain")
        self.last = last

    def _require_own(self, file: BinaryIO) -> None:
        file.seek(0)
        line = file.readline(_LINE_BYTES_MAX)
        start = header_line(self._table, Head(0, NO_CHAIN, 0)).partition(', "commits"')[0]
        if start.encode().startswith(line) or (
            line.startswith(start.encode()) and not line.endswith(b"\n")
        ):
            return  # all that was written of the first line
        header = parse_header(line, f"{self.path}, line 1")
        if header is None:
            raise BadInput(f"{self.path} is no file of logs: it is left as it is")
        if header[0] != self._table:
            raise BadInput(f"{self.path} holds table {header[0]}: it is left as it is")

    def _last_before(self, file: BinaryIO, end: int) -> Stretch:
        """The stretch that ends at a place in the file."""
        start, data = end, b""
        while start:
            size = min(_BLOCK_BYTES, start)
            start -= size
            file.seek(start)
            data = file.read(size) + data
            found = data.rfind(b"\n" + _HEADER_START)
            if found >= 0:
                return self._parsed(start + found + 1, data[found + 1 :])
        return self._parsed(0, data)

    def _parsed(self, start: int, data: bytes) -> Stretch:
        """As much of a stretch as is whole."""
        *lines, _ = data.split(b"\n")  # behind the last one's end is at most a part of one
        header = parse_header(lines[0], str(self.path)) if lines else None
        if header is None:
            return Stretch(start, None, (), start)
        table, head = header
        if table != self._table:
            raise BadInput(f"{self.path} holds table {table}: it is left as it is")
        commits: list[Stored] = []
        end = start + len(lines[0]) + 1
        for line in lines[1:]:
            try:
                commits.append(parse_commit(line, ""))
            except BadLog:
                break
            end += len(line) + 1
        return Stretch(start, head, tuple(commits), end)

    def _require_nothing_behind(self, file: BinaryIO, end: int) -> None:
        """What is behind a whole stretch is at most the beginning of another."""
        file.seek(end)
        rest = file.read(_LINE_BYTES_MAX)
        if not _HEADER_START.startswith(rest) and rest.strip(b"\0"):
            raise BadLog(f"{self.path} is damaged: something stands behind its last commit")

    def _hand_seq(self, commits: Sequence[Stored]) -> int:
        for stored in reversed(commits):
            if hand_started(read_commit(self._table, stored)) is not None:
                return stored.seq
        return 0


def _chain_after(table: str, commits: Sequence[Stored]) -> bytes:
    """The chain hash after some commits, of which the first says the one before."""
    chain = NO_CHAIN if commits[0].seq == 1 else require_hand(table, commits[0]).chain
    for _, raw, _ in commits:
        chain = next_chain(chain, raw)
    return chain


def _forget_cached(file: BinaryIO) -> None:
    """Have a file read from its disk, not from memory, where the system can be told so."""
    if sys.platform == "linux":
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _sync_folder(folder: Path) -> None:
    """Have it on disk that a file is in a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
