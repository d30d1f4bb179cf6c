"""Taking old hands out of a log, on every store: what stays, what is refused, what goes on."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.engine.table import Table
from doorcard.errors import BadLog
from doorcard.streams.folding import is_trimmed_behind, rebuild
from doorcard.streams.heads import hand_started, read_commit
from doorcard.streams.keys import log_key
from doorcard.streams.log import Stored
from doorcard.streams.recover import restore_derived
from doorcard.streams.redis_log import RedisLog
from tests.streams.conftest import PARTITIONS


def fill(shop: Any, game: Any) -> None:
    """Put a game that was played into the store."""
    now_ms = shop.log.now_ms()
    for append in game.appends:
        assert shop.log.append([append._replace(time_ms=now_ms)]) == [("ok", "")]


def begins(game: Any) -> list[Stored]:
    """The commits that begin the game's hands."""
    return [s for s in game.stored if hand_started(read_commit(game.id, s)) is not None]


def test_what_was_before_a_hand_goes_and_the_rest_stays(shop: Any, game: Any) -> None:
    played = game().play(4)
    fill(shop, played)
    head, third = shop.log.head(played.id), begins(played)[2]
    assert shop.log.trim(played.id, third) == third.seq - 1
    assert shop.log.read(played.id) == played.stored[third.seq - 1 :]
    assert shop.log.read(played.id, 3, 2) == played.stored[third.seq - 1 :][:2]
    assert shop.log.read_back(played.id, third.seq + 1, 9) == [third]
    assert shop.log.head(played.id) == head
    assert shop.log.tables() == [played.id]
    assert rebuild(shop.log, played.id) == played.table
    assert shop.log.trim(played.id, third) == 0


def test_a_trimmed_table_is_played_on(shop: Any, game: Any) -> None:
    played = game().play(2)
    fill(shop, played)
    shop.log.trim(played.id, begins(played)[-1])
    before = len(played.appends)
    played.play(1)
    now_ms = shop.log.now_ms()
    for append in played.appends[before:]:
        assert shop.log.append([append._replace(time_ms=now_ms)]) == [("ok", "")]
    assert rebuild(shop.log, played.id) == played.table


def test_nothing_is_trimmed_into_a_hand(shop: Any, game: Any) -> None:
    played = game().play(2)
    fill(shop, played)
    inside = played.stored[begins(played)[1].seq]
    with pytest.raises(BadLog, match=rf"commit {inside.seq} begins no hand"):
        shop.log.trim(played.id, inside)
    assert shop.log.read(played.id) == played.stored


def test_a_store_that_went_back_keeps_what_it_has(shop: Any, game: Any) -> None:
    """XTRIM alone would leave nothing: the hand that was to stay is not there any more."""
    played = game().play(3)
    last = begins(played)[-1]
    appends = played.appends[: last.seq - 1]
    for append in appends:
        shop.log.append([append._replace(time_ms=shop.log.now_ms())])
    for kept in (last, Stored(last.seq - 1, last.raw, last.mark)):
        with pytest.raises(BadLog, match="is not in its log as it was read"):
            shop.log.trim(played.id, kept)
    assert shop.log.read(played.id) == played.stored[: len(appends)]


def test_a_log_of_another_table_is_left_alone(shop: Any, game: Any) -> None:
    played = game().play(2)
    fill(shop, played)
    with pytest.raises(BadLog):
        shop.log.trim("p00.other", begins(played)[1])
    assert shop.log.tables() == [played.id]


def test_the_highest_number_stays_known(redis_shop: Any, game: Any) -> None:
    """A cut end still shows after a trim, and is not written on."""
    played = game().play(3)
    fill(redis_shop, played)
    redis_shop.log.trim(played.id, begins(played)[1])
    last = played.stored[-1]
    assert redis_shop.client.xdel(log_key(played.id), f"{last.seq}-0") == 1
    with pytest.raises(BadLog, match=rf"commit {last.seq} is missing, {last.seq} was there"):
        redis_shop.log.head(played.id)
    (outcome,) = redis_shop.log.append(
        [played.appends[-1]._replace(time_ms=redis_shop.log.now_ms())]
    )
    assert outcome.code == "bad"


def test_a_trim_works_on_a_full_server(server_client: Any, game: Any) -> None:
    """Memory is what is short then: more must not be needed to give some back."""
    played, log = game().play(4), RedisLog(server_client)
    for append in played.appends:
        assert log.append([append._replace(time_ms=log.now_ms())]) == [("ok", "")]
    third = begins(played)[2]
    server_client.config_set("maxmemory", 1)
    try:
        assert log.append([played.appends[-1]])[0].code == "full"
        assert log.trim(played.id, third) == third.seq - 1
    finally:
        server_client.config_set("maxmemory", 0)
    assert log.read(played.id) == played.stored[third.seq - 1 :]


def test_derived_keys_come_back_from_a_trimmed_log(redis_shop: Any, game: Any) -> None:
    played = game().play(3)
    played.step(played.deck())
    fill(redis_shop, played)
    redis_shop.log.trim(played.id, begins(played)[-1])
    redis_shop.client.delete(*[key for key in redis_shop.client.scan_iter() if b":log:" not in key])
    restored = restore_derived(redis_shop.client, PARTITIONS)
    assert (restored.logs, restored.tables, restored.feed, restored.problems) == (1, 1, 1, [])
    assert restored.timers + restored.wakes == 1
    assert restore_derived(redis_shop.client, PARTITIONS).put_back == 0


def test_who_is_behind_a_trim_is_told_from_who_saw_what_is_lost(shop: Any, game: Any) -> None:
    played = game(seed=1)
    at_start = played.table
    played.play(1)
    between = played.table
    played.play(2)
    fill(shop, played)
    second = begins(played)[1]
    assert not is_trimmed_behind(shop.log, played.id, at_start)
    shop.log.trim(played.id, second)
    assert is_trimmed_behind(shop.log, played.id, at_start)
    assert between.seq == second.seq - 1
    assert is_trimmed_behind(shop.log, played.id, between)
    assert not is_trimmed_behind(shop.log, played.id, played.table)
    stranger = between.draft()
    stranger.chain = bytes(32)
    assert not is_trimmed_behind(shop.log, played.id, stranger)
    assert not is_trimmed_behind(shop.log, "p00.other", Table())
    assert is_trimmed_behind(shop.log, played.id, Table())
