"""A whole service of real processes on a real server, made to be broken."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, Final, Self

from redis.exceptions import RedisError

from doorcard.commands import OpenTable
from doorcard.errors import StoreError
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.local import usual_limits
from doorcard.streams.connection import connect
from doorcard.streams.keys import partition_names
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from services.embedded import EmbeddedServer, Fsync
from services.settings import Settings
from tests.chaos.players import Players, Witness
from tests.services.processes import environment
from tests.services.shops import ROLES

GAMES: Final = (
    "seven_card_stud",
    "razz",
    "five_card_stud",
    "roll_your_own",
    "five_card_high_low_declare",
    "baseball",
)
PARTITIONS: Final = 2
SEATS: Final = 4
TABLES: Final = 6
PATIENCE_S: Final = 60.0
TROUBLE: Final = (RedisError, OSError, StoreError)


class Site:
    """One server, two workers of each role, one clock, and the rooms where bots play."""

    def __init__(self, folder: Path, seed: int, *, crew: int = 2) -> None:
        self.chance = Random(seed)
        self.folder = folder
        self.fsync: Fsync = "always"
        self.server = EmbeddedServer.start(folder / "store", fsync=self.fsync)
        self.ring_file = folder / "deck-keys.json"
        DeckKeyRing.create(self.ring_file)
        self.heads = folder / "heads.jsonl"
        self.partitions = partition_names(PARTITIONS)
        self.crew = [f"{role}-{number}" for role in ROLES for number in range(crew)]
        self.crew.append("clock-0")
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.client: Any = connect(self.url)
        self.log = RedisLog(self.client, partitions=self.partitions)
        self.queues = Queues(self.client)
        self._keys = {f"bot-{seat}": SeatKey.generate().public for seat in range(SEATS)}
        self._evenings = 0
        self._said_before: dict[Path, int] = {}

    @classmethod
    @contextmanager
    def open(cls, seed: int) -> Generator[Self]:
        """A site in a folder of its own, with everybody at work; nothing is left of it."""
        with TemporaryDirectory(prefix="doorcard-") as parent:
            site = cls(Path(parent), seed)
            try:
                site.heal()
                yield site
            finally:
                site.close()

    @property
    def url(self) -> str:
        """Where the store listens, whatever becomes of it."""
        return self.server.url

    @property
    def settings(self) -> Settings:
        """As the operator's commands need them."""
        return Settings(redis_url=self.url, partitions=PARTITIONS, deck_keys_file=self.ring_file)

    @property
    def ring(self) -> DeckKeyRing:
        return DeckKeyRing.load(self.ring_file)

    # --- workers -----------------------------------------------------------------------------

    def start(self, name: str, **changes: str) -> None:
        """Start a worker; its log lines go into a file of its own."""
        role = name.partition("-")[0]
        own = {
            "DOORCARD_REDIS_URL": self.url,
            "DOORCARD_PARTITIONS": str(PARTITIONS),
            "DOORCARD_PARENT_PID": str(os.getpid()),
            "DOORCARD_BLOCK_MS": "200",
            "DOORCARD_DECK_KEYS_FILE": str(self.ring_file),
        }
        if role == "showdown":
            own["DOORCARD_HEADS_FILE"] = str(self.heads)
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", "services", role],
                env=environment(**(own | changes)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def heal(self) -> None:
        """Start every worker that does not run."""
        for name in self.crew:
            process = self.processes.get(name)
            if process is None or process.poll() is not None:
                self.start(name)

    def signal(self, sign: signal.Signals, names: Iterable[str] | None = None) -> None:
        """Send a signal to some workers, or to all."""
        for name in self.crew if names is None else names:
            self.processes[name].send_signal(sign)

    def kill(self, name: str) -> None:
        """SIGKILL a worker, and wait until it is gone."""
        self.processes[name].kill()
        self.processes[name].wait()

    def replace(self, names: Iterable[str], **changes: str) -> None:
        """Kill workers and start others with other settings in their places."""
        for name in list(names):
            self.kill(name)
            self.start(name, **changes)

    def of(self, *roles: str) -> list[str]:
        """The names of all workers of some roles."""
        return [name for name in self.crew if name.partition("-")[0] in roles]

    def said(self, event: str) -> list[str]:
        """The lines in which workers have logged an event since the last room was opened."""
        needle = f'"event": "{event}"'
        found: list[str] = []
        for path in self.folder.glob("*-*.log"):
            with path.open("rb") as log:
                log.seek(self._said_before.get(path, 0))
                found += [line for line in log.read().decode().splitlines() if needle in line]
        return found

    # --- the store ---------------------------------------------------------------------------

    def kill_store(self) -> None:
        """SIGKILL the server: it is down until ``start_store``."""
        os.kill(self.server.pid, signal.SIGKILL)
        self.server.stop()

    def start_store(self) -> tuple[str, ...]:
        """Start the server on its folder again; what an operator is told about it."""
        self.server = EmbeddedServer.start(self.folder / "store", fsync=self.fsync)
        return self.server.notices

    def sync(self, fsync: Fsync) -> None:
        """Choose when an answer is on the disk, from now on."""
        self.fsync = fsync
        self.client.config_set("appendfsync", fsync)

    @property
    def file(self) -> Path:
        """The append-only file that is written to."""
        folder = self.folder / "store" / "appendonlydir"
        return max(folder.glob("*.incr.aof"), key=lambda path: path.stat().st_mtime)

    # --- players -----------------------------------------------------------------------------

    def room(self) -> Players:
        """New tables, where the bots have begun to play."""
        self._evenings += 1
        logs = self.folder.glob("*-*.log")
        self._said_before = {path: path.stat().st_size for path in logs}
        witness = Witness(self.log, self.queues, f"room-{self._evenings}", self.partitions)
        witness.note()
        room = Players(witness, self._keys)
        tables: list[tuple[str, OpenTable]] = []
        for number in range(TABLES):
            game = GAMES[number % len(GAMES)]
            name = f"{self.partitions[number % PARTITIONS]}.evening-{self._evenings}-{number}"
            tables.append((name, OpenTable(game, usual_limits(game), seats=SEATS)))
        room.open(tables)
        self.play_until(room, lambda: len(witness.since(0)) == TABLES, lambda: "no play began")
        return room

    def play(self, room: Players, seconds: float) -> None:
        """Let the bots play for a while, whatever happens to the store."""
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            self._step(room)

    def play_until(
        self,
        room: Players,
        condition: Callable[[], object],
        otherwise: Callable[[], str],
        patience_s: float = PATIENCE_S,
    ) -> float:
        """Let the bots play until something is so; how many seconds it took."""
        started_s = time.monotonic()
        while not condition():
            assert time.monotonic() < started_s + patience_s, otherwise()
            self._step(room)
        return time.monotonic() - started_s

    def _step(self, room: Players) -> None:
        try:
            room.step(10)
        except TROUBLE:
            time.sleep(0.02)

    def close(self) -> None:
        """End everything."""
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.client.close()
        self.server.stop()

    def keep(self) -> str:
        """Copy everything aside, to be looked at after a failure; where it is."""
        kept = Path(mkdtemp(prefix="doorcard-chaos-"))
        shutil.copytree(
            self.folder, kept, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock")
        )
        return f"kept in {kept}"
