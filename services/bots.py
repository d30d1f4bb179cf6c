"""Bots that play through the same queues as real players, and what they measured."""

from __future__ import annotations

import random
import secrets
import time
from dataclasses import replace
from typing import NamedTuple

from doorcard.bots import calling
from doorcard.client import Client, Follower
from doorcard.commands import Act, AddChips, CloseTable, Command, PauseTable, SitDown
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.errors import StoreError
from doorcard.streams.messages import Reply

REPEAT_AFTER_S = 2.0
BUY_IN = 500
"""Chips that a bot sits down with, in big bets of ten chips: fifty."""


class Sent(NamedTuple):
    """A command on its way."""

    table: str
    command: Command
    at_s: float


class BotRoom:
    """Fills tables with bots and plays a number of hands at each.

    The bots see what a spectator sees and what is legal for them; that is enough to play badly.
    """

    def __init__(self, client: Client, hands: int, seat_keys: dict[str, bytes]) -> None:
        """Make a room.

        Args:
            hands: hands to be played at each table before it is closed; 0 for no end.
            seat_keys: each bot's public key, by player name.
        """
        self.follower = Follower(client)
        self.actions = 0
        self.refusals: list[str] = []
        self.latencies_ms: list[float] = []
        self._client = client
        self._hands = hands
        self._first_hand: dict[str, int] = {}
        self._last_hand: dict[str, int] = {}
        self._seat_keys = seat_keys
        self._sent: dict[str, Sent] = {}
        self._waiting: set[tuple[str, str, int]] = set()
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
    def over(self) -> bool:
        """Whether every table is closed."""
        return all(table.closed for table in self.tables.values())

    def enter(self, table_ids: list[str]) -> None:
        """Take over open tables: fill their empty seats and go on where they are."""
        self.follower.follow(table_ids)
        for table_id in table_ids:
            table = self.tables[table_id]
            self._first_hand[table_id] = table.hands - (1 if table.in_hand else 0)
            self._last_hand[table_id] = self._first_hand[table_id] + self._hands
            self._fill(table)
            self._attend(table)

    def step(self, block_ms: int) -> list[str]:
        """Wait for news, let every bot do what is asked, and return the tables that changed."""
        changed = self.follower.poll(block_ms)
        for reply in self._client.replies():
            self._hear(reply)
        for table_id in changed:
            self._attend(self.tables[table_id])
        self._repeat()
        return changed

    # --- one table ---------------------------------------------------------------------------

    def _fill(self, table: Table) -> None:
        config = table.config
        if config is None or table.closed:
            return
        for seat in range(config.seats):
            if seat not in table.seats:
                player = f"bot-{seat}"
                chips = min(BUY_IN, config.buy_in_max)
                request = f"{table.id}-{player}-buy-in"
                key = self._seat_keys.get(player, b"")
                self._send(table.id, SitDown(seat, player, chips, request, key), request)

    def _attend(self, table: Table) -> None:
        if table.closed:
            return
        options = legal(table)
        if options is not None:
            self._once(table, "act", table.decision, self._act(table))
        elif not table.in_hand:
            self._between_hands(table)
        if self._hands and table.hands >= self._last_hand[table.id] and not table.paused:
            self._once(table, "pause", table.hands, PauseTable("all hands played"))

    def _act(self, table: Table) -> Act:
        options = legal(table)
        assert options is not None, "a seat is asked"
        return replace(calling(options, self._random), player=table.seats[options.seat].player)

    def _between_hands(self, table: Table) -> None:
        if table.paused and self._hands and table.hands >= self._last_hand[table.id]:
            self._once(table, "close", table.hands, CloseTable())
            return
        for seat in table.seats.values():
            if seat.stack == 0:
                request = f"{table.id}-{seat.player}-more-{len(seat.requests)}"
                again = AddChips(seat.seat, seat.player, BUY_IN, request)
                self._once(table, f"chips-{seat.seat}", len(seat.requests), again, request)

    # --- sending -----------------------------------------------------------------------------

    def _once(
        self, table: Table, what: str, number: int, command: Command, request: str = ""
    ) -> None:
        """Send a command unless one for the same purpose has been sent."""
        purpose = (table.id, what, number)
        if purpose not in self._waiting:
            self._waiting.add(purpose)
            self._send(table.id, command, request)

    def _send(self, table_id: str, command: Command, request: str = "") -> None:
        now = time.perf_counter()
        request_id = self._client.send(table_id, command, request_id=request)
        self._sent[request_id] = Sent(table_id, command, now)

    def _hear(self, reply: Reply) -> None:
        sent = self._sent.pop(reply.id, None)
        if sent is None:
            return
        if reply.ok and isinstance(sent.command, Act):
            self.actions += 1
            self.latencies_ms.append((time.perf_counter() - sent.at_s) * 1000)
        elif not reply.ok:
            self.refusals.append(f"{sent.table}: {reply.code}")

    def _repeat(self) -> None:
        """Send again, with the same id, what nobody has answered."""
        now = time.perf_counter()
        for request_id, sent in list(self._sent.items()):
            if now - sent.at_s < REPEAT_AFTER_S:
                continue
            self._sent[request_id] = sent._replace(at_s=now)
            try:
                self._client.send(sent.table, sent.command, request_id=request_id)
            except StoreError as error:
                self.refusals.append(f"{sent.table}: {error}")
