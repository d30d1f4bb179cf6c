"""Queues and feeds of which somebody used up the ids, so that nothing can be added any more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from doorcard.errors import Refused
from doorcard.streams.keys import feed_key, queue_key
from doorcard.streams.messages import encode_request
from services import upkeep
from services.embedded import EmbeddedServer
from services.settings import Settings
from tests.services.harness import SENDER, TABLE, House, assert_all_is_done, calm, settings_for
from tests.services.shops import RedisShop

LAST_ID = f"{2**64 - 1}-{2**64 - 1}"


@pytest.fixture
def house(server_client: Any) -> House:
    house = House(RedisShop(server_client), settings_for(claim_idle_ms=0))
    house.open(2)
    return house


def test_a_request_with_the_last_id_is_decided_and_its_queue_begins_anew(
    house: House, server_client: Any
) -> None:
    key = queue_key("betting", "p00")
    raw = encode_request("last", SENDER, TABLE, calm(house.table()))
    server_client.execute_command("XADD", key, LAST_ID, "m", raw)
    house.settle()
    assert "last" in [commit.cause for commit in house.commits()]
    assert isinstance(house.queues.send("betting", TABLE, raw), Refused)
    house.claim()
    for _ in range(8):
        assert house.act().ok
    assert_all_is_done(house)


def test_a_commit_whose_wake_up_fits_nowhere_waits_until_it_does(
    house: House, server_client: Any
) -> None:
    """Given a dealer's queue that takes nothing more, when an action ends the street, then its
    commit waits, however long, and play goes on when the dealers have seen to their queue."""
    key = queue_key("dealer", "p00")
    house.act()  # the other seat's action ends the first street
    before, betting = len(house.commits()), house.workers["betting"]
    server_client.execute_command("XADD", key, LAST_ID, "m", "junk")
    house.send(calm(house.table()), "last")
    for _ in range(3 * house.settings.deliveries_max):
        betting.step(0)
        betting.claim()
        assert betting.stuck
    assert len(house.commits()) == before
    (said,) = house.notes.said("the store takes no writes, waiting")
    assert key in str(said["why"])
    for _ in range(2):
        house.workers["dealer"].step(0)
        house.workers["dealer"].claim()
    house.settle()
    assert [commit.cause for commit in house.commits()].count("last") == 1
    assert house.hand().street == 2
    assert_all_is_done(house)


@pytest.mark.parametrize("key", [queue_key("floor", "p00"), feed_key("p00")])
def test_health_names_what_takes_nothing_more_and_the_cure(
    server: EmbeddedServer, house: House, server_client: Any, key: str
) -> None:
    assert house.log.tables() == [TABLE]
    settings = Settings(redis_url=server.url, partitions=2)
    assert upkeep.health(settings)[1]
    server_client.execute_command("XADD", key, LAST_ID, "m", "junk")
    said, is_well = upkeep.health(settings)
    assert not is_well
    facts = json.loads(said)
    assert facts["store"] == "the store takes no messages"
    assert f"the ids of {key}: " in facts["why"]
    assert "DEL the key, then `python -m services recover`" in facts["why"]
    server_client.delete(key)
    assert upkeep.recover(settings)[1]
    assert upkeep.health(settings)[1]
