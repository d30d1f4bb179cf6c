"""Bots that play through the same queues as real players, and what they measured."""

from __future__ import annotations

import random
import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from doorcard.bots import calling, choice_of
from doorcard.client import Client, Follower, new_request_id, seal_choice_for
from doorcard.commands import (
    Act,
    AddChips,
    Choose,
    CloseTable,
    Command,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
)
from doorcard.engine.choices import Choices, choices
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.errors import BadInput, Refused, StoreError
from doorcard.streams.messages import Reply

REPEAT_AFTER_S: Final = 2.0
BUY_IN: Final = 500
"""Chips that a bot sits down with, and brings again when they are lost."""
SHARES_PER_MS: Final = 10
"""Latencies are counted in tenths of a millisecond."""
ALL_PLAYED: Final = "all hands played"
"""Why bots pause a table."""
LATE: Final = frozenset({"betting/late", "betting/nobody_asked", "choice/late"})
"""What a bot is told that was overtaken: by a void hand, by what the store lost, or by its time."""
PAUSED: Final = "table/paused"
"""What is answered while only the floor may commit; it is sent again when the table goes on."""
NO_KEYS: Final[Mapping[str, bytes]] = {}


class Sent(NamedTuple):
    """A command on its way."""

    table: str
    command: Command
    first_s: float
    last_s: float


class Latencies:
    """How long commands took, counted so that an endless run needs no endless memory."""

    def __init__(self) -> None:
        self._counts = Counter[int]()

    def add(self, seconds: float) -> None:
        """Count one."""
        self._counts[round(seconds * 1000 * SHARES_PER_MS)] += 1

    def at(self, share: float) -> float:
        """The time in milliseconds that this share of the commands did not exceed; 0 for none."""
        left = share * self._counts.total()
        for count in sorted(self._counts):
            left -= self._counts[count]
            if left <= 0:
                return count / SHARES_PER_MS
        return 0.0


