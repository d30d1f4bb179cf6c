"""Queues, timers, feeds and replies on Redis or Valkey: streams with one consumer group each.

Handled messages are deleted, so a queue's length is what is unfinished, and a group made anew
from the beginning hands out nothing that was handled before. What was handed out and is still
there after a while was given up: no list of who has which message is needed, nor written.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from doorcard.errors import BadInput, Refused, StoreError
from doorcard.streams.complaints import Complaint
from doorcard.streams.connection import (
    BLOCK_MS_MAX,
    Client,
    RoutingClient,
    Word,
    exchange,
    fields_of,
    require_pinned_protocol,
    takes_no_writes,
)
from doorcard.streams.delivery import (
    BEGINNING,
    QUEUE_MAX,
    REPLIES_KEPT_S,
    REPLIES_MAX,
    DeadLetter,
    Delivery,
    FeedEntry,
    Outgoing,
    Reply,
    Settled,
    busy,
    full,
)
from doorcard.streams.functions import (
    BURY,
    HOLD,
    REPLY,
    SETTLE,
    SHELVE,
    Call,
    call,
    call_each,
    read_answer,
)
from doorcard.streams.group_reader import GroupReader
from doorcard.streams.keys import (
    dead_key,
    feed_key,
    given_key,
    is_sender,
    log_key,
    partition_of,
    partition_of_queue,
    paused_key,
    queue_key,
    reply_key,
    timer_member,
    timers_key,
)
from doorcard.streams.memory_queues import MemoryQueues
from doorcard.streams.present import Present
from doorcard.streams.rounds import Rounds
from doorcard.streams.spread import SpreadReader
from doorcard.streams.understood import all_understand
from doorcard.streams.wakes import read_news
from doorcard.tables import Role

__all__ = ["BEGINNING", "DeadLetter", "Delivery", "FeedEntry", "MemoryQueues", "Queues", "Reply"]

_LOGGER: Final = logging.getLogger(__name__)


@all_understand
class Queues:
    """The queues of a server or a cluster (``doorcard.streams.delivery.MessageQueues``).

    Errors of the connection are raised as they are, after the client's own repeats. Where many
    partitions are read, those of a cluster's nodes that are away are left out, unless all are. A
    message whose reply was lost may be in its queue twice; requests carry an id for that.
    """

    def __init__(self, client: Client, *, queue_max: int = QUEUE_MAX) -> None:
        require_pinned_protocol(client)
        self._client = client
        self._queue_max = queue_max
        self._spread = SpreadReader(client) if isinstance(client, RoutingClient) else None
        self._reader = GroupReader(client, self._spread)
        self._present = Present(client)
        self._rounds = Rounds()
        self._unkept = Complaint(_LOGGER, "replies were not kept: %s")

    def send(self, role: Role, table: str, raw: bytes) -> str | Refused:
        """Put a message into the queue of a table's partition; its id, or why not."""
        (sent,) = self.send_many([(role, table, raw)])
        return sent

    def send_many(self, messages: Sequence[tuple[Role, str, bytes]]) -> list[str | Refused]:
        """``send`` for many (role, table, message) at once, in two pipelines."""
        keys = [queue_key(role, partition_of(table)) for role, table, _ in messages]
        lengths: dict[str, int] = dict.fromkeys(keys, 0)
        looked = self._exchange([("XLEN", key) for key in lengths])
        lengths = dict(zip(lengths, looked, strict=True))
        commands: list[Sequence[Word]] = []
        taken: list[bool] = []
        for key, (_, _, raw) in zip(keys, messages, strict=True):
            taken.append(lengths[key] < self._queue_max)
            if taken[-1]:
                lengths[key] += 1
                commands.append(("XADD", key, "*", "m", raw))
        answers = iter(exchange(self._client, commands))
        return [
            _sent(next(answers)) if took else busy(role)
            for took, (role, _, _) in zip(taken, messages, strict=True)
        ]

    def ensure_groups(self, role: Role, partitions: Sequence[str]) -> None:
        """Make the consumer groups that are missing, from the beginning of each queue."""
        self._reader.ensure_groups(_queues_of(role, partitions))

    def read(
        self, role: Role, partitions: Sequence[str], count: int, block_ms: int = 0
    ) -> list[Delivery]:
        """New messages, at most ``count`` of each partition; waits for the first one if told."""
        if not 0 <= block_ms <= BLOCK_MS_MAX:
            raise BadInput(f"a reader may wait 0 to {BLOCK_MS_MAX} ms, not {block_ms}")
        return [
            Delivery(_text(key), _text(entry_id), _raw(fields), 1)
            for key, entries in self._reader.read(_queues_of(role, partitions), count, block_ms)
            for entry_id, fields in entries
        ]

    def claim(
        self, role: Role, partitions: Sequence[str], idle_ms: int, count: int
    ) -> list[Delivery]:
        """Hand out again what was handed out a while ago and is still there."""
        keys = _queues_of(role, partitions)
        return [
            Delivery(key, _text(entry_id), _raw(fields), int(given))
            for key, entries in zip(keys, self._reader.claim(keys, idle_ms, count), strict=True)
            for entry_id, fields, given in entries
        ]

    def hold(self, deliveries: Sequence[Delivery]) -> None:
        """Say that messages are still worked at: ``claim`` leaves them alone for another while."""
        held: dict[str, list[Word]] = {}
        for delivery in deliveries:
            held.setdefault(delivery.queue, []).extend((delivery.id, delivery.count))
        calls = [Call(HOLD, (key, given_key(key)), words) for key, words in held.items()]
        for answer in call_each(self._client, calls):
            _require_ok(answer)

    def ack(self, delivery: Delivery) -> None:
        """Delete a message that needed no commit."""
        self._exchange(_deletes([delivery]))

    def finish(self, replies: Sequence[Outgoing], handled: Sequence[Delivery]) -> None:
        """Send replies, best effort, and then ``ack`` messages, in one pipeline."""
        calls = _reply_calls(replies)
        answers = call_each(self._client, calls, then=_deletes(handled))
        for place, answer in enumerate(answers):
            if place >= len(calls) and isinstance(answer, Exception):
                raise answer
            if isinstance(answer, Exception) or (place < len(calls) and answer[0] != b"ok"):
                self._unkept.say(answer)

    def bury(self, delivery: Delivery, table: str | None, reason: str) -> None:
        """Move a message to the dead letters, and pause its table, at once."""
        partition = partition_of_queue(delivery.queue)
        keys = (dead_key(partition), paused_key(partition), delivery.queue)
        arguments = (table or "", reason, delivery.count, delivery.id, delivery.raw)
        _require_ok(call(self._client, BURY, keys, arguments))

    def dead(self, partition: str) -> list[DeadLetter]:
        """The dead letters of a partition, oldest first.

        An entry that somebody else wrote has no queue, and a reason that says so.
        """
        letters: list[DeadLetter] = []
        for entry_id, entry in self._client.execute_command(
            "XRANGE", dead_key(partition), "-", "+"
        ):
            fields = fields_of(entry)
            queue, message_id, table, why, count = (
                fields.get(name, b"").decode("utf-8", "replace")
                for name in (b"q", b"id", b"t", b"why", b"n")
            )
            raw = fields.get(b"m", b"")
            if not (count.isdecimal() and {b"q", b"id", b"m", b"t", b"why"} <= fields.keys()):
                queue, table, why, count = "", "", "no dead letter: somebody else wrote it", "0"
            letter = DeadLetter(_text(entry_id), queue, message_id, raw, table, why, int(count))
            letters.append(letter)
        return letters

    def revive(self, partition: str, letter: DeadLetter) -> None:
        """Put a dead letter back into its queue. Its table stays paused until it is resumed."""
        self._client.execute_command("XADD", letter.queue, "*", "m", letter.raw)
        self._client.execute_command("XDEL", dead_key(partition), letter.id)

    def drop_dead(self, partition: str, letter: DeadLetter) -> None:
        """Delete a dead letter for good."""
        self._client.execute_command("XDEL", dead_key(partition), letter.id)

    def length(self, role: Role, partition: str) -> int:
        """Messages that are not finished: waiting, or handed out."""
        return int(self._client.execute_command("XLEN", queue_key(role, partition)))

    def fire(self, partition: str, count: int) -> int:
        """Turn up to ``count`` timers that ran out into messages; how many it were."""
        return self.fire_many([partition], count)

    def fire_many(self, partitions: Sequence[str], count: int) -> int:
        """``fire`` for many partitions, each up to ``count`` timers, in one pipeline."""
        calls = self._rounds.calls(partitions, count)
        answers = self._present(call_each(self._client, calls, patient=False))
        fired = sum(int(_require_ok(answer)) for answer in answers if answer is not None)
        self._rounds.answered()
        return fired

    def settle(self, delivery: Delivery, settled: Settled) -> bool:
        """Delete a message that came to nothing, and see to its table's timer, in one step."""
        table, seq, mark, timer = settled
        keys = (log_key(table), timers_key(partition_of(table)), delivery.queue)
        role, deadline_ms = timer or (None, "")
        member = "" if role is None else timer_member(table, role)
        answer = call(self._client, SETTLE, keys, (seq, mark, delivery.id, deadline_ms, member))
        if answer[0] == b"conflict":
            return False
        _require_ok(answer)
        return True

    def shelve(self, delivery: Delivery, table: str) -> bool:
        """Delete a message to a paused table, unless it is paused no more, in one step."""
        keys = (paused_key(partition_of(table)), delivery.queue)
        answer = call(self._client, SHELVE, keys, (table, delivery.id))
        if answer[0] == b"conflict":
            return False
        _require_ok(answer)
        return True

    def replies(
        self, sender: str, positions: Mapping[str, str], count: int = 100, block_ms: int = 0
    ) -> list[Reply]:
        """Replies behind a position in each partition, at most ``count`` of each, oldest first."""
        partitions = {reply_key(partition, sender): partition for partition in positions}
        after = dict(zip(partitions, positions.values(), strict=True))
        return [
            Reply(partitions[_text(key)], _text(entry_id), _raw(fields))
            for key, entries in self._follow(after, count, block_ms)
            for entry_id, fields in entries
        ]

    def feed(
        self, positions: Mapping[str, str], count: int = 100, block_ms: int = 0
    ) -> list[FeedEntry]:
        """Feed entries behind a position in each partition, at most ``count`` of each."""
        partitions = {feed_key(partition): partition for partition in positions}
        keys = {feed_key(partition): after for partition, after in positions.items()}
        return [
            FeedEntry(partitions[_text(key)], _text(entry_id), *read_news(_raw(fields, b"t")))
            for key, entries in self._follow(keys, count, block_ms)
            for entry_id, fields in entries
        ]

    def feed_end(self, partition: str) -> str:
        """The position of a feed's newest entry: from here on only what is new is read."""
        words = ("XREVRANGE", feed_key(partition), "+", "-", "COUNT", 1)
        entries = self._client.execute_command(*words)
        return _text(entries[0][0]) if entries else BEGINNING

    def _exchange(self, commands: Sequence[Sequence[Word]]) -> list[Any]:
        """Answers of which none may be an error."""
        answers = exchange(self._client, commands)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def _follow(self, positions: Mapping[str, str], count: int, block_ms: int) -> Any:
        if not 0 <= block_ms <= BLOCK_MS_MAX:
            raise BadInput(f"a reader may wait 0 to {BLOCK_MS_MAX} ms, not {block_ms}")
        if self._spread is not None:
            return self._spread.follow(positions, count, block_ms)
        words: list[Word] = ["XREAD", "COUNT", count]
        if block_ms:
            words += ["BLOCK", block_ms]
        words += ["STREAMS", *positions, *positions.values()]
        return self._client.execute_command(*words)


