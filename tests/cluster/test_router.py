"""Where a cluster's client sends what, and what it does with each kind of answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from redis.exceptions import AskError, ClusterDownError, MovedError, ResponseError, TryAgainError
from redis.exceptions import ConnectionError as Gone

from doorcard.errors import BadInput, StoreError
from doorcard.streams.cluster import (
    REDIRECTIONS_MAX,
    REPEAT_PAUSE_S_MAX,
    REPEATS,
    ClusterClient,
)
from doorcard.streams.connection import connect, exchange
from doorcard.streams.keys import log_key, queue_key, reply_key, slot_of, tag_of_partition
from doorcard.streams.routing import owners_of_slots, slot_of_command, slot_of_key
from tests.cluster.scripted import Answers, ScriptedCluster, Words

HALVES: Final = [[0, 8191, [b"host", 1, b"id1"]], [8192, 16383, [b"host", 2, b"id2"]]]
LOW, HIGH = (f"dc:{{{tag_of_partition(name)}}}:x" for name in ("p00", "p01"))
"""Keys of the first node and of the second."""


def asked(words: Words) -> Any:
    """The answer of a node that has nothing to say against it."""
    return b"answer to " + b" ".join(str(word).encode() for word in words)


def scripted(*turns: tuple[int, Any], slots: Any = HALVES) -> ScriptedCluster:
    """A cluster whose nodes, by port, answer so the next times they are asked, then well."""
    script: dict[int, Iterator[Any]] = {
        port: iter([answer for at, answer in turns if at == port]) for port, _ in turns
    }

    def answer(address: tuple[str, int], words: Words) -> Any:
        return next(script.get(address[1], iter(())), asked(words))

    return ScriptedCluster(slots, answer)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("XADD", "k", "*", "m", b"STREAMS"), "k"),
        (("XGROUP", "CREATE", "k", "workers"), "k"),
        (("XINFO", "STREAM", "k"), "k"),
        (("FCALL", "commit", 2, "k", "l", "argument"), "k"),
        (("XREAD", "COUNT", 1, "STREAMS", "k", "0-0"), "k"),
        (("XREADGROUP", "GROUP", "g", "c", "NOACK", "STREAMS", "k", ">"), "k"),
        (("MEMORY", "USAGE", "k"), "k"),
    ],
)
def test_a_command_goes_by_its_first_key(words: Words, key: str) -> None:
    assert slot_of_command(words) == slot_of_key(key)


def test_some_commands_go_anywhere_and_some_to_no_one_node() -> None:
    assert slot_of_command(("PING",)) is None
    assert slot_of_command(("TIME",)) is None
    for words in (("SCAN", 0), ("FLUSHALL",), ("CONFIG", "GET", "x"), ("FCALL", "f", 0)):
        with pytest.raises(StoreError, match="each primary"):
            slot_of_command(words)


@pytest.mark.parametrize(
    ("key", "counted"),
    [
        ("dc:{a}:log", "a"),
        (b"dc:{a}:log", "a"),
        ("dc:x:ann", "dc:x:ann"),
        ("{}x", "{}x"),
        ("{a", "{a"),
        ("}{a}", "a"),
        ("{a}{b}", "a"),
    ],
)
def test_only_what_stands_in_braces_counts(key: str | bytes, counted: str) -> None:
    assert slot_of_key(key) == slot_of(counted)


def test_keys_of_a_partition_share_a_slot() -> None:
    keys = (log_key("p05.a"), queue_key("betting", "p05"), reply_key("p05", "ann"))
    assert {slot_of_key(key) for key in keys} == {slot_of(tag_of_partition("p05"))}


def test_slots_without_a_host_belong_to_the_node_that_answered() -> None:
    answer = [[0, 1, [b"", 7, b"id"], [b"other", 8, b"id"]], [2, 2, [None, 9, b"id"]]]
    assert owners_of_slots(answer, ("asked", 1)) == {
        0: ("asked", 7),
        1: ("asked", 7),
        2: ("asked", 9),
    }


def test_answers_come_in_the_order_of_the_commands_and_all_is_sent_before_any_is_read() -> None:
    cluster = scripted()
    commands = [("XLEN", key) for key in (LOW, HIGH, LOW, HIGH)]
    assert exchange(cluster.client(1), commands) == [asked(words) for words in commands]
    assert sorted(cluster.log[:2]) == ["send 1", "send 2"]
    assert sorted(cluster.log[2:]) == ["read 1", "read 2"]
    assert exchange(cluster.client(1), []) == []


def test_a_refusal_is_the_answer_to_its_command_alone() -> None:
    refusal = ResponseError("WRONGTYPE")
    cluster = scripted((1, refusal))
    assert exchange(cluster.client(1), [("XLEN", LOW), ("XLEN", HIGH)]) == [
        refusal,
        asked(("XLEN", HIGH)),
    ]
    assert cluster.pauses == []


def test_what_has_moved_goes_to_its_new_node_and_nothing_else_is_repeated() -> None:
    cluster = scripted((1, MovedError(f"{slot_of_key(LOW)} host:3")))
    client = cluster.client(1)
    commands = [("XADD", LOW, "*", "m", 1), ("XADD", HIGH, "*", "m", 1)]
    assert exchange(client, commands) == [asked(words) for words in commands]
    assert sorted(cluster.heard) == [(1, commands[0]), (2, commands[1]), (3, commands[0])]
    assert cluster.pauses == []
    cluster.heard.clear()
    exchange(client, [("XLEN", LOW)])
    assert cluster.heard == [(3, ("XLEN", LOW))], "it is remembered"


def test_a_move_that_names_no_host_means_the_one_that_was_asked() -> None:
    cluster = scripted((1, MovedError(f"{slot_of_key(LOW)} :3")))
    assert exchange(cluster.client(1), [("XLEN", LOW)]) == [asked(("XLEN", LOW))]
    assert cluster.heard[-1][0] == 3


def test_what_is_on_the_move_is_asked_for_at_its_target_this_once() -> None:
    cluster = scripted((1, AskError(f"{slot_of_key(LOW)} host:3")))
    client = cluster.client(1)
    assert exchange(client, [("XLEN", LOW)]) == [asked(("XLEN", LOW))]
    assert cluster.heard == [(1, ("XLEN", LOW)), (3, ("ASKING",)), (3, ("XLEN", LOW))]
    exchange(client, [("XLEN", LOW)])
    assert cluster.heard[-1] == (1, ("XLEN", LOW)), "its slot is still where it was"


@pytest.mark.parametrize("error", [TryAgainError("x"), ClusterDownError("x"), Gone("x")])
def test_what_a_node_cannot_do_now_is_repeated_after_a_pause(error: Exception) -> None:
    cluster = scripted((1, error), (1, error))
    commands = [("XLEN", LOW), ("XLEN", HIGH)]
    assert exchange(cluster.client(1), commands) == [asked(words) for words in commands]
    assert [words for _, words in cluster.heard].count(commands[0]) == 3
    assert [words for _, words in cluster.heard].count(commands[1]) == 1
    assert len(cluster.pauses) == 2
    assert cluster.asked_for_slots == 3


def test_a_replica_that_took_over_is_found() -> None:
    cluster = scripted()
    client = cluster.client(1)
    assert exchange(client, [("XLEN", LOW)]) == [asked(("XLEN", LOW))]
    cluster.down.add(1)
    cluster.slots = [[0, 8191, [b"host", 4, b"id4"]], HALVES[1]]
    assert exchange(client, [("XLEN", LOW)]) == [asked(("XLEN", LOW))]
    assert cluster.heard[-1][0] == 4


def test_repeats_are_bounded_and_spread_and_others_get_their_answers() -> None:
    cluster = scripted()
    client = cluster.client(2)
    cluster.down.add(1)
    gone, fine = exchange(client, [("XLEN", LOW), ("XLEN", HIGH)])
    assert isinstance(gone, Gone)
    assert fine == asked(("XLEN", HIGH))
    assert len(cluster.pauses) == REPEATS
    assert max(cluster.pauses) <= REPEAT_PAUSE_S_MAX
    assert 1.5 < sum(cluster.pauses) < 4
    with pytest.raises(Gone):
        client.execute_command("XLEN", LOW)


def test_who_cannot_wait_is_answered_at_once_and_the_slots_are_asked_for() -> None:
    cluster = scripted()
    client = cluster.client(2)
    exchange(client, [("XLEN", HIGH)])
    cluster.down.add(1)
    gone, fine = exchange(client, [("XLEN", LOW), ("XLEN", HIGH)], patient=False)
    assert (type(gone), fine) == (Gone, asked(("XLEN", HIGH)))
    assert (cluster.pauses, cluster.asked_for_slots) == ([], 2)


def test_nodes_that_point_at_each_other_do_not_keep_a_client_for_ever() -> None:
    turns = [(port, MovedError(f"{slot_of_key(LOW)} host:{3 - port}")) for port in (1, 2)] * 99
    cluster = scripted(*turns)
    (answer,) = exchange(cluster.client(1), [("XLEN", LOW)])
    assert isinstance(answer, MovedError)
    assert len(cluster.heard) == 1 + REDIRECTIONS_MAX + REPEATS


def test_a_cluster_of_which_nobody_answers_is_an_error() -> None:
    cluster = scripted()
    cluster.down |= {1, 2}
    with pytest.raises(ClusterDownError, match="no node of the cluster answers at host:1, host:2"):
        cluster.client(1, 2).execute_command("PING")
    with pytest.raises(Gone, match="no node"):
        cluster.client(1, 2).primaries()


def test_a_wait_follows_each_nodes_commands_and_answers_the_least() -> None:
    def answer(address: tuple[str, int], words: Words) -> Any:
        return {1: 2, 2: 1}[address[1]] if words[0] == "WAIT" else b"1-0"

    cluster = ScriptedCluster(HALVES, answer)
    wait = ("WAIT", 1, 100)
    commands = [("XADD", LOW, "*", "m", 1), ("XADD", HIGH, "*", "m", 1), wait]
    assert exchange(cluster.client(1), commands) == [b"1-0", b"1-0", 1]
    assert [words for port, words in cluster.heard if port == 1] == [commands[0], wait]
    assert exchange(cluster.client(1), [commands[0], wait]) == [b"1-0", 2]


def test_answers_are_read_as_redis_py_does() -> None:
    def answer(_address: tuple[str, int], words: Words) -> Any:
        return [[b"1-0", [b"m", b"x"]]] if words[0] == "XRANGE" else asked(words)

    client = ScriptedCluster(HALVES, answer).client(1)
    assert client.execute_command("XRANGE", LOW, "-", "+") == [(b"1-0", {b"m": b"x"})]
    pipeline = client.pipeline(transaction=False)
    pipeline.execute_command("XRANGE", HIGH, "-", "+")
    pipeline.execute_command("XLEN", LOW)
    assert pipeline.execute() == [[(b"1-0", {b"m": b"x"})], asked(("XLEN", LOW))]
    assert pipeline.execute() == []


def test_a_pipeline_raises_the_first_refusal_if_it_is_to() -> None:
    refusal = ResponseError("WRONGTYPE")
    answers: Answers = lambda _, words: refusal if words[1] == LOW else 1  # noqa: E731
    client = ScriptedCluster(HALVES, answers).client(1)
    for raises in (False, True):
        pipeline = client.pipeline(transaction=False)
        pipeline.execute_command("XLEN", HIGH)
        pipeline.execute_command("XLEN", LOW)
        if raises:
            with pytest.raises(ResponseError, match="WRONGTYPE"):
                pipeline.execute()
        else:
            assert pipeline.execute(raise_on_error=False) == [1, refusal]
    with pytest.raises(BadInput, match="no transaction"):
        client.pipeline(transaction=True)


def test_a_client_that_stops_waiting_leaves_no_answer_behind() -> None:
    """Else the rest would be taken for the next command's."""

    class Stopped(BaseException):
        pass

    def answer(address: tuple[str, int], words: Words) -> Any:
        if address[1] == 2:
            raise Stopped
        return asked(words)

    cluster = ScriptedCluster(HALVES, answer)
    with pytest.raises(Stopped):
        exchange(cluster.client(1), [("XLEN", LOW), ("XLEN", HIGH)])
    assert cluster.log == ["send 1", "send 2", "abandon 1"]


@pytest.mark.parametrize(
    "url",
    [
        "redis+cluster://one:7001,two:7002",
        "redis+cluster://one:7001,two:7002/",
        "redis+cluster://one:7001,two:7002/0",
        "redis+cluster://ann:s%40cret@one:7001,two:7002",
        "rediss+cluster://ann:s%40cret@one:7001,two?ssl_cert_reqs=required",
    ],
)
def test_a_url_names_a_cluster_by_some_nodes(url: str) -> None:
    client = connect(url)
    assert isinstance(client, ClusterClient)
    client.close()


@pytest.mark.parametrize(
    "url",
    [
        "redis+cluster://",
        "redis+cluster://ann:secret@",
        "redis+cluster://ann:secret@one:port",
        "redis+cluster://one:7001/3?password=secret",
        "http+cluster://ann:secret@one:7001",
    ],
)
def test_what_names_no_cluster_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match=r"URL; they look like redis") as caught:
        connect(url)
    assert "secret" not in str(caught.value)
