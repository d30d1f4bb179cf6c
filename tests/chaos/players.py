"""Bots at many tables, and a client that remembers everything it was promised."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from doorcard.client import Client
from doorcard.commands import Act, Choose, Command
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.streams.messages import Reply
from services.bots import BotRoom


class Accepted(NamedTuple):
    """A reply that said ok."""

    table: str
    request_id: str
    seq: int | None
    heard_s: float
    is_action: bool


class Witness(Client):
    """A client that notes what it sends and what it hears."""

    def note(self) -> None:
        """Begin to note; to be called before anything is sent."""
        self.sent: dict[tuple[str, str], Command] = {}
        self.accepted: list[Accepted] = []
        self.turned_away: Counter[str] = Counter()
        """Messages that never came into a queue, by the code of the refusal."""

    def send_many(self, requests: Sequence[tuple[str, str, Command]]) -> list[str | Refused]:
        for request_id, table, command in requests:
            self.sent[table, request_id] = command
        answers = super().send_many(requests)
        for answer in answers:
            if isinstance(answer, Refused):
                self.turned_away[answer.code] += 1
        return answers

    def replies(self, block_ms: int = 0) -> list[Reply]:
        found = super().replies(block_ms)
        now_s = time.monotonic()
        for reply in found:
            if reply.ok:
                command = self.sent.get((reply.table, reply.id))
                is_action = isinstance(command, Act | Choose)
                self.accepted.append(Accepted(reply.table, reply.id, reply.seq, now_s, is_action))
        return found

    def since(self, moment_s: float) -> dict[str, float]:
        """When each table's first action was accepted after a moment, for those that had one."""
        found: dict[str, float] = {}
        for accepted in self.accepted:
            if accepted.is_action and accepted.heard_s > moment_s:
                found.setdefault(accepted.table, accepted.heard_s)
        return found


class Players(BotRoom):
    """Bots that play until they are told to go home."""

    def __init__(self, client: Witness, seat_keys: Mapping[str, bytes]) -> None:
        super().__init__(client, 0, seat_keys)
        self.witness = client
        self.going_home = False
        """Tables are closed after the hand that is played."""
        self.forgotten: dict[str, int] = {}
        """Tables of which the players noticed that the store had forgotten commits."""

    def _played(self, table: Table) -> bool:  # noqa: ARG002 - wherever they are
        return self.going_home

    def _begin_again(self) -> None:
        for name, forgotten in self.follower.forgotten.items():
            self.forgotten[name] = forgotten.seen - forgotten.left
        super()._begin_again()
