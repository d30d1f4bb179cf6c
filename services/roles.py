"""Puts a role's program together from its parts."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

from redis.exceptions import RedisError

from doorcard.engine.table import Table
from doorcard.errors import BadInput
from doorcard.streams.connection import connect, takes_no_writes
from doorcard.streams.keys import partition_names
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from doorcard.streams.shares import Shares
from doorcard.streams.upcast import FORMAT
from services.betting import BettingDecider
from services.decider import Decider
from services.durability import check_durability
from services.logs import Logger
from services.metrics_watch import Watch
from services.run import backoff_s, run, stop_sign
from services.settings import Settings
from services.worker import Worker

if TYPE_CHECKING:
    from doorcard.fairness.heads import HeadSigner

CLAIM_EVERY_S: Final = 0.2
"""How often a worker asks for what others left unfinished, and looks whether they read what is
theirs, however long it waits for messages."""
TIMERS_AT_ONCE: Final = 1000
TRY_AGAIN_S: Final = 0.05
"""Pause before messages are tried again that could not be finished for reasons of their own."""
CLOCK_CHECK_S: Final = 30.0
"""How often a worker's clock is compared with the store's."""


def run_worker(role: str, settings: Settings, logger: Logger) -> None:
    """Run one worker of a role until SIGTERM.

    Raises:
        BadInput: the settings do not fit the store.
        BadKey: the role needs a deck key and has none.
    """
    _calm_the_collector()
    stop = stop_sign(settings.drain_ms)
    decider, committed = _decider(role, settings, logger)
    client = connect(settings.redis_url)
    partitions = partition_names(settings.partitions)
    replicas = 1 if settings.durability == "replicated" else 0
    log = RedisLog(client, partitions=partitions, replicas=replicas)
    queues, shares = Queues(client), Shares(client, decider.role, partitions)
    watch = Watch(role, settings, stop, logger)
    worker = Worker(
        watch.decider(decider),
        watch.log(log),
        watch.queues(queues),
        StoreClock(log),
        settings,
        logger,
        committed=committed,
        preferred=shares.partitions,
    )

    def prepare() -> None:
        check_durability(client, settings)
        log.prepare()
        queues.ensure_groups(decider.role, partitions)

    turns = Turns(worker, prepare, settings, stop, logger, shares)
    with watch.worker(worker):
        run(turns, stop, logger, settings.parent_pid, watch.health.turned)
    tally = worker.tally
    logger.info(
        "stopped",
        commits=tally.commits,
        conflicts=tally.conflicts,
        missed=tally.missed_commits,
        refusals=tally.refusals,
        buried=tally.buried,
        left=worker.waiting,
    )


class Turns:
    """A worker's turns: getting ready, then batches, and now and then what others left behind."""

    def __init__(
        self,
        worker: Worker,
        prepare: Callable[[], None],
        settings: Settings,
        stop: Event,
        logger: Logger,
        shares: Shares | None = None,
    ) -> None:
        self._worker = worker
        self._prepare = prepare
        self._settings = settings
        self._stop = stop
        self._logger = logger
        self._shares = shares
        self._linger_s = settings.linger_of(worker.role) / 1000
        self._ready = False
        self._claimed_s = 0.0
        self._stuck = 0

    def __call__(self) -> None:
        """Take one turn."""
        if not self._ready:
            self._prepare()
            self._ready = True
            settings = self._settings
            self._logger.info(
                "ready",
                partitions=settings.partitions,
                reads_format=FORMAT,
                writes_format=settings.write_format,
            )
            self._look()
        worker = self._worker
        rest_s = worker.read_s + self._linger_s - time.monotonic()
        if rest_s > 0:
            time.sleep(rest_s)
        claim_s = self._claimed_s + CLAIM_EVERY_S
        until_claim_ms = max(0, round((claim_s - time.monotonic()) * 1000))
        worker.step(min(self._settings.block_ms, until_claim_ms))
        self._stuck = self._stuck + 1 if worker.stuck else 0
        if self._stuck:  # not so long that what is held would look given up
            self._stop.wait(min(backoff_s(self._stuck), self._settings.claim_idle_ms / 4000))
        elif worker.waiting:
            self._stop.wait(TRY_AGAIN_S)
        if time.monotonic() >= claim_s:
            self._claimed_s = time.monotonic()
            worker.claim()
            self._look()
        if self._shares is not None and self._stop.is_set():
            self._shares.leave()

    def _look(self) -> None:
        """See how the partitions are shared out now."""
        if self._shares is None:
            return
        before = self._shares.own
        self._shares.look()
        self._linger_s = self._settings.linger_of(self._worker.role, self._shares.workers) / 1000
        if self._shares.own != before:
            self._logger.info(
                "partitions shared out", workers=self._shares.workers, reads=self._shares.own
            )


