"""Everything in one process under one seeded scheduler: no threads, no real time."""

from __future__ import annotations

import traceback
from collections import OrderedDict
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any, Final

from doorcard.engine.dealer import HandSecrets
from doorcard.engine.table import Table
from doorcard.fairness.deck import FairDeck
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.fairness.ring_text import RingKeys
from doorcard.fairness.seed import Seed
from doorcard.streams.archive_file import ArchiveFile
from doorcard.streams.commit import ROLES
from doorcard.streams.keys import partition_names
from doorcard.streams.memory_log import MemoryLog
from doorcard.tables import Role
from services.betting import BettingDecider
from services.decider import Decider
from services.deciders import DealerDecider, DeckKeeper, FloorDecider, ShowdownDecider
from services.settings import Settings
from services.worker import Worker
from tests.simulation.actors import (
    NEVER,
    Actor,
    ClockProcess,
    MachineClock,
    WorkerProcess,
)
from tests.simulation.archives import Archives
from tests.simulation.faults import Chaos, faulty
from tests.simulation.once import ALONE_EVERY, Once
from tests.simulation.oracle import Oracle
from tests.simulation.players import Players, tick
from tests.simulation.profiles import Profile
from tests.simulation.releases import Releases, WatchedQueues
from tests.simulation.saboteur import Saboteur
from tests.simulation.senders import Sender
from tests.simulation.setting import openings
from tests.simulation.store import SimulatedQueues, SimulatedStore
from tests.simulation.trace import Trace, Violation
from tests.simulation.upkeep import Operator

RING: Final = DeckKeyRing(RingKeys({"k1": b"\1" * 32}, "k1", {"h1": b"\2" * 32}, "h1"))
SEAT_KEY: Final = SeatKey(b"\3" * 32)
START_MS: Final = 1_760_000_000_000


class Parts:
    """What a simulated service is made of; a deliberate bug exchanges one of them."""

    worker: type[Worker] = Worker
    archive_file: type[ArchiveFile] = ArchiveFile

    def log(self, store: SimulatedStore) -> MemoryLog:
        """A process's way to the logs."""
        return MemoryLog(store)

    def queues(self, store: SimulatedStore) -> SimulatedQueues:
        """A process's way to the queues."""
        return SimulatedQueues(store)

    def clock(self, log: Any, actor: Actor) -> MachineClock:
        """A worker's clock."""
        return MachineClock(log, actor)

    def decider(self, role: Role, keeper: DeckKeeper) -> Decider:
        """A role's decider as its program makes it."""
        return decider_of(role, keeper)


def decider_of(role: Role, keeper: DeckKeeper) -> Decider:
    """A role's decider."""
    if role == "betting":
        return BettingDecider()
    if role == "floor":
        return FloorDecider()
    return DealerDecider(keeper) if role == "dealer" else ShowdownDecider(keeper)


