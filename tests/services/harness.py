"""A whole service in this process, a step at a time: a worker a role, a clock, and players."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, Final, cast

from doorcard.bots import calling
from doorcard.commands import (
    Act,
    CloseTable,
    Command,
    Leave,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
)
from doorcard.engine.hand import Hand
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.events import Dealt, Event, HandStarted
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.fairness.ring_text import RingKeys
from doorcard.limits import Limits
from doorcard.streams.codec import decode
from doorcard.streams.commit import Commit
from doorcard.streams.delivery import BEGINNING, DeadLetter, MessageQueues
from doorcard.streams.folding import rebuild
from doorcard.streams.keys import GROUP
from doorcard.streams.log import Log
from doorcard.streams.messages import Reply, decode_reply, encode_request, role_for
from doorcard.tables import Role
from services.betting import BettingDecider
from services.decider import Decider
from services.deciders import DealerDecider, DeckKeeper, FloorDecider, ShowdownDecider
from services.logs import Logger
from services.settings import Settings
from services.worker import Worker
from tests.services.shops import ROLES, MemoryShop, RedisShop, Shop

RING: Final = DeckKeyRing(RingKeys({"k1": b"\1" * 32}, "k1", {"h1": b"\2" * 32}, "h1"))
LIMITS: Final = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
ACTION_MS: Final = 30_000
TABLE: Final = "p00.stud-1"
SENDER: Final = "players"
PASSES_MAX: Final = 10_000


class NoteBook:
    """A logger that keeps its lines for the test to look at."""

    def __init__(self) -> None:
        self.lines: list[dict[str, object]] = []

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 - as the standard library has it
        return level > 0

    def said(self, event: str) -> list[dict[str, object]]:
        """The lines about one kind of event."""
        return [line for line in self.lines if line["event"] == event]

    def __getattr__(self, level: str) -> Callable[..., None]:
        def write(event: str, **facts: object) -> None:
            self.lines.append({"level": level, "event": event, **facts})

        return write


def settings_for(**changes: object) -> Settings:
    """Settings as tests need them; ``changes`` are not checked."""
    return Settings(partitions=1, claim_idle_ms=5_000).model_copy(update=changes)


def decider_for(role: Role, ring: DeckKeyRing = RING) -> Decider:
    """A role's decider as its program makes it."""
    if role == "betting":
        return BettingDecider()
    if role == "floor":
        return FloorDecider()
    keeper = DeckKeeper(ring)
    return DealerDecider(keeper) if role == "dealer" else ShowdownDecider(keeper)