def _queues_of(role: Role, partitions: Sequence[str]) -> list[str]:
    return [queue_key(role, partition) for partition in partitions]


def _deletes(handled: Sequence[Delivery]) -> list[tuple[Word, ...]]:
    """One command for each queue that the messages lie in."""
    ids: dict[str, list[str]] = {}
    for delivery in handled:
        ids.setdefault(delivery.queue, []).append(delivery.id)
    return [("XDEL", queue, *entry_ids) for queue, entry_ids in ids.items()]


def _reply_calls(replies: Sequence[Outgoing]) -> list[Call]:
    """Replies as calls, one for each stream."""
    by_key: dict[str, list[bytes]] = {}
    for partition, sender, raw in replies:
        if is_sender(sender):
            by_key.setdefault(reply_key(partition, sender), []).append(raw)
    return [
        Call(REPLY, (key,), (REPLIES_MAX, REPLIES_KEPT_S, *answers))
        for key, answers in by_key.items()
    ]


def _raw(entry: Any, field: bytes = b"m") -> bytes:
    """The message in an entry. One that somebody wrote in another form is no message: empty."""
    return fields_of(entry).get(field, b"")


def _sent(answer: Any) -> str | Refused:
    if isinstance(answer, Exception):
        if takes_no_writes(answer):
            return full()
        raise answer
    return _text(answer)


def _require_ok(answer: Any) -> str:
    if isinstance(answer, Exception):
        raise answer
    code, detail = read_answer(answer)
    if code != "ok":
        raise StoreError(detail)
    return detail


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
