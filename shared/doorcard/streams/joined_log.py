"""Logs read together with their archive, as if nothing had ever been moved out of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from doorcard.errors import BadInput, BadLog
from doorcard.streams.archive_file import SUFFIX, archive_path
from doorcard.streams.keys import is_table_id
from doorcard.streams.log import DamagedFile, Head, Stored
from doorcard.streams.log_file import ChangedFile, LogFile, ReadableLog


class JoinedLog:
    """Logs, and a folder of archives that holds what they do not begin with.

    Nothing is believed: a reader who checks the chain checks the seam with it. What is both in the
    log and in the archive must be the same.

    Raises:
        BadInput: there is no such folder.
    """

    def __init__(self, log: ReadableLog, folder: Path) -> None:
        if not folder.is_dir():
            raise BadInput(f"there is no folder {folder}")
        self._log = log
        self._folder = folder
        self._files: dict[str, LogFile | None] = {}
        """The archive of the table that was read last."""

    def head(self, table: str) -> Head | None:
        """Where a table's log ends; None if there is no such log and no archive of it.

        Raises:
            BadLog: the archive goes on behind the log's end, or the log is gone: to archive
                always leaves hands in it.
        """
        head = self._log.head(table)
        archived = self._archived_head(table)
        if archived is not None and (head is None or archived.seq > head.seq):
            ends = "is gone" if head is None else f"ends with commit {head.seq}"
            raise BadLog(
                f"table {table}: its log {ends}, and its archive holds commits up to "
                f"{archived.seq}: the store has lost what followed"
            )
        return head

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits behind a number, oldest first; all of them without ``count``.

        Raises:
            BadLog: a commit is another one in the archive than in the log.
            DamagedFile: the archive ends too early: the log does not hold what follows.
        """
        try:
            found = self._read(table, after, count)
        except ChangedFile:  # what somebody was writing when he ended is written anew
            self._files.clear()
            found = self._read(table, after, count)
        if _is_dense(found, after):
            return found
        self._files.clear()  # some may just have been moved
        found = self._read(table, after, count)
        return found if _is_dense(found, after) else self._to_the_cut(table, found, after)

    def tables(self) -> list[str]:
        """The ids of all tables that have a log or an archive, sorted."""
        names = {path.name.removesuffix(SUFFIX) for path in self._folder.glob(f"*{SUFFIX}")}
        return sorted({*self._log.tables(), *filter(is_table_id, names)})

    def _read(self, table: str, after: int, count: int | None) -> list[Stored]:
        logged = self._log.read(table, after, count)
        archived = self._file(table)
        if archived is None:
            return logged
        older = archived.read(table, after, count)
        if not logged:
            return [] if self._log.read(table, 0, 1) else older
        first = logged[0].seq
        both = [stored for stored in older if stored.seq >= first]
        before = older[: len(older) - len(both)]
        same = _same(logged, both)
        if both and not same and not before:
            raise BadLog(
                f"table {table}: commit {first} in the archive is another one than in the log"
            )
        logged = logged if same >= len(both) else logged[:same]  # whoever reads on meets the next
        return (before + logged)[:count]

    def _to_the_cut(self, table: str, found: list[Stored], after: int) -> list[Stored]:
        """What was found, up to where the archive ends too early; whoever reads on is told."""
        file = self._file(table)
        head = None if file is None else file.head(table)
        first = self._log.read(table, 0, 1)
        if file is None or head is None or not first:
            return found
        last = file.last(table)
        if first[0].seq <= last + 1 or found[-1].seq <= last:
            return found
        if after >= last:
            path = archive_path(self._folder, table)
            cut = f": it was cut short, and held commits up to {head.seq}" * (last < head.seq)
            reason = f"is neither in its log nor in {path}, which ends with commit {last}{cut}"
            raise DamagedFile(table, last + 1, reason)
        return [stored for stored in found if stored.seq <= last]

    def _archived_head(self, table: str) -> Head | None:
        archived = self._file(table)
        return None if archived is None else archived.head(table)

    def _file(self, table: str) -> LogFile | None:
        if table not in self._files:
            path = archive_path(self._folder, table)
            file = LogFile.open(path, growing=True) if path.exists() else None
            held = [] if file is None else file.tables()
            if held not in ([], [table]):
                raise BadInput(f"{path} holds {', '.join(held)}, not table {table} alone")
            self._files = {table: file}
        return self._files[table]


def _is_dense(found: Sequence[Stored], after: int) -> bool:
    return not found or found[-1].seq == after + len(found)


def _same(ones: Sequence[Stored], others: Sequence[Stored]) -> int:
    """How many commits are the same in both, from the first on."""
    pairs = zip(ones, others, strict=False)
    differences = (
        number
        for number, (one, other) in enumerate(pairs)
        if (one.seq, one.raw) != (other.seq, other.raw)
    )
    return next(differences, min(len(ones), len(others)))
