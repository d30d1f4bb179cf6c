from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fakeredis
import pytest

from doorcard.cards import CARDS
from doorcard.commands import Act, OpenTable, SitDown
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.table import NO_CHAIN, Table
from doorcard.events import HandStarted
from doorcard.limits import Limits
from doorcard.streams.codec import encode, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.connection import connect
from doorcard.streams.folding import fold_commits
from doorcard.streams.keys import (
    GROUP,
    partition_of,
    queue_key,
    timer_member,
    timers_key,
    writes_key,
)
from doorcard.streams.log import Append, Stored
from doorcard.streams.memory_log import MemoryLog
from doorcard.streams.memory_store import MemoryStore
from doorcard.streams.queues import MemoryQueues, Queues
from doorcard.streams.redis_log import RedisLog
from doorcard.tables import Role
from doorcard.testing import StackedDeck
from services.embedded import EmbeddedServer

PARTITIONS = ("p00", "p01")
STORES = ("memory", "fake redis", "fake valkey", "server")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-words",
        action="store_true",
        help="write down the words of a format that no release has written yet",
    )


class Shop:
    """One store as tests use it: its two adapters, and a look inside."""

    def __init__(self, log: Any, queues: Any, client: Any = None) -> None:
        self.log = log
        self.queues = queues
        self.client = client

    def clock(self) -> Any:
        """Another clock's way to the queues."""
        return MemoryQueues(self.log.store) if self.client is None else Queues(self.client)

    def timers(self, partition: str = "p00") -> dict[str, int]:
        """Running timers, and when they run out."""
        if self.client is None:
            return dict(self.log.store.timers[partition])
        pairs: Any = self.client.zrange(timers_key(partition), 0, -1, withscores=True)
        return {member.decode(): int(score) for member, score in pairs}

    def last_write(self, at_ms: int) -> None:
        """Let a clock's last write have been then."""
        if self.client is None:
            self.log.store.wrote_ms["p00"] = at_ms
        else:
            self.client.hset(writes_key("p00"), "at", at_ms)

    def waiting(self, role: Role, partition: str = "p00") -> list[bytes]:
        """Every message in a queue, handed out or not."""
        key = queue_key(role, partition)
        if self.client is None:
            return list(self.log.store.queues[key].entries.values())
        return [fields[b"m"] for _, fields in self.client.xrange(key)]

    def look(self, role: Role = "betting", partition: str = "p00") -> None:
        """Notice what has been handed out by now, which a server must before it gives it again."""
        if self.client is not None:
            assert self.queues.claim(role, [partition], 0, 100) == []

    def run_timer(self, table: str, at_ms: int, role: Role = "betting") -> None:
        """Start a timer without a commit."""
        member, partition = timer_member(table, role), partition_of(table)
        if self.client is None:
            self.log.store.timers[partition][member] = at_ms
        else:
            self.client.zadd(timers_key(partition), {member: at_ms})


def stored_of(append: Append) -> Stored:
    """A commit as it lies in its log."""
    return Stored(append.seq, append.raw, append.chain[:PREV_BYTES])


class Writer:
    """Somebody who appends made-up commits to one table."""

    def __init__(self, log: Any, table: str = "p00.a") -> None:
        self.log = log
        self.table = table
        self.newest = Stored(0, b"")
        self.chain = NO_CHAIN

    def draw(self, text: str = "bytes", **changes: Any) -> Append:
        """The next commit; it is not appended yet."""
        seq = self.newest.seq + 1
        raw = changes.get("raw", f"{text} {seq}".encode())
        chain = next_chain(self.chain, raw) if raw else NO_CHAIN
        append = Append(self.table, seq, self.chain, chain, raw, "betting", self.log.now_ms())
        return append._replace(**changes)

    def add(self, text: str = "bytes", **changes: Any) -> Append:
        """Append the next commit, which must go in."""
        append = self.draw(text, **changes)
        assert self.log.append([append]) == [("ok", "")]
        self.wrote(append)
        return append

    def wrote(self, append: Append) -> None:
        """Go on from a commit."""
        self.newest = stored_of(append)
        self.chain = append.chain

    def follow(self, other: Writer) -> None:
        """Go on from where another writer is."""
        self.newest, self.chain = other.newest, other.chain


