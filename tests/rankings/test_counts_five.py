"""All 2,598,960 five-card hands, ranked one by one and counted (K10).

One pass over the deck ranks every hand in all six rankings; each test below reads its column.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

import pytest

from doorcard.cards import CARDS
from doorcard.rankings import Key, Ranking, evaluator

HANDS = 2_598_960


@cache
def keys_of_all_hands(ranking: Ranking) -> Counter[Key | None]:
    return Counter(map(evaluator(ranking), combinations(CARDS, 5)))


def hands_and_distinct_keys(ranking: Ranking) -> dict[int, tuple[int, int]]:
    counts: Counter[int] = Counter()
    distinct: Counter[int] = Counter()
    for key, hands in keys_of_all_hands(ranking).items():
        if key is not None:
            counts[key[0]] += hands
            distinct[key[0]] += 1
    return {group: (counts[group], distinct[group]) for group in sorted(counts)}


GROUPS_IN_EVERY_LOW = {
    1: (1_098_240, 2_860),
    2: (123_552, 858),
    3: (54_912, 858),
    6: (3_744, 156),
    7: (624, 156),
}
STRAIGHTS_AND_FLUSHES_IN_LOWS = {4: (9_180, 9), 5: (5_112, 1_278), 8: (36, 9)}


@pytest.mark.parametrize(
    ("ranking", "classes"),
    [
        (
            "high",
            {
                0: (1_302_540, 1_277),
                1: (1_098_240, 2_860),
                2: (123_552, 858),
                3: (54_912, 858),
                4: (10_200, 10),
                5: (5_108, 1_277),
                6: (3_744, 156),
                7: (624, 156),
                8: (40, 10),
            },
        ),
        (
            "soko",
            {
                0: (1_150_080, 1_198),
                1: (1_047_552, 2_816),
                2: (92_208, 123),
                3: (110_940, 9_245),
                4: (123_552, 858),
                5: (54_912, 858),
                6: (10_200, 10),
                7: (5_108, 1_277),
                8: (3_744, 156),
                9: (624, 156),
                10: (40, 10),
            },
        ),
        ("a5", {0: (1_317_888, 1_287), **GROUPS_IN_EVERY_LOW}),
        (
            "a6",
            {0: (1_303_560, 1_278), **GROUPS_IN_EVERY_LOW, **STRAIGHTS_AND_FLUSHES_IN_LOWS},
        ),
        (
            "27",
            {0: (1_303_560, 1_278), **GROUPS_IN_EVERY_LOW, **STRAIGHTS_AND_FLUSHES_IN_LOWS},
        ),
    ],
)
def test_hands_and_distinct_keys_of_every_class(
    ranking: Ranking, classes: dict[int, tuple[int, int]]
) -> None:
    """K10."""
    assert hands_and_distinct_keys(ranking) == classes
    assert sum(keys_of_all_hands(ranking).values()) == HANDS


@pytest.mark.parametrize(
    ("ranking", "distinct"),
    [("high", 7_462), ("soko", 16_707), ("a5", 6_175), ("a6", 7_462), ("27", 7_462)],
)
def test_how_many_different_keys_there_are(ranking: Ranking, distinct: int) -> None:
    assert len(keys_of_all_hands(ranking)) == distinct


def test_four_of_the_straight_flushes_are_royal() -> None:
    """K2.1: ace-high, of the same class as the others."""
    assert keys_of_all_hands("high")[(8, 14)] == 4


@pytest.mark.parametrize(
    ("ranking", "lowest", "hands"),
    [
        (
            "a5",
            5,
            [1_024, 5_120, 15_360, 35_840, 71_680, 129_024, 215_040, 337_920, 506_880],
        ),
        ("a6", 6, [4_080, 14_280, 34_680, 70_380, 127_500, 213_180, 335_580, 503_880]),
        ("27", 7, [4_080, 14_280, 34_680, 70_380, 127_500, 213_180, 335_580, 503_880]),
        ("8ob", 5, [1_024, 5_120, 15_360, 35_840]),
    ],
)
def test_hands_without_a_pair_by_their_highest_card(
    ranking: Ranking, lowest: int, hands: list[int]
) -> None:
    counts: Counter[int] = Counter()
    for key, count in keys_of_all_hands(ranking).items():
        if key is not None and key[0] == 0:
            counts[key[1]] += count
    assert counts == dict(enumerate(hands, start=lowest))


def test_how_many_hands_qualify_as_eight_or_better() -> None:
    counts = keys_of_all_hands("8ob")
    assert HANDS - counts[None] == 57_344
    assert len(counts) - 1 == 56
