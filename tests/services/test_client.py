"""How a player's program asks, and hears what it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from doorcard import client as clients
from doorcard.client import Client
from doorcard.commands import OpenTable
from doorcard.errors import BadInput, Refused, StoreError
from doorcard.streams.delivery import MessageQueues, Reply
from doorcard.tables import Role
from tests.services.harness import LIMITS, TABLE, House

RAZZ = OpenTable("razz", LIMITS)


class Served:
    """Queues whose workers come after some sendings; only the first finds room."""

    def __init__(self, house: House, sendings: int = 1) -> None:
        self._house = house
        self._left = sendings
        self.sent = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._house.queues, name)

    def send_many(self, messages: Sequence[tuple[Role, str, bytes]]) -> list[str | Refused]:
        self.sent += 1
        self._left -= 1
        if self.sent > 1:
            return [Refused("queue/busy", "Too much waits.")] * len(messages)
        return self._house.queues.send_many(messages)

    def replies(self, *where: Any) -> list[Reply]:
        if self._left <= 0:
            self._house.settle()
        return self._house.queues.replies(*where)


def client_of(house: House, queues: Any) -> Client:
    return Client(house.log, cast("MessageQueues", queues), "ann", house.shop.partitions)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "REPEAT_AFTER_S", 0.0)


def test_a_request_is_answered(house: House) -> None:
    reply = client_of(house, Served(house)).request(TABLE, RAZZ, request_id="open")
    assert (reply.id, reply.table, reply.ok, reply.seq) == ("open", TABLE, True, 1)


def test_what_others_were_answered_meanwhile_is_kept(house: House) -> None:
    house.send(RAZZ, "earlier", table="p00.other", sender="ann")
    client = client_of(house, Served(house))
    assert client.request(TABLE, RAZZ, request_id="open").id == "open"
    assert [reply.id for reply in client.replies()] == ["earlier"]
    assert client.replies() == []


@pytest.mark.usefixtures("impatient")
def test_a_repeat_that_finds_no_room_gives_nothing_up(house: House) -> None:
    queues = Served(house, sendings=2)
    assert client_of(house, queues).request(TABLE, RAZZ).ok
    assert queues.sent == 2


@pytest.mark.usefixtures("impatient")
def test_a_request_that_nobody_answers_is_given_up(house: House) -> None:
    queues = Served(house, sendings=100)
    with pytest.raises(StoreError, match="no reply to OpenTable"):
        client_of(house, queues).request(TABLE, RAZZ, timeout_s=0.25)
    assert queues.sent > 1


def test_a_request_that_finds_no_room_says_so(house: House) -> None:
    queues = Served(house)
    queues.sent = 1
    with pytest.raises(StoreError, match="Too much waits"):
        client_of(house, queues).request(TABLE, RAZZ)


def test_nothing_is_sent_where_nobody_reads_it_and_no_reply_is_heard(house: House) -> None:
    """Else it would lie there unanswered, and be done when there are more partitions some day."""
    client = client_of(house, house.queues)
    with pytest.raises(BadInput, match="of partition p07, and the last one of this client is p00"):
        client.send_many([("fine", TABLE, RAZZ), ("lost", "p07.razz-1", RAZZ)])
    assert house.queues.length("floor", "p07") == house.queues.length("floor", "p00") == 0
