"""How a player's program talks to a service: commands into queues, replies and logs out.

A program needs the store's address and nothing else of the service::

    client = Client.connect("redis://127.0.0.1:6379/0", "ann-laptop")
    reply = client.request("p00.razz-1", SitDown(2, "ann", 200, "buy-in-1", key.public))

A secret choice is sealed before it is sent (R16.3, R17.6)::

    sealed = seal_choice_for(table, 2, "low")
    client.request(table.id, Choose(2, table.decision, "declare", sealed=sealed, player="ann"))
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, Self

from doorcard.commands import Command
from doorcard.engine.table import Table
from doorcard.errors import BadInput, BadLog, Refused, StoreError
from doorcard.fairness.dealing import seal_choice_for
from doorcard.streams.delivery import BEGINNING, FeedEntry, MessageQueues
from doorcard.streams.delivery import Reply as Entry
from doorcard.streams.folding import fold_commits, is_trimmed_behind, missed, rebuild
from doorcard.streams.keys import partition_names, partition_of
from doorcard.streams.log import Log, Stored
from doorcard.streams.messages import Reply, decode_reply, encode_request, role_for

__all__ = ["Client", "Follower", "Forgotten", "new_request_id", "seal_choice_for"]

REPEAT_AFTER_S: Final = 1.0
"""A client that hears nothing for so long sends again, with the same id."""
LOOK_BACK_EVERY_S: Final = 1.0
"""How often a follower asks whether the store still has what it has seen."""
_LOGGER: Final = logging.getLogger(__name__)
_ONE_WORD: Final = str.maketrans("-_", "09")
REPLIES_AT_ONCE: Final = 1_000


class Client:
    """One sender of commands. Not for several threads at once."""

    def __init__(
        self, log: Log, queues: MessageQueues, sender: str, partitions: Sequence[str]
    ) -> None:
        """Use a store by its two halves.

        Args:
            sender: names the streams of replies; two programs must not share it.
            partitions: all partitions of the service.
        """
        self.log = log
        self.sender = sender
        self._queues = queues
        self._heard = dict.fromkeys(partitions, BEGINNING)
        self._kept: deque[Reply] = deque(maxlen=REPLIES_AT_ONCE)
        """Replies that came while another one was waited for."""
        self._feed_positions = {name: queues.feed_end(name) for name in partitions}
        self._forgetful: set[str] = set()

    @classmethod
    def connect(cls, url: str, sender: str, partitions: int = 4) -> Self:
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
            BadInput: the table is of a partition that this client does not listen to.
        """
        (sent,) = self.send_many([(request_id or new_request_id(), table, command)])
        if isinstance(sent, Refused):
            raise StoreError(sent.sentence)
        return sent

    def send_many(self, requests: Sequence[tuple[str, str, Command]]) -> list[str | Refused]:
        """Put many (id, table, command) into their queues at once; the id of each, or why not.

        Raises:
            BadInput: a table is of a partition that this client does not listen to; nothing was
                sent.
        """
        for _, table, _ in requests:
            self._require_heard(table)
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

    def _require_heard(self, table: str) -> None:
        """Refuse a table of which no answer would be heard, whose queue perhaps nobody reads."""
        if partition_of(table) not in self._heard:
            raise BadInput(
                f"table {table} is of partition {partition_of(table)}, and the last one of this "
                f"client is {max(self._heard)}; give it as many as the workers have"
            )

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
        self._forgetful |= self._without({entry.partition for entry in news})
        for entry in news:
            self._feed_positions[entry.partition] = entry.id
        return news

    def forgetful(self, *, ask: bool) -> set[str]:
        """Partitions whose feed did not hold any more what had last been read of it, each once.

        Either the store went back to an earlier moment, or very much has happened since. It is
        known of feeds that had news; of the others it must be asked.
        """
        if ask:
            self._forgetful |= self._without(self._feed_positions)
        found, self._forgetful = self._forgetful, set()
        return found

    def _without(self, partitions: Iterable[str]) -> set[str]:
        """Those of some partitions whose feed does not hold what was last read of it."""
        seen = {
            name: position
            for name in partitions
            if (position := self._feed_positions[name]) != BEGINNING
        }
        if not seen:
            return set()
        before = {name: _just_before(position) for name, position in seen.items()}
        there = {(entry.partition, entry.id) for entry in self._queues.feed(before, 1)}
        return {name for name, position in seen.items() if (name, position) not in there}

    def _hear(self, block_ms: int) -> list[Reply]:
        found = self._queues.replies(self.sender, self._heard, REPLIES_AT_ONCE, block_ms)
        replies: list[Reply] = []
        for entry in found:
            try:
                replies.append(self._take(entry))
            except BadInput:  # somebody else wrote into the stream
                _LOGGER.warning("entry %s among the replies of %s is none", entry.id, self.sender)
        return replies

    def _take(self, entry: Entry) -> Reply:
        self._heard[entry.partition] = entry.id
        return decode_reply(entry.raw)


def new_request_id() -> str:
    """An id that nobody has used: letters and digits, so that any text holds it as one word."""
    return secrets.token_urlsafe(6).translate(_ONE_WORD)


