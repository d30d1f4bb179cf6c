"""A real cluster on this machine: to measure, to test, and to try out. No production runs on it.

Each node is an embedded server in a folder of its own, and there are no replicas::

    with EmbeddedCluster.start(Path("data"), primaries=3) as cluster:
        client = connect(cluster.url)
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

from redis import Redis
from redis.exceptions import RedisError

from doorcard.errors import StoreError
from doorcard.streams.keys import SLOTS
from services.embedded import EmbeddedServer, Fsync
from services.embedded_folder import has_manifest, nodes_in

HOST: Final = "127.0.0.1"
NODE_SETTINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cluster-enabled": "yes",
        "cluster-config-file": "nodes.conf",
        "cluster-require-full-coverage": "no",
        "cluster-allow-replica-migration": "no",
    }
)
BUS_OFFSET: Final = 10_000
"""How far above its port a node listens for the other nodes."""
PATIENCE_S: Final = 20.0
POLL_S: Final = 0.02


class EmbeddedCluster:
    """Servers that share the slots evenly. Made by ``start``, ended by ``stop``."""

    def __init__(self, servers: Sequence[EmbeddedServer], running: ExitStack) -> None:
        self._servers = servers
        self._running = running

    @classmethod
    def start(cls, folder: Path, primaries: int, *, fsync: Fsync = "everysec") -> Self:
        """Start as many servers, in folders below this one, and wait until they are a cluster.

        What a cluster of as many left in the folder is there again.

        Raises:
            StoreError: a server does not start, or they do not come together; or the folder holds
                a cluster of more or fewer, or a single store.
        """
        there = nodes_in(folder)
        if there not in (0, primaries):
            raise StoreError(f"{folder} holds a cluster of {there}, not of {primaries}")
        if not there and has_manifest(folder):
            raise StoreError(
                f"{folder} holds a single store, and no cluster: it is run without --primaries"
            )
        with ExitStack() as running:
            servers = [
                running.enter_context(start_node(folder / f"node-{number}", fsync=fsync))
                for number in range(primaries)
            ]
            nodes = [running.enter_context(node_client(server)) for server in servers]
            join_nodes(nodes, primaries)
            return cls(servers, running.pop_all())

    @property
    def url(self) -> str:
        """For ``doorcard.streams.connection.connect``."""
        hosts = ",".join(server.url.removeprefix("redis://") for server in self._servers)
        return f"redis+cluster://{hosts}"

    @property
    def notices(self) -> tuple[str, ...]:
        """What an operator must be told about this start."""
        return tuple(notice for server in self._servers for notice in server.notices)

    def is_alive(self) -> bool:
        """Whether all servers still run."""
        return all(server.is_alive() for server in self._servers)

    def check(self) -> None:
        """Raise ``StoreError`` if a server has ended, or what it is told is kept nowhere."""
        for server in self._servers:
            server.check()

    def stop(self) -> None:
        """End all servers, as ``EmbeddedServer.stop`` does."""
        self._running.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()


def start_node(
    folder: Path,
    *,
    port: int | None = None,
    fsync: Fsync = "everysec",
    settings: Mapping[str, str] = NODE_SETTINGS,
) -> EmbeddedServer:
    """Start a server that may become a node of a cluster, on a free port unless one is named."""
    return EmbeddedServer.start(folder, port=port or free_port(), fsync=fsync, more=settings)


def node_client(server: EmbeddedServer) -> Any:
    """A plain client of one node."""
    return Redis.from_url(server.url, protocol=2, socket_timeout=2)  # pyright: ignore[reportUnknownMemberType]


def join_nodes(nodes: Sequence[Any], primaries: int) -> None:
    """Make a cluster of nodes: the first ones share the slots, the others hold none.

    Nodes that were one before keep what they have, and learn each other's addresses.

    Args:
        nodes: a plain client of each.

    Raises:
        StoreError: they do not come together.
    """
    ports = [node.get_connection_kwargs()["port"] for node in nodes]
    for number, node in enumerate(nodes):
        if cluster_facts(node)["cluster_known_nodes"] == "1":
            node.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            if number < primaries:
                first, after = (SLOTS * each // primaries for each in (number, number + 1))
                node.execute_command("CLUSTER", "ADDSLOTSRANGE", first, after - 1)
    for node in nodes:
        for port in ports:
            node.execute_command("CLUSTER", "MEET", HOST, port)
    until(lambda: all(_knows(node, len(ports), set(ports[:primaries])) for node in nodes))


def cluster_facts(node: Any) -> dict[str, str]:
    """What a node says in CLUSTER INFO."""
    text: bytes = node.execute_command("CLUSTER", "INFO")
    pairs = (line.split(":", 1) for line in text.decode().splitlines() if ":" in line)
    return dict(pairs)


def until(condition: Callable[[], object]) -> None:
    """Wait for something to be so; a server that does not answer says that it is not.

    Raises:
        StoreError: it took too long.
    """
    give_up_s = time.monotonic() + PATIENCE_S
    while not _holds(condition):
        if time.monotonic() > give_up_s:
            raise StoreError("the nodes of the cluster do not come together")
        time.sleep(POLL_S)


def free_port() -> int:
    """A port that is free, with the one for the other nodes above it."""
    while True:
        port = _free_port(0)
        if port + BUS_OFFSET > 65_535:
            port -= BUS_OFFSET
        try:
            _free_port(port)
            _free_port(port + BUS_OFFSET)
        except OSError:
            continue
        return port


def _free_port(port: int) -> int:
    """A port that can be listened on: this one, or any if it is 0. Raises ``OSError`` if not."""
    with socket.socket() as probe:
        probe.bind((HOST, port))
        number: int = probe.getsockname()[1]
        return number


def _holds(condition: Callable[[], object]) -> bool:
    try:
        return bool(condition())
    except RedisError:
        return False


def _knows(node: Any, count: int, ports: set[int]) -> bool:
    """Whether a node knows so many, and at these ports those that hold the slots."""
    owners = {primary[1] for _, _, primary, *_ in node.execute_command("CLUSTER", "SLOTS")}
    facts = cluster_facts(node)
    return (facts["cluster_known_nodes"], facts["cluster_state"], owners) == (
        str(count),
        "ok",
        ports,
    )
