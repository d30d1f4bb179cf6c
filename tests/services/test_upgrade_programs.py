"""Real processes of two releases on a real server, one taking the other's place."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from select import select
from typing import Any

import msgpack
import pytest

from doorcard.audit.verify import verify_table
from doorcard.fairness.keys import DeckKeyRing
from services.embedded import EmbeddedServer
from tests.newer import newer_release
from tests.services.harness import TABLE, House, calm, sit_down
from tests.services.processes import finish, running, until
from tests.services.shops import ROLES, RedisShop
from tests.services.test_programs import open_table

Programs = list[subprocess.Popen[str]]


@pytest.fixture
def settings(server: EmbeddedServer, ring: Path) -> dict[str, str]:
    return {
        "DOORCARD_REDIS_URL": server.url,
        "DOORCARD_PARTITIONS": "1",
        "DOORCARD_DECK_KEYS_FILE": str(ring),
        "DOORCARD_BLOCK_MS": "100",
        "DOORCARD_CLAIM_IDLE_MS": "100",
    }


@contextmanager
def programs(*roles: str, module: str = "services", **settings: str) -> Generator[Programs]:
    """A worker of each role, all of them ready."""
    with ExitStack() as stack:
        started = [stack.enter_context(running(role, module=module, **settings)) for role in roles]
        for process in started:
            assert process.stderr is not None
            first = json.loads(process.stderr.readline())
            assert first["event"] == "ready"
            known = (1, 1) if module == "services" else (3, int(settings.get(WRITE, "1")))
            assert (first["reads_format"], first["writes_format"]) == known
        yield started


WRITE = "DOORCARD_WRITE_FORMAT"
NEWER = "tests.newer"


def replaced(processes: Programs) -> list[str]:
    """Stop programs as an operator does, and return what they said."""
    ended = [finish(process, signal.SIGTERM) for process in processes]
    assert [code for code, _ in ended] == [0] * len(processes)
    return [said for _, said in ended]


def play(house: House, actions: int) -> None:
    """Act so many times, each after what was done before is in."""
    for _ in range(actions):
        until(lambda: house.table().awaited == "betting")
        table = house.table()
        house.send(calm(table), f"act-{table.decision}")
        until(lambda before=table.decision: house.table().decision > before)  # type: ignore[misc]


def formats(house: House) -> set[int]:
    return {msgpack.unpackb(stored.raw)[0] for stored in house.log.read(TABLE)}


def test_one_release_takes_the_others_place_and_then_the_setting_is_raised(
    settings: dict[str, str], server_client: Any, ring: Path
) -> None:
    house = House(RedisShop(server_client))
    raised = settings | {WRITE: "2"}
    with newer_release(), ExitStack() as stack:
        old = stack.enter_context(programs(*ROLES, **settings))
        house.send(open_table(), "open")
        for seat in range(3):
            house.send(sit_down(seat), f"sit-{seat}")
        play(house, 10)
        new = stack.enter_context(programs(*ROLES, module=NEWER, **settings))
        play(house, 20)
        said = replaced(old)
        play(house, 10)
        assert formats(house) == {1}
        stack.enter_context(programs(*ROLES, module=NEWER, **raised))
        said += replaced(new)
        play(house, 10)
        assert formats(house) == {1, 2}
        late = stack.enter_context(programs("betting", **settings))  # which nobody should start
        while not has_spoken(late[0]):
            play(house, 1)
        said += replaced(late)
        assert "left for a newer worker" in said[-1]
        play(house, 5)
        report = verify_table(house.log, TABLE, ring=DeckKeyRing.load(ring))
    assert (report.problem, report.hands > 2) == (None, True)
    assert not [line for line in said if "message failed" in line or "forgot" in line]
    assert (house.queues.dead("p00"), house.log.paused(), house.shop.unfinished()) == ([], {}, {})
    assert all(reply.ok for reply in house.replies())


def has_spoken(process: subprocess.Popen[str]) -> bool:
    """Whether a program has said something since it was ready."""
    assert process.stderr is not None
    return bool(select([process.stderr], [], [], 0)[0])
