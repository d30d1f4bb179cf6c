"""All 133,784,560 seven-card hands, by rank pattern and flush, each pattern ranked once (K10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb, prod

from doorcard.cards import CARDS, Card
from doorcard.rankings import Key, ace_to_five_key, eight_or_better_key, high_key

HANDS = 133_784_560
SUITS = range(4)


def rank_patterns() -> Iterator[tuple[Sequence[int], Counter[int]]]:
    """Every way to hold seven ranks, no rank more than four times."""
    for ranks in combinations_with_replacement(range(13), 7):
        counts = Counter(ranks)
        if max(counts.values()) <= 4:
            yield ranks, counts


def without_a_flush(ranks: Sequence[int]) -> list[Card]:
    """Hand the suits out in turn, so that no suit has more than two cards."""
    return [CARDS[4 * rank + place % 4] for place, rank in enumerate(ranks)]


def ways(counts: Counter[int]) -> int:
    return prod(comb(4, count) for count in counts.values())


def ways_with_a_flush(counts: Counter[int]) -> int:
    """Five or more of one suit; two suits cannot both have five."""
    by_length = [1]
    for count in counts.values():
        others, one = comb(3, count), comb(3, count - 1)
        longer = [0, *(one * number for number in by_length)]
        by_length = [
            more + others * number for more, number in zip(longer, [*by_length, 0], strict=True)
        ]
    return 4 * sum(by_length[5:])


def flushes() -> Iterator[tuple[list[Card], int]]:
    """Every set of five to seven spades with the fewest other cards, and how many hands hold it."""
    others = [card for card in CARDS if card.suit == 0]
    spades = [card for card in CARDS if card.suit == 3]
    for count in (5, 6, 7):
        for held in combinations(spades, count):
            yield [*held, *others[: 7 - count]], 4 * comb(39, 7 - count)


def test_high_hands() -> None:
    counts: Counter[int] = Counter()
    royal = 0
    for ranks, pattern in rank_patterns():
        counts[high_key(without_a_flush(ranks))[0]] += ways(pattern) - ways_with_a_flush(pattern)
    for cards, hands in flushes():
        key = high_key(cards)
        counts[key[0]] += hands
        royal += hands * (key == (8, 14))
    assert counts == {
        0: 23_294_460,
        1: 58_627_800,
        2: 31_433_400,
        3: 6_461_620,
        4: 6_180_020,
        5: 4_047_644,
        6: 3_473_184,
        7: 224_848,
        8: 41_584,
    }
    assert royal == 4_324
    assert sum(counts.values()) == HANDS


def test_razz_hands() -> None:
    counts: Counter[tuple[int, int]] = Counter()
    for ranks, pattern in rank_patterns():
        key: Key = ace_to_five_key(without_a_flush(ranks))
        counts[key[0], key[1] if key[0] == 0 else 0] += ways(pattern)
    assert counts == {
        (0, 5): 781_824,
        (0, 6): 3_151_360,
        (0, 7): 7_426_560,
        (0, 8): 13_171_200,
        (0, 9): 19_174_400,
        (0, 10): 23_675_904,
        (0, 11): 24_837_120,
        (0, 12): 21_457_920,
        (0, 13): 13_939_200,
        (1, 0): 5_948_800,
        (2, 0): 219_648,
        (6, 0): 624,
    }
    assert sum(counts.values()) == HANDS


def test_eight_or_better_lows() -> None:
    qualifying = sum(
        ways(pattern)
        for ranks, pattern in rank_patterns()
        if eight_or_better_key(without_a_flush(ranks)) is not None
    )
    assert qualifying == 24_530_944
    assert round(qualifying / HANDS, 6) == 0.183362
