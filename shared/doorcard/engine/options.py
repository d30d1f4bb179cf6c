"""What a seat may do: the records that ``legal`` answers with."""

from __future__ import annotations

from typing import Literal, NamedTuple

WagerKind = Literal["bet", "complete", "raise"]


class Wager(NamedTuple):
    """A bet, completion or raise. Amounts are total street contributions afterwards (R6.7)."""

    kind: WagerKind
    totals: tuple[int, ...]
    """Every legal total, ascending; empty where any total from ``low`` to ``high`` is legal."""
    low: int
    high: int

    def allows(self, to: int) -> bool:
        """Whether this total is legal."""
        return to in self.totals if self.totals else self.low <= to <= self.high


class Legal(NamedTuple):
    """The options of one seat at one decision. Amounts are chips."""

    seat: int
    decision: int
    fold: bool
    check: bool
    call: int | None
    """Chips that calling puts in."""
    bring_in: int | None
    """Chips that posting the bring-in puts in."""
    wager: Wager | None
