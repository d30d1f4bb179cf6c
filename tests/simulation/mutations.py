"""Deliberate bugs, each a small change of one part, to show that the simulation can fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from doorcard.engine.decided import Decided, decided
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import Dealt, Event, PotAwarded, SeatLeft
from doorcard.fairness.deck import FairDeck
from doorcard.streams.delivery import Delivery, Outgoing, Settled
from doorcard.streams.keys import partition_of, timer_member
from doorcard.streams.log import Append, Outcome, Stored
from doorcard.streams.memory_log import MemoryLog
from doorcard.streams.messages import Request
from doorcard.tables import Role
from services.decider import Decider
from services.deciders import DeckKeeper
from services.jobs import Message
from services.losses import Voids
from services.worker import Worker
from tests.newer import NEWEST
from tests.simulation.actors import Actor, MachineClock
from tests.simulation.careless import NeverSyncs, RemovesTooMuch, TrimsFirst
from tests.simulation.store import SimulatedQueues, SimulatedStore
from tests.simulation.world import Parts, decider_of

# --- workers -------------------------------------------------------------------------------------


class AcknowledgesFirst(Worker):
    """Acknowledges messages before their commits are in."""

    def _commit(self, planned: Any) -> Any:
        self._queues.finish([], [job.delivery for job, _ in planned])
        return super()._commit(planned)


class RepliesFirst(Worker):
    """Answers requests before their commits are in."""

    def _commit(self, planned: Any) -> Any:
        for job, plan in planned:
            self._reply(job, plan.append.seq)
        self._outbox.send()
        return super()._commit(planned)


class NeverClaims(Worker):
    """Leaves to themselves the messages of those who died."""

    def claim(self) -> int:
        return 0


class RefusesFromMemory(Worker):
    """Refuses on the table that it has, without looking whether it has changed."""

    def _moved_on(self, name: str, decided_on: Table, unsettled: set[str]) -> bool:
        del decided_on
        return name in unsettled


class ForgetsRequests(Worker):
    """Does not look whether a request was granted before."""

    def _knows(self, table: Table, request: Request, planned: Any) -> bool:
        del table, request, planned
        return False


class SaysNothing(Worker):
    """Goes on from what is left when the store forgot commits, without a word."""

    def __init__(self, *words: Any, **options: Any) -> None:
        muted: Any = (*words[:-1], _Mute(words[-1]))
        super().__init__(*muted, **options)


class VoidsTheNext(Worker):
    """Asks for whichever hand is in force to be voided, though it began after the loss."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        policy = _policy_of(self)
        if policy is not None:
            policy._is_begun_since = _never


class AsksNobody(Worker):
    """Says that a hand which was cut short will be void, and does not ask for it."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        policy = _policy_of(self)
        if policy is not None:
            policy._queues = _Deaf()


def _policy_of(worker: Worker) -> Any:
    """What a worker does about losses, if it voids hands."""
    cache: Any = worker._cache  # pyright: ignore[reportPrivateUsage]
    policy: Any = cache._after_loss
    return policy if isinstance(policy, Voids) else None


def _never(*_: object) -> bool:
    return False


class _Deaf:
    def send(self, *_: Any) -> str:
        return ""


class CountsWhatItLeaves(Worker):
    """Leaves to others what only they can read, and counts that as a delivery."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        unfinished: Any = self._unfinished
        leave = unfinished.leave

        def count_and_leave(delivery: Delivery, problem: Any) -> Any:
            return leave(delivery._replace(count=delivery.count + 1), problem)

        unfinished.leave = count_and_leave


class TakesNewerForBroken(Worker):
    """Takes what only newer workers can read for something that is broken."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        unfinished: Any = self._unfinished
        unfinished.leave = _never


class WritesTheNewest(Worker):
    """Writes the newest format that it knows, whatever it was told."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self.written = NEWEST


class _Mute:
    def __init__(self, logger: Any) -> None:
        self._logger = logger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._logger, name)

    def error(self, event: str, **facts: object) -> None:
        if event != "the store forgot commits":
            self._logger.error(event, **facts)


