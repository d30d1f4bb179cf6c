"""The players of a bench: many bots behind one client, as fast as they can or at a given pace."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from time import monotonic, perf_counter, sleep, time
from typing import Any, Final, NamedTuple

from doorcard.bench.logs import DEEP_CHIPS
from doorcard.bench.play import SEATS, opening, sitting_down
from doorcard.bots import Bot, calling
from doorcard.client import Client, Follower, new_request_id
from doorcard.commands import Command, PauseTable, ResumeTable
from doorcard.engine.legal import legal
from doorcard.errors import Refused, StoreError
from doorcard.fairness.keys import SeatKey
from doorcard.streams.delivery import Reply as Entry
from doorcard.streams.keys import partition_names
from doorcard.streams.replies import Reply

SEED: Final = 7
TURN_S: Final = 0.005
"""The players' program looks at everything that it heard so often, as a gateway would: each look
costs the store some work, which is not the service's own."""
OPENING_S_MAX: Final = 120.0
SPREADING_S_MAX: Final = 600.0
ACTION_MS: Final = 300_000
"""So long that nobody is timed out while many tables are opened, or others are played."""
ACTIONS_APART_MAX: Final = 40
"""About as many as a hand has, where everybody calls."""
MS_PER_S: Final = 1000
TURN_MS: Final = round(TURN_S * MS_PER_S)


class Played(NamedTuple):
    """What some seconds of play came to."""

    seconds: float
    actions: int
    """Accepted."""
    latencies_ms: list[float]
    """From each action's sending until its commit was in, by the store's clock, to the end of the
    millisecond: whatever this program took to hear of it does not count."""

    @property
    def rate(self) -> float:
        """Accepted actions a second."""
        return self.actions / self.seconds


