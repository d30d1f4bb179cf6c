"""A real cluster on this machine: three primaries and a replica of each, for the tests alone."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from redis import Redis
from redis.exceptions import RedisError, ResponseError

from doorcard.streams.cluster import ClusterClient
from doorcard.streams.connection import connect
from doorcard.streams.keys import slot_of, tag_of_partition
from services.embedded import bundled_binary

HOST: Final = "127.0.0.1"
PRIMARIES: Final = 3
NODE_TIMEOUT_MS: Final = 1_000
PATIENCE_S: Final = 20.0
BUS_OFFSET: Final = 10_000
"""How far above its port a node listens for the other nodes."""
RANGES: Final = ((0, 5460), (5461, 10922), (10923, 16383))


def until(condition: Callable[[], object], pause_s: float = 0.02) -> None:
    """Wait for something to be so; a server that does not answer says that it is not."""
    give_up = time.monotonic() + PATIENCE_S
    while not _holds(condition):
        assert time.monotonic() < give_up, "it never came about"
        time.sleep(pause_s)


def _holds(condition: Callable[[], object]) -> bool:
    try:
        return bool(condition())
    except RedisError:
        return False


class ClusterNode:
    """One server of a cluster, in a folder of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self.folder = folder
        folder.mkdir()
        self.client: Any = Redis(host=HOST, port=port, protocol=2, socket_timeout=2)
        self.process = self._start()

    def start_again(self) -> None:
        """Start the server again on what it left."""
        self.process = self._start()

    def kill(self) -> None:
        """SIGKILL, and wait for the end."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def info(self) -> dict[str, str]:
        """CLUSTER INFO."""
        text: bytes = self.client.execute_command("CLUSTER", "INFO")
        pairs = (line.split(":", 1) for line in text.decode().splitlines() if ":" in line)
        return dict(pairs)

    @property
    def id(self) -> str:
        """The node's name in the cluster."""
        name: bytes = self.client.execute_command("CLUSTER", "MYID")
        return name.decode()

    @property
    def is_primary(self) -> bool:
        """Whether it takes writes."""
        return bool(self.client.role()[0] == b"master")

    def _start(self) -> subprocess.Popen[bytes]:
        settings = {
            "bind": HOST,
            "port": self.port,
            "dir": self.folder,
            "save": "",
            "appendonly": "yes",
            "cluster-enabled": "yes",
            "cluster-config-file": "nodes.conf",
            "cluster-node-timeout": NODE_TIMEOUT_MS,
            "cluster-replica-validity-factor": 0,
            "cluster-require-full-coverage": "no",
            "cluster-allow-replica-migration": "no",
            "repl-diskless-sync-delay": 0,
            "logfile": self.folder / "server.log",
        }
        words = [str(word) for name, value in settings.items() for word in (f"--{name}", value)]
        return subprocess.Popen([str(bundled_binary()), *words])


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
        node = ClusterNode(self._folder / f"node-{len(self.nodes)}", _free_port())
        self.nodes.append(node)
        return node

    def form(self) -> None:
        """Make a cluster of all nodes: the first ones primaries, the others their replicas."""
        for _ in range(2 * PRIMARIES):
            self.add()
        for epoch, node in enumerate(self.nodes, 1):
            until(node.client.ping)
            node.client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", epoch)
        for node, slots in zip(self.nodes, RANGES, strict=False):
            node.client.execute_command("CLUSTER", "ADDSLOTSRANGE", *slots)
        for node in self.nodes[1:]:
            self.introduce(node)
        until(lambda: all(self._knows_all(node) for node in self.nodes))
        for primary, replica in zip(self.nodes, self.nodes[PRIMARIES:], strict=False):
            self.follow(replica, primary)
        until(self.is_whole)

    def join(self) -> ClusterNode:
        """Add a node that holds no slot yet."""
        node = self.add()
        until(node.client.ping)
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
        running = [node for node in self.nodes if node.process.poll() is None]
        return all(
            node.info()["cluster_state"] == "ok"
            and (node.is_primary or node.client.info("replication")["master_link_status"] == "up")
            for node in running
        )

    def owner_of(self, partition: str) -> ClusterNode:
        """The node that holds a partition, or a table's, by its id."""
        return self.owner(slot_of(tag_of_partition(partition[:3])))

    def owner(self, slot: int) -> ClusterNode:
        """The node that holds a slot, as most nodes that run see it."""
        ports = [self._owner_port(node, slot) for node in self.nodes if node.process.poll() is None]
        port = max(ports, key=ports.count)
        return next(node for node in self.nodes if node.port == port)

    def replica_of(self, primary: ClusterNode) -> ClusterNode:
        """A node that follows another and has caught up."""
        for node in self.nodes:
            if node.process.poll() is None:
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
            if node.process.poll() is None and node.is_primary:
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
            if node.process.poll() is not None:
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
            if node.process.poll() is None:
                node.kill()

    def _knows_all(self, node: ClusterNode) -> bool:
        return node.info()["cluster_known_nodes"] == str(len(self.nodes))

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


def _free_port() -> int:
    """A port that is free, with the one for the other nodes above it."""
    while True:
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            port: int = probe.getsockname()[1]
        if port + BUS_OFFSET > 65_535:
            port -= BUS_OFFSET
        try:
            for number in (port, port + BUS_OFFSET):
                with socket.socket() as probe:
                    probe.bind((HOST, number))
        except OSError:
            continue
        return port