# --- logs ----------------------------------------------------------------------------------------


class ChecksNoVersion(MemoryLog):
    """Appends whatever the log ends with."""

    def _refused(self, append: Append, newest: Stored) -> Outcome | None:
        outcome = super()._refused(append, newest)
        return None if outcome is not None and outcome.code == "conflict" else outcome


class ChecksNumbersOnly(MemoryLog):
    """Appends what has the next number, whatever it was decided on."""

    def _refused(self, append: Append, newest: Stored) -> Outcome | None:
        outcome = super()._refused(append, newest)
        fits = append.seq == newest.seq + 1
        return None if outcome is not None and outcome.code == "conflict" and fits else outcome


class WritesBeforeItChecks(MemoryLog):
    """Sets the timer of a commit that is then refused."""

    def _refused(self, append: Append, newest: Stored) -> Outcome | None:
        if append.timer is not None:
            deadline_ms, role = append.timer
            timers = self.store.timers[partition_of(append.table)]
            timers[timer_member(append.table, role)] = deadline_ms
        return super()._refused(append, newest)


class ForgetsWakes(MemoryLog):
    """Wakes nobody after a showdown."""

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        return super().append(
            [one._replace(wake=None) if one.role == "showdown" else one for one in appends]
        )


class KeepsTimers(MemoryLog):
    """Leaves a timer running when nobody is asked any more."""

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        return super().append([one._replace(ended=None) for one in appends])


class AppendsTwice(MemoryLog):
    """Does not recognise its own commit when it comes again, and takes it for a new one."""

    def _append(self, append: Append) -> Outcome:
        log = self.store.logs.get(append.table, [])
        if log and log[-1].raw == append.raw:
            self._write(append)
        return super()._append(append)


# --- queues --------------------------------------------------------------------------------------


class LosesTimers(SimulatedQueues):
    """Takes timers that ran out from their set, and tells nobody."""

    def fire(self, partition: str, count: int) -> int:
        timers = self._store.timers[partition]
        due = [name for name, at_ms in timers.items() if at_ms <= self._store.clock_ms()]
        for name in due[:count]:
            del timers[name]
        return len(due[:count])


class LosesRefused(SimulatedQueues):
    """Deletes handled messages, and forgets the replies."""

    def finish(self, replies: Sequence[Outgoing], handled: Sequence[Delivery]) -> None:
        super().finish(replies[:0], handled)


class SetsNoTimer(SimulatedQueues):
    """Does not set a timer again that came before its time."""

    def settle(self, delivery: Delivery, settled: Settled) -> bool:
        return super().settle(delivery, settled._replace(timer=None))


class StubbornClock(MachineClock):
    """Never asks the store again."""

    def compare(self) -> None:
        """It knows better."""


class LosesEarlyTimers(Parts):
    """A timer is put away that comes before its time by the clock of this machine."""

    def queues(self, store: SimulatedStore) -> SimulatedQueues:
        return SetsNoTimer(store)

    def clock(self, log: Any, actor: Actor) -> MachineClock:
        return StubbornClock(log, actor)


# --- deciders ------------------------------------------------------------------------------------

Spoil = Callable[[Event, DeckKeeper], Event]


class Spoiled:
    """A decider whose events are changed afterwards."""

    def __init__(self, decider: Decider, keeper: DeckKeeper, spoil: Spoil) -> None:
        self._decider = decider
        self._keeper = keeper
        self._spoil = spoil

    @property
    def role(self) -> Role:
        return self._decider.role

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        decision = self._decider.decide(table, message, now_ms)
        if isinstance(decision, Refused) or not decision.events:
            return decision
        events = [self._spoil(event, self._keeper) for event in decision.events]
        return decision if tuple(events) == decision.events else decided(table, events)


def odd_chip_astray(event: Event, _: DeckKeeper) -> Event:
    """The odd chip of a split pot goes to another of the winners."""
    if not isinstance(event, PotAwarded) or len(event.shares) < 2:
        return event
    (seat, part, chips), (other, other_part, more), *rest = event.shares
    if not chips:
        return event
    return event._replace(shares=((seat, part, chips - 1), (other, other_part, more + 1), *rest))


