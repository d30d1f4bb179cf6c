"""What a hand takes in the store: memory, and bytes in its append-only file (``bench store``).

Hands are played through the service's own processes, with leaves, sealed cards, requests and
replies. Feeds and replies are capped streams that fill up once and grow no more: they are
reported apart from what stays of a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from doorcard.bench.figures import Figure, Wish
from doorcard.bench.players import Players
from doorcard.bench.processes import temporary_folder
from doorcard.bench.room import SENDER, playing
from doorcard.bots import Bot, calling, uniform
from doorcard.streams import connection
from doorcard.streams.keys import feed_key, log_key, partition_names, reply_key

POLICIES: Final[dict[str, Bot]] = {"uniform": uniform, "calling": calling}
TABLES: Final = 40
PARTITIONS: Final = 1
FIRST_HANDS: Final = 80
HANDS: Final = 600
WINDOW_S: Final = 0.5
MEMORY_ASKED: Final = 6 * 1024
MEMORY_AIM: Final = 4 * 1024
FILE_ASKED: Final = 28 * 1024


class Taken(NamedTuple):
    """What the store held at some moment."""

    hands: int
    memory: int
    logs: int
    capped: int
    file: int


def measure(wish: Wish) -> list[Figure]:
    """Measure the memory and the bytes on disk that a hand takes, under both named policies.

    What a hand takes grows with its actions: about 18 of them under ``uniform``, twice as many
    under ``calling``.
    """
    return [
        figure for name, bot in POLICIES.items() for figure in _figures(name, *_played(wish, bot))
    ]


def _played(wish: Wish, bot: Bot) -> tuple[Taken, Taken]:
    """What the store held after some hands, and after some more."""
    with (
        temporary_folder() as folder,
        playing(folder, wish.game, TABLES, PARTITIONS, bot=bot) as (players, _, store),
    ):
        # The file must not be written anew, and shorter, while its growth is measured.
        store.execute_command("CONFIG", "SET", "auto-aof-rewrite-percentage", "0")
        first = _taken_after(players, store, FIRST_HANDS)
        return first, _taken_after(players, store, first.hands + wish.times(HANDS))


def _figures(policy: str, first: Taken, last: Taken) -> list[Figure]:
    hands = last.hands - first.hands
    capped = (last.capped - first.capped) / hands
    memory = (last.memory - first.memory) / hands - capped
    logs = (last.logs - first.logs) / hands
    file = (last.file - first.file) / hands
    return [
        Figure(
            f"{policy}_memory_bytes",
            f"{policy}: memory a hand",
            memory,
            "bytes",
            MEMORY_ASKED,
            MEMORY_AIM,
            less_is_better=True,
        ),
        Figure(f"{policy}_log_bytes", f"{policy}: of it the log", logs, "bytes"),
        Figure(f"{policy}_capped_bytes", f"{policy}: feed and replies", capped, "bytes"),
        Figure(
            f"{policy}_file_bytes",
            f"{policy}: append-only file a hand",
            file,
            "bytes",
            FILE_ASKED,
            less_is_better=True,
        ),
    ]


def _taken_after(players: Players, store: connection.Client, hands: int) -> Taken:
    """What the store holds when so many hands have ended."""
    while players.hands < hands:
        players.play(WINDOW_S)
    facts = store.execute_command("INFO")
    feeds = [feed_key(partition) for partition in partition_names(PARTITIONS)]
    replies = [reply_key(partition, SENDER) for partition in partition_names(PARTITIONS)]
    return Taken(
        players.hands,
        int(facts["used_memory"]),
        _memory(store, [log_key(table) for table in players.tables]),
        _memory(store, [*feeds, *replies]),
        int(facts["aof_current_size"]),
    )


def _memory(store: connection.Client, keys: Sequence[str]) -> int:
    """Bytes that some keys take, all of their entries counted."""
    pipeline = store.pipeline(transaction=False)
    for key in keys:
        pipeline.execute_command("MEMORY", "USAGE", key, "SAMPLES", 0)
    return sum([int(taken or 0) for taken in pipeline.execute()])
