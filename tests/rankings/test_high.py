"""High hands without wild cards (K1, K2, S-22)."""

from __future__ import annotations

import pytest

from doorcard.cards import CARDS, parse_cards
from doorcard.rankings import Key, Ranking, better, hand_key, high_key

CLASSES: list[tuple[str, Key]] = [
    ("Ts Js Qs Ks As", (8, 14)),
    ("5h 6h 7h 8h 9h", (8, 9)),
    ("Ad 2d 3d 4d 5d", (8, 5)),
    ("9c 9d 9h 9s 3c", (7, 9, 3)),
    ("6c 6d 6h Kc Kd", (6, 6, 13)),
    ("Ad 2d 3d 4d 6d", (5, 14, 6, 4, 3, 2)),
    ("Td Jc Qh Kd As", (4, 14)),
    ("8d 9c Th Jd Qs", (4, 12)),
    ("Ad 2c 3h 4d 5s", (4, 5)),
    ("Qc Qd Qh 2s Ac", (3, 12, 14, 2)),
    ("4h 4c Js Jd 8c", (2, 11, 4, 8)),
    ("7h 7c As Td 3c", (1, 7, 14, 10, 3)),
    ("Ks Jh 9d 7c 5s", (0, 13, 11, 9, 7, 5)),
]


@pytest.mark.parametrize(("cards", "key"), CLASSES)
def test_every_class_has_its_key(cards: str, key: Key) -> None:
    """K2, R1.6: class, then ranks from ace 14 to deuce 2."""
    assert hand_key("high", parse_cards(cards)) == key


def test_classes_are_listed_above_from_best_to_worst() -> None:
    keys = [high_key(parse_cards(cards)) for cards, _ in CLASSES]
    assert keys == sorted(keys, reverse=True)


@pytest.mark.parametrize("cards", ["Qs Ks Ad 2c 3h", "Ks Ad 2c 3h 4d", "Js Qd Kh Ac 2c"])
def test_a_sequence_never_runs_round_the_ace(cards: str) -> None:
    """K1.3."""
    assert high_key(parse_cards(cards))[0] == 0


def test_the_wheel_is_the_lowest_straight_and_straight_flush() -> None:
    """K2.2."""
    assert high_key(parse_cards("Ad 2c 3h 4d 5s")) < high_key(parse_cards("2c 3h 4d 5s 6s"))
    assert high_key(parse_cards("Ad 2d 3d 4d 5d")) < high_key(parse_cards("2h 3h 4h 5h 6h"))
    assert high_key(parse_cards("Ad 2d 3d 4d 5d")) > high_key(parse_cards("Ac Ad Ah As Kd"))


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("Ah Kd Qh Jd 9s 4c 2c", (0, 14, 13, 12, 11, 9)),
        ("As Ad 8h 8c 3s 3d Kh", (2, 14, 8, 13)),
        ("As Ad 8h 8c 3s 3d 9h", (2, 14, 8, 9)),
        ("8h 8c 5s 5d 3s 3d 4h", (2, 8, 5, 4)),
        ("Ts Td Th 4c 4d 4h 2s", (6, 10, 4)),
        ("Ts Td Th 4c 4d Ac As", (6, 10, 14)),
        ("Ts Td Th Tc 4c 4d 4h", (7, 10, 4)),
        ("Ad 2c 3h 4d 5s 6c 7d", (4, 7)),
        ("Ad 2c 3h 4d 5s Kc Kd", (4, 5)),
        ("9h 8h 7h 6h 5h Th Ah", (8, 10)),
        ("9h 8h 7h 6h 5h Tc Jc", (8, 9)),
        ("9h 8h 7h 6h 4h Tc 2h", (5, 9, 8, 7, 6, 4)),
        ("Ah 2h 3h 4h 5h 6c 7c", (8, 5)),
        ("7c 7d 7h 8s 9c Td Jh", (4, 11)),
    ],
)
def test_the_best_five_of_seven_count(cards: str, key: Key) -> None:
    """K1.1."""
    assert high_key(parse_cards(cards)) == key


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("3c 3d 3h 3s 8c 8d 8h 8s", (7, 8, 3)),
        ("3c 3d 3h 3s 8c 8d 8h 8s Kd", (7, 8, 13)),
        ("Ac Ad Ah 2c 2d 2h 5h 9h Kh", (6, 14, 2)),
        ("Ac 2c 3c 4c 9c Ad 2d 3d 4d Kd", (5, 14, 13, 4, 3, 2)),
        ("Kc 2c 3c 4c 9c Ad 2d 3d 4d 5d", (8, 5)),
        ("2c 2d 2h 9c 9d 5c 6c 7c 8c", (8, 9)),
    ],
)
def test_eight_cards_and_more(cards: str, key: Key) -> None:
    assert high_key(parse_cards(cards)) == key


