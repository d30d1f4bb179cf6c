"""Who may use a data folder: the locks on it, and the server that a killed program left behind.

Two files are locked with flock, and never deleted:

- ``owner.lock`` by the program that uses the folder, for as long as it lives. It holds its pid.
- ``server.lock`` by the server itself: it inherits the open file, so the kernel keeps the lock
  exactly as long as the server (or a child that rewrites its append-only file) lives, whatever
  became of the program. It holds the server's address and pid.

A server left behind is stopped, not adopted: its settings may not be the ones now asked for, and
only a child of ours can be waited for. A pid in a file is never trusted, for it may be somebody
else's by now; only the server that answers at the address, and says that it works in this folder,
gets a signal.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import time
from pathlib import Path
from typing import Any, NamedTuple

from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from doorcard.errors import StoreError
from services.durability import keeps_nothing

ASK_TIMEOUT_S = 1.0
LOOK_TIMEOUT_S = 0.3
FIND_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 10.0
POLL_S = 0.01
NODE_WORDS = 8
"""How many words a node's own line in ``nodes.conf`` has before those that name its slots."""


class FolderInUse(StoreError):
    """Another program owns the data folder. Nothing was changed."""

    def __init__(self, folder: Path, owner_pid: int | None) -> None:
        owner = "another process" if owner_pid is None else f"process {owner_pid}"
        super().__init__(
            f"The data folder {folder} is in use by {owner}. "
            "Stop that program first, or choose another folder."
        )
        self.folder = folder
        self.owner_pid = owner_pid


class ServerState(NamedTuple):
    """What a server says of itself."""

    pid: int
    folder: Path
    loading: bool
    """It still reads its append-only file, and answers nothing else."""


def claim_folder(folder: Path) -> int:
    """Lock the folder for this process; the descriptor holds the lock until it is closed.

    Raises FolderInUse if another start owns the folder, in this process or any other.
    """
    path = folder / "owner.lock"
    descriptor = _lock(path)
    if descriptor is None:
        owner = path.read_text(errors="replace").strip()
        raise FolderInUse(folder, int(owner) if owner.isdecimal() else None)
    _write(descriptor, str(os.getpid()))
    return descriptor


def release_folder(descriptor: int) -> None:
    """Give the folder up, so that the next start gets it."""
    os.ftruncate(descriptor, 0)
    os.close(descriptor)


def claim_server(folder: Path) -> tuple[int, int | None]:
    """Lock the folder for the next server, stopping one that was left behind.

    Answers the descriptor that the server must inherit, and the pid of the server that was
    stopped, if there was one. Raises StoreError if one is there that cannot be asked or stopped.
    """
    path = folder / "server.lock"
    found: int | None = None
    deadline = time.monotonic() + FIND_TIMEOUT_S
    while time.monotonic() < deadline:
        descriptor = _lock(path)
        if descriptor is not None:
            return descriptor, found
        if found is None and (found := _server_in(folder, path)) is not None:
            _send(found, signal.SIGTERM)
            deadline = time.monotonic() + STOP_TIMEOUT_S
        time.sleep(POLL_S)
    return _force_out(folder, path, found), found


def describe_server(descriptor: int, url: str, pid: int | None) -> None:
    """Write into the locked file where the server is found: the address before it starts."""
    _write(descriptor, f"{url}\n{'' if pid is None else pid}\n")


def has_manifest(folder: Path) -> bool:
    """Whether the list of the server's append-only files is there."""
    return any((folder / "appendonlydir").glob("*.manifest"))


def nodes_in(folder: Path) -> int:
    """How many nodes of a cluster with slots of their own lie in the folders below this one."""
    own = [
        line.split()
        for path in folder.glob("node-*/nodes.conf")
        for line in path.read_text(errors="replace").splitlines()
        if "myself" in line
    ]
    return sum(len(words) > NODE_WORDS for words in own)


def require_whole(folder: Path) -> None:
    """Raise ``StoreError`` if there are append-only files without their list.

    The server would take the folder for an empty one, and write over what is there.
    """
    if any((folder / "appendonlydir").glob("*.aof")) and not has_manifest(folder):
        raise StoreError(
            f"The append-only files in {folder / 'appendonlydir'} have no manifest, which lists "
            "them: put it back, or a backup of the whole folder. Nothing was changed."
        )


def ask_server(url: str) -> ServerState | None:
    """Which server answers there; None if nobody does, or not with what we need to know."""
    try:
        with _client(url, ASK_TIMEOUT_S) as client:
            facts = client.info()
            _, folder = client.execute_command("CONFIG", "GET", "dir")
            path = Path(os.fsdecode(folder))
            return ServerState(int(facts["process_id"]), path, bool(int(facts["loading"])))
    except (RedisError, OSError, KeyError, ValueError):
        return None


def writes_no_file(url: str) -> bool:
    """Whether the server that answers there soon says that it writes no append-only file."""
    try:
        with _client(url, LOOK_TIMEOUT_S) as client:
            return keeps_nothing(client)
    except (RedisError, OSError):
        return False


def _client(url: str, timeout_s: float) -> Any:
    """A client that tries once."""
    return Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
        url,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )


def _server_in(folder: Path, path: Path) -> int | None:
    """The pid of the server whose address the locked file holds, if it works in this folder."""
    url, _ = _read_server(path)
    state = ask_server(url) if url else None
    if state is None or not state.folder.exists() or not state.folder.samefile(folder):
        return None
    return state.pid


def _force_out(folder: Path, path: Path, pid: int | None) -> int:
    """Kill the server that did not end when told to. Its file loses nothing by it."""
    if pid is None:
        url, noted = _read_server(path)
        raise StoreError(
            f"A server left behind by a killed program holds the data folder {folder}, and does "
            f"not answer at {url or 'any known address'}. "
            f"End it (process {noted or 'unknown'}), then start again."
        )
    _send(pid, signal.SIGKILL)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while time.monotonic() < deadline:
        descriptor = _lock(path)
        if descriptor is not None:
            return descriptor
        time.sleep(POLL_S)
    raise StoreError(f"The server left behind in {folder} (process {pid}) does not end.")


def _read_server(path: Path) -> tuple[str, str]:
    """The address and the pid that the file holds; empty where they are not known."""
    url, pid, *_ = [*path.read_text(errors="replace").splitlines(), "", ""]
    return url, pid


def _send(pid: int, order: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, order)


def _lock(path: Path) -> int | None:
    """An open file that holds the lock; None while somebody else holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _write(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)
