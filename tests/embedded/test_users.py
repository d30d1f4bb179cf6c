"""What each user of the production server may do, and what it may not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from redis.exceptions import AuthenticationError, NoPermissionError, ResponseError

from doorcard.streams.redis_log import TRIM

Ask = Callable[..., Any]
Url = Callable[[str], str]
Production = Callable[..., AbstractContextManager[Url]]
Words = tuple[str | int, ...]

# Every command that a commit is made of, in a function of the commit function's name.
COMMIT = """#!lua name=doorcard_v6
redis.register_function('doorcard_commit_v6', function(keys, args)
  local log, own, wake, timers, feed, paused, tables = unpack(keys)
  for _, key in ipairs(keys) do redis.call('TYPE', key) end
  redis.call('TIME')
  redis.call('EXISTS', log)
  redis.call('HEXISTS', paused, args[1])
  redis.call('HGET', paused, args[1])
  redis.call('SISMEMBER', tables, args[1])
  redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)
  redis.call('XLEN', wake)
  redis.call('XADD', log, '1-0', 'c', 'bytes')
  redis.call('XADD', wake, '*', 'table', args[1])
  redis.call('ZADD', timers, 1, args[1])
  redis.call('ZREM', timers, args[1])
  redis.call('XADD', feed, '*', 'table', args[1])
  redis.call('XTRIM', feed, 'MAXLEN', '~', '100')
  redis.call('SADD', tables, args[1])
  redis.call('XDEL', own, args[2])
  return 'OK'
