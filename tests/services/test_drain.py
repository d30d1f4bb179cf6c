"""Told to stop while the store hangs: a program ends within its bound, and loses nothing."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from doorcard.commands import OpenTable
from services.embedded import EmbeddedServer
from services.logs import Logger
from services.run import OutOfTime, run, stop_sign
from tests.services.harness import LIMITS, House, NoteBook, settings_for
from tests.services.processes import finish, running, until
from tests.services.shops import RedisShop

DRAIN_MS = 1_000
SLACK_S = 2.0
"""Until a busy machine has woken a process and taken it down."""


@pytest.fixture
def house(server_client: Any) -> House:
    return House(RedisShop(server_client), settings_for(claim_idle_ms=300))


@contextmanager
def hanging(server: EmbeddedServer) -> Generator[None]:
    """A store that takes connections and answers nothing."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


@pytest.mark.parametrize("role", ["floor", "clock"])
def test_a_store_that_hangs_holds_nobody_up(
    server: EmbeddedServer, house: House, role: str
) -> None:
    """In the middle of a full batch, if it is a worker; the next one does what is left."""
    for number in range(300):
        house.send(OpenTable("razz", LIMITS, seats=4), f"open-{number}", table=f"p00.t{number}")
    settings = {"DOORCARD_REDIS_URL": server.url, "DOORCARD_PARTITIONS": "1"}
    with running(role, DOORCARD_DRAIN_MS=str(DRAIN_MS), **settings) as process:
        assert process.stderr is not None
        assert json.loads(process.stderr.readline())["event"] == "ready"
        until(lambda: role == "clock" or len(house.log.tables()) > 20)
        with hanging(server):
            time.sleep(0.2)
            started_s = time.monotonic()
            code, said = finish(process, signal.SIGTERM)
            assert time.monotonic() - started_s < DRAIN_MS / 1000 + SLACK_S
    assert code == 0
    events = [json.loads(line)["event"] for line in said.splitlines()]
    assert events == ["not finished in time, leaving", "stopped"]
    house.settle()
    while house.shop.unfinished():
        house.claim()
        house.settle()
    assert len(house.log.tables()) == 300


def test_who_ends_in_time_is_not_interrupted_later() -> None:
    before = {sign: signal.getsignal(sign) for sign in (signal.SIGTERM, signal.SIGINT)}
    try:
        notes = NoteBook()
        stop = stop_sign(drain_ms=150)

        def step() -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            stop.wait(1)

        run(step, stop, cast("Logger", notes))
        time.sleep(0.3)
        assert notes.lines == []
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_what_takes_errors_of_messages_lets_the_end_through() -> None:
    assert not issubclass(OutOfTime, Exception)
    notes = NoteBook()

    def step() -> None:
        raise OutOfTime

    run(step, threading.Event(), cast("Logger", notes))
    assert [line["event"] for line in notes.lines] == ["not finished in time, leaving"]
