"""The embedded cluster: nodes that find each other, and again after a restart."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from doorcard.errors import StoreError
from doorcard.streams.connection import connect, primaries
from doorcard.streams.keys import queue_key
from services.embedded import EmbeddedServer, FolderInUse
from services.embedded_cluster import EmbeddedCluster, until

KEYS = [queue_key("betting", name) for name in ("p00", "p01", "p03")]
"""One on each of three nodes."""


def test_what_was_written_to_all_nodes_is_there_again(tmp_path: Path) -> None:
    for number in (1, 2):
        with EmbeddedCluster.start(tmp_path, 3) as cluster:
            client = connect(cluster.url)
            for key in KEYS:
                client.execute_command("XADD", key, "*", "m", b"x")
            assert [client.execute_command("XLEN", key) for key in KEYS] == [number] * 3
            sizes = [node.execute_command("DBSIZE") for node in primaries(client)]
            assert sizes == [1, 1, 1]


def test_a_folder_in_use_is_refused_and_nothing_is_left_running(tmp_path: Path) -> None:
    with EmbeddedCluster.start(tmp_path, 2) as cluster:
        with pytest.raises(FolderInUse):
            EmbeddedCluster.start(tmp_path, 2)
        assert cluster.is_alive()
        pids = [
            node.execute_command("INFO")["process_id"] for node in primaries(connect(cluster.url))
        ]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_folder_of_a_cluster_is_no_single_stores_nor_another_clusters(tmp_path: Path) -> None:
    """Whether it runs or not: what would be begun there would be empty."""
    single = pytest.raises(StoreError, match=r"holds a cluster of 2, .* --primaries 2")
    with EmbeddedCluster.start(tmp_path, 2), single:
        EmbeddedServer.start(tmp_path)
    for primaries_asked in (1, 3):
        with pytest.raises(StoreError, match=f"cluster of 2, not of {primaries_asked}"):
            EmbeddedCluster.start(tmp_path, primaries_asked)
    with pytest.raises(StoreError, match="holds a cluster of 2"):
        EmbeddedServer.start(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["node-0", "node-1"]
    with EmbeddedCluster.start(tmp_path, 2) as cluster:
        assert cluster.is_alive()


def test_a_single_stores_folder_is_no_clusters(tmp_path: Path) -> None:
    with EmbeddedServer.start(tmp_path):
        pass
    with pytest.raises(StoreError, match="holds a single store, and no cluster"):
        EmbeddedCluster.start(tmp_path, 2)
    assert not list(tmp_path.glob("node-*"))


def test_one_node_that_ended_is_noticed(tmp_path: Path) -> None:
    with EmbeddedCluster.start(tmp_path, 2) as cluster:
        node, _ = primaries(connect(cluster.url))
        os.kill(node.execute_command("INFO")["process_id"], signal.SIGKILL)
        until(lambda: not cluster.is_alive())


def test_waiting_for_what_never_comes_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.embedded_cluster.PATIENCE_S", 0.05)
    with pytest.raises(StoreError, match="come together"):
        until(lambda: False)
