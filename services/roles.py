"""Puts a role's program together from its parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from doorcard.engine.table import Table
from doorcard.errors import StoreError
from doorcard.fairness.heads import HeadSigner
from doorcard.streams.connection import Client, connect
from doorcard.streams.keys import partition_names
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from services.deciders import (
    BettingDecider,
    DealerDecider,
    Decider,
    DeckKeeper,
    FloorDecider,
    ShowdownDecider,
)
from services.logs import logger, set_up_logs
from services.run import run, stop_sign
from services.settings import Settings, consumer_name
from services.worker import Worker

CLAIM_EVERY_S: Final = 1.0
STALLED_WAIT_S: Final = 0.2
TIMERS_AT_ONCE: Final = 1000
CLOCK_CHECK_S: Final = 30.0
"""How often a worker's clock is compared with the store's."""


def run_worker(role: str, settings: Settings) -> None:
    """Run one worker of a role until SIGTERM."""
    set_up_logs(settings.log_level)
    log = logger(role)
    stop = stop_sign()
    decider, committed = _decider(role, settings)
    redis = connect(settings.redis_url)
    check_durability(redis, settings)
    queues = Queues(redis)
    store_partitions = partition_names(settings.partitions)
    store = RedisLog(
        redis,
        partitions=store_partitions,
        replicas=1 if settings.durability == "replicated" else 0,
    )
    worker = Worker(
        decider,
        store,
        queues,
        StoreClock(store).now_ms,
        settings,
        log,
        consumer=consumer_name(),
        committed=committed,
    )
    queues.ensure_groups(decider.role, store_partitions)
    log.info("ready", partitions=settings.partitions)
    claimed = 0.0

    def step() -> None:
        nonlocal claimed
        if settings.linger_ms:
            stop.wait(settings.linger_ms / 1000)
        worker.step(settings.block_ms)
        if worker.stalled:
            stop.wait(STALLED_WAIT_S)
        if time.monotonic() - claimed >= CLAIM_EVERY_S:
            claimed = time.monotonic()
            worker.claim()

    run(step, stop, log)
    tally = worker.tally
    log.info("stopped", commits=tally.commits, conflicts=tally.conflicts, refusals=tally.refusals)


def run_clock(settings: Settings) -> None:
    """Run one clock until SIGTERM: it moves due timers into the betting queues."""
    set_up_logs(settings.log_level)
    log = logger("clock")
    stop = stop_sign()
    queues = Queues(connect(settings.redis_url))
    partitions = partition_names(settings.partitions)
    log.info("ready", partitions=settings.partitions)

    def step() -> None:
        for partition in partitions:
            fired = queues.fire(partition, TIMERS_AT_ONCE)
            if fired:
                log.debug("timers fired", partition=partition, timers=fired)
        stop.wait(settings.clock_ms / 1000)

    run(step, stop, log)
    log.info("stopped")


def check_durability(redis: Client, settings: Settings) -> None:
    """Refuse to start with ``fsync`` on a store that does not write before it answers."""
    if settings.durability != "fsync":
        return
    _, value = redis.execute_command("CONFIG", "GET", "appendfsync")
    if value != b"always":
        raise StoreError("durability fsync needs 'appendfsync always' in the store")


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


def _decider(role: str, settings: Settings) -> tuple[Decider, Callable[[Table], None] | None]:
    if role == "betting":
        return BettingDecider(), None
    if role == "floor":
        return FloorDecider(), None
    ring = settings.deck_keys()
    keeper = DeckKeeper(ring)
    if role == "dealer":
        return DealerDecider(keeper), None
    heads = settings.heads_file
    publish = None if heads is None else HeadFile(heads, ring.head_signer()).publish
    return ShowdownDecider(keeper), publish


class HeadFile:
    """Signed heads, one JSON line at each hand's end, kept outside the store."""

    def __init__(self, path: Path, signer: HeadSigner) -> None:
        self._path = path
        self._signer = signer

    def publish(self, table: Table) -> None:
        """Append the head of a table whose hand has just ended."""
        head = self._signer.sign(table.id, table.hands, table.seq, table.chain)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(head.to_json() + "\n")
