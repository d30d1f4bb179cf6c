from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from redis import ConnectionError as RedisConnectionError
from redis import Redis

from services.embedded import bundled_binary
from services.embedded_folder import claim_server

ROOT = Path(__file__).resolve().parents[2]

OWNER = """
import sys, time
from pathlib import Path
from services.embedded import EmbeddedServer

port = int(sys.argv[2]) if len(sys.argv) > 2 else None
with EmbeddedServer.start(Path(sys.argv[1]), port=port) as server:
    try:
        print(server.pid, server.url, flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("interrupted", server.is_alive(), flush=True)
print("stopped", flush=True)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder, not made yet, in which no server is left, whatever the test did.

    Its path is short enough for a socket, which those of pytest's folders are not everywhere.
    """
    with TemporaryDirectory(prefix="doorcard-") as parent:
        path = Path(parent).resolve() / "data"
        yield path
        if path.is_dir():
            os.close(claim_server(path)[0])


@pytest.fixture(scope="session")
def ask() -> Callable[..., Any]:
    """Send one command to the server at a URL; the answer, in text."""

    def send(url: str, *words: str | int) -> Any:
        with Redis.from_url(url, decode_responses=True) as client:  # pyright: ignore[reportUnknownMemberType]
            return cast("Any", client.execute_command(*words))  # pyright: ignore[reportUnknownMemberType]

    return send


@pytest.fixture
def start_owner() -> Iterator[Callable[..., tuple[subprocess.Popen[str], int, str]]]:
    """Start a program that owns a folder; it, and the pid and URL of its server."""
    owners: list[subprocess.Popen[str]] = []

    def start(*words: str | Path | int) -> tuple[subprocess.Popen[str], int, str]:
        owner = subprocess.Popen(
            [sys.executable, "-c", OWNER, *map(str, words)],
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'shared'}"},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        owners.append(owner)
        assert owner.stdout is not None
        pid, url = owner.stdout.readline().split()
        return owner, int(pid), url

    yield start
    for owner in owners:
        owner.kill()
        owner.communicate()


@pytest.fixture(scope="session")
def production(
    ask: Callable[..., Any],
) -> Callable[..., AbstractContextManager[Callable[[str], str]]]:
    """Start a server with the operators' files, and kill it afterwards; the URL for each user.

    ``text`` stands in for that of redis.conf; ``port`` is one on 127.0.0.1, none by default.
    """
    ops = ROOT / "ops"

    @contextmanager
    def start(
        text: str | None = None, folder: Path | None = None, port: int = 0
    ) -> Generator[Callable[[str], str]]:
        with TemporaryDirectory(prefix="doorcard-") as parent:
            home = folder or Path(parent)
            given = text or (ops / "redis.conf").read_text()
            assert given.count("\ndir /data\n") == 1
            settings = home / "redis.conf"
            settings.write_text(given.replace("\ndir /data\n", f"\ndir {home}\n"))
            place = [
                "--aclfile",
                str(ops / "users.acl"),
                "--port",
                str(port),
                "--bind",
                "127.0.0.1",
            ]
            socket = ["--unixsocket", f"{parent}/server.sock"]

            def url(user: str) -> str:
                return f"unix://{user}:change-me-{user}@{parent}/server.sock"

            with subprocess.Popen(
                [bundled_binary(), settings, *place, *socket],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            ) as server:
                try:
                    _await_ping(server, lambda: ask(url("health"), "PING"))
                    yield url
                finally:
                    server.kill()

    return start


def _await_ping(server: subprocess.Popen[str], ping: Callable[[], object]) -> None:
    """Raise with what the server said if it ends, or does not answer within ten seconds."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and server.poll() is None:
        try:
            ping()
        except RedisConnectionError:
            time.sleep(0.01)
        else:
            return
    server.kill()
    assert server.stdout is not None
    pytest.fail(f"the server did not start:\n{server.stdout.read()}")
