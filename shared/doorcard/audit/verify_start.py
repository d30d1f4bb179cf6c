"""Where an audit begins: with a log's first commit, or with the first hand of a trimmed one.

A hand begins with the whole table in its ``HandStarted``, and with the chain hash of everything
before it. So what was moved out of a log is not needed to check the rest, and is checked itself
wherever it lies: what comes of it must be what the log begins with.
"""

from __future__ import annotations

from collections.abc import Sequence

from doorcard.engine.reducer import stamp
from doorcard.engine.reducer_hand import table_before
from doorcard.engine.table import Table
from doorcard.errors import BadCommit, BadLog
from doorcard.events import Event, HandStarted, TableOpened
from doorcard.games import GAMES
from doorcard.streams.codec import decode
from doorcard.streams.heads import hand_started
from doorcard.streams.log import Stored
from doorcard.tables import TableConfig


def hand_begun(stored: Stored) -> HandStarted | None:
    """How a hand begins with a commit, where one does and the commit can be read."""
    try:
        return hand_started(decode(stored.raw))
    except BadCommit:
        return None


def table_at(started: HandStarted, seq: int) -> Table:
    """The table right before the commit with a number, which begins a hand."""
    table = table_before(started)
    stamp(table, asked_before=0, seq=seq - 1, chain=started.chain, time_ms=0)
    return table


class Strange:
    """Looks at a log that nothing can be folded of: its table's game is none of this program's."""

    def __init__(self) -> None:
        self.game = ""
        """The game that this program does not have; empty as long as none was met."""
        self._config: TableConfig | None = None

    def begin(self, config: TableConfig) -> None:
        """Begin with a table that was opened before."""
        self._config = config
        specs = (config.spec, *config.others)
        self.game = next((spec.game for spec in specs if spec.game not in GAMES), "")

    def take(self, events: Sequence[Event]) -> None:
        """Look at a commit's events.

        Raises:
            BadLog: a hand begins at another table than was opened.
        """
        for event in events:
            if isinstance(event, TableOpened):
                self.begin(event.config)
            elif not isinstance(event, HandStarted) or not self.game:
                continue
            elif event.snapshot.config != self._config:
                raise BadLog("begins a hand at another table than was opened")
