"""What fairness costs a hand besides the engine: its deck, its leaves, its sealing."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Final

from doorcard.bench.figures import Figure, Wish
from doorcard.bench.logs import Scribe, bench_ring
from doorcard.bench.play import ready_deck, seed_of
from doorcard.bench.policies import calling
from doorcard.engine.table import Table
from doorcard.events import Dealt
from doorcard.fairness.dealing import seal_dealt, seal_seed
from doorcard.fairness.deck import FairDeck, leaves
from doorcard.fairness.seed import new_seed
from doorcard.streams.codec import decode

HANDS: Final = 40
US_PER_S: Final = 1e6


def fair_figures(wish: Wish) -> list[Figure]:
    """Microseconds a hand for seed, deck and leaves, and for sealing, under ``calling``."""
    hands = range(wish.times(HANDS))
    ring = bench_ring()
    scribe = Scribe(wish.game, "p00.bench", fair=True)
    deck_us = [_us(_fair_deck) for _ in hands]
    sealing_us: list[float] = []
    for seed in hands:
        scribe.play(seed, calling, seal=False)
        table, deck = scribe.table, ready_deck(seed)
        dealt = _dealt(scribe)

        def seal(
            seed: int = seed,
            table: Table = table,
            deck: FairDeck = deck,
            dealt: list[Dealt] = dealt,
        ) -> None:
            seal_seed(seed_of(seed), ring, table.id, table.hands, table.seq, table.chain)
            for event in dealt:
                seal_dealt(event, table, deck, table.seq, table.chain, table.hands)

        sealing_us.append(_us(seal))
    return [
        Figure("fair_deck_us", "seed, deck and leaves of a hand", median(deck_us), "µs"),
        Figure("sealing_us", "sealing of a hand's seed and downcards", median(sealing_us), "µs"),
    ]


def _fair_deck() -> None:
    leaves(FairDeck(new_seed()))


def _dealt(scribe: Scribe) -> list[Dealt]:
    """The deals of what the scribe has written since it was last asked."""
    commits = [decode(append.raw) for append in scribe.drain()]
    return [event for commit in commits for event in commit.events if isinstance(event, Dealt)]


def _us(work: Callable[[], None]) -> float:
    start = process_time()
    work()
    return (process_time() - start) * US_PER_S
