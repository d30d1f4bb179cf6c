"""Whether a store and its streams take writes, asked without writing anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from doorcard.streams.commit import ROLES
from doorcard.streams.connection import Client, exchange, takes_no_writes
from doorcard.streams.keys import feed_key, queue_key
from doorcard.streams.understood import understands

NO_ID: Final = "0-0"
"""No entry can be added with it: the store says so, unless it takes no writes at all."""
LAST_ID: Final = b"18446744073709551615-18446744073709551615"
"""Behind an entry with it nothing can be added."""


def why_full(client: Client, partitions: Sequence[str]) -> str:
    """What the store says about taking no writes; empty where it takes them.

    Raises:
        RedisError: as the client raises it.
    """
    tries = [("XADD", queue_key("floor", name), NO_ID, "m", "") for name in partitions]
    for answer in exchange(client, tries):
        if isinstance(answer, Exception) and takes_no_writes(answer):
            return str(answer)
    return ""


@understands
def used_up(client: Client, partitions: Sequence[str]) -> list[str]:
    """The queues and feeds that can take nothing more, as somebody used up their ids.

    Those that are not there, or that this user may not look at, are left out.
    """
    keys = [queue_key(role, name) for name in partitions for role in ROLES]
    keys += [feed_key(name) for name in partitions]
    answers = exchange(client, [("XINFO", "STREAM", key) for key in keys])
    return [
        key
        for key, facts in zip(keys, answers, strict=True)
        if not isinstance(facts, Exception)
        and facts[facts.index(b"last-generated-id") + 1] == LAST_ID
    ]
