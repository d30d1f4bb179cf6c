from __future__ import annotations

import pytest

from doorcard.tables import Role
from services.settings import Settings

SERVER = "redis://store:6379/0"
CLUSTERS = ["redis+cluster://store:6379", "rediss+cluster://ann:secret@a:6379,b:6379"]


@pytest.mark.parametrize("role", ["floor", "betting"])
@pytest.mark.parametrize("url", CLUSTERS)
def test_who_answers_players_reads_more_seldom_on_a_cluster_unless_told(
    url: str, role: Role
) -> None:
    assert Settings(redis_url=SERVER).linger_of(role) == 8
    assert Settings(redis_url=url).linger_of(role) == 12
    assert Settings(redis_url=SERVER, linger_ms=0).linger_of(role) == 0
    assert Settings(redis_url=url, linger_ms=0).linger_of(role) == 0


@pytest.mark.parametrize("role", ["dealer", "showdown"])
@pytest.mark.parametrize("url", [SERVER, *CLUSTERS])
def test_dealer_and_showdown_read_as_seldom_everywhere(url: str, role: Role) -> None:
    assert Settings(redis_url=url, linger_ms=1).linger_of(role) == 20
    assert Settings(redis_url=url, deal_linger_ms=30).linger_of(role) == 30
