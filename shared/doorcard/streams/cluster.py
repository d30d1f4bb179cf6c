"""A client of a Redis or Valkey Cluster: each command goes to the node that holds its key.

Commands that are sent together go to all their nodes before any answer is read. What a node
answers with a redirection goes to where it points; what it does not answer at all is sent again
after the slots were asked for anew: a replica may have taken over, or a slot may have moved.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, cast

from redis import Redis
from redis.backoff import EqualJitterBackoff
from redis.connection import ConnectionPool, parse_url  # pyright: ignore[reportUnknownVariableType]
from redis.exceptions import AskError, ClusterDownError, MovedError, RedisError
from redis.exceptions import ConnectionError as Gone

from doorcard.errors import BadInput
from doorcard.streams.cluster_node import Node, Sent, ServerNode, is_away
from doorcard.streams.connection import (
    BACKOFF_BASE_S,
    Client,
    Pipeline,
    RoutingClient,
    Word,
)
from doorcard.streams.routing import BARRIER, Address, owners_of_slots, slot_of_command, slot_of_key

REPEATS: Final = 16
"""Repeats of what met a node that is away, over about three seconds, as a plain client's; but
with short pauses, because a replica may have taken over at any moment."""
REPEAT_PAUSE_S_MAX: Final = 0.25
REDIRECTIONS_MAX: Final = 5
"""So many redirections are followed at once; then there is a pause before each."""
_OF_ONE_HOST: Final = frozenset({"host", "port", "db", "protocol"})
_URL: Final = re.compile(r"(rediss?)\+cluster://([^@/?]*@)?([^@/?]+)(?:/0?)?(\?.*)?")


def connect_cluster(url: str) -> ClusterClient:
    """A client of the cluster that some of its nodes are named of. Nothing is sent yet.

    Raises:
        BadInput: the URL names no cluster.
    """
    try:
        every = [_settings_of(host) for host in _urls_of(url)]
        seeds = [(str(each["host"]), int(each.get("port", 6379))) for each in every]
    except (ValueError, KeyError):
        raise BadInput(  # the error may show the password, and so may what led to it
            "this is no cluster's URL; they look like redis+cluster://user:password@host:6379,"
            "host:6379, and a cluster has no numbered databases"
        ) from None
    settings = {name: value for name, value in every[0].items() if name not in _OF_ONE_HOST}
    return ClusterClient(seeds, lambda address: ServerNode(address, settings))


def _urls_of(url: str) -> list[str]:
    """A URL for each node that a cluster's names."""
    found = _URL.fullmatch(url)
    if found is None:
        raise ValueError(url)
    scheme, user, hosts, query = found.groups()
    return [f"{scheme}://{user or ''}{host}{query or ''}" for host in hosts.split(",")]


def _settings_of(url: str) -> dict[str, Any]:
    read = cast("Callable[[str], dict[str, Any]]", parse_url)
    return read(url)


