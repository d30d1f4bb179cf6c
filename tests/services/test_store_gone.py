"""The store is away: at the start, in the middle of a hand, for a while (S-46)."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import pytest
from redis.exceptions import ConnectionError as Gone

from doorcard.errors import StoreError
from doorcard.streams.connection import connect, exchange
from services import run as running
from services.embedded import EmbeddedServer
from services.logs import Logger
from services.roles import CLAIM_EVERY_S, Turns
from services.run import backoff_s, run
from services.worker import Worker
from tests.services.harness import House, NoteBook, assert_all_is_done, calm, settings_for
from tests.services.shops import ROLES, RedisShop

PATIENCE_S: Final = 20.0


def until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up, "it never came about"
        time.sleep(0.01)


@contextmanager
def at_work(house: House, workers: dict[Any, Worker], ready: Callable[[], None]) -> Generator[None]:
    """All workers in their real loops, a thread each."""
    stop = threading.Event()
    logger = cast("Logger", house.notes)
    threads: list[threading.Thread] = []
    for worker in workers.values():
        turns = Turns(worker, ready, house.settings, stop, logger)
        threads.append(threading.Thread(target=run, args=(turns, stop, logger)))
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert not [thread for thread in threads if thread.is_alive()]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients give up soon and waits are short, so that tests need not take minutes."""
    monkeypatch.setattr("doorcard.streams.connection.RETRIES", 1)
    monkeypatch.setattr(running, "WAIT_S_MAX", 0.3)


@pytest.mark.usefixtures("impatient")
def test_s46_a_store_that_goes_away_in_the_middle_of_a_hand_is_waited_for() -> None:
    """Killed, away for a while, started again on the same folder: the hand goes on."""
    with TemporaryDirectory(prefix="doorcard-") as parent:
        folder = Path(parent) / "data"
        first = EmbeddedServer.start(folder, fsync="always")
        house = House(RedisShop(connect(first.url)), settings_for(block_ms=50, claim_idle_ms=100))
        house.open(3)
        house.act()
        before = house.table()
        workers = dict(house.workers)
        with at_work(house, workers, lambda: None):
            os.kill(first.pid, signal.SIGKILL)
            time.sleep(1.5)
            lines = len(house.notes.said("store trouble, waiting"))
            first.stop()
            with EmbeddedServer.start(folder, fsync="always") as second:
                assert second.url == first.url
                assert house.table() == before
                for number in range(12):
                    act = calm(house.table())
                    house.send(act, f"act-{number}")
                    until(lambda decision=act.decision: house.table().decision > decision)  # type: ignore[misc]
                until(lambda: not house.shop.unfinished())
                assert_all_is_done(house)
                # Each comes back when its own pause ends, and some were not needed for the hand.
                until(lambda: len(house.notes.said("store is back")) >= len(ROLES))
        trouble = house.notes.said("store trouble, waiting")
        assert {line["level"] for line in trouble} == {"warning"}
        assert len(ROLES) <= lines <= 3 * len(ROLES), "a line a second for each worker, no more"
        assert len(house.notes.said("store is back")) == len(ROLES)
        assert house.notes.said("message buried, table paused") == []


@pytest.mark.usefixtures("impatient")
def test_a_store_that_is_down_at_the_start_is_waited_for() -> None:
    with TemporaryDirectory(prefix="doorcard-") as parent:
        folder = Path(parent) / "data"
        url = f"unix://{folder.resolve()}/server.sock"
        prepared: list[str] = []
        client = connect(url)
        notes = NoteBook()
        stop = threading.Event()

        def ready() -> None:
            client.execute_command("PING")
            prepared.append("ready")
            stop.set()

        class Idle:
            role = "betting"
            stuck = False
            read_s = 0.0
            waiting = 0

            def step(self, block_ms: int) -> int:
                return block_ms * 0

            def claim(self) -> int:
                return 0

        turns = Turns(cast("Worker", Idle()), ready, settings_for(), stop, cast("Logger", notes))
        thread = threading.Thread(target=run, args=(turns, stop, cast("Logger", notes)))
        thread.start()
        time.sleep(0.8)
        assert (prepared, thread.is_alive()) == ([], True)
        with EmbeddedServer.start(folder):
            thread.join(PATIENCE_S)
        assert prepared == ["ready"]
        assert [line["event"] for line in notes.lines if line["level"] == "info"] == [
            "ready",
            "store is back",
        ]


@pytest.mark.parametrize("how", ["one", "together"])
def test_a_client_gives_up_after_some_seconds(how: str) -> None:
    """Killed while a reader waits: repeats of repeats would take half a minute."""
    with TemporaryDirectory(prefix="doorcard-") as parent:
        server = EmbeddedServer.start(Path(parent) / "data")
        client = connect(server.url)
        assert exchange(client, [("PING",), ("PING",)]) == [b"PONG", b"PONG"]
        wait = ("XREAD", "BLOCK", 5_000, "STREAMS", "nothing", "$")
        killer = threading.Timer(0.2, os.kill, (server.pid, signal.SIGKILL))
        killer.start()
        started = time.monotonic()
        with pytest.raises(Gone):
            client.execute_command(*wait) if how == "one" else exchange(client, [wait])
        assert 1 < time.monotonic() - started < 12
        killer.join()
        server.stop()


