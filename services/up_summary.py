"""What ``up`` says at the end: what was played, how fast, and whether everything adds up."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from doorcard.audit.verify import verify_table
from doorcard.client import Client
from doorcard.fairness.keys import DeckKeyRing
from services.bots import BotRoom


class Summary(NamedTuple):
    """The figures of a run. Amounts are chips, times milliseconds."""

    tables: int
    hands: int
    actions: int
    seconds: float
    p50_ms: float
    p99_ms: float
    chips_in: int
    chips_out: int
    rake: int
    on_tables: int
    verified: int
    """Tables whose logs were verified from the first commit to the last."""
    problems: tuple[str, ...]

    @property
    def accounted_for(self) -> str:
        """Where the chips are."""
        return f"{self.chips_out} out + {self.on_tables} on tables + {self.rake} rake"

    def text(self) -> str:
        """The summary as lines."""
        rate = self.actions / self.seconds if self.seconds else 0.0
        lines = [
            f"hands            {self.hands} at {self.tables} tables",
            f"actions          {self.actions} in {self.seconds:.1f} s, {rate:.0f} a second",
            f"command→commit   p50 {self.p50_ms:.1f} ms, p99 {self.p99_ms:.1f} ms",
            f"chips            {self.chips_in} in = {self.accounted_for}",
            f"chains verified  {self.verified} of {self.tables}",
        ]
        return "\n".join([*lines, *(f"problem: {problem}" for problem in self.problems)])


def summarise(client: Client, room: BotRoom, ring: DeckKeyRing, heads: Path) -> Summary:
    """Catch up with every table, verify every log, and add up."""
    room.follower.catch_up(list(room.tables))
    tables = list(room.tables.values())
    problems: list[str] = []
    verified = 0
    for table in tables:
        report = verify_table(client.log, table.id, ring=ring, heads=heads)
        if report.problem is None:
            verified += 1
        else:
            problems.append(str(report.problem))
    chips_in = sum(table.chips_in for table in tables)
    chips_out = sum(table.chips_out for table in tables)
    rake = sum(table.rake for table in tables)
    on_tables = sum(
        table.stack(seat.seat) + seat.waiting for table in tables for seat in table.seats.values()
    ) + sum(table.hand.pot for table in tables if table.hand is not None)
    if chips_in != chips_out + rake + on_tables:
        problems.append(
            f"{chips_in} chips came in, {chips_out + rake + on_tables} are accounted for"
        )
    problems.extend(
        f"refused {count} times: {refusal}" for refusal, count in room.refusals.most_common(10)
    )
    return Summary(
        len(tables),
        room.hands_played,
        room.actions,
        room.seconds,
        room.latencies.at(0.50),
        room.latencies.at(0.99),
        chips_in,
        chips_out,
        rake,
        on_tables,
        verified,
        tuple(problems),
    )
