from __future__ import annotations

import re
from pathlib import Path

import pytest

from doorcard.tables import Role
from services.settings import Settings, unknown_settings

SERVER = "redis://store:6379/0"
CLUSTERS = ["redis+cluster://store:6379", "rediss+cluster://ann:secret@a:6379,b:6379"]


@pytest.mark.parametrize("role", ["floor", "betting"])
@pytest.mark.parametrize("url", CLUSTERS)
def test_who_answers_players_reads_more_seldom_on_a_cluster_unless_told(
    url: str, role: Role
) -> None:
    assert Settings(redis_url=SERVER).linger_of(role) == 10
    assert Settings(redis_url=url).linger_of(role) == 14
    assert Settings(redis_url=SERVER, linger_ms=0).linger_of(role) == 0
    assert Settings(redis_url=url, linger_ms=0).linger_of(role) == 0


@pytest.mark.parametrize("url", [SERVER, *CLUSTERS])
def test_several_who_share_the_messages_read_more_seldom_unless_told(url: str) -> None:
    assert Settings(redis_url=url).linger_of("betting", workers=2) == 14
    assert Settings(redis_url=url, linger_ms=3).linger_of("betting", workers=2) == 3
    assert Settings(redis_url=url).linger_of("dealer", workers=2) == 30


@pytest.mark.parametrize("role", ["dealer", "showdown"])
@pytest.mark.parametrize("url", [SERVER, *CLUSTERS])
def test_dealer_and_showdown_read_as_seldom_everywhere(url: str, role: Role) -> None:
    assert Settings(redis_url=url, linger_ms=1).linger_of(role) == 30
    assert Settings(redis_url=url, deal_linger_ms=20).linger_of(role) == 20


def test_a_misspelt_setting_is_named_with_the_one_that_is_meant() -> None:
    assert unknown_settings(["DOORCARD_AFTERLOSS", "doorcard_zzz", "PATH", "DOORCARD_BATCH"]) == [
        "DOORCARD_AFTERLOSS is no setting, and is ignored; DOORCARD_AFTER_LOSS is one",
        "doorcard_zzz is no setting, and is ignored",
    ]


def test_every_variable_that_anything_here_reads_is_known() -> None:
    root = Path(__file__).resolve().parents[2]
    files = [root / "docker-compose.yml", root / "Makefile", *(root / "shared").rglob("*.py")]
    named = {
        name
        for file in files
        for name in re.findall(r"\bDOORCARD_[A-Z_]*[A-Z]\b", file.read_text("utf-8"))
    }
    assert {"DOORCARD_ACCESS_LOG", "DOORCARD_FLOOR_PASSWORD"} < named
    assert unknown_settings(named) == []


def test_a_file_that_is_named_by_nothing_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DECK_KEYS_FILE", "HEADS_FILE"):
        monkeypatch.setenv(f"DOORCARD_{name}", "")
    assert (Settings().deck_keys_file, Settings().heads_file) == (None, None)
