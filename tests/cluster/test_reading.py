"""Queues, feeds and replies that lie on several nodes, read by one program."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from redis.exceptions import ConnectionError as Gone

from doorcard.cli.where import StoreLog
from doorcard.errors import BadInput, StoreError
from doorcard.streams import spread
from doorcard.streams.connection import primaries
from doorcard.streams.delivery import BEGINNING, Outgoing
from doorcard.streams.functions import LIBRARY, load_library
from doorcard.streams.keys import GROUP, feed_key, partition_names, queue_key, tables_key
from doorcard.streams.queues import Queues
from doorcard.streams.recover import restore_derived
from doorcard.streams.redis_log import RedisLog
from doorcard.streams.wakes import encode_news
from services.durability import check_durability
from services.settings import Settings
from tests.cluster.nodes import Cluster
from tests.cluster.staff import Evening, Staff
from tests.services.processes import services

PARTITIONS: Final = partition_names(6)
EVERYWHERE = dict.fromkeys(PARTITIONS, BEGINNING)
SOON_S: Final = 2.0
"""A wait ends within a few milliseconds of a message; on a busy machine, within this."""
WAIT_MS: Final = 5_000


@pytest.fixture
def queues(cluster: Cluster) -> Queues:
    queues = Queues(cluster.connect())
    queues.ensure_groups("betting", PARTITIONS)
    return queues


@pytest.fixture
def unswept(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found empty is not asked for again: only a watch tells what comes."""
    monkeypatch.setattr(spread, "SWEEP_EVERY_S", 600.0)


@contextmanager
def later(act: Callable[[], object], pause_s: float = 0.1) -> Generator[list[float]]:
    """Let something be done in a moment; when it was."""
    done: list[float] = []

    def run() -> None:
        time.sleep(pause_s)
        done.append(time.monotonic())
        act()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield done
    finally:
        thread.join()


def test_messages_of_all_nodes_come_together_and_once(queues: Queues) -> None:
    for name in PARTITIONS:
        assert isinstance(queues.send("betting", f"{name}.a", name.encode()), str)
    found = queues.read("betting", PARTITIONS, 10)
    assert sorted(delivery.raw for delivery in found) == [name.encode() for name in PARTITIONS]
    assert queues.read("betting", PARTITIONS, 10) == []
    queues.finish([Outgoing("p00", "ann", b"reply"), Outgoing("p01", "bob", b"reply")], found)
    assert [queues.length("betting", name) for name in PARTITIONS] == [0] * len(PARTITIONS)
    assert [len(queues.replies(name, EVERYWHERE)) for name in ("ann", "bob")] == [1, 1]


@pytest.mark.usefixtures("unswept")
@pytest.mark.parametrize("partition", PARTITIONS)
def test_a_wait_ends_as_soon_as_a_message_is_there(
    cluster: Cluster, queues: Queues, partition: str
) -> None:
    sender = Queues(cluster.connect())
    assert sender.length("betting", partition) == 0
    with later(lambda: sender.send("betting", f"{partition}.a", b"x")) as sent:
        (found,) = queues.read("betting", PARTITIONS, 10, block_ms=WAIT_MS)
        ended_s = time.monotonic()
    assert found.raw == b"x"
    assert 0 <= ended_s - sent[0] < SOON_S


def test_a_wait_for_nothing_ends_when_it_is_over(queues: Queues) -> None:
    started_s, used_s = time.monotonic(), time.thread_time()
    assert queues.read("betting", PARTITIONS, 10, block_ms=400) == []
    assert 0.4 <= time.monotonic() - started_s < 1
    assert time.thread_time() - used_s < 0.1, "it does not look again and again"


def test_waiting_takes_no_message_from_others(cluster: Cluster, queues: Queues) -> None:
    """Whoever stopped to wait has not been given what came after."""
    assert queues.read("betting", PARTITIONS, 10, block_ms=50) == []
    other = Queues(cluster.connect())
    other.send("betting", "p01.a", b"x")
    time.sleep(0.05)
    (found,) = other.read("betting", PARTITIONS, 10)
    assert found.raw == b"x"
    assert queues.read("betting", PARTITIONS, 10, block_ms=50) == []


