"""How long the hardest hand takes to rank: nine cards, six of them wild."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import perf_counter
from typing import Final

from doorcard.bench.figures import Figure, Wish
from doorcard.cards import CARDS, Card
from doorcard.rankings import best_five, hand_key, wild_count

WILD: Final = frozenset(card for card in CARDS if card.rank in (3, 9))
"""As in baseball (G11.1)."""
WILDS: Final = 6
NATURALS: Final = 3
HANDS: Final = 200
TRIES: Final = 5
"""Each hand is timed so often and the shortest counts: the rest of the machine is not measured."""
ASKED_US: Final = 1000.0
US_PER_S: Final = 1e6


def ranking_figures(wish: Wish) -> list[Figure]:
    """Microseconds that the slowest of many hands takes: its worth, and which cards are played."""
    chance = Random(6)  # noqa: S311 - hands that can be repeated, and no secret
    hands = [_nine_cards(chance) for _ in range(wish.times(HANDS))]
    worth_us = max(_us(_rank, hand) for hand in hands)
    played_us = max(_us(_name, hand) for hand in hands)
    return [
        _slowest("wild_rank_us", "ranking 9 cards, 6 of them wild", worth_us),
        _slowest("wild_named_us", "and telling which five play", played_us),
    ]


def _slowest(key: str, label: str, value_us: float) -> Figure:
    return Figure(key, label, value_us, "µs", ASKED_US, less_is_better=True)


def _nine_cards(chance: Random) -> list[Card]:
    naturals = [card for card in CARDS if card not in WILD]
    cards = chance.sample(sorted(WILD), WILDS) + chance.sample(naturals, NATURALS)
    chance.shuffle(cards)
    return cards


def _rank(cards: list[Card]) -> None:
    hand_key("high", cards, wild=WILD)


def _name(cards: list[Card]) -> None:
    best_five("high", cards, wild=WILD)
    wild_count("high", cards, WILD)


def _us(work: Callable[[list[Card]], None], cards: list[Card]) -> float:
    taken: list[float] = []
    for _ in range(TRIES):
        start = perf_counter()
        work(cards)
        taken.append(perf_counter() - start)
    return min(taken) * US_PER_S
