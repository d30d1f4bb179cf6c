"""Runs a program's loop until it is told to stop, through troubles with the store."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from redis.exceptions import RedisError

from doorcard.errors import StoreError
from doorcard.streams.connection import takes_no_writes
from services.logs import Logger, describe

WAIT_S_MIN = 0.1
WAIT_S_MAX = 5.0
LOG_EVERY_S = 1.0


class OutOfTime(BaseException):
    """A program that was told to stop did not come to an end in time.

    No ``Exception``, so that nobody on the way takes it for trouble with a message.
    """


def stop_sign(drain_ms: int | None = None) -> threading.Event:
    """An event that SIGTERM, SIGINT and SIGHUP set: finish what was read, then leave.

    Args:
        drain_ms: after this time ``OutOfTime`` is raised, wherever the program is then, so that
            a store that is slow or hangs holds nobody up; None waits for ever.
    """
    stop = threading.Event()

    def tell(_number: int, _frame: FrameType | None) -> None:
        if drain_ms is not None and not stop.is_set():
            signal.setitimer(signal.ITIMER_REAL, drain_ms / 1000)
        stop.set()

    def end(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTime

    if drain_ms is not None:
        signal.signal(signal.SIGALRM, end)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, tell)
    return stop


def run(
    step: Callable[[], object],
    stop: threading.Event,
    logger: Logger,
    parent: int | None = None,
    turned: Callable[[Exception | None], None] | None = None,
) -> None:
    """Call ``step`` until told to stop, or out of time.

    While the store is in trouble it waits longer and longer: from 0.1 s to 5 s, at random within
    half to one and a half of that, so that many workers do not all come back in the same moment.

    Args:
        parent: id of the process without which this one has no business; None if it has one.
        turned: told after each turn which trouble it ended in, if any, before the wait.
    """
    try:
        _run(step, stop, logger, parent, turned)
    except OutOfTime:  # as if killed: what was read and not finished is given to others
        logger.warning("not finished in time, leaving")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _run(
    step: Callable[[], object],
    stop: threading.Event,
    logger: Logger,
    parent: int | None,
    turned: Callable[[Exception | None], None] | None,
) -> None:
    trouble = _Trouble(logger)
    while not stop.is_set():
        if parent is not None and os.getppid() != parent:
            logger.warning("parent is gone, stopping", parent=parent)
            return
        try:
            step()
        except (RedisError, OSError, StoreError) as error:
            if turned is not None:
                turned(error)
            stop.wait(trouble.met(error))
        else:
            trouble.over()
            if turned is not None:
                turned(None)


class _Trouble:
    """Turns in a row that ended in trouble with the store, and what is said of them."""

    def __init__(self, logger: Logger) -> None:
        self._logger = logger
        self._failures = 0
        self._logged_s = -LOG_EVERY_S
        self._full = False
        self._told = False

    def met(self, error: Exception) -> float:
        """Say that a turn ended in trouble; how long to wait now, in seconds."""
        self._failures += 1
        wait_s = backoff_s(self._failures)
        if takes_no_writes(error):
            if not self._full:
                self._logger.error("the store takes no writes, waiting", why=_in_short(error))
            self._full = True
        elif time.monotonic() - self._logged_s >= LOG_EVERY_S:
            self._logged_s = time.monotonic()
            self._told = True
            self._logger.warning(
                "store trouble, waiting",
                error=describe(error) if isinstance(error, StoreError) else _in_short(error),
                failures=self._failures,
                wait_s=round(wait_s, 2),
            )
        return wait_s

    def over(self) -> None:
        """Say that a turn went well, if the one before did not."""
        if self._full:
            self._logger.info("the store takes writes again")
        elif self._told:
            self._logger.info("store is back", failures=self._failures)
        self._failures, self._full, self._told = 0, False, False


def backoff_s(failures: int) -> float:
    """How long to wait after so many failures in a row, in seconds."""
    wait_s = min(WAIT_S_MAX, WAIT_S_MIN * (1 << min(failures - 1, 10)))
    return wait_s * random.uniform(0.5, 1.5)  # noqa: S311 - jitter, not a secret


def _in_short(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"
