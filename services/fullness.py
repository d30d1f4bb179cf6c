"""Whether a store takes writes, asked without writing anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from doorcard.streams.connection import Client, exchange, takes_no_writes
from doorcard.streams.keys import queue_key

NO_ID: Final = "0-0"
"""No entry can be added with it: the store says so, unless it takes no writes at all."""


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
