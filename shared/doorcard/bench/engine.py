"""Hands a second of the engine alone, beside PokerKit's (``doorcard bench engine``).

Both engines play the same numbered hands on one core, in turns, so that what slows the machine
slows both. Ours deals from ready decks and checks its invariants after every commit, as the
workers do. PokerKit shuffles for itself, about one part in a hundred of its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from time import process_time
from typing import Final, NamedTuple

from doorcard.bench.fair import fair_figures
from doorcard.bench.figures import Figure, Wish, median_ratio
from doorcard.bench.play import (
    POKERKIT_GAMES,
    PokerKitHand,
    draws,
    play_hand,
    pokerkit_hand,
    ready_deck,
    running_table,
)
from doorcard.bench.policies import POLICIES
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


def measure(wish: Wish) -> list[Figure]:
    """Measure the engine under both policies, and apart from it what fairness costs."""
    table = running_table(wish.game)
    pokerkit = pokerkit_hand(wish.game) if wish.game in POKERKIT_GAMES else None
    figures: list[Figure] = []
    ratios: list[float] = []
    for policy, hands in HANDS.items():
        rounds = _play_rounds(table, pokerkit, policy, wish.times(ROUNDS))
        rate = hands / median(rounds.ours_s)
        figures.append(Figure(f"hands_per_s_{policy}", f"{policy}: hands", rate, "/s"))
        if pokerkit is not None:
            ratios.append(median_ratio(rounds.pokerkits_s, rounds.ours_s))
            figures += _beside(policy, hands / median(rounds.pokerkits_s), ratios[-1])
    lowest = min(ratios, default=None)
    label = f"PokerKit has no {wish.game}" if lowest is None else "ours ÷ PokerKit's, the lower"
    return [
        Figure("ratio", label, lowest, "times", RATIO_ASKED, RATIO_AIM),
        *figures,
        *fair_figures(wish),
    ]


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


def _play_rounds(table: Table, pokerkit: PokerKitHand | None, policy: str, rounds: int) -> Rounds:
    """Both engines in turns, each round with hands of its own; the first only warms them up."""
    timed = Rounds([], [])
    hands = HANDS[policy]
    for number in range(rounds + 1):
        seeds = range(number * hands, (number + 1) * hands)
        timed.ours_s.append(_ours_s(table, policy, seeds))
        if pokerkit is not None:
            timed.pokerkits_s.append(_pokerkits_s(pokerkit, policy, seeds))
    return Rounds(timed.ours_s[1:], timed.pokerkits_s[1:])


def _ours_s(table: Table, policy: str, seeds: Sequence[int]) -> float:
    choose = POLICIES[policy].ours
    prepared = [(ready_deck(seed), draws(seed)) for seed in seeds]
    start = process_time()
    for deck, draw in prepared:
        play_hand(table, deck, choose, draw)
    return process_time() - start


def _pokerkits_s(pokerkit: PokerKitHand, policy: str, seeds: Sequence[int]) -> float:
    choose = POLICIES[policy].pokerkits
    prepared = [draws(seed) for seed in seeds]
    start = process_time()
    for draw in prepared:
        pokerkit(choose, draw)
    return process_time() - start
