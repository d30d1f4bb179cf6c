"""How many messages of one table are decided in a round of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container


class Contests:
    """Tables that others commit to meanwhile.

    With the commit of somebody else all those are refused that were decided on the table before
    it. So of such a table half as many are decided next time, and twice as many where nobody was
    faster.
    """

    def __init__(self) -> None:
        self._at_once: dict[str, int] = {}
        """How many messages of a table may be decided in a round; of any other all."""
        self._decided = Counter[str]()

    def forget(self) -> None:
        """Begin a batch."""
        self._at_once.clear()
        self._decided.clear()

    def admits(self, table: str) -> bool:
        """Whether one more message of a table is decided in this round, as it then counts."""
        if self._decided[table] >= self._at_once.get(table, self._decided[table] + 1):
            return False
        self._decided[table] += 1
        return True

    def end(self, met: Container[str]) -> None:
        """End a round in which others were met at some tables."""
        for table, count in self._decided.items():
            if table in met:
                self._at_once[table] = max(1, count // 2)
            elif table in self._at_once:
                self._at_once[table] = 2 * count
        self._decided.clear()
