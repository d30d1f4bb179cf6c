"""ops/runbook.md: every command in it is run, on a store where tables were really played."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import pytest
import yaml

from doorcard.streams.connection import connect
from doorcard.streams.keys import partition_names
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from doorcard.streams.wakes import encode_wake
from services.embedded import EmbeddedServer
from tests.services.processes import running, services, until

ROOT: Final = Path(__file__).resolve().parents[2]
PLAYED: Final = "p00.razz-1"
FLOOR: Final = (["void"], ["close"], ["stop-dealing"], ["start-dealing"])
"""What a floor worker answers."""
SHIMS: Final = {
    "python": 'exec {python} "$@"',
    "doorcard": "exec {python} -c 'from doorcard.cli import main; raise SystemExit(main())' \"$@\"",
    "valkey-cli": "exec {python} -c '\n"
    "import sys\n"
    "from redis import Redis\n"
    "flag, url, *words = sys.argv[1:]\n"
    'assert flag == "-u"\n'
    'print(Redis.from_url(url).execute_command(*words))\' "$@"',
}
"""Programs that an operator has on the path. No valkey-cli comes with the server's package."""


@cache
def text() -> str:
    return (ROOT / "ops/runbook.md").read_text("utf-8")


@cache
def commands() -> tuple[str, ...]:
    """Every line of the runbook's shell blocks, without its comment."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text(), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.strip()]
    plain = [re.sub(r"\s+#.*", "", line) for line in lines]
    return tuple(dict.fromkeys(plain))


class Place(NamedTuple):
    """A store with tables on it, and an operator's environment."""

    url: str
    words: dict[str, str]
    environment: dict[str, str]

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the runbook, with its capital words replaced."""
        for word, value in self.words.items():
            command = re.sub(rf"\b{word}\b", value, command)
        return subprocess.run(
            ["bash", "-c", command],
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """A few hands are played by ``up``, and its store runs on."""
    with TemporaryDirectory(prefix="doorcard-") as parent:
        data = Path(parent) / "data"
        programs = Path(parent) / "bin"
        programs.mkdir()
        (Path(parent) / "archive").mkdir()
        for name, line in SHIMS.items():
            path = programs / name
            path.write_text("#!/bin/sh\n" + line.format(python=shlex.quote(sys.executable)) + "\n")
            path.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if "DOORCARD" not in name}
        environment = {
            **kept,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT / 'shared'}{os.pathsep}{ROOT}",
            "COLUMNS": "200",
        }
        up = ["up", "--hands", "2", "--games", "razz", "--data", str(data)]
        subprocess.run(
            [sys.executable, "-m", "services", *up], env=environment, check=True, timeout=120,
            capture_output=True,
        )  # fmt: skip
        with (
            EmbeddedServer.start(data / "store") as server,
            running("floor", DOORCARD_REDIS_URL=server.url),
            _clock(server.url) as port,
        ):
            environment |= {"DOORCARD_REDIS_URL": server.url, "DOORCARD_PARTITIONS": "4"}
            words = {
                "TABLE": PLAYED,
                "HEADS": str(data / "heads.jsonl"),
                "KEYS": str(data / "deck-keys.json"),
                "SEATKEY": str(data / "bot-keys.json"),
                "LOGFILE": f"{parent}/razz.log",
                "HISTORY": f"{parent}/hand.phh",
                "ARCHIVE": f"{parent}/archive",
                "DATA": f"{parent}/other",
                "URL": server.url,
                "SEQ": "9",
                "PORT": str(port),
            }
            yield Place(server.url, words, environment)


@contextmanager
def _clock(url: str) -> Generator[int]:
    """A program that is ready, for the operator to ask; its metrics port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    own = {"DOORCARD_METRICS_PORT": str(port), "DOORCARD_REDIS_URL": url}
    with running("clock", **own) as program:
        until(lambda: services("probe", **own).returncode == 0, program)
        yield port


