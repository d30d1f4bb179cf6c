"""The programs through which players speak and listen, each for some tables."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from doorcard.client import Client, Follower
from doorcard.engine.table import Table
from doorcard.tables import Role
from tests.simulation.actors import NEVER, TROUBLE, Actor
from tests.simulation.players import LOOK_AFTER_MS, Players

if TYPE_CHECKING:
    from tests.simulation.world import World


class Sender(Actor):
    """One program, which sends the commands of everybody at its tables."""

    def __init__(self, world: World, name: str, chance: Random) -> None:
        super().__init__(world, name)
        self.chance = chance
        self.players: dict[str, Players] = {}
        self.outbox: list[tuple[Role, str, bytes]] = []
        self._log, self._queues = world.halves(self, service=False)
        self._client: Client | None = None
        self._follower: Follower | None = None
        self._looked_ms = 0

    def sees(self, table: str) -> Table:
        """A table as this program has followed it."""
        assert self._follower is not None
        return self._follower.tables[table]

    def turn(self) -> None:
        """Hear what is new, and send what the players have to say to it."""
        world = self.world
        self.idle = True
        try:
            self._hear()
            self._look()
            for name, players in self.players.items():
                if players.due_ms <= world.now_ms:
                    players.speak(self.sees(name))
            self._send()
        except TROUBLE:
            self.due_ms = world.now_ms + self.chance.randint(50, 500)
            return
        times = [players.due_ms for players in self.players.values() if not players.done]
        self.due_ms = min([*times, self._looked_ms + LOOK_AFTER_MS]) if times else NEVER

    def _hear(self) -> None:
        for reply in self._connected().replies():
            players = self.players.get(reply.id.partition("#")[0])
            if players is not None:
                players.hear(reply)

    def _connected(self) -> Client:
        if self._client is None:
            self._client = Client(self._log, self._queues, self.name, self.world.partitions)
        return self._client

    def _look(self) -> None:
        """Follow the tables; without news for a while, look whether all that was seen is there."""
        now_ms = self.world.now_ms
        if self._follower is None:
            follower = Follower(self._connected(), lambda: self.world.now_ms / 1000)
            follower.follow(self.players)
            self._follower = follower
        follower = self._follower
        before = dict(follower.tables)
        changed = follower.poll(0)
        if not changed and now_ms - self._looked_ms >= LOOK_AFTER_MS:
            changed = follower.compare(self.players)
            self._looked_ms = now_ms
        elif changed:
            self._looked_ms = now_ms
        for name in changed:
            self.players[name].see(before[name], follower.tables[name])

    def _send(self) -> None:
        """Send all; what finds its queue full, or is cut off, is repeated later."""
        outbox = self.outbox[:]
        self.outbox.clear()
        if outbox:
            self._queues.send_many(outbox)
