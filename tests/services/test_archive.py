"""Old hands are archived while tables are played: nobody takes what was moved for what was lost."""

from __future__ import annotations

from pathlib import Path
from threading import Event as Sign
from threading import Thread
from typing import cast

import pytest

from doorcard.audit.archive import Kept, Moved, archive_table
from doorcard.audit.verify import verify_table
from doorcard.client import Client, Follower
from doorcard.commands import AddChips, CallGame, SitOut
from doorcard.engine.dealer_position import next_dealer
from doorcard.events import HandStarted
from doorcard.streams.archive_file import archive_path, held
from doorcard.streams.commit import Commit
from doorcard.streams.connection import connect
from doorcard.streams.folding import rebuild
from doorcard.streams.heads import hand_started, read_commit
from doorcard.streams.joined_log import JoinedLog
from doorcard.streams.log import Log, Stored, TrimmableLog
from doorcard.tables import GameSpec
from services.answers import CHIPS_LOOK_BACK, LOOK_BACK
from services.cache import TableCache
from services.embedded import EmbeddedServer
from services.jobs import Tally
from services.logs import Logger
from tests.services.harness import LIMITS, RING, TABLE, House, NoteBook, assert_all_is_done
from tests.services.processes import services
from tests.services.shops import MemoryShop, RedisShop, Shop

FEW = Kept(hands=1, commits=1)
LOST = "the store forgot commits"


def play_to(house: House, hand: int) -> None:
    """Play until some hand has begun."""
    while house.table().hands < hand:
        house.act()


def move(house: House, folder: Path, kept: Kept = FEW) -> Moved:
    with held(folder):
        return archive_table(cast("TrimmableLog", house.shop.log()), TABLE, folder, kept)


def test_workers_that_hold_the_table_play_on(shop: Shop, tmp_path: Path) -> None:
    house = House(shop)
    house.open()
    for hand in (3, 5, 7):
        play_to(house, hand)
        assert move(house, tmp_path).commits
        assert house.act().ok
    assert house.notes.said(LOST) == []
    assert_all_is_done(house)
    both = JoinedLog(house.log, tmp_path)
    assert verify_table(both, TABLE, ring=RING, whole=True).problem is None
    assert verify_table(house.log, TABLE, ring=RING).problem is None


@pytest.mark.parametrize("rest", ["in a hand", "between hands", "right before what stays"])
def test_a_worker_that_slept_while_its_hands_were_archived(
    shop: Shop, tmp_path: Path, rest: str
) -> None:
    """It reads what it missed, and where that is gone, the hand that the log begins with."""
    house = House(shop)
    house.open()
    if rest == "in a hand":
        house.act()
    asleep = house.table()
    play_to(house, 5)
    if rest != "in a hand":
        begins = [stored.seq for stored in house.log.read(TABLE) if _begins(stored)]
        last = begins[1 if rest == "between hands" else -2] - 1
        asleep = rebuild(cast("Log", _UpTo(house.log, last)), TABLE)
        assert asleep.seq == last
    assert move(house, tmp_path).hands == 3
    notes = NoteBook()
    for look in ("read_ahead", "catch_up"):
        cache = TableCache(house.log, 10, cast("Logger", notes), Tally())
        cache.put(TABLE, asleep)
        if look == "read_ahead":
            cache.read_ahead([TABLE])
        else:
            assert cache.catch_up(TABLE) == house.table()
        assert cache.get(TABLE) == house.table()
        assert cache.catch_up(TABLE) is cache.get(TABLE)
    assert notes.lines == []


def _begins(stored: Stored) -> bool:
    return hand_started(read_commit(TABLE, stored)) is not None


class _UpTo:
    """A log as it was at an earlier commit."""

    def __init__(self, log: Log, last: int) -> None:
        self._log = log
        self._last = last

    def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
        return self._log.read_back(table, before or self._last + 1, count)


def test_a_betting_worker_that_slept_decides_the_next_action(shop: Shop, tmp_path: Path) -> None:
    house = House(shop)
    house.open()
    house.act()
    asleep = house.workers["betting"]
    house.hire("betting")
    play_to(house, 5)
    move(house, tmp_path)
    house.workers["betting"] = asleep
    assert house.act().ok
    assert house.act().ok
    assert house.notes.said(LOST) == []
    assert_all_is_done(house)


def test_what_is_lost_beside_what_is_archived_is_still_noticed(shop: Shop, tmp_path: Path) -> None:
    house = House(shop)
    house.open()
    play_to(house, 4)
    move(house, tmp_path)
    house.act()
    house.act()
    house.shop.forget(TABLE, 2)
    house.act()
    assert len(house.notes.said(LOST)) == 1


def test_a_follower_that_looked_away_goes_on(shop: Shop, tmp_path: Path) -> None:
    house = House(shop)
    house.open()
    followers = [
        Follower(Client(house.log, house.queues, name, shop.partitions)) for name in ("ann", "ben")
    ]
    for follower in followers:
        follower.follow([TABLE, "p00.none"])
    play_to(house, 5)
    move(house, tmp_path)
    assert followers[0].poll(0) == [TABLE]
    assert followers[1].compare(followers[1].tables) == [TABLE]
    for follower in followers:
        assert follower.tables[TABLE] == house.table()
        assert follower.forgotten == {}
    house.act()
    assert [follower.poll(0) for follower in followers] == [[TABLE], [TABLE]]
    assert followers[0].tables == followers[1].tables


