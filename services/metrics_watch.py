"""What a program shows of itself: nothing, unless a metrics port or traces are set."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from threading import Event
from typing import TYPE_CHECKING

from doorcard.streams.connection import Client
from doorcard.streams.delivery import MessageQueues
from doorcard.streams.log import Log
from services.decider import Decider
from services.health import Health
from services.logs import Logger
from services.metrics import MeteredDecider, Meters, metered_log, metered_queues
from services.metrics_store import StoreFigures
from services.settings import Settings
from services.worker import Worker

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from services.traces import Spans, TracedWorker


class Watch:
    """One program's metrics, health and traces. Unless asked for, all is left as it was."""

    def __init__(self, role: str, settings: Settings, stop: Event, logger: Logger) -> None:
        """Watch a program.

        Raises:
            BadInput: traces are asked for, and what they need is not installed.
        """
        self.health = Health(role, stop)
        self._meters = Meters() if settings.metrics_port else None
        self._settings = settings
        self._logger = logger
        self._spans: Spans | None = None
        self._traced: TracedWorker | None = None
        if settings.traces and role != "clock":
            from services.traces_export import open_spans

            self._spans = open_spans(role)
            self._traced = self._spans.worker()

    def decider(self, decider: Decider) -> Decider:
        """A decider, with a stop-watch if need be."""
        if self._meters is not None:
            decider = MeteredDecider(decider, self._meters)
        return decider if self._traced is None else self._traced.decider(decider)

    def log(self, log: Log) -> Log:
        """A log whose commits are measured if need be."""
        if self._meters is not None:
            log = metered_log(log, self._meters)
        return log if self._traced is None else self._traced.log(log)

    def queues(self, queues: MessageQueues) -> MessageQueues:
        """Queues whose claims are counted if need be."""
        return queues if self._meters is None else metered_queues(queues, self._meters)

    @contextmanager
    def worker(self, worker: Worker) -> Generator[None]:
        """Serve a worker's metrics and health while the context lasts, and send its spans.

        Raises:
            BadInput: nobody can listen on the port.
        """
        self.health.stuck = lambda: worker.stuck
        with ExitStack() as stack:
            if self._spans is not None:
                stack.callback(self._spans.close)
            if self._meters is not None:
                from services.metrics_export import WorkerCollector

                collector = WorkerCollector(worker, self._meters, self.health)
                stack.enter_context(self._serving(collector))
            yield

    @contextmanager
    def clock(
        self, client: Client, partitions: Sequence[str], now_ms: Callable[[], int]
    ) -> Generator[Callable[[int], None]]:
        """Serve a clock's; what is yielded is told how many timers each turn fired.

        Raises:
            BadInput: nobody can listen on the port.
        """
        if self._meters is None:
            yield _unheard
            return
        from services.metrics_export import ClockCollector

        figures = StoreFigures(client, partitions, now_ms, self._logger)

        def turned(fired: int) -> None:
            figures.timers_fired += fired
            figures.look()

        with self._serving(ClockCollector(figures, self.health)):
            yield turned

    @contextmanager
    def _serving(self, collector: Collector) -> Generator[None]:
        from services.metrics_export import registry_of
        from services.metrics_server import serving

        address, port = self._settings.metrics_address, self._settings.metrics_port
        with serving(address, port, registry_of(collector), self.health):
            self._logger.info("metrics are served", address=address, port=port)
            yield


def _unheard(_fired: int) -> None:
    """Nobody counts the timers."""
