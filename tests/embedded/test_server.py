from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from doorcard.errors import StoreError
from services import embedded, embedded_folder
from services.embedded import EmbeddedServer, FolderInUse

Ask = Callable[..., Any]
StartOwner = Callable[..., tuple[subprocess.Popen[str], int, str]]


def test_data_is_there_again_after_a_restart(folder: Path, ask: Ask) -> None:
    with EmbeddedServer.start(folder) as server:
        assert server.notices == ()
        ask(server.url, "XADD", "log", "1-0", "commit", "a")
        first = server.pid
    with EmbeddedServer.start(folder) as server:
        assert server.pid != first
        assert ask(server.url, "XRANGE", "log", "-", "+") == [("1-0", {"commit": "a"})]
        assert server.notices == ()


@pytest.mark.parametrize("fsync", ["everysec", "always"])
def test_nothing_is_evicted_or_kept_only_in_memory(
    folder: Path, ask: Ask, fsync: embedded.Fsync
) -> None:
    with EmbeddedServer.start(folder, fsync=fsync) as server:
        settings = ask(server.url, "CONFIG", "GET", "*")
    expected = {
        "appendonly": "yes",
        "appendfsync": fsync,
        "save": "",
        "maxmemory": "0",
        "maxmemory-policy": "noeviction",
        "protected-mode": "yes",
        "dir": str(folder),
    }
    assert {name: settings[name] for name in expected} == expected


def test_it_listens_on_a_socket_that_only_its_owner_may_open(folder: Path, ask: Ask) -> None:
    with EmbeddedServer.start(folder) as server:
        assert ask(server.url, "CONFIG", "GET", "port") == {"port": "0"}
        assert stat.S_IMODE((folder / "server.sock").stat().st_mode) == 0o700
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_it_listens_on_loopback_alone_where_a_port_is_asked_for(folder: Path, ask: Ask) -> None:
    port = _free_port()
    with EmbeddedServer.start(folder, port=port) as server:
        assert server.url == f"redis://127.0.0.1:{port}"
        assert ask(server.url, "CONFIG", "GET", "bind") == {"bind": "127.0.0.1"}
        assert not (folder / "server.sock").exists()


def test_a_path_too_long_for_a_socket_gets_a_port(folder: Path, ask: Ask) -> None:
    long = folder / ("long" * 25)
    with EmbeddedServer.start(long) as server:
        assert server.url.startswith("redis://127.0.0.1:")
        assert ask(server.url, "CONFIG", "GET", "dir") == {"dir": str(long)}


def test_a_folder_may_have_any_name(folder: Path, ask: Ask) -> None:
    odd = folder / 'it\'s "1 %20" \N{BLACK SPADE SUIT}?#&'
    with EmbeddedServer.start(odd) as server:
        assert server.url.startswith("unix://")
        assert ask(server.url, "PING") is True


def test_stopping_ends_the_server_and_frees_the_folder(folder: Path) -> None:
    server = EmbeddedServer.start(folder)
    assert server.is_alive()
    server.stop()
    server.stop()
    assert not server.is_alive()
    assert not _is_running(server.pid)
    assert sorted(path.name for path in folder.iterdir()) == [
        "appendonlydir",
        "owner.lock",
        "server.lock",
        "server.log",
    ]


def test_a_server_that_died_is_noticed_and_starts_again(folder: Path, ask: Ask) -> None:
    with EmbeddedServer.start(folder) as server:
        ask(server.url, "SET", "chips", 300)
        os.kill(server.pid, signal.SIGKILL)
        os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOWAIT)
        assert not server.is_alive()
    with EmbeddedServer.start(folder) as server:
        assert ask(server.url, "GET", "chips") == "300"


def test_append_only_files_without_their_manifest_are_not_written_over(
    folder: Path, ask: Ask
) -> None:
    with EmbeddedServer.start(folder) as server:
        ask(server.url, "SET", "chips", 300)
    (manifest,) = (folder / "appendonlydir").glob("*.manifest")
    kept = manifest.rename(folder / "kept")
    before = {path.name: path.read_bytes() for path in (folder / "appendonlydir").iterdir()}
    with pytest.raises(StoreError, match=r"have no manifest.*put it back.*Nothing was changed\."):
        EmbeddedServer.start(folder)
    assert before == {path.name: path.read_bytes() for path in (folder / "appendonlydir").iterdir()}
    kept.rename(manifest)
    with EmbeddedServer.start(folder) as server:
        assert ask(server.url, "GET", "chips") == "300"


def test_files_that_are_taken_away_are_missed(folder: Path, ask: Ask) -> None:
    with EmbeddedServer.start(folder) as server:
        server.check()
        (folder / "appendonlydir").rename(folder / "elsewhere")
        assert ask(server.url, "SET", "chips", 300) is True
        with pytest.raises(StoreError, match="were taken away under the running store"):
            server.check()