def test_a_follower_of_a_table_that_was_opened_since(shop: Shop, tmp_path: Path) -> None:
    house = House(shop)
    follower = Follower(Client(house.log, house.queues, "ann", shop.partitions))
    follower.follow([TABLE])
    house.open()
    play_to(house, 4)
    move(house, tmp_path)
    assert follower.poll(0) == [TABLE]
    assert follower.tables[TABLE] == house.table()
    assert follower.forgotten == {}


def test_repeats_get_their_first_answer_as_long_as_before(shop: Shop, tmp_path: Path) -> None:
    """What stays is at least what a repeat is looked for in; chips remember their requests."""
    house = House(shop)
    house.open(buy_in_max=10_000)
    assert house.ask(AddChips(0, "player-0", 50, "more"), "more").ok
    while house.table().seq < 2 * LOOK_BACK:
        house.act()
    chips_in = house.table().chips_in
    asked = house.ask(SitOut(2, "player-2"), "out")
    assert asked.ok
    play_to(house, house.table().hands + 1)
    moved = move(house, tmp_path, Kept(1, LOOK_BACK))
    assert moved.commits
    assert len(house.log.read(TABLE)) >= LOOK_BACK
    assert house.ask(SitOut(2, "player-2"), "out") == asked
    assert house.ask(AddChips(0, "player-0", 50, "more"), "more").ok
    assert house.table().chips_in == chips_in


def test_play_goes_on_while_hands_are_archived(server: EmbeddedServer, tmp_path: Path) -> None:
    """A thread archives all the time, as fast as it can."""
    house = House(RedisShop(connect(server.url)))
    house.open()
    stop = Sign()
    moved: list[int] = []
    failed: list[Exception] = []

    def archive() -> None:
        other = House.__new__(House)
        other.shop = RedisShop.__new__(RedisShop)
        other.shop.client = connect(server.url)
        while not stop.is_set():
            try:
                moved.append(move(other, tmp_path).commits)
            except Exception as error:  # noqa: BLE001 - whatever it is
                failed.append(error)
                return

    thread = Thread(target=archive)
    thread.start()
    try:
        play_to(house, 12)
    finally:
        stop.set()
        thread.join()
    assert failed == []
    assert sum(map(bool, moved)) > 3
    assert house.notes.said(LOST) == []
    assert_all_is_done(house)
    both = JoinedLog(house.log, tmp_path)
    report = verify_table(both, TABLE, ring=RING, whole=True)
    assert (report.problem, report.hands) == (None, 12)


def test_the_command_on_a_real_server(server: EmbeddedServer, tmp_path: Path) -> None:
    client = connect(server.url)
    house = House(RedisShop(client))
    house.open()
    while house.table().seq < CHIPS_LOOK_BACK + 100:
        house.act()
    settings = {"DOORCARD_REDIS_URL": server.url, "DOORCARD_PARTITIONS": "1"}
    words = ("archive", "--folder", str(tmp_path), "--keep-hands", "2")
    done = services(*words, "--all", **settings)
    path = archive_path(tmp_path, TABLE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{TABLE}: ")
    assert f" moved to {path}, which ends with commit " in done.stdout
    assert len(house.log.read(TABLE)) >= CHIPS_LOOK_BACK
    assert verify_table(JoinedLog(house.log, tmp_path), TABLE, whole=True).problem is None
    again = services(*words, TABLE, TABLE, "p00.none", "nonsense", **settings)
    assert again.returncode == 2
    said = again.stdout.splitlines()
    assert said[0] == f"{TABLE}: nothing to move"
    assert said[1].startswith("not archived: there is no table p00.none; ")
    assert len(said) == 3
    path.rename(tmp_path / "away")
    refused = services(*words, "--all", **settings)
    assert refused.returncode == 1
    assert "are neither in its log nor in" in refused.stdout
    for wrong in (words, (*words, TABLE, "--all")):
        assert services(*wrong, **settings).returncode == 2
    away = services(*words, "--all", DOORCARD_REDIS_URL="unix:///nowhere/s")
    assert (away.returncode, away.stdout) == (2, "")


def test_a_game_that_was_called_before_the_first_hand_that_is_there(tmp_path: Path) -> None:
    """The call is in no snapshot, and is archived: the hand itself says which game it is."""
    house = House(MemoryShop())
    others = (GameSpec("razz", "", LIMITS), GameSpec("high_chicago", "", LIMITS))
    house.open(others=others, change="call")
    called = 0
    while house.table().hands < 8:
        table = house.table()
        seat = next_dealer(table.dealer, table.next_players, voided=table.voided)
        if seat is not None and not table.called:
            called += house.ask(CallGame(seat, f"player-{seat}", called % 2 + 1)).ok
        house.act()
    assert called > 3
    games = [first.spec.game for commit in house.commits() if (first := _start(commit))]
    assert set(games[1:]) == {"razz", "high_chicago"}
    for kept in range(6, 0, -1):
        assert move(house, tmp_path, Kept(kept, 1)).commits
        assert verify_table(house.log, TABLE, ring=RING).problem is None


def _start(commit: Commit) -> HandStarted | None:
    first = commit.events[0]
    return first if isinstance(first, HandStarted) else None
