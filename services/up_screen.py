"""What ``up`` shows while it runs: a live line a table in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table as Grid

from doorcard.engine.table import Table
from doorcard.games.describe import street_name
from doorcard.views.text import counted
from services.bots import BotRoom

DRAW_EVERY_S: Final = 0.1
PLAIN_EVERY_S: Final = 2.0


class Screen:
    """Shows progress; ``say`` is for single lines."""

    def __init__(self, console: Console, hands: int) -> None:
        self._console = console
        self._hands = hands
        self._started_s = time.monotonic()
        self._shown_s = self._started_s - DRAW_EVERY_S
        self._live: Live | None = None
        self._progress = Progress(
            TextColumn("hands"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
        )
        self._task = self._progress.add_task("hands", total=None, rate="")

    def say(self, line: str) -> None:
        """Show one line."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def name_tables(self, names: Iterable[str]) -> None:
        """Say once which tables there are, where no live picture shows them."""
        if not self._console.is_terminal:
            self.say(f"at {' '.join(names)}")

    def show(self, room: BotRoom, *, last: bool = False) -> None:
        """Show where every table is, at most a few times a second, and at the last."""
        now_s = time.monotonic()
        live = self._console.is_terminal
        if last or now_s - self._shown_s >= (DRAW_EVERY_S if live else PLAIN_EVERY_S):
            self._shown_s = now_s
            if live:
                self._draw(room)
            else:
                seconds = now_s - self._started_s
                hands, actions = room.hands_played, room.actions
                said = f"{counted(hands, 'hand')}  {counted(actions, 'action')}"
                self.say(f"{seconds:6.1f} s  {said}")

    def close(self) -> None:
        """Leave the terminal as it was found; what was shown last stays."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _draw(self, room: BotRoom) -> None:
        rate = room.actions / room.seconds if room.seconds else 0.0
        self._progress.update(
            self._task,
            completed=room.hands_played,
            total=self._hands * len(room.tables) or None,
            rate=f"{rate:.0f} actions/s",
        )
        grid = Grid("table", "hand", "street", "pot", "to act", box=None, pad_edge=False)
        for number in (1, 3):
            grid.columns[number].justify = "right"
        for name, table in room.tables.items():
            grid.add_row(name, *_line(table))
        picture = Group(grid, self._progress)
        if self._live is None:
            self._live = Live(picture, console=self._console, auto_refresh=False)
            self._live.start(refresh=True)
        else:
            self._live.update(picture, refresh=True)


def _line(table: Table) -> tuple[str, ...]:
    """Hand, street, pot, and who is waited for."""
    hand = table.hand
    if table.closed:
        return (str(table.hands), "", "", "closed")
    if hand is None:
        return ("", "", "", "waiting for players" if table.config else "opening")
    street = street_name(hand.rules.game, hand.street) if hand.street else "antes"
    asked = ", ".join(table.seats[seat].player for seat in table.asked)
    return (str(table.hands), street, str(hand.pot), asked or table.awaited or "")


@contextmanager
def open_screen(hands: int) -> Generator[Screen]:
    """A screen on standard output, closed at the end whatever happens."""
    screen = Screen(Console(), hands)
    try:
        yield screen
    finally:
        screen.close()
