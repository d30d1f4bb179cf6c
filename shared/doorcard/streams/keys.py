"""The names of all keys in Redis, and the partitions that they spread over.

A table's id begins with its partition (``p03.x4f1``). All keys of one partition carry one hash
tag in braces, so that a Redis Cluster keeps them on one node and one call may touch them all.
"""

from __future__ import annotations

import re
from binascii import crc_hqx
from functools import lru_cache
from itertools import count
from sys import intern
from typing import Final

from doorcard.errors import BadInput
from doorcard.tables import Role

SLOTS: Final = 16_384
"""Hash slots of a Redis Cluster."""
SLOTS_OFF_MAX: Final = 8
"""How far above its wanted slot a partition's tag may lie."""
PARTITIONS_MAX: Final = SLOTS
GROUP: Final = "workers"
"""The one consumer group of every queue."""
CONSUMER: Final = "w"
"""The one member that messages are read as, by all workers: no list is kept of who has what."""

_PARTITION: Final = re.compile(r"p([0-9]{2}|[1-9][0-9]{2,4})")
_TABLE: Final = re.compile(r"(p[0-9]{2,5})\.[A-Za-z0-9_-]{1,64}")
_SENDER: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_QUEUE: Final = re.compile(r"dc:\{((p[0-9]{2,5})-[0-9a-f]+)\}:q:(floor|dealer|betting|showdown)")
_TIMER: Final = re.compile(r"(.+)\|(act|card)")
_TIMER_KINDS: Final[dict[Role, str]] = {"betting": "act", "dealer": "card"}
"""What the timer of a decision is called that this role decides."""
_TIMER_ROLES: Final[dict[str, Role]] = {kind: role for role, kind in _TIMER_KINDS.items()}


def partition_names(number: int) -> tuple[str, ...]:
    """The first partitions by name: ``p00``, ``p01`` … More of them only ever adds names."""
    if not 1 <= number <= PARTITIONS_MAX:
        raise BadInput(f"there are 1 to {PARTITIONS_MAX} partitions, not {number}")
    return tuple(f"p{index:02d}" for index in range(number))


def is_table_id(text: str) -> bool:
    """Whether a text can be a table's id."""
    return _partition_in(text) is not None


def is_sender(text: str) -> bool:
    """Whether a text can name the stream that somebody's replies go to."""
    return _SENDER.fullmatch(text) is not None


def partition_of(table: str) -> str:
    """The partition that a table's id names. Raises ``BadInput`` if it is no table id."""
    partition = _partition_in(table)
    if partition is None:
        raise BadInput(f"{table!r:.80} is no table id; they look like p03.x4f1")
    return partition


def tag_of(table: str) -> str:
    """The hash tag of a table's keys."""
    return tag_of_partition(partition_of(table))


@lru_cache(maxsize=PARTITIONS_MAX)
def tag_of_partition(partition: str) -> str:
    """The hash tag of a partition, the same for ever, however many partitions there are.

    The first 2, 4, 8 … partitions cut the slots into equal parts: partition *i* lies where the
    bits of *i*, read backwards as a binary fraction, say. A suffix is searched that brings the
    tag there, because tags that are merely numbered fall unevenly on equal ranges of slots.
    """
    if _PARTITION.fullmatch(partition) is None or int(partition[1:]) >= PARTITIONS_MAX:
        raise BadInput(f"{partition!r:.80} is no partition; they are called p00, p01 …")
    index = int(partition[1:])
    wanted = int(f"{index:014b}"[::-1], 2)
    for attempt in count():
        tag = f"{partition}-{attempt:x}"
        if 0 <= slot_of(tag) - wanted < SLOTS_OFF_MAX:
            return tag
    raise AssertionError("every slot is reached by some suffix")


def slot_of(tag: str) -> int:
    """The cluster's hash slot of a tag: CRC16 (XMODEM) over it."""
    return crc_hqx(tag.encode(), 0) % SLOTS


def log_key(table: str) -> str:
    """Stream: the table's commits, the only truth."""
    return f"dc:{{{tag_of(table)}}}:log:{table}"


