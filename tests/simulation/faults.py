"""Faults at calls to the store: a proxy round an adapter, and the chance that decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast

from redis.exceptions import ConnectionError as CutError
from redis.exceptions import ResponseError

from doorcard.streams.delivery import Delivery, full
from doorcard.streams.log import Outcome
from tests.simulation.profiles import AT_A_CALL

if TYPE_CHECKING:
    from tests.simulation.actors import Actor
    from tests.simulation.world import World

READS_OF_LOGS: Final = frozenset(
    {"head", "read", "read_many", "read_back", "tables", "paused", "now_ms"}
)
READS_OF_QUEUES: Final = frozenset({"replies", "feed", "feed_end", "dead", "length"})
WRITES: Final = frozenset({"append", "finish", "ack", "fire", "fire_many", "bury", "resume"})
"""Methods after which somebody may wait for what nobody will do."""
WATCHED: Final = frozenset({"append", "finish"})
"""Methods of which the oracle wants to know what went out."""
PIPELINES: Final = frozenset({"append", "send_many", "fire_many", "finish"})
"""Methods whose first argument goes out piece by piece."""
HANDS_OUT: Final = frozenset({"read", "claim"})
DEPTH_MAX: Final = 2
"""How many processes may sleep inside of a call at the same time."""


class Killed(BaseException):
    """SIGKILL: nothing in a process may catch it."""


class Faulty:
    """One process's way to one half of the store."""

    def __init__(self, adapter: Any, half: str, actor: Actor, chaos: Chaos) -> None:
        self._adapter = adapter
        self._half = half
        self._actor = actor
        self._chaos = chaos

    def __getattr__(self, name: str) -> Any:
        call = self._chaos.calls(self._actor, self._half, name, getattr(self._adapter, name))
        self.__dict__[name] = call
        return call


class Chaos:
    """Decides which call meets which fault."""

    def __init__(self, world: World, rates: dict[str, float], chance: Random) -> None:
        self._world = world
        self._chance = chance
        self._names = [name for name in AT_A_CALL if rates.get(name)]
        self._weights = [rates[name] for name in self._names]
        self._share = sum(self._weights)
        self.full = ""
        """What the store says as long as it takes no writes."""
        self.seen: list[tuple[str, bytes]] = []
        """(queue, message) of what was handed out lately."""

    def calls(self, actor: Actor, half: str, name: str, method: Callable[..., Any]) -> Any:
        """A method of an adapter, with whatever goes wrong when it is called."""
        world = self._world
        reads = name in (READS_OF_LOGS if half == "log" else READS_OF_QUEUES)
        writes, watched = name in WRITES, name in WATCHED
        hands_out = half == "queues" and name in HANDS_OUT
        note, random, share = world.trace.note, self._chance.random, self._share

        def call(*words: Any, **options: Any) -> Any:
            note(world.now_ms, actor.name, name)
            if random() < share and not world.calm:
                fault = self._chance.choices(self._names, self._weights)[0]
                return self._go_wrong(fault, actor, half, name, partial(go, options), words)
            answer = go(options, *words) if writes or self.full else method(*words, **options)
            if hands_out and answer:
                self._remember(answer)
            return answer

        def go(options: dict[str, Any], *words: Any) -> Any:
            if self.full and not reads:
                answer = self._answer(name, method, words, options)
            else:
                answer = method(*words, **options)
            if writes:
                world.store.touched = True
                if watched:
                    world.oracle.after_call(actor, name, words, answer)
            return answer

        return call

    def _answer(
        self,
        name: str,
        method: Callable[..., Any],
        words: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        """What a full store answers to what is no mere reading."""
        self._world.trace.seen["refused for being full"] += 1
        if name == "append":
            return [Outcome("full", self.full) for _ in words[0]]
        if name == "send":
            return full()
        if name == "send_many":
            return [full() for _ in words[0]]
        if self.full.startswith("OOM") and name in {"read", "claim", "hold", "ack", "trim"}:
            return method(*words, **options)
        if self.full.startswith("OOM") and name == "finish":
            return method([], *words[1:])
        raise ResponseError(self.full)

    def _go_wrong(
        self,
        fault: str,
        actor: Actor,
        half: str,
        name: str,
        go: Callable[..., Any],
        words: tuple[Any, ...],
    ) -> Any:
        chance, world = self._chance, self._world
        if fault == "partial" and not (name in PIPELINES and len(words[0]) > 1):
            fault = "cut"
        if fault in {"wait", "reorder"} and not (half == "queues" and name in HANDS_OUT):
            fault = "interleave"
        if fault == "death" and not actor.mortal:
            fault = "cut"
        if fault in {"interleave", "sleep"} and world.depth >= DEPTH_MAX:
            return go(*words)
        if fault in {"wait", "reorder"}:
            return self._disorder(fault, actor, go(*words))
        before = chance.random() < 0.5
        world.trace.fault(
            world.now_ms, actor.name, fault, f"{'before' if before else 'after'} {name}"
        )
        if fault == "partial":
            return self._partial(actor, name, go, words)
        if fault == "resent":
            go(*words)
            return go(*words)
        if before:
            self._strike(fault, actor)
            return go(*words)
        answer = go(*words)
        self._strike(fault, actor)
        return answer

    def _strike(self, fault: str, actor: Actor) -> None:
        world, chance = self._world, self._chance
        if fault == "death":
            raise Killed
        if fault == "cut":
            raise CutError("the connection is cut")
        if fault == "interleave":
            world.meanwhile(0, chance.randint(1, 4))
            return
        world.meanwhile(world.settings.claim_idle_ms + chance.randint(100, 5_000), 300)
        if actor.mortal and chance.random() < 0.1:
            raise Killed

    def _partial(
        self, actor: Actor, name: str, go: Callable[..., Any], words: tuple[Any, ...]
    ) -> Any:
        """The store gets the first part of a pipeline; then all of it again, or nothing."""
        first = words[0]
        rest: tuple[Any, ...] = words[1:]
        if name == "finish":  # its other half follows later
            rest = ([],)
        go(first[: self._chance.randint(1, len(first) - 1)], *rest)
        what = self._chance.choice(("again", "cut", "death"))
        if what == "again":
            return go(*words)
        if what == "death" and actor.mortal:
            raise Killed
        raise CutError("the connection is cut")

    def _disorder(self, fault: str, actor: Actor, answer: list[Delivery]) -> list[Delivery]:
        """Messages that were handed out come in another order, or only by being claimed."""
        self._remember(answer)
        if not answer or (fault == "reorder" and len(answer) < 2):
            return answer
        chance, world = self._chance, self._world
        world.trace.fault(world.now_ms, actor.name, fault, f"{len(answer)} messages")
        count = len(answer) if fault == "reorder" else chance.randint(0, len(answer) - 1)
        places = chance.sample(range(len(answer)), count)
        return [answer[place] for place in (places if fault == "reorder" else sorted(places))]

    def _remember(self, answer: Sequence[Delivery]) -> None:
        self.seen += [(delivery.queue, delivery.raw) for delivery in answer]
        if len(self.seen) > 100:
            del self.seen[:-50]


def faulty(adapter: object, half: str, actor: Actor, chaos: Chaos) -> Any:
    """An adapter as one process has it."""
    return cast("Any", Faulty(adapter, half, actor, chaos))
