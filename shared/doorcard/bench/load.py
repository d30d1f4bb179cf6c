"""What the service costs as it grows (``doorcard bench load``).

Everything is played at one rate of actions, so that the CPU of an action can be compared: at few
tables and at ten times as many; with one worker that decides bets and with two; on one server and
on a cluster of three, in turns. The few tables are then played at half of the highest rate, which
is what a service is built for. Beside it, what writing to disk before every answer costs, in turns
with the ordinary way.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final, NamedTuple

from doorcard.bench.ceiling import TABLES as AT_ONCE
from doorcard.bench.ceiling import append, batches_of, rate_of
from doorcard.bench.figures import Figure, Wish, median_ratio, percentile
from doorcard.bench.processes import Worker, running_store, temporary_folder
from doorcard.bench.room import playing
from doorcard.bench.service import CPU_AIM_US, P99_ASKED_MS, Window, top_and_half, window_of
from doorcard.errors import BadInput
from doorcard.streams import connection
from doorcard.streams.redis_log import RedisLog

FEW_TABLES: Final = 1_000
MANY_TABLES: Final = 10_000
PARTITIONS: Final = 4
RATE: Final = 600.0
"""Actions a second: what a loaded machine of two cores reaches with ease."""
WARM_UP_S: Final = 3.0
WINDOW_S: Final = 5.0
WINDOWS: Final = 3
NODES: Final = 3
NODES_PARTITIONS: Final = 4 * NODES
"""Four for each node, as few as a cluster should have."""
NODES_TABLES: Final = 48
"""So few that some seconds hold whole hands: then streets and showdowns have their usual share
in every window, and both stores do the same work."""
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
    cpu_us: float
    rate: float
    worker_mb: float
    """Memory of the largest worker."""
    conflicts: float
    """Of all commits, those that met one."""
    missed: float
    """Commits of others that were read, for each commit."""
    half: Sequence[Window] = ()
    """At half of the highest rate, if that was asked for."""


def measure(wish: Wish) -> list[Figure]:
    """Measure the service under load."""
    few_tables, many_tables = wish.times(FEW_TABLES), wish.times(MANY_TABLES)
    few, many = _played(wish, few_tables, half=True), _played(wish, many_tables)
    pair = _played(wish, few_tables, betting=2)
    figures = [*_figures(few, many, pair), *_half_figures(few)]
    return [*figures, *_cluster(wish), *_durability(wish)]


def _figures(few: Load, many: Load, pair: Load) -> list[Figure]:
    return [
        Figure("few_cpu_us", f"{few.tables:,} tables: CPU an action", few.cpu_us, "µs"),
        Figure("many_cpu_us", f"{many.tables:,} tables: CPU an action", many.cpu_us, "µs"),
        Figure(
            "tables_ratio",
            f"{many.tables:,} ÷ {few.tables:,} tables",
            many.cpu_us / few.cpu_us,
            "times",
            1.25,
            less_is_better=True,
        ),
        Figure("few_rate", f"{few.tables:,} tables: actions", few.rate, "/s"),
        Figure("many_rate", f"{many.tables:,} tables: actions", many.rate, "/s"),
        Figure(
            "worker_mb",
            f"memory of a worker with {many.tables:,} tables",
            many.worker_mb,
            "MB",
            150,
            less_is_better=True,
        ),
        Figure(
            "pair_ratio",
            "two betting workers ÷ one: CPU an action",
            pair.cpu_us / few.cpu_us,
            "times",
            1.15,
            less_is_better=True,
        ),
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


def _half_figures(few: Load) -> list[Figure]:
    """What is asked of the service at half of the highest rate."""
    name = f"{few.tables:,} tables, half of the highest rate"
    p99 = _p99(few.half, "half_p99_ms", name)
    rate = median([window.played.rate for window in few.half])
    return [
        Figure(
            "half_cpu_us",
            f"{name}: CPU an action",
            median([window.cpu_us for window in few.half]),
            "µs",
            HALF_CPU_ASKED_US,
            CPU_AIM_US,
            less_is_better=True,
        ),
        p99._replace(asked=P99_ASKED_MS, aim=HALF_P99_AIM_MS, less_is_better=True),
        Figure("half_rate", f"{name}: actions", rate, "/s"),
    ]


def _played(wish: Wish, tables: int, *, betting: int = 1, half: bool = False) -> Load:
    """Play at the one rate, then at half of the highest, and see what the workers say at last."""
    with temporary_folder() as folder:
        with playing(folder, wish.game, tables, PARTITIONS, betting=betting) as room:
            room.players.spread_out()
            room.players.play(WARM_UP_S, RATE)
            windows = [window_of(room, WINDOW_S, RATE) for _ in range(1 if wish.quick else WINDOWS)]
            worker_mb = max(_memory_mb(worker) for worker in room.workers)
            at_half = top_and_half(room, WINDOW_S, len(windows))[1] if half else ()
        commits, conflicts, missed = _last_words(folder / "betting.log")
    return Load(
        tables,
        median([window.cpu_us for window in windows]),
        median([window.played.rate for window in windows]),
        worker_mb,
        conflicts / commits,
        missed / commits,
        at_half,
    )


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
                room.players.play(WARM_UP_S, RATE)
                windows.append(window_of(room, WINDOW_S, RATE))
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
