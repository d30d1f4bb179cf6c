"""Rights that the store's user of a worker loses for a while: no message is at fault for that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from redis.exceptions import ResponseError

from doorcard.streams.connection import connect
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from services.embedded import EmbeddedServer
from tests.services.harness import TABLE, House, assert_all_is_done, calm, settings_for
from tests.services.shops import RedisShop

RIGHTS = (
    "fcall",
    "hget",
    "hgetall",
    "hset",
    "xadd",
    "xdel",
    "xinfo",
    "xrange",
    "xrevrange",
    "zscore",
)


@pytest.fixture
def house(server: EmbeddedServer, server_client: Any) -> Iterator[House]:
    """A house whose workers have a user of the store for themselves; a hand is dealt."""
    server_client.execute_command("ACL", "SETUSER", "worker", "on", ">word", "~*", "&*", "+@all")
    client: Any = connect(server.url.replace("unix://", "unix://worker:word@"))
    house = House(RedisShop(server_client), settings_for(claim_idle_ms=0))
    house.wrap = lambda _, adapter: (
        RedisLog(client, partitions=["p00"]) if hasattr(adapter, "append") else Queues(client)
    )
    for role in list(house.workers):
        house.hire(role)
    house.open(2)
    yield house
    client.close()
    server_client.acl_deluser("worker")


@pytest.mark.parametrize("right", RIGHTS)
def test_a_right_that_is_missing_for_long_buries_nothing(
    house: House, server_client: Any, right: str
) -> None:
    house.send(calm(house.table()), "act")
    server_client.execute_command("ACL", "SETUSER", "worker", f"-{right}")
    refusals: list[str] = []
    for _ in range(2 * house.settings.deliveries_max):  # each is stuck, and the next one claims
        worker = house.new_worker("betting")
        turns: tuple[Callable[[], int], ...] = (partial(worker.step, 0), worker.claim)
        for turn in turns:
            try:
                turn()
            except ResponseError as refusal:
                refusals.append(str(refusal))
        house.shop.pass_ms(2)
    assert refusals
    assert all(f"'{right}" in refusal for refusal in refusals), "it is named"
    assert house.notes.said("message failed") == []
    server_client.execute_command("ACL", "SETUSER", "worker", "+@all")
    for _ in range(2 * house.settings.deliveries_max):
        house.settle()
        with suppress(ResponseError):
            house.claim()
    assert house.queues.dead("p00") == []
    assert [commit.cause for commit in house.commits(TABLE)].count("act") == 1
    assert_all_is_done(house)
