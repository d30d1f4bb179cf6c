"""A rolling upgrade: workers of two releases, of which the older one reads the first format alone.

All run in one process, as the newer release (``tests.newer``). Whatever an older worker reads goes
through here, and what that could not read it does not get to see.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any, Final

import msgpack

from doorcard.engine.table import Table
from doorcard.errors import NewerFormat, Refused
from doorcard.streams.commit import ROLES, Commit
from doorcard.streams.delivery import Delivery, MessageQueues
from doorcard.streams.log import Stored
from doorcard.streams.messages import NEWER_FORMAT, Request
from services.settings import Settings
from tests.newer import NEWEST, newer_release
from tests.simulation.actors import Actor, WorkerProcess
from tests.simulation.trace import Violation

if TYPE_CHECKING:
    from tests.simulation.world import World

OLDEST: Final = 1
OLD_AT_FIRST: Final = 0.5
"""The share of the workers that have not been upgraded when a run begins."""
NEWER_REQUESTS: Final = 0.1
"""The share of requests that only the newer release understands."""

Fold = Callable[[Table, Iterable[Stored]], Table]


class Releases:
    """Knows of which release each worker is, and what it may write."""

    def __init__(self, world: World, chance: Random) -> None:
        self._world = world
        self._chance = chance
        self._written = chance.randint(OLDEST, NEWEST)
        """What workers of the newer release are told to write when they start, once every role
        has one."""
        self._handed: dict[tuple[str, str, str], int] = {}
        """By worker, queue and message: how often the store said that it was handed out."""

    @contextmanager
    def shared(self) -> Generator[None]:
        """While this lasts, this process is of the newer release."""
        with newer_release():
            yield

    # --- what an older worker reads ----------------------------------------------------------

    def decode(self, decode: Callable[[bytes], Commit]) -> Callable[[bytes], Commit]:
        """Decoding, as whoever acts can do it."""

        def read(raw: bytes) -> Commit:
            if self._is_old and _format_of(raw) > OLDEST:
                raise NewerFormat(f"the commit has format {_format_of(raw)}")
            return decode(raw)

        return read

    def fold(self, shared: Fold, alone: Fold) -> Fold:
        """Folding, as whoever acts can do it."""

        def fold(table: Table, stored: Iterable[Stored]) -> Table:
            found = list(stored)
            newer = self._is_old and any(_format_of(one.raw) > OLDEST for one in found)
            return (alone if newer else shared)(table, found)

        return fold

    def parse(self, parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        """Reading a message, as whoever acts can do it."""

        def read(raw: bytes) -> Any:
            message = parse(raw)
            if self._is_old and isinstance(message, Request) and _is_newer(raw):
                return Refused(NEWER_FORMAT, f"Only a newer version understands {NEWEST}.")
            return message

        return read

    @property
    def _is_old(self) -> bool:
        actor = self._world.acting
        return isinstance(actor, WorkerProcess) and actor.is_old

    # --- what is written ---------------------------------------------------------------------

    def begins_old(self) -> bool:
        """Whether a new process is of the older release."""
        return self._chance.random() < OLD_AT_FIRST

    def settings(self, actor: WorkerProcess) -> Settings:
        """What a process that starts is told."""
        actor.writes = OLDEST if actor.is_old or not self._is_known else self._written
        return self._world.settings.model_copy(update={"write_format": actor.writes})

    def request(self, raw: bytes) -> bytes:
        """A request, now and then as only the newer release understands it."""
        if self._world.calm or self._chance.random() >= NEWER_REQUESTS or not self._is_known:
            return raw
        self._world.trace.seen["requests of a newer format"] += 1
        packed: bytes = msgpack.packb({**msgpack.unpackb(raw), "format": NEWEST})
        return packed

    def check_written(self, actor: Actor, stored: Stored) -> None:
        """A worker writes no newer format than it was told to."""
        if isinstance(actor, WorkerProcess) and _format_of(stored.raw) > actor.writes:
            raise Violation(f"{actor.name} writes format {_format_of(stored.raw)} unasked")
        self._world.trace.seen[f"commits of format {_format_of(stored.raw)}"] += 1

    # --- what is left to others --------------------------------------------------------------

    def handed(self, actor: WorkerProcess, deliveries: Sequence[Delivery]) -> list[Delivery]:
        """Messages were handed out; what the store says with them is remembered."""
        for queue, name, _, count in deliveries:
            self._handed[actor.name, queue, name] = count
        return list(deliveries)

    def held(self, actor: WorkerProcess, deliveries: Sequence[Delivery]) -> None:
        """A worker keeps messages, or leaves them to others; then this delivery does not count."""
        worker = actor.worker
        jobs = worker._later if worker is not None else ()  # pyright: ignore[reportPrivateUsage]
        waits = {job.delivery[:2] for job in jobs}
        for queue, name, _, count in deliveries:
            if (queue, name) in waits:
                continue
            self._world.trace.seen["left for a newer worker"] += 1
            if count >= self._handed[actor.name, queue, name]:
                raise Violation(f"{actor.name} counts a delivery that it could not read")

    # --- the upgrade -------------------------------------------------------------------------

    def roll(self) -> str | None:
        """Upgrade one more worker; or let one of those that are write another format."""
        old = [worker for worker in self._world.workers if worker.is_old and not worker.busy]
        if old and (self._chance.random() < 0.2 or not self._is_known):
            return self._upgrade(self._chance.choice(old))
        self._written = self._chance.randint(OLDEST, NEWEST)
        new = [worker for worker in self._world.workers if not (worker.is_old or worker.busy)]
        if not new:
            return None
        worker = self._chance.choice(new)
        worker.leave()
        return f"{worker.name} starts again, to write format {self._written}"

    def end(self) -> None:
        """Somebody in every role can read everything."""
        for role in ROLES:
            staff = [worker for worker in self._world.workers if worker.role == role]
            if all(worker.is_old for worker in staff):
                self._upgrade(staff[0])

    def _upgrade(self, worker: WorkerProcess) -> str:
        worker.is_old = False
        worker.leave()
        return f"{worker.name} is of the newer release"

    @property
    def _is_known(self) -> bool:
        """Whether every role has somebody who reads what is newer."""
        return {worker.role for worker in self._world.workers if not worker.is_old} == set(ROLES)


class WatchedQueues:
    """A worker's way to its queues, on which is noted what it was handed and what it leaves."""

    def __init__(self, queues: MessageQueues, releases: Releases, actor: WorkerProcess) -> None:
        self._queues = queues
        self._releases = releases
        self._actor = actor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queues, name)

    def read(self, *words: Any, **options: Any) -> list[Delivery]:
        """New messages."""
        return self._releases.handed(self._actor, self._queues.read(*words, **options))

    def claim(self, *words: Any, **options: Any) -> list[Delivery]:
        """What others left unfinished."""
        return self._releases.handed(self._actor, self._queues.claim(*words, **options))

    def hold(self, deliveries: Sequence[Delivery]) -> None:
        """Keep messages, or leave them to others."""
        self._releases.held(self._actor, deliveries)
        self._queues.hold(deliveries)


def _format_of(raw: bytes) -> int:
    """The format of a commit's bytes: a small number behind the head of the array."""
    return raw[1]


def _is_newer(raw: bytes) -> bool:
    if b"format" not in raw:
        return False
    body: dict[str, Any] = msgpack.unpackb(raw)
    number: int = body.get("format", OLDEST)
    return number > OLDEST