class BotRoom:
    """Fills tables with bots and plays a number of hands at each.

    The bots see what a spectator sees and what is legal for them; that is enough to play badly.
    """

    def __init__(
        self, client: Client, hands: int, seat_keys: Mapping[str, bytes] = NO_KEYS
    ) -> None:
        """Make a room.

        Args:
            hands: hands to be played at each table before it is closed; 0 for no end.
            seat_keys: each bot's public key, by player name.
        """
        self.follower = Follower(client)
        self.actions = 0
        self.refusals: Counter[str] = Counter()
        """How often each table answered with each refusal, but for being late."""
        self.late = 0
        """Answers to decisions that were made or gone by then."""
        self.latencies = Latencies()
        self.turned_away = ""
        """Why the last commands found no place in their queue; empty if they did."""
        self._client = client
        self._hands = hands
        self._first_hand: dict[str, int] = {}
        self._seat_keys = seat_keys
        self._outbox: list[tuple[str, str, Command]] = []
        self._sent: dict[str, Sent] = {}
        self._done: dict[tuple[str, str], int] = {}
        """The last number of each purpose that something was sent for, by table and purpose."""
        self._excused: set[str] = set()
        """Requests that may be refused: an earlier run may have left the same in the queue."""
        self._lost_touch = False
        self._first_reply_s = self._last_reply_s = 0.0
        self._random = random.Random(secrets.randbits(64))  # noqa: S311 - how bots play is no secret

    @property
    def tables(self) -> dict[str, Table]:
        """All tables of the room, as last seen."""
        return self.follower.tables

    @property
    def hands_played(self) -> int:
        """Hands that ended since the room was entered."""
        return sum(
            table.hands - self._first_hand[name] - (1 if table.in_hand else 0)
            for name, table in self.tables.items()
            if name in self._first_hand
        )

    @property
    def seconds(self) -> float:
        """How long was played: from the answer to the first action to that to the last."""
        return self._last_reply_s - self._first_reply_s

    @property
    def over(self) -> bool:
        """Whether every table is closed."""
        return all(table.closed for table in self.tables.values())

    @property
    def open_tables(self) -> set[str]:
        """The tables that are not closed yet."""
        return {name for name, table in self.tables.items() if not table.closed}

    @property
    def endless(self) -> bool:
        """Whether hands are played until somebody ends it."""
        return not self._hands

    def paused(self) -> dict[str, str]:
        """The open tables that only the floor may commit to, each with the reason."""
        left = self.open_tables
        return {table: why for table, why in self._client.log.paused().items() if table in left}

    def take_up(self, table_id: str) -> None:
        """Go on at a table that was paused: what was refused meanwhile is sent again."""
        self._forget([table_id])
        self._attend(self.tables[table_id])
        self._flush()

    def open(self, tables: Iterable[tuple[str, OpenTable]]) -> None:
        """Have new tables opened; bots sit down as soon as they are."""
        tables = list(tables)
        self._follow([name for name, _ in tables])
        for name, command in tables:
            self._send(name, command, f"{name}-open")
        self._flush()

    def enter(self, table_ids: Iterable[str]) -> None:
        """Take over open tables: fill their empty seats and go on where they are."""
        self._follow(table_ids)
        for table_id in table_ids:
            self._attend(self.tables[table_id])
        self._excused.update(request_id for request_id, _, _ in self._outbox)
        self._flush()

    def step(self, block_ms: int) -> list[str]:
        """Wait for news, let every bot do what is asked, and return the tables that changed.

        An error of the store leaves nothing undone that a later step would not make up for.

        Raises:
            BadInput: a table could not be opened.
            StoreError: the store holds nothing of a table any more.
        """
        lost_touch, self._lost_touch = self._lost_touch, True
        changed = self.follower.poll(block_ms)
        if lost_touch:
            self.follower.compare(list(self.tables))
            changed = list(self.tables)
        self._begin_again()
        for reply in self._client.replies():
            self._hear(reply)
        for table_id in changed:
            self._attend(self.tables[table_id])
        self._repeat()
        self._flush()
        self._lost_touch = False
        return changed

    # --- one table ---------------------------------------------------------------------------

    def _begin_again(self) -> None:
        """Do again what the store has forgotten at some tables, as if nobody had done it."""
        forgotten, self.follower.forgotten = self.follower.forgotten, {}
        for name, (_, seen, left) in forgotten.items():
            if not left:
                raise StoreError(
                    f"table {name}: of {seen} commits that were seen the store holds none any "
                    "more; nothing is built on that"
                )
        self._forget(forgotten)

    def _forget(self, tables: Collection[str]) -> None:
        """Do at some tables as if nothing had been sent yet."""
        if tables:
            self._done = {
                (name, what): number
                for (name, what), number in self._done.items()
                if name not in tables
            }

    def _follow(self, table_ids: Iterable[str]) -> None:
        self.follower.follow(table_ids)
        for table_id in table_ids:
            table = self.tables[table_id]
            self._first_hand[table_id] = table.hands - (1 if table.in_hand else 0)

    def _attend(self, table: Table) -> None:
        if table.closed or table.config is None:
            return
        if self._played(table) and not table.paused:
            # Nobody acts in the last hand before the pause is in, or another one might begin.
            self._once(table, "pause", table.hands, PauseTable(ALL_PLAYED))
            return
        options = legal(table)
        if options is not None:
            player = table.seats[options.seat].player
            act = replace(calling(options, self._random), player=player)
            self._once(table, "act", table.decision, act)
        elif (asked := choices(table)) is not None:
            self._choose(table, asked)
        elif not table.in_hand:
            self._between_hands(table)

    def _choose(self, table: Table, asked: Choices) -> None:
        """Let everybody who is asked for a roll, a purchase or a declaration answer."""
        hand = table.hand
        assert hand is not None, "somebody is asked, so there is a hand"
        for seat in asked.seats:
            if self._done.get((table.id, f"choose-{seat}"), -1) >= asked.decision:
                continue
            player = hand.players[hand.index_of(seat)]
            choice, place, direction = choice_of(
                asked, seat, player.down, player.up_places, self._random
            )
            sealed = b""
            if asked.secret:
                text = direction if asked.kind == "declare" else str(place)
                sealed, place, direction = seal_choice_for(table, seat, text), None, ""
            name = table.seats[seat].player
            command = Choose(seat, asked.decision, choice, place, direction, sealed, name)
            self._once(table, f"choose-{seat}", asked.decision, command)

    def _between_hands(self, table: Table) -> None:
        if self._played(table):
            if table.paused:
                self._once(table, "close", table.hands, CloseTable())
            return
        if table.pause_reason == ALL_PLAYED:  # by an earlier run, which was stopped then
            self._once(table, "resume", table.hands, ResumeTable())
        config = table.config
        assert config is not None, "only open tables are attended"
        for number in range(config.seats):
            seat = table.seats.get(number)
            chips = min(BUY_IN, config.buy_in_max)
            if seat is None:
                player = f"bot-{number}"
                request = f"{table.id}-{player}-buy-in"[-64:]
                key = self._seat_keys.get(player, b"")
                sit_down = SitDown(number, player, chips, request, key)
                self._once(table, f"sit-{number}", 1, sit_down, request)
            elif seat.stack == 0 and not seat.leaving:
                count = len(seat.requests)
                request = f"{table.id}-{seat.player}-more-{count}"[-64:]
                again = AddChips(number, seat.player, chips, request)
                self._once(table, f"chips-{number}", count, again, request)

    def _played(self, table: Table) -> bool:
        """Whether the last hand that was asked for has begun."""
        return bool(self._hands) and table.hands >= self._first_hand[table.id] + self._hands

    # --- sending -----------------------------------------------------------------------------

    def _once(
        self, table: Table, what: str, number: int, command: Command, request: str = ""
    ) -> None:
        """Send a command unless one for the same purpose has been sent."""
        if self._done.get((table.id, what), -1) < number:
            self._done[table.id, what] = number
            self._send(table.id, command, request or new_request_id())

    def _send(self, table_id: str, command: Command, request_id: str) -> None:
        self._outbox.append((request_id, table_id, command))
        now_s = time.perf_counter()
        self._sent[request_id] = Sent(table_id, command, now_s, now_s)

    def _flush(self) -> None:
        """Send all that was decided, together. What finds its queue full is repeated later."""
        outbox, self._outbox = self._outbox, []
        if outbox:
            sent = self._client.send_many(outbox)
            refused = [entry.sentence for entry in sent if isinstance(entry, Refused)]
            self.turned_away = refused[0] if refused else ""

    def _hear(self, reply: Reply) -> None:
        sent = self._sent.pop(reply.id, None)
        if sent is None:
            return
        if not reply.ok:
            if isinstance(sent.command, OpenTable):
                self._require_open(sent.table, sent.command, reply)
            elif reply.code in LATE:
                self.late += 1
            elif reply.id not in self._excused and reply.code != PAUSED:
                self.refusals[f"{sent.table}: {reply.code}"] += 1
            return
        if reply.seq is not None:
            self.follower.promise(reply.table, reply.seq)
        if isinstance(sent.command, Act | Choose):
            now_s = self._last_reply_s = time.perf_counter()
            self._first_reply_s = self._first_reply_s or now_s
            self.actions += 1
            if sent.first_s >= self._first_reply_s:  # else it waited for the workers to start
                self.latencies.add(now_s - sent.first_s)

    def _require_open(self, name: str, wanted: OpenTable, refusal: Reply) -> None:
        """Take a table that an earlier run has left in the queue to be opened."""
        self.follower.catch_up([name])
        table = self.tables[name]
        found = None if table.config is None else table.config.spec
        if found is None or (found.game, found.variant) != (wanted.game, wanted.variant):
            raise BadInput(f"table {name} was not opened: {refusal.sentence}")
        self._attend(table)

    def _repeat(self) -> None:
        """Send again, with the same id, what nobody has answered."""
        now_s = time.perf_counter()
        late: list[str] = []
        for request_id, sent in self._sent.items():  # in the order of sending
            if now_s - sent.last_s < REPEAT_AFTER_S:
                break
            late.append(request_id)
        for request_id in late:
            sent = self._sent.pop(request_id)
            self._sent[request_id] = sent._replace(last_s=now_s)
            self._outbox.append((request_id, sent.table, sent.command))