class TimedClient(Client):
    """A client that notes when the store was given each reply: a granted one, with its commit."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.replied_ms: dict[str, int] = {}
        """By request, in milliseconds since 1970."""

    def _take(self, entry: Entry) -> Reply:
        reply = super()._take(entry)
        self.replied_ms[reply.id] = int(entry.id.partition("-")[0])
        return reply


class Players:
    """Bots at all seats of some tables. They look at no cards and never run out of chips."""

    def __init__(self, client: TimedClient, partitions: int, bot: Bot = calling) -> None:
        self._client = client
        self._bot = bot
        self._partitions = partition_names(partitions)
        self._follower = Follower(client)
        self._chance = Random(SEED)  # noqa: S311 - how bots play is no secret
        self._ready: deque[str] = deque()
        """Tables whose asked seat has not been sent for yet, the longest waiting first."""
        self._answered: dict[str, int] = {}
        """The last decision of each table that something was sent for."""
        self._sent_ms: dict[str, float] = {}
        """When each action that no reply has come for was sent, by request; as ``replied_ms``."""
        self._latencies_ms: list[float] = []

    @property
    def hands(self) -> int:
        """Hands that have ended."""
        tables = self._follower.tables.values()
        return sum([table.hands - (1 if table.in_hand else 0) for table in tables])

    @property
    def tables(self) -> list[str]:
        """The ids of all tables."""
        return list(self._follower.tables)

    def sit_down(self, game: str, tables: int) -> None:
        """Open tables and take all their seats, each with a key that its cards are sealed to.

        No hand starts before: else the first one, which at many tables is the only one that a bench
        sees of most, would be played by the two or three that sat down first.

        Raises:
            StoreError: the service refused something, or did not answer in time.
        """
        names = [
            f"{self._partitions[number % len(self._partitions)]}.bench-{number}"
            for number in range(tables)
        ]
        keys = [SeatKey.generate().public for _ in range(SEATS)]
        opened = replace(opening(game), action_ms=ACTION_MS)
        sat_down = sitting_down(DEEP_CHIPS, keys)
        steps: list[Command] = [opened, PauseTable("filling up"), *sat_down, ResumeTable()]
        for command in steps:
            self._request([(name, command) for name in names])
        self._follower.follow(names)
        self._look_at(names)

    def spread_out(self) -> None:
        """Let each table come to another point of its hand, as in a service that is in use.

        Else all tables would be dealt to, and show down, at the same time; and some seconds of
        many tables would be the beginnings of their hands alone.

        Raises:
            StoreError: the service refused something, or did not get there in time.
        """
        left = {name: self._chance.randrange(ACTIONS_APART_MAX) for name in self.tables}
        there: list[str] = []
        give_up_s = monotonic() + SPREADING_S_MAX
        while len(there) < len(left):
            if monotonic() > give_up_s:
                raise StoreError("the service comes to no end of what was asked of it")
            ready, self._ready = self._ready, deque()
            for name in ready:
                if left[name]:
                    left[name] -= 1
                    self._ready.append(name)
                else:
                    there.append(name)
            self._act(len(self._ready))
            self._hear()
            self._look_at(self._follower.poll(TURN_MS))
        self._chance.shuffle(there)
        self._ready.extend(there)

    def play(self, seconds: float, rate: float | None = None) -> Played:
        """Play for some seconds.

        Args:
            rate: actions sent a second, evenly spaced however fast the answers come; without it
                everybody acts as soon as asked.
        """
        self._latencies_ms = []
        start = perf_counter()
        sent = 0
        while (passed := perf_counter() - start) < seconds:
            due = len(self._ready) if rate is None else int(passed * rate) - sent
            if self._ready and due > 0:
                sent += self._act(due)
            self._hear()
            self._look_at(self._follower.poll(0))
            sleep(max(0.0, start + passed + TURN_S - perf_counter()))
        self._hear()
        return Played(perf_counter() - start, len(self._latencies_ms), self._latencies_ms)

    def _act(self, most: int) -> int:
        """Send the actions of tables that wait for them; how many they were."""
        requests: list[tuple[str, str, Command]] = []
        while self._ready and len(requests) < most:
            name = self._ready.popleft()
            options = legal(self._follower.tables[name])
            if options is not None:
                self._answered[name] = options.decision
                requests.append((new_request_id(), name, self._bot(options, self._chance)))
        now_ms = time() * MS_PER_S
        self._send(requests)
        self._sent_ms.update({request_id: now_ms for request_id, _, _ in requests})
        return len(requests)

    def _send(self, requests: Sequence[tuple[str, str, Command]]) -> None:
        """Put requests into their queues; raises ``StoreError`` where one is refused."""
        for (_, name, _), sent in zip(requests, self._client.send_many(requests), strict=True):
            if isinstance(sent, Refused):
                raise StoreError(f"table {name}: {sent.sentence}")

    def _hear(self) -> None:
        """Take in replies.

        Raises:
            StoreError: an action was refused, which no bot's should be.
        """
        for reply in self._client.replies():
            replied_ms = self._client.replied_ms.pop(reply.id, 0) + 1
            sent_ms = self._sent_ms.pop(reply.id, None)
            if sent_ms is None:
                continue
            if not reply.ok:
                raise StoreError(f"table {reply.table}: {reply.sentence}")
            self._latencies_ms.append(replied_ms - sent_ms)

    def _look_at(self, names: Sequence[str]) -> None:
        """Note which tables wait for an action."""
        for name in names:
            options = legal(self._follower.tables[name])
            if options is not None and self._answered.get(name) != options.decision:
                self._answered[name] = options.decision
                self._ready.append(name)

    def _request(self, wanted: Sequence[tuple[str, Command]]) -> None:
        """Send commands to the floor and wait until all are granted."""
        requests = [(new_request_id(), name, command) for name, command in wanted]
        waiting = {request_id for request_id, _, _ in requests}
        self._send(requests)
        give_up_s = monotonic() + OPENING_S_MAX
        while waiting:
            for reply in self._client.replies(block_ms=100):
                if not reply.ok:
                    raise StoreError(f"table {reply.table}: {reply.sentence}")
                waiting.discard(reply.id)
            if monotonic() > give_up_s:
                raise StoreError("the service does not answer")
