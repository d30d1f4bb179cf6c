"""A real cluster on this machine: three primaries and a replica of each, for the tests alone."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from redis.exceptions import ResponseError

from doorcard.streams.cluster import ClusterClient
from doorcard.streams.connection import connect
from doorcard.streams.keys import slot_of, tag_of_partition
from services.embedded_cluster import (
    HOST,
    NODE_SETTINGS,
    cluster_facts,
    free_port,
    join_nodes,
    node_client,
    start_node,
    until,
)

PRIMARIES: Final = 3
NODE_TIMEOUT_MS: Final = 1_000
SETTINGS: Final = {
    **NODE_SETTINGS,
    "cluster-node-timeout": str(NODE_TIMEOUT_MS),
    "cluster-replica-validity-factor": "0",
    "repl-diskless-sync-delay": "0",
}


class ClusterNode:
    """One server of a cluster, in a folder of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self._folder = folder
        self._server = start_node(folder, port=port, settings=SETTINGS)
        self.client: Any = node_client(self._server)

    def start_again(self) -> None:
        """Start the server again on what it left."""
        self._server = start_node(self._folder, port=self.port, settings=SETTINGS)

    def kill(self) -> None:
        """SIGKILL, and wait for the end."""
        os.kill(self._server.pid, signal.SIGKILL)
        self._server.stop()

    def is_alive(self) -> bool:
        """Whether the server runs."""
        return self._server.is_alive()

    @property
    def id(self) -> str:
        """The node's name in the cluster."""
        name: bytes = self.client.execute_command("CLUSTER", "MYID")
        return name.decode()

    @property
    def is_primary(self) -> bool:
        """Whether it takes writes."""
        return bool(self.client.role()[0] == b"master")


class Cluster:
    """The nodes of a cluster."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.nodes: list[ClusterNode] = []
        self._clients: list[ClusterClient] = []

    @property
    def url(self) -> str:
        """For ``connect``: two of the nodes, the first and the last."""
        first, last = self.nodes[0].port, self.nodes[2 * PRIMARIES - 1].port
        return f"redis+cluster://{HOST}:{first},{HOST}:{last}"

    def connect(self) -> ClusterClient:
        """A client such as a program has it; ``disconnect`` closes it."""
        client = connect(self.url)
        assert isinstance(client, ClusterClient)
        self._clients.append(client)
        return client

    def disconnect(self) -> None:
        """Close all clients."""
        while self._clients:
            self._clients.pop().close()

    def add(self) -> ClusterNode:
        """Start one more node, which nobody knows yet."""
        node = ClusterNode(self._folder / f"node-{len(self.nodes)}", free_port())
        self.nodes.append(node)
        return node

    def form(self) -> None:
        """Make a cluster of all nodes: the first ones primaries, the others their replicas."""
        for _ in range(2 * PRIMARIES):
            self.add()
        join_nodes([node.client for node in self.nodes], PRIMARIES)
        for primary, replica in zip(self.nodes, self.nodes[PRIMARIES:], strict=False):
            self.follow(replica, primary)
        until(self.is_whole)

    def join(self) -> ClusterNode:
        """Add a node that holds no slot yet."""
        node = self.add()
        self.introduce(node)
        until(lambda: all(self._knows_all(each) for each in self.nodes) and self.is_whole())
        return node

    def introduce(self, node: ClusterNode) -> None:
        """Let the first node meet another."""
        self.nodes[0].client.execute_command("CLUSTER", "MEET", HOST, node.port)

    def follow(self, replica: ClusterNode, primary: ClusterNode) -> None:
        """Make a node the replica of another, as soon as it has heard of it."""

        def is_told() -> bool:
            try:
                return bool(replica.client.execute_command("CLUSTER", "REPLICATE", primary.id))
            except ResponseError:
                return False

        until(is_told)

    def is_whole(self) -> bool:
        """Whether every node that runs sees a whole cluster, and every replica its primary."""
        running = [node for node in self.nodes if node.is_alive()]
        return all(
            cluster_facts(node.client)["cluster_state"] == "ok"
            and (node.is_primary or node.client.info("replication")["master_link_status"] == "up")
            for node in running
        )

    def owner_of(self, partition: str) -> ClusterNode:
        """The node that holds a partition, or a table's, by its id."""
        return self.owner(slot_of(tag_of_partition(partition[:3])))

    def owner(self, slot: int) -> ClusterNode:
        """The node that holds a slot, as most nodes that run see it."""
        ports = [self._owner_port(node, slot) for node in self.nodes if node.is_alive()]
        port = max(ports, key=ports.count)
        return next(node for node in self.nodes if node.port == port)

    def replica_of(self, primary: ClusterNode) -> ClusterNode:
        """A node that follows another and has caught up."""
        for node in self.nodes:
            if node.is_alive():
                kind, *facts = node.client.role()
                if kind == b"slave" and facts[1] == primary.port and facts[2] == b"connected":
                    return node
        raise AssertionError(f"{primary.port} has no replica")

    def move(self, slot: int, target: ClusterNode, pause: Callable[[], object]) -> None:
        """Move a slot key by key, as every Redis can; ``pause`` is called between the steps."""
        source = self.owner(slot)
        words = ("CLUSTER", "SETSLOT", slot)
        target.client.execute_command(*words, "IMPORTING", source.id)
        source.client.execute_command(*words, "MIGRATING", target.id)
        pause()
        while keys := source.client.execute_command("CLUSTER", "GETKEYSINSLOT", slot, 2):
            migrate = ("MIGRATE", HOST, target.port, "", 0, 5000, "KEYS")
            source.client.execute_command(*migrate, *keys)
            pause()
        others = [node for node in self.nodes if node not in (source, target)]
        for node in (target, source, *others):
            if node.is_alive() and node.is_primary:
                node.client.execute_command(*words, "NODE", target.id)

    def move_at_once(self, slot: int, target: ClusterNode) -> None:
        """Move a slot as Valkey 9 can."""
        source = self.owner(slot)
        words = ("SLOTSRANGE", slot, slot, "NODE", target.id)
        source.client.execute_command("CLUSTER", "MIGRATESLOTS", *words)
        until(lambda: self.owner(slot) is target)

    def mend(self) -> None:
        """Start every server that was killed, and wait until all is whole."""
        for node in self.nodes:
            if not node.is_alive():
                node.start_again()
        until(self.is_whole)

    def empty(self) -> None:
        """Delete everything, the functions too."""
        for node in self.nodes:
            if node.is_primary:
                node.client.flushall()
                node.client.function_flush()

    def kill_all(self) -> None:
        """End every server."""
        for node in self.nodes:
            node.client.close()
            if node.is_alive():
                node.kill()

    def _knows_all(self, node: ClusterNode) -> bool:
        return cluster_facts(node.client)["cluster_known_nodes"] == str(len(self.nodes))

    def _owner_port(self, node: ClusterNode, slot: int) -> int:
        for first, last, primary, *_ in node.client.execute_command("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return int(primary[1])
        return 0


@contextmanager
def cluster_running() -> Generator[Cluster]:
    """A whole cluster, whose servers are killed at the end."""
    with TemporaryDirectory(prefix="doorcard-", ignore_cleanup_errors=True) as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.form()
            yield cluster
        finally:
            cluster.kill_all()
