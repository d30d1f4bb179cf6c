"""The embedded server's process: started, waited for, ended."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from doorcard.errors import StoreError
from services.embedded_folder import POLL_S, ask_server, describe_server
from services.embedded_log import cut_offset_bytes, explain_failure, file_cut_short


class Launch(NamedTuple):
    """One start of a server, decided."""

    command: list[str]
    folder: Path
    url: str
    server_lock: int
    """The descriptor that the server inherits, and holds the lock by."""
    timeout_s: float


class _FileCutShort(StoreError):
    def __init__(self, sentence: str, name: str) -> None:
        super().__init__(sentence)
        self.name = name


def launch(plan: Launch) -> tuple[subprocess.Popen[bytes], str | None]:
    """Start the server and wait until it answers; the second part is what an operator must know.

    An append-only file whose end is missing is loaded up to the last whole write, but copied
    first. The server cuts the file where it stands, and it takes a damaged length in the middle
    for a missing end: what it drops may be more than the write that a power failure tore.
    """
    log = plan.folder / "server.log"
    with log.open("ab") as file:
        logged = file.tell()
    try:
        return _run(plan, log, logged, load_cut_file="no"), None
    except _FileCutShort as cut:
        file_path = plan.folder / "appendonlydir" / cut.name
        size_bytes = file_path.stat().st_size
        kept = file_path.with_name(f"{cut.name}.as-found-{size_bytes}-bytes")
        shutil.copyfile(file_path, kept)
    process = _run(plan, log, logged, load_cut_file="yes")
    offset_bytes = cut_offset_bytes(log, logged)
    dropped = "bytes" if offset_bytes is None else f"{size_bytes - offset_bytes} bytes"
    return process, (
        "The append-only file ended in the middle of a write, as after a power failure: "
        f"{dropped} at its end were dropped. The file as it was found is kept as {kept}."
    )


def end(process: subprocess.Popen[bytes], timeout_s: float) -> None:
    """Ask it to end, and see to it: what it has answered for is in its file by then."""
    process.terminate()
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout_s)
    finally:
        process.kill()
        process.wait()


def _run(plan: Launch, log: Path, logged: int, *, load_cut_file: str) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*plan.command, "--aof-load-truncated", load_cut_file],
            cwd=plan.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=[plan.server_lock],
            # A Ctrl-C in the terminal is for the program, which then stops the server.
            start_new_session=True,
        )
    try:
        describe_server(plan.server_lock, plan.url, process.pid)
        _await_answer(process, plan, log, logged)
    except BaseException:
        end(process, 0)
        raise
    return process


def _await_answer(process: subprocess.Popen[bytes], plan: Launch, log: Path, logged: int) -> None:
    """Until our own child answers: on a port taken by somebody else, it is they who would."""
    deadline = time.monotonic() + plan.timeout_s
    while time.monotonic() < deadline:
        if process.poll() is not None:
            what = f"ended with status {process.returncode} instead of starting"
            sentence = explain_failure(log, logged, what)
            name = file_cut_short(log, logged)
            raise StoreError(sentence) if name is None else _FileCutShort(sentence, name)
        state = ask_server(plan.url)
        if state is not None and state.pid == process.pid and not state.loading:
            return
        time.sleep(POLL_S)
    what = f"was not ready within {plan.timeout_s:g} s, and was stopped"
    raise StoreError(explain_failure(log, logged, what))
