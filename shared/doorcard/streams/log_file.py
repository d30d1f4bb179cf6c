"""Logs in a file: what is archived, handed to an auditor, or read without a server.

JSON lines. A line like this begins a table, and says where its log ended when it was written::

    {"doorcard_log": 1, "table": "p00.x4f", "commits": 2, "chain": "<64 digits>", "hand_seq": 0}

Behind it stand the table's commits, a line each, their bytes in base64::

    {"seq": 1, "raw": "lwHPAAAB…"}

Several tables stand one after another, so files can be joined with ``cat``. A table's line that
comes again, with the commits that follow, makes its log longer: so an archive grows, a stretch of
whole hands at a time (``doorcard.streams.archive_file``). Nothing is believed
because it stands in a file: ``doorcard.audit.verify`` checks one as it checks a store.

A file may be much larger than memory: what is kept of it is where its commits stand.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import shutil
import weakref
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Final, NamedTuple, Protocol, cast

from doorcard.errors import BadInput, BadLog
from doorcard.streams.log import DamagedFile, Head, Stored

FORMAT: Final = 1
NAMING: Final = "`doorcard verify --all` names those that have a log"
PAGE: Final = 1000
"""Commits read from a log at once."""
_HEADER: Final = {"doorcard_log": int, "table": str, "commits": int, "chain": str, "hand_seq": int}
_LINE_BYTES_MAX: Final = 1 << 26
_BLOCK_BYTES: Final = 1 << 16
"""How much of a file is read for a single commit of it."""
_PLAIN_COMMIT: Final = re.compile(
    rb'\{"seq": (0|[1-9][0-9]{0,17}), "raw": "([A-Za-z0-9+/]*={0,2})"\}[ \t\r\n]*'
)
"""A commit's line as it is written here, which is faster told so than as any other JSON."""


class ReadableLog(Protocol):
    """What reading logs takes, wherever they lie: every ``Log`` has it, and a ``LogFile``."""

    def head(self, table: str) -> Head | None:
        """Where a table's log ends; None if there is no such log."""
        ...

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits behind a number, oldest first; all of them without ``count``."""
        ...

    def tables(self) -> list[str]:
        """The ids of all tables, sorted."""
        ...


class Exported(NamedTuple):
    """What was written."""

    tables: int
    commits: int


def export_log(log: ReadableLog, tables: Iterable[str], path: Path) -> Exported:
    """Write the logs of some tables into a file: the whole file, or nothing.

    Raises:
        BadInput: there is no such table, or the file cannot be written.
        BadLog: a log's end is not known and cannot be found.
    """
    wanted = list(dict.fromkeys(tables))
    lines = write_lines(path, (line for table in wanted for line in log_lines(log, table)))
    return Exported(len(wanted), lines - len(wanted))


def write_lines(path: Path, lines: Iterable[str], *, private: bool = False) -> int:
    """Write a text file line by line: the whole file, or what was there stays. Says how many.

    What is there and no plain file, as a pipe, is written to as it is. A private file can be read
    by its owner alone.

    Raises:
        BadInput: it cannot be written.
    """
    in_place = path.exists() and not path.is_file()
    target = path.resolve()
    unfinished = target if in_place else target.with_name(f"{target.name}.{os.getpid()}.new")
    count = 0
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            if private and not in_place:
                os.fchmod(file.fileno(), 0o600)
            for line in lines:
                file.write(line + "\n")
                count += 1
            if not in_place:
                file.flush()
                os.fsync(file.fileno())
        if not in_place:
            unfinished.replace(target)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        if not in_place:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
    return count


def log_lines(log: ReadableLog, table: str) -> Iterator[str]:
    """One table's log as lines, without their ends, as far as it had come at the start.

    Raises:
        BadInput: there is no such table.
        BadLog: the log's end is not known and cannot be found.
    """
    head = log.head(table)
    if head is None:
        raise no_table(table)
    yield header_line(table, head)
    for stored in pages(log, table):
        if stored.seq > head.seq:
            return
        yield commit_line(stored)


def header_line(table: str, head: Head) -> str:
    """The line that begins a table's commits, and says where they end."""
    values = (FORMAT, table, head.seq, head.chain.hex(), head.hand_seq)
    return json.dumps(dict(zip(_HEADER, values, strict=True)))


