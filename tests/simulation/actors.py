"""What takes turns: the programs of the service, each in its own loop."""

from __future__ import annotations

import logging
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast

from redis.exceptions import RedisError

from doorcard.engine.table import Table
from doorcard.errors import StoreError
from doorcard.streams.keys import queue_key
from doorcard.tables import Role
from services.logs import Logger
from services.roles import CLAIM_EVERY_S, CLOCK_CHECK_S, TIMERS_AT_ONCE, TRY_AGAIN_S
from services.run import WAIT_S_MAX, WAIT_S_MIN
from services.worker import Worker
from tests.simulation.faults import Killed

if TYPE_CHECKING:
    from tests.simulation.world import World

NEVER: Final = 1 << 62
CLAIM_EVERY_MS: Final = round(CLAIM_EVERY_S * 1000)
LOOK_MS_MAX: Final = 1_000
"""The store's clock may jump, so nobody trusts it for longer."""
TROUBLE: Final = (RedisError, OSError, StoreError)


class Actor:
    """Somebody who takes turns under the scheduler."""

    mortal = False
    """Whether it can be killed."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.due_ms = world.now_ms
        self.idle = False
        """Waits for a message, and may be woken before it is due."""
        self.busy = False
        """In the middle of a turn."""
        self.machine_ms = 0
        """How far this machine's clock is off."""
        self.chance: Random = world.chance

    def turn(self) -> None:
        """Do a turn's work, and say when the next one is due."""
        raise NotImplementedError

    def poke(self, delay_ms: int = 0) -> None:
        """Something has come that it may be waiting for."""
        if self.idle:
            self.due_ms = min(self.due_ms, self.world.now_ms + delay_ms)

    def backoff_ms(self, failures: int) -> int:
        """How long to wait after so many failures in a row, as ``services.run`` does."""
        wait_s = min(WAIT_S_MAX, WAIT_S_MIN * (1 << min(failures - 1, 10)))
        return round(1000 * wait_s * self.chance.uniform(0.5, 1.5))


class MachineClock:
    """A worker's clock (``services.roles.StoreClock``), on a machine whose own may jump."""

    def __init__(self, log: Any, actor: Actor) -> None:
        self._log = log
        self._actor = actor
        self._offset_ms = 0
        self._compared_ms = -NEVER

    def now_ms(self) -> int:
        """The store's time as far as known."""
        actor = self._actor
        if actor.world.now_ms - self._compared_ms >= CLOCK_CHECK_S * 1000:
            store_ms: int = self._log.now_ms()
            self._offset_ms = store_ms - actor.world.now_ms - actor.machine_ms
            self._compared_ms = actor.world.now_ms
        return actor.world.now_ms + actor.machine_ms + self._offset_ms

    def compare(self) -> None:
        """Ask the store again before the next answer."""
        self._compared_ms = -NEVER


class NoteBook:
    """A worker's logger: what it says is looked at, and kept in the trace."""

    def __init__(self, actor: WorkerProcess) -> None:
        self._actor = actor

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 - as the standard library has it
        return level > logging.DEBUG

    def debug(self, event: str, **facts: object) -> None:
        """Nothing that a simulation looks at."""

    def info(self, event: str, **facts: object) -> None:
        """Write down a line."""
        self._write(event, facts)

    warning = error = info

    def _write(self, event: str, facts: dict[str, object]) -> None:
        world = self._actor.world
        world.trace.seen[event] += 1
        table = str(facts.get("table", ""))
        why = facts.get("error", facts.get("why", ""))
        world.trace.note(world.now_ms, self._actor.name, f"says: {event} {table} {why}")
        world.oracle.secrecy.said(f"{event} {facts}")
        world.oracle.said(self._actor, event, facts, str(why))


