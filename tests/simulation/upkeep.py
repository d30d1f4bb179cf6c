"""Who looks after the service: mends what was lost, and deals with dead letters and pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from doorcard.streams.folding import rebuild
from doorcard.streams.recover import Restored, restore_derived, restore_table
from tests.simulation.actors import TROUBLE, Actor
from tests.simulation.redis_words import RedisWords

if TYPE_CHECKING:
    from tests.simulation.world import World

ROUND_MS: Final = 3_000


class Operator(Actor):
    """Makes a round every few seconds, with the commands of ``services.upkeep``."""

    def __init__(self, world: World) -> None:
        super().__init__(world, "operator")
        self.called = False
        """Something derived was lost."""
        self._log, self._queues = world.halves(self, service=False)
        self._client = RedisWords(world.store)

    def turn(self) -> None:
        """Make a round."""
        world = self.world
        self.due_ms = world.now_ms + ROUND_MS
        if world.chaos.full or not self._is_needed():
            return
        try:
            self._resume()
            self._revive()
            if self.called or world.unmended:
                self._recover()
        except TROUBLE as error:
            world.trace.note(world.now_ms, self.name, f"in trouble: {error}")

    def _is_needed(self) -> bool:
        """Whether a round would find anything."""
        world, store = self.world, self.world.store
        return bool(self.called or world.unmended or store.paused or any(store.dead.values()))

    def _revive(self) -> None:
        for partition in self.world.partitions:
            for letter in self._queues.dead(partition):
                self.world.trace.seen["revived"] += 1
                self.world.oracle.secrecy.message(letter.raw)
                self._queues.revive(partition, letter)

    def _resume(self) -> None:
        for name in self._log.paused():
            rebuild(self._log, name)
            self.world.unmended.add(name)
            self._log.resume(name)
            self._note(restore_table(self._client, name))
            self.world.unmended.discard(name)

    def _recover(self) -> None:
        restored = restore_derived(self._client, self.world.partitions)
        self._note(restored)
        self.called = False
        self.world.unmended.clear()

    def _note(self, restored: Restored) -> None:
        world = self.world
        world.trace.seen["put back"] += restored.put_back
        world.trace.note(world.now_ms, self.name, f"puts back {restored.put_back}")
