"""What follows when the store has lost commits: play goes on, or the hand is void; always said."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from pydantic import ValidationError

from doorcard.audit.verify import verify_table
from doorcard.commands import PauseTable, ResumeTable, VoidHand
from doorcard.engine.table import Table
from doorcard.events import HandVoided
from doorcard.streams.connection import connect
from services.embedded import EmbeddedServer
from services.settings import Settings
from services.worker import Worker
from tests.services.choosing import of_kind
from tests.services.harness import RING, TABLE, House, assert_all_is_done, calm, settings_for
from tests.services.shops import RedisShop, Shop

SAID: Final = "the store forgot commits"


def playing(shop: Shop, policy: str = "void") -> House:
    """A hand in progress, whose workers remember all of it."""
    house = House(shop, settings_for(after_loss=policy))
    house.open(4)
    house.act()
    return house


def lose(house: House) -> tuple[Table, Table]:
    """Two more actions, which the store then loses; the table before and after."""
    left = house.table()
    house.act()
    house.act()
    seen = house.table()
    house.shop.forget(TABLE, seen.seq - left.seq)
    return seen, left


def look(house: House, worker: Worker | None = None) -> None:
    """Let a worker meet what it remembers: somebody's action comes, by what is left."""
    house.send(calm(house.table()))
    (worker or house.workers["betting"]).step(0)


def verified(house: House) -> None:
    report = verify_table(house.log, TABLE, ring=RING)
    assert report.problem is None


def test_by_default_play_goes_on_from_what_survived(shop: Shop) -> None:
    assert Settings().after_loss == "resume"
    house = playing(shop, "resume")
    seen, left = lose(house)
    look(house)
    house.settle()
    (line,) = house.notes.said(SAID)
    assert line == {
        "level": "error",
        "event": SAID,
        "table": TABLE,
        "seen": seen.seq,
        "left": left.seq,
        "lost": f"{left.seq + 1} to {seen.seq}",
        "policy": "resume",
    }
    assert of_kind(house, HandVoided) == []
    assert house.table().decision == left.decision + 1
    assert_all_is_done(house)


def test_the_hand_that_lost_a_part_of_itself_is_void_and_all_chips_go_back(shop: Shop) -> None:
    house = playing(shop)
    seen, left = lose(house)
    assert left.hand is not None
    paid = {player.seat: player.total for player in left.hand.players if player.total}
    look(house)
    (line,) = house.notes.said(SAID)
    assert (line["policy"], line["voids"]) == ("void", left.hands)
    house.settle()
    (event,) = of_kind(house, HandVoided)
    assert event.reason == f"the store lost commits {left.seq + 1} to {seen.seq}"
    back = dict(event.refunds)
    assert all(back[seat] >= chips for seat, chips in paid.items())
    table = house.table()
    assert (table.hands, table.in_hand) == (left.hands + 1, True)
    assert table.hand is not None
    assert sum(table.stack(seat) for seat in table.seats) + table.hand.pot == 400
    verified(house)
    assert_all_is_done(house)


def test_however_many_notice_the_hand_is_void_once_and_the_next_one_is_played(shop: Shop) -> None:
    """Each has seen another part; one looks only when the next hand is under way."""
    house = playing(shop)
    left = house.table()
    other, late = house.new_worker("betting"), house.new_worker("betting")
    for worker in (other, late):
        look(house, worker)
        house.settle(("dealer", "showdown", "floor"))
    house.act()
    house.shop.forget(TABLE, house.table().seq - left.seq)
    house.shop.pass_ms(5)
    for worker in (house.workers["betting"], other):
        look(house, worker)
    first, second = house.notes.said(SAID)
    assert (first["voids"], second["voids"]) == (1, 1)
    assert first["lost"] != second["lost"]
    house.settle()
    table = house.table()
    assert (table.hands, table.in_hand) == (2, True)
    house.act()
    look(house, late)
    *_, line = house.notes.said(SAID)
    assert (line["policy"], line["voids"]) == ("void", None), "it is another hand"
    house.settle()
    (event,) = of_kind(house, HandVoided)
    assert event.reason == f"the store lost commits {first['lost']}"
    assert house.table().hands == 2
    verified(house)
    assert_all_is_done(house)


def test_a_hand_that_is_over_stays_as_it_was_paid(shop: Shop) -> None:
    """R19.3: what is left lies between two hands, so nothing is void, and it is said."""
    house = playing(shop)
    house.send(PauseTable("the last hand"), "pause")
    while house.table().in_hand:
        house.act()
    between = house.table()
    house.shop.pass_ms(5)
    house.ask(ResumeTable(), "resume")
    assert house.table().in_hand
    house.shop.forget(TABLE, house.table().seq - between.seq)
    assert house.ask(ResumeTable(), "again").ok
    (line, *_) = house.notes.said(SAID)
    own = between.seq + 1  # the floor has not looked since; the dealer went on from there
    assert (line["left"], line["lost"]) == (between.seq, f"{own} to {own}")
    assert (line["policy"], line["voids"]) == ("void", None)
    house.settle()
    assert of_kind(house, HandVoided) == []
    verified(house)


def test_a_loss_is_noticed_again_while_the_floor_cannot_be_asked(server_client: Any) -> None:
    """The store is full: nothing is let go before the request lies in the floor's queue."""
    house = playing(RedisShop(server_client))
    lose(house)
    house.send(calm(house.table()))
    server_client.config_set("maxmemory", 1)
    try:
        for _ in range(3):
            with pytest.raises(OSError, match="the floor cannot be asked"):
                house.workers["betting"].step(0)
        assert house.notes.said(SAID) == []
    finally:
        server_client.config_set("maxmemory", 0)
    house.settle()
    assert len(of_kind(house, HandVoided)) == 1
    assert house.notes.said(SAID) != []
    assert_all_is_done(house)


def test_a_request_that_comes_late_voids_no_other_hand(house: House) -> None:
    house.open(3)
    reply = house.ask(VoidHand("of yesterday", 7), "late")
    assert (reply.code, reply.sentence) == ("floor/no_hand", "Hand 7 is not in progress.")
    assert of_kind(house, HandVoided) == []
    assert house.ask(VoidHand("of today", 1), "now").ok
    assert len(of_kind(house, HandVoided)) == 1


def test_there_are_two_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOORCARD_AFTER_LOSS", "void")
    assert Settings().after_loss == "void"
    monkeypatch.setenv("DOORCARD_AFTER_LOSS", "hope")
    with pytest.raises(ValidationError, match="after_loss"):
        Settings()


def test_a_file_that_is_cut_while_workers_remember_more() -> None:
    """A real server is killed, the end of its file is gone, and it is started again."""
    with TemporaryDirectory(prefix="doorcard-") as parent:
        folder = Path(parent) / "data"
        with EmbeddedServer.start(folder, fsync="always") as first:
            house = playing(RedisShop(connect(first.url)))
            kept = house.table()
            (file,) = (folder / "appendonlydir").glob("*.incr.aof")
            size_bytes = file.stat().st_size
            house.act()
            house.act()
            seen = house.table().seq
            os.kill(first.pid, signal.SIGKILL)
        with file.open("r+b") as opened:
            opened.truncate(size_bytes)
        with EmbeddedServer.start(folder, fsync="always"):
            assert house.table() == kept
            look(house)
            house.settle()
            (line,) = house.notes.said(SAID)
            assert (line["lost"], line["policy"]) == (f"{kept.seq + 1} to {seen}", "void")
            (event,) = of_kind(house, HandVoided)
            assert event.reason == f"the store lost commits {line['lost']}"
            assert house.act().ok
            verified(house)
            assert_all_is_done(house)
