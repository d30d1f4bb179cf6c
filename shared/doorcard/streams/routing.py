"""Which slot of a cluster a command belongs to, and which node holds which slots."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from doorcard.errors import StoreError
from doorcard.streams.connection import Word
from doorcard.streams.keys import slot_of

Address = tuple[str, int]
"""Host and port of a node."""

ANYWHERE: Final = frozenset({"PING", "TIME"})
"""Commands that any node answers for all."""
BARRIER: Final = "WAIT"
"""The command that is about what was sent before it, so that each node has its own."""
_COUNTED_KEYS: Final = frozenset({"FCALL", "FCALL_RO", "EVAL", "EVALSHA"})
_STREAM_LISTS: Final = frozenset({"XREAD", "XREADGROUP"})
_KEY_THIRD: Final = frozenset({"XGROUP", "XINFO", "MEMORY", "OBJECT"})
_OF_ONE_NODE: Final = frozenset({
    "ACL", "CLIENT", "CLUSTER", "CONFIG", "DBSIZE", "FLUSHALL", "FLUSHDB", "FUNCTION", "INFO",
    "KEYS", "LATENCY", "SCAN", "SCRIPT", "SHUTDOWN", "SLOWLOG",
})  # fmt: skip


def slot_of_command(words: Sequence[Word]) -> int | None:
    """The slot of a command's first key; None if any node may answer it.

    Raises:
        StoreError: the command is about one node, which a client of all cannot choose.
    """
    name = str(words[0])
    if name in _COUNTED_KEYS and int(words[2]):
        return slot_of_key(words[3])
    if name in ANYWHERE:
        return None
    if name in _STREAM_LISTS:
        return slot_of_key(words[words.index("STREAMS") + 1])
    if name in _KEY_THIRD:
        return slot_of_key(words[2])
    if name in _OF_ONE_NODE or len(words) < 2 or name in _COUNTED_KEYS:
        raise StoreError(f"{name} is about one node of a cluster: send it to each primary")
    return slot_of_key(words[1])


@lru_cache(maxsize=16_384)
def slot_of_key(key: Word) -> int:
    """The slot of a key: of the part in braces, where there is one, and it is not empty."""
    text = key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else str(key)
    opened = text.find("{")
    closed = text.find("}", opened + 1) if opened >= 0 else -1
    return slot_of(text[opened + 1 : closed] if closed > opened + 1 else text)


def owners_of_slots(answer: Any, asked: Address) -> dict[int, Address]:
    """The primary of each slot that has one, from what CLUSTER SLOTS answers.

    Args:
        asked: the node that answered, whose host is meant where none is named.
    """
    owners: dict[int, Address] = {}
    for first, last, primary, *_ in answer:
        address = (_host(primary[0]) or asked[0], int(primary[1]))
        owners.update(dict.fromkeys(range(first, last + 1), address))
    return owners


def _host(name: bytes | str | None) -> str:
    text = name.decode() if isinstance(name, bytes) else name or ""
    return "" if text == "?" else text
