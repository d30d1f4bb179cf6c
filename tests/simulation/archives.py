"""Old hands that leave the store for files, and whether every commit is in one of the two places.

A machine that archives may lose its power with whoever runs on it: then its files hold what was
synced, and perhaps a part of the rest. Where the store forgot what had been archived, the file is
left as it is, all who read it are told, and the staff begins another folder.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from stat import S_ISREG
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

from doorcard.audit import archive
from doorcard.audit.archive import Kept, archive_table
from doorcard.audit.verify import verify_table
from doorcard.errors import BadInput, BadLog
from doorcard.streams.archive_file import archive_path, held
from doorcard.streams.codec import next_chain
from doorcard.streams.joined_log import JoinedLog
from doorcard.streams.log import Stored, TrimmableLog
from doorcard.streams.log_file import LogFile, pages
from doorcard.streams.memory_log import MemoryLog
from doorcard.streams.messages import Request
from tests.simulation.actors import NEVER, TROUBLE, Actor
from tests.simulation.faults import Killed
from tests.simulation.trace import Violation

if TYPE_CHECKING:
    from tests.simulation.world import World

ANOTHER_FOLDER: Final = 0.1
"""How often the staff begins another folder for a table without any need."""


class Archives:
    """The folders that a run's hands are archived in, on one disk."""

    def __init__(self, world: World, chance: Random) -> None:
        self._world = world
        self.chance = chance
        self._disk: TemporaryDirectory[str] | None = None
        self._folders: defaultdict[str, list[Path]] = defaultdict(list[Path])
        """By table: one after another."""
        self._synced: dict[int, int] = {}
        """By inode: how much of a file is on the disk, in bytes."""
        self._archivists = 0
        self._checked: dict[str, tuple[int, ...]] = {}
        """By table: what its log and its files were like when they were looked at."""

    @property
    def used(self) -> bool:
        """Whether anybody has archived."""
        return self._disk is not None

    def call(self) -> str:
        """Let somebody archive all tables, once."""
        self._archivists += 1
        archivist = Archivist(self._world, f"archivist-{self._archivists}")
        self._world.actors.append(archivist)
        return archivist.name

    def archive(self, log: TrimmableLog, name: str, kept: Kept) -> bool:
        """Archive one table; whether nothing kept him who does it from it. He may be killed."""
        folder = self._folder(name)
        folders = self._folders[name]
        anew = len(folders) > 1 and not archive_path(folder, name).exists()
        was_forked = self._is_forked(folder, name)
        parts, seen = self._world.parts, self._world.trace.seen
        try:
            with (
                held(folder),
                patch.object(os, "fsync", self._sync),
                patch.object(archive, "ArchiveFile", parts.archive_file),
            ):
                moved = archive_table(log, name, folder, kept, anew=anew)
        except BadLog as reason:
            if len(folders) == 1 and not self._world.oracle.forgotten:
                raise Violation(f"{name} cannot be archived: {reason}") from None
            seen["not archived"] += 1
            self._begin_another(name)
            return False
        seen["archived commits"] += moved.commits
        if was_forked and moved.commits and self._is_forked(folder, name):
            raise Violation(f"{name} is archived behind what the store forgot")
        return True

    def lose_power(self) -> None:
        """What was not synced may be gone, or a part of it."""
        for name, folders in self._folders.items():
            for path in [archive_path(folder, name) for folder in folders]:
                if not path.exists():
                    continue
                found = path.stat()
                synced = self._synced.get(found.st_ino, 0)
                if found.st_size > synced:
                    os.truncate(path, self.chance.randint(synced, found.st_size))
                    self._synced[found.st_ino] = path.stat().st_size

    def still_needed(self, name: str) -> int:
        """The first commit that answers something which may come again.

        What a service keeps for long enough, the simulation knows.
        """
        world, causes = self._world, self._world.oracle.causes[name]
        raws = [raw for _, raw in world.chaos.seen]
        raws += [raw for queue in world.store.queues.values() for raw in queue.entries.values()]
        raws += [letter.raw for letters in world.store.dead.values() for letter in letters]
        for players in world.players:
            raws += [raw for _, raw in players.answered]
            raws += [sent.raw for sent in players.unanswered.values()]
        messages = map(world.once.parse, raws)
        requests = [one for one in messages if isinstance(one, Request) and one.table == name]
        return min([causes.get(request.id, NEVER) for request in requests], default=NEVER)

    def check(self, name: str) -> None:
        """Every commit is in the log, or in a file; both together are the log as it was.

        What was looked at, and only became longer in the log since, is not looked at again.
        """
        states, logged = self._world.oracle.states[name], self._world.store.logs.get(name, [])
        paths = [archive_path(folder, name) for folder in self._folders[name]]
        sizes = [path.stat().st_size for path in paths if path.exists()]
        like = (self._world.oracle.forgotten, logged[0].seq if logged else 0, *sizes)
        if self._checked.get(name) == like:
            return
        self._checked[name] = like
        there = {stored.seq for stored in logged}
        ends: dict[Path, int] = {}
        for folder in self._folders[name]:
            true = {stored.seq for stored, is_true in self._filed(folder, name) if is_true}
            ends[folder] = max(true, default=0)
            there |= true
        lost = next((seq for seq in range(1, len(states)) if seq not in there), None)
        if lost is not None:
            raise Violation(f"commit {lost} of {name} is neither in its log nor archived")
        # Of runs into several folders at once the last one to remove something has what is next.
        last = max(ends, key=lambda folder: ends[folder], default=None)
        for number, folder in enumerate(self._folders[name]):
            self._check_joined(folder, name, whole=not number, is_last=folder == last)

    def end(self) -> None:
        """Leave nothing behind."""
        if self._disk is not None:
            self._disk.cleanup()

    def _check_joined(self, folder: Path, name: str, *, whole: bool, is_last: bool) -> None:
        both = JoinedLog(MemoryLog(self._world.store), folder)
        if self._is_forked(folder, name):
            self._world.trace.seen["archives of what was forgotten"] += 1
            if verify_table(both, name, whole=whole).problem is None:
                raise Violation(f"the archive of {name} is not of its log, and nobody is told")
            return
        if not is_last:
            return
        try:
            both.head(name)
            found = both.read(name)
        except BadLog as reason:
            if self._world.oracle.forgotten:
                return
            raise Violation(f"{name} cannot be read with its archive: {reason}") from None
        states = self._world.oracle.states[name]
        first = 1 if whole or not found else found[0].seq
        seqs = range(first, len(states))
        if [stored.seq for stored in found] != [*seqs] or not all(map(self._truth(name), found)):
            raise Violation(f"{name} and its archive are not one log")

    def _is_forked(self, folder: Path, name: str) -> bool:
        """Whether a file holds what the store has forgotten."""
        return self._world.oracle.forgotten > 0 and not all(
            is_true for _, is_true in self._filed(folder, name)
        )

    def _filed(self, folder: Path, name: str) -> Iterator[tuple[Stored, bool]]:
        """What is in a file, and whether it is what the table's log held."""
        path = archive_path(folder, name)
        if path.exists():
            is_true = self._truth(name)
            for stored in pages(LogFile.open(path, growing=True), name):
                yield stored, is_true(stored)

    def _truth(self, name: str) -> Callable[[Stored], bool]:
        states = self._world.oracle.states[name]

        def is_true(stored: Stored) -> bool:
            seq, raw, _ = stored
            return seq < len(states) and next_chain(states[seq - 1].chain, raw) == states[seq].chain

        return is_true

    def _folder(self, name: str) -> Path:
        folders = self._folders[name]
        if not folders or self.chance.random() < ANOTHER_FOLDER:
            self._begin_another(name)
        return folders[-1]

    def _begin_another(self, name: str) -> None:
        if self._disk is None:
            self._disk = TemporaryDirectory(prefix="doorcard-simulation-")
        folder = Path(self._disk.name) / str(len(self._folders[name]))
        folder.mkdir(exist_ok=True)
        self._folders[name].append(folder)

    def _sync(self, descriptor: int) -> None:
        """In place of ``os.fsync``: it is noted, and takes no time."""
        found = os.fstat(descriptor)
        if S_ISREG(found.st_mode):
            self._synced[found.st_ino] = found.st_size


