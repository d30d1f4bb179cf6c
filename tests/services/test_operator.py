"""What the operator's commands refuse, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doorcard.commands import PauseTable
from doorcard.errors import BadInput, StoreError
from doorcard.streams.delivery import DeadLetter
from doorcard.streams.keys import dead_key, paused_key
from doorcard.streams.queues import Queues
from services import desk, upkeep
from services.embedded import EmbeddedServer
from services.failures import unset_hint
from services.settings import Settings
from tests.services.harness import TABLE, House, calm, settings_for
from tests.services.shops import RedisShop


@pytest.fixture
def house(server_client: Any) -> House:
    house = House(RedisShop(server_client), settings_for(claim_idle_ms=0))
    house.open(2)
    return house


@pytest.fixture
def settings(server: EmbeddedServer, house: House) -> Settings:
    assert house.log.tables() == [TABLE]
    return Settings(redis_url=server.url, partitions=1)


@pytest.mark.parametrize("give", [upkeep.pause, desk.void, desk.stop_dealing])
@pytest.mark.parametrize(
    ("reason", "said"), [("", "say why"), (" \n", "say why"), ("x" * 201, "at most 200 characters")]
)
def test_a_reason_says_something_and_not_too_much(
    settings: Settings, house: House, give: Callable[..., object], reason: str, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        give(settings, TABLE, reason)
    assert house.log.paused() == {}
    assert house.shop.unfinished() == {}


def test_a_paused_table_is_not_paused_again(settings: Settings, house: House) -> None:
    """The first reason stays, and whoever gave it is the one to ask."""
    upkeep.pause(settings, TABLE, "x" * 200)
    upkeep.resume(settings, TABLE)
    upkeep.pause(settings, TABLE, "a dispute")
    with pytest.raises(BadInput, match=f"{TABLE} is paused already: a dispute"):
        upkeep.pause(settings, TABLE, "the room closes")
    assert house.log.paused() == {TABLE: "a dispute"}


def test_a_table_that_deals_no_hands_is_told_from_a_paused_one(
    settings: Settings, house: House
) -> None:
    with pytest.raises(BadInput, match=r"is not paused$"):
        upkeep.resume(settings, TABLE)
    house.ask(PauseTable("late"))
    with pytest.raises(BadInput, match="not paused; it deals no new hands, and `start-dealing`"):
        upkeep.resume(settings, TABLE)


def test_what_a_terminal_would_obey_is_shown_as_escapes(
    settings: Settings, house: House, server_client: Any
) -> None:
    house.log.pause(TABLE, "one\ntwo\x1b[2J, drei Äpfel")
    server_client.hset(paused_key("p00"), b"\xff", "")
    server_client.xadd(dead_key("p00"), {"junk": "x"})
    assert upkeep.paused(settings) == {TABLE: "one\\ntwo\\x1b[2J, drei Äpfel", "\ufffd": ""}
    ((partition, letter),) = upkeep.dead_letters(settings)
    assert (partition, letter.reason) == ("p00", "no dead letter: somebody else wrote it")
    with pytest.raises(BadInput, match="has no queue to go back to; drop it"):
        upkeep.retry_dead(settings, letter.id)
    upkeep.drop_dead(settings, letter.id)
    assert upkeep.dead_letters(settings) == []


def test_a_letter_that_goes_back_finds_its_table_going_on(
    settings: Settings, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker may read it in the very moment, and refuses what comes to a paused table."""
    house.send(calm(house.table()), "buried")
    (delivery,) = house.queues.read("betting", ("p00",), 1)
    house.queues.bury(delivery, TABLE, "nobody could handle it")
    revive = Queues.revive

    def revived(queues: Queues, partition: str, letter: DeadLetter) -> None:
        revive(queues, partition, letter)
        house.settle()

    monkeypatch.setattr(Queues, "revive", revived)
    ((_, letter),) = upkeep.dead_letters(settings)
    house.replies()
    upkeep.retry_dead(settings, letter.id)
    assert [(reply.id, reply.code) for reply in house.replies()] == [("buried", None)]
    assert (house.log.paused(), upkeep.dead_letters(settings)) == ({}, [])


def test_health_tells_a_store_that_refuses_from_one_that_is_silent(
    settings: Settings, server_client: Any, server: EmbeddedServer
) -> None:
    """A user without the rights, a user who did not log in, and nobody there."""
    server_client.acl_setuser("seer", enabled=True, passwords=["+word"], commands=["+ping"])
    path = server.url.partition("://")[2]
    seer = settings.model_copy(update={"redis_url": f"unix://seer:word@{path}"})
    try:
        with pytest.raises(StoreError, match=r"^the store refuses this user: .*no permissions"):
            upkeep.health(seer)
    finally:
        server_client.acl_deluser("seer")
    stranger = settings.model_copy(update={"redis_url": f"unix://seer:word@{path}"})
    with pytest.raises(StoreError, match=r"^the store refuses this user: "):
        upkeep.health(stranger)


def test_a_store_that_was_not_named_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("doorcard.streams.connection.RETRIES", 0)
    url = "redis://127.0.0.1:1/0"
    for is_named in (True, False):
        if is_named:
            monkeypatch.setenv("DOORCARD_REDIS_URL", url)
        else:
            monkeypatch.delenv("DOORCARD_REDIS_URL")
        with pytest.raises(StoreError, match="does not answer") as error:
            upkeep.health(Settings(redis_url=url))
        hint = "DOORCARD_REDIS_URL names the store, and is not set"
        assert (hint in str(error.value)) is not is_named


def test_where_up_has_played_it_is_said_how_its_store_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DOORCARD_REDIS_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    hint = "export DOORCARD_REDIS_URL=$(head -n 1 .doorcard/store/server.lock)"
    assert hint not in unset_hint()
    (tmp_path / ".doorcard/store").mkdir(parents=True)
    (tmp_path / ".doorcard/store/server.lock").write_text("redis://127.0.0.1:1/0\n")
    assert hint in unset_hint()
