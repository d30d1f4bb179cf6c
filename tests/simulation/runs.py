"""One run from its seed: faults for a while, then quiet, in which all must come to an end."""

from __future__ import annotations

import gc
import logging
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Final
from unittest.mock import patch

from doorcard.audit.verify import verify_table
from doorcard.engine.table import facts
from doorcard.streams import complaints
from doorcard.streams.commit import ROLES
from doorcard.streams.folding import rebuild
from tests.simulation.archives import archive_all
from tests.simulation.once import REBUILD_EVERY
from tests.simulation.players import Players
from tests.simulation.profiles import profile_of
from tests.simulation.trace import Trace, Violation
from tests.simulation.world import RING, Parts, World

HANDS: Final = 12
"""Hands that a run plays before it comes to its end, unless something keeps it from that; or"""
HANDS_A_TABLE: Final = 6
"""so many for each of its tables, if that is more."""
STEPS_MAX: Final = 5_000
"""Steps with faults."""
TROUBLED_MS_MAX: Final = 20 * 60_000
"""Time with faults."""
QUIET_STEPS_MAX: Final = 20_000
QUIET_MS_MAX: Final = 30 * 60_000
"""Once faults have stopped, all hands end and all is answered within this time. A hand may have
sixty decisions, and nobody there who makes them."""
ARCHIVE_EVERY: Final = 10
"""In one run of so many, whatever may be archived is archived at its end."""
GARBAGE: Final = (500_000, 20, 50)
"""The collector's pace: a world is taken apart as its run ends, and nothing else is to be found."""

# Players' programs say what the store forgot, which is the order of the day here.
logging.getLogger("doorcard.client").addHandler(logging.NullHandler())


@dataclass
class Result:
    """What came of a run."""

    seed: int
    profile: str
    digest: str = ""
    """A hash over all that happened, if it was asked for."""
    steps: int = 0
    problem: str = ""
    """What was violated; empty if nothing was."""
    last: list[str] = field(default_factory=list[str])
    """The last steps of the trace."""
    faults: Counter[str] = field(default_factory=Counter[str])
    seen: Counter[str] = field(default_factory=Counter[str])

    def story(self) -> str:
        """A failed run for whoever has to look into it."""
        replay = f"make simulate SEEDS=1 FROM={self.seed} PROFILE={self.profile}"
        return "\n".join([*self.last, "", self.problem, f"Again: {replay}"])


def run(
    seed: int,
    profile: str = "swarm",
    *,
    parts: Callable[[], Parts] = Parts,
    hands: int = HANDS,
    hashed: bool = False,
) -> Result:
    """Simulate one seed."""
    result = Result(seed, profile)
    trace, world = Trace(), None
    pace = gc.get_threshold()
    gc.set_threshold(*GARBAGE)
    try:
        world = World(seed, profile_of(profile, seed), parts())
        trace = world.trace
        with patch.object(complaints, "monotonic", world.seconds):
            _run(world, hands)
    except Violation as violation:
        result.problem = f"seed {seed}: {violation}"
    except Exception:  # noqa: BLE001 - a run that cannot be made is a finding as well
        result.problem = f"seed {seed}: {traceback.format_exc()}"
    finally:
        if world is not None:
            world.end()
        gc.set_threshold(*pace)
    result.digest = trace.digest if hashed else ""
    result.steps, result.last = trace.steps, trace.last
    result.faults, result.seen = trace.faults, trace.seen
    return result


def _run(world: World, hands: int) -> None:
    with world.once.shared():
        _troubled(world, max(hands, HANDS_A_TABLE * len(world.players)))
        _quiet(world)
    with world.releases.shared() if world.releases is not None else nullcontext():
        _finished(world)


def _troubled(world: World, hands: int) -> None:
    until_ms = world.now_ms + TROUBLED_MS_MAX
    for _ in range(STEPS_MAX):
        world.step()
        if world.trace.seen["hands"] >= hands or world.now_ms >= until_ms:
            return


def _quiet(world: World) -> None:
    """Everybody goes home: the hands in progress are played to their end."""
    world.calm = world.ending = True
    world.saboteur.lift()
    if world.releases is not None:
        world.releases.end()
    for worker in world.workers:
        worker.poke()
    until_ms = world.now_ms + QUIET_MS_MAX + 2 * abs(world.store_off_ms)
    for _ in range(QUIET_STEPS_MAX):
        world.step()
        if all(players.done for players in world.players) and _is_empty(world):
            return
        if world.now_ms > until_ms:
            break
    waiting = [
        f"{players.table_id} at {world.oracle.table(players.table_id).seq} awaits "
        f"{world.oracle.table(players.table_id).awaited}, unanswered {[*players.unanswered]}"
        for players in world.players
    ]
    raise Violation("it comes to no end: " + "; ".join(waiting))


def _remembered(world: World, players: Players) -> None:
    """What players were told, and what they saw, is what the log says."""
    name, oracle = players.table_id, world.oracle
    sees, table = world.sees(name), oracle.table(name)
    if sees is not table and facts(sees) != facts(table):
        raise Violation(f"the players of {name} see another table than its log gives")
    for request, seq in players.accepted.items():
        if oracle.causes[name].get(request) != seq and (name, request) not in oracle.lost:
            raise Violation(f"{request} was granted in commit {seq} of {name}, and is not there")


def _is_empty(world: World) -> bool:
    return not any(
        world.store.unfinished(role, name) for role in ROLES for name in world.partitions
    )


def _finished(world: World) -> None:
    """All chips have left the tables, and all that is left says the same."""
    log = Parts().log(world.store)
    if world.archives.used and world.seed % ARCHIVE_EVERY == 0:
        archive_all(world)
    for players in world.players:
        table = world.oracle.table(players.table_id)
        if not table.closed or table.seats or table.chips_in != table.chips_out + table.rake:
            raise Violation(f"{table.id} is not closed, or chips are left")
        _remembered(world, players)
        if world.seed % REBUILD_EVERY == 0 and facts(rebuild(log, table.id)) != facts(table):
            raise Violation(f"table {table.id} was changed after it was folded")
        if world.once.alone:
            report = verify_table(log, table.id, ring=RING)
            if report.problem is not None:
                raise Violation(f"the audit says: {report.problem}")
    for worker in world.workers:
        world.oracle.compare_all(worker)