def bury_a_letter(url: str) -> str:
    """Make a dead letter of the played table, which is paused by it; the letter's id."""
    client: Any = connect(url)
    queues = Queues(client)
    queues.ensure_groups("dealer", partition_names(4))
    assert isinstance(queues.send("dealer", PLAYED, encode_wake(PLAYED, 1)), str)
    (delivery,) = queues.read("dealer", ["p00"], 1)
    queues.bury(delivery, PLAYED, "somebody must look")
    letter = queues.dead("p00")[-1]
    client.close()
    return letter.id


def pause(url: str) -> None:
    client: Any = connect(url)
    RedisLog(client).pause(PLAYED, "somebody looks")
    client.close()


def test_the_runbook_has_commands_and_every_section_that_it_needs() -> None:
    assert len(commands()) > 25
    titles = re.findall(r"^## (.*)$", text(), re.MULTILINE)
    assert titles == [
        "Start, stop, scale",
        "Upgrading with nothing stopped",
        "TLS",
        "On a cluster",
        "Metrics and health",
        "Back up and restore",
        "Archive old hands",
        "Stuck messages, dead letters, pauses",
        "Lost derived keys",
        "A log that does not fold",
        "The store is full",
        "Time given back",
        "The store is away",
        "A wrong or missing key",
        "Rotating the deck keys",
        "A dispute",
        "Alerts",
        "What the log lines mean",
    ]


@pytest.mark.parametrize("command", [line for line in commands() if not line.startswith("docker ")])
def test_every_command_works(place: Place, command: str) -> None:
    if "LETTER" in command:
        place.words["LETTER"] = bury_a_letter(place.url)
    if " resume " in command:
        pause(place.url)
    if " keys use " in command:
        place.run(command.replace(" use ", " add "))  # which may have been done before
    if command == "ops/make-secrets":
        assert os.access(ROOT / command, os.X_OK)
        return
    if command.startswith("python -m services store "):
        command = f"timeout --preserve-status 5 {command}"
    done = place.run(command)
    if command.split()[3:4] in FLOOR:  # the table is closed by then, and the floor says so
        assert (done.returncode, done.stdout) == (1, f"Table {PLAYED} is closed.\n")
        return
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [line for line in commands() if line.startswith("docker ")])
def test_every_compose_command_names_services_that_exist(command: str) -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    words = shlex.split(command)
    assert words[:2] == ["docker", "compose"]
    assert words[2] in ("up", "stop", "exec")
    named = [word.partition("=")[0] for word in words[3:] if not word.startswith("-")]
    assert set(named) <= set(compose["services"])
    flags = {word for word in words[3:] if word.startswith("-")}
    assert flags <= {"--detach", "--build", "--wait", "--scale"}


def test_what_the_runbook_says_about_exit_codes(place: Place) -> None:
    assert place.run("doorcard verify TABLE --heads /nowhere/heads").returncode == 2
    assert place.run("python -m services resume p00.nobody").returncode == 2
    away = "DOORCARD_REDIS_URL=unix:///nowhere/s python -m services health"
    assert place.run(away).returncode == 2


def test_every_log_line_is_explained() -> None:
    """What the workers say, and what the table at the end explains, is the same."""
    said: set[str] = set()
    for path in (ROOT / "services").glob("*.py"):
        source = path.read_text("utf-8")
        said.update(
            re.findall(
                r"\b_?logger\.(?:debug|info|warning|error|critical)\((?:\s*#[^\n]*)?\s*\"([^\"]+)\"",
                source,
            )
        )
    for path in (ROOT / "shared/doorcard/streams").glob("*.py"):
        complaints = re.findall(
            r"(?:Complaint\(_LOGGER, |^AWAY: Final = )\"([^\"]+)\"",
            path.read_text("utf-8"),
            re.MULTILINE,
        )
        said.update(line.replace("%s", "…") for line in complaints)
    section = text().partition("## What the log lines mean")[2]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    explained = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert explained == said
