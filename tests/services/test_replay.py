"""What the service wrote is read again: the same everywhere, without effects, and all of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from doorcard.audit.verify import verify_table
from doorcard.streams.folding import rebuild
from doorcard.streams.heads import scan_head
from doorcard.streams.log import Head, Log, Stored
from doorcard.streams.log_file import LogFile, export_log
from tests.services import aof
from tests.services.conftest import Evening
from tests.services.processes import environment

REPLAY: Final = """
import hashlib, random, socket, sys, time
from pathlib import Path
from doorcard.engine.table import Table, facts
from doorcard.streams.folding import fold_commits
from doorcard.streams.log_file import LogFile

def refuse(*words, **options):
    raise AssertionError("a replay asks for nothing but the log")

log = LogFile.open(Path(sys.argv[1]))
for name in ("time", "time_ns", "monotonic", "localtime", "gmtime"):
    setattr(time, name, refuse)
random.random = random.Random.random = socket.socket.connect = refuse
for name in log.tables():
    table = Table()
    for stored in log.read(name):
        table = fold_commits(table, [stored])
        print(name, stored.seq, hashlib.sha256(repr(facts(table)).encode()).hexdigest())
"""


class OnlyRead:
    """A log that can be read, and nothing else: whoever tries fails."""

    def __init__(self, commits: dict[str, list[Stored]]) -> None:
        self._commits = commits
        self.reads = 0

    def head(self, table: str) -> Head | None:
        return scan_head(self, table)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        self.reads += 1
        return [stored for stored in self._commits[table] if stored.seq > after][:count]

    def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
        self.reads += 1
        older = [stored for stored in self._commits[table] if before is None or stored.seq < before]
        return older[::-1][:count]

    def tables(self) -> list[str]:
        return sorted(self._commits)


def test_s48_a_replay_gives_the_same_after_every_commit_anywhere(
    evening: Evening, tmp_path: Path
) -> None:
    """Another time zone, locale and hash seed; clock, chance and network fail if they are asked."""
    path = tmp_path / "logs.jsonl"
    log = OnlyRead(aof.logs(evening.data))
    written = export_log(log, log.tables()[:4], path)
    assert written.commits > 2_000
    said = {
        subprocess.run(
            [sys.executable, "-c", REPLAY, str(path)],
            env=environment(TZ=zone, LC_ALL=locale, PYTHONHASHSEED=seed),
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout
        for zone, locale, seed in (("UTC", "C", "1"), ("Asia/Kathmandu", "tr_TR.UTF-8", "2"))
    }
    assert len(said) == 1
    assert said.pop().count(os.linesep) == written.commits


def test_s51_a_replay_has_no_effects(evening: Evening, tmp_path: Path) -> None:
    """Tables are rebuilt and verified from something that can only be read."""
    log = OnlyRead(aof.logs(evening.data))
    events = 0
    for name in log.tables():
        report = verify_table(log, name)
        assert report.commits == len(log.read(name))
        events += report.commits
        reader: Log = log  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
        assert rebuild(reader, name).closed
    assert events > 5_000
    path = tmp_path / "logs.jsonl"
    export_log(log, log.tables(), path)
    assert LogFile.open(path).tables() == log.tables()


def test_s42_nothing_is_trimmed_but_feeds_and_replies(evening: Evening) -> None:
    """Neither a log nor a queue is ever shortened, however far a worker is behind."""
    kinds: set[tuple[bytes, bytes]] = set()
    for words in aof.commands(evening.data):
        if words[0] in (b"XTRIM", b"DEL", b"UNLINK") or b"MAXLEN" in words:
            kind = words[1].split(b":")[2]
            kinds.add((words[0], kind))
    assert kinds
    assert kinds <= {(b"XTRIM", b"feed"), (b"XTRIM", b"r")}
