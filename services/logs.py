"""JSON log lines by structlog, on standard error. No line holds a card or a key."""

from __future__ import annotations

import logging
import sys

import structlog

Logger = structlog.stdlib.BoundLogger


def set_up_logs(level: str) -> None:
    """Configure structlog for this process."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Tracebacks name functions only: local variables may hold cards.
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def logger(role: str) -> Logger:
    """A logger with the role bound to every line."""
    bound: Logger = structlog.get_logger(role=role)
    return bound
