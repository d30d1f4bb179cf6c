"""Workers of two releases share the queues: nothing is lost, buried or done twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from random import Random
from typing import Any, cast

import msgpack
import pytest

from doorcard.audit.verify import verify_table
from doorcard.commands import OpenTable, SitOut
from doorcard.errors import NeedsFormat
from doorcard.streams.keys import queue_key
from doorcard.streams.messages import NEWER_FORMAT, encode_request
from doorcard.streams.upcast import Row, Step
from doorcard.tables import Role
from services import unfinished
from services.worker import Worker
from tests.newer import newer_release, older_release, release
from tests.services.harness import (
    LIMITS,
    RING,
    SENDER,
    TABLE,
    House,
    assert_all_is_done,
    calm,
    settings_for,
)
from tests.services.processes import services
from tests.services.shops import ROLES, Shop

ROUNDS_MAX = 1000


@pytest.fixture(autouse=True)
def upgraded() -> Iterator[None]:
    """Whoever looks at the logs here reads every format."""
    with newer_release():
        yield


class Older:
    """A worker of the release that knows the first format alone."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.tally = worker.tally

    @property
    def waiting(self) -> int:
        return self.worker.waiting

    def step(self, block_ms: int) -> int:
        with older_release():
            return self.worker.step(block_ms)

    def claim(self) -> int:
        with older_release():
            return self.worker.claim()


class Shift:
    """Workers of one role, of which now this one comes first and now that one."""

    def __init__(self, workers: list[Any], chance: Random) -> None:
        self.workers = workers
        self.chance = chance

    @property
    def waiting(self) -> int:
        return sum(worker.waiting for worker in self.workers)

    def step(self, block_ms: int) -> int:
        return sum(worker.step(block_ms) for worker in self._in_any_order())

    def claim(self) -> int:
        return sum(worker.claim() for worker in self._in_any_order())

    def _in_any_order(self) -> list[Any]:
        return self.chance.sample(self.workers, len(self.workers))


def staff(house: House, *hired: str | int, chance: Random | None = None) -> None:
    """Put workers to work: ``old`` ones, and newer ones, by the format that they write."""
    for role in ROLES:
        workers = [worker_of(house, role, kind) for kind in hired]
        house.workers[role] = cast("Worker", Shift(workers, chance or Random(1)))


def worker_of(house: House, role: Role, kind: str | int) -> Any:
    """One worker, and no more than one message at a time, so that many get their share."""
    written = 1 if kind == "old" else kind
    house.settings = settings_for(claim_idle_ms=5, batch=1, write_format=written)
    worker = house.new_worker(role)
    return Older(worker) if kind == "old" else worker


def finish(house: House) -> None:
    """Let everything be done that is to be done, by whoever can."""
    for _ in range(ROUNDS_MAX):
        house.settle()
        if not house.shop.unfinished():
            return
        house.claim()
    raise AssertionError("the messages are never finished")


def play(house: House, hands: int) -> None:
    """Play on until so many more hands have begun."""
    until = house.table().hands + hands
    while house.table().hands < until:
        table = house.table()
        house.send(calm(table), f"act-{table.decision}")
        finish(house)


def opened(shop: Shop, *hired: str | int) -> House:
    """A table with a hand in progress, made by these workers."""
    house = House(shop)
    staff(house, *hired)
    house.open()
    return house


def formats(house: House) -> list[int]:
    """The format of each commit."""
    return [msgpack.unpackb(stored.raw)[0] for stored in house.log.read(TABLE)]