class Forgotten(NamedTuple):
    """Commits that were seen, and that the store has lost."""

    table: str
    seen: int
    """The newest commit that was seen."""
    left: int
    """The newest commit of the log as it is now."""


class Follower:
    """Tables kept up to date from their logs, as the feeds name new commits.

    A store that lost the end of its logs, by a failover or a power failure, is noticed within
    about a second: its tables are rebuilt from what is left, and named in ``forgotten``.
    """

    def __init__(self, client: Client, clock_s: Callable[[], float] = time.monotonic) -> None:
        self.tables: dict[str, Table] = {}
        self.forgotten: dict[str, Forgotten] = {}
        """The last loss of each table that had one. Whoever has dealt with it may remove it."""
        self._client = client
        self._clock_s = clock_s
        self._named: dict[str, int] = {}
        """The commit of each table that its feed named last."""
        self._doubtful: set[str] = set()
        """Tables of which the store may have lost what was seen."""
        self._behind: set[str] = set()
        """Tables of which the feed named what has not been read yet."""
        self._promised: dict[str, int] = {}
        """Commits that replies named, and that have not been read yet."""
        self._looked_back_s = clock_s()

    def follow(self, table_ids: Iterable[str]) -> None:
        """Begin to follow some tables, from their present state."""
        for table_id in table_ids:
            self.tables[table_id] = rebuild(self._client.log, table_id)

    def promise(self, table_id: str, seq: int) -> None:
        """Say that a reply named a commit: the log must hold it, or the store has lost it."""
        if table_id in self.tables and seq > self.tables[table_id].seq:
            self._promised[table_id] = seq

    def poll(self, block_ms: int) -> list[str]:
        """Wait for news and fold it; return the followed tables that changed, each once."""
        for _, _, name, seq in self._client.news(block_ms):
            if name in self.tables:
                # The second time that a number is named, it is that of another commit.
                again = seq <= self._named.get(name, 0)
                self._named[name] = seq
                (self._doubtful if again else self._behind).add(name)
        self._look_back()
        changed = self.compare(self._doubtful & self.tables.keys())
        behind = self._behind & self.tables.keys()
        changed += self.catch_up(
            name for name in behind if self.tables[name].seq < self._named.get(name, 0)
        )
        self._behind.clear()
        return changed

    def catch_up(self, table_ids: Iterable[str]) -> list[str]:
        """Read what was committed to some tables since; return those that changed."""
        wanted = sorted(table_ids)
        if not wanted:
            return []
        behind = self._client.log.read_many([(name, self.tables[name].seq) for name in wanted])
        return [
            name for name, stored in zip(wanted, behind, strict=True) if self._go_on(name, stored)
        ]

    def compare(self, table_ids: Iterable[str]) -> list[str]:
        """``catch_up`` that looks, too, whether the newest commit that was seen is still there."""
        wanted = sorted(table_ids)
        if not wanted:
            return []
        tables = [self.tables[name] for name in wanted]
        stored = self._client.log.read_many(
            [(name, max(table.seq - 1, 0)) for name, table in zip(wanted, tables, strict=True)]
        )
        changed: list[str] = []
        for name, table, found in zip(wanted, tables, stored, strict=True):
            behind = missed(found, table)
            promised = self._promised.get(name, 0)
            if behind is None or table.seq + len(behind) < promised:
                self._reload(name, promised)
                changed.append(name)
            elif self._go_on(name, behind):
                changed.append(name)
            self._promised.pop(name, None)
            self._doubtful.discard(name)
        return changed

    def _look_back(self) -> None:
        """Doubt the tables of which the store may have lost what was seen."""
        now_s = self._clock_s()
        is_time = now_s - self._looked_back_s >= LOOK_BACK_EVERY_S
        forgetful = self._client.forgetful(ask=is_time)
        self._doubtful |= {name for name in self.tables if partition_of(name) in forgetful}
        if is_time:
            self._looked_back_s = now_s
            self._promised = {
                name: seq
                for name, seq in self._promised.items()
                if name in self.tables and seq > self.tables[name].seq
            }
            self._doubtful |= self._promised.keys()

    def _go_on(self, name: str, stored: Sequence[Stored]) -> bool:
        """Fold commits, unless they are those of another history; whether there were any."""
        if not stored:
            return False
        try:
            self.tables[name] = fold_commits(self.tables[name], stored)
        except BadLog:
            self._reload(name)
        return True

    def _reload(self, name: str, promised: int = 0) -> None:
        if is_trimmed_behind(self._client.log, name, self.tables[name]):
            self.tables[name] = rebuild(self._client.log, name)
            if self.tables[name].seq >= promised:
                return  # nothing is lost: what was missed is in an archive
        seen = max(self.tables[name].seq, promised)
        table = self.tables[name] = rebuild(self._client.log, name)
        self._named.pop(name, None)
        self.forgotten[name] = Forgotten(name, seen, table.seq)
        _LOGGER.warning(
            "table %s: the store forgot commits: %d were seen, and it goes on from %d",
            *self.forgotten[name],
        )


def _just_before(position: str) -> str:
    """The last position before one."""
    milliseconds, number = map(int, position.split("-"))
    if number:
        return f"{milliseconds}-{number - 1}"
    return f"{milliseconds - 1}-{(1 << 64) - 1}"
