"""A table whose old hands are moved into a file, and whoever moves them may be killed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from unittest.mock import patch

from doorcard.audit import archive as archive_module
from doorcard.audit.archive import Kept, Moved, archive_table
from doorcard.audit.verify import Report, verify_table
from doorcard.streams.archive_file import held
from doorcard.streams.heads import hand_started, read_commit
from doorcard.streams.joined_log import JoinedLog
from doorcard.streams.log import Stored
from doorcard.streams.memory_log import MemoryLog
from tests.audit.played import RING, House

KEPT = Kept(hands=2, commits=1)
TABLE = "p00.table"


class Killed(Exception):
    """The program ends here."""


class Fragile(MemoryLog):
    """A log whose reader may be killed when it trims: before, or right after."""

    kill = ""

    def trim(self, table: str, kept: Stored) -> int:
        if self.kill == "before":
            raise Killed
        count = super().trim(table, kept)
        if self.kill == "after":
            raise Killed
        return count


def played(seed: int) -> House:
    """A table at which nine hands were played."""
    return House(seats=3, chips=2000, seed=seed).play(9)


@cache
def other_house() -> House:
    """Another evening at the same table."""
    return played(6)


def log_of(house: House) -> Fragile:
    """A table's whole log in a store."""
    log = Fragile()
    log.store.logs[TABLE] = list(house.stored)
    return log


def begins(house: House) -> list[Stored]:
    return [s for s in house.stored if hand_started(read_commit(TABLE, s)) is not None]


def move(log: MemoryLog, folder: Path, kept: Kept = KEPT, *, anew: bool = False) -> Moved:
    """Archive the table, two hands or so at once."""
    with held(folder), patch.object(archive_module, "STRETCH_COMMITS", 50):
        return archive_table(log, TABLE, folder, kept, anew=anew)


def raws(stored: list[Stored]) -> list[tuple[int, bytes]]:
    return [(each.seq, each.raw) for each in stored]


def joined(log: MemoryLog, folder: Path, house: House) -> Report:
    """Both together, which must be the log as it was."""
    both = JoinedLog(log, folder)
    assert raws(both.read(TABLE)) == raws(house.stored)
    assert both.head(TABLE) == house.log.heads[TABLE]
    report = verify_table(both, TABLE, ring=RING, heads=house.heads, whole=True)
    assert (report.problem, report.moved_commits) == (None, 0)
    return report