def test_two_readers_share_what_comes(cluster: Cluster, queues: Queues) -> None:
    found: list[bytes] = []
    sent = [b"%d" % number for number in range(200)]
    give_up_s = time.monotonic() + 30

    def take() -> None:
        mine = Queues(cluster.connect())
        while len(found) < len(sent) and time.monotonic() < give_up_s:
            found.extend(each.raw for each in mine.read("betting", PARTITIONS, 3, block_ms=100))

    readers = [threading.Thread(target=take) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number, raw in enumerate(sent):
        queues.send("betting", f"{PARTITIONS[number % 6]}.a", raw)
    for reader in readers:
        reader.join()
    assert sorted(found) == sorted(sent)


def test_a_group_that_was_destroyed_is_made_again_while_somebody_waits(
    cluster: Cluster, queues: Queues
) -> None:
    queues.send("betting", "p01.a", b"x")
    assert len(queues.read("betting", PARTITIONS, 10)) == 1
    assert queues.read("betting", PARTITIONS, 10, block_ms=20) == []
    node = cluster.owner_of("p01").client
    node.execute_command("XGROUP", "DESTROY", queue_key("betting", "p01"), GROUP)
    (again,) = queues.read("betting", PARTITIONS, 10, block_ms=3_000)
    assert again.raw == b"x", "it is handed out again, because it was not finished"


def test_what_is_no_queue_stops_its_own_partition_alone(cluster: Cluster, queues: Queues) -> None:
    key = queue_key("betting", "p01")
    cluster.owner_of("p01").client.execute_command("DEL", key)
    cluster.owner_of("p01").client.execute_command("SET", key, "a text")
    queues.ensure_groups("betting", PARTITIONS)
    sender = Queues(cluster.connect())
    with later(lambda: sender.send("betting", "p00.a", b"x")):
        (found,) = queues.read("betting", PARTITIONS, 10, block_ms=WAIT_MS)
    assert found.raw == b"x"
    with pytest.raises(StoreError, match="is no queue"):
        queues.read("betting", ["p01"], 10)


@pytest.mark.usefixtures("unswept")
def test_feeds_are_followed_on_all_nodes(cluster: Cluster, queues: Queues) -> None:
    client = cluster.connect()
    positions = {name: queues.feed_end(name) for name in PARTITIONS}
    for number, name in enumerate(PARTITIONS):

        def commit(name: str = name, number: int = number) -> None:
            news = encode_news(f"{name}.a", number + 1)
            client.execute_command("XADD", feed_key(name), "*", "t", news)

        with later(commit, 0.02) as sent:
            (entry,) = queues.feed(positions, block_ms=WAIT_MS)
            ended_s = time.monotonic()
        assert (entry.partition, entry.table, entry.seq) == (name, f"{name}.a", number + 1)
        assert ended_s - sent[0] < SOON_S
        positions[name] = entry.id
    assert queues.feed(positions, block_ms=20) == []
    whole = queues.feed(dict.fromkeys(PARTITIONS, BEGINNING))
    assert [entry.seq for entry in whole] == [1, 2, 3, 4, 5, 6]


def test_replies_are_waited_for_wherever_they_lie(queues: Queues, cluster: Cluster) -> None:
    other = Queues(cluster.connect())
    positions = dict(EVERYWHERE)
    for name in PARTITIONS:
        answer = Outgoing(name, "ann", b"yes")
        with later(lambda answer=answer: other.finish([answer], []), 0.02):  # type: ignore[misc]
            (reply,) = queues.replies("ann", positions, block_ms=2_000)
        assert (reply.partition, reply.raw) == (name, b"yes")
        positions[name] = reply.id
        assert queues.replies("ann", positions, block_ms=20) == []


def test_what_was_given_up_is_claimed_on_every_node(cluster: Cluster, queues: Queues) -> None:
    load_library(cluster.connect())
    for name in PARTITIONS:
        queues.send("betting", f"{name}.a", name.encode())
    assert len(queues.read("betting", PARTITIONS, 10)) == len(PARTITIONS)
    assert queues.claim("betting", PARTITIONS, 0, 10) == []
    time.sleep(0.01)
    claimed = queues.claim("betting", PARTITIONS, 0, 10)
    assert {(each.raw, each.count) for each in claimed} == {(n.encode(), 2) for n in PARTITIONS}


def test_the_functions_are_on_every_primary_and_come_back_where_they_are_missing(
    cluster: Cluster, queues: Queues
) -> None:
    client = cluster.connect()
    load_library(client)
    listed = ("FUNCTION", "LIST", "LIBRARYNAME", LIBRARY)
    assert all(server.execute_command(*listed) for server in primaries(client))
    primaries(client)[1].execute_command("FUNCTION", "FLUSH")
    queues.fire_many(PARTITIONS, 10)
    assert all(server.execute_command(*listed) for server in primaries(client))


def test_tables_are_found_and_derived_keys_restored_on_every_node(
    cluster: Cluster, staff: Staff
) -> None:
    evening = Evening(staff, hands=1)
    evening.play_to_the_end()
    client: Any = cluster.connect()
    assert StoreLog(client).tables() == sorted(evening.tables)
    for name in staff.partitions:
        client.execute_command("DEL", tables_key(name))
    restored = restore_derived(client, staff.partitions)
    assert (restored.logs, restored.tables, restored.problems) == (6, 6, [])
    assert RedisLog(client, partitions=staff.partitions).tables() == sorted(evening.tables)


def test_fsync_is_asked_for_on_every_primary(cluster: Cluster) -> None:
    client = cluster.connect()
    settings = Settings(durability="fsync")
    servers = primaries(client)
    for server in servers[:-1]:
        server.execute_command("CONFIG", "SET", "appendfsync", "always")
    with pytest.raises(BadInput, match="everysec"):
        check_durability(client, settings)
    servers[-1].execute_command("CONFIG", "SET", "appendfsync", "always")
    check_durability(client, settings)
    for server in servers:
        server.execute_command("CONFIG", "SET", "appendfsync", "everysec")


def test_a_primary_that_keeps_nothing_is_found(cluster: Cluster) -> None:
    client = cluster.connect()
    last = primaries(client)[-1]
    check_durability(client, Settings())
    last.execute_command("CONFIG", "SET", "appendonly", "no")
    with pytest.raises(BadInput, match="keeps nothing"):
        check_durability(client, Settings())
    last.execute_command("CONFIG", "SET", "appendonly", "yes")


def test_an_operator_names_the_cluster_as_the_store(cluster: Cluster, queues: Queues) -> None:
    queues.send("betting", "p01.a", b"x")
    done = services("health", DOORCARD_REDIS_URL=cluster.url, DOORCARD_PARTITIONS="6")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"betting": 1' in done.stdout


def test_what_is_about_one_node_is_not_sent_to_any(cluster: Cluster) -> None:
    with pytest.raises(StoreError, match="each primary"):
        cluster.connect().execute_command("SCAN", 0)


@pytest.mark.usefixtures("unswept")
def test_partitions_whose_node_is_gone_for_good_stop_no_others(
    cluster: Cluster, queues: Queues
) -> None:
    load_library(cluster.connect())
    primary = cluster.owner_of("p00")
    there = [name for name in PARTITIONS if cluster.owner_of(name) is not primary]
    assert 0 < len(there) < len(PARTITIONS)
    sender = Queues(cluster.connect())
    for name in there:
        sender.send("betting", f"{name}.early", b"early")
    cluster.replica_of(primary).kill()
    primary.kill()
    assert len(queues.read("betting", PARTITIONS, 10, block_ms=500)) == len(there)
    with later(lambda: sender.send("betting", f"{there[0]}.late", b"late")) as sent:
        (found,) = queues.read("betting", PARTITIONS, 10, block_ms=WAIT_MS)
        assert time.monotonic() - sent[0] < SOON_S
    assert found.raw == b"late"
    time.sleep(0.01)
    queues.claim("betting", PARTITIONS, 0, 10)
    time.sleep(0.01)
    assert len(queues.claim("betting", PARTITIONS, 0, 10)) == len(there) + 1
    assert queues.fire_many(PARTITIONS, 10) == 0
    queues.ensure_groups("betting", PARTITIONS)
    load_library(cluster.connect())
    gone = [name for name in PARTITIONS if name not in there]
    with pytest.raises(Gone):
        queues.claim("betting", gone, 0, 10)
    with pytest.raises(Gone):
        queues.read("betting", gone, 10)
