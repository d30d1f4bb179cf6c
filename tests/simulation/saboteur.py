"""Faults that come from outside of any process: to the store, the clocks, and the staff."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

from doorcard.streams.commit import ROLES
from doorcard.streams.keys import read_queue_key
from tests.simulation.actors import WorkerProcess
from tests.simulation.profiles import AT_A_STEP

if TYPE_CHECKING:
    from tests.simulation.world import World

MOMENT_EVERY: Final = 50
"""Steps between two moments that the store may go back to."""
STAFF_MAX: Final = 3
SENTENCES: Final = ("OOM command not allowed", "MISCONF no space left on the disk")


class Saboteur:
    """Does harm between two steps."""

    def __init__(self, world: World, rates: dict[str, float], chance: Random) -> None:
        self._world = world
        self._chance = chance
        self._names = [name for name in AT_A_STEP if rates.get(name)]
        self._weights = [rates[name] for name in self._names]
        self._share = sum(self._weights)
        self._moments: list[tuple[dict[str, Any], frozenset[str]]] = []
        """What was in the store, and for which tables something derived was missing."""
        self._forgets = bool(rates.get("forget"))
        self._moments_max = 12 if rates.get("archive") else 4
        """What was archived lately may be forgotten, too."""
        self._steps = 0
        self._full_until_ms = 0

    def step(self) -> None:
        """Perhaps do one of the things that may be done."""
        self._steps += 1
        if self._forgets and self._steps % MOMENT_EVERY == 0:
            moment = (self._world.store.moment(), frozenset(self._world.unmended))
            self._moments = [*self._moments[1 - self._moments_max :], moment]
        if self._world.chaos.full and self._world.now_ms >= self._full_until_ms:
            self.lift()
        if self._chance.random() < self._share:
            name = self._chance.choices(self._names, self._weights)[0]
            self._do(name)

    def lift(self) -> None:
        """The store takes writes again."""
        self._world.chaos.full = ""

    def _do(self, name: str) -> None:
        what = getattr(self, f"_{name}")()
        self._world.store.touched = True
        if what is not None:
            self._world.trace.fault(self._world.now_ms, "saboteur", name, what)

    def _repeat(self) -> str | None:
        world = self._world
        if not world.chaos.seen:
            return None
        key, raw = self._chance.choice(world.chaos.seen)
        found = read_queue_key(key)
        if found is None or world.chaos.full:
            return None
        world.store.bring(key, raw)
        return key

    def _clock(self) -> str:
        chance, world = self._chance, self._world
        jump_ms = chance.choice((-1, 1)) * chance.choice((50, 2_000, 20_000, 90_000))
        if chance.random() < 0.4:
            world.store_off_ms += jump_ms
            if abs(world.store_off_ms) > 150_000:
                world.store_off_ms = 0
            return f"the store's by {jump_ms} ms"
        actor = chance.choice(world.actors)
        actor.machine_ms += jump_ms
        return f"that of {actor.name} by {jump_ms} ms"

    def _forget(self) -> str | None:
        world = self._world
        if not self._moments:
            return None
        place = self._chance.randrange(len(self._moments))
        moment, unmended = self._moments[place]
        del self._moments[place + 1 :]
        world.store.go_back(moment)
        world.unmended.clear()
        world.unmended.update(unmended)
        world.oracle.forgot(world.workers)
        return f"back to {sum(map(len, moment['logs'].values()))} commits"

    def _full(self) -> str | None:
        world = self._world
        if world.chaos.full:
            return None
        world.chaos.full = self._chance.choice(SENTENCES)
        self._full_until_ms = world.now_ms + self._chance.choice((500, 5_000, 20_000))
        return world.chaos.full

    def _group(self) -> str:
        role, partition = self._chance.choice(ROLES), self._chance.choice(self._world.partitions)
        self._world.store.lose_group(role, partition)
        return f"{role} {partition}"

    def _derived(self) -> str:
        world, partition = self._world, self._chance.choice(self._world.partitions)
        kind = self._chance.random()
        if kind < 0.3:
            world.store.lose_feed(partition)
            what = "feed"
        elif kind < 0.45:
            world.store.lose_notes(partition)
            what = "notes of writes"
        else:
            world.store.lose_timers(partition)
            world.unmended.update(name for name in world.store.logs if name.startswith(partition))
            what = "timers"
        world.operator.called = True
        return f"{what} of {partition}"

    def _archive(self) -> str:
        return self._world.archives.call()

    def _upgrade(self) -> str | None:
        releases = self._world.releases
        return None if releases is None else releases.roll()

    def _staff(self) -> str | None:
        chance, world = self._chance, self._world
        role = chance.choice(ROLES)
        staff = [worker for worker in world.workers if worker.role == role]
        if len(staff) < STAFF_MAX and (len(staff) == 1 or chance.random() < 0.5):
            number = 1 + max(int(worker.name.rpartition("-")[2]) for worker in staff)
            new = WorkerProcess(world, role, number)
            world.workers.append(new)
            world.actors.append(new)
            return f"{new.name} comes"
        free = [worker for worker in staff if not worker.busy]
        if not free or len(staff) < 2:
            return None
        gone = chance.choice(free)
        gone.leave()
        world.workers.remove(gone)
        world.actors.remove(gone)
        return f"{gone.name} goes"
