"""Sökö hands (K8, G6)."""

from __future__ import annotations

import pytest

from doorcard.cards import parse_cards
from doorcard.rankings import Key, hand_key, soko_key


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("Ah Kh Qh Jh Th", (10, 14)),
        ("Ah 2h 3h 4h 5h", (10, 5)),
        ("9c 9d 9h 9s 3c", (9, 9, 3)),
        ("6c 6d 6h Kc Kd", (8, 6, 13)),
        ("Ah 9h 6h 4h 2h", (7, 14, 9, 6, 4, 2)),
        ("6h 5h 4h 3h 2c", (6, 6)),
        ("Ac Kd Qh Js Tc", (6, 14)),
        ("2c 2d 2h 3s 4d", (5, 2, 4, 3)),
        ("2c 2d 3h 3s 4c", (4, 3, 2, 4)),
        ("Ks 9s 6s 2s 2h", (3, 13, 9, 6, 2, 2)),
        ("Kh 9h 6h 2h Qd", (3, 13, 9, 6, 2, 12)),
        ("3h 9h 6h 2h Ad", (3, 9, 6, 3, 2, 14)),
        ("9h 8h 7h 6h 2c", (3, 9, 8, 7, 6, 2)),
        ("Jh Tc Jc Qc Kc", (3, 13, 12, 11, 10, 11)),
        ("5d 6h 7c 8s Kd", (2, 8, 13)),
        ("5c 6d 7h 8s 8c", (2, 8, 8)),
        ("Ac Kd Qh Js 3c", (2, 14, 3)),
        ("Ac Kd Qh Js Ad", (2, 14, 14)),
        ("As 2h 3d 4c 9d", (2, 4, 9)),
        ("As 2h 3d 4c Ad", (2, 4, 14)),
        ("2s 3h 4d 5c Ad", (6, 5)),
        ("2s 3h 4d 5c 7d", (2, 5, 7)),
        ("Ah Ad Kc Qs 9d", (1, 14, 13, 12, 9)),
        ("Ac Kd Qh 9s 7c", (0, 14, 13, 12, 9, 7)),
        ("As Kd Qh 2s 3c", (0, 14, 13, 12, 3, 2)),
    ],
)
def test_the_highest_class_that_fits_counts(cards: str, key: Key) -> None:
    """K8.1, G6.1, G6.2."""
    assert hand_key("soko", parse_cards(cards)) == key


def test_a_pair_loses_to_every_four_card_hand() -> None:
    """G6: the six hands of the worked order, best first."""
    hands = [
        *("4c 4d 7h 7s 2c", "Kh 9h 6h 2h Qd", "Ks 9s 6s 2s 2h"),
        *("5d 6h 7c 8s Kd", "5c 6d 7h 8s 8c", "Ah Ad Kc Qs 9d"),
    ]
    keys = [soko_key(parse_cards(cards)) for cards in hands]
    assert keys == sorted(keys, reverse=True)
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("Kh 9h 6h 2h Qd As 3c", (3, 13, 9, 6, 2, 14)),
        ("Kh 9h 6h 2h Qd Qs 3c", (3, 13, 9, 6, 2, 12)),
        ("Kh 9h 6h 2h Qd Ks Qc", (4, 13, 12, 9)),
        ("5d 6h 7c 8s Td Jc Qh Ac", (2, 8, 14)),
        ("Th 9h 8h 2h Kc Qc Jc 3c", (6, 13)),
        ("Th 9h 6h 2h Kc Qc 7c 3c", (3, 13, 12, 7, 3, 10)),
        ("5d 6h 7c 8s Td Jc Qh Kc", (2, 13, 8)),
    ],
)
def test_the_best_five_of_more_cards(cards: str, key: Key) -> None:
    assert soko_key(parse_cards(cards)) == key
