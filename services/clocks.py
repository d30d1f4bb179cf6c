"""The store's time, as far as a worker knows it, and messages that come before their time."""

from __future__ import annotations

from typing import Final, Protocol

from doorcard.streams.messages import Fired
from services.jobs import Message

EARLY_MS_MAX: Final = 1_000
"""A timer that comes earlier than this by a worker's clock makes it ask for the store's time."""


class Clock(Protocol):
    """The store's time, as far as a worker knows it."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, UTC."""
        ...

    def compare(self) -> None:
        """Ask the store again before the next answer."""
        ...


def is_early(message: Message, clock: Clock) -> bool:
    """Whether a timer ran out by the store's clock a moment before it does by this one.

    If it is far off, the store is asked for its time. One that is far off even then comes to
    nothing: somebody else sent it, or the store's clock has gone back.
    """
    if not isinstance(message, Fired):
        return False
    early_ms = message.deadline_ms - clock.now_ms()
    if early_ms > EARLY_MS_MAX:
        clock.compare()
        early_ms = message.deadline_ms - clock.now_ms()
    return 0 < early_ms <= EARLY_MS_MAX
