"""A clock's rounds: the calls that fire timers, and which silences of the store count."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from doorcard.streams.delivery import POSTPONE_MS, SILENCE_MS
from doorcard.streams.functions import FIRE, Call
from doorcard.streams.keys import paused_key, queue_key, timers_key, writes_key

SILENCE_MS_MAX: Final = 5_000
"""A longer silence counts whatever the clock knows of it."""
LATE_MS: Final = 1_000


class Rounds:
    """One clock's calls.

    A partition tells by itself how long no clock has written there. Where this clock alone came
    late, because another node kept it waiting, say, that is no outage. So a silence that is as
    long as the time since its last round that was answered does not count; up to a bound, because
    a clock that stood still does not know what happened meanwhile.
    """

    def __init__(self) -> None:
        self._begun_s: float | None = None
        self._answered_s: float | None = None
        """When the last round was begun, if it was answered."""

    def calls(self, partitions: Sequence[str], count: int) -> list[Call]:
        """The calls of a round that begins now, each for up to ``count`` timers."""
        self._begun_s, before_s = time.monotonic(), self._answered_s
        self._answered_s = None
        own_ms = 0 if before_s is None else round(1000 * (self._begun_s - before_s)) + LATE_MS
        arguments = (count, POSTPONE_MS, max(SILENCE_MS, min(own_ms, SILENCE_MS_MAX)))
        return [
            Call(
                FIRE,
                (
                    timers_key(partition),
                    queue_key("betting", partition),
                    paused_key(partition),
                    queue_key("dealer", partition),
                    writes_key(partition),
                ),
                arguments,
            )
            for partition in partitions
        ]

    def answered(self) -> None:
        """The round has been answered."""
        self._answered_s = self._begun_s
