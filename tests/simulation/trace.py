"""What happened in a run: a hash over all of it, its last steps, and how often each fault came."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Final

LAST_STEPS: Final = 60


class Violation(BaseException):
    """Something that must never be so."""


class Trace:
    """The steps of one run. No sealed bytes are in it, so the same seed gives the same hash."""

    def __init__(self) -> None:
        self.faults = Counter[str]()
        self.seen = Counter[str]()
        """What else came about: commits, hands, kinds of refusals."""
        self._lines: list[tuple[int, str, str]] = []
        """Written out only when somebody asks: there are thousands, and few are ever read."""

    def note(self, now_ms: int, who: str, what: str) -> None:
        """Write down one thing that happened."""
        self._lines.append((now_ms, who, what))

    def fault(self, now_ms: int, who: str, name: str, what: str = "") -> None:
        """Write down a fault."""
        self.faults[name] += 1
        self.note(now_ms, who, f"*** {name} {what}")

    @property
    def steps(self) -> int:
        """How many things have happened."""
        return len(self._lines)

    @property
    def last(self) -> list[str]:
        """The last steps, oldest first."""
        return [f"{now_ms} {who} {what}" for now_ms, who, what in self._lines[-LAST_STEPS:]]

    @property
    def digest(self) -> str:
        """A hash over everything so far."""
        text = "".join([f"{now_ms} {who} {what}" for now_ms, who, what in self._lines])
        return sha256(text.encode()).hexdigest()
