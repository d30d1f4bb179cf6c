"""Time from a log to a table that can be played at (``doorcard bench rebuild``).

The same last hand, stopped in its middle, lies behind ten hands and behind ten thousand: in a
real server and in memory. It must not matter how much lies before it.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter
from typing import Final, NamedTuple

from doorcard.bench.figures import Figure, Wish
from doorcard.bench.logs import Scribe
from doorcard.bench.policies import calling, uniform
from doorcard.bench.processes import running_store, temporary_folder
from doorcard.engine.legal import legal
from doorcard.errors import BrokenInvariant
from doorcard.streams.commit import PREV_BYTES
from doorcard.streams.connection import Client, connect
from doorcard.streams.folding import rebuild
from doorcard.streams.keys import log_key
from doorcard.streams.log import Append, Log
from doorcard.streams.memory_log import MemoryLog
from doorcard.streams.redis_log import RedisLog

SHORT_HANDS: Final = 10
LONG_HANDS: Final = 10_000
QUICK_LONG_HANDS: Final = 1_000
"""As the others: it leaves the same rest when divided by the seats, so the dealer is the same."""
REPEATS: Final = 160
RATIO_ASKED: Final = 1.2
LAST_SEED: Final = 999_983
"""The last hand's, in every log."""
CUT: Final = 2
"""Commits left out at the end, the showdown and the action before it: a seat is asked."""
WRITTEN_AT_ONCE: Final = 500
US_PER_S: Final = 1e6


class Logs(NamedTuple):
    """A short log and a long one in the same store."""

    log: Log
    short: str
    long: str


def measure(wish: Wish) -> list[Figure]:
    """Measure rebuilding from both stores."""
    hands = {"p00.short": SHORT_HANDS, "p00.long": QUICK_LONG_HANDS if wish.quick else LONG_HANDS}
    with temporary_folder() as folder, running_store(folder) as url:
        client = connect(url)
        redis, memory = RedisLog(client), MemoryLog()
        for table_id, count in hands.items():
            _write(wish.game, table_id, count, client, memory)
        repeats = wish.times(REPEATS)
        figures = _timed(Logs(redis, *hands), repeats, "store", hands["p00.long"])
        figures += _timed(Logs(memory, *hands), repeats, "memory", hands["p00.long"])
    worst = max(figure.value or 0 for figure in figures if figure.key.endswith("_ratio"))
    return [
        Figure(
            "ratio", "long ÷ short, the higher", worst, "times", RATIO_ASKED, less_is_better=True
        ),
        *figures,
    ]


def _timed(logs: Logs, repeats: int, store: str, long_hands: int) -> list[Figure]:
    short_us: list[float] = []
    long_us: list[float] = []
    for _ in range(repeats):
        short_us.append(_rebuild_us(logs.log, logs.short))
        long_us.append(_rebuild_us(logs.log, logs.long))
    short, long = median(short_us), median(long_us)
    return [
        Figure(f"{store}_short_us", f"{store}: log of {SHORT_HANDS} hands", short, "µs"),
        Figure(f"{store}_long_us", f"{store}: log of {long_hands:,} hands", long, "µs"),
        Figure(
            f"{store}_ratio",
            f"{store}: long ÷ short",
            long / short,
            "times",
            RATIO_ASKED,
            less_is_better=True,
        ),
    ]


def _rebuild_us(log: Log, table_id: str) -> float:
    start = perf_counter()
    options = legal(rebuild(log, table_id))
    taken_s = perf_counter() - start
    if options is None:
        raise BrokenInvariant(f"table {table_id} cannot be played at after its rebuild")
    return taken_s * US_PER_S


# --- the logs --------------------------------------------------------------------------------


def _write(game: str, table_id: str, hands: int, client: Client, memory: MemoryLog) -> None:
    """Write a log into both stores. Only the last hand, which is read, has sealed cards."""
    scribe = Scribe(game, table_id)
    for seed in range(hands - 1):
        scribe.play(seed, uniform, seal=False)
        if len(scribe.appends) >= WRITTEN_AT_ONCE:
            _append(scribe.drain(), client, memory)
    scribe.play(LAST_SEED, calling)
    _append(scribe.drain()[:-CUT], client, memory)


def _append(appends: list[Append], client: Client, memory: MemoryLog) -> None:
    """Into the server by plain appends, which is quicker."""
    pipeline = client.pipeline(transaction=False)
    for append in appends:
        key, mark = log_key(append.table), append.chain[:PREV_BYTES]
        pipeline.execute_command("XADD", key, f"{append.seq}-0", "c", append.raw, "h", mark)
    pipeline.execute()
    for append, outcome in zip(appends, memory.append(appends), strict=True):
        if outcome.code != "ok":
            raise BrokenInvariant(f"commit {append.seq} was not taken: {outcome}")