def commit_line(stored: Stored) -> str:
    """The line of one commit."""
    return json.dumps({"seq": stored.seq, "raw": base64.b64encode(stored.raw).decode()})


def no_table(table: str) -> BadInput:
    """What is raised for a table that has no log."""
    return BadInput(f"there is no table {table}; {NAMING}")


def pages(log: ReadableLog, table: str, after: int = 0) -> Iterator[Stored]:
    """A table's commits behind a number, one by one, read a page at a time.

    Raises:
        BadLog: they are out of order, so that what was read would be read again.
    """
    while page := log.read(table, after, PAGE):
        yield from page
        if page[-1].seq <= after:
            raise BadLog(f"table {table}: commit {page[-1].seq} stands behind commit {after}")
        after = page[-1].seq


class ChangedFile(BadLog):
    """A file is not what it was when it was opened; opened again, it may be good."""


class LogFile:
    """The logs in a file, for reading; open as long as it is referred to."""

    def __init__(self, path: Path, file: BinaryIO, *, growing: bool) -> None:
        self._path = path
        self._file = file
        self._heads: dict[str, Head] = {}
        self._blocks: dict[str, list[_Block]] = {}
        weakref.finalize(self, file.close)
        with _told(path):
            self._index(growing=growing)

    @classmethod
    def open(cls, path: Path, *, growing: bool = False) -> LogFile:
        """Look through a file of logs from its beginning to its end.

        Args:
            growing: somebody may be writing behind its end: a last line without its end is not
                there yet, and maybe nothing is.

        Raises:
            BadInput: it is not there, or is no file of logs, or one of a newer format.
            BadLog: a commit's line is damaged; names the table and the commit.
        """
        with _told(path):
            file = _seekable(path)
        return cls(path, file, growing=growing)

    def head(self, table: str) -> Head | None:
        """Where a table's log ended when it was written; None if it is not in the file."""
        return self._heads.get(table)

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits from the first one behind a number on, in the file's order.

        Raises:
            ChangedFile: somebody has written anew what was in the file.
        """
        blocks = self._blocks.get(table, [])
        found: list[Stored] = []
        for block in islice(blocks, bisect_right(blocks, after, key=_HIGHEST), None):
            left = None if count is None else count - len(found)
            if left == 0:
                break
            with _told(self._path):
                found += self._commits(block, max(block.first, after + 1 if not found else 0), left)
        return found

    def last(self, table: str) -> int:
        """The highest number that a commit of a table has in the file; 0 if it holds none."""
        blocks = self._blocks.get(table)
        return blocks[-1].highest if blocks else 0

    def tables(self) -> list[str]:
        """The ids of all tables, sorted."""
        return sorted(self._heads)

    def _index(self, *, growing: bool) -> None:
        path, table, last, is_first = self._path, "", 0, False
        blocks: list[_Block] = []
        for number, start, line in _lines(self._file):
            if growing and not line.endswith(b"\n"):
                break
            seq = _plain_seq(line)
            header = None if seq is not None else parse_header(line, f"{path}, line {number}")
            if header is not None:
                table, self._heads[header[0]] = header
                blocks = self._blocks.setdefault(table, [])
                last, is_first = blocks[-1].last if blocks else 0, bool(blocks)
                continue
            if not table:
                raise BadInput(f"{path} is no file of logs: it does not begin with a table's line")
            if seq is None:
                try:
                    seq = parse_commit(line, f"line {number} of {path}").seq
                except BadLog as error:
                    raise DamagedFile(table, last + 1, str(error)) from None
            if is_first and seq != last + 1:
                raise BadInput(f"{path}, line {number - 1}: table {table} is there twice")
            _add(blocks, seq, start, start + len(line))
            last, is_first = seq, False
        if not self._heads and not growing:
            raise BadInput(f"{path} is empty: no table's log is in it")

    def _commits(self, block: _Block, first: int, count: int | None) -> Iterator[Stored]:
        """Commits of a block from one on."""
        self._file.seek(block.start)
        lines = self._file.read(block.end - block.start).split(b"\n")
        wanted = range(first, block.last + 1)[:count]
        for seq, line in zip(wanted, lines[first - block.first :], strict=False):
            try:
                stored = parse_commit(line, "")
            except BadLog:
                stored = None
            if stored is None or stored.seq != seq:
                raise ChangedFile(f"{self._path} was changed while it was read: read it again")
            yield stored


@dataclass(slots=True)
class _Block:
    """Lines that follow one another in a file, with commits that do so in their log."""

    start: int
    end: int
    """Where they are, in bytes."""
    first: int
    last: int
    """Numbers of the commits."""
    highest: int
    """The highest number up to here: in a file whose order is wrong, maybe not the last."""


_HIGHEST: Final = attrgetter("highest")


def _add(blocks: list[_Block], seq: int, start: int, end: int) -> None:
    """Note where one more commit of a table stands."""
    block = blocks[-1] if blocks else None
    if (
        block is not None
        and (start, seq) == (block.end, block.last + 1)
        and end - block.start <= _BLOCK_BYTES
    ):
        block.end, block.last, block.highest = end, seq, max(block.highest, seq)
    else:
        blocks.append(_Block(start, end, seq, seq, max(seq, block.highest if block else 0)))


def _seekable(path: Path) -> BinaryIO:
    """A file to be read at any place; of a pipe, a copy of all that comes out of it."""
    file = path.open("rb")
    if file.seekable():
        return file
    with file:
        copy = cast("BinaryIO", TemporaryFile())  # noqa: SIM115 - closed with the log
        shutil.copyfileobj(file, copy)
    copy.seek(0)
    return copy


def _lines(file: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Numbered lines that are not blank, each with its place in bytes.

    A line without end is not read into memory whole.
    """
    number = end = 0
    while line := file.readline(_LINE_BYTES_MAX):
        number += 1
        start, end = end, end + len(line)
        if line.strip():
            yield number, start, line


