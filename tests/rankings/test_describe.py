"""Keys in words."""

from __future__ import annotations

from itertools import combinations

import pytest

from doorcard.cards import CARDS, parse_cards
from doorcard.rankings import BoardOrder, Ranking, board_key, describe, evaluate


@pytest.mark.parametrize(
    ("ranking", "cards", "name"),
    [
        ("high", "As Ks Qs Js Ts", "royal flush"),
        ("high", "Ah 2h 3h 4h 5h", "straight flush, five high"),
        ("high", "2c 2d 2h 2s 5h", "four deuces"),
        ("high", "Kc Kd Kh Ts Th", "kings full of tens"),
        ("high", "Ks 9s 8s 4s 2s", "flush, king high"),
        ("high", "Ac Kd Qh Js Ts", "straight, ace high"),
        ("high", "6c 6d 6h Js Ts", "three sixes"),
        ("high", "Kc Kd 7h 7s Ts", "two pair, kings and sevens"),
        ("high", "Ac Ad 7h 6s Ts", "pair of aces"),
        ("high", "Ac Jd 7h 6s Ts", "ace high"),
        ("a5", "8c 6d 4h 3s Ac", "8-6-4-3-A low"),
        ("a5", "Tc 6d 4h 3s Ac", "T-6-4-3-A low"),
        ("a5", "Ac Ad 4h 3s 2c", "pair of aces"),
        ("a5", "Ac Ad 4h 4s 2c", "two pair, fours and aces"),
        ("a6", "Ac 2d 3h 4s 5c", "straight, five high"),
        ("a6", "Ac 2c 3c 4c 5c", "straight flush, five high"),
        ("a6", "Ac Kc 3c 4c 5c", "flush, king high"),
        ("27", "Ac 2d 3h 4s 5c", "A-5-4-3-2 low"),
        ("27", "7c 2d 3h 4s 5c", "7-5-4-3-2 low"),
        ("27", "9c 9d 9h 4s 4c", "nines full of fours"),
        ("8ob", "8c 7d 6h 5s 4c", "8-7-6-5-4 low"),
        ("8ob", "9c 7d 6h 5s 4c", "no low"),
        ("soko", "Kh 9h 6h 2h Qd", "four-card flush, king high"),
        ("soko", "8h 9c Th Jh Js", "four-card straight, jack high"),
        ("soko", "Kc Kd 7h 7s Ts", "two pair, kings and sevens"),
        ("soko", "As Ks Qs Js Ts", "royal flush"),
        ("soko", "6c 6d 6h Js Ts", "three sixes"),
        ("soko", "Ac Ad 7h 6s Ts", "pair of aces"),
        ("soko", "Ac Jd 8h 6s Ts", "ace high"),
    ],
)
def test_hands_have_plain_names(ranking: Ranking, cards: str, name: str) -> None:
    assert describe(ranking, evaluate(ranking, cards)) == name


def test_wild_cards_make_two_more_hands() -> None:
    assert describe("high", (9, 14)) == "five aces"
    assert describe("high", (5, 14, 14, 9, 5, 2)) == "flush, 2 aces high"


@pytest.mark.parametrize(
    ("order", "upcards", "name"),
    [
        ("high", "", "no cards"),
        ("high", "Ah", "ace high"),
        ("high", "Ah As", "pair of aces"),
        ("high", "3c 3d 3h", "three threes"),
        ("high", "Kc Kd 3h 3s", "two pair, kings and threes"),
        ("a5", "Ac 7d", "7-A low"),
        ("a5", "Ac Ad", "pair of aces"),
        ("27", "Ac 7d", "A-7 low"),
        ("soko", "3c 3d 3h", "three threes"),
        ("soko", "3c 3d 3h 5c", "three threes"),
        ("soko", "9c 8c 5c 2c", "four-card flush, nine high"),
        ("soko", "4c 3d 2h As", "four-card straight, four high"),
        ("soko", "4c 4d 4h 4s", "four fours"),
    ],
)
def test_boards_have_plain_names(order: BoardOrder, upcards: str, name: str) -> None:
    assert describe(order, board_key(order, parse_cards(upcards))) == name


@pytest.mark.parametrize("order", ["high", "a5", "a6", "27", "soko"])
def test_every_board_of_three_has_a_name(order: BoardOrder) -> None:
    names = {describe(order, board_key(order, upcards)) for upcards in combinations(CARDS, 3)}
    assert {"three sixes", "pair of tens"} <= names
    assert all(names)
