"""A service whose workers are threads of the test, each with connections of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Self, cast

from redis.exceptions import RedisError

from doorcard.audit.verify import verify_table
from doorcard.client import Client
from doorcard.commands import OpenTable
from doorcard.streams.codec import decode
from doorcard.streams.commit import Commit
from doorcard.streams.folding import rebuild
from doorcard.streams.keys import partition_names
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from doorcard.streams.shares import Shares
from doorcard.tables import Role
from services.bots import BotRoom
from services.logs import Logger
from services.roles import TIMERS_AT_ONCE, StoreClock, Turns
from services.run import run
from services.settings import Settings
from services.worker import Worker
from tests.cluster.nodes import Cluster
from tests.services.harness import LIMITS, RING, NoteBook, decider_for
from tests.services.shops import ROLES

PARTITIONS: Final = 6
"""Three of them lie on the first node, two on the second and one on the third."""
ACTION_MS: Final = 1_500
"""Where a failover lost an action that was answered, its player does not repeat it."""
PATIENCE_S: Final = 30.0


class Hired:
    """One program's loop in a thread."""

    def __init__(self, step: Callable[[], object], notes: NoteBook) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=run, args=(step, self._stop, cast("Logger", notes)), daemon=True
        )
        self._thread.start()

    def leave(self) -> None:
        """What was read is finished first."""
        self._stop.set()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()


class Staff:
    """Workers of all roles, and one clock."""

    def __init__(self, cluster: Cluster, partitions: int) -> None:
        self.cluster = cluster
        self.settings = Settings(partitions=partitions, block_ms=200, claim_idle_ms=500)
        self.partitions = partition_names(partitions)
        self.notes = NoteBook()
        self.hired: list[Hired] = []
        self.log = RedisLog(cluster.connect(), partitions=self.partitions)

    def __enter__(self) -> Self:
        for role in ROLES:
            self.hire(role)
        self.hired.append(self._clock())
        return self

    def __exit__(self, *exception: object) -> None:
        for hired in self.hired:
            hired.leave()

    def hire(self, role: Role) -> tuple[Hired, Worker]:
        """One more worker, as its program puts it together; nobody else is told."""
        client = self.cluster.connect()
        log, queues = RedisLog(client, partitions=self.partitions), Queues(client)
        shares = Shares(client, role, self.partitions)
        logger = cast("Logger", self.notes)
        worker = Worker(
            decider_for(role),
            log,
            queues,
            StoreClock(log),
            self.settings,
            logger,
            preferred=shares.partitions,
        )

        def prepare() -> None:
            log.prepare()
            queues.ensure_groups(role, self.partitions)

        turns = Turns(worker, prepare, self.settings, threading.Event(), logger, shares)
        hired = Hired(turns, self.notes)
        self.hired.append(hired)
        return hired, worker

    def _clock(self) -> Hired:
        queues = Queues(self.cluster.connect())

        def step() -> None:
            queues.fire_many(self.partitions, TIMERS_AT_ONCE)
            time.sleep(0.05)

        return Hired(step, self.notes)

    def commits(self, table: str) -> list[Commit]:
        """All commits of a table."""
        return [decode(stored.raw) for stored in self.log.read(table)]


class Evening:
    """Bots at one table in each partition, for a number of hands."""

    def __init__(self, staff: Staff, hands: int) -> None:
        self.staff = staff
        self.tables = [f"{name}.stud" for name in staff.partitions]
        redis, names = staff.cluster.connect(), staff.partitions
        client = Client(RedisLog(redis, partitions=names), Queues(redis), "bots", names)
        self.room = BotRoom(client, hands)
        opening = OpenTable("seven_card_stud", LIMITS, seats=3, action_ms=ACTION_MS)
        self.room.open([(table, opening) for table in self.tables])

    def play(self, until: Callable[[], bool]) -> None:
        """Let the bots play until something is so; trouble of the store is theirs to bear."""
        give_up = time.monotonic() + PATIENCE_S
        while not until():
            assert time.monotonic() < give_up, self.staff.notes.lines[-20:]
            self.step()

    def step(self) -> None:
        """Let the bots do what is asked now; what the store does not answer they try again."""
        with suppress(RedisError):
            self.room.step(20)

    def play_to_the_end(self) -> None:
        """Until every table is closed."""
        self.play(lambda: self.room.over)

    def seq(self, table: str) -> int:
        """The last commit of a table that the bots have seen."""
        return self.room.tables[table].seq

    def check(self) -> None:
        """Every log is what it must be, every chip is there, and no request is in it twice."""
        for table in self.tables:
            report = verify_table(self.staff.log, table, ring=RING)
            assert report.problem is None
            assert report.commits > 0
            state = rebuild(self.staff.log, table)
            assert (state.closed, state.chips_in) == (True, state.chips_out)
            causes = [commit.cause for commit in self.staff.commits(table)]
            assert len(set(causes)) == len(causes)
        assert self.staff.log.paused() == {}
        assert self.staff.notes.said("message buried, table paused") == []
