"""What must be so after any evening, however it went."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from doorcard.audit.verify import verify_table
from doorcard.engine.table import Table
from doorcard.events import HandEnded, HandStarted, HandVoided
from doorcard.streams.codec import decode
from doorcard.streams.folding import rebuild
from tests.chaos.players import Players
from tests.chaos.site import Site
from tests.services.shops import ROLES

_NOTICE: Final = re.compile(r"(wake|timer)-\d+|lost-[0-9a-f]{16}")
"""What no player sends: workers wake each other, and ask the floor to void what is lost."""
FATAL: Final = ("ended by an error", "cannot work")


class Verdict(NamedTuple):
    """What was played, and what is lost."""

    hands: int
    voided: int
    commits: int
    accepted: int
    lost: tuple[tuple[str, str], ...]
    """Requests that were answered ok, and that no log holds."""


def judge(site: Site, room: Players, *, forgot: bool = False, buried: bool = False) -> Verdict:
    """Let everybody go home, and look at every table from its first commit to its last.

    Args:
        forgot: the store went back to an earlier moment, which the published heads do not know.
        buried: messages were meant to fail.
    """
    site.heal()
    room.going_home = True
    site.play_until(
        room, lambda: room.over, lambda: f"hands that never end: {standing(site, room)}"
    )
    site.play_until(room, lambda: not waiting(site), lambda: f"unfinished: {waiting(site)}")
    site.play(room, 0.1)
    assert site.log.paused() == {}
    assert [site.queues.dead(name) for name in site.partitions] == [[], []]
    assert [event for event in FATAL if site.said(event)] == []
    if not buried:
        for event in ("message failed", "message buried, table paused"):
            found = site.said(event)
            assert found == [], str(found[:3])
    hands = voided = commits = 0
    answered: dict[tuple[str, str], int] = {}
    for name in room.tables:
        report = verify_table(site.log, name, ring=site.ring, heads=None if forgot else site.heads)
        assert report.problem is None, str(report.problem)
        ended = _conserved(site, room, name)
        hands, voided = hands + report.hands, voided + report.hands - ended
        commits += report.commits
        answered |= _answered(site, room, name)
    lost = tuple(
        (accepted.table, accepted.request_id)
        for accepted in room.witness.accepted
        if accepted.seq is not None
        and answered.get((accepted.table, accepted.request_id)) != accepted.seq
    )
    return Verdict(hands, voided, commits, len(room.witness.accepted), lost)


def standing(site: Site, room: Players, others: Iterable[str] = ()) -> list[str]:
    """Tables that are still open, and whom they wait for, as players and log have it."""
    return [
        f"{name}: players see {_where(table)}, the log says {_where(rebuild(site.log, name))}"
        for name, table in room.tables.items()
        if not table.closed and name not in others
    ]


def waiting(site: Site) -> dict[str, int]:
    """Messages that nobody has finished, by role and partition."""
    lengths = {
        f"{role} {name}": site.queues.length(role, name)
        for role in ROLES
        for name in site.partitions
    }
    return {name: length for name, length in lengths.items() if length}


def _where(table: Table) -> str:
    return f"{table.seq} awaiting {table.awaited} {table.asked}, decision {table.decision}"


def _conserved(site: Site, room: Players, name: str) -> int:
    """Every hand began and ended once, and all chips went out; how many were played out."""
    commits = [decode(stored.raw) for stored in site.log.read(name)]
    late = [commit.cause for commit in commits if commit.cause.startswith("timer-")]
    assert not late, f"{name}: somebody had to wait for {late[0]}"
    events = [event for commit in commits for event in commit.events]
    begun = sum(isinstance(event, HandStarted) for event in events)
    ended = sum(isinstance(event, HandEnded) for event in events)
    voided = sum(isinstance(event, HandVoided) for event in events)
    assert begun == ended + voided, f"{name}: {begun} hands began, {ended} + {voided} ended"
    table = room.tables[name]
    assert table.chips_in == table.chips_out + table.rake, f"{name}: chips in are not chips out"
    return ended


def _answered(site: Site, room: Players, name: str) -> dict[tuple[str, str], int]:
    """Each request of a table's log with its commit: it was sent, and it is there once."""
    found: dict[tuple[str, str], int] = {}
    for seq, raw, _ in site.log.read(name):
        cause = decode(raw).cause
        if _NOTICE.fullmatch(cause):
            continue
        assert (name, cause) in room.witness.sent, f"{name}: nobody sent {cause}"
        assert (name, cause) not in found, f"{name}: {cause} was done twice"
        found[name, cause] = seq
    return found