def queue_key(role: Role, partition: str) -> str:
    """Stream: messages that a role has to handle."""
    return f"dc:{{{tag_of_partition(partition)}}}:q:{role}"


@lru_cache(maxsize=4 * PARTITIONS_MAX)
def read_queue_key(key: str) -> tuple[str, str] | None:
    """(role, partition) of a queue's key; None if it is not the key of a queue."""
    found = _QUEUE.fullmatch(key)
    if found is None or _PARTITION.fullmatch(found[2]) is None:
        return None
    return (found[3], found[2]) if found[1] == tag_of_partition(found[2]) else None


def partition_of_queue(key: str) -> str:
    """The partition that a queue belongs to. Raises ``BadInput`` if the key is no queue's."""
    found = read_queue_key(key)
    if found is None:
        raise BadInput(f"{key!r} is no queue")
    return found[1]


def timers_key(partition: str) -> str:
    """Sorted set: one member a table and role whose timer runs, by its deadline in ms."""
    return f"dc:{{{tag_of_partition(partition)}}}:timers"


def writes_key(partition: str) -> str:
    """Hash: when a clock last wrote here, and for how long none could, lately."""
    return f"dc:{{{tag_of_partition(partition)}}}:writes"


def feed_key(partition: str) -> str:
    """Capped stream: (table, seq) of every commit."""
    return f"dc:{{{tag_of_partition(partition)}}}:feed"


def paused_key(partition: str) -> str:
    """Hash: tables that only the floor may commit to, each with the reason."""
    return f"dc:{{{tag_of_partition(partition)}}}:paused"


def given_key(queue: str) -> str:
    """Hash beside a queue: what was handed out again, how often and when."""
    return f"{queue}:given"


def dead_key(partition: str) -> str:
    """Stream: messages that nobody could handle."""
    return f"dc:{{{tag_of_partition(partition)}}}:dead"


def tables_key(partition: str) -> str:
    """Set: the ids of the partition's tables."""
    return f"dc:{{{tag_of_partition(partition)}}}:tables"


@lru_cache(maxsize=4 * PARTITIONS_MAX)
def reply_key(partition: str, sender: str) -> str:
    """Capped stream: answers to one sender's requests about a partition's tables."""
    if not is_sender(sender):
        raise BadInput(f"{sender!r:.80} is no sender's name")
    return f"dc:{{{tag_of_partition(partition)}}}:r:{sender}"


LOG_PATTERN: Final = "dc:{*}:log:*"
"""Every log's key, for SCAN."""


def table_of_log(key: str) -> str | None:
    """The table whose log has this key; None if it is not the key of a log."""
    table = key.rpartition(":")[2]
    return table if is_table_id(table) and log_key(table) == key else None


TABLES_PATTERN: Final = "dc:{*}:tables"
"""The keys of all partitions' lists of tables, for SCAN."""


def partition_of_tables(key: str) -> str | None:
    """The partition whose list of tables has this key; None if it is not the key of one."""
    partition = key.partition("{")[2].partition("-")[0]
    if _PARTITION.fullmatch(partition) is None or int(partition[1:]) >= PARTITIONS_MAX:
        return None
    return partition if tables_key(partition) == key else None


TIMER_ROLES: Final[tuple[Role, ...]] = tuple(_TIMER_KINDS)
"""The roles that decide what seats are asked."""


def timer_member(table: str, role: Role = "betting") -> str:
    """How the timer of a table, for one of ``TIMER_ROLES``, is called in the sorted set."""
    return f"{table}|{_TIMER_KINDS[role]}"


def read_timer(member: str) -> tuple[str, Role] | None:
    """(table, role) of a timer; None for a kind that this program does not know."""
    found = _TIMER.fullmatch(member)
    return (found[1], _TIMER_ROLES[found[2]]) if found else None


@lru_cache(maxsize=16_384)
def _partition_in(text: str) -> str | None:
    found = _TABLE.fullmatch(text)
    if found is None or _PARTITION.fullmatch(found[1]) is None:
        return None
    return intern(found[1]) if int(found[1][1:]) < PARTITIONS_MAX else None