class Archivist(Actor):
    """The program that archives all tables, once."""

    mortal = True

    def __init__(self, world: World, name: str) -> None:
        super().__init__(world, name)
        self.chance = world.archives.chance
        self._log, _ = world.halves(self, service=True)
        self._trim = self._log.trim
        self._log.trim = self._trim_if_not_needed

    def turn(self) -> None:
        """Archive, and be gone."""
        archives, world = self.world.archives, self.world
        names: list[str] = []
        try:
            names += self._log.tables()
            for name in names:
                last = world.oracle.table(name).seq
                needed = max(last + 1 - archives.still_needed(name), 1)
                self._archive(name, Kept(self.chance.randint(1, 3), needed))
        except Killed:
            archives.lose_power()
        except TROUBLE as error:
            world.trace.note(world.now_ms, self.name, f"in trouble: {error}")
        finally:
            world.actors.remove(self)
        for name in names:
            archives.check(name)

    def _trim_if_not_needed(self, name: str, kept: Stored) -> int:
        """More may have come meanwhile, so that less is left than should be."""
        if kept.seq > self.world.archives.still_needed(name):
            raise Killed
        count: int = self._trim(name, kept)
        return count

    def _archive(self, name: str, kept: Kept) -> None:
        try:
            self.world.archives.archive(self._log, name, kept)
        except BadInput:  # it is paused, or somebody else archives into the folder
            self.world.trace.note(self.world.now_ms, self.name, f"leaves {name} alone")


def archive_all(world: World) -> None:
    """Once all is over, archive whatever may be, and read it."""
    log = MemoryLog(world.store)
    for players in world.players:
        name = players.table_id
        if name in world.store.paused:
            continue
        if not any(world.archives.archive(log, name, Kept(1, 1)) for _ in range(2)):
            raise Violation(f"{name} cannot be archived, not even anew")
        world.archives.check(name)
