"""Which commit is at fault where a chain breaks."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from doorcard.errors import BadCommit
from doorcard.streams.codec import decode, encode_like, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.log import Stored


class Fault(NamedTuple):
    """The first commit at fault, and why."""

    seq: int
    reason: str


def chain_fault(
    stored: Stored,
    commit: Commit,
    chains: Sequence[bytes],
    before: bytes,
    behind: Sequence[Stored],
    *,
    fits: bool,
    start: int = 1,
) -> Fault:
    """Say which commit is at fault when one does not repeat the hash before it.

    A commit repeats only what it was written after, so where the one before it was changed, the
    break shows one commit late. What else is known decides.

    Args:
        stored: the commit that does not repeat the hash of what stands before it.
        commit: what it says.
        chains: the chain hash after each commit so far, from that before the first one on.
        before: the bytes of the commit before it; empty for the first.
        behind: the next commit, if there is one.
        start: the number of the first commit that there is.
        fits: whether its events are what could be decided after the commit before it.
    """
    seq, right = stored.seq, chains[-1][:PREV_BYTES]
    follows = _prev(behind[0]) if behind else None
    if follows == right:
        return Fault(seq, f"was put in or moved: commit {seq + 1} was written after {seq - 1}")
    mended = next_chain(chains[-1], encode_like(commit._replace(prev=right), stored.raw))
    if follows == mended[:PREV_BYTES] or _one_bit_apart(right, commit.prev):
        return Fault(seq, "was changed: it repeats another hash than the one before it")
    if seq == start:
        return Fault(seq, "is not the first of its log: it repeats another hash before it")
    if stored.raw == before:
        return Fault(seq, f"is a copy of commit {seq - 1}")
    numbered = enumerate(chains, start=start - 1)
    earlier = next((n for n, chain in numbered if chain.startswith(commit.prev)), None)
    if earlier is not None:
        up_to = "" if earlier + 2 == seq else f", and all up to commit {seq - 1}"
        reason = f"was put in{up_to}: commit {seq} was written after {earlier}"
        return Fault(earlier + 1, reason)
    place = flipped_byte(chains[-2], before, commit.prev)
    if place is not None:
        return Fault(seq - 1, f"was changed: a bit of its byte {place} is flipped")
    if fits:
        return Fault(
            seq - 1,
            f"was changed, or one behind it was taken out: commit {seq} was not written after it",
        )
    return Fault(seq, f"does not follow commit {seq - 1}: one was taken out, changed or moved here")


def flipped_byte(chain: bytes, raw: bytes, prev: bytes) -> int | None:
    """The place of the byte whose one flipped bit explains the hash that the next commit repeats.

    None if no single bit does.

    Args:
        chain: the chain hash before the commit.
        raw: the commit's bytes as they are now.
        prev: what the next commit repeats of the hash after it.
    """
    for place, byte in enumerate(raw):
        start = sha256(chain + raw[:place])
        rest = raw[place + 1 :]
        for bit in range(8):
            tried = start.copy()
            tried.update(bytes((byte ^ 1 << bit,)) + rest)
            if tried.digest()[:PREV_BYTES] == prev:
                return place
    return None


def _one_bit_apart(one: bytes, other: bytes) -> bool:
    return (int.from_bytes(one, "big") ^ int.from_bytes(other, "big")).bit_count() == 1


def _prev(stored: Stored) -> bytes | None:
    try:
        return decode(stored.raw).prev
    except BadCommit:
        return None
