"""What ``up`` says at the end: what was played, how fast, and whether everything adds up."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final, NamedTuple

from doorcard.audit.verify import verify_table
from doorcard.client import Client
from doorcard.fairness.keys import DeckKeyRing
from doorcard.views.text import counted
from services.bots import BotRoom

USUAL_DATA: Final = Path(".doorcard")
"""The data folder whose store ``doorcard`` finds by itself."""


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
    late: int
    """Actions that came when their decision was made or gone."""
    problems: tuple[str, ...]
    afterwards: tuple[str, ...] = ()
    """Commands to look at what was played, a line each."""

    @property
    def accounted_for(self) -> str:
        """Where the chips are."""
        return f"{self.chips_out} out + {self.on_tables} on tables + {self.rake} rake"

    def text(self) -> str:
        """The summary as lines."""
        rate = self.actions / self.seconds if self.seconds else 0.0
        lines = [
            f"hands            {self.hands} at {counted(self.tables, 'table')}",
            f"actions          {self.actions} in {self.seconds:.1f} s, {rate:.0f} a second",
            f"command→commit   p50 {self.p50_ms:.1f} ms, p99 {self.p99_ms:.1f} ms",
            f"chips            {self.chips_in} in = {self.accounted_for}",
            f"chains verified  {self.verified} of {self.tables}",
        ]
        if self.late:
            late = counted(self.late, "action")
            lines.append(f"late             {late} came after a time-out, a loss or a void hand")
        lines.extend(f"problem: {problem}" for problem in self.problems)
        return "\n".join([*lines, *self.afterwards])


def summarise(client: Client, room: BotRoom, ring: DeckKeyRing, heads: Path) -> Summary:
    """Catch up with every table, verify every log, and add up."""
    room.follower.catch_up(list(room.tables))
    opened = {name: table for name, table in room.tables.items() if table.seq}
    tables = list(opened.values())
    problems = [
        f"table {name} is paused: {why}; `python -m services resume {name}` lets it go on, "
        "where its store runs and DOORCARD_REDIS_URL names it"
        for name, why in room.paused().items()
    ]
    verified = 0
    for name in opened:  # the store may hold nothing of it any more
        report = verify_table(client.log, name, ring=ring, heads=heads)
        if report.problem is not None:
            problems.append(str(report.problem))
        elif report.unchecked:
            problems.append(f"{name}: {'; '.join(report.unchecked)}")
        else:
            verified += 1
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
        f"refused {counted(count, 'time')}: {refusal}"
        for refusal, count in room.refusals.most_common(10)
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
        room.late,
        tuple(problems),
    )


def afterwards(room: BotRoom, data: Path, store_url: str | None) -> tuple[str, ...]:
    """How to look at what was played, as commands that work from here; empty if nothing was.

    Args:
        store_url: of the data folder's own store; None where another one was named.
    """
    finished = {
        name: table.hands - table.in_hand
        for name, table in room.tables.items()
        if table.hands > table.in_hand
    }
    if not finished:
        return ()
    name = min(finished)
    replay = f"{_program('doorcard')} replay {name} {finished[name]}"
    if store_url is None:
        return (f"see a hand       {replay} --redis URL",)
    where = ""
    if data.resolve() != USUAL_DATA.resolve() or "DOORCARD_REDIS_URL" in os.environ:
        has_socket = store_url.startswith("unix:")
        where = f" --redis {shlex.quote(store_url) if has_socket else 'URL, as the store says it'}"
    start = f"{_program('python')} -m services store --data {shlex.quote(str(data))}"
    return (
        f"store again      {start}",
        f"see a hand       {replay}{where}",
    )


def _program(name: str) -> str:
    """How a program that is installed beside this one's interpreter is called from here."""
    beside = Path(sys.executable).with_name(name)
    if not beside.exists() or shutil.which(name) == str(beside):
        return name
    here = Path.cwd()
    return shlex.quote(str(beside.relative_to(here) if beside.is_relative_to(here) else beside))