class World:
    """One run: its clock, its store, everybody who takes turns, and who watches them."""

    def __init__(self, seed: int, profile: Profile, parts: Parts | None = None) -> None:
        self.seed = seed
        self.parts = parts or Parts()
        self.trace = Trace()
        self.now_ms = START_MS
        self.store_off_ms = 0
        """How far the store's clock is off the true time."""
        self.calm = False
        """No faults any more."""
        self.ending = False
        """The players play no more hands."""
        self.depth = 0
        self.looked = 0
        self.unmended: set[str] = set()
        """Tables whose derived keys were lost, or that were resumed, until all is put back."""
        rolls = bool(profile.rates.get("upgrade"))
        self.releases = Releases(self, Random(f"releases {seed}")) if rolls else None
        self.acting: Actor | None = None
        """Whose turn it is; nobody's while the turn is looked at."""
        self.once = Once(alone=seed % ALONE_EVERY == 0, releases=self.releases)
        self.decks: OrderedDict[bytes, FairDeck] = OrderedDict()
        """Every deck that a dealer made, by its sealed seed."""
        self.chance = Random(f"schedule {seed}")
        self._drawn = 0
        setting = Random(f"setting {seed}")
        self.partitions = partition_names(setting.choice((1, 1, 2)))
        self.sealed_share = setting.choice((0, 0, 0.5))
        self.seat_key = SEAT_KEY.public
        opened = openings(setting, self.partitions)
        self.settings = _settings(len(self.partitions), len(opened), setting)
        self.remembers = self.settings.cache_tables >= len(opened)
        """Workers keep all tables."""
        self.store = SimulatedStore(self.store_ms)
        self.store.told = self._told
        self.oracle = Oracle(self)
        self.chaos = Chaos(self, dict(profile.rates), Random(f"calls {seed}"))
        self.saboteur = Saboteur(self, dict(profile.rates), Random(f"steps {seed}"))
        self.archives = Archives(self, Random(f"archives {seed}"))
        self.operator = Operator(self)
        self.workers = [
            WorkerProcess(self, role, number)
            for role in ROLES
            for number in range(setting.choice((1, 1, 2)))
        ]
        self.senders = [
            Sender(self, f"program-{number}", Random(f"sender {number} {seed}"))
            for number in range(setting.choice((1, 1, 2, 3)))
        ]
        self.players: list[Players] = []
        self._sender_of: dict[str, Sender] = {}
        for name, opening in opened:
            sender, chance = setting.choice(self.senders), Random(f"players {name} {seed}")
            players = Players(sender, name, opening, chance, profile.nonsense)
            self.players.append(players)
            sender.players[name], self._sender_of[name] = players, sender
        self.actors: list[Actor] = [
            *self.workers,
            *self.senders,
            ClockProcess(self),
            self.operator,
        ]

    # --- time and turns --------------------------------------------------------------------------

    def store_ms(self) -> int:
        """The store's clock."""
        return self.now_ms + self.store_off_ms

    def seconds(self) -> float:
        """The time by which things are said at most once a second, however fast a run is."""
        return self.now_ms / 1000

    def step(self) -> None:
        """Let time pass until somebody is due, and one of those take a turn."""
        free, now_ms = self._free(), self.now_ms
        due = [actor for actor in free if actor.due_ms <= now_ms]
        if not due:
            now_ms = self.now_ms = min([actor.due_ms for actor in free], default=NEVER)
            if now_ms == NEVER:
                raise Violation("nobody will ever do anything again")
            due = [actor for actor in free if actor.due_ms == now_ms]
        actor = due[int(self.chance.random() * len(due))]
        interrupted, self.acting = self.acting, actor
        actor.busy = True
        try:
            actor.turn()
        except Exception as error:
            # Somebody who sleeps inside of a call would take it for an error of his own.
            raise Violation(f"{actor.name} fails: {traceback.format_exc()}") from error
        finally:
            actor.busy = False
            self.acting = None
        if self.store.touched:
            self.store.touched = False
            self.oracle.after_changes()
        if not self.calm:
            self.saboteur.step()
        self.acting = interrupted

    def meanwhile(self, milliseconds: int, steps: int) -> None:
        """What the others do while a process sleeps inside of a call."""
        until_ms = self.now_ms + milliseconds
        self.depth += 1
        for _ in range(steps):
            due_ms = min([actor.due_ms for actor in self._free()], default=NEVER)
            if due_ms == NEVER or (milliseconds and due_ms > until_ms):
                break
            self.step()
        self.depth -= 1
        self.now_ms = max(self.now_ms, until_ms)

    def _free(self) -> list[Actor]:
        """Those who are not in the middle of a turn."""
        return [actor for actor in self.actors if not actor.busy] if self.depth else self.actors

    def _told(self, queue: str, raw: bytes) -> None:
        self.oracle.secrecy.message(raw)
        role = queue.rpartition(":")[2]
        if role == "floor":
            self.oracle.wounds.message(raw)
        for worker in self.workers:
            if worker.role == role and worker.idle:
                worker.poke()

    def woke(self, table: str) -> None:
        """A table has a new commit: its players hear of it soon."""
        now_ms, random = self.now_ms, self.chance.random
        delay_ms = tick(now_ms) - now_ms if random() < 0.9 else int(random() * 20)
        self._sender_of[table].poke(delay_ms)

    def sees(self, table: str) -> Table:
        """A table as its players have followed it."""
        return self._sender_of[table].sees(table)

    def end(self) -> None:
        """Let go of everything, so that it need not be searched for what refers to what."""
        self.archives.end()
        self.__dict__.clear()

    # --- parts -----------------------------------------------------------------------------------

    def halves(self, actor: Actor, *, service: bool) -> tuple[Any, Any]:
        """A process's own ways to the logs and to the queues."""
        parts = self.parts if service else _PLAIN
        log, queues = parts.log(self.store), parts.queues(self.store)
        watched: Any = queues
        if self.releases is not None and isinstance(actor, WorkerProcess):
            watched = WatchedQueues(queues, self.releases, actor)
        return faulty(log, "log", actor, self.chaos), faulty(watched, "queues", actor, self.chaos)

    def keeper(self) -> DeckKeeper:
        """A new process's keeper of decks."""
        return _Keeper(self)

    def judge(self, role: Role) -> Decider:
        """A decider for whoever checks decisions."""
        return decider_of(role, _Keeper(self))

    def draw(self) -> bytes:
        """The next hand's seed."""
        self._drawn += 1
        return Seed(sha256(f"deck {self.seed} {self._drawn}".encode()).digest())


_PLAIN: Final = Parts()


class _Keeper(DeckKeeper):
    """Tells the world about each deck that it makes."""

    def __init__(self, world: World) -> None:
        super().__init__(RING, draw=world.draw)
        self._world = world

    def of(self, table: Table) -> FairDeck:
        hand = table.hand
        if not self._world.once.alone and hand is not None:
            deck = self._world.decks.get(hand.start.sealed_seed)
            if deck is not None:
                return deck
        return super().of(table)

    def new(self, table: Table) -> tuple[FairDeck, HandSecrets]:
        deck, secrets = super().new(table)
        self._world.decks[secrets.sealed_seed] = deck
        return deck, secrets


def _settings(partitions: int, tables: int, chance: Random) -> Settings:
    return _plain_settings(partitions).model_copy(
        update={
            "batch": chance.choice((1, 3, 64)),
            "claim_idle_ms": 5_000,
            "cache_tables": chance.choice((max(1, tables - 1), 100, 100)),
            "deliveries_max": chance.choice((3, 5)),
            "after_loss": chance.choice(("resume", "void")),
        }
    )


@cache
def _plain_settings(partitions: int) -> Settings:
    return Settings(partitions=partitions)
