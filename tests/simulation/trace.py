"""What happened in a run: a hash over all of it, its last steps, and how often each fault came."""

from __future__ import annotations

from collections import Counter, deque
from hashlib import sha256
from typing import Final

LAST_STEPS: Final = 60


class Violation(BaseException):
    """Something that must never be so."""


class Trace:
    """The steps of one run. No sealed bytes are in it, so the same seed gives the same hash."""

    def __init__(self) -> None:
        self.steps = 0
        self.faults = Counter[str]()
        self.seen = Counter[str]()
        """What else came about: commits, hands, kinds of refusals."""
        self._last = deque[str](maxlen=LAST_STEPS)
        self._hash = sha256()

    def note(self, now_ms: int, who: str, what: str) -> None:
        """Write down one thing that happened."""
        self.steps += 1
        line = f"{now_ms} {who} {what}"
        self._last.append(line)
        self._hash.update(line.encode())

    def fault(self, now_ms: int, who: str, name: str, what: str = "") -> None:
        """Write down a fault."""
        self.faults[name] += 1
        self.note(now_ms, who, f"*** {name} {what}")

    @property
    def last(self) -> list[str]:
        """The last steps, oldest first."""
        return list(self._last)

    @property
    def digest(self) -> str:
        """A hash over everything so far."""
        return self._hash.hexdigest()
