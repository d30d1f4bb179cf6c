"""Deliberate bugs of whoever archives: what may be removed too early, too much, or unseen."""

from __future__ import annotations

import os
from collections.abc import Sequence
from unittest.mock import patch

from doorcard.streams.archive_file import ArchiveFile
from doorcard.streams.heads import hand_started, read_commit
from doorcard.streams.log import Stored
from doorcard.streams.memory_log import MemoryLog
from tests.simulation.store import SimulatedStore
from tests.simulation.world import Parts


class TrimsTooMuch(MemoryLog):
    """Removes one hand more than it was told, where another one follows."""

    def trim(self, table: str, kept: Stored) -> int:
        behind = self.read(table, kept.seq)
        more = (one for one in behind if hand_started(read_commit(table, one)) is not None)
        return super().trim(table, next(more, kept))


class RemovesTooMuch(Parts):
    """Of what is archived the log loses a hand too many."""

    def log(self, store: SimulatedStore) -> MemoryLog:
        return TrimsTooMuch(store)


class UnsyncedFile(ArchiveFile):
    """Takes what was written for what is on the disk."""

    def append(self, commits: Sequence[Stored]) -> None:
        with patch.object(os, "fsync", _nothing):
            super().append(commits)


class NeverSyncs(Parts):
    """Hands are removed before their file is on the disk."""

    archive_file = UnsyncedFile


class LatestFile(ArchiveFile):
    """Keeps a stretch in memory until the next one comes."""

    _kept: Sequence[Stored] = ()

    def append(self, commits: Sequence[Stored]) -> None:
        if self._kept:
            super().append(self._kept)
        self._kept = commits


class TrimsFirst(Parts):
    """Hands are removed before they are written."""

    archive_file = LatestFile


def _nothing(*_: object, **__: object) -> None:
    """Leave undone what should be done."""
