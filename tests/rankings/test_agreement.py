"""The rankings against a second evaluator that tries everything and knows no shortcut.

It takes every five of the cards, and every rank that each wild card may stand for, and
classifies what comes out by counting. Random hands come from fixed seeds; half of them from
decks of few ranks or few suits, where straights, flushes and full houses are common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import combinations, combinations_with_replacement
from random import Random

import pytest

from doorcard.cards import CARDS, Card, format_cards
from doorcard.rankings import Key, Ranking, best_five, card_order, hand_key, wild_count, wild_key

NATURAL_HANDS = {5: 4000, 6: 3000, 7: 3000, 8: 200, 9: 100}
"""How many hands of how many cards are compared in each ranking."""
WILD_HANDS = {(5, 1): 1000, (7, 1): 1000, (5, 2): 1000, (7, 2): 300, (9, 2): 50}
MANY_WILD_HANDS = {(5, 3): 500, (7, 3): 100, (5, 4): 100, (7, 4): 50, (9, 4): 20, (9, 6): 10}
"""Keyed by cards and wild cards among them; trying the meanings of many wild cards is slow."""


FOUR_CARD_STRAIGHTS: dict[tuple[int, ...], int] = {
    (14, 4, 3, 2): 4,
    **{(top, top - 1, top - 2, top - 3): top for top in range(5, 15)},
}


def random_hands(seed: int, count: int, cards: int) -> Iterator[tuple[Card, ...]]:
    random = Random(seed)
    for number in range(count):
        deck: Sequence[Card] = CARDS
        if number % 4 == 1:
            suits = random.sample(range(4), 2)
            deck = [card for card in CARDS if card.suit in suits]
        elif number % 4 == 3:
            ranks = random.sample(range(2, 15), 6)
            deck = [card for card in CARDS if card.rank in ranks]
        yield tuple(random.sample(deck, cards))


def hands_with_wild_cards(
    seed: int, count: int, cards: int, wilds: int
) -> Iterator[tuple[tuple[Card, ...], frozenset[Card]]]:
    """Each hand is dealt first; then some of its cards, and some that nobody holds, are wild."""
    random = Random(seed)
    for hand in random_hands(seed, count, cards):
        others = [card for card in CARDS if card not in hand]
        wild = frozenset(random.sample(hand, wilds) + random.sample(others, 3))
        yield hand, wild


@pytest.mark.parametrize("cards", NATURAL_HANDS)
@pytest.mark.parametrize("ranking", ["high", "a5", "a6", "27", "8ob", "soko"])
def test_natural_hands(ranking: Ranking, cards: int) -> None:
    for hand in random_hands(cards, NATURAL_HANDS[cards], cards):
        expected = slow_key(ranking, hand)
        assert hand_key(ranking, hand) == expected, format_cards(hand)


@pytest.mark.parametrize("double_ace_flush", [False, True])
@pytest.mark.parametrize(("cards", "wilds"), [*WILD_HANDS, *MANY_WILD_HANDS])
def test_hands_with_wild_cards(cards: int, wilds: int, double_ace_flush: bool) -> None:
    count = {**WILD_HANDS, **MANY_WILD_HANDS}[cards, wilds]
    for hand, wild in hands_with_wild_cards(10 * cards + wilds, count, cards, wilds):
        key, fewest = slow_wild_key(hand, wild, double_ace_flush)
        named = f"{format_cards(hand)} with {format_cards(sorted(wild))} wild"
        assert wild_key(hand, wild, double_ace_flush=double_ace_flush) == key, named
        assert wild_count("high", hand, wild, double_ace_flush=double_ace_flush) == fewest, named


@pytest.mark.parametrize(("wilds", "count"), [(1, 400), (2, 100)])
def test_five_cards_with_every_other_card_in_place_of_the_wild_ones(wilds: int, count: int) -> None:
    """K2.3 word for word: a card not in the hand already, or a further one of a single rank."""
    for hand, wild in hands_with_wild_cards(wilds, count, 5, wilds):
        naturals = [card for card in hand if card not in wild]
        others = [card for card in CARDS if card not in naturals]
        keys = [slow_key("high", [*naturals, *some]) for some in combinations(others, wilds)]
        best = max(key for key in keys if key is not None)
        if len({card.rank for card in naturals}) == 1:
            best = (9, naturals[0].rank)
        assert wild_key(hand, wild) == best, format_cards(hand)


def test_which_wild_cards_are_held_makes_no_difference() -> None:
    wild = frozenset(card for card in CARDS if card.rank in {2, 9})
    random = Random(3)
    for hand in random_hands(3, 500, 7):
        naturals = [card for card in hand if card not in wild]
        wilds = 7 - len(naturals)
        keys = {wild_key([*naturals, *random.sample(sorted(wild), wilds)], wild) for _ in range(4)}
        assert keys == {wild_key(hand, wild)}, format_cards(hand)


@pytest.mark.parametrize("ranking", ["high", "a5", "a6", "27", "8ob", "soko"])
def test_the_five_cards_played_are_worth_the_hand_and_none_higher_is(ranking: Ranking) -> None:
    def heights(five: Sequence[Card]) -> list[int]:
        return sorted((card_order(ranking, card) for card in five), reverse=True)

    for hand in random_hands(7, 200, 7):
        key = slow_key(ranking, hand)
        choices = [five for five in combinations(hand, 5) if slow_key(ranking, five) == key]
        expected = [] if key is None else max(map(heights, choices))
        assert heights(best_five(ranking, hand)) == expected, format_cards(hand)


def slow_key(ranking: Ranking, hand: Sequence[Card]) -> Key | None:
    keys = [slow_five_key(ranking, five) for five in combinations(hand, 5)]
    some = [key for key in keys if key is not None]
    if not some:
        return None
    return max(some) if ranking in {"high", "soko"} else min(some)


def slow_five_key(ranking: Ranking, five: Sequence[Card]) -> Key | None:
    ranks = tuple(sorted(card.rank for card in five))
    if ranking == "soko":
        return slow_soko_key(five, ranks)
    return classified(ranking, ranks, len({card.suit for card in five}) == 1)


@cache
def classified(ranking: Ranking, ranks: tuple[int, ...], suited: bool) -> Key | None:
    """Five ranks, ascending with the ace as 14."""
    if ranking in {"a5", "a6", "8ob"}:
        ranks = tuple(sorted(1 if rank == 14 else rank for rank in ranks))
    if ranking == "8ob" and (len(set(ranks)) < 5 or max(ranks) > 8):
        return None
    counted = Counter(ranks).most_common()
    grouping = tuple(sorted(dict(counted), key=lambda rank: (ranks.count(rank), rank)))[::-1]
    shape = "".join(str(count) for _, count in counted)
    group = {"11111": 0, "2111": 1, "221": 2, "311": 3, "32": 6, "41": 7, "5": 9}[shape]
    if group or ranking in {"a5", "8ob"}:
        return (group, *grouping)
    straight = tuple(range(ranks[0], ranks[0] + 5)) == ranks
    if ranking == "high" and ranks == (2, 3, 4, 5, 14):
        straight, grouping = True, (5, 4, 3, 2, 1)
    if straight:
        group = 8 if suited else 4
        return (group, grouping[0]) if ranking == "high" else (group, *grouping)
    return (5 if suited else 0, *grouping)


def slow_soko_key(five: Sequence[Card], ranks: tuple[int, ...]) -> Key:
    key = classified("high", ranks, len({card.suit for card in five}) == 1)
    assert key is not None
    keys = [(key[0] + 2 if key[0] > 1 else key[0], *key[1:])]
    for odd in five:
        four = [card for card in five if card is not odd]
        fours = tuple(sorted((card.rank for card in four), reverse=True))
        if len({card.suit for card in four}) == 1:
            keys.append((3, *fours, odd.rank))
        if fours in FOUR_CARD_STRAIGHTS:
            keys.append((2, FOUR_CARD_STRAIGHTS[fours], odd.rank))
    return max(keys)


def slow_wild_key(
    hand: Sequence[Card], wild: AbstractSet[Card], double_ace_flush: bool
) -> tuple[Key, int]:
    """Return the best key and the fewest wild cards among five cards that make it."""
    best: list[tuple[Key, int]] = []
    for five in combinations(hand, 5):
        naturals = [card for card in five if card not in wild]
        ranks = tuple(sorted(card.rank for card in naturals))
        suited = len({card.suit for card in naturals}) <= 1
        best.append((best_meaning(ranks, suited, double_ace_flush), -(5 - len(naturals))))
    key, fewest = max(best)
    return key, -fewest


@cache
def best_meaning(ranks: tuple[int, ...], suited: bool, double_ace_flush: bool) -> Key:
    """Let the missing cards be of any rank, and of the one suit held if the ranks all differ."""
    wilds = 5 - len(ranks)
    keys: list[Key | None] = []
    for meaning in combinations_with_replacement(range(2, 15), wilds):
        full = tuple(sorted((*ranks, *meaning)))
        flush = suited and len(set(full)) == 5
        keys.append(classified("high", full, flush))
    if suited and double_ace_flush and len(set(ranks)) == len(ranks):
        keys.append((5, *sorted((*ranks, *[14] * wilds), reverse=True)))
    return max(key for key in keys if key is not None)