def test_even_the_whole_deck_has_a_best_hand() -> None:
    assert high_key(CARDS) == (8, 14)


def test_the_order_of_the_cards_does_not_matter() -> None:
    cards = parse_cards("Ah 9h 7h 5h 3h 2h Kc")
    assert high_key(cards) == high_key(cards[::-1]) == (5, 14, 9, 7, 5, 3)


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("Ts Js 6c Qc Ad 6s Ac", "3s 3d 6d Qd Ah 6h As", 0),
        ("Ad 2d 3d 4d 5d Kc Qc", "2c 3c 4c 5c 6h Kh Qh", 1),
        ("3s 3h 3d Ts Th 2c 2h", "4s 4h 4d 2s 2d 9c 8c", -1),
        ("7s 7h 7d 7c 2s 3s Ks", "8s 8h 8d 8c 2h 3h 4h", -1),
        ("7h 7s 2h 2s Ac 9d Jd", "6s 6h 3s 3h As 9c Jc", 1),
        ("Kh Kd 9s 9c 4h 4d Qs", "Ks Kc 9h 9d 5h 5d Qc", 0),
        ("As Ks 4d 8d 9h Jc 2c", "Ah Kh 4c 8c 9s Jd 3d", 0),
        ("Ah 9h 7h 5h 3h 2h Kc", "Ad 9d 7d 5d 4d 2d Kh", -1),
        ("Jh Jd Jc 6d 6c Ts Th", "Js 9s 9h 9d Kc Kd 2c", 1),
    ],
)
def test_hands_that_rankers_get_wrong(first: str, second: str, outcome: int) -> None:
    """S-22: third pairs, wheels, full houses, kickers and sixth cards."""
    keys = high_key(parse_cards(first)), high_key(parse_cards(second))
    assert better("high", *keys) == outcome
    assert better("high", *reversed(keys)) == -outcome


def test_two_triplets_play_the_lower_one_as_a_pair() -> None:
    assert high_key(parse_cards("4s 4h 4d 2s 2d 2c 8c")) == (6, 4, 2)
    assert high_key(parse_cards("Jh Jd Jc 6d 6c Ts Th")) == (6, 11, 10)


def test_a_royal_flush_is_a_straight_flush() -> None:
    """K2.1: the highest one, of no class of its own."""
    royal, king_high = (
        high_key(parse_cards("Ts Js Qs Ks As")),
        high_key(parse_cards("9h Th Jh Qh Kh")),
    )
    assert (royal, king_high) == ((8, 14), (8, 13))


@pytest.mark.parametrize(
    ("ranking", "cards", "grouping"),
    [
        ("high", "4c 9d Kh 9s 4h", (9, 4, 13)),
        ("high", "2c 7d 2h Ks Ah", (2, 14, 13, 7)),
        ("high", "3c 3d Ah 3s As", (3, 14)),
        ("a5", "4c 9d Kh 9s 4h", (9, 4, 13)),
        ("a5", "2c 7d 2h Ks Ah", (2, 13, 7, 1)),
        ("27", "3c 3d Ah 3s As", (3, 14)),
    ],
)
def test_ranks_are_listed_by_how_often_they_occur(
    ranking: Ranking, cards: str, grouping: tuple[int, ...]
) -> None:
    """K1.2: then from the highest down, each once."""
    key = hand_key(ranking, parse_cards(cards))
    assert key is not None
    assert key[1:] == grouping