class Game:
    """A table that is really played by the engine, and its log as stored commits."""

    def __init__(self, table_id: str = "p00.game", seed: int = 1, seats: int = 4) -> None:
        self.random = random.Random(seed)
        self.stored: list[Stored] = []
        self.appends: list[Append] = []
        self.chain = NO_CHAIN
        self.hand_seq = 0
        self.time_ms = 1_750_000_000_000
        limits = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
        self.table = Table()
        self.id = table_id
        command = OpenTable("seven_card_stud", limits, house=(("rake_bps", 500),), seats=seats)
        self.commit("floor", floor.open_table(table_id, command))
        for seat in range(seats):
            sit_down = SitDown(seat, f"player {seat}", 200 + seat, f"sit {seat}")
            self.commit("floor", floor.decide(self.table, sit_down))

    def play(self, hands: int = 1) -> Game:
        """Play whole hands, everybody acting at random."""
        for _ in range(hands):
            deck = self.deck()
            self.step(deck)
            while self.table.in_hand:
                self.step(deck)
        return self

    def deck(self) -> StackedDeck:
        order = list(CARDS)
        self.random.shuffle(order)
        return StackedDeck([str(card) for card in order])

    def step(self, deck: StackedDeck) -> None:
        """One decision, whoever has to make it."""
        table, role = self.table, self.table.awaited
        if role == "dealer":
            self.commit(role, dealer.decide(table, deck))
        elif role == "betting":
            self.commit(role, betting.decide(table, self.act()), cause=f"act-{table.seq}")
        elif role == "showdown":
            self.commit(role, showdown.decide(table, deck))

    def act(self) -> Act:
        may: Any = legal(self.table)
        choices: list[tuple[Any, int | None]] = []
        if may.check:
            choices.append(("check", None))
        if may.call is not None:
            choices += [("call", None)] * 3
        if may.bring_in is not None:
            choices.append(("bring_in", None))
        if may.fold:
            choices.append(("fold", None))
        if may.wager is not None:
            choices.append((may.wager.kind, may.wager.low))
        action, to = self.random.choice(choices)
        return Act(may.seat, may.decision, action, to)

    def commit(self, role: Role, decided: Any, cause: str = "") -> None:
        assert isinstance(decided, Decided), decided
        self.time_ms += 250
        prev = self.chain[:PREV_BYTES]
        raw = encode(Commit(self.time_ms, role, cause, b"digest", prev, decided.events))
        before, self.chain = self.chain, next_chain(self.chain, raw)
        seq = len(self.stored) + 1
        if any(isinstance(event, HandStarted) for event in decided.events):
            self.hand_seq = seq
        append = Append(self.id, seq, before, self.chain, raw, role, self.time_ms)
        self.appends.append(append)
        self.stored.append(stored_of(append))
        self.table = fold_commits(self.table, [stored_of(append)])


@pytest.fixture
def game() -> type[Game]:
    return Game


@pytest.fixture
def writer() -> type[Writer]:
    return Writer


@pytest.fixture(params=STORES)
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    """Every store there is, one after the other."""
    if request.param == "memory":
        store = MemoryStore()
        yield Shop(MemoryLog(store), MemoryQueues(store))
        return
    client = _client(request)
    yield Shop(RedisLog(client, partitions=PARTITIONS), Queues(client), client)
    client.close()


@pytest.fixture(params=STORES[1:])
def redis_shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    """The stores that are reached by a Redis client."""
    client = _client(request)
    yield Shop(RedisLog(client, partitions=PARTITIONS), Queues(client), client)
    client.close()


def _client(request: pytest.FixtureRequest) -> Any:
    if request.param == "server":
        return request.getfixturevalue("server_client")
    kind = "valkey" if "valkey" in request.param else "redis"
    return fakeredis.FakeRedis(version=(7, 2), server_type=kind, protocol=2)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A real server for all tests of this folder."""
    with (
        TemporaryDirectory(prefix="doorcard-") as folder,
        EmbeddedServer.start(Path(folder) / "data") as server,
    ):
        yield server.url


@pytest.fixture
def server_client(server_url: str) -> Iterator[Any]:
    """A client of the real server, which is empty and knows no functions."""
    client: Any = connect(server_url)
    client.flushall()
    client.function_flush()
    yield client
    client.close()


@pytest.fixture
def filled(shop: Shop) -> Callable[[Role, int], list[str]]:
    """Put numbered messages into a queue."""

    def fill(role: Role, count: int) -> list[str]:
        return [shop.queues.send(role, "p00.a", b"%d" % number) for number in range(count)]

    return fill


assert GROUP == "workers", "the name of the group is part of the store's form"