# --- playing through it --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_old_and_new_workers_play_on_while_the_setting_is_raised(shop: Shop, seed: int) -> None:
    """Also where it is raised too early, while old workers are still there."""
    house = opened(shop, "old", "old")
    written: list[set[int]] = []
    for hired in (("old", 1), (1, 1), (1, 2), (2,), (2, "old"), (2, 3), (3, 3), (1,)):
        before = len(formats(house))
        staff(house, *hired, chance=Random(seed))
        play(house, 1)
        written.append(set(formats(house)[before:]))
    assert written[:2] == [{1}, {1}], "the older format, until the setting is raised"
    assert written[2] == {1, 2}
    assert written[3:5] == [{2}, {2}], "an old worker appends nothing to what it cannot read"
    assert written[5:] == [{2, 3}, {3}, {1}]
    assert house.notes.said("left for a newer worker")
    assert not house.notes.said("message failed")
    assert not house.notes.said("the store forgot commits")
    assert house.queues.dead("p00") == []
    assert_all_is_done(house)
    assert all(reply.ok for reply in house.replies())
    report = verify_table(house.log, TABLE, ring=RING)
    assert (report.problem, report.commits) == (None, len(formats(house)))


def test_a_changed_commit_of_an_older_format_is_found(shop: Shop) -> None:
    """The newer release knows how each format is written."""
    house = opened(shop, 2)
    stored = house.log.read(TABLE)
    row = msgpack.unpackb(stored[-1].raw, use_list=False)
    odd = b"\xdc\x00\x08" + b"".join(map(msgpack.packb, row))  # the same row, written at length
    assert msgpack.unpackb(odd, use_list=False) == row

    class Changed:
        def read(self, _table: str, after: int = 0, count: int | None = None) -> Any:
            changed = [*stored[:-1], stored[-1]._replace(raw=odd, mark=b"")]
            return changed[after:][:count]

        def __getattr__(self, name: str) -> Any:
            return getattr(house.log, name)

    problem = verify_table(cast("Any", Changed()), TABLE).problem
    assert problem is not None
    assert problem.seq == len(stored)
    assert problem.reason == "is not written the way that commits are written"


# --- what an old worker cannot read --------------------------------------------------------------


def test_what_only_newer_workers_read_is_left_to_them_and_no_delivery_counts(shop: Shop) -> None:
    house = opened(shop, 2)
    newer = house.workers["betting"]
    house.workers["betting"] = older = cast("Worker", worker_of(house, "betting", "old"))
    before = formats(house)
    house.send(calm(house.table()), "act")
    assert older.step(0) == 1
    tries = 3 * house.settings.deliveries_max
    assert sum(house.claim() for _ in range(tries)) > house.settings.deliveries_max
    assert shop.unfinished() == {"betting p00": 1}
    assert (house.queues.dead("p00"), house.log.paused(), older.tally.buried) == ([], {}, 0)
    assert "act" not in [reply.id for reply in house.replies()]
    lines = house.notes.said("left for a newer worker")
    assert 0 < len(lines) < tries
    assert (lines[0]["level"], lines[0]["queue"]) == ("warning", queue_key("betting", "p00"))
    assert "written by a newer version" in str(lines[0]["why"])
    assert formats(house) == before
    house.shop.pass_ms(10)
    (delivery,) = house.queues.claim("betting", ["p00"], 5, 10)
    assert delivery.count == 1
    house.workers["betting"] = newer
    finish(house)
    assert house.commits()[-1].cause == "act"


def test_one_table_of_a_newer_format_holds_up_no_other(shop: Shop) -> None:
    house = opened(shop, 2)
    staff(house, "old")
    house.send(calm(house.table()), "act")
    house.send(OpenTable("razz", LIMITS), "open-other", table="p00.other")
    house.settle()
    assert house.replies()[-1].id == "open-other"
    assert shop.unfinished() == {"betting p00": 1}


def test_a_table_that_can_be_read_again_is_taken_up_quietly(shop: Shop) -> None:
    """The setting is lowered again: from the next hand on, old workers are of use."""
    house = opened(shop, 1)
    older = worker_of(house, "betting", "old")
    house.send(calm(house.table()), "first")
    assert older.step(0) == 1
    dealer = house.workers["dealer"]
    staff(house, 2)
    house.workers["dealer"] = dealer  # which begins the next hand in the first format
    play(house, 1)
    assert 2 in formats(house)
    house.workers["betting"] = older
    assert house.act().ok
    assert formats(house)[-1] == 1
    assert older.tally.forgotten == 0
    assert not house.notes.said("left for a newer worker")


