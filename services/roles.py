"""Puts a role's program together from its parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from doorcard.streams.keys import partition_names
from doorcard.streams.queues import RedisQueues
from doorcard.streams.redis_log import RedisLog, StoreClock, connect, fire_due
from redis import Redis

from doorcard.engine.table import Table
from doorcard.errors import StoreError
from doorcard.fairness.heads import HeadSigner
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


def run_worker(role: str, settings: Settings) -> None:
    """Run one worker of a role until SIGTERM."""
    set_up_logs(settings.log_level)
    log = logger(role)
    stop = stop_sign()
    decider, committed = _decider(role, settings)
    redis = connect(settings.redis_url)
    check_durability(redis, settings)
    worker = Worker(
        decider,
        RedisLog(redis, replicas=1 if settings.durability == "replicated" else 0),
        RedisQueues(redis, partition_names(settings.partitions)),
        StoreClock(redis).now_ms,
        settings,
        log,
        consumer=consumer_name(),
        committed=committed,
    )
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
    redis = connect(settings.redis_url)
    partitions = partition_names(settings.partitions)
    log.info("ready", partitions=settings.partitions)

    def step() -> None:
        for partition in partitions:
            fired = fire_due(redis, partition)
            if fired:
                log.debug("timers fired", partition=partition, timers=fired)
        stop.wait(settings.clock_ms / 1000)

    run(step, stop, log)
    log.info("stopped")


def check_durability(redis: Redis, settings: Settings) -> None:
    """Refuse to start with ``fsync`` on a store that does not write before it answers."""
    if settings.durability != "fsync":
        return
    answer = redis.config_get("appendfsync")
    if answer.get("appendfsync") != "always":
        raise StoreError("durability fsync needs 'appendfsync always' in the store")


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
