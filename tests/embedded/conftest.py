from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from redis import Redis

from services.embedded_folder import claim_server

ROOT = Path(__file__).resolve().parents[2]

OWNER = """
import sys, time
from pathlib import Path
from services.embedded import EmbeddedServer

port = int(sys.argv[2]) if len(sys.argv) > 2 else None
with EmbeddedServer.start(Path(sys.argv[1]), port=port) as server:
    print(server.pid, server.url, flush=True)
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        print("interrupted", server.alive, flush=True)
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
            return client.execute_command(*words)  # pyright: ignore[reportUnknownMemberType]

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
