from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import fakeredis
import pytest

from doorcard.fairness.keys import DeckKeyRing
from doorcard.fairness.seed import Seed
from doorcard.streams.connection import connect
from services.embedded import EmbeddedServer
from tests.services.harness import House
from tests.services.processes import (
    family,
    finish,
    hands_in,
    running,
    settings_of,
    until,
    workers_of,
)
from tests.services.shops import MemoryShop, RedisShop, Shop

STORES = ("memory", "fake redis", "server")


@pytest.fixture(autouse=True)
def one_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every hand in this process is dealt from the same deck, so that runs can be compared."""
    monkeypatch.setattr("services.deciders.new_seed", lambda: Seed(b"\7" * 32))


@pytest.fixture
def house() -> House:
    """A service over a store in memory."""
    return House(MemoryShop())


@pytest.fixture(params=STORES)
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    """Every store there is, one after the other, empty."""
    if request.param == "memory":
        yield MemoryShop()
        return
    if request.param == "server":
        yield RedisShop(request.getfixturevalue("server_client"))
        return
    client = fakeredis.FakeRedis(version=(7, 2), server_type="redis", protocol=2)
    yield RedisShop(client)
    client.close()


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    """A real server for the tests of a file."""
    with (
        TemporaryDirectory(prefix="doorcard-") as folder,
        EmbeddedServer.start(Path(folder) / "data") as started,
    ):
        yield started


@pytest.fixture
def server_client(server: EmbeddedServer) -> Iterator[Any]:
    """A client of the real server, which is empty and knows no functions."""
    client: Any = connect(server.url)
    client.flushall()
    client.function_flush()
    yield client
    client.close()


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    """The deck keys of programs."""
    path = tmp_path / "deck-keys.json"
    DeckKeyRing.create(path)
    return path


class Evening(NamedTuple):
    """A finished run of ``up`` with the workers at their most talkative."""

    data: Path
    said: str
    code: int
    settings: dict[str, dict[str, str]]
    """The environment of each role's process."""


@pytest.fixture(scope="session")
def evening() -> Iterator[Evening]:
    """Two hundred hands at ten tables, by real processes on a real server."""
    with TemporaryDirectory(prefix="doorcard-") as parent:
        data = Path(parent) / "data"
        words = ("up", "--hands", "20", "--data", str(data))
        with running(*words, DOORCARD_LOG_LEVEL="debug") as process:
            until(lambda: hands_in(data) > 5, process)
            roles = {role: settings_of(pid) for pid, role in workers_of(process.pid).items()}
            code, said = finish(process)
        yield Evening(data, said, code, roles)


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder, not made yet, whose path is short enough for a socket."""
    with TemporaryDirectory(prefix="doorcard-") as parent:
        path = Path(parent).resolve() / "data"
        yield path
        for pid in family(path):
            os.kill(pid, signal.SIGKILL)
