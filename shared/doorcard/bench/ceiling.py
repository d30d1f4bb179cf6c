"""How near the log comes to what the server could do at all (``doorcard bench ceiling``).

The server takes plain appends of the same size, as many at once, on the same connection: no
program on it can commit faster. Beside them, in turns, our appends with all that belongs to one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Final

from doorcard.bench.figures import Figure, Wish, median_ratio
from doorcard.bench.logs import Scribe
from doorcard.bench.policies import calling
from doorcard.bench.processes import running_store, temporary_folder
from doorcard.errors import BrokenInvariant
from doorcard.streams.connection import Client, connect
from doorcard.streams.log import Append
from doorcard.streams.redis_log import RedisLog

HANDS: Final = 24
TABLES: Final = 32
"""Also how many appends go out at once: one for each table, as a busy worker sends them."""
ROUNDS: Final = 8


def measure(wish: Wish) -> list[Figure]:
    """Measure appends a second, one at a time and many at once."""
    with temporary_folder() as folder, running_store(folder) as url:
        client = connect(url)
        log = RedisLog(client)
        log.prepare()
        figures: list[Figure] = []
        for name, at_once in (("single", 1), ("batched", TABLES)):
            plain: list[float] = []
            ours: list[float] = []
            for number in range(wish.times(ROUNDS)):
                batches = batches_of(wish.game, f"{name}-{number}", at_once)
                plain.append(rate_of(batches, lambda batch: _append_plain(client, batch)))
                ours.append(rate_of(batches, lambda batch: append(log, batch)))
            figures += _beside(name, at_once, plain, ours)
    return figures


def batches_of(game: str, name: str, at_once: int) -> list[list[Append]]:
    """Commits of as many tables as go out at once; each batch has the next one of each table."""
    logs: list[list[Append]] = []
    for number in range(at_once):
        scribe = Scribe(game, f"p00.{name}-{number}")
        for seed in range(max(1, HANDS // at_once)):
            scribe.play(seed, calling, seal=False)
        logs.append(scribe.appends)
    return [list(batch) for batch in zip(*logs, strict=False)]


def rate_of(batches: Sequence[list[Append]], send: Callable[[list[Append]], None]) -> float:
    """Commits a second, sent batch by batch."""
    start = perf_counter()
    for batch in batches:
        send(batch)
    return sum(map(len, batches)) / (perf_counter() - start)


def append(log: RedisLog, batch: list[Append]) -> None:
    """Append commits, all of which must be taken."""
    for commit, outcome in zip(batch, log.append(batch), strict=True):
        if outcome.code != "ok":
            raise BrokenInvariant(f"commit {commit.seq} was not taken: {outcome}")


def _beside(name: str, at_once: int, plain: Sequence[float], ours: Sequence[float]) -> list[Figure]:
    many = "one at a time" if at_once == 1 else f"{at_once} at once"
    return [
        Figure(f"{name}_plain_per_s", f"{many}: plain appends", median(plain), "/s"),
        Figure(f"{name}_commits_per_s", f"{many}: commits", median(ours), "/s"),
        Figure(f"{name}_ratio", f"{many}: commits ÷ plain", median_ratio(ours, plain), "times"),
    ]


def _append_plain(client: Client, batch: list[Append]) -> None:
    pipeline = client.pipeline(transaction=False)
    for commit in batch:
        pipeline.execute_command("XADD", f"plain:{commit.table}", "*", "c", commit.raw)
    pipeline.execute()
