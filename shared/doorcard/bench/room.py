"""A service with players at its tables, for the benches that play through it."""

from __future__ import annotations

import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from doorcard.bench.players import Players, TimedClient
from doorcard.bench.processes import Worker, check_alive, running_store, running_workers
from doorcard.bots import Bot, calling
from doorcard.streams import connection

SENDER: Final = "bench"
"""Who the players' replies go to."""


class Room(NamedTuple):
    """What a bench looks at while it plays."""

    players: Players
    workers: Sequence[Worker]
    store: connection.Client


@contextmanager
def playing(
    folder: Path,
    game: str,
    tables: int,
    partitions: int,
    *,
    bot: Bot = calling,
    betting: int = 1,
    primaries: int = 1,
) -> Generator[Room]:
    """Tables with all seats taken, in real processes, for as long as the context lasts.

    Args:
        folder: where the store's files and the workers' logs go.
        betting: how many workers decide bets.
        primaries: as ``running_store`` has them.

    Raises:
        StoreError: the service refused something, or a worker ended by itself.
    """
    with (
        _no_pauses(),
        running_store(folder, primaries=primaries) as url,
        running_workers(folder, url, partitions, betting=betting) as workers,
    ):
        players = Players(TimedClient.connect(url, SENDER, partitions), partitions, bot)
        players.sit_down(game, tables)
        yield Room(players, workers, connection.connect(url))
        check_alive(workers, folder)


@contextmanager
def _no_pauses() -> Generator[None]:
    """Keep the players' program from looking for garbage.

    With 10,000 tables that takes it some tenths of a second each time. What was due meanwhile is
    sent at once then, and waits in the service as if that had been slow.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
