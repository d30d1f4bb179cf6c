"""JSON log lines by structlog, on standard error. No line holds a card or a key."""

from __future__ import annotations

import logging
import sys

import structlog

Logger = structlog.stdlib.BoundLogger


def set_up_logs(level: str) -> None:
    """Configure logging for this process; the library's own lines come out the same way."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                # Tracebacks name functions only: local variables may hold cards.
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())


def logger(role: str) -> Logger:
    """A logger with the role bound to every line."""
    bound: Logger = structlog.get_logger("doorcard", role=role)
    return bound