class House:
    """A service: a worker of each role, which a test may exchange, and its players' messages."""

    def __init__(self, shop: Shop, settings: Settings | None = None) -> None:
        self.shop = shop
        self.settings = settings or settings_for()
        self.notes = NoteBook()
        self.workers: dict[Role, Worker] = {}
        self.made = Counter[str]()
        self.log = shop.log()
        self.queues = shop.queues()
        self.wrap: Callable[[Role, Any], Any] = lambda _, adapter: adapter
        """Put between a worker and its adapters."""
        self._heard = dict.fromkeys(shop.partitions, BEGINNING)
        for role in ROLES:
            self.hire(role)

    def hire(self, role: Role, decider: Decider | None = None) -> Worker:
        """A new worker in the place of the old one; it knows nothing but the store."""
        worker = self.new_worker(role, decider)
        self.workers[role] = worker
        return worker

    def new_worker(self, role: Role, decider: Decider | None = None) -> Worker:
        """A worker that is not one of the house's own."""
        return Worker(
            decider or decider_for(role),
            cast("Log", self.wrap(role, self.shop.log())),
            cast("MessageQueues", self.wrap(role, self.shop.queues())),
            self.shop.clock(),
            self.settings,
            cast("Logger", self.notes),
        )

    # --- the outside ---------------------------------------------------------------------------

    def send(
        self, command: Command, request_id: str = "", *, table: str = TABLE, sender: str = SENDER
    ) -> str:
        """Put a player's or an operator's request into its queue; its id."""
        request_id = request_id or f"request-{self.made['requests']}"
        self.made["requests"] += 1
        raw = encode_request(request_id, sender, table, command)
        assert isinstance(self.queues.send(role_for(command), table, raw), str)
        return request_id

    def ask(self, command: Command, request_id: str = "", *, table: str = TABLE) -> Reply:
        """Send a request, let everything happen that follows, and return its reply."""
        request_id = self.send(command, request_id, table=table)
        self.settle()
        (reply,) = [
            reply for reply in self.replies() if (reply.id, reply.table) == (request_id, table)
        ]
        return reply

    def replies(self) -> list[Reply]:
        """Replies since the last call."""
        found = self.queues.replies(SENDER, self._heard, 10_000)
        self._heard |= {reply.partition: reply.id for reply in found}
        return [decode_reply(reply.raw) for reply in found]

    def table(self, table: str = TABLE) -> Table:
        """A table as its log gives it."""
        return rebuild(self.log, table)

    def hand(self, table: str = TABLE) -> Hand:
        """The hand in progress, or the last one."""
        hand = self.table(table).hand
        assert hand is not None
        return hand

    def commits(self, table: str = TABLE) -> list[Commit]:
        """All commits of a table."""
        return [decode(stored.raw) for stored in self.log.read(table)]

    def events(self, table: str = TABLE) -> list[Event]:
        """All events of a table."""
        return [event for commit in self.commits(table) for event in commit.events]

    # --- the inside ----------------------------------------------------------------------------

    def step(self, roles: Iterable[Role] = ROLES) -> int:
        """Let each worker that has messages handle a batch; how many messages there were."""
        done = 0
        for role in roles:
            worker = self.workers[role]
            unread = sum(self.queues.length(role, name) for name in self.shop.partitions)
            if unread or worker.waiting:
                done += self.workers[role].step(0)
        return done

    def settle(self, roles: Iterable[Role] = ROLES) -> None:
        """Let everybody work until nothing is left that anybody could do now."""
        roles = tuple(roles)
        for _ in range(PASSES_MAX):
            if not self.step(roles):
                return
        raise AssertionError("the workers never come to an end")

    def fire(self) -> int:
        """Let the clock look for timers that ran out."""
        return self.queues.fire_many(self.shop.partitions, 100)

    def claim(self) -> int:
        """Let time pass until what was left behind is given to others; how much it was."""
        self.shop.pass_ms(self.settings.claim_idle_ms + 1)
        if isinstance(self.shop, RedisShop):
            self.shop.pass_long()
        return sum(self.workers[role].claim() for role in ROLES)

    def open(self, seats: int = 3, game: str = "seven_card_stud", **more: Any) -> None:
        """Open the table and seat players; the first hand is dealt."""
        settings: dict[str, Any] = {"limits": LIMITS, "action_ms": ACTION_MS, **more}
        assert self.ask(OpenTable(game, **settings), "open").ok
        for seat in range(seats):
            self.send(sit_down(seat), f"sit-{seat}")
        self.settle()

    def seat_undealt(self) -> None:
        """Open the table and seat two players; the dealer has not read that it is to deal."""
        self.ask(OpenTable("razz", LIMITS, seats=2), "open")
        for seat in range(2):
            self.send(sit_down(seat), f"sit-{seat}")
        self.settle(("floor",))

    def act(self, player: Callable[[Table], Act] | None = None) -> Reply:
        """Let the seat that is asked act; the reply."""
        return self.ask((player or calm)(self.table()))


def sit_down(seat: int, chips: int = 100) -> SitDown:
    return SitDown(seat, f"player-{seat}", chips, f"sit-{seat}", seat_key(seat).public)


def seat_key(seat: int) -> SeatKey:
    """The key of a seat's player."""
    return SeatKey(bytes((seat + 100,)) * 32)


def calm(table: Table) -> Act:
    """Stay in for as little as possible."""
    options = legal(table)
    assert options is not None
    if options.bring_in is not None:
        return Act(options.seat, options.decision, "bring_in")
    return Act(options.seat, options.decision, "check" if options.check else "call")


def buried(house: House) -> tuple[Act, DeadLetter]:
    """A player's action at a table of two that nobody could handle, and its letter."""
    house.open(2)
    act = calm(house.table())
    house.send(act, "act")
    (delivery,) = house.queues.read("betting", ["p00"], 10)
    house.queues.bury(delivery, TABLE, "nobody could")
    (letter,) = house.queues.dead("p00")
    return act, letter