@contextmanager
def _told(path: Path) -> Generator[None]:
    """Whatever keeps a file from being read becomes one sentence."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None


def _parsed(line: bytes) -> dict[str, object] | None:
    try:
        values: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", values) if isinstance(values, dict) else None


def parse_header(line: bytes, place: str) -> tuple[str, Head] | None:
    """What a table's line says; None for any other line.

    Raises:
        BadInput: it is one, and makes no sense, or is of a newer format.
    """
    values = _parsed(line)
    if values is None or "doorcard_log" not in values:
        return None
    if type(values["doorcard_log"]) is int and values["doorcard_log"] > FORMAT:
        raise BadInput(
            f"{place}: the log has format {values['doorcard_log']}, and this program knows "
            f"formats up to {FORMAT}: it was written by a newer version"
        )
    if any(type(values.get(name)) is not kind for name, kind in _HEADER.items()):
        raise BadInput(f"{place}: a table's line holds {', '.join(_HEADER)}, each of its type")
    try:
        chain = bytes.fromhex(str(values["chain"]))
    except ValueError:
        chain = b""
    if len(chain) != 32:
        raise BadInput(f"{place}: a chain hash is 64 hexadecimal digits")
    commits, hand_seq = cast("int", values["commits"]), cast("int", values["hand_seq"])
    return str(values["table"]), Head(commits, chain, hand_seq)


def parse_commit(line: bytes, place: str) -> Stored:
    """The commit of a line; raises ``BadLog`` if it is damaged."""
    plain = _plain(line)
    if plain is not None:
        return Stored(int(plain[1]), binascii.a2b_base64(plain[2]))
    values = _parsed(line)
    if values is None:
        raise BadLog(f"{place} is not JSON")
    seq, text = values.get("seq"), values.get("raw")
    if type(seq) is not int or not isinstance(text, str):
        raise BadLog(f"{place} does not hold a number and bytes")
    try:
        return Stored(seq, base64.b64decode(text, validate=True))
    except (ValueError, binascii.Error):
        raise BadLog(f"{place} is not base64") from None


def _plain(line: bytes) -> re.Match[bytes] | None:
    """Number and base64 of a commit whose line is written as it is here."""
    found = _PLAIN_COMMIT.fullmatch(line)
    return None if found is None or (found.end(2) - found.start(2)) % 4 else found


def _plain_seq(line: bytes) -> int | None:
    found = _plain(line)
    return None if found is None else int(found[1])
