"""The worker processes of ``up``: started, watched, and stopped together."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from doorcard.errors import StoreError
from services.settings import Settings

ROLES: Final = ("floor", "dealer", "betting", "showdown", "clock")
KEY_HOLDERS: Final = frozenset({"dealer", "showdown"})
STOP_WAIT_S: Final = 10.0
BLOCK_MS: Final = 200
"""How long workers wait for work at most before they look whether they shall stop."""


class Workers:
    """Running worker processes."""

    def __init__(self, logs: Path) -> None:
        self._logs = logs
        self._processes: list[tuple[str, subprocess.Popen[bytes]]] = []

    def start(self, role: str, environment: dict[str, str]) -> None:
        """Start one worker; its log lines go into the file of its role."""
        with (self._logs / f"{role}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "services", role],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for `up`, which stops the workers
            )
        self._processes.append((role, process))

    def check(self) -> None:
        """Raise ``StoreError`` if a worker has ended by itself."""
        for role, process in self._processes:
            if process.poll() is not None:
                log = self._logs / f"{role}.log"
                raise StoreError(
                    f"the {role} worker ended with code {process.returncode}: "
                    f"{_last_words(log)}; see {log}"
                )

    def stop(self) -> None:
        """Let all of them finish what they have read, and wait for them. Cannot be interrupted."""
        before = {
            sign: signal.signal(sign, signal.SIG_IGN) for sign in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            for _, process in self._processes:
                if process.poll() is None:
                    process.terminate()
            give_up = time.monotonic() + STOP_WAIT_S
            for _, process in self._processes:
                try:
                    process.wait(max(0.1, give_up - time.monotonic()))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)


@contextmanager
def workers_running(data: Path, settings: Settings, url: str, count: int) -> Generator[Workers]:
    """``count`` processes a role and one clock, for as long as the context lasts."""
    logs = data / "logs"
    logs.mkdir(exist_ok=True)
    common = {
        **os.environ,
        "DOORCARD_REDIS_URL": url,
        "DOORCARD_PARTITIONS": str(settings.partitions),
        "DOORCARD_PARENT_PID": str(os.getpid()),
    }
    common.setdefault("DOORCARD_BLOCK_MS", str(BLOCK_MS))
    for name in ("DOORCARD_DECK_KEYS", "DOORCARD_DECK_KEYS_FILE", "DOORCARD_HEADS_FILE"):
        common.pop(name, None)
    workers = Workers(logs)
    ports = itertools.count(settings.metrics_port)
    try:
        for role in ROLES:
            own = dict(common)
            if role in KEY_HOLDERS:
                own["DOORCARD_DECK_KEYS_FILE"] = str(data / "deck-keys.json")
            if role == "showdown":
                own["DOORCARD_HEADS_FILE"] = str(data / "heads.jsonl")
            for _ in range(1 if role == "clock" else count):
                if settings.metrics_port:  # one a process, in the order of their starting
                    own["DOORCARD_METRICS_PORT"] = str(next(ports))
                workers.start(role, own)
        yield workers
    finally:
        workers.stop()


def _last_words(log: Path) -> str:
    """Why the last line of a worker's log says that it ended."""
    try:
        last = log.read_text("utf-8", "replace").splitlines()[-1]
        values = json.loads(last)
        return str(values.get("why") or values.get("error") or values["event"])
    except (OSError, IndexError, KeyError, ValueError, AttributeError):
        return "it left no line in its log"