# --- messages ------------------------------------------------------------------------------------


def test_a_request_that_names_a_newer_format_waits_for_who_knows_it(shop: Shop) -> None:
    house = opened(shop, 1)
    older = worker_of(house, "betting", "old")
    body = msgpack.unpackb(encode_request("later", SENDER, TABLE, calm(house.table())))
    house.queues.send("betting", TABLE, msgpack.packb(body | {"format": 2}))
    assert older.step(0) == 1
    assert shop.unfinished() == {"betting p00": 1}
    assert "later" not in [reply.id for reply in house.replies()]
    finish(house)
    assert [(reply.id, reply.ok) for reply in house.replies()] == [("later", True)]


def test_a_request_of_a_format_that_nobody_knows_is_refused_in_the_end(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sends such a one holds up no queue for ever."""
    monkeypatch.setattr(unfinished, "REQUEST_LEFT_MS", 100)
    house = opened(shop, 1)
    body = msgpack.unpackb(encode_request("later", SENDER, TABLE, calm(house.table())))
    house.queues.send("betting", TABLE, msgpack.packb(body | {"format": 99}))
    house.settle()
    assert shop.unfinished() == {"betting p00": 1}
    assert "later" not in [reply.id for reply in house.replies()]
    shop.pass_ms(101)
    house.claim()
    house.settle()
    assert shop.unfinished() == {}
    assert [(reply.id, reply.code) for reply in house.replies()] == [("later", NEWER_FORMAT)]


def test_a_notice_of_a_kind_that_nobody_knows_yet_stays(shop: Shop) -> None:
    house = opened(shop, 1)
    house.queues.send("betting", TABLE, msgpack.packb([3, TABLE, "something else"]))
    for _ in range(2 * house.settings.deliveries_max):
        house.settle()
        house.claim()
    assert shop.unfinished() == {"betting p00": 1}
    assert house.queues.dead("p00") == []
    assert house.act().ok


# --- what the written format has no form for -----------------------------------------------------

SAT_OUT, DEALT = 8, 23


def without(tag: int) -> AbstractContextManager[None]:
    """A release whose second format brings an event that the first one has no form for."""

    def lower(row: Row) -> Row:
        if any(event[0] == tag for event in row[-1]):
            raise NeedsFormat("it needs format 2")
        return (1, *row[1:])

    def lift(row: Row) -> Row:
        return (2, *row[1:])

    return release(2, {1: Step(lift, lower)})


def test_a_request_for_what_is_not_written_yet_is_refused(shop: Shop) -> None:
    house = opened(shop, 1)
    with without(SAT_OUT):
        before = formats(house)
        reply = house.ask(SitOut(0, "player-0"))
        assert (reply.ok, reply.code) == (False, "message/needs_format")
        assert reply.sentence == "The service does not write that yet: it needs format 2."
        assert formats(house) == before
        staff(house, 2)
        assert house.ask(SitOut(0, "player-0")).ok
        assert set(formats(house)[len(before) :]) == {2}
        assert_all_is_done(house)


def test_what_nobody_asked_for_and_cannot_be_written_is_no_ones_loss(house: House) -> None:
    """A mistake of ours; the wake-up stays until it is given up, and the table is paused."""
    with without(DEALT):
        staff(house, 1)
        house.open()
        assert house.shop.unfinished() == {"dealer p00": 1}
        failed = house.notes.said("message failed")
        assert [line["error"] for line in failed] == ["NeedsFormat: it needs format 2"]


# --- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", [*ROLES, "clock"])
def test_a_program_that_cannot_write_the_format_does_not_start(role: str) -> None:
    done = services(role, DOORCARD_WRITE_FORMAT="2")
    assert done.returncode == 2
    why = "this program writes formats 1 to 1, and not 2"
    assert done.stderr == f"services: setting DOORCARD_WRITE_FORMAT: {why}\n"
