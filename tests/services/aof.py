"""Reading an append-only file: everything that a server was ever told."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgpack

from doorcard.streams.log import Stored


def commands(data: Path) -> Iterator[list[bytes]]:
    """Every command in the file, in order."""
    (path,) = (data / "store/appendonlydir").glob("*.incr.aof")
    raw = path.read_bytes()
    place = 0
    while place < len(raw):
        words: list[bytes] = []
        end = raw.index(b"\r\n", place)
        count, place = int(raw[place + 1 : end]), end + 2
        for _ in range(count):
            end = raw.index(b"\r\n", place)
            length, place = int(raw[place + 1 : end]), end + 2
            words.append(raw[place : place + length])
            place += length + 2
        yield words


@cache
def logs(data: Path) -> dict[str, list[Stored]]:
    """Every commit that was ever appended, by table."""
    found: dict[str, list[Stored]] = {}
    for words in commands(data):
        if words[0] == b"XADD" and b":log:" in words[1]:
            table = words[1].rpartition(b":")[2].decode()
            seq = int(words[2].partition(b"-")[0])
            found.setdefault(table, []).append(Stored(seq, words[4]))
    return found


def texts(data: Path) -> Iterator[str]:
    """Every text that was ever written anywhere, also inside of messages, replies and commits."""
    for words in commands(data):
        if words[0] == b"FUNCTION":
            continue
        is_commit = words[0] == b"XADD" and b":log:" in words[1]
        for word in words[:5] if is_commit else words:  # behind it stands a part of a hash
            try:
                yield word.decode()
            except UnicodeDecodeError:
                yield from _texts_in(_unpacked(word))


def _unpacked(word: bytes) -> Any:
    try:
        return msgpack.unpackb(word, strict_map_key=False)
    except Exception:  # noqa: BLE001 - a hash, or cipher text
        return None


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts_in(list(cast("Any", value).items()))
    elif isinstance(value, list | tuple):
        for part in cast("list[Any]", value):
            yield from _texts_in(part)
