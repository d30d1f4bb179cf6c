"""Logs on Redis or Valkey: one stream a table, appended to by one function that checks first."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, cast

from redis.exceptions import ResponseError

from doorcard.errors import BadLog
from doorcard.streams.commit import PREV_BYTES
from doorcard.streams.complaints import Complaint
from doorcard.streams.connection import (
    Client,
    ask,
    exchange,
    fields_of,
    require_pinned_protocol,
    takes_no_writes,
)
from doorcard.streams.delivery import REPLIES_KEPT_S, REPLIES_MAX
from doorcard.streams.functions import (
    COMMIT,
    Call,
    call_each,
    load_library,
    read_answer,
)
from doorcard.streams.heads import require_hand, scan_head
from doorcard.streams.keys import (
    PARTITIONS_MAX,
    feed_key,
    is_table_id,
    log_key,
    partition_names,
    partition_of,
    paused_key,
    queue_key,
    reply_key,
    tables_key,
    timer_member,
    timers_key,
)
from doorcard.streams.log import (
    FEED_MAX,
    NO_HEAD,
    OK,
    TIME_BOUND_MS,
    TIMER_SLACK_MS,
    Append,
    Code,
    Head,
    Outcome,
    Stored,
    problem_with,
)
from doorcard.streams.understood import understands
from doorcard.streams.wakes import encode_wake

FIRST_PARTITION: Final = partition_names(1)
NO_REPLY: Final = ("", b"")
TRIM: Final = """
local kept = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not kept or kept[2][4] ~= ARGV[2] then
  return -1
end
return redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[1])
"""
"""Looks before it removes: a store that went back may not hold what must stay. It is no part of
the library of functions, which is the workers'."""
_LOGGER: Final = logging.getLogger(__name__)


