"""Events a second from stored bytes to a table (``doorcard bench fold``).

One core, the bytes in memory. The commits are as the workers write them, leaves and sealed cards
included; beside them the same hands without either, and PokerKit's applied operations, in turns.
"""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import Final, NamedTuple

from doorcard.bench.figures import Figure, Wish, median_ratio
from doorcard.bench.logs import Scribe
from doorcard.bench.play import POKERKIT_GAMES, draws, pokerkit_hand
from doorcard.bench.policies import POLICIES, pokerkit_uniform
from doorcard.engine.table import Table
from doorcard.streams.codec import decode
from doorcard.streams.folding import fold_commits
from doorcard.streams.log import Stored

HANDS: Final = 120
POKERKIT_HANDS: Final = 60
ROUNDS: Final = 24
EVENTS_ASKED: Final = 150_000
RATIO_ASKED: Final = 4.0
RATIO_AIM: Final = 10.0


class Written(NamedTuple):
    """A log to be folded, and what is in it."""

    stored: list[Stored]
    events: int


def measure(wish: Wish) -> list[Figure]:
    """Measure decoding and folding."""
    hands = wish.times(HANDS)
    real = _written(wish.game, hands, fair=True)
    bare = _written(wish.game, hands, fair=False)
    real_rates: list[float] = []
    bare_rates: list[float] = []
    pokerkit_rates: list[float] = []
    for number in range(wish.times(ROUNDS) + 1):
        real_rates.append(real.events / _fold_s(real))
        bare_rates.append(bare.events / _fold_s(bare))
        if wish.game in POKERKIT_GAMES:
            pokerkit_rates.append(_pokerkit_rate(wish.game, number))
    real_rates, bare_rates = real_rates[1:], bare_rates[1:]
    a_hand = real.events / hands
    figures = [
        Figure("events_per_s", "events folded", median(real_rates), "/s", EVENTS_ASKED),
        Figure("hands_per_s", "hands folded", median(real_rates) / a_hand, "/s"),
        Figure("bare_events_per_s", "without leaves and sealed cards", median(bare_rates), "/s"),
    ]
    if not pokerkit_rates:
        return [*figures, Figure("ratio", f"PokerKit has no {wish.game}", None)]
    rates = pokerkit_rates[1:]
    ratio = median_ratio(real_rates, rates)
    bare_ratio = median_ratio(bare_rates, rates)
    return [
        Figure("ratio", "ours ÷ PokerKit's operations", ratio, "times", RATIO_ASKED, RATIO_AIM),
        *figures,
        Figure("bare_ratio", "without leaves and sealed cards", bare_ratio, "times"),
        Figure("pokerkit_operations_per_s", "PokerKit's operations", median(rates), "/s"),
    ]


def _written(game: str, hands: int, *, fair: bool) -> Written:
    scribe = Scribe(game, "p00.bench", fair=fair)
    for seed in range(hands):
        scribe.play(seed, POLICIES["uniform"].ours)
    stored = scribe.stored
    return Written(stored, sum([len(decode(raw).events) for _, raw, _ in stored]))


def _fold_s(written: Written) -> float:
    start = process_time()
    fold_commits(Table(), written.stored)
    return process_time() - start


def _pokerkit_rate(game: str, number: int) -> float:
    """Operations that PokerKit applies in a second, from its own count of them."""
    play = pokerkit_hand(game)
    first = number * POKERKIT_HANDS
    prepared = [draws(seed) for seed in range(first, first + POKERKIT_HANDS)]
    operations = 0
    start = process_time()
    for draw in prepared:
        operations += len(play(pokerkit_uniform, draw).operations)
    return operations / (process_time() - start)
