"""The metrics of a program in Prometheus's form. What each of them means, its help text says.

The figures are read when somebody asks; a worker does nothing for it. No label or value is ever
anything that a player, a table or a card is called: labels are roles, partitions, codes of
refusals and reasons, all of which are closed lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final, Protocol

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from doorcard.streams.upcast import FORMAT
from services.health import Health
from services.jobs import Tally
from services.metrics import Meters, Timing
from services.metrics_codes import OTHER, label_of
from services.metrics_store import StoreFigures

HELP: Final = {
    "buried": "Messages given up and put among the dead letters.",
    "cache_hits": "Messages whose table was in the cache.",
    "cache_misses": "Messages whose table was rebuilt from its log.",
    "cached_tables": "Tables that are kept folded.",
    "claims": "Messages taken over that others left unfinished.",
    "commit_seconds": "Time of one call that appends the commits of a batch.",
    "commits": "Commits that this worker appended.",
    "conflicts": "Commits refused because somebody else's was in first.",
    "dead_letters": "Messages that nobody could handle.",
    "decision_seconds": "Time to decide one message.",
    "forgotten": "Times that the store had lost commits which this worker had seen.",
    "message_age_seconds": "Time from a message's sending until its commit is in.",
    "format_read": "The newest format of commits and messages that this worker reads.",
    "format_written": "The format of its commits; no worker should read less.",
    "messages_waiting": "Messages that were read and wait for another try.",
    "missed_commits": "Commits of others that were read to bring cached tables up to date.",
    "paused_tables": "Tables that only the floor may commit to.",
    "queue_messages": "Messages that are not finished: waiting, or handed out.",
    "queue_oldest_age_seconds": "Age of the oldest unfinished message; 0 where there is none.",
    "ready": "1 if the program is prepared, its loop turns and the store takes its work.",
    "refusals": "Refusals, by their code.",
    "retries": "Commits that are decided again, by why the store did not take them.",
    "store_errors": "Turns that ended in trouble with the store.",
    "store_full": "1 while the store refuses what this program writes for want of room.",
    "store_seen_timestamp_seconds": "When queues, dead letters and pauses were last looked at.",
    "timers_fired": "Timers that ran out and were moved into the queues.",
}
"""Every metric of ours, without ``doorcard_`` and ``_total``."""


class CountingWorker(Protocol):
    """What is read of a worker."""

    tally: Tally
    stuck: bool
    written: int

    @property
    def waiting(self) -> int:
        """Messages that were read and wait for another try."""
        ...


class WorkerCollector(Collector):
    """The metrics of one worker."""

    def __init__(self, worker: CountingWorker, meters: Meters, health: Health) -> None:
        self._worker = worker
        self._meters = meters
        self._health = health

    def collect(self) -> Iterator[Metric]:
        """All of them, as they stand."""
        worker, meters, tally = self._worker, self._meters, self._worker.tally
        own = {"role": self._health.role}
        yield from _health_metrics(self._health)
        yield _count("commits", own, tally.commits)
        yield _count("conflicts", own, tally.conflicts)
        yield _counts("retries", "reason", own, meters.retries)
        yield _counts("refusals", "code", own, _by_code(tally.refused))
        yield _count("claims", own, meters.claims)
        yield _count("buried", own, tally.buried)
        yield _count("forgotten", own, tally.forgotten)
        yield _count("missed_commits", own, tally.missed_commits)
        yield _count("cache_hits", own, tally.cache_hits)
        yield _count("cache_misses", own, tally.cache_misses)
        yield _gauge("format_read", own, FORMAT)
        yield _gauge("format_written", own, worker.written)
        yield _gauge("cached_tables", own, len(tally.tables))
        yield _gauge("messages_waiting", own, worker.waiting)
        yield _gauge("store_full", own, self._health.full or (worker.stuck and meters.full))
        yield _timing("decision_seconds", own, meters.decisions)
        yield _timing("commit_seconds", own, meters.commits)
        yield _timing("message_age_seconds", own, meters.ages)


class ClockCollector(Collector):
    """The metrics of a clock, and what it sees in the store."""

    def __init__(self, figures: StoreFigures, health: Health) -> None:
        self._figures = figures
        self._health = health

    def collect(self) -> Iterator[Metric]:
        """All of them, as they stand."""
        figures = self._figures
        own = {"role": self._health.role}
        yield from _health_metrics(self._health)
        yield _count("timers_fired", own, figures.timers_fired)
        yield _gauge("store_full", own, self._health.full)
        yield _gauge("store_seen_timestamp_seconds", own, figures.seen_s)
        by_queue, by_partition = ("role", "partition"), ("partition",)
        queues = figures.queues.items()
        lengths = [(labels, queue.messages) for labels, queue in queues]
        yield _gauges("queue_messages", by_queue, lengths)
        ages = [(labels, queue.oldest_age_s) for labels, queue in queues]
        yield _gauges("queue_oldest_age_seconds", by_queue, ages)
        dead = [((name,), count) for name, count in figures.dead_letters.items()]
        yield _gauges("dead_letters", by_partition, dead)
        paused = [((name,), count) for name, count in figures.paused_tables.items()]
        yield _gauges("paused_tables", by_partition, paused)


def registry_of(collector: Collector) -> CollectorRegistry:
    """What one program exports: its own metrics, and CPU and memory of its process."""
    registry = CollectorRegistry()
    registry.register(collector)
    ProcessCollector(registry=registry)
    return registry


def _health_metrics(health: Health) -> Iterator[Metric]:
    own = {"role": health.role}
    yield _gauge("ready", own, not health.reasons())
    yield _count("store_errors", own, health.failures)


def _by_code(refused: Mapping[str, int]) -> dict[str, int]:
    counts = {OTHER: 0}
    for code, count in dict(refused).items():
        label = label_of(code)
        counts[label] = counts.get(label, 0) + count
    return counts


def _count(name: str, own: Mapping[str, str], value: int) -> Metric:
    family = CounterMetricFamily(f"doorcard_{name}", HELP[name], labels=list(own))
    family.add_metric(list(own.values()), value)
    return family


def _counts(name: str, label: str, own: Mapping[str, str], counts: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(f"doorcard_{name}", HELP[name], labels=[*own, label])
    for value, count in counts.items():
        family.add_metric([*own.values(), value], count)
    return family


def _gauge(name: str, own: Mapping[str, str], value: float) -> Metric:
    return _gauges(name, tuple(own), [(tuple(own.values()), value)])


def _gauges(
    name: str, labels: Sequence[str], values: Iterable[tuple[Sequence[str], float]]
) -> Metric:
    family = GaugeMetricFamily(f"doorcard_{name}", HELP[name], labels=labels)
    for found, value in values:
        family.add_metric(found, float(value))
    return family


def _timing(name: str, own: Mapping[str, str], timing: Timing) -> Metric:
    family = HistogramMetricFamily(f"doorcard_{name}", HELP[name], labels=list(own))
    bounds = [*map(str, timing.bounds_s), "+Inf"]
    up_to = accumulate(list(timing.counts))
    family.add_metric(list(own.values()), list(zip(bounds, up_to, strict=True)), timing.total_s)
    return family