def run_clock(settings: Settings, logger: Logger) -> None:
    """Run one clock until SIGTERM: it moves due timers into the queues of who decides them."""
    stop = stop_sign(settings.drain_ms)
    client = connect(settings.redis_url)
    queues = Queues(client)
    partitions = partition_names(settings.partitions)
    watch = Watch("clock", settings, stop, logger)
    ready = False

    def step() -> None:
        nonlocal ready
        try:
            fired = queues.fire_many(partitions, TIMERS_AT_ONCE)
        except RedisError as error:
            if takes_no_writes(error):
                turned(0)  # what waits there can be read all the same
            raise
        if not ready:
            ready = True
            logger.info("ready", partitions=settings.partitions)
        if fired:
            logger.debug("timers fired", timers=fired)
        turned(fired)
        stop.wait(settings.clock_ms / 1000)

    with watch.clock(client, partitions, StoreClock(RedisLog(client)).now_ms) as turned:
        run(step, stop, logger, settings.parent_pid, watch.health.turned)
    logger.info("stopped")


def _calm_the_collector() -> None:
    """Look for garbage in cycles, of which a worker makes hardly any, mostly among what is new.

    At its usual pace the collector walks all cached tables again and again, and all objects of
    10,000 tables take half a second. So little is looked at each time that no message waits for
    it, and everything only once in fifteen million objects that stayed.
    """
    gc.freeze()
    gc.set_threshold(5_000, 3, 1_000)


class StoreClock:
    """This machine's clock, corrected to the store's."""

    def __init__(self, log: RedisLog) -> None:
        self._log = log
        self._offset_ms = 0
        self._compared = -CLOCK_CHECK_S

    def now_ms(self) -> int:
        """The store's time as far as known, in milliseconds since 1970, UTC."""
        if time.monotonic() - self._compared >= CLOCK_CHECK_S:
            before = time.time_ns()
            store_ms = self._log.now_ms()
            middle_ms = (before + time.time_ns()) // 2_000_000
            self._offset_ms = store_ms - middle_ms
            self._compared = time.monotonic()
        return time.time_ns() // 1_000_000 + self._offset_ms

    def compare(self) -> None:
        """Ask the store again before the next answer."""
        self._compared = -CLOCK_CHECK_S


def _decider(
    role: str, settings: Settings, logger: Logger
) -> tuple[Decider, Callable[[Table], None] | None]:
    if role == "betting":
        return BettingDecider(), None
    from services.deciders import (  # noqa: PLC0415 - what betting needs no memory for
        DealerDecider,
        DeckKeeper,
        FloorDecider,
        ShowdownDecider,
    )

    if role == "floor":
        return FloorDecider(), None
    ring = settings.deck_keys()
    keeper = DeckKeeper(ring, settings.cache_tables)
    if role == "dealer":
        return DealerDecider(keeper), None
    path = settings.heads_file
    if path is None:
        return ShowdownDecider(keeper), None
    return ShowdownDecider(keeper), HeadFile(path, ring.head_signer(), logger).publish


class HeadFile:
    """Signed heads, one JSON line at each hand's end, kept outside the store.

    A line is written in one piece, so several workers may share a file; it may be moved away at
    any time, and a new one is begun.

    Raises:
        BadInput: the file cannot be written.
    """

    def __init__(self, path: Path, signer: HeadSigner, logger: Logger) -> None:
        self._path = path
        self._signer = signer
        self._logger = logger
        try:
            self._append("")
        except OSError as error:
            raise BadInput(f"heads cannot be written to {path}: {error.strerror}") from None

    def publish(self, table: Table) -> None:
        """Append the head of a table if its hand has just ended.

        The hand is in the log by now, so an error is said and stops nobody: the next head covers
        this hand too.
        """
        if table.in_hand:
            return
        head = self._signer.sign(table.id, table.hands, table.seq, table.chain)
        try:
            self._append(head.to_json() + "\n")
        except OSError as error:
            self._logger.error(  # noqa: TRY400 - a traceback tells no more
                "head not published", table=table.id, hand=table.hands, error=error.strerror
            )

    def _append(self, line: str) -> None:
        """Write a line, behind what is left of another where the disk was full in its middle."""
        with self._path.open("a+b") as file:
            if line and file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(line.encode())
