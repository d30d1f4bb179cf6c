"""Several workers of a role share the tables out, and nobody waits long for one that is gone."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any, Final, cast

from doorcard.commands import Act, OpenTable
from doorcard.streams.keys import GROUP, partition_names, queue_key
from doorcard.streams.messages import encode_request
from doorcard.streams.queues import Queues
from doorcard.streams.shares import Shares
from services.embedded import EmbeddedServer
from services.logs import Logger
from services.worker import Worker
from tests.services.harness import (
    ACTION_MS,
    LIMITS,
    House,
    calm,
    decider_for,
    settings_for,
    sit_down,
)
from tests.services.processes import running, stopped, until
from tests.services.shops import RedisShop

PARTITIONS: Final = partition_names(4)
SERVED_S: Final = 0.5
TAKEN_OVER_S: Final = 3.5
SLACK_S: Final = 0.5
"""Until a busy machine has woken a process."""


class Staff:
    """A real worker's process, and what it said last of its share."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.workers = 1
        self.reads: list[str] = []
        self.events: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in cast("Any", self.process.stderr):
            said = json.loads(line)
            self.events.append(said["event"])
            if said["event"] == "partitions shared out":
                self.workers, self.reads = said["workers"], said["reads"]


@contextmanager
def at_work(server: EmbeddedServer, number: int) -> Generator[list[Staff]]:
    """Workers that decide bets, when they have shared the partitions out."""
    settings = {"DOORCARD_REDIS_URL": server.url, "DOORCARD_PARTITIONS": str(len(PARTITIONS))}
    with ExitStack() as stack:
        staff = [Staff(stack.enter_context(running("betting", **settings))) for _ in range(number)]
        until(lambda: {worker.workers for worker in staff} == {number})
        assert sorted(name for worker in staff for name in worker.reads) == list(PARTITIONS)
        yield staff


def _served_s(client: Any, partition: str) -> float:
    """How long a message waits until it is handled."""
    queues = Queues(client)
    raw = encode_request("act", "ann", f"{partition}.none", Act(0, 1, "fold"))
    started_s = time.monotonic()
    assert isinstance(queues.send("betting", f"{partition}.none", raw), str)
    until(lambda: not queues.length("betting", partition))
    return time.monotonic() - started_s


def test_s45_a_killed_workers_partitions_are_served_at_once_and_taken_over_soon(
    server: EmbeddedServer, server_client: Any
) -> None:
    with at_work(server, 2) as (stays, dies):
        dies.process.kill()
        dies.process.wait()
        killed_s = time.monotonic()
        assert _served_s(server_client, dies.reads[0]) < SERVED_S + SLACK_S
        assert _served_s(server_client, dies.reads[1]) < SERVED_S + SLACK_S
        until(lambda: stays.workers == 1)
        assert time.monotonic() - killed_s < TAKEN_OVER_S + SLACK_S
        assert stays.reads == list(PARTITIONS)


def test_s41_a_worker_that_sleeps_keeps_nobody_waiting(
    server: EmbeddedServer, server_client: Any
) -> None:
    """It gets its share back when it wakes, and nobody was told."""
    with at_work(server, 3) as staff:
        sleeper = max(staff, key=lambda worker: len(worker.reads))
        others = [worker for worker in staff if worker is not sleeper]
        with stopped(sleeper.process):
            time.sleep(0.3)  # it may still be handed what comes while its last read stands
            for partition in sleeper.reads:
                assert _served_s(server_client, partition) < SERVED_S + SLACK_S
            until(lambda: {worker.workers for worker in others} == {2})
            assert sorted(others[0].reads + others[1].reads) == list(PARTITIONS)
        until(lambda: {worker.workers for worker in others} == {3})


def test_a_worker_that_is_told_to_stop_signs_off(
    server: EmbeddedServer, server_client: Any
) -> None:
    with at_work(server, 2) as (stays, leaves):
        leaves.process.send_signal(signal.SIGTERM)
        until(lambda: "stopped" in leaves.events)
        members = server_client.xinfo_consumers(queue_key("betting", PARTITIONS[0]), GROUP)
        assert len([member for member in members if member["name"] != b"w"]) == 1
        until(lambda: stays.workers == 1)
    assert "store trouble, waiting" not in stays.events + leaves.events


class Shop(RedisShop):
    """A store of several partitions."""

    partitions = PARTITIONS


def _missed(client: Any, share_out: bool) -> int:
    """Others' commits that two workers read while hands are played at four tables."""
    house = House(Shop(client), settings_for(partitions=len(PARTITIONS)))
    tables = [f"{partition}.stud" for partition in PARTITIONS]
    for table in tables:
        house.send(OpenTable("razz", LIMITS, action_ms=ACTION_MS), table=table)
        for seat in range(3):
            house.send(sit_down(seat), table=table)
    shares = [Shares(client, "betting", PARTITIONS) for _ in range(2)]
    for share in shares * 2 if share_out else []:
        share.look()
    pair = [
        Worker(
            decider_for("betting"),
            house.log,
            house.queues,
            house.shop.clock(),
            house.settings,
            cast("Logger", house.notes),
            preferred=share.partitions,
        )
        for share in shares
    ]
    chance = Random(5)
    for _ in range(50):
        house.settle(("floor", "dealer", "showdown"))
        for name in tables:
            state = house.table(name)
            if state.awaited == "betting":
                house.send(calm(state), table=name)
        for worker in chance.sample(pair, 2):
            worker.step(0)
    assert sum(worker.tally.commits for worker in pair) > 100
    return sum(worker.tally.missed_commits for worker in pair)


def test_workers_that_share_the_tables_out_read_less_of_what_others_did(
    server_client: Any,
) -> None:
    """What dealer, showdown and floor commit has to be read either way."""
    apart = _missed(server_client, share_out=True)
    together = _missed(server_client, share_out=False)
    assert apart < 0.7 * together, (apart, together)
