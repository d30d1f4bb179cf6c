"""What must be so after every call to the store and after every step."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from doorcard.audit.verify_decisions import check_decision
from doorcard.engine.decided import Decided
from doorcard.engine.invariants import check
from doorcard.engine.table import Table, facts
from doorcard.errors import BadLog, BrokenInvariant, Refused
from doorcard.event_types import AUTHORS
from doorcard.events import (
    ChipsAdded,
    Event,
    HandEnded,
    HandStarted,
    SeatLeft,
    SeatTaken,
    TimeGiven,
)
from doorcard.fairness.deck import FairDeck
from doorcard.streams.commit import Commit
from doorcard.streams.folding import fold_commits
from doorcard.streams.log import Stored
from doorcard.streams.messages import Reply, Request
from services.answers import LOOK_BACK
from services.losses import SENDER
from services.worker import Worker
from tests.simulation.actors import Actor, WorkerProcess
from tests.simulation.awaited import Awaited
from tests.simulation.secrecy import Secrecy
from tests.simulation.trace import Violation
from tests.simulation.wounds import Wounds

if TYPE_CHECKING:
    from tests.simulation.world import World

_NOTICE: Final = re.compile(r"(wake|timer)-\d+")
_ANSWERED_UNREAD: Final = ("message/", "table/paused")
COMPARE_EVERY: Final = 16
"""One decision in so many is made again; and, where everybody is alone, one held table in so many
is compared as a whole, all others by number and chain hash."""


class Window(NamedTuple):
    """From where on a worker's answers may have been decided."""

    forgotten: int
    commits: int
    """How many commits the oracle had seen, of all tables."""