def pays_twice(event: Event, _: DeckKeeper) -> Event:
    """Who leaves is paid twice."""
    return event._replace(chips=2 * event.chips) if isinstance(event, SeatLeft) else event


def seals_nothing(event: Event, keeper: DeckKeeper) -> Event:
    """Face-down cards go out as they are, with the salts that their owners would be sent."""
    if not isinstance(event, Dealt) or not event.down:
        return event
    deck = FairDeck([*keeper._seeds.values()][-1])  # pyright: ignore[reportPrivateUsage]
    return event._replace(sealed=tuple((seat, deck.salts[place]) for seat, place in event.down))


# --- the table of them ---------------------------------------------------------------------------


class Mutation(NamedTuple):
    """A deliberate bug, and faults under which it shows."""

    name: str
    parts: Callable[[], Parts]
    profile: str = "everything"


def _worker(kind: type[Worker]) -> Callable[[], Parts]:
    class Mutated(Parts):
        worker = kind

    return Mutated


def _log(kind: type[MemoryLog]) -> Callable[[], Parts]:
    class Mutated(Parts):
        def log(self, store: SimulatedStore) -> MemoryLog:
            return kind(store)

    return Mutated


def _queues(kind: type[SimulatedQueues]) -> Callable[[], Parts]:
    class Mutated(Parts):
        def queues(self, store: SimulatedStore) -> SimulatedQueues:
            return kind(store)

    return Mutated


def _decider(spoil: Spoil) -> Callable[[], Parts]:
    class Mutated(Parts):
        def decider(self, role: Role, keeper: DeckKeeper) -> Decider:
            return Spoiled(decider_of(role, keeper), keeper, spoil)

    return Mutated


MUTATIONS: Final[tuple[Mutation, ...]] = (
    Mutation("acknowledge before append", _worker(AcknowledgesFirst), "death"),
    Mutation("reply before append", _worker(RepliesFirst)),
    Mutation("no claim", _worker(NeverClaims), "death"),
    Mutation("refuse on a stale cache", _worker(RefusesFromMemory)),
    Mutation("a granted request is not recognised", _worker(ForgetsRequests)),
    Mutation("a lost suffix is silently built upon", _worker(SaysNothing), "forget"),
    Mutation("a loss voids the next hand", _worker(VoidsTheNext), "forget"),
    Mutation("a hand that was cut short is not voided", _worker(AsksNobody), "forget"),
    Mutation("a delivery left for its format counts", _worker(CountsWhatItLeaves), "upgrade"),
    Mutation("a newer format is taken for an error", _worker(TakesNewerForBroken), "upgrade"),
    Mutation("a format is written that nobody asked for", _worker(WritesTheNewest), "upgrade"),
    Mutation("an early timer is put away", LosesEarlyTimers, "clock"),
    Mutation("no version check", _log(ChecksNoVersion)),
    Mutation("a version check without the chain", _log(ChecksNumbersOnly), "storm"),
    Mutation("write before the check", _log(WritesBeforeItChecks)),
    Mutation("a wake-up is forgotten", _log(ForgetsWakes), "calm"),
    Mutation("a timer is not removed", _log(KeepsTimers), "calm"),
    Mutation("a repeated commit is appended again", _log(AppendsTwice), "resent"),
    Mutation("a timer is never fired", _queues(LosesTimers), "calm"),
    Mutation("one hand too many is trimmed", RemovesTooMuch, "archive"),
    Mutation("trimmed before it is synced", NeverSyncs, "storm"),
    Mutation("trimmed before it is written", TrimsFirst, "archive"),
    Mutation("replies are lost", _queues(LosesRefused), "calm"),
    Mutation("odd chip to the wrong seat", _decider(odd_chip_astray), "calm"),
    Mutation("a leaver is paid twice", _decider(pays_twice), "calm"),
    Mutation("face-down cards in plain text", _decider(seals_nothing), "calm"),
)
