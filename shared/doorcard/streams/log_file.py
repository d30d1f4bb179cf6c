"""Logs in a file: what is archived, handed to an auditor, or read without a server.

JSON lines. A line like this begins a table, and says where its log ended when it was written::

    {"doorcard_log": 1, "table": "p00.x4f", "commits": 2, "chain": "<64 digits>", "hand_seq": 0}

Behind it stand the table's commits, a line each, their bytes in base64::

    {"seq": 1, "raw": "lwHPAAAB…"}

Several tables stand one after another, so files can be joined with ``cat``. A table's line that
comes again, with the commits that follow, makes its log longer: so an archive grows, a stretch of
whole hands at a time (``doorcard.streams.archive_file``). Nothing is believed
because it stands in a file: ``doorcard.audit.verify`` checks one as it checks a store.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, Protocol, cast

from doorcard.errors import BadInput, BadLog
from doorcard.streams.log import Head, Stored

FORMAT: Final = 1
NAMING: Final = "`doorcard verify --all` names those that have a log"
PAGE: Final = 1000
"""Commits read from a log at once."""
_HEADER: Final = {"doorcard_log": int, "table": str, "commits": int, "chain": str, "hand_seq": int}
_LINE_BYTES_MAX: Final = 1 << 26


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
    """A table's commits behind a number, one by one, read a page at a time."""
    while page := log.read(table, after, PAGE):
        yield from page
        after = page[-1].seq


class LogFile:
    """The logs in a file, for reading."""

    def __init__(self, heads: dict[str, Head], commits: dict[str, list[Stored]]) -> None:
        self._heads = heads
        self._commits = commits

    @classmethod
    def open(cls, path: Path, *, growing: bool = False) -> LogFile:
        """Read a file of logs.

        Args:
            growing: somebody may be writing behind its end: a last line without its end is not
                there yet, and maybe nothing is.

        Raises:
            BadInput: it is not there, or is no file of logs, or one of a newer format.
            BadLog: a commit's line is damaged; names the table and the commit.
        """
        heads: dict[str, Head] = {}
        commits: dict[str, list[Stored]] = {}
        table, last, is_first = "", 0, False
        for number, line in _lines(path):
            if growing and not line.endswith(b"\n"):
                break
            header = parse_header(line, f"{path}, line {number}")
            if header is not None:
                table, heads[header[0]] = header
                before = commits.setdefault(table, [])
                last, is_first = before[-1].seq if before else 0, bool(before)
                continue
            if not table:
                raise BadInput(f"{path} is no file of logs: it does not begin with a table's line")
            place = f"table {table}: commit {last + 1}: line {number} of {path}"
            stored = parse_commit(line, place)
            if is_first and stored.seq != last + 1:
                raise BadInput(f"{path}, line {number - 1}: table {table} is there twice")
            commits[table].append(stored)
            last, is_first = stored.seq, False
        if not heads and not growing:
            raise BadInput(f"{path} is empty: no table's log is in it")
        return cls(heads, commits)

    def head(self, table: str) -> Head | None:
        """Where a table's log ended when it was written; None if it is not in the file."""
        return self._heads.get(table)

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits behind a number, in the file's order; all of them without ``count``."""
        stored = self._commits.get(table, [])
        start = max(after + 1 - stored[0].seq, 0) if stored else 0
        if start > len(stored) or (start and stored[start - 1].seq != after):
            start = next((i for i, found in enumerate(stored) if found.seq > after), len(stored))
        return stored[start : None if count is None else start + count]

    def tables(self) -> list[str]:
        """The ids of all tables, sorted."""
        return sorted(self._heads)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines that are not blank. A line without end is not read into memory whole."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(_LINE_BYTES_MAX):
                number += 1
                if line.strip():
                    yield number, line
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
