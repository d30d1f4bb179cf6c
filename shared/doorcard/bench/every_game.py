"""What each game deals of the hands that our seven-card stud deals in the same time."""

from __future__ import annotations

from statistics import median
from typing import Final

from doorcard.bench.figures import Figure, Wish, median_ratio
from doorcard.bench.play import hands_s, running_table
from doorcard.bench.policies import POLICIES
from doorcard.engine.table import Table
from doorcard.games import GAMES

EVERY_GAME: Final = "all"
"""What is wished for in place of one game."""
STUD: Final = "seven_card_stud"
SHARE_ASKED: Final = 1 / 3
"""No game is slower than a third of seven-card stud."""
ROUNDS: Final = 16
HANDS: Final = 30
"""Hands in one round of each policy."""


def every_game_figures(wish: Wish) -> list[Figure]:
    """Measure every game: one row each, its lower share under the two policies.

    Beside its name stand its hands a second under each.
    """
    stud = running_table(STUD)
    return [_share(game, stud, wish.times(ROUNDS)) for game in GAMES]


def _share(game: str, stud: Table, rounds: int) -> Figure:
    table = running_table(game)
    shares: list[float] = []
    rates: list[str] = []
    for policy in POLICIES:
        ours_s, studs_s = _play_rounds(table, stud, policy, rounds)
        shares.append(median_ratio(studs_s, ours_s))
        rates.append(f"{HANDS / median(ours_s):,.0f}")
    label = f"{game} ({', '.join(rates)} /s)"
    return Figure(game, label, min(shares), "times", SHARE_ASKED)


def _play_rounds(
    table: Table, stud: Table, policy: str, rounds: int
) -> tuple[list[float], list[float]]:
    """Both games in turns, each round with hands of its own; the first only warms them up."""
    ours_s: list[float] = []
    studs_s: list[float] = []
    choose = POLICIES[policy].ours
    for number in range(rounds + 1):
        seeds = range(number * HANDS, (number + 1) * HANDS)
        ours_s.append(hands_s(table, choose, seeds))
        studs_s.append(hands_s(stud, choose, seeds))
    return ours_s[1:], studs_s[1:]
