"""What waits in the store, looked at now and then by the clock alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from doorcard.streams.commit import ROLES
from doorcard.streams.connection import Client, Word, exchange
from doorcard.streams.keys import dead_key, paused_key, queue_key
from doorcard.tables import Role
from services.logs import Logger

LOOK_EVERY_S: Final = 5.0


class Queue(NamedTuple):
    """One queue."""

    messages: int
    oldest_age_s: float


class StoreFigures:
    """Queues, dead letters and paused tables as they were a few seconds ago.

    A figure that cannot be read is left out, and that is said once: it must stop no timer.
    """

    def __init__(
        self,
        client: Client,
        partitions: Sequence[str],
        now_ms: Callable[[], int],
        logger: Logger,
    ) -> None:
        """Look at a store.

        Args:
            now_ms: the store's time, in milliseconds since 1970, UTC.
        """
        self.timers_fired = 0
        self.queues: dict[tuple[str, str], Queue] = {}
        """By role and partition."""
        self.dead_letters: dict[str, int] = {}
        """By partition."""
        self.paused_tables: dict[str, int] = {}
        """By partition."""
        self.seen_s = 0.0
        """When all this was so, in seconds since 1970, UTC; 0 before the first look."""
        self._client = client
        self._now_ms = now_ms
        self._logger = logger
        self._places: list[tuple[Role, str]] = [
            (role, name) for role in ROLES for name in partitions
        ]
        self._partitions = tuple(partitions)
        self._commands = self._commands_of_a_look()
        self._looked_s = float("-inf")
        self._complained = False

    def look(self) -> None:
        """Read everything in one call, unless that was done a moment ago."""
        if time.monotonic() - self._looked_s < LOOK_EVERY_S:
            return
        self._looked_s = time.monotonic()
        now_ms = self._now_ms()
        answers = exchange(self._client, self._commands, patient=False)
        queues, others = answers[: 2 * len(self._places)], answers[2 * len(self._places) :]
        self.queues = {
            place: Queue(length, _age_s(oldest, now_ms))
            for place, length, oldest in zip(self._places, queues[::2], queues[1::2], strict=True)
            if isinstance(length, int) and isinstance(oldest, list)
        }
        self.dead_letters = _counts(self._partitions, others[::2])
        self.paused_tables = _counts(self._partitions, others[1::2])
        self.seen_s = now_ms / 1000
        self._complain(answers)

    def _commands_of_a_look(self) -> list[Sequence[Word]]:
        commands: list[Sequence[Word]] = []
        for role, name in self._places:
            key = queue_key(role, name)
            commands += [("XLEN", key), ("XRANGE", key, "-", "+", "COUNT", 1)]
        for name in self._partitions:
            commands += [("XLEN", dead_key(name)), ("HLEN", paused_key(name))]
        return commands

    def _complain(self, answers: Sequence[Any]) -> None:
        errors = [answer for answer in answers if isinstance(answer, Exception)]
        if errors and not self._complained:
            self._logger.warning(
                "some figures cannot be read", count=len(errors), why=str(errors[0])[:200]
            )
        self._complained = bool(errors)


def _age_s(oldest: Any, now_ms: int) -> float:
    """How long ago the first of some entries was added; its id begins with the time."""
    if not oldest:
        return 0.0
    return max(0, now_ms - int(oldest[0][0].partition(b"-")[0])) / 1000


def _counts(partitions: Sequence[str], answers: Sequence[Any]) -> dict[str, int]:
    return {
        name: answer
        for name, answer in zip(partitions, answers, strict=True)
        if isinstance(answer, int)
    }
