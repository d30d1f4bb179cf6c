"""The service's own programs, started as an operator would start them, for a bench."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from doorcard.errors import BadInput, StoreError
from doorcard.fairness.keys import DeckKeyRing

ROLES: Final = ("floor", "dealer", "betting", "showdown", "clock")
STOP_WAIT_S: Final = 15.0
PROJECT: Final = Path(__file__).resolve().parents[3]
"""Where the programs lie beside the library, in a checkout."""
TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")


class Worker(NamedTuple):
    """A worker's process."""

    role: str
    process: subprocess.Popen[bytes]


@contextmanager
def temporary_folder() -> Generator[Path]:
    """A folder that is gone afterwards; its path is short enough for a socket."""
    with TemporaryDirectory(prefix="doorcard-bench-") as folder:
        yield Path(folder)


@contextmanager
def running_store(folder: Path, *, fsync: bool = False, primaries: int = 1) -> Generator[str]:
    """The URL of an embedded store of its own, for as long as the context lasts.

    Args:
        fsync: write to disk before every answer.
        primaries: one server, or a cluster of as many, without replicas.

    Raises:
        BadInput: the programs are not there.
        StoreError: the server did not start.
    """
    name = "fsync" if fsync else "store"
    words = ["store", "--data", str(folder / name), "--primaries", str(primaries)]
    words += ["--fsync"] if fsync else []
    process = _start(words, {}, folder / f"{name}.log")
    try:
        assert process.stdout is not None, "it was asked for"
        first = process.stdout.readline().decode().split()
        if len(first) != 2 or first[0] != "url":
            raise StoreError(f"no server for the bench: {_last_line(folder / f'{name}.log')}")
        yield first[1]
    finally:
        _stop([process])
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def running_workers(
    folder: Path, url: str, partitions: int, *, betting: int = 1
) -> Generator[list[Worker]]:
    """One worker a role, or several that decide bets, and a clock; as long as the context lasts.

    They take their settings from this program's environment, but for where the store is.
    """
    keys = folder / "deck-keys.json"
    DeckKeyRing.create(keys)
    settings = {
        "DOORCARD_REDIS_URL": url,
        "DOORCARD_PARTITIONS": str(partitions),
        "DOORCARD_DECK_KEYS_FILE": str(keys),
        "DOORCARD_HEADS_FILE": str(folder / "heads.jsonl"),
    }
    workers: list[Worker] = []
    try:
        for role in (*ROLES, *(["betting"] * (betting - 1))):
            process = _start([role], settings, folder / f"{role}.log")
            workers.append(Worker(role, process))
        yield workers
    finally:
        _stop([worker.process for worker in workers])


def check_alive(workers: list[Worker], folder: Path) -> None:
    """Raise ``StoreError`` if a worker has ended by itself."""
    for role, process in workers:
        if process.poll() is not None:
            raise StoreError(f"the {role} worker ended: {_last_line(folder / f'{role}.log')}")


def cpu_s(process_id: int) -> float:
    """CPU seconds that a process has taken, user and system.

    Raises:
        BadInput: this system does not say.
    """
    try:
        text = Path(f"/proc/{process_id}/stat").read_text("utf-8")
    except OSError:
        raise BadInput("this system does not tell the CPU time of a process in /proc") from None
    # Behind the name, which stands in brackets and may hold anything, user time is 12th.
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * TICK_S


def _start(words: list[str], settings: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    if not (PROJECT / "services").is_dir():
        raise BadInput("the service's programs are not here; run this bench in a checkout")
    with log.open("ab") as file:
        return subprocess.Popen(  # noqa: S603  # our own programs, with arguments of our own
            [sys.executable, "-m", "services", *words],
            cwd=PROJECT,
            env={**os.environ, "DOORCARD_PARENT_PID": str(os.getpid()), **settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if words[0] == "store" else file,
            stderr=file,
            start_new_session=True,  # Ctrl-C is for the bench, which stops them
        )


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(STOP_WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _last_line(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").splitlines()
    return lines[-1] if lines else "it left no line in its log"
