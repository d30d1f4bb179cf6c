"""The evening itself: bots play, and whoever watches is told what keeps them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from redis.exceptions import RedisError

from doorcard.streams.connection import connect
from doorcard.streams.delivery import full
from services.bots import BotRoom
from services.embedded import EmbeddedServer
from services.fullness import why_full
from services.run import backoff_s
from services.up_screen import Screen
from services.up_workers import Workers

LOOK_EVERY_S: Final = 1.0
STILL_S: Final = 15.0
"""When no bot's action was answered for so long, that is said."""


class Stillness:
    """Notices when nothing happens."""

    def __init__(self, now_s: float) -> None:
        self._count = 0
        self._since_s = now_s
        self._said = False

    def begins(self, count: int, now_s: float) -> bool:
        """Whether a count has stood still for ``STILL_S``; said once, until it moves again."""
        if count != self._count:
            self._count, self._since_s, self._said = count, now_s, False
        elif now_s - self._since_s >= STILL_S and not self._said:
            self._said = True
            return True
        return False


class StoreWatch:
    """Looks after the store while bots play."""

    def __init__(self, url: str, server: EmbeddedServer | None, partitions: Sequence[str]) -> None:
        """Watch a store.

        Args:
            server: the store, where it is ours; another is meant to come back, whatever happens.
        """
        self._client = connect(url)
        self._server = server
        self._partitions = partitions

    def check(self) -> None:
        """Raise ``StoreError`` if it is ours and has ended."""
        if self._server is not None:
            self._server.check()

    def refusing(self) -> str:
        """One sentence where it takes no writes, else empty.

        Between hands no bot has anything to send that could be turned away.
        """
        return full().sentence if why_full(self._client, self._partitions) else ""


class Pauses:
    """The tables that only the floor may commit to: they are waited for, and the others go on."""

    def __init__(self) -> None:
        self._held: dict[str, str] = {}

    def look(self, room: BotRoom, screen: Screen) -> None:
        """See which tables are paused now, and say what is new; a resumed one is played on."""
        held = room.paused()
        for table, why in held.items():
            if table not in self._held:
                screen.say(f"table {table} is paused: {why}; it is waited for")
        for table in self._held.keys() - held.keys():
            screen.say(f"table {table} goes on")
            room.take_up(table)
        self._held = held  # only now: where the store fails on the way, all is seen again

    def hold_all_that_is_left(self, room: BotRoom) -> bool:
        """Whether nothing comes any more of a run that shall end."""
        return not room.endless and room.open_tables <= self._held.keys()


def play(room: BotRoom, workers: Workers, screen: Screen, store: StoreWatch, logs: Path) -> None:
    """Play until all tables are closed, waiting for the store where it is away for a while.

    Raises:
        StoreError: the store, where it is ours, or a worker ended by itself.
    """
    failures, looked_s, told, refusing = 0, time.monotonic(), "", ""
    stillness, pauses = Stillness(looked_s), Pauses()
    while not room.over and not pauses.hold_all_that_is_left(room):
        screen.show(room)
        try:
            room.step(block_ms=50)
            if time.monotonic() - looked_s >= LOOK_EVERY_S:
                looked_s = time.monotonic()
                store.check()
                workers.check()
                pauses.look(room, screen)
                refusing = store.refusing()
                if stillness.begins(room.actions, looked_s):
                    screen.say(f"nothing has happened for a while; the logs in {logs} may say why")
            if failures:
                screen.say("the store is back")
            failures = 0
            trouble = room.turned_away or refusing
            if trouble != told:  # said once, however long it lasts
                told = trouble
                screen.say(f"waiting: {told}" if told else "the queues take commands again")
        except (RedisError, OSError) as error:
            store.check()
            workers.check()
            failures += 1
            if failures == 1:
                screen.say(f"the store does not answer, waiting: {error}")
            time.sleep(backoff_s(failures))
