"""Warnings about what goes on for a while: said at once, and then not all the time."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Final

PAUSE_S: Final = 1.0
"""At most one line of a kind in this time."""


class Seldom:
    """Tells when something may be said again."""

    def __init__(self) -> None:
        self._said_s = float("-inf")

    def is_due(self) -> bool:
        """Whether it is to be said now; if so, not again for a while."""
        now_s = monotonic()
        if now_s - self._said_s < PAUSE_S:
            return False
        self._said_s = now_s
        return True


class Complaint:
    """One kind of warning."""

    def __init__(self, logger: logging.Logger, text: str) -> None:
        """Make a warning whose text has a place for each detail, as logging fills them."""
        self._logger = logger
        self._text = text
        self._seldom = Seldom()

    def say(self, *details: object) -> None:
        """Say it, unless that was done a moment ago."""
        if self._seldom.is_due():
            self._logger.warning(self._text, *details)