class ClusterClient(RoutingClient):
    """The ``Client`` of a cluster.

    Errors of connections are answers to the commands concerned, after as long as a plain client
    repeats. Whatever is sent through it must bear to be sent twice.
    """

    def __init__(
        self,
        seeds: Sequence[Address],
        node: Callable[[Address], Node],
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Use a cluster.

        Args:
            seeds: nodes to ask first for the others.
            node: makes the connection to a node.
            sleep: waits for so many seconds before a repeat.
        """
        self._seeds = tuple(seeds)
        self._make_node = node
        self._sleep = sleep
        self._backoff = EqualJitterBackoff(REPEAT_PAUSE_S_MAX, BACKOFF_BASE_S)
        self._nodes: dict[Address, Node] = {}
        self._owners: dict[int, Address] = {}
        self._primaries: tuple[Address, ...] = ()
        self._guests: set[Address] = set()
        """Nodes that were pointed to, and held no slot when the slots were last asked for."""
        self._callbacks: Mapping[str, Callable[..., Any]] = Redis(protocol=2).response_callbacks
        self._lock = Lock()

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Send one command, and read its answer as redis-py does.

        Raises:
            RedisError: the server's refusal, or the node stayed away.
        """
        (answer,) = self.exchange([words])
        if isinstance(answer, Exception):
            raise answer
        return self._parsed(words, options, answer)

    def pipeline(self, transaction: bool) -> Pipeline:  # noqa: FBT001  # as redis-py has it
        """Start a pipeline, whose commands go to their nodes together."""
        if transaction:
            raise BadInput("no transaction spans the nodes of a cluster")
        return _ClusterPipeline(self.exchange, self._parsed)

    def exchange(self, commands: Sequence[Sequence[Word]], *, patient: bool = True) -> list[Any]:
        """Send commands together; the raw answer to each, in their order, errors among them.

        A WAIT goes to each node behind its commands, and its answer is the least of theirs.

        Args:
            patient: repeat what meets a node that is away, or a slot on the move.
        """
        exchange = _Exchange(commands)
        redirections = failures = 0
        while exchange.places:
            if not self._owners:
                self._refresh()
            redirected = self._round(exchange)
            if not exchange.places:
                break
            if redirected and redirections < REDIRECTIONS_MAX:
                redirections += 1
                continue
            if not patient or failures >= REPEATS:
                self._refresh()
                break
            failures += 1
            self._sleep(self._backoff.compute(failures))
            self._refresh()
        return exchange.answers

    def primaries(self) -> list[Client]:
        """A plain client of each node that holds slots, or is about to."""
        if not self._owners:
            self._refresh()
        if not self._owners:
            raise Gone(self._why_nobody())
        addresses = {*self._primaries, *self._guests}
        return [self._node(address).client for address in sorted(addresses)]

    def pool_of(self, key: str) -> ConnectionPool:
        """Connections to the node that holds a key, as far as is known."""
        address = self._owners.get(slot_of_key(key))
        if address is None:
            raise ClusterDownError(self._why_nobody())
        client: Any = self._node(address).client
        return cast("ConnectionPool", client.connection_pool)

    def close(self) -> None:
        """Close all connections; reads that stand end."""
        for node in list(self._nodes.values()):
            node.close(used=True)

    def _round(self, exchange: _Exchange) -> bool:
        """Send what is not answered yet, once; whether a redirection is to be followed."""
        sent: list[tuple[Address, list[int], Sent]] = []
        try:
            for address, places in self._by_node(exchange).items():
                try:
                    flight = self._node(address).send(exchange.batch(places))
                    sent.append((address, places, flight))
                except (RedisError, OSError) as error:
                    exchange.fail(places, error)
            while sent:
                address, places, flight = sent.pop(0)
                try:
                    exchange.take(address, places, flight.answers())
                except (RedisError, OSError) as error:
                    exchange.fail(places, error)
        finally:
            for _, _, flight in sent:
                flight.abandon()
        return self._redirect(exchange)

    def _by_node(self, exchange: _Exchange) -> dict[Address, list[int]]:
        """What is not answered yet, by the node to send it to."""
        batches: dict[Address, list[int]] = {}
        owners, asking, slots = self._owners, exchange.asking, exchange.slots
        anywhere = random.choice(self._primaries) if self._primaries else None  # noqa: S311 - not a secret
        for place in exchange.places:
            slot = slots[place]
            address = anywhere if slot is None else owners.get(slot)
            address = asking.get(place, address)
            if address is None:
                exchange.answers[place] = ClusterDownError(self._why_nobody())
            else:
                batches.setdefault(address, []).append(place)
        return batches

    def _why_nobody(self) -> str:
        """Why there is nobody to send a command to."""
        if self._owners:
            return "no node holds this slot"
        asked = ", ".join(f"{host}:{port}" for host, port in self._seeds)
        return f"no node of the cluster answers at {asked}"

    def _redirect(self, exchange: _Exchange) -> bool:
        """Keep what is to be sent again, and where; whether to do so at once."""
        again = [place for place in exchange.places if is_away(exchange.answers[place])]
        exchange.asking.clear()
        moved: dict[int, Address] = {}
        for place in again:
            answer = exchange.answers[place]
            if isinstance(answer, AskError):
                host = cast("str", answer.host)  # pyright: ignore[reportUnknownMemberType]
                address = (host or exchange.hosts[place], answer.port)
                self._guests.add(address)
                if isinstance(answer, MovedError):
                    moved[answer.slot_id] = address
                else:
                    exchange.asking[place] = address
        if moved:
            self._owners = {**self._owners, **moved}
        exchange.places = again
        return bool(moved or exchange.asking)

    def _refresh(self) -> None:
        """Ask who holds which slots. If nobody answers, all stays as it was."""
        known = list({*self._primaries, *self._nodes, *self._seeds})
        random.shuffle(known)
        for address in known:
            try:
                (answer,) = self._node(address).send([("CLUSTER", "SLOTS")]).answers()
            except (RedisError, OSError):
                continue
            if isinstance(answer, list) and answer:
                self._owners = owners_of_slots(answer, address)
                self._primaries = tuple(sorted(set(self._owners.values())))
                self._forget_nodes()
                return

    def _forget_nodes(self) -> None:
        """Close the connections to nodes that hold nothing now."""
        self._guests.difference_update(self._primaries)
        kept = {*self._primaries, *self._guests, *self._seeds}
        with self._lock:
            gone = [self._nodes.pop(address) for address in self._nodes.keys() - kept]
        for node in gone:
            node.close()

    def _node(self, address: Address) -> Node:
        node = self._nodes.get(address)
        if node is None:
            with self._lock:
                node = self._nodes.setdefault(address, self._make_node(address))
        return node

    def _parsed(self, words: Sequence[Any], options: Mapping[str, Any], answer: Any) -> Any:
        """An answer as redis-py reads it."""
        callback = self._callbacks.get(words[0])
        return answer if callback is None else callback(answer, **options)


class _Exchange:
    """Commands that are sent together, and what is answered so far."""

    def __init__(self, commands: Sequence[Sequence[Word]]) -> None:
        self.commands = commands
        self.barriers = [at for at, words in enumerate(commands) if words[0] == BARRIER]
        self.slots = [None if words[0] == BARRIER else slot_of_command(words) for words in commands]
        self.answers: list[Any] = [None] * len(commands)
        self.places = [at for at, words in enumerate(commands) if words[0] != BARRIER]
        """What is not answered yet."""
        self.asking: dict[int, Address] = {}
        """Where what is on the move is to be asked for, this once."""
        self.hosts: dict[int, str] = {}
        """Who answered last: the host that a redirection means which names none."""

    def batch(self, places: Sequence[int]) -> list[Sequence[Word]]:
        """The commands at some places, as one node gets them."""
        batch: list[Sequence[Word]] = []
        for place in places:
            if place in self.asking:
                batch.append(("ASKING",))
            batch.append(self.commands[place])
        return batch + [self.commands[place] for place in self.barriers]

    def take(self, node: Address, places: Sequence[int], answers: Sequence[Any]) -> None:
        """Note what a node answered to such a batch."""
        coming = iter(answers)
        for place in places:
            self.hosts[place] = node[0]
            if place in self.asking:
                next(coming)
            self.answers[place] = next(coming)
        for place, reached in zip(self.barriers, coming, strict=True):
            before = self.answers[place]
            if before is None or (isinstance(before, int) and _is_less(reached, before)):
                self.answers[place] = reached

    def fail(self, places: Sequence[int], error: Exception) -> None:
        """Note that a node did not answer."""
        for place in places:
            self.answers[place] = error


def _is_less(reached: Any, before: int) -> bool:
    return not isinstance(reached, int) or reached < before


class _ClusterPipeline:
    def __init__(
        self,
        exchange: Callable[[Sequence[Sequence[Word]]], list[Any]],
        parsed: Callable[[Sequence[Any], Mapping[str, Any], Any], Any],
    ) -> None:
        self._exchange = exchange
        self._parsed = parsed
        self._commands: list[tuple[Sequence[Any], Mapping[str, Any]]] = []

    def execute_command(self, *words: Any, **options: Any) -> Any:
        """Add a command."""
        self._commands.append((words, options))
        return self

    def execute(self, raise_on_error: bool = True) -> list[Any]:  # noqa: FBT001, FBT002  # as redis-py has it
        """Send all of it; the answers."""
        commands, self._commands = self._commands, []
        answers = self._exchange([words for words, _ in commands])
        for answer in answers:
            if raise_on_error and isinstance(answer, Exception):
                raise answer
        return [
            answer if isinstance(answer, Exception) else self._parsed(words, options, answer)
            for (words, options), answer in zip(commands, answers, strict=True)
        ]
