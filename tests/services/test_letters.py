"""Dead letters as an operator sees them: whatever lies in one is shown, and obeyed by nothing."""

from __future__ import annotations

import json
from typing import Any

import msgpack
import pytest

from doorcard.errors import BadInput
from doorcard.streams.delivery import DeadLetter
from doorcard.streams.keys import queue_key
from services import upkeep
from services.embedded import EmbeddedServer
from services.letters import text_of
from services.settings import Settings
from tests.services.harness import TABLE, House, buried
from tests.services.processes import services
from tests.services.shops import RedisShop


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (msgpack.packb({"id": "a", "sealed": b"\1\xff", "to": 2**64 - 1}), {"sealed": "01ff"}),
        (msgpack.packb([1, "p00.razz-1", 7]), [1, "p00.razz-1", 7]),
        (msgpack.packb({b"key": 1}), msgpack.packb({b"key": 1}).hex()),
        (b"\xc1 nothing", "c1206e6f7468696e67"),
        (b"", ""),
    ],
)
def test_whatever_lies_in_a_letter_is_shown(raw: bytes, says: Any) -> None:
    letter = DeadLetter("7-0", "queue", "6-0", raw, "p00.razz-1", "why\x1b[2J", 5)
    text = text_of("p00", letter)
    assert "\x1b" not in text
    shown = json.loads(text)["says"]
    assert shown | says == shown if isinstance(says, dict) else shown == says


def test_the_command_shows_the_letter_of_an_id(server: EmbeddedServer, server_client: Any) -> None:
    house = House(RedisShop(server_client))
    act, letter = buried(house)
    done = services("dead", "show", letter.id, DOORCARD_REDIS_URL=server.url)
    shown = json.loads(done.stdout)
    assert (shown["letter"], shown["table"], shown["deliveries"]) == (letter.id, TABLE, 1)
    assert (shown["reason"], shown["queue"]) == ("nobody could", queue_key("betting", "p00"))
    assert (shown["says"]["id"], shown["says"]["decision"]) == ("act", act.decision)
    with pytest.raises(BadInput, match="there is no dead letter 7-0"):
        upkeep.letter_text(Settings(redis_url=server.url), "7-0")
