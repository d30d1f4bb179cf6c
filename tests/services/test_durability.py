"""What a store must say of itself before anybody plays for chips on it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from doorcard.errors import BadInput
from services import upkeep
from services.durability import THROWN_AWAY, check_durability
from services.embedded import EmbeddedServer
from services.settings import Settings


@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-random"])
def test_a_store_that_throws_tables_away_is_refused_and_named_by_health(
    server: EmbeddedServer, server_client: Any, policy: str
) -> None:
    """A full store with such a setting deletes logs without a word, chips and all."""
    settings = Settings(redis_url=server.url, partitions=1)
    check_durability(server_client, settings)
    server_client.config_set("maxmemory-policy", policy)
    try:
        with pytest.raises(BadInput, match=f"'maxmemory-policy' is {policy}"):
            check_durability(server_client, settings)
        text, is_well = upkeep.health(settings)
        assert (json.loads(text)["store"], is_well) == (THROWN_AWAY.partition(":")[0], False)
        server_client.config_set("maxmemory-policy", "volatile-ttl")  # replies alone end some day
        check_durability(server_client, settings)
        assert upkeep.health(settings)[1]
    finally:
        server_client.config_set("maxmemory-policy", "noeviction")