def test_a_server_that_is_told_to_keep_nothing_is_missed(
    folder: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.embedded.ASK_EVERY_S", 0.0)
    with EmbeddedServer.start(folder) as server:
        server.check()
        ask(server.url, "CONFIG", "SET", "appendonly", "no")
        with pytest.raises(StoreError, match="'appendonly no' in the running store"):
            server.check()
        ask(server.url, "CONFIG", "SET", "appendonly", "yes")
        server.check()
        os.kill(server.pid, signal.SIGSTOP)
        server.check()  # one that hangs says nothing
        os.kill(server.pid, signal.SIGCONT)


def test_a_server_that_hangs_is_not_waited_for_long(folder: Path) -> None:
    with EmbeddedServer.start(folder) as server:
        server.require_answer()
        os.kill(server.pid, signal.SIGSTOP)
        with pytest.raises(StoreError, match="does not answer"):
            server.require_answer(patience_s=0)
        os.kill(server.pid, signal.SIGCONT)
        server.require_answer()


def test_a_second_start_is_refused_with_the_reason(folder: Path, ask: Ask) -> None:
    with EmbeddedServer.start(folder) as server:
        with pytest.raises(FolderInUse) as refused:
            EmbeddedServer.start(folder)
        assert ask(server.url, "PING") is True
    assert refused.value.owner_pid == os.getpid()
    assert str(refused.value) == (
        f"The data folder {folder} is in use by process {os.getpid()}. "
        "Stop that program first, or choose another folder."
    )


def test_a_second_start_names_the_program_that_owns_the_folder(
    folder: Path, ask: Ask, start_owner: StartOwner
) -> None:
    owner, _, url = start_owner(folder)
    with pytest.raises(FolderInUse) as refused:
        EmbeddedServer.start(folder)
    assert refused.value.owner_pid == owner.pid
    assert ask(url, "PING") is True


def test_of_many_starts_at_once_one_gets_the_folder(folder: Path) -> None:
    def start(_: int) -> EmbeddedServer | None:
        try:
            return EmbeddedServer.start(folder)
        except FolderInUse:
            return None

    with ThreadPoolExecutor(4) as pool:
        servers = [server for server in pool.map(start, range(4)) if server is not None]
    for server in servers:
        server.stop()
    assert len(servers) == 1


def test_ctrl_c_reaches_the_program_and_not_the_server(
    folder: Path, ask: Ask, start_owner: StartOwner
) -> None:
    owner, _, url = start_owner(folder)
    ask(url, "SET", "chips", 300)
    os.killpg(owner.pid, signal.SIGINT)
    told, _ = owner.communicate(timeout=10)
    assert told.splitlines() == ["interrupted True", "stopped"]
    assert owner.returncode == 0
    with EmbeddedServer.start(folder) as server:
        assert server.notices == ()
        assert ask(server.url, "GET", "chips") == "300"


@pytest.mark.parametrize("with_port", [False, True])
def test_a_server_left_behind_by_a_killed_program_is_stopped_first(
    folder: Path, ask: Ask, start_owner: StartOwner, with_port: bool
) -> None:
    owner, left_behind, url = start_owner(folder, *([_free_port()] if with_port else []))
    ask(url, "SET", "chips", 300)
    owner.kill()
    owner.wait()
    assert ask(url, "PING") is True
    with EmbeddedServer.start(folder) as server:
        assert not _is_running(left_behind)
        assert ask(server.url, "GET", "chips") == "300"
        (notice,) = server.notices
        assert notice == (
            f"A server that a killed program left behind was stopped (process {left_behind})."
        )


def test_a_server_left_behind_that_does_not_answer_is_named(
    folder: Path, start_owner: StartOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, left_behind, url = start_owner(folder)
    owner.kill()
    owner.wait()
    os.kill(left_behind, signal.SIGSTOP)
    monkeypatch.setattr(embedded_folder, "ASK_TIMEOUT_S", 0.1)
    monkeypatch.setattr(embedded_folder, "FIND_TIMEOUT_S", 0.3)
    try:
        with pytest.raises(StoreError) as refused:
            EmbeddedServer.start(folder)
    finally:
        os.kill(left_behind, signal.SIGCONT)
    assert str(refused.value) == (
        f"A server left behind by a killed program holds the data folder {folder}, and does not "
        f"answer at {url}. End it (process {left_behind}), then start again."
    )


def test_a_server_left_behind_that_does_not_end_is_killed(
    folder: Path, ask: Ask, start_owner: StartOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, left_behind, url = start_owner(folder)
    ask(url, "SET", "chips", 300)
    owner.kill()
    owner.wait()

    def hang_when_asked_to_end(pid: int, order: signal.Signals) -> None:
        os.kill(pid, signal.SIGSTOP if order == signal.SIGTERM else order)

    monkeypatch.setattr(embedded_folder, "_send", hang_when_asked_to_end)
    monkeypatch.setattr(embedded_folder, "STOP_TIMEOUT_S", 0.3)
    with EmbeddedServer.start(folder) as server:
        assert not _is_running(left_behind)
        assert ask(server.url, "GET", "chips") == "300"


def test_a_pid_in_an_old_file_is_not_touched(folder: Path) -> None:
    folder.mkdir()
    with subprocess.Popen(["sleep", "60"]) as stranger:
        (folder / "owner.lock").write_text(str(stranger.pid))
        (folder / "server.lock").write_text(f"unix://{folder}/server.sock\n{stranger.pid}\n")
        EmbeddedServer.start(folder).stop()
        assert stranger.poll() is None
        stranger.kill()


def test_the_server_of_another_folder_is_not_stopped(
    folder: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_folder, "FIND_TIMEOUT_S", 0.3)
    folder.mkdir()
    with EmbeddedServer.start(tmp_path / "other") as other:
        lock, _ = embedded_folder.claim_server(folder)
        embedded_folder.describe_server(lock, other.url, other.pid)
        try:
            with pytest.raises(StoreError, match="holds the data folder"):
                EmbeddedServer.start(folder)
        finally:
            os.close(lock)
        assert ask(other.url, "PING") is True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_running(pid: int) -> bool:
    """And not only waiting to be buried by an init process that takes its time."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
