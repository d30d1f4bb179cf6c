"""Wild cards in high hands (K2.3 to K2.9, G10 to G14)."""

from __future__ import annotations

from time import perf_counter

import pytest

from doorcard.cards import CARDS, Card, parse_cards
from doorcard.errors import BadInput
from doorcard.rankings import Key, Ranking, evaluate, hand_key, high_key, wild_count, wild_key


def of_rank(*ranks: int) -> frozenset[Card]:
    return frozenset(card for card in CARDS if card.rank in ranks)


DEUCES = of_rank(2)
ACES_AND_DEUCES = of_rank(14, 2)
THREES_AND_NINES = of_rank(3, 9)


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("2c Kc Kd Kh Ks", (9, 13)),
        ("2c 2d 2h 2s 3d", (9, 3)),
        ("2c 2d 2h 2s Ad", (9, 14)),
        ("2c 2d Kc Kd Kh", (9, 13)),
        ("2c 6h 7h 9h Th", (8, 10)),
        ("2c 2d 7h 9h Th", (8, 11)),
        ("2c 2d 2s Qh Kh", (8, 14)),
        ("2c 2d 2s 3h 4h", (8, 7)),
        ("2c Ah 3h 4h 5h", (8, 5)),
        ("2h Ah 3h 4h 5h", (8, 5)),
        ("2d Kc Kd Kh As", (7, 13, 14)),
        ("2c 2d Kd Kh As", (7, 13, 14)),
        ("2c 2d 2s 7h Kd", (7, 13, 7)),
        ("2c Kc Kd Qh Qs", (6, 13, 12)),
        ("2c 3c 3d Qh Qs", (6, 12, 3)),
        ("2c 2d 7h 8h Kh", (5, 14, 13, 12, 8, 7)),
        ("2c 3h 7h 8h Ah", (5, 14, 13, 8, 7, 3)),
        ("2c 9d Th Js Qd", (4, 13)),
        ("2c 2d 6h Tc 9s", (4, 10)),
        ("2c Ad 3h 4s 5c", (4, 5)),
        ("2c 2d Ad 3h 9s", (3, 14, 9, 3)),
        ("2c Kc Kd 9h 4s", (3, 13, 9, 4)),
        ("2c Kc Jd 9h 4s", (1, 13, 11, 9, 4)),
    ],
)
def test_a_wild_card_stands_for_whatever_is_best(cards: str, key: Key) -> None:
    """K2.3, K2.8; the deuces are wild."""
    assert hand_key("high", parse_cards(cards), wild=DEUCES) == key


def test_wild_cards_that_nobody_holds_change_nothing() -> None:
    cards = parse_cards("Ad Jd 9d 5d 3d Kc Qs")
    assert hand_key("high", cards, wild=DEUCES) == high_key(cards)


def test_five_of_a_kind_beats_a_royal_flush() -> None:
    assert wild_key(parse_cards("2c Kc Kd Kh Ks"), DEUCES) > high_key(parse_cards("As Ks Qs Js Ts"))


@pytest.mark.parametrize("cards", ["Ac Ad Ah 2c 2d", "Ac Ad 2c 2d 2h 7s 8s", "2c 2d 2h 2s Ac 3d"])
def test_five_wild_cards_are_five_aces(cards: str) -> None:
    """K2.4."""
    assert wild_key(parse_cards(cards), ACES_AND_DEUCES) == (9, 14)


def test_the_higher_of_two_fives_of_a_kind_counts() -> None:
    """Four natural deuces are the larger group, three natural kings the better hand."""
    cards = parse_cards("2c 2d 2h 2s Kc Kd Kh 3c 3d")
    assert wild_key(cards, of_rank(3)) == (9, 13)


def test_two_pair_is_never_the_best_of_a_hand_with_a_wild_card() -> None:
    """K2.8: a pair becomes three of a kind, two pair a full house, three of a kind four."""
    assert wild_key(parse_cards("2c 7c 7d Kh 4s"), DEUCES) == (3, 7, 13, 4)
    assert wild_key(parse_cards("2c 7c 7d 4h 4s"), DEUCES) == (6, 7, 4)
    assert wild_key(parse_cards("2c 7c 7d 7h 4s"), DEUCES) == (7, 7, 4)
    assert wild_key(parse_cards("2c 2d 7c 8c Jc"), DEUCES) == (8, 11)


def test_in_a_flush_a_wild_card_takes_the_highest_rank_missing() -> None:
    """K2.5."""
    assert wild_key(parse_cards("As 2d 9s 5s 3s"), DEUCES) == (5, 14, 13, 9, 5, 3)
    assert wild_key(parse_cards("As 2s 9s 5s 3s"), DEUCES) == (5, 14, 13, 9, 5, 3)
    assert wild_key(parse_cards("Ks 2d 9s 5s 3s"), DEUCES) == (5, 14, 13, 9, 5, 3)
    assert wild_key(parse_cards("As Ks 2d 2c 3s"), DEUCES) == (5, 14, 13, 12, 11, 3)


def test_with_double_ace_flushes_every_wild_card_of_a_flush_is_an_ace() -> None:
    """K2.6."""

    def key(cards: str) -> Key | None:
        return evaluate("high", cards, wild=DEUCES, double_ace_flush=True)

    assert key("As 2d 9s 5s 3s") == (5, 14, 14, 9, 5, 3)
    assert key("As 2d 2c 9s 5s") == (5, 14, 14, 14, 9, 5)
    assert key("Ks 2d 9s 5s 3s") == (5, 14, 13, 9, 5, 3)
    assert key("As Qs 9s 5s 3s") == (5, 14, 12, 9, 5, 3)
    assert key("Ts 9s 8s 7s 2d") == (8, 11)
    assert key("Ks Qs 9s 5s 4s 3s 2d") == (5, 14, 13, 12, 9, 5)


