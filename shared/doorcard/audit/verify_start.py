"""Where an audit begins: with a log's first commit, or with the first hand of a trimmed one.

A hand begins with the whole table in its ``HandStarted``, and with the chain hash of everything
before it. So what was moved out of a log is not needed to check the rest, and is checked itself
wherever it lies: what comes of it must be what the log begins with.
"""

from __future__ import annotations

from collections.abc import Sequence

from doorcard.engine.mix import games_of
from doorcard.engine.table import Table
from doorcard.errors import BadCommit, BadLog
from doorcard.events import Event, HandStarted, TableOpened
from doorcard.games import GAMES
from doorcard.streams.codec import decode
from doorcard.streams.log import Stored
from doorcard.tables import TableConfig


def hand_begun(stored: Stored) -> HandStarted | None:
    """How a hand begins with a commit, where one does and the commit can be read."""
    try:
        first = decode(stored.raw).events[0]
    except (BadCommit, IndexError):
        return None
    return first if isinstance(first, HandStarted) else None


def table_before(started: HandStarted, seq: int) -> Table:
    """The table that a hand was begun at, from the hand's own words.

    A game that was called for this hand is taken from it: the call itself is in no snapshot.

    Args:
        seq: the number of the commit that begins the hand.
    """
    table, snapshot = Table(), started.snapshot
    config = table.config = snapshot.config
    table.id = started.table
    table.seats = {seat.seat: seat for seat in snapshot.seats}
    table.hands = snapshot.hands
    table.decision = snapshot.decision
    table.dealer = snapshot.dealer
    table.voided = snapshot.voided
    table.chips_in, table.chips_out = snapshot.chips_in, snapshot.chips_out
    table.rake = snapshot.rake
    table.orbits = snapshot.orbits
    games = games_of(config)
    if config.change == "call" and started.dealer is not None and started.spec in games:
        table.called = ((started.dealer, games.index(started.spec)),)
    table.seq, table.chain = seq - 1, started.chain
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
