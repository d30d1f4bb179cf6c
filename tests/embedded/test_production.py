"""The configuration that operators start a server with, in a real server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

Ask = Callable[..., Any]
Production = Callable[..., AbstractContextManager[Callable[[str], str]]]

OPS = Path(__file__).resolve().parents[2] / "ops"


def _settings(text: str) -> dict[str, str]:
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line[:1] not in {"", "#"}]
    return {name: value.strip('"') for name, value in lines}


def _with_options(text: str) -> str:
    """The settings that are commented out, switched on."""
    return "\n".join(
        line.removeprefix("# ")
        if line.startswith(("# maxmemory ", "# master", "# min-replicas-", "# cluster-"))
        else line
        for line in text.splitlines()
    )


def test_every_setting_is_known_to_the_server_and_in_force(
    production: Production, ask: Ask
) -> None:
    given = _settings((OPS / "redis.conf").read_text())
    with production() as url:
        in_force = ask(url("admin"), "CONFIG", "GET", "*")
    moved = {"bind", "port", "dir", "aclfile"}  # to where a test may work
    assert len(given) > 15
    assert {name: in_force[name] for name in given.keys() - moved} == {
        name: value if name != "auto-aof-rewrite-min-size" else str(256 * 1024**2)
        for name, value in given.items()
        if name not in moved
    }


def test_every_setting_that_is_offered_in_a_comment_is_valid(
    production: Production, ask: Ask
) -> None:
    text = _with_options((OPS / "redis.conf").read_text())
    offered = _settings(text).keys() - _settings((OPS / "redis.conf").read_text()).keys()
    assert len(offered) == 10
    with production(text) as url:
        in_force = ask(url("admin"), "CONFIG", "GET", "*")
        assert {name: in_force[name] for name in offered} == {
            "cluster-allow-replica-migration": "no",
            "cluster-config-file": "nodes.conf",
            "cluster-enabled": "yes",
            "cluster-node-timeout": "2000",
            "cluster-require-full-coverage": "no",
            "masterauth": "change-me-replica",
            "masteruser": "replica",
            "maxmemory": str(4 * 1024**3),
            "min-replicas-max-lag": "10",
            "min-replicas-to-write": "1",
        }


def test_what_was_appended_survives_a_crash_of_the_server(
    production: Production, ask: Ask, tmp_path: Path
) -> None:
    with production(folder=tmp_path) as url:
        ask(url("dealer"), "XADD", "dc:{p00}:log:p00.a", "1-0", "c", "bytes")
    with production(folder=tmp_path) as url:
        entries = ask(url("auditor"), "XRANGE", "dc:{p00}:log:p00.a", "-", "+")
    assert entries == [("1-0", {"c": "bytes"})]


def test_the_documented_commands_replace_every_placeholder(tmp_path: Path) -> None:
    shutil.copy(OPS / "users.acl", tmp_path)
    commands = [
        line.removeprefix("#     ")
        for line in (OPS / "redis.conf").read_text().splitlines()
        if line.startswith("#     ")
    ]
    assert len(commands) == 4
    subprocess.run(["sh", "-euc", "\n".join(commands)], cwd=tmp_path, check=True)
    before = (OPS / "users.acl").read_text().split()
    after = (tmp_path / "users.acl").read_text().split()
    passwords = [new for old, new in zip(before, after, strict=True) if old != new]
    assert "change-me" not in " ".join(after)
    assert len(set(passwords)) == len(passwords) == sum(">" in word for word in before)
    assert all(len(word) == 65 and int(word[1:], 16) > 2**200 for word in passwords)


def test_a_replica_may_follow(production: Production, ask: Ask) -> None:
    log = "dc:{p00}:log:p00.a"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with production(port=port) as primary, production() as replica:
        ask(primary("admin"), "CONFIG", "SET", "repl-diskless-sync-delay", 0)
        ask(primary("dealer"), "XADD", log, "1-0", "c", "bytes")
        ask(replica("admin"), "CONFIG", "SET", "masteruser", "replica")
        ask(replica("admin"), "CONFIG", "SET", "masterauth", "change-me-replica")
        ask(replica("admin"), "REPLICAOF", "127.0.0.1", port)
        deadline = time.monotonic() + 10
        while ask(replica("auditor"), "XLEN", log) == 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert ask(replica("auditor"), "XRANGE", log, "-", "+") == [("1-0", {"c": "bytes"})]
