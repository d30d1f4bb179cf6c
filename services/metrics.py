"""What is measured beside a worker's tally, and only where metrics are on.

A worker knows nothing of it: its decider, its log and its queues are wrapped when the program is
put together. All figures are plain numbers, which the thread that answers a scrape reads as they
are; a scrape may see a figure that is one message older than its neighbour.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final, cast

from redis.exceptions import RedisError

from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.streams.delivery import MessageQueues
from doorcard.streams.log import Append, Log, Outcome
from doorcard.tables import Role
from services.decider import Decider
from services.jobs import Message

DECISION_BOUNDS_S: Final = (
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 1.0,
)  # fmt: skip
COMMIT_BOUNDS_S: Final = (
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0,
)  # fmt: skip
AGE_BOUNDS_S: Final = (
    0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
)  # fmt: skip


class Timing:
    """How often something took how long."""

    __slots__ = ("bounds_s", "counts", "total_s")

    def __init__(self, bounds_s: Sequence[float]) -> None:
        self.bounds_s = tuple(bounds_s)
        self.counts = [0] * (len(self.bounds_s) + 1)
        """By the first bound that is not exceeded; the last one is for what exceeds all."""
        self.total_s = 0.0

    def observe(self, seconds: float) -> None:
        """Count one more."""
        self.counts[bisect_left(self.bounds_s, seconds)] += 1
        self.total_s += seconds


class Meters:
    """What the wrapped parts of one worker did since it started."""

    def __init__(self) -> None:
        self.decisions = Timing(DECISION_BOUNDS_S)
        self.commits = Timing(COMMIT_BOUNDS_S)
        """Of one call that sends the commits of a batch."""
        self.ages = Timing(AGE_BOUNDS_S)
        """Of a message, from its sending until its commit is in."""
        self.retries: dict[str, int] = {"conflict": 0, "full": 0, "store": 0, "time": 0}
        """Commits that are decided again, by why they were not taken."""
        self.claims = 0
        self.full = False
        """The last commits found the store full."""

    def appended(
        self, appends: Sequence[Append], outcomes: Sequence[Outcome], took_s: float
    ) -> None:
        """Note one call that sent commits."""
        self.commits.observe(took_s)
        self.full = False
        decided_ms = appends[-1].time_ms
        for append, (code, _) in zip(appends, outcomes, strict=True):
            if code == "ok":
                if append.source is not None:
                    sent_ms = int(append.source.id.partition("-")[0])
                    self.ages.observe(max(0, decided_ms - sent_ms) / 1000 + took_s)
            elif code in self.retries:
                self.retries[code] += 1
                self.full = self.full or code == "full"


class MeteredDecider:
    """A decider with a stop-watch."""

    def __init__(self, decider: Decider, meters: Meters) -> None:
        self.role: Role = decider.role
        self._decide = decider.decide
        self._timing = meters.decisions

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        """Decide as the decider does."""
        started_s = perf_counter()
        decision = self._decide(table, message, now_ms)
        self._timing.observe(perf_counter() - started_s)
        return decision


def metered_log(log: Log, meters: Meters) -> Log:
    """A log whose commits are measured; all else is as it was."""
    return cast("Log", _MeteredLog(log, meters))


def metered_queues(queues: MessageQueues, meters: Meters) -> MessageQueues:
    """Queues whose claims are counted; all else is as it was."""
    return cast("MessageQueues", _MeteredQueues(queues, meters))


class _MeteredLog:
    def __init__(self, log: Log, meters: Meters) -> None:
        self._log = log
        self._meters = meters

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        started_s = perf_counter()
        try:
            outcomes = self._log.append(appends)
        except (RedisError, OSError):
            self._meters.retries["store"] += len(appends)
            raise
        if appends:
            self._meters.appended(appends, outcomes, perf_counter() - started_s)
        return outcomes

    def __getattr__(self, name: str) -> Any:
        return kept(self.__dict__, self._log, name)


class _MeteredQueues:
    def __init__(self, queues: MessageQueues, meters: Meters) -> None:
        self._queues = queues
        self._meters = meters

    def claim(self, *given: Any, **named: Any) -> Any:
        claimed = self._queues.claim(*given, **named)
        self._meters.claims += len(claimed)
        return claimed

    def __getattr__(self, name: str) -> Any:
        return kept(self.__dict__, self._queues, name)


def kept(own: dict[str, Any], wrapped: object, name: str) -> Any:
    """A method of what is wrapped, kept at hand: looking it up each time costs microseconds."""
    own[name] = method = getattr(wrapped, name)
    return method