class RedisLog:
    """The logs of one server (``doorcard.streams.log.Log``).

    Errors of the connection are raised as they are, after the client's own repeats; every call
    may be made again after one, ``append`` too.
    """

    def __init__(
        self,
        client: Client,
        *,
        partitions: Sequence[str] = FIRST_PARTITION,
        time_bound_ms: int = TIME_BOUND_MS,
        feed_max: int = FEED_MAX,
        replicas: int = 0,
        replicas_timeout_ms: int = 1_000,
    ) -> None:
        """Use a server.

        Args:
            partitions: where ``tables`` and ``paused`` look; other methods go by a table's id.
            replicas: wait until so many replicas have each batch; 0 does not wait.
        """
        require_pinned_protocol(client)
        self._client = client
        self._partitions = tuple(partitions)
        bounds = (time_bound_ms, feed_max, TIMER_SLACK_MS, REPLIES_MAX, REPLIES_KEPT_S)
        self._bounds = " ".join(map(str, bounds))
        self._replicas = replicas
        self._replicas_timeout_ms = replicas_timeout_ms
        self._unkept = Complaint(_LOGGER, "a reply was not kept: %s")

    def prepare(self) -> None:
        """Load the functions, so that the first commit need not."""
        load_library(self._client)

    @understands
    def head(self, table: str) -> Head | None:
        """Where a table's log ends, read from its end; None if there is no such log.

        Raises:
            BadLog: the log cannot be read, or is gone, or commits are missing at its end.
        """
        head = scan_head(self, table)
        if head == NO_HEAD:
            if not ask(self._client, "SISMEMBER", tables_key(partition_of(table)), table):
                return None
            head = scan_head(self, table)  # it may have been opened meanwhile
        if head == NO_HEAD:
            raise BadLog(f"table {table}: its log is gone")
        last_seq = self._last_seq(table)
        if head.seq < last_seq:
            head = scan_head(self, table)  # commits may have come in meanwhile
        if head.seq < last_seq:
            raise BadLog(f"table {table}: commit {head.seq + 1} is missing, {last_seq} was there")
        return head

    @understands
    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits behind a number, oldest first; all of them without ``count``."""
        limit = () if count is None else ("COUNT", count)
        return _stored(
            table, ask(self._client, "XRANGE", log_key(table), f"{after + 1}-0", "+", *limit)
        )

    @understands
    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Stored]]:
        """``read`` for many (table, after) at once, in one pipeline."""
        if not wanted:
            return []
        words = [("XRANGE", log_key(table), f"{after + 1}-0", "+") for table, after in wanted]
        found: list[list[Stored]] = []
        for (table, _), answer in zip(wanted, exchange(self._client, words), strict=True):
            if isinstance(answer, Exception):
                raise answer
            found.append(_stored(table, answer))
        return found

    @understands
    def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
        """Commits below a number, or the last ones with None, newest first."""
        newest = "+" if before is None else f"({before}-0"
        return _stored(
            table, ask(self._client, "XREVRANGE", log_key(table), newest, "-", "COUNT", count)
        )

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        """Append commits, each alone all or nothing, and say what became of each, in order.

        They go out in one pipeline. With replicas to wait for, an ``ok`` whose detail is not
        empty is in the log, but on too few of them yet.

        Raises:
            StoreError: an answer that none of the codes fits.
        """
        problems = [problem_with(append) for append in appends]
        sound = [append for append, problem in zip(appends, problems, strict=True) if not problem]
        calls = [self._call(append) for append in sound]
        answers = iter(self._made(calls) if calls else ())
        return [Outcome("bad", problem) if problem else next(answers) for problem in problems]

    @understands
    def trim(self, table: str, kept: Stored) -> int:
        """Remove the commits before one, which must begin a hand; how many they were.

        A user of the store who may do this may EVAL and XTRIM logs; no worker may.
        """
        require_hand(table, kept)
        words = ("EVAL", TRIM, 1, log_key(table), f"{kept.seq}-0", kept.mark)
        count = int(ask(self._client, *words))
        if count < 0:
            raise BadLog(f"table {table}: commit {kept.seq} is not in its log as it was read")
        return count

    @understands
    def tables(self) -> list[str]:
        """The ids of all tables in the log's partitions, sorted."""
        found: list[str] = []
        for partition in self._partitions:
            names = ask(self._client, "SMEMBERS", tables_key(partition))
            found += [name.decode("utf-8", "replace") for name in names]
        return sorted(name for name in found if is_table_id(name))

    def pause(self, table: str, reason: str) -> None:
        """Let nobody but the floor commit to a table."""
        ask(self._client, "HSET", paused_key(partition_of(table)), table, reason)

    def resume(self, table: str) -> None:
        """Let everybody commit again."""
        ask(self._client, "HDEL", paused_key(partition_of(table)), table)

    @understands
    def paused(self) -> dict[str, str]:
        """The paused tables of the log's partitions, each with the reason."""
        found: dict[str, str] = {}
        for partition in self._partitions:
            reasons = ask(self._client, "HGETALL", paused_key(partition))
            for table, reason in reasons.items():
                found[table.decode("utf-8", "replace")] = reason.decode("utf-8", "replace")
        return found

    @understands
    def now_ms(self) -> int:
        """The store's clock, in milliseconds since 1970, UTC."""
        seconds, microseconds = ask(self._client, "TIME")
        return int(seconds) * 1000 + int(microseconds) // 1000

    @understands
    def _made(self, calls: Sequence[Call]) -> list[Outcome]:
        """What became of commits: what goes wrong when a call is put together is no answer."""
        if not self._replicas:
            return [self._outcome(answer) for answer in call_each(self._client, calls)]
        wait = ("WAIT", self._replicas, self._replicas_timeout_ms)
        *answers, reached = call_each(self._client, calls, then=[wait])
        outcomes = [self._outcome(answer) for answer in answers]
        if isinstance(reached, int) and reached >= self._replicas:
            return outcomes
        short = OK._replace(detail=f"on {reached} of {self._replicas} replicas")
        return [short if outcome == OK else outcome for outcome in outcomes]

    def _call(self, append: Append) -> Call:
        table, seq, timer, source = append.table, append.seq, append.timer, append.source
        keys = list(_commit_keys(table))
        if append.wake is not None:
            keys.append(queue_key(append.wake, partition_of(table)))
        if source is not None:
            keys.append(source.queue)
        sender, reply = append.reply or NO_REPLY
        if reply:
            keys.append(reply_key(partition_of(table), sender))
        arguments = (
            table,
            f"{seq} {append.time_ms} {self._bounds}",
            append.before[:PREV_BYTES],
            append.chain[:PREV_BYTES],
            append.raw,
            append.role,
            b"" if append.wake is None else encode_wake(table, seq),
            "" if timer is None else timer.deadline_ms,
            "" if timer is None else timer_member(table, timer.role),
            "" if append.ended is None else timer_member(table, append.ended),
            "" if source is None else source.id,
            reply,
        )
        return Call(COMMIT, keys, arguments)

    def _outcome(self, answer: Any) -> Outcome:
        if isinstance(answer, ResponseError) and takes_no_writes(answer):
            return Outcome("full", str(answer))
        if isinstance(answer, Exception):
            raise answer
        code, detail = read_answer(answer)
        if code == "ok" and detail:
            self._unkept.say(detail)
        return OK if code == "ok" else Outcome(cast("Code", code), detail)

    def _last_seq(self, table: str) -> int:
        """The highest number that a log ever had."""
        facts = self._client.execute_command("XINFO", "STREAM", log_key(table))
        last_id: bytes = facts[facts.index(b"last-generated-id") + 1]
        return int(last_id.split(b"-")[0])


def _commit_keys(table: str) -> tuple[str, ...]:
    """The keys that every commit to a table touches, in the function's order."""
    return (log_key(table), *_partition_keys(partition_of(table)))


@lru_cache(maxsize=PARTITIONS_MAX)
def _partition_keys(partition: str) -> tuple[str, ...]:
    return (
        paused_key(partition),
        tables_key(partition),
        timers_key(partition),
        feed_key(partition),
    )


def _stored(table: str, entries: Any) -> list[Stored]:
    """Entries as they were read, whose ids must be commits' numbers."""
    found: list[Stored] = []
    for entry_id, entry in entries:
        seq, _, zero = entry_id.partition(b"-")
        fields = fields_of(entry) if entry else {}
        raw = fields.get(b"c")
        if zero != b"0" or raw is None:
            raise BadLog(f"table {table}: its log holds an entry {entry_id!r} that is no commit")
        found.append(Stored(int(seq), raw, fields.get(b"h", b"")))
    return found