end)
"""

WORKERS = ("dealer", "betting", "showdown", "floor")
USERS = (*WORKERS, "clock", "client", "auditor", "archivist", "replica", "health")

LOG = "dc:{p00}:log:p00.a"
TIMERS = "dc:{p00}:timers"
FEED = "dc:{p00}:feed"
WRITES = "dc:{p00}:writes"
PAUSED = "dc:{p00}:paused"
DEAD = "dc:{p00}:dead"
TABLES = "dc:{p00}:tables"
REPLIES = "dc:{p00}:r:ann"
ENTRY = ("*", "c", "bytes")

# What nobody but the admin may do.
NEVER: tuple[Words, ...] = (
    ("ACL", "LIST"),
    ("CLIENT", "KILL", "ID", 1),
    ("CLIENT", "LIST"),
    ("CLIENT", "PAUSE", 1),
    ("CONFIG", "SET", "appendfsync", "no"),
    ("CLUSTER", "RESET"),
    ("DEL", LOG),
    ("DEL", FEED),
    ("DUMP", LOG),
    ("EVAL", "return 1", 0),
    ("EXPIRE", LOG, 1),
    ("FLUSHALL",),
    ("FUNCTION", "DELETE", "doorcard_v6"),
    ("FUNCTION", "FLUSH"),
    ("GET", "other"),
    ("KEYS", "*"),
    ("MONITOR",),
    ("RENAME", LOG, "other"),
    ("REPLICAOF", "NO", "ONE"),
    ("SHUTDOWN",),
    ("SET", "other", 1),
    ("SET", LOG, 1),
    ("XADD", "other", *ENTRY),
    ("XDEL", LOG, "1-0"),
    ("XGROUP", "DESTROY", "dc:{p00}:q:dealer", "workers"),
    ("XSETID", LOG, "9-0"),
    ("XTRIM", LOG, "MAXLEN", 0),
)
# What the archivist may do besides reading.
SHORTENS = {("EVAL", "return 1", 0), ("XTRIM", LOG, "MAXLEN", 0)}


def _queue(role: str, tag: str = "p00") -> str:
    return f"dc:{{{tag}}}:q:{role}"


def _take(queue: str) -> Words:
    return ("XREADGROUP", "GROUP", "workers", "one", "COUNT", 9, "NOACK", "STREAMS", queue, ">")


def _keys_of_a_commit(role: str, wakes: str) -> Words:
    names = ("log:p00.a", f"q:{role}", f"q:{wakes}", "timers", "feed", "paused")
    return tuple(f"dc:{{p00}}:{name}" for name in (*names, "tables"))


@pytest.fixture(scope="module")
def url(production: Production) -> Iterator[Url]:
    with production() as url:
        yield url


@pytest.fixture
def filled(url: Url, ask: Ask) -> Url:
    """The server with one table, one waiting message a queue, and nothing else."""
    ask(url("admin"), "FLUSHALL")
    ask(url("admin"), "FUNCTION", "LOAD", "REPLACE", COMMIT)
    ask(url("admin"), "XADD", LOG, "1-0", "c", "bytes")
    ask(url("admin"), "SADD", TABLES, "p00.a")
    for role in WORKERS:
        ask(url("admin"), "XGROUP", "CREATE", _queue(role), "workers", 0, "MKSTREAM")
        ask(url("admin"), "XADD", _queue(role), *ENTRY)
    return url


@pytest.mark.parametrize("role", WORKERS)
@pytest.mark.parametrize("wakes", WORKERS)
def test_a_worker_takes_a_message_and_commits(url: Url, ask: Ask, role: str, wakes: str) -> None:
    ask(url("admin"), "FLUSHALL")
    ask(url("admin"), "FUNCTION", "FLUSH")

    def tell(*words: str | int) -> Any:
        return ask(url(role), *words)

    own = _queue(role)
    assert tell("FUNCTION", "LIST") == []
    assert tell("FUNCTION", "LOAD", COMMIT) == "doorcard_v6"
    assert tell("CONFIG", "GET", "appendfsync") == {"appendfsync": "everysec"}
    tell("XGROUP", "CREATE", own, "workers", 0, "MKSTREAM")
    ask(url("admin"), "XADD", own, "5-0", "c", "bytes")
    assert dict(tell(*_take(own))) == {own: [("5-0", {"c": "bytes"})]}
    given = f"{own}:given"
    assert tell("XINFO", "GROUPS", own)[0]["last-delivered-id"] == "5-0"
    assert tell("XREADGROUP", "GROUP", "workers", "two", "NOACK", "STREAMS", own, 0) == [[own, []]]
    assert {member["name"] for member in tell("XINFO", "CONSUMERS", own, "workers")} == {
        "one",
        "two",
    }
    assert tell("XGROUP", "DELCONSUMER", own, "workers", "two") == 0
    assert tell("HSET", given, "line", "7 5-0", "5-0", "7 2") == 2
    assert tell("HGETALL", given) == {"line": "7 5-0", "5-0": "7 2"}
    assert tell("HDEL", given, "5-0") == 1
    keys = _keys_of_a_commit(role, wakes)
    assert tell("FCALL", "doorcard_commit_v6", len(keys), *keys, "p00.a", "5-0") == "OK"
    assert tell("XLEN", own) == (1 if wakes == role else 0)
    assert tell("XRANGE", LOG, "-", "+") == [("1-0", {"c": "bytes"})]
    assert tell("XREVRANGE", LOG, "+", "-", "COUNT", 1) == [("1-0", {"c": "bytes"})]
    assert tell("WAIT", 0, 10) == 0
    assert ("length", 0 if wakes != role else 1) in tell("XINFO", "STREAM", own).items()
    assert tell("XGROUP", "SETID", own, "workers", 0) == "OK"
    assert tell("DEL", own) == 1


@pytest.mark.parametrize("role", WORKERS)
def test_a_worker_replies_and_sets_aside_what_it_cannot_do(
    filled: Url, ask: Ask, role: str
) -> None:
    def tell(*words: str | int) -> Any:
        return ask(filled(role), *words)

    tell("XADD", REPLIES, *ENTRY)
    assert tell("XLEN", REPLIES) == 1
    assert tell("XTRIM", REPLIES, "MAXLEN", "~", 100) == 0
    assert tell("EXPIRE", REPLIES, 60) == 1
    tell(*_take(_queue(role)))
    ((message, _),) = tell("XRANGE", _queue(role), "-", "+")
    tell("XADD", DEAD, *ENTRY)
    tell("HSETNX", PAUSED, "p00.a", "cannot be folded")
    assert tell("HGET", PAUSED, "p00.a") == "cannot be folded"
    assert tell("XDEL", _queue(role), message) == 1
    assert tell("SMEMBERS", TABLES) == {"p00.a"}
    assert int(tell("INFO", "server")["process_id"]) > 0


def test_the_floor_lets_a_table_play_on(filled: Url, ask: Ask) -> None:
    ask(filled("floor"), "HSET", PAUSED, "p00.a", "because")
    for role in ("dealer", "betting", "showdown"):
        with pytest.raises(NoPermissionError):
            ask(filled(role), "HDEL", PAUSED, "p00.a")
    assert ask(filled("floor"), "HDEL", PAUSED, "p00.a") == 1
    for role in WORKERS:
        with pytest.raises(NoPermissionError):
            ask(filled(role), "SREM", TABLES, "p00.a")


def test_the_clock_wakes_the_roles(filled: Url, ask: Ask) -> None:
    ask(filled("betting"), "ZADD", TIMERS, 5, "p00.a|act")
    due = ask(filled("clock"), "ZRANGEBYSCORE", TIMERS, "-inf", 9)
    assert due == ["p00.a|act"]
    for role in WORKERS:
        ask(filled("clock"), "XADD", _queue(role), *ENTRY)
        assert ask(filled("clock"), "XLEN", _queue(role)) == 2
    assert ask(filled("clock"), "ZREM", TIMERS, "p00.a|act") == 1
    assert ask(filled("clock"), "SMEMBERS", TABLES) == {"p00.a"}
    assert len(ask(filled("clock"), "TIME")) == 2
    assert ask(filled("clock"), "HSET", WRITES, "at", 5, 1, 4) == 2
    assert ask(filled("clock"), "HGETALL", WRITES) == {"at": "5", "1": "4"}
    assert ask(filled("clock"), "HDEL", WRITES, 1) == 1
    for role in (*WORKERS, "client"):
        with pytest.raises(NoPermissionError):
            ask(filled(role), "HSET", WRITES, "at", 5)


def test_the_clock_sees_what_waits(filled: Url, ask: Ask) -> None:
    """How old the oldest message is, only the message itself tells."""
    ask(filled("floor"), "HSET", PAUSED, "p00.a", "because")
    for role in WORKERS:
        assert len(ask(filled("clock"), "XRANGE", _queue(role), "-", "+", "COUNT", 1)) == 1
    assert ask(filled("clock"), "XLEN", DEAD) == 0
    assert ask(filled("clock"), "HLEN", PAUSED) == 1


def test_a_client_asks_and_reads_the_answer(filled: Url, ask: Ask) -> None:
    def tell(*words: str | int) -> Any:
        return ask(filled("client"), *words)

    for role in ("betting", "dealer", "floor"):
        tell("XADD", _queue(role), *ENTRY)
        assert tell("XLEN", _queue(role)) == 2
    ask(filled("floor"), "XADD", REPLIES, "1-0", "granted", "yes")
    ask(filled("floor"), "XADD", FEED, "1-0", "table", "p00.a")
    streams = tell("XREAD", "STREAMS", REPLIES, FEED, LOG, 0, 0, 0)
    assert set(dict(streams)) == {REPLIES, FEED, LOG}
    assert tell("XRANGE", LOG, "-", "+") == [("1-0", {"c": "bytes"})]
    assert tell("SISMEMBER", TABLES, "p00.a") == 1
    assert tell("SMEMBERS", TABLES) == {"p00.a"}
    assert len(tell("TIME")) == 2


def test_an_auditor_reads_everything(filled: Url, ask: Ask) -> None:
    def tell(*words: str | int) -> Any:
        return ask(filled("auditor"), *words)

    _, keys = tell("SCAN", 0, "COUNT", 1000)
    assert {LOG, TABLES, *map(_queue, WORKERS)} == set(keys)
    assert tell("XRANGE", LOG, "-", "+") == [("1-0", {"c": "bytes"})]
    assert len(tell("XRANGE", _queue("betting"), "-", "+")) == 1
    assert tell("HGETALL", PAUSED) == {}
    assert tell("ZRANGE", TIMERS, 0, -1) == []
    assert tell("XLEN", DEAD) == 0
    assert tell("MEMORY", "USAGE", LOG) > 0


def test_the_admin_may_do_what_nobody_else_may(filled: Url, ask: Ask) -> None:
    assert len(ask(filled("admin"), "ACL", "LIST")) == len(USERS) + 2
    assert ask(filled("admin"), "DEL", TABLES) == 1


@pytest.mark.parametrize("user", USERS)
def test_nobody_else_may_destroy_or_reconfigure(filled: Url, ask: Ask, user: str) -> None:
    never = tuple(words for words in NEVER if user != "archivist" or words not in SHORTENS)
    assert _granted(filled(user), ask, never) == []
    assert ask(filled("admin"), "XLEN", LOG) == 1


@pytest.mark.parametrize("role", WORKERS)
def test_a_worker_keeps_to_its_own_queue(filled: Url, ask: Ask, role: str) -> None:
    for other in set(WORKERS) - {role}:
        queue = _queue(other)
        refused: tuple[Words, ...] = (
            _take(queue),
            ("HSET", f"{queue}:given", "line", "7 1-0"),
            ("XRANGE", queue, "-", "+"),
            ("XREAD", "STREAMS", queue, 0),
            ("XDEL", queue, "1-0"),
            ("XTRIM", queue, "MAXLEN", 0),
            ("XGROUP", "CREATE", queue, "spies", 0),
            ("XGROUP", "DELCONSUMER", queue, "workers", "one"),
            ("XGROUP", "SETID", queue, "workers", 0),
            ("DEL", queue),
            ("XINFO", "CONSUMERS", queue, "workers"),
        )
        assert _granted(filled(role), ask, refused) == []


def test_a_client_changes_no_table_and_reads_no_queue(filled: Url, ask: Ask) -> None:
    keys = _keys_of_a_commit("betting", "dealer")
    refused: list[Words] = [
        ("XADD", LOG, "2-0", "c", "bytes"),
        ("FCALL", "doorcard_commit_v6", len(keys), *keys, "p00.a", "5-0"),
        ("FCALL", "doorcard_commit_v6", 1, _queue("betting"), "p00.a", "5-0"),
        ("FUNCTION", "LOAD", "REPLACE", COMMIT),
        ("CONFIG", "GET", "requirepass"),
        ("XADD", FEED, *ENTRY),
        ("XADD", REPLIES, *ENTRY),
        ("XADD", DEAD, *ENTRY),
        ("XRANGE", DEAD, "-", "+"),
        ("ZADD", TIMERS, 1, "p00.a|act"),
        ("ZRANGE", TIMERS, 0, -1),
        ("HSET", PAUSED, "p00.a", "no reason"),
        ("SADD", TABLES, "p00.b"),
        ("XADD", _queue("showdown"), *ENTRY),
        ("SCAN", 0),
    ]
    for role in WORKERS:
        queue = _queue(role)
        refused += [
            _take(queue),
            ("XRANGE", queue, "-", "+"),
            ("XREAD", "STREAMS", queue, 0),
            ("XDEL", queue, "1-0"),
            ("XTRIM", queue, "MAXLEN", 0),
        ]
    assert _granted(filled("client"), ask, tuple(refused)) == []


def test_the_clock_touches_no_table(filled: Url, ask: Ask) -> None:
    refused: tuple[Words, ...] = (
        ("XADD", LOG, "2-0", "c", "bytes"),
        ("XRANGE", LOG, "-", "+"),
        ("HSET", PAUSED, "p00.a", "no reason"),
        ("XRANGE", DEAD, "-", "+"),
        ("XDEL", _queue("betting"), "1-0"),
        _take(_queue("betting")),
    )
    assert _granted(filled("clock"), ask, refused) == []


def test_an_auditor_writes_nothing(filled: Url, ask: Ask) -> None:
    keys = _keys_of_a_commit("betting", "dealer")
    refused: tuple[Words, ...] = (
        ("XADD", LOG, "2-0", "c", "bytes"),
        ("XADD", _queue("betting"), *ENTRY),
        ("ZREM", TIMERS, "p00.a|act"),
        ("XGROUP", "CREATE", LOG, "auditors", 0),
        _take(_queue("betting")),
        ("FCALL", "doorcard_commit_v6", len(keys), *keys, "p00.a", "5-0"),
        ("FUNCTION", "LOAD", "REPLACE", COMMIT),
        ("CONFIG", "GET", "requirepass"),
    )
    assert _granted(filled("auditor"), ask, refused) == []


def test_an_archivist_shortens_logs_and_changes_nothing_else(filled: Url, ask: Ask) -> None:
    for seq in (2, 3):
        ask(filled("admin"), "XADD", LOG, f"{seq}-0", "c", "bytes", "h", f"mark-{seq}")
    url = filled("archivist")
    before = ask(url, "XRANGE", LOG, "-", "+")
    assert ask(url, "HGETALL", PAUSED) == {}
    assert ask(url, "SMEMBERS", TABLES) == {"p00.a"}
    assert ask(url, "XINFO", "STREAM", LOG)["last-generated-id"] == "3-0"
    assert ask(url, "EVAL", TRIM, 1, LOG, "2-0", "another") == -1
    assert ask(url, "EVAL", TRIM, 1, LOG, "9-0", "mark-9") == -1
    assert ask(url, "XRANGE", LOG, "-", "+") == before
    assert ask(url, "EVAL", TRIM, 1, LOG, "2-0", "mark-2") == 1
    assert ask(url, "XRANGE", LOG, "-", "+") == before[1:]
    refused: tuple[Words, ...] = (
        ("XADD", LOG, "4-0", "c", "bytes"),
        ("XTRIM", _queue("betting"), "MAXLEN", 0),
        ("XTRIM", FEED, "MAXLEN", 0),
        ("HDEL", PAUSED, "p00.a"),
        _take(_queue("betting")),
        ("FCALL", "doorcard_commit_v6", 0),
        ("EVAL", "return 1", 1, FEED),
    )
    assert _granted(url, ask, refused) == []
    for words in ("'DEL', KEYS[1]", "'XADD', KEYS[1], '4-0', 'c', 'x'", "'XDEL', KEYS[1], '2-0'"):
        with pytest.raises(ResponseError, match=r"permission|ACL"):
            ask(url, "EVAL", f"return redis.call({words})", 1, LOG)


def test_the_health_check_may_ping_and_nothing_more(filled: Url, ask: Ask) -> None:
    assert ask(filled("health").replace("change-me-health", "anything"), "PING") is True
    refused: tuple[Words, ...] = (("INFO",), ("XLEN", LOG), ("TIME",), ("SCAN", 0))
    assert _granted(filled("health"), ask, refused) == []


def test_nobody_comes_in_without_a_user_and_its_password(url: Url, ask: Ask) -> None:
    with pytest.raises(AuthenticationError, match="already authenticated"):
        ask(url("admin").replace("admin:change-me-admin@", ""), "PING")
    for user in ("admin", *USERS[:-1]):
        with pytest.raises(AuthenticationError, match="invalid username-password"):
            ask(url(user).replace("change-me-", "guess-"), "PING")
    with pytest.raises(AuthenticationError, match="invalid username-password"):
        ask(url("default"), "PING")


def _granted(url: str, ask: Ask, commands: tuple[Words, ...]) -> list[Words]:
    """Those that the server did not refuse for want of a permission."""
    granted: list[Words] = []
    for words in commands:
        try:
            ask(url, *words)
        except NoPermissionError:
            continue
        granted.append(words)
    return granted
