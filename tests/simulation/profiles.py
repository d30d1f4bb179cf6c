"""Which faults a run may meet, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

AT_A_CALL: Final[Mapping[str, float]] = {
    "death": 0.005,
    "resent": 0.014,
    "cut": 0.008,
    "partial": 0.005,
    "interleave": 0.04,
    "sleep": 0.0026,
    "wait": 0.006,
    "reorder": 0.03,
}
"""Faults that meet one call to the store, with their share of the calls.

``death``: the process dies before or after the call. ``resent``: the reply is lost, and the client
library sends again by itself. ``cut``: the connection breaks before or after the write, and stays
broken for the library's patience. ``partial``: only the first part of a pipeline arrives.
``interleave``: others take a few steps meanwhile. ``sleep``: the process sleeps past its claim time
and wakes, still holding its batch. ``wait``: some messages of an answer come only much later.
``reorder``: they come in another order.
"""
AT_A_STEP: Final[Mapping[str, float]] = {
    "repeat": 0.01,
    "clock": 0.002,
    "forget": 0.0007,
    "full": 0.0015,
    "group": 0.001,
    "derived": 0.001,
    "staff": 0.002,
    "upgrade": 0.003,
    "archive": 0.002,
}
"""Faults that come between two steps, with their share of the steps.

``repeat``: an old message comes again. ``clock``: the clock of a machine or of the store jumps.
``forget``: the store goes back to an earlier moment, with everything in it. ``full``: it takes no
writes for a while. ``group``: a consumer group is lost. ``derived``: timers, the feed, or
the notes of when a clock wrote are lost.
``staff``: a worker is added, or leaves in good order. ``upgrade``: some workers are of an older
release, and one more is upgraded, or told to write another format. ``archive``: old hands are
moved out of the store, which is no fault by itself.
"""
FAULTS: Final[tuple[str, ...]] = (*AT_A_CALL, *AT_A_STEP)
PROFILES: Final = ("swarm", "everything", "storm", "calm", *FAULTS)


@dataclass(frozen=True)
class Profile:
    """The faults of a run by their rates, and how its players behave."""

    rates: Mapping[str, float] = field(default_factory=dict[str, float])
    nonsense: float = 0.0
    """Share of the players' turns in which they send what makes no sense, or comes late."""


def profile_of(name: str, seed: int) -> Profile:
    """A profile by its name: ``calm``, ``everything``, ``storm`` (everything, four times as often),
    ``swarm`` (each seed another mixture), or the names of some faults, as ``archive+forget``, which
    then come more often.

    Raises:
        KeyError: there is no such profile.
    """
    if name == "calm":
        return Profile()
    if name == "everything":
        return Profile({**AT_A_CALL, **AT_A_STEP}, nonsense=0.1)
    if name == "storm":
        return Profile({name: 4 * rate for name, rate in {**AT_A_CALL, **AT_A_STEP}.items()}, 0.1)
    if name == "swarm":
        return _swarm(Random(f"profile {seed}"))
    rates = {**AT_A_CALL, **AT_A_STEP}
    return Profile({one: min(4 * rates[one], 0.1) for one in name.split("+")}, nonsense=0.05)


def _swarm(chance: Random) -> Profile:
    """Some faults and not the others, some often: what one fault hides, another run shows."""
    rates = {**AT_A_CALL, **AT_A_STEP}
    names = [name for name in FAULTS if chance.random() < 0.5]
    return Profile(
        {name: rates[name] * chance.choice((0.5, 1, 1, 3)) for name in names},
        nonsense=chance.choice((0.0, 0.05, 0.2)),
    )