class Oracle:
    """Watches the store from outside, and folds every log by itself."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.states: defaultdict[str, list[Table]] = defaultdict(lambda: [Table()])
        """Each table after each of its commits."""
        self.causes: defaultdict[str, dict[str, int]] = defaultdict(dict[str, int])
        """Requests that are in a table's log, each with its commit."""
        self.requests: defaultdict[tuple[str, str], list[Request]] = defaultdict(list[Request])
        """What was sent, by table and id."""
        self.lost: set[tuple[str, str]] = set()
        """Requests that were accepted, and forgotten by the store."""
        self.must_notice: defaultdict[Actor, dict[str, Table]] = defaultdict(dict[str, Table])
        """Tables that a worker keeps as the store has forgotten them."""
        self.secrecy = Secrecy(world)
        self.wounds = Wounds(world)
        self.forgotten = 0
        self._windows: dict[Actor, Window] = {}
        self._awaited = Awaited(world.store)
        self._commits = 0
        self._counts: defaultdict[str, list[int]] = defaultdict(list[int])
        """How many commits there had been, of all tables, as each of a table's own came."""
        self._authors: defaultdict[str, list[Actor]] = defaultdict(list[Actor])
        """Who sent each of them first."""
        self._chips: dict[str, int] = defaultdict(int)
        self._held = 0

    def table(self, name: str) -> Table:
        """A table as its log gives it."""
        return self.states[name][-1]

    # --- what is told ----------------------------------------------------------------------------

    def sent(self, raw: bytes) -> None:
        """A message went out to a queue."""
        request = self._world.once.parse(raw)
        if isinstance(request, Request):
            known = self.requests[request.table, request.id]
            if all(request.digest != other.digest for other in known):
                known.append(request)

    def turn_begins(self, actor: WorkerProcess, worker: Worker) -> None:
        """A worker without anything unfinished begins a turn."""
        if actor not in self._windows or not (worker.stuck or worker.waiting):
            self._windows[actor] = Window(self.forgotten, self._commits)

    def gone(self, actor: WorkerProcess) -> None:
        """A worker has ended; the next one knows nothing yet."""
        self.must_notice.pop(actor, None)
        self._windows.pop(actor, None)

    def after_call(self, actor: Actor, name: str, words: Sequence[Any], answer: Any) -> None:
        """A call to the store has been carried out."""
        acting, self._world.acting = self._world.acting, None
        self._look(actor, name, words, answer)
        self._world.acting = acting

    def _look(self, actor: Actor, name: str, words: Sequence[Any], answer: Any) -> None:
        if name == "append":
            for code, _ in answer:
                self._world.trace.seen[f"append {code}"] += 1
            self.observe(actor)
            for append, (code, _) in zip(words[0], answer, strict=True):
                if code == "ok":
                    self._decided_before(actor, append.table, append.seq)
                    if append.reply is not None:
                        self._replied(actor, append.reply[1])
        elif name == "finish":
            for reply in words[0]:
                self._replied(actor, reply.raw)

    def said(self, actor: WorkerProcess, event: str, facts: dict[str, Any], why: str) -> None:
        """A worker has logged a line."""
        table = str(facts.get("table", ""))
        if event == "the store forgot commits":
            self.must_notice[actor].pop(table, None)
            left: int = facts["left"]
            if left < len(self.states[table]):
                self.wounds.noticed(self.states[table][left], facts)
        elif event == "message failed" and self._same_history(actor):
            raise Violation(f"{actor.name} failed at {table}: {why}")

    def holds(self, actor: WorkerProcess, table: Table) -> None:
        """A worker holds a table after a commit of its own."""
        if table.seq >= len(self.states[table.id]):
            if self._same_history(actor):
                raise Violation(f"{actor.name} believes in commit {table.seq} of {table.id}")
            return
        self._held += 1
        once = self._world.once
        self._compare(actor.name, table, whole=once.alone and self._held % COMPARE_EVERY == 0)
        actor.keep(once.own(table))

    def forgot(self, workers: Sequence[WorkerProcess]) -> None:
        """The store has gone back to an earlier moment."""
        self.forgotten += 1
        for name, states in self.states.items():
            log = self._world.store.logs.get(name, [])
            kept = log[-1].seq if log else 0
            if len(states) - 1 > kept:
                self.wounds.forgot(states[kept], states[-1])
                self._world.trace.seen["forgotten commits"] += len(states) - 1 - kept
            for actor in workers:
                held = actor.held(name)
                # An older worker lets go of a table that it cannot read, and of what it had seen.
                if held and held.seq > kept and self._world.remembers and not actor.is_old:
                    self.must_notice[actor][name] = held
            gone = {cause for cause, seq in self.causes[name].items() if seq > kept}
            for cause in gone:
                del self.causes[name][cause]
                self.lost.add((name, cause))
            del states[kept + 1 :], self._counts[name][kept:], self._authors[name][kept:]
            self._chips[name] = states[-1].chips_in
            hand = [
                self._world.once.decode(stored.raw)
                for stored in log
                if stored.seq >= states[-1].hand_seq
            ]
            self.secrecy.forgot(name, states[-1], hand)

    # --- the logs --------------------------------------------------------------------------------

    def observe(self, actor: Actor) -> None:
        """Look at all commits that have come."""
        for name, log in self._world.store.logs.items():
            states = self.states[name]
            if log[-1].seq == len(states) - 1:
                continue
            if log[-1].seq < len(states) - 1:
                raise Violation(f"the log of {name} has become shorter")
            for stored in log[len(states) - log[0].seq :]:
                self._commit(name, stored, states[-1])
                if self._world.releases is not None:
                    self._world.releases.check_written(actor, stored)
                self._authors[name].append(actor)
                held = self.must_notice[actor].pop(name, None)
                is_archived = held is not None and held.seq + 1 < log[0].seq
                if held is not None and not is_archived and not self._came_again(held):
                    raise Violation(f"{actor.name} builds on {name} as if nothing were forgotten")
                table = states[-1]
                if table.asked or not table.in_hand:
                    self._world.woke(name)

    def _came_again(self, held: Table) -> bool:
        """Whether what was forgotten has been decided again, and the same."""
        states = self.states[held.id]
        return held.seq < len(states) and states[held.seq].chain == held.chain

    def _commit(self, name: str, stored: Stored, before: Table) -> None:
        where = f"commit {stored.seq} of {name}"
        commit = self._world.once.decode(stored.raw)
        if stored.seq != before.seq + 1:
            raise Violation(f"{where} stands behind commit {before.seq}")
        if commit.time_ms < before.time_ms:
            raise Violation(f"{where} goes back in time by {before.time_ms - commit.time_ms} ms")
        for event in commit.events:
            if commit.role not in AUTHORS[type(event)]:
                raise Violation(f"{where}: {commit.role} appends a {type(event).__name__}")
        try:
            after = fold_commits(before, (stored,))
            check(after, commit.events)
            self._decide_again(before, commit)
        except (BadLog, BrokenInvariant) as error:
            raise Violation(f"{where}: {error}") from None
        self._world.once.folded(before, stored.raw, after)
        self._caused(name, commit, stored.seq)
        self._paid(name, before, after, commit.events)
        self.wounds.committed(before, commit, after, self.states[name][max(before.hand_seq - 1, 0)])
        self.secrecy.committed(name, after, commit, stored.raw)
        self.states[name].append(after)
        self._counts[name].append(self._commits)
        self._commits += 1
        self._count(commit)

    def _decide_again(self, before: Table, commit: Commit) -> None:
        """Showdown's and the floor's decisions, and some of the others, must be the engine's."""
        if commit.role in {"showdown", "floor"} or self._held % COMPARE_EVERY == 1:
            check_decision(before, commit, self._deck(before, commit), None)

    def _deck(self, before: Table, commit: Commit) -> FairDeck | None:
        first = commit.events[0]
        if isinstance(first, HandStarted):
            return self._world.decks.get(first.sealed_seed)
        return self._world.decks.get(before.hand.start.sealed_seed) if before.hand else None

    def _caused(self, name: str, commit: Commit, seq: int) -> None:
        if _NOTICE.fullmatch(commit.cause):
            return
        known = self.requests.get((name, commit.cause), [])
        if all(request.digest != commit.digest for request in known):
            raise Violation(f"commit {seq} of {name} answers a request that nobody sent")
        earlier = self.causes[name].get(commit.cause)
        if earlier is not None:
            raise Violation(f"request {commit.cause} is in {name} twice: {earlier} and {seq}")
        self.causes[name][commit.cause] = seq

    def _paid(self, name: str, before: Table, after: Table, events: Sequence[Event]) -> None:
        """What is on the table came from accepted requests, and goes with those who leave."""
        for event in events:
            if isinstance(event, SeatTaken | ChipsAdded):
                self._chips[name] += event.chips
            elif isinstance(event, SeatLeft):
                seat = before.seats[event.seat]
                if event.chips != seat.stack + seat.waiting:
                    raise Violation(f"seat {event.seat} of {name} leaves with {event.chips} chips")
        if after.chips_in != self._chips[name]:
            raise Violation(f"{name}: {after.chips_in} chips came in, not {self._chips[name]}")

    def _count(self, commit: Commit) -> None:
        seen = self._world.trace.seen
        seen["commits"] += 1
        for event in commit.events:
            if isinstance(event, HandEnded):
                seen["hands"] += 1
            elif isinstance(event, TimeGiven):
                seen["time given back"] += 1
        # The id of such a request is a hash of what is sealed, and that is never the same twice.
        cause = SENDER if commit.cause.startswith("lost-") else commit.cause
        self._world.trace.note(commit.time_ms, commit.role, f"commits {cause}")

    # --- the replies -----------------------------------------------------------------------------

    def _replied(self, actor: Actor, raw: bytes) -> None:
        reply = self._world.once.decode_reply(raw)
        self.secrecy.replied(reply, raw)
        if reply.ok:
            self._accepted(actor, reply)
        elif not (reply.code or "").startswith(_ANSWERED_UNREAD):
            self._refused(actor, reply)
        if not reply.ok:
            self._world.trace.seen[f"refused {reply.code}"] += 1

    def _accepted(self, actor: Actor, reply: Reply) -> None:
        seq = self.causes[reply.table].get(reply.id)
        if seq is not None and reply.seq in {seq, None}:
            return
        if (reply.table, reply.id) in self.lost or not self._same_history(actor):
            return
        if reply.seq is None and any(
            isinstance(outcome, Decided) and not outcome.events
            for outcome in self._outcomes(actor, reply)
        ):
            return
        raise Violation(f"{reply.id} is said to be in commit {reply.seq} of {reply.table}: {seq}")

    def _refused(self, actor: Actor, reply: Reply) -> None:
        if not self._same_history(actor):
            return
        seq = self.causes[reply.table].get(reply.id)
        if seq is not None and seq <= self._known(actor, reply.table):
            is_there = seq >= self._world.store.logs[reply.table][0].seq
            if is_there and len(self.states[reply.table]) - seq <= LOOK_BACK:
                raise Violation(f"{reply.id} is refused ({reply.code}), and is in commit {seq}")
            return
        outcomes = list(self._outcomes(actor, reply))
        if outcomes and all(
            not isinstance(outcome, Refused) or outcome.code != reply.code for outcome in outcomes
        ):
            raise Violation(f"{reply.id} is refused without reason: {reply.code}, {outcomes[-1]}")

    def _outcomes(self, actor: Actor, reply: Reply) -> list[Decided | Refused]:
        """What the role decides about a request, on each table that it may have decided on."""
        assert isinstance(actor, WorkerProcess)
        decider = self._world.judge(actor.role)
        states = self.states[reply.table]
        first = self._known(actor, reply.table)
        return [
            decider.decide(state, request, self._world.store_ms())
            for request in self.requests.get((reply.table, reply.id), [])
            for state in states[first:]
        ]

    def _decided_before(self, actor: Actor, table: str, seq: int) -> None:
        """Widen a worker's window where its commit was there already, from another to the byte.

        To the worker it is its own, and what it refused together with it, it refused before it.
        """
        authors, window = self._authors[table], self._windows.get(actor)
        if seq <= len(authors) and authors[seq - 1] is not actor and window is not None:
            commits = min(window.commits, self._counts[table][seq - 1])
            self._windows[actor] = window._replace(commits=commits)

    def _known(self, actor: Actor, table: str) -> int:
        """A table's last commit when a worker's window began."""
        return bisect_left(self._counts[table], self._windows[actor].commits)

    # --- after every step that may have changed something ----------------------------------------

    def after_changes(self) -> None:
        """Whoever is awaited has been told, or will be."""
        world = self._world
        self._awaited.check(self.states, world.store.paused.keys() | world.unmended)

    # --- what processes hold ---------------------------------------------------------------------

    def compare_all(self, actor: WorkerProcess) -> None:
        """Every table that a worker keeps is what its log gave at that commit."""
        for name, states in self.states.items():
            held = actor.held(name)
            if held is None:
                continue
            if held.seq >= len(states):
                if self.forgotten:
                    continue  # it has not looked since, or slept while the store forgot
                raise Violation(f"{actor.name} holds commit {held.seq} of {name}")
            self._compare(actor.name, held, whole=True)

    def _compare(self, who: str, held: Table, *, whole: bool) -> None:
        table = self.states[held.id][held.seq]
        if held.chain != table.chain:
            if self.forgotten:
                return
            raise Violation(f"{who} holds another commit {held.seq} of {held.id}")
        if whole and held is not table and facts(held) != facts(table):
            raise Violation(f"{who} holds another table at commit {held.seq} of {held.id}")

    def _same_history(self, actor: Actor) -> bool:
        """Whether nothing was forgotten since the worker's last clean beginning."""
        window = self._windows.get(actor)
        return window is None or window.forgotten == self.forgotten
