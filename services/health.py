"""Whether a program's loop still turns, and whether its work gets done."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from doorcard.errors import BadInput
from doorcard.streams.connection import (
    BACKOFF_CAP_S,
    BLOCK_MS_MAX,
    RETRIES,
    SOCKET_TIMEOUT_S,
    takes_no_writes,
)
from services.settings import Settings

READY_TURN_S: Final = BLOCK_MS_MAX / 1000 + 10
"""No wait for a message, or between two tries, makes a turn as long as this."""
ALIVE_TURN_S: Final = BLOCK_MS_MAX / 1000 + (RETRIES + 1) * (SOCKET_TIMEOUT_S + BACKOFF_CAP_S)
"""A turn may take as long as the client's repeats against a server that is silent. A restart
mends nothing before that, and others have taken over the worker's messages long ago."""
PROBE_TIMEOUT_S: Final = 5.0


class Health:
    """The state of one program's loop, told by the loop and read by whoever asks."""

    def __init__(self, role: str, stop: Event, clock: Callable[[], float] = time.monotonic) -> None:
        self.role = role
        self.failures = 0
        """Turns that ended in trouble with the store, since the program started."""
        self.full = False
        """The last turn ended because the store takes no writes."""
        self.stuck: Callable[[], bool] = _never
        """Whether what was read cannot be finished for the store's sake; asked between turns."""
        self._stop = stop
        self._clock = clock
        self._prepared = False
        self._in_trouble = self._stuck = False
        self._turned_s = clock()

    def turned(self, trouble: Exception | None) -> None:
        """Note the end of a turn, and the trouble with the store that it ended in."""
        self._turned_s = self._clock()
        self.full = trouble is not None and takes_no_writes(trouble)
        self._in_trouble = trouble is not None and not self.full
        self._stuck = self.stuck()
        if trouble is None:
            self._prepared = True
        elif self._in_trouble:
            self.failures += 1

    @property
    def turn_age_s(self) -> float:
        """How long ago the last turn ended, in seconds."""
        return self._clock() - self._turned_s

    @property
    def alive(self) -> bool:
        """Whether the loop turns."""
        return self.turn_age_s <= ALIVE_TURN_S

    def reasons(self) -> list[str]:
        """Why the program is not ready; empty if it is."""
        found: list[str] = []
        if not self._prepared:
            found.append("not prepared yet")
        if self._in_trouble:
            found.append("the store does not answer as it should")
        if self.turn_age_s > READY_TURN_S:
            found.append("the last turn was too long ago")
        if self.full or (self._stuck and not self._in_trouble):
            found.append("the store takes no writes")
        if self._stop.is_set():
            found.append("stopping")
        return found


def probe(settings: Settings) -> tuple[str, bool]:
    """Ask the program on this machine's metrics port whether it is ready: its answer, and if so.

    Raises:
        BadInput: no metrics port is set.
    """
    port = settings.metrics_port
    if not port:
        raise BadInput("set DOORCARD_METRICS_PORT as the program has it")
    url = f"http://{_own_host(settings.metrics_address)}:{port}/readyz"
    try:
        with urlopen(url, timeout=PROBE_TIMEOUT_S) as answer:
            said: bytes = answer.read()
            return said.decode(), True
    except HTTPError as error:
        with error:
            return error.read().decode("utf-8", "replace"), False
    except OSError as error:
        reason = error.reason if isinstance(error, URLError) else error
        why = reason.strerror if isinstance(reason, OSError) else None
        return f"nobody answers on port {port}: {why or reason}", False


def _own_host(address: str) -> str:
    """Where a program on this machine is reached that listens on an address."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104 - not bound
    return f"[{host}]" if ":" in host else host


def _never() -> bool:
    return False