def test_s43_a_worker_that_waits_for_memory_says_in_time_what_it_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However long the store is full: a pause longer than ``claim_idle_ms`` would be a death."""
    now_s = [1000.0]
    held_s: list[float] = []

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            now_s[0] += timeout or 0
            return False

    class Full:
        role = "betting"
        stuck = True
        read_s = 0.0
        waiting = 1

        def step(self, block_ms: int) -> int:
            return block_ms * 0

        def claim(self) -> int:
            held_s.append(now_s[0])
            return 0

    monkeypatch.setattr("services.roles.time.monotonic", lambda: now_s[0])
    settings, worker = settings_for(claim_idle_ms=1_000), cast("Worker", Full())
    turns = Turns(worker, lambda: None, settings, Stop(), cast("Logger", NoteBook()))
    for _ in range(50):
        turns()
    assert len(held_s) > 5
    assert max(after - before for before, after in pairwise(held_s)) < 1


def test_a_worker_that_waits_for_messages_looks_in_time_for_what_others_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever ``block_ms`` says: who else would take over from a worker that was killed?"""
    now_s = [1000.0]
    claimed_s: list[float] = []

    class Waiting:
        role = "betting"
        stuck = False
        read_s = 0.0
        waiting = 0

        def step(self, block_ms: int) -> int:
            now_s[0] += block_ms / 1000 + 0.001
            return 0

        def claim(self) -> int:
            claimed_s.append(now_s[0])
            return 0

    monkeypatch.setattr("services.roles.time.monotonic", lambda: now_s[0])
    settings, worker = settings_for(block_ms=10_000), cast("Worker", Waiting())
    turns = Turns(worker, lambda: None, settings, threading.Event(), cast("Logger", NoteBook()))
    for _ in range(20):
        turns()
    assert claimed_s[0] < 1000.01, "a worker that starts has nothing to wait for"
    assert max(after - before for before, after in pairwise(claimed_s)) < CLAIM_EVERY_S + 0.01


class Broken:
    """A loop's step that fails a number of times."""

    def __init__(self, failures: int, error: Exception, stop: threading.Event) -> None:
        self.failures = failures
        self.error = error
        self.stop = stop
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error
        self.stop.set()


@pytest.mark.parametrize("error", [Gone("no"), OSError("no"), StoreError("no"), TimeoutError()])
def test_s46_waits_grow_are_random_and_are_logged_at_most_once_a_second(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    now_s = [1000.0]
    waits: list[float] = []

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None
            waits.append(timeout)
            now_s[0] += timeout
            return False

    monkeypatch.setattr("services.run.time.monotonic", lambda: now_s[0])
    notes, stop = NoteBook(), Stop()
    run(Broken(12, error, stop), stop, cast("Logger", notes))
    assert len(waits) == 12
    assert waits[0] < 0.16
    assert all(2.4 < wait_s < 7.6 for wait_s in waits[6:])
    assert len(set(waits)) == len(waits)
    assert 6 <= len(notes.said("store trouble, waiting")) <= 9
    assert notes.said("store is back") == [
        {"level": "info", "event": "store is back", "failures": 12}
    ]


def test_s46_two_hundred_workers_do_not_come_back_together() -> None:
    waits = sorted(backoff_s(failures=10) for _ in range(200))
    assert max(sum(start <= wait < start + 0.05 for wait in waits) for start in waits) < 20


def test_an_error_that_is_no_trouble_of_the_store_ends_the_loop() -> None:
    stop = threading.Event()
    with pytest.raises(ZeroDivisionError):
        run(Broken(1, ZeroDivisionError(), stop), stop, cast("Logger", NoteBook()))


def test_a_worker_whose_parent_is_gone_stops() -> None:
    notes, stop = NoteBook(), threading.Event()
    step = Broken(0, ValueError(), stop)
    run(step, stop, cast("Logger", notes), 1 << 22)
    assert step.calls == 0
    assert [line["event"] for line in notes.lines] == ["parent is gone, stopping"]


def test_s41_work_after_a_long_idle_time_is_picked_up_at_once(server_client: Any) -> None:
    house = House(RedisShop(server_client), settings_for(block_ms=2_000))
    house.open(2)
    with at_work(house, {"betting": house.workers["betting"]}, lambda: None):
        time.sleep(0.3)
        act = calm(house.table())
        started = time.monotonic()
        house.send(act, "act")
        until(lambda: house.table().decision > act.decision)
        assert time.monotonic() - started < 1
        house.send(act, "one-more-so-that-it-looks-up")
    assert house.notes.said("store trouble, waiting") == []
