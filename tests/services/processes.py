"""Running the programs as an operator does, and looking at them from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from doorcard.streams.connection import connect
from doorcard.streams.keys import partition_names
from doorcard.streams.redis_log import RedisLog

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE_S: Final = 60.0


def environment(**changes: str) -> dict[str, str]:
    """The environment of a program: this one's without the project's settings, and some."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("DOORCARD_")}
    path = f"{ROOT / 'shared'}{os.pathsep}{ROOT}"
    return {**kept, "PYTHONPATH": path, "COLUMNS": "200", **changes}


def services(*words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    return subprocess.run(
        [sys.executable, "-m", "services", *words],
        env=environment(**settings),
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


@contextmanager
def running(
    *words: str, module: str = "services", **settings: str
) -> Generator[subprocess.Popen[str]]:
    """Start a program in a process group of its own; whatever is left of it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *words],
        env=environment(**settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.communicate(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
        process.communicate()


@contextmanager
def stopped(process: subprocess.Popen[str]) -> Generator[None]:
    """Hold a program where it is, alive but doing nothing; what it started goes on."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def finish(process: subprocess.Popen[str], sign: signal.Signals | None = None) -> tuple[int, str]:
    """Wait for a program, telling it to stop first if asked; its exit code and all it said."""
    if sign is not None:
        process.send_signal(sign)
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out + err


def until(condition: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for something to be so; a program that must bring it about must not end before."""
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < give_up, "it never came about"
        time.sleep(0.02)


def hear(process: subprocess.Popen[str], start: str) -> None:
    """Read what a program prints until a line begins so; it is killed if that takes too long."""
    assert process.stdout is not None
    heard: list[str] = []
    patience = threading.Timer(PATIENCE_S, process.kill)
    patience.start()
    try:
        for line in iter(process.stdout.readline, ""):
            heard.append(line)
            if line.startswith(start):
                return
    finally:
        patience.cancel()
    raise AssertionError(f"no line began with {start!r}: {heard[-5:]}")


def family(data: Path) -> dict[int, str]:
    """Process id and command line of everything that works for a data folder."""
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            )
            settings = (folder / "environ").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if str(data) in command or (str(data) in settings and " services " in command):
            found[int(folder.name)] = command
    return found


def workers_of(up: int) -> dict[int, str]:
    """The worker processes that an ``up`` has started, each with its role."""
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
            settings = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"DOORCARD_PARENT_PID=%d" % up in settings:
            found[int(folder.name)] = command[-1].decode()
    return found


def settings_of(pid: int) -> dict[str, str]:
    """The environment of a running process."""
    pairs = Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "replace").split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def log_lines(data: Path) -> dict[str, list[dict[str, Any]]]:
    """Every line of every worker's log, parsed, by role."""
    return {
        path.stem: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for path in (data / "logs").glob("*.log")
    }


def hands_in(data: Path) -> int:
    """How many hands' heads have been published."""
    path = data / "heads.jsonl"
    return len(path.read_text("utf-8").splitlines()) if path.exists() else 0


def tables_of(url: str, partitions: int) -> list[str]:
    """The tables in a store."""
    client: Any = connect(url)
    found = RedisLog(client, partitions=partition_names(partitions)).tables()
    client.close()
    return found
