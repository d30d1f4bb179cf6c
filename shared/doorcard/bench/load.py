"""What the service costs as it grows (``doorcard bench load``).

What is compared is played in turns and at one rate of actions: few tables, ten times as many, and
the few with two workers that decide bets, at half of the highest rate, which is what a service is
built for; one server and a cluster of three, at a rate that both reach with ease. Beside it, what
writing to disk before every answer costs, in turns with the ordinary way.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final, NamedTuple

from doorcard.bench.ceiling import TABLES as AT_ONCE
from doorcard.bench.ceiling import append, batches_of, rate_of
from doorcard.bench.figures import Figure, Wish, median_ratio, percentile
from doorcard.bench.processes import Worker, running_store, temporary_folder
from doorcard.bench.room import Room, playing
from doorcard.bench.service import (
    CPU_AIM_US,
    P99_ASKED_MS,
    Window,
    at_top_speed,
    half_rate,
    window_of,
)
from doorcard.errors import BadInput
from doorcard.streams import connection
from doorcard.streams.redis_log import RedisLog

FEW_TABLES: Final = 1_000
MANY_TABLES: Final = 10_000
PARTITIONS: Final = 4
WARM_UP_S: Final = 3.0
WINDOW_S: Final = 5.0
WINDOWS: Final = 3
NODES: Final = 3
NODES_PARTITIONS: Final = 4 * NODES
"""Four for each node, as few as a cluster should have."""
NODES_TABLES: Final = 48
"""So few that some seconds hold whole hands: then streets and showdowns have their usual share
in every window, and both stores do the same work."""
NODES_RATE: Final = 600.0
"""Actions a second: what both reach on a loaded machine of two cores."""
NODES_WINDOWS: Final = 5
HALF_CPU_ASKED_US: Final = 250
HALF_P99_AIM_MS: Final = 10
ROUNDS: Final = 6
SYNCS: Final = 200
PAGE_BYTES: Final = 4096
MS_PER_S: Final = 1e3
MB: Final = 1e6


class Load(NamedTuple):
    """What some seconds of play with so many tables and workers came to."""

    tables: int
    windows: list[Window]
    worker_mb: float
    """Memory of the largest worker."""
    conflicts: float
    """Of all commits, those that met one."""
    missed: float
    """Commits of others that were read, for each commit."""

    @property
    def cpu_us(self) -> list[float]:
        """CPU of all, a player action, in each window."""
        return [window.cpu_us for window in self.windows]

    @property
    def rate(self) -> float:
        """Actions a second."""
        return median([window.played.rate for window in self.windows])


class Contender(NamedTuple):
    """A service that is measured in turns with others."""

    folder: Path
    tables: int
    room: Room
    windows: list[Window]


def measure(wish: Wish) -> list[Figure]:
    """Measure the service under load."""
    return [*_figures(*_halves(wish)), *_cluster(wish), *_durability(wish)]


def _figures(few: Load, many: Load, pair: Load) -> list[Figure]:
    usual, large = f"{few.tables:,} tables", f"{many.tables:,} tables"
    half = f"{usual}, half of the highest rate"
    return [
        Figure(
            "half_cpu_us",
            f"{half}: CPU an action",
            median(few.cpu_us),
            "µs",
            HALF_CPU_ASKED_US,
            CPU_AIM_US,
            less_is_better=True,
        ),
        _p99(few.windows, "half_p99_ms", half)._replace(
            asked=P99_ASKED_MS, aim=HALF_P99_AIM_MS, less_is_better=True
        ),
        Figure("half_rate", f"{half}: actions", few.rate, "/s"),
        Figure("many_cpu_us", f"{large}: CPU an action", median(many.cpu_us), "µs"),
        Figure(
            "tables_ratio",
            f"{many.tables:,} ÷ {usual}",
            median_ratio(many.cpu_us, few.cpu_us),
            "times",
            1.25,
            less_is_better=True,
        ),
        _p99(many.windows, "many_p99_ms", large),
        Figure("many_rate", f"{large}: actions", many.rate, "/s"),
        Figure(
            "worker_mb",
            f"memory of a worker with {large}",
            many.worker_mb,
            "MB",
            150,
            less_is_better=True,
        ),
        Figure(
            "pair_ratio",
            "two betting workers ÷ one: CPU an action",
            median_ratio(pair.cpu_us, few.cpu_us),
            "times",
            1.15,
            less_is_better=True,
        ),
        Figure("pair_rate", "two betting workers: actions", pair.rate, "/s"),
        Figure(
            "pair_conflicts",
            "two betting workers: conflicts of all commits",
            pair.conflicts * 100,
            "%",
            1,
            less_is_better=True,
        ),
        Figure("few_missed", "one: others' commits read, a commit", few.missed),
        Figure("pair_missed", "two: others' commits read, a commit", pair.missed),
    ]


def _halves(wish: Wish) -> list[Load]:
    """Few tables, many, and few with two workers that decide bets, at one rate and in turns.

    The rate is half of the highest one that the few tables reach.
    """
    wanted = ((FEW_TABLES, 1), (MANY_TABLES, 1), (FEW_TABLES, 2))
    with ExitStack() as folders:
        with ExitStack() as rooms:
            contenders: list[Contender] = []
            for usual, betting in wanted:
                folder, tables = folders.enter_context(temporary_folder()), wish.times(usual)
                room = playing(folder, wish.game, tables, PARTITIONS, betting=betting)
                contenders.append(Contender(folder, tables, rooms.enter_context(room), []))
                contenders[-1].room.players.spread_out()
            rate = half_rate(
                at_top_speed(contenders[0].room, WINDOW_S, 1 if wish.quick else WINDOWS)
            )
            for _ in range(1 if wish.quick else WINDOWS):
                for each in contenders:
                    each.room.players.play(WARM_UP_S, rate)
                    each.windows.append(window_of(each.room, WINDOW_S, rate))
            memory_mb = [max(map(_memory_mb, each.room.workers)) for each in contenders]
        return [
            _load(each, worker_mb) for each, worker_mb in zip(contenders, memory_mb, strict=True)
        ]


def _load(each: Contender, worker_mb: float) -> Load:
    """What a service came to, once its workers have stopped and said their last words."""
    commits, conflicts, missed = _last_words(each.folder / "betting.log")
    return Load(each.tables, each.windows, worker_mb, conflicts / commits, missed / commits)


def _memory_mb(worker: Worker) -> float:
    """Memory that a worker's process holds.

    Raises:
        BadInput: this system does not say.
    """
    try:
        pages = Path(f"/proc/{worker.process.pid}/statm").read_text("utf-8").split()[1]
    except OSError:
        raise BadInput("this system does not tell the memory of a process in /proc") from None
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / MB


def _last_words(log: Path) -> tuple[int, int, int]:
    """Commits, conflicts, and others' commits read, of all workers that wrote to a log."""
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    stopped = [line for line in lines if line["event"] == "stopped"]
    commits, conflicts, missed = (
        sum(int(line[name]) for line in stopped) for name in ("commits", "conflicts", "missed")
    )
    return max(commits, 1), conflicts, missed


