"""What ``up`` shows while it runs: a live table in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table as Grid

from doorcard.engine.table import Table
from services.bots import BotRoom

PLAIN_EVERY_S: Final = 2.0


class Screen:
    """Shows progress; ``say`` is for single lines."""

    def __init__(self, console: Console, hands: int) -> None:
        self._console = console
        self._hands = hands
        self._started = time.monotonic()
        self._shown = 0.0
        self._live: Live | None = None
        self._progress = Progress(
            TextColumn("hands"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
        )
        self._task = self._progress.add_task("hands", total=None, rate="")

    def elapsed_s(self) -> float:
        """Seconds since the screen was opened."""
        return time.monotonic() - self._started

    def say(self, line: str) -> None:
        """Show one line."""
        self._console.print(line, highlight=False)

    def show(self, room: BotRoom) -> None:
        """Show where every table is, at most a few times a second."""
        now = time.monotonic()
        if self._console.is_terminal:
            if now - self._shown < 0.1:
                return
            self._shown = now
            self._draw(room)
        elif now - self._shown >= PLAIN_EVERY_S:
            self._shown = now
            played = room.hands_played
            self.say(f"{self.elapsed_s():6.1f} s  {played} hands  {room.actions} actions")

    def close(self) -> None:
        """Leave the terminal as it was found."""
        if self._live is not None:
            self._live.stop()

    def _draw(self, room: BotRoom) -> None:
        if self._live is None:
            self._live = Live(console=self._console, refresh_per_second=10)
            self._live.start()
        rate = room.actions / max(self.elapsed_s(), 0.001)
        total = self._hands * len(room.tables) or None
        self._progress.update(
            self._task, completed=room.hands_played, total=total, rate=f"{rate:.0f} actions/s"
        )
        grid = Grid("table", "hand", "street", "pot", "to act", box=None, pad_edge=False)
        for table in room.tables.values():
            grid.add_row(*_line(table))
        self._live.update(Group(grid, self._progress))


def _line(table: Table) -> tuple[str, ...]:
    hand = table.hand
    if hand is None:
        return (table.id, "0", "", "", "")
    state = "closed" if table.closed else hand.phase if hand.phase != "bet" else ""
    asked = str(hand.players[hand.to_act].seat) if hand.to_act >= 0 else state
    return (table.id, str(table.hands), str(hand.street), str(hand.pot), asked)


@contextmanager
def open_screen(hands: int) -> Iterator[Screen]:
    """A screen on standard output, closed at the end whatever happens."""
    screen = Screen(Console(), hands)
    try:
        yield screen
    finally:
        screen.close()
