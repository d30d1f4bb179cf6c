"""From a decision to the commit that is sent to the store."""

from __future__ import annotations

from typing import NamedTuple

from doorcard.engine.decided import Decided
from doorcard.engine.invariants import check
from doorcard.engine.reducer import stamp
from doorcard.engine.table import Table
from doorcard.streams.codec import encode, next_chain
from doorcard.streams.commit import Commit
from doorcard.streams.log import Append, Source, Timer
from doorcard.streams.messages import Fired, Request, Wake
from doorcard.tables import Role


class Plan(NamedTuple):
    """One commit ready to be sent, and the table after it."""

    append: Append
    table: Table


def plan_commit(
    table: Table,
    decision: Decided,
    *,
    role: Role,
    message: Wake | Fired | Request,
    source: Source | None,
    now_ms: int,
) -> Plan:
    """Encode a decision as the table's next commit.

    The decided table is stamped in place: it was made by the decider and nobody else has it.

    Raises:
        BrokenInvariant: chips or cards do not add up; nothing must be appended.
    """
    after = decision.table
    check(after, decision.events)
    time_ms = max(now_ms, table.time_ms)
    request = message if isinstance(message, Request) else None
    raw = encode(
        Commit(
            time_ms,
            role,
            _cause(message),
            request.digest if request else b"",
            table.chain[:8],
            decision.events,
        )
    )
    seq = table.seq + 1
    chain = next_chain(table.chain, raw)
    stamp(
        after,
        asked_before=table.decision,
        seq=seq,
        chain=chain,
        time_ms=time_ms,
        cause=_cause(message),
    )
    asked = after.awaited == "betting"
    was_asked = table.awaited == "betting"
    append = Append(
        table=after.id,
        seq=seq,
        before=table.chain,
        chain=chain,
        raw=raw,
        role=role,
        time_ms=time_ms,
        hand_seq=after.hand_seq,
        wake=_wake(table, after, role),
        timer=Timer(after.decision, after.deadline_ms) if asked else None,
        old_timer=table.decision if was_asked else None,
        source=source,
    )
    return Plan(append, after)


def _cause(message: Wake | Fired | Request) -> str:
    if isinstance(message, Request):
        return message.id
    if isinstance(message, Fired):
        return f"timer-{message.decision}"
    return f"wake-{message.seq}"


def _wake(before: Table, after: Table, role: Role) -> Role | None:
    """The role to be woken: a seat that is asked needs no waking, unless its player is absent."""
    awaited = after.awaited
    if awaited == "betting":
        return "betting" if after.deadline_ms <= after.time_ms else None
    if role == "floor" and awaited == before.awaited:
        return None  # woken before, by the commit that made it due
    return awaited