def lively(table: Table) -> Act:
    """Act at random, but the same in every run."""
    options = legal(table)
    assert options is not None
    return calling(options, Random(options.decision))


class Evening:
    """One hand from the opening of a table to its closing, the same commits in every run.

    Players and floor do one thing at a time, each decided by what the log says alone. Somebody
    asks to leave in the middle, somebody else lets the time run out.
    """

    SEATS = 3
    LEAVES_AT = 3
    SLEEPS_AT = 5

    def __init__(self, house: House) -> None:
        self.house = house
        self.sent: set[str] = set()

    def play(self) -> list[Commit]:
        """Play to the end; the commits."""
        house = self.house
        for _ in range(PASSES_MAX):
            house.settle()
            table = house.table()
            if table.closed:
                return house.commits()
            if not self._speak(table) and not house.claim():
                self._sleep(table)
        raise AssertionError("the evening never comes to an end")

    def _sleep(self, table: Table) -> None:
        """Nothing to be done but to wait for the one who sleeps."""
        assert table.decision == self.SLEEPS_AT, f"stuck at {table.seq}: {table.awaited}"
        if isinstance(self.house.shop, MemoryShop):
            self.house.shop.time.ms = max(self.house.shop.time.ms, table.deadline_ms)
        else:
            time.sleep(max(0, table.deadline_ms / 1000 - time.time()) + 0.002)
        assert self.house.fire() <= 1

    def _speak(self, table: Table) -> bool:
        """Send what is to be said now, unless it has been; whether anything was."""
        spoken = False
        for request_id, command in self._script(table):
            if request_id not in self.sent:
                self.sent.add(request_id)
                self.house.send(command, request_id)
                spoken = True
        return spoken

    def _script(self, table: Table) -> Sequence[tuple[str, Command]]:
        if table.config is None:
            action_ms = ACTION_MS if isinstance(self.house.shop, MemoryShop) else 250
            opening = OpenTable("seven_card_stud", LIMITS, seats=self.SEATS, action_ms=action_ms)
            return [("open", opening)]
        if not table.hands:
            return self._set_up(table)
        if table.in_hand:
            return self._in_hand(table)
        if any(seat.leaving for seat in table.seats.values()):
            return []
        return [("close", CloseTable())]

    def _set_up(self, table: Table) -> Sequence[tuple[str, Command]]:
        if len(table.seats) == self.SEATS:
            return [("resume", ResumeTable())] if table.paused else []
        if not table.paused:
            return [("pause", PauseTable("not yet"))]
        seat = len(table.seats)
        return [(f"sit-{seat}", sit_down(seat))]

    def _in_hand(self, table: Table) -> Sequence[tuple[str, Command]]:
        if not table.paused:
            return [("last", PauseTable("the last hand"))]
        options = legal(table)
        if options is None:
            return []
        if table.decision == self.LEAVES_AT and not table.seats[options.seat].leaving:
            return [("leave", Leave(options.seat, f"player-{options.seat}", "leave"))]
        if table.decision in (self.LEAVES_AT, self.SLEEPS_AT):
            return []
        return [(f"act-{table.decision}", lively(table))]


def essence(commits: Iterable[Commit]) -> list[tuple[object, ...]]:
    """What must be the same however often a hand is played: everything but times and secrets."""
    return [
        (commit.role, _timeless(commit.cause), commit.digest, tuple(map(_plain, commit.events)))
        for commit in commits
    ]


def _timeless(cause: str) -> str:
    return "timer" if cause.startswith("timer-") else cause


def _plain(event: Event) -> Event:
    if isinstance(event, HandStarted):
        return event._replace(chain=b"", sealed_seed=b"")
    return event._replace(sealed=()) if isinstance(event, Dealt) else event


def assert_all_is_done(house: House) -> None:
    """Nothing waits, nothing is handed out, and no request is in the log twice."""
    shop = house.shop
    assert shop.unfinished() == {}
    if isinstance(shop, MemoryShop):
        assert not [name for name, queue in shop.store.queues.items() if queue.given]
    causes = Counter(commit.cause for commit in house.commits())
    assert [cause for cause, count in causes.items() if count > 1] == []
    assert house.log.paused() == {}


assert GROUP == "workers", "the name of the group is part of the store's form"