def _cluster(wish: Wish) -> list[Figure]:
    """One server and a cluster of primaries, without replicas: the same play on both, in turns."""
    found: tuple[list[Window], list[Window]] = ([], [])
    with (
        temporary_folder() as one_folder,
        temporary_folder() as many_folder,
        playing(one_folder, wish.game, NODES_TABLES, NODES_PARTITIONS) as one,
        playing(many_folder, wish.game, NODES_TABLES, NODES_PARTITIONS, primaries=NODES) as many,
    ):
        for _ in range(1 if wish.quick else NODES_WINDOWS):
            for room, windows in zip((one, many), found, strict=True):
                room.players.play(WARM_UP_S, NODES_RATE)
                windows.append(window_of(room, WINDOW_S, NODES_RATE))
    one_us, many_us = ([window.cpu_us for window in windows] for windows in found)
    name = f"cluster of {NODES}"
    return [
        Figure("one_server_cpu_us", "one server: CPU an action", median(one_us), "µs"),
        Figure("cluster_cpu_us", f"{name}: CPU an action", median(many_us), "µs"),
        Figure(
            "cluster_ratio",
            f"{name} ÷ one server",
            median_ratio(many_us, one_us),
            "times",
            1.5,
            1.3,
            less_is_better=True,
        ),
        _p99(found[0], "one_server_p99_ms", "one server"),
        _p99(found[1], "cluster_p99_ms", name),
    ]


def _p99(windows: Sequence[Window], key: str, label: str) -> Figure:
    latencies_ms = [value for window in windows for value in window.played.latencies_ms]
    return Figure(key, f"{label}: 99 of 100", percentile(latencies_ms, 0.99), "ms")


def _durability(wish: Wish) -> list[Figure]:
    """Commits a second, written to disk before each answer and once a second."""
    with (
        temporary_folder() as folder,
        running_store(folder) as usual,
        running_store(folder, fsync=True) as strict,
    ):
        logs = [RedisLog(connection.connect(url)) for url in (usual, strict)]
        rates: tuple[list[float], list[float]] = ([], [])
        for log in logs:
            log.prepare()
        for number in range(wish.times(ROUNDS)):
            batches = batches_of(wish.game, f"disk-{number}", AT_ONCE)
            for log, found in zip(logs, rates, strict=True):
                found.append(rate_of(batches, partial(append, log)))
        sync_ms = _sync_ms(folder / "page")
    many = f"{AT_ONCE} at once"
    return [
        Figure("everysec_per_s", f"everysec, {many}: commits", median(rates[0]), "/s"),
        Figure("fsync_per_s", f"fsync, {many}: commits", median(rates[1]), "/s"),
        Figure("fsync_ratio", "fsync ÷ everysec", median_ratio(rates[1], rates[0]), "times", 0.5),
        Figure("sync_ms", "the disk's own fdatasync", sync_ms, "ms"),
    ]


def _sync_ms(path: Path) -> float:
    """How long the disk takes to have one more page for sure."""
    taken: list[float] = []
    with path.open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            start = perf_counter()
            file.write(bytes(PAGE_BYTES))
            os.fdatasync(file.fileno())
            taken.append(perf_counter() - start)
    return median(taken) * MS_PER_S
