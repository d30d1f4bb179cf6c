"""From a decision to the commit that is sent to the store."""

from __future__ import annotations

from typing import NamedTuple

from doorcard.engine.decided import Decided
from doorcard.engine.invariants import check
from doorcard.engine.reducer import stamp
from doorcard.engine.table import Table
from doorcard.errors import NeedsFormat, Refused
from doorcard.streams.codec import encode, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.delivery import Delivery
from doorcard.streams.log import Append, Source, Timer
from doorcard.streams.messages import Request, encode_reply
from doorcard.tables import Role
from services.answers import reply_to
from services.jobs import Message, cause_of


class Plan(NamedTuple):
    """One commit ready to be sent, and the table after it."""

    append: Append
    table: Table
    cause: str


def plan_commit(
    table: Table,
    decision: Decided,
    role: Role,
    message: Message,
    delivery: Delivery,
    now_ms: int,
    written: int,
    *,
    answered: bool = True,
) -> Plan | Refused:
    """Encode a decision as the table's next commit, in the format that is to be written.

    The decided table is stamped in place: it was made by the decider and nobody else has it. A
    request whose decision that format has no form for is refused.

    Args:
        answered: who asked for it is told by the commit itself.

    Raises:
        BrokenInvariant: chips or cards do not add up; nothing must be appended.
        NeedsFormat: nobody asked for what the format has no form for.
    """
    after = decision.table
    check(after, decision.events)
    before, cause = table.chain, cause_of(message)
    time_ms = max(now_ms, table.time_ms)
    request = message if isinstance(message, Request) else None
    digest = b"" if request is None else request.digest
    commit = Commit(time_ms, role, cause, digest, before[:PREV_BYTES], decision.events)
    try:
        raw = encode(commit, written)
    except NeedsFormat as error:
        if request is None:
            raise
        return Refused("message/needs_format", f"The service does not write that yet: {error}.")
    seq, chain = table.seq + 1, next_chain(before, raw)
    stamp(after, asked_before=table.decision, seq=seq, chain=chain, time_ms=time_ms, cause=cause)
    asked = after.asked
    timed = after.awaited if asked else None
    append = Append(
        after.id,
        seq,
        before,
        chain,
        raw,
        role,
        now_ms,
        _wake(table, after, role, asked=bool(asked)),
        None if timed is None else Timer(after.deadline_ms, timed),
        _ended(table, after, timed),
        Source(delivery.queue, delivery.id),
        _reply(request, seq) if answered and request is not None else None,
    )
    return Plan(append, after, cause)


def _reply(request: Request, seq: int) -> tuple[str, bytes]:
    return request.sender, encode_reply(reply_to(request, seq))


def _ended(before: Table, after: Table, timed: Role | None) -> Role | None:
    """The role whose timer stops.

    While a street is dealt it runs on, as the next decision will most likely want it: to stop and
    start it at every street is two writes. Should it run out before, its message comes to nothing.
    """
    hand = after.hand
    if not before.asked or (hand is not None and hand.phase == "deal"):
        return None
    ended = before.awaited
    return None if ended == timed else ended


def _wake(before: Table, after: Table, role: Role, *, asked: bool) -> Role | None:
    """The role to be woken: a seat that is asked needs no waking, unless its player is absent."""
    awaited = after.awaited
    if asked:
        due = after.deadline_ms <= after.time_ms or after.absent
        return awaited if due else None
    if role == "floor" and awaited == before.awaited and not before.asked:
        return None  # woken before, by the commit that made it due
    return awaited
