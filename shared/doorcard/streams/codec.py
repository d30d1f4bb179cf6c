"""Commits as bytes: msgpack arrays whose tags and positions stay as they are for ever.

``[format, time_ms, role, cause, digest, prev, [[tag, field, …], …]]``. Cards are their numbers.
Fields that stand at the end of a record and have their default are left out, so a field that is
appended later costs old logs nothing; a default therefore never changes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Final, NoReturn

import msgpack

from doorcard.errors import BadCommit, NeedsFormat
from doorcard.event_types import EVENT_TYPES, TAGS
from doorcard.events import Event
from doorcard.streams.commit import PREV_BYTES, ROLE_NUMBERS, ROLES, Commit
from doorcard.streams.shapes import Reader, Row, Writer, make_reader, make_writer
from doorcard.streams.upcast import FORMAT, WRITTEN, lift_commit, lower_commit

__all__ = ["FORMAT", "WRITTEN", "decode", "encode", "encode_like", "next_chain"]


def encode(commit: Commit, written: int = WRITTEN) -> bytes:
    """The bytes of a commit. Types are not checked here: ``decode`` refuses what is no commit.

    Args:
        written: the format that they shall have.

    Raises:
        BadInput: this program does not write that format.
        NeedsFormat: the commit says something that the format has no form for.
    """
    time_ms, role, cause, digest, prev, events = commit
    rows: list[Row] = []
    for event in events:
        cls = type(event)
        write = _WRITERS[cls]
        rows.append((TAGS[cls], *event) if write is None else (TAGS[cls], *write(event)))
    row: Row = (FORMAT, time_ms, ROLE_NUMBERS[role], cause, digest, prev, rows)
    if written != FORMAT:
        row = lower_commit(row, written)
    packed: bytes = msgpack.packb(row)
    return packed


def decode(raw: bytes) -> Commit:
    """The commit that some bytes hold, lifted from an older format where needed.

    Every field has its type afterwards; what a value means is the fold's and the audit's affair.

    Raises:
        BadCommit: the bytes are no commit. Says why, in one sentence part that fits behind
            "commit 7 cannot be read: ".
        NewerFormat: a newer version wrote it.
    """
    row: Row | None = None
    try:
        row = _unpack(raw)
        if type(row) is not tuple or type(row[0]) is not int or row[0] != FORMAT:
            row = lift_commit(row)
        _, time_ms, role, cause, digest, prev, rows = row
        if (
            type(time_ms) is not int
            or type(role) is not int
            or not 0 <= role < len(ROLES)
            or type(cause) is not str
            or type(digest) is not bytes
            or type(prev) is not bytes
            or len(prev) != PREV_BYTES
            or rows.__class__ is not tuple  # the same test; a type checker would forget the items
            or not rows
        ):
            _malformed()
        if len(rows) == 1:  # most commits; a comprehension is a call of its own
            (event,) = rows
            events = (_READERS[event[0]](event),)
        else:
            events = tuple([_READERS[event[0]](event) for event in rows])
    except BadCommit:
        raise
    except msgpack.ExtraData:
        raise BadCommit("bytes follow after its end") from None
    except Exception as error:  # five kinds from the package, and any from a wrong shape
        problem = "its bytes are not msgpack" if row is None else "it has the wrong shape"
        raise BadCommit(f"{problem} ({type(error).__name__})") from error
    return _new(Commit, (time_ms, ROLES[role], cause, digest, prev, events))


def encode_like(commit: Commit, raw: bytes) -> bytes:
    """The bytes of a commit in the format of others, which ``decode`` reads.

    Empty if that format has no form for it.
    """
    written: int = _unpack(raw)[0]
    try:
        return encode(commit, written)
    except NeedsFormat:
        return b""


def next_chain(chain: bytes, raw: bytes) -> bytes:
    """The chain hash after a commit: SHA-256 over the hash before it and the commit's bytes."""
    return sha256(chain + raw).digest()


def _malformed() -> NoReturn:
    raise BadCommit("its time, role, cause, digest, previous hash or list of events is malformed")


class _Readers(dict[int, Reader]):
    """Readers by tag."""

    def __missing__(self, tag: object) -> Reader:
        raise BadCommit(f"no event has the tag {tag!r:.20}: it was written by a newer version")


_new: Final = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
"""Skips the keyword handling of a record's own constructor: one is made for every commit."""
_unpack: Final[Callable[[bytes], Row]] = partial(msgpack.unpackb, use_list=False)
_READERS: Final = _Readers((tag, make_reader(cls, tagged=True)) for tag, cls in EVENT_TYPES.items())
_WRITERS: Final[dict[type[Event], Writer | None]] = {cls: make_writer(cls) for cls in TAGS}
