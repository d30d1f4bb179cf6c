"""Which tables a run has: every game, structure, number of seats and house rule in some seed."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Final

from doorcard.commands import OpenTable
from doorcard.engine.floor import open_table
from doorcard.engine.ruleset import ruleset
from doorcard.errors import Refused
from doorcard.games import GAMES
from doorcard.tables import GameSpec
from tests.games.random_hands import STRUCTURES, random_spec

TABLES: Final = (1, 2, 4, 4)
SEATS_MAX: Final = 6
MIXED: Final = 0.3


def openings(chance: Random, partitions: tuple[str, ...]) -> list[tuple[str, OpenTable]]:
    """The tables of a run, each with the command that opens it."""
    return [
        (f"{chance.choice(partitions)}.t{number}", _opening(chance))
        for number in range(chance.choice(TABLES))
    ]


def _opening(chance: Random) -> OpenTable:
    """One game, or sometimes a mix of several, where the house rules allow it."""
    opening = _one_game(chance)
    if chance.random() < MIXED:
        others = [_one_game(chance) for _ in range(chance.randint(1, 2))]
        mixed = replace(
            opening,
            others=tuple(GameSpec(one.game, one.variant, one.limits, one.house) for one in others),
            seats=min(one.seats or SEATS_MAX for one in (opening, *others)),
            change=chance.choice(("hands", "orbit", "call")),
        )
        if not isinstance(open_table("p00.mixed", mixed), Refused):
            return mixed
    return opening


def _one_game(chance: Random) -> OpenTable:
    spec = random_spec(chance.choice(sorted(GAMES)), chance.choice(STRUCTURES), chance)
    seats = chance.choice((2, 3, 4, chance.randint(2, SEATS_MAX)))
    return OpenTable(
        spec.game,
        spec.limits,
        spec.variant,
        spec.house,
        min(seats, ruleset(spec).seats_max),
        action_ms=chance.choice((2_000, 5_000, 10_000)),
    )
