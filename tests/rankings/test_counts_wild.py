"""All five-card hands with seven sets of wild cards (K10).

Which wild cards are held makes no difference, so hands are ranked once for each number of them
and counted for each way to hold as many; ``test_agreement`` shows that it makes none.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from doorcard.cards import CARDS, RANKS, Card, parse_cards
from doorcard.rankings import Key, high_key, wild_key


def cards_of(names: str) -> frozenset[Card]:
    """Read cards such as ``Jh Js``, or all cards of ranks such as ``A2``."""
    if " " in names or names[-1] in "cdhs":
        return frozenset(parse_cards(names))
    return frozenset(card for card in CARDS if RANKS[card.rank - 2] in names)


def count_classes(wild: frozenset[Card]) -> list[int]:
    naturals = [card for card in CARDS if card not in wild]
    counts: Counter[int] = Counter(key[0] for key in map(high_key, combinations(naturals, 5)))
    for held in range(1, min(len(wild), 5) + 1):
        wild_held = sorted(wild)[:held]
        weight = comb(len(wild), held)
        for others in combinations(naturals, 5 - held):
            key: Key = wild_key([*wild_held, *others], wild)
            counts[key[0]] += weight
    return [counts[group] for group in range(10)]


@pytest.mark.parametrize(
    ("wild", "counts"),
    [
        ("2", [799680, 1225008, 95040, 355080, 62232, 14472, 12672, 31552, 2552, 672]),
        ("Q", [800700, 1228032, 95040, 356160, 57108, 14596, 12672, 31568, 2412, 672]),
        ("A2", [464100, 1113696, 71280, 611760, 142884, 24780, 18480, 130104, 13724, 8152]),
        ("39", [469200, 1141920, 71280, 631920, 89400, 26592, 18480, 130552, 11464, 8152]),
        ("Jh Js", [1052130, 1188652, 102960, 199758, 28938, 9476, 8112, 8328, 534, 72]),
        ("Kh", [1176825, 1149069, 111672, 125664, 19581, 7098, 5976, 2868, 195, 12]),
        ("Jh Js Kh", [947116, 1206171, 92466, 269760, 42977, 12361, 9624, 16978, 1269, 238]),
    ],
)
def test_classes_from_high_card_to_five_of_a_kind(wild: str, counts: list[int]) -> None:
    assert count_classes(cards_of(wild)) == counts
    assert sum(counts) == comb(52, 5)