def test_hands_with_and_without_wild_cards_tie() -> None:
    """K2.7: unless fewer wild cards win, which ``wild_count`` decides."""
    natural, wild = parse_cards("Ac Ad Ah Ks Qd"), parse_cards("2c As Ah Kd Qh")
    assert wild_key(natural, DEUCES) == wild_key(wild, DEUCES) == (3, 14, 13, 12)
    assert wild_count("high", natural, DEUCES) == 0
    assert wild_count("high", wild, DEUCES) == 1


@pytest.mark.parametrize(
    ("cards", "count"),
    [
        ("2c Ad 3h 4s 5c", 1),
        ("2c Kc Kd 9h 4s Kh Ks", 1),
        ("2c Th Jh Qh Kh Ah 9s", 0),
        ("2c 2d Th Jh Qh Kh 9s", 1),
        ("2c 2d 2h Th Jh Qh Kh", 1),
        ("2c 2d 2h 2s Jh Qh Kh", 4),
        ("2c 2d 2h Jh Jd Js Kh", 2),
        ("2c 2d 2h 2s Jh Jd 9h", 3),
        ("2c 2d 2h 2s Jh 3d 9h", 4),
    ],
)
def test_the_choice_with_the_fewest_wild_cards_counts(cards: str, count: int) -> None:
    """K2.9: a wild card that counts as itself is still one."""
    assert wild_count("high", parse_cards(cards), DEUCES) == count


def test_fewest_wild_cards_when_nearly_every_card_is_wild() -> None:
    hand = parse_cards("Ac Ad 2c 2d 2h 2s 7h")
    assert wild_count("high", hand, ACES_AND_DEUCES) == 5
    assert wild_count("high", hand[1:], ACES_AND_DEUCES) == 5
    assert wild_count("high", hand[2:], DEUCES) == 4


def test_fewest_wild_cards_with_double_ace_flushes() -> None:
    hand = parse_cards("As Js 9s 6s 4s 2d 2c")
    assert wild_key(hand, DEUCES, double_ace_flush=True) == (5, 14, 14, 14, 11, 9)
    assert wild_count("high", hand, DEUCES, double_ace_flush=True) == 2


@pytest.mark.parametrize("cards", ["Ac Kd 9h 5s 3c", "7c 5d 4h 3s 2c Ac Ad"])
@pytest.mark.parametrize("ranking", ["a5", "a6", "27", "8ob", "soko"])
def test_without_wild_cards_no_hand_uses_any(ranking: Ranking, cards: str) -> None:
    assert wild_count(ranking, parse_cards(cards), frozenset()) == 0


@pytest.mark.parametrize(
    ("cards", "wild", "key"),
    [
        ("5h 9c Qd 9s Kh 4c 2d", of_rank(12, 5), (7, 9, 13)),
        ("Ah Ad 5c Ac 7s 3h 8d", of_rank(12, 5), (7, 14, 8)),
        ("5h 9c Qd 9s Kh 4c 2d", of_rank(12), (3, 9, 13, 5)),
        ("3c Kd Kh Ks 4d 7c 2h 8s", THREES_AND_NINES, (7, 13, 8)),
        ("Ad Ac Ah 9h Tc Js 6d", THREES_AND_NINES, (7, 14, 11)),
        ("Ah 2c Kd Ks Kh 7c 4d", ACES_AND_DEUCES, (9, 13)),
        ("Jd Td 9d 2s Ac 5h 6c", ACES_AND_DEUCES, (8, 13)),
        ("Jh Ts Tc Td 4h 6c 8d", frozenset(parse_cards("Jh Js")), (7, 10, 8)),
        ("Jd Ts Tc Td 4h 6c 8d", frozenset(parse_cards("Jh Js")), (3, 10, 11, 8)),
        ("Kh Qd Qh Qs 7s 7c 2c", frozenset(parse_cards("Kh")), (7, 12, 7)),
    ],
)
def test_the_wild_games(cards: str, wild: frozenset[Card], key: Key) -> None:
    """G10 to G14: followed queens, baseball, acey ducey, one-eyed jacks, the suicide king."""
    assert hand_key("high", parse_cards(cards), wild=wild) == key


@pytest.mark.parametrize("ranking", ["a5", "a6", "27", "8ob", "soko"])
def test_no_other_ranking_has_wild_cards(ranking: Ranking) -> None:
    """K1.5."""
    with pytest.raises(BadInput, match=ranking):
        hand_key(ranking, parse_cards("Ac Kd 9h 5s 3c"), wild=DEUCES)


@pytest.mark.parametrize(
    "cards",
    ["3c 3d 3h 3s 9c 9d Kh 7s 5c", "3c 3d 3h 9c Ah Kh 7s 5c 4d", "3c 8h 9c Th Jh 6c 5s 4d Kd"],
)
def test_nine_cards_rank_within_a_millisecond(cards: str) -> None:
    hand = parse_cards(cards)

    def seconds() -> float:
        start = perf_counter()
        wild_key(hand, THREES_AND_NINES)
        return perf_counter() - start

    assert min(seconds() for _ in range(20)) < 0.001
