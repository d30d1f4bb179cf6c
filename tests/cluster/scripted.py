"""A cluster that is made of answers written down beforehand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from redis.exceptions import ConnectionError as Gone

from doorcard.streams.cluster import ClusterClient
from doorcard.streams.connection import Client, Word
from doorcard.streams.routing import Address

Words = tuple[Word, ...]
Answers = Callable[[Address, Words], Any]


class ScriptedCluster:
    """Nodes that answer each command as a function says; an exception that is raised is a node
    that does not answer."""

    def __init__(self, slots: Sequence[Any], answer: Answers) -> None:
        self.slots = slots
        self.answer = answer
        self.heard: list[tuple[int, Words]] = []
        """Port and command, in the order in which they were sent; questions for slots left out."""
        self.log: list[str] = []
        """When was sent and when was waited."""
        self.pauses: list[float] = []
        self.asked_for_slots = 0
        self.down: set[int] = set()

    def client(self, *ports: int) -> ClusterClient:
        """A client that knows some nodes by their ports."""
        seeds = [("host", port) for port in ports]
        return ClusterClient(seeds, lambda at: ScriptedNode(self, at), sleep=self.pauses.append)


class ScriptedNode:
    """One node of it."""

    def __init__(self, cluster: ScriptedCluster, address: Address) -> None:
        self._cluster = cluster
        self._address = address

    @property
    def client(self) -> Client:
        raise AssertionError("nobody needs it here")

    def send(self, commands: Sequence[Sequence[Word]]) -> ScriptedSent:
        cluster, port = self._cluster, self._address[1]
        if port in cluster.down:
            raise Gone("refused")
        sent = [tuple(words) for words in commands]
        if sent == [("CLUSTER", "SLOTS")]:
            cluster.asked_for_slots += 1
            return ScriptedSent(ScriptedCluster([], cluster.answer), port, [cluster.slots])
        cluster.log.append(f"send {port}")
        cluster.heard += [(port, words) for words in sent]
        return ScriptedSent(cluster, port, [self._answer(words) for words in sent])

    def close(self, *, used: bool = False) -> None:
        """Nothing is open."""

    def _answer(self, words: Words) -> Any:
        return b"OK" if words == ("ASKING",) else self._cluster.answer(self._address, words)


class ScriptedSent:
    """Answers that wait to be read."""

    def __init__(self, cluster: ScriptedCluster, port: int, answers: list[Any]) -> None:
        self._cluster = cluster
        self._port = port
        self._answers = answers

    def answers(self) -> list[Any]:
        self._cluster.log.append(f"read {self._port}")
        for answer in self._answers:
            if isinstance(answer, Gone):
                raise answer
        return self._answers

    def abandon(self) -> None:
        self._cluster.log.append(f"abandon {self._port}")
