"""Runs a program's loop until it is told to stop, through troubles with the store."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable

from redis.exceptions import RedisError

from doorcard.errors import StoreError
from services.logs import Logger

WAIT_S_MIN = 0.1
WAIT_S_MAX = 5.0
LOG_EVERY_S = 1.0


def stop_sign() -> threading.Event:
    """An event that SIGTERM and SIGINT set: finish what was read, then leave."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


def run(step: Callable[[], object], stop: threading.Event, logger: Logger) -> None:
    """Call ``step`` until told to stop. While the store is in trouble, wait longer and longer.

    The waits grow from 0.1 s to 5 s and are random within half to one and a half of that, so
    that many workers do not all come back in the same moment.
    """
    failures = 0
    logged = -LOG_EVERY_S
    while not stop.is_set():
        try:
            step()
        except (RedisError, OSError, StoreError) as error:
            failures += 1
            wait_s = min(WAIT_S_MAX, WAIT_S_MIN * 2 ** min(failures - 1, 10))
            wait_s *= random.uniform(0.5, 1.5)  # noqa: S311 - jitter, not a secret
            if time.monotonic() - logged >= LOG_EVERY_S:
                logged = time.monotonic()
                logger.warning(
                    "store trouble, waiting",
                    error=f"{type(error).__name__}: {error}",
                    failures=failures,
                    wait_s=round(wait_s, 2),
                )
            stop.wait(wait_s)
        else:
            if failures:
                logger.info("store is back", failures=failures)
            failures = 0
