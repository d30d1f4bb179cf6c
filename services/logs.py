"""JSON log lines by structlog, on standard error. No line holds a card or a key.

Every line says which role wrote it. Lines about a table name it, its hand, the commit and what
caused it; those of single commits and refusals are written at level ``debug``.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from types import TracebackType

from doorcard.errors import DoorcardError
from services.lean import structlog

Logger = structlog.stdlib.BoundLogger
ExceptHook = Callable[[type[BaseException], BaseException, TracebackType | None], None]


def set_up_logs(level: str, role: str) -> Logger:
    """Configure logging for this process and return its logger.

    The library's own lines come out the same way, and so does the error that ends the process.
    """
    structlog.contextvars.bind_contextvars(role=role)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
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
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    logger: Logger = structlog.get_logger("doorcard")
    sys.excepthook = _last_words(logger)
    return logger


def describe(error: BaseException) -> str:
    """An error in words that are safe to write down.

    Our own errors say what they mean and never a card. Of any other only the kind and the place
    are told: its text may quote whatever it tripped over.
    """
    if isinstance(error, DoorcardError):
        return f"{type(error).__name__}: {error}"
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return type(error).__name__ if last is None else f"{type(error).__name__} in {_place(last)}"


def _place(traceback: TracebackType) -> str:
    code = traceback.tb_frame.f_code
    module = traceback.tb_frame.f_globals.get("__name__", "?")
    return f"{module}.{code.co_qualname}, line {traceback.tb_lineno}"


def _last_words(logger: Logger) -> ExceptHook:
    def write(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            return
        logger.critical("ended by an error", error=describe(error))

    return write
