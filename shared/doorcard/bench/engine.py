"""Hands a second of the engine alone, beside PokerKit's and our stud's (``doorcard bench engine``).

All play the same numbered hands on one core, in turns, so that what slows the machine slows all
of them. Ours deals from ready decks and checks its invariants after every commit, as the workers
do. PokerKit shuffles for itself, about one part in a hundred of its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from time import process_time
from typing import Final, NamedTuple

from doorcard.bench.every_game import EVERY_GAME, SHARE_ASKED, STUD, every_game_figures
from doorcard.bench.fair import fair_figures
from doorcard.bench.figures import Figure, Wish, median_ratio
from doorcard.bench.play import (
    POKERKIT_GAMES,
    PokerKitHand,
    draws,
    hands_s,
    only_bets,
    pokerkit_hand,
    running_table,
)
from doorcard.bench.policies import POLICIES
from doorcard.bench.ranking import ranking_figures
from doorcard.engine.table import Table

ROUNDS: Final = 24
HANDS: Final = {"uniform": 60, "calling": 30}
"""Hands in one round of each policy."""
RATIO_ASKED: Final = 6.0
RATIO_AIM: Final = 10.0


class Rounds(NamedTuple):
    """Seconds that each round of hands took."""

    ours_s: list[float]
    pokerkits_s: list[float]
    studs_s: list[float]


def measure(wish: Wish) -> list[Figure]:
    """Measure the engine under both policies, and apart from it what fairness costs.

    For ``all`` games, what each deals of the hands that seven-card stud deals in the same time.
    """
    if wish.game == EVERY_GAME:
        return [*every_game_figures(wish), *ranking_figures(wish)]
    table = running_table(wish.game)
    pokerkit = pokerkit_hand(wish.game) if wish.game in POKERKIT_GAMES else None
    stud = None if wish.game == STUD else running_table(STUD)
    figures: list[Figure] = []
    ratios: list[float] = []
    for policy, hands in HANDS.items():
        rounds = _play_rounds(table, pokerkit, stud, policy, wish.times(ROUNDS))
        rate = hands / median(rounds.ours_s)
        figures.append(Figure(f"hands_per_s_{policy}", f"{policy}: hands", rate, "/s"))
        if stud is not None:
            figures.append(_beside_stud(policy, rounds))
        if pokerkit is not None:
            ratios.append(median_ratio(rounds.pokerkits_s, rounds.ours_s))
            figures += _beside(policy, hands / median(rounds.pokerkits_s), ratios[-1])
    lowest = min(ratios, default=None)
    label = f"PokerKit has no {wish.game}" if lowest is None else "ours ÷ PokerKit's, the lower"
    return [
        Figure("ratio", label, lowest, "times", RATIO_ASKED, RATIO_AIM),
        *figures,
        *ranking_figures(wish),
        *(fair_figures(wish) if only_bets(wish.game) else ()),
    ]


def _beside_stud(policy: str, rounds: Rounds) -> Figure:
    return Figure(
        f"share_of_stud_{policy}",
        f"{policy}: ÷ our seven-card stud's",
        median_ratio(rounds.studs_s, rounds.ours_s),
        "times",
        SHARE_ASKED,
    )


def _beside(policy: str, rate: float, ratio: float) -> list[Figure]:
    return [
        Figure(f"pokerkit_hands_per_s_{policy}", f"{policy}: PokerKit's hands", rate, "/s"),
        Figure(
            f"ratio_{policy}",
            f"{policy}: ours ÷ PokerKit's",
            ratio,
            "times",
            RATIO_ASKED,
            RATIO_AIM,
        ),
    ]


def _play_rounds(
    table: Table, pokerkit: PokerKitHand | None, stud: Table | None, policy: str, rounds: int
) -> Rounds:
    """All in turns, each round with hands of its own; the first only warms them up."""
    timed = Rounds([], [], [])
    hands = HANDS[policy]
    choose = POLICIES[policy].ours
    for number in range(rounds + 1):
        seeds = range(number * hands, (number + 1) * hands)
        timed.ours_s.append(hands_s(table, choose, seeds))
        if pokerkit is not None:
            timed.pokerkits_s.append(_pokerkits_s(pokerkit, policy, seeds))
        if stud is not None:
            timed.studs_s.append(hands_s(stud, choose, seeds))
    return Rounds(timed.ours_s[1:], timed.pokerkits_s[1:], timed.studs_s[1:])


def _pokerkits_s(pokerkit: PokerKitHand, policy: str, seeds: Sequence[int]) -> float:
    choose = POLICIES[policy].pokerkits
    prepared = [draws(seed) for seed in seeds]
    start = process_time()
    for draw in prepared:
        pokerkit(choose, draw)
    return process_time() - start
