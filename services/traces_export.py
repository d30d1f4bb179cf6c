"""Sends spans to whatever ``OTEL_EXPORTER_OTLP_ENDPOINT`` names, if traces are asked for."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from doorcard.client import Client
from doorcard.errors import BadInput
from doorcard.streams.connection import connect
from doorcard.streams.keys import partition_names
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from services.settings import Settings

if TYPE_CHECKING:
    from services.traces import Spans


def open_spans(role: str) -> Spans:
    """Spans that a thread of their own sends away.

    Raises:
        BadInput: what is needed for that is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        from services.traces import Spans
    except ImportError:
        raise BadInput("DOORCARD_TRACES needs what the extra `traces` installs") from None
    return Spans(BatchSpanProcessor(OTLPSpanExporter()), role)


@contextmanager
def player_client(url: str, sender: str, settings: Settings) -> Generator[Client]:
    """A player's client, traced if that is asked for.

    Raises:
        BadInput: what is needed for traces is not installed.
    """
    if not settings.traces:
        yield Client.connect(url, sender, settings.partitions)
        return
    spans = open_spans("player")
    viewer = spans.viewer()
    store, names = connect(url), partition_names(settings.partitions)
    log, queues = RedisLog(store, partitions=names), Queues(store)
    try:
        yield Client(viewer.log(log), viewer.queues(queues), sender, names)
    finally:
        spans.close()
