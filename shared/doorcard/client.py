"""How a player's program talks to a service: commands into queues, replies and logs out.

A program needs the store's address and nothing else of the service::

    client = Client.connect("redis://127.0.0.1:6379/0", "ann-laptop")
    reply = client.request("p00.razz-1", SitDown(2, "ann", 200, "buy-in-1", key.public))

A secret choice is sealed before it is sent (R16.3, R17.6)::

    sealed = seal_choice_for(table, 2, "low")
    client.request(table.id, Choose(2, table.decision, "declare", sealed=sealed, player="ann"))
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

from doorcard.commands import Command
from doorcard.engine.table import Table
from doorcard.errors import Refused, StoreError
from doorcard.fairness.dealing import seal_choice_for
from doorcard.streams.delivery import BEGINNING, FeedEntry, MessageQueues
from doorcard.streams.folding import catch_up, go_on, rebuild
from doorcard.streams.keys import partition_names
from doorcard.streams.log import Log
from doorcard.streams.messages import Reply, decode_reply, encode_request, role_for

__all__ = ["Client", "Follower", "new_request_id", "seal_choice_for"]

REPEAT_AFTER_S: Final = 1.0
"""A client that hears nothing for so long sends again, with the same id."""
REPLIES_AT_ONCE: Final = 1_000


class Client:
    """One sender of commands. Not for several threads at once."""

    def __init__(
        self, log: Log, queues: MessageQueues, sender: str, partitions: Sequence[str]
    ) -> None:
        """Use a store by its two halves.

        Args:
            sender: names the stream of replies; two programs must not share it.
            partitions: all partitions of the service.
        """
        self.log = log
        self.sender = sender
        self._queues = queues
        self._heard = BEGINNING
        self._kept: deque[Reply] = deque(maxlen=REPLIES_AT_ONCE)
        """Replies that came while another one was waited for."""
        self._feed_positions = {name: queues.feed_end(name) for name in partitions}

    @classmethod
    def connect(cls, url: str, sender: str, partitions: int = 4) -> Client:
        """Connect to a service's store by URL."""
        from doorcard.streams.connection import connect  # noqa: PLC0415 - needs redis
        from doorcard.streams.queues import Queues  # noqa: PLC0415 - needs redis
        from doorcard.streams.redis_log import RedisLog  # noqa: PLC0415 - needs redis

        redis, names = connect(url), partition_names(partitions)
        return cls(RedisLog(redis, partitions=names), Queues(redis), sender, names)

    def send(self, table: str, command: Command, *, request_id: str = "") -> str:
        """Put a command into its queue and return its id. Accepted is what its reply says.

        Raises:
            StoreError: the queue or the store is full; nothing was sent.
        """
        (sent,) = self.send_many([(request_id or new_request_id(), table, command)])
        if isinstance(sent, Refused):
            raise StoreError(sent.sentence)
        return sent

    def send_many(self, requests: Sequence[tuple[str, str, Command]]) -> list[str | Refused]:
        """Put many (id, table, command) into their queues at once; the id of each, or why not."""
        sent = self._queues.send_many(
            [
                (role_for(command), table, encode_request(request_id, self.sender, table, command))
                for request_id, table, command in requests
            ]
        )
        return [
            entry if isinstance(entry, Refused) else request_id
            for entry, (request_id, _, _) in zip(sent, requests, strict=True)
        ]

    def replies(self, block_ms: int = 0) -> list[Reply]:
        """New replies, waiting up to ``block_ms`` for the first (0: not at all)."""
        kept = list(self._kept)
        self._kept.clear()
        return kept + self._hear(0 if kept else block_ms)

    def request(
        self, table: str, command: Command, *, request_id: str = "", timeout_s: float = 10.0
    ) -> Reply:
        """Send a command and wait for its reply, repeating it with the same id meanwhile.

        Replies to others are kept for ``replies``.

        Raises:
            StoreError: the queue or the store was full at once; or no reply came in time:
                whether the command was accepted is not known then, and sending it again with
                the same id is safe.
        """
        request_id = self.send(table, command, request_id=request_id)
        give_up = time.monotonic() + timeout_s
        repeat = time.monotonic() + REPEAT_AFTER_S
        while time.monotonic() < give_up:
            heard = self._hear(block_ms=100)
            self._kept.extend(reply for reply in heard if reply.id != request_id)
            for reply in heard:
                if reply.id == request_id:
                    return reply
            if time.monotonic() >= repeat:  # where there is no room now, the first may be in
                self.send_many([(request_id, table, command)])
                repeat = time.monotonic() + REPEAT_AFTER_S
        raise StoreError(f"no reply to {type(command).__name__} at {table} in {timeout_s} s")

    def news(self, block_ms: int) -> list[FeedEntry]:
        """Commits named by the feeds since the last call, waiting up to ``block_ms``."""
        news = self._queues.feed(self._feed_positions, 1000, block_ms)
        for entry in news:
            self._feed_positions[entry.partition] = entry.id
        return news

    def _hear(self, block_ms: int) -> list[Reply]:
        found = self._queues.replies(self.sender, self._heard, REPLIES_AT_ONCE, block_ms)
        if found:
            self._heard = found[-1].id
        return [decode_reply(reply.raw) for reply in found]


def new_request_id() -> str:
    """An id that nobody has used."""
    return secrets.token_hex(6)


class Follower:
    """Tables kept up to date from their logs, as the feeds name new commits."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.tables: dict[str, Table] = {}

    def follow(self, table_ids: Iterable[str]) -> None:
        """Begin to follow some tables, from their present state."""
        for table_id in table_ids:
            self.tables[table_id] = rebuild(self._client.log, table_id)

    def poll(self, block_ms: int) -> list[str]:
        """Wait for news and fold it; return the followed tables that changed, each once."""
        behind = {
            news.table
            for news in self._client.news(block_ms)
            if news.table in self.tables and news.seq > self.tables[news.table].seq
        }
        return self.catch_up(behind)

    def catch_up(self, table_ids: Iterable[str]) -> list[str]:
        """Read what was committed to some tables since; return those that changed."""
        wanted = sorted(table_ids)
        missed = self._client.log.read_many([(name, self.tables[name].seq) for name in wanted])
        changed: list[str] = []
        for name, stored in zip(wanted, missed, strict=True):
            if not stored:
                continue
            self.tables[name] = go_on(self._client.log, name, self.tables[name], stored)
            changed.append(name)
        return changed

    def look_again(self, table_ids: Iterable[str]) -> list[str]:
        """Compare some tables with their logs, as after the store was away; return what changed.

        A store that comes back may have lost commits that were seen here. Until as many others
        are there, no news would tell.
        """
        log, changed = self._client.log, list[str]()
        for name in sorted(table_ids):
            before = self.tables[name]
            self.tables[name] = catch_up(log, before) if before.seq else rebuild(log, name)
            if self.tables[name].seq != before.seq or self.tables[name].chain != before.chain:
                changed.append(name)
        return changed
