"""A service in this process with everything measured, and what it would tell Prometheus."""

from __future__ import annotations

from threading import Event
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.registry import Collector

from doorcard.tables import Role
from services.health import Health
from services.metrics import MeteredDecider, Meters, metered_log, metered_queues
from services.metrics_export import ClockCollector, WorkerCollector
from services.metrics_store import Queue, StoreFigures
from tests.services.harness import House, NoteBook, decider_for
from tests.services.shops import ROLES


def text_of(collector: Collector) -> str:
    """What a scrape of one program gives."""
    registry = CollectorRegistry()
    registry.register(collector)
    return generate_latest(registry).decode()


class MeteredHouse:
    """A house whose workers are wrapped as their programs wrap them."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.meters: dict[Role, Meters] = {role: Meters() for role in ROLES}
        house.wrap = self._wrap
        for role in ROLES:
            house.hire(role, MeteredDecider(decider_for(role), self.meters[role]))

    def text(self, role: Role) -> str:
        """What a worker tells."""
        health = Health(role, Event())
        return text_of(WorkerCollector(self.house.workers[role], self.meters[role], health))

    def _wrap(self, role: Role, adapter: Any) -> Any:
        meters = self.meters[role]
        if hasattr(adapter, "append"):
            return metered_log(adapter, meters)
        return metered_queues(adapter, meters)


def clock_collector() -> ClockCollector:
    """A clock's, with one of everything in a store."""
    client: Any = None  # nothing is looked at
    logger: Any = NoteBook()
    figures = StoreFigures(client, ["p00"], lambda: 0, logger)
    figures.queues = {(role, "p00"): Queue(1, 0.5) for role in ROLES}
    figures.dead_letters = figures.paused_tables = {"p00": 1}
    return ClockCollector(figures, Health("clock", Event()))