class WorkerProcess(Actor):
    """The program of one role."""

    mortal = True

    def __init__(self, world: World, role: Role, number: int) -> None:
        super().__init__(world, f"{role}-{number}")
        self.role: Role = role
        self.worker: Worker | None = None
        self._keys = [queue_key(role, name) for name in world.partitions]
        self._failures = 0
        self._claimed_ms = 0
        self.is_old = world.releases is not None and world.releases.begins_old()
        """Of the release before the newest."""
        self.writes = 1
        """The newest format that it was told to write."""
        self._linger_ms = world.settings.linger_of(role)
        self._read_ms = -NEVER

    def poke(self, delay_ms: int = 0) -> None:
        """A message has come: it is read at once, but not sooner than a while after the last."""
        if self.idle:
            soon_ms = max(self.world.now_ms + delay_ms, self._read_ms + self._linger_ms)
            self.due_ms = min(self.due_ms, soon_ms)

    def turn(self) -> None:
        """One turn of ``services.roles.Turns``, and what ``services.run`` does about errors."""
        world = self.world
        self.idle = False
        try:
            worker = self.worker or self._start()
            world.oracle.turn_begins(self, worker)
            if worker.waiting or worker.stuck or world.store.has_unread(self._keys):
                self._read_ms = world.now_ms
                worker.step(0)
            self._failures = self._failures + 1 if worker.stuck else 0
            if world.now_ms - self._claimed_ms >= CLAIM_EVERY_MS:
                self._claimed_ms = world.now_ms
                if worker.waiting or self._idle_in_ms() == 0:
                    worker.claim()
        except Killed:
            self.die()
        except TROUBLE as error:
            world.trace.note(world.now_ms, self.name, f"in trouble: {error}")
            self._failures += 1
            self.due_ms = world.now_ms + self.backoff_ms(self._failures)
        else:
            self._rest(worker)

    def die(self) -> None:
        """The process is gone; another one comes up in its place."""
        self.leave()
        self._failures = 0
        self.idle = False
        self.due_ms = self.world.now_ms + self.chance.choice(
            (0, 50, 1_000, self.chance.randint(0, 9_000))
        )

    def leave(self) -> None:
        """The process ends, and what it knew with it."""
        self.worker = None
        self.world.oracle.gone(self)

    def held(self, table: str) -> Table | None:
        """A table as its worker keeps it."""
        if self.worker is None:
            return None
        return self.worker._cache.peek(table)  # pyright: ignore[reportPrivateUsage]

    def keep(self, table: Table) -> None:
        """Exchange a table that its worker keeps for one that is equal."""
        if self.worker is not None:
            self.worker._cache.put(table.id, table)  # pyright: ignore[reportPrivateUsage]

    def committed(self, table: Table) -> None:
        """What the worker holds after a commit."""
        self.world.oracle.holds(self, table)

    def _start(self) -> Worker:
        world = self.world
        log, queues = world.halves(self, service=True)
        releases = world.releases
        self.worker = world.parts.worker(
            world.parts.decider(self.role, world.keeper()),
            log,
            queues,
            world.parts.clock(log, self),
            world.settings if releases is None else releases.settings(self),
            cast("Logger", NoteBook(self)),
            committed=self.committed,
        )
        return self.worker

    def _rest(self, worker: Worker) -> None:
        """Where the program would wait for messages, nothing is done until one comes."""
        world = self.world
        if self._failures:
            most_ms = world.settings.claim_idle_ms // 4
            self.due_ms = world.now_ms + min(self.backoff_ms(self._failures), most_ms)
        elif worker.waiting:
            self.due_ms = world.now_ms + round(TRY_AGAIN_S * 1000)
        elif world.store.has_unread(self._keys):
            self.due_ms = self._read_ms + self._linger_ms
        else:
            self.idle = True
            wait_ms = self._idle_in_ms()
            next_ms = self._claimed_ms + CLAIM_EVERY_MS + self.chance.randint(0, 20)
            due_ms = max(next_ms, world.now_ms + wait_ms)
            self.due_ms = min(due_ms, NEVER)

    def _idle_in_ms(self) -> int:
        """In how long there may be something to claim: what would find nothing is left out."""
        world = self.world
        oldest_ms = world.store.oldest_given_ms(self._keys)
        if oldest_ms is None:
            return NEVER
        left_ms = oldest_ms + world.settings.claim_idle_ms - world.store_ms()
        return min(max(left_ms, 0), LOOK_MS_MAX)


class ClockProcess(Actor):
    """The program that fires timers."""

    mortal = True

    def __init__(self, world: World) -> None:
        super().__init__(world, "clock")
        self._failures = 0
        _, self._queues = world.halves(self, service=True)

    def turn(self) -> None:
        """Look for timers that ran out, which also tells the store that somebody can write."""
        world = self.world
        try:
            self._queues.fire_many(world.partitions, TIMERS_AT_ONCE)
        except Killed:
            self.due_ms = world.now_ms + self.chance.randint(0, 3_000)
        except TROUBLE:
            self._failures += 1
            self.due_ms = world.now_ms + self.backoff_ms(self._failures)
        else:
            self._failures = 0
            self.due_ms = self._next_ms()

    def _next_ms(self) -> int:
        """The program looks every 50 ms; most of these looks are left out."""
        world = self.world
        due_ms = world.store.next_timer_ms(world.partitions)
        soon = world.now_ms + world.settings.clock_ms
        if due_ms is None:
            return soon + 1_000
        return max(soon, min(due_ms - world.store_ms() + world.now_ms, soon + 1_000))
