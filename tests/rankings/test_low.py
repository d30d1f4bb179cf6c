"""The low rankings (K5, K6, K7, K9, S-23, S-24)."""

from __future__ import annotations

import pytest

from doorcard.cards import parse_cards
from doorcard.rankings import (
    Key,
    Ranking,
    ace_to_five_key,
    ace_to_six_key,
    better,
    deuce_to_seven_key,
    eight_or_better_key,
    hand_key,
)


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("Ah 2h 3h 4h 5h", (0, 5, 4, 3, 2, 1)),
        ("Ah 2c 3d 4s 5c", (0, 5, 4, 3, 2, 1)),
        ("Kh Qh Jh Th Ah", (0, 13, 12, 11, 10, 1)),
        ("As Ad 2c 3h 4d", (1, 1, 4, 3, 2)),
        ("Ks Kd 2c 3h Ad", (1, 13, 3, 2, 1)),
        ("As Ad 2c 2h 4d", (2, 2, 1, 4)),
        ("As Ad Ac 2h 4d", (3, 1, 4, 2)),
        ("As Ad Ac 2h 2d", (6, 1, 2)),
        ("As Ad Ac Ah 2d", (7, 1, 2)),
        ("2h 2c 3d 3s 4h 4c 5d", (1, 2, 5, 4, 3)),
        ("9h 9c 8d 8s 7h 7c 7d", (2, 8, 7, 9)),
        ("9h 9c 9d 8s 7h 9s", (3, 9, 8, 7)),
        ("9h 9c 9d 9s 7h 7c", (6, 9, 7)),
        ("9h 9c 9d 7s 7h 7c", (6, 7, 9)),
        ("Ks Qs 8c 7c 5c 4h Ah", (0, 8, 7, 5, 4, 1)),
    ],
)
def test_ace_to_five_keys(cards: str, key: Key) -> None:
    """K5.1, K5.2: straights and flushes do not exist, the ace is low."""
    assert hand_key("a5", parse_cards(cards)) == key


def test_ace_to_five_is_read_from_the_highest_card() -> None:
    """K5.2."""
    assert ace_to_five_key(parse_cards("7c 6d 5h 4s 3c")) < ace_to_five_key(
        parse_cards("8c 5d 4h 2s Ac")
    )


def test_in_ace_to_five_any_pair_is_worse_than_none_and_aces_are_the_best_pair() -> None:
    """K5.3."""
    king_high = ace_to_five_key(parse_cards("Kc Qd Jh Ts 9c"))
    aces = ace_to_five_key(parse_cards("Ac Ad 2h 3s 4c"))
    deuces = ace_to_five_key(parse_cards("2c 2d Ah 3s 4c"))
    assert king_high < aces < deuces


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("6c 4d 3h 2s Ac", (0, 6, 4, 3, 2, 1)),
        ("Ah 2c 3d 4s 5h", (4, 5, 4, 3, 2, 1)),
        ("Ah 2h 3h 4h 5h", (8, 5, 4, 3, 2, 1)),
        ("Ac Kd Qh Js Tc", (0, 13, 12, 11, 10, 1)),
        ("Ac Kc Qc Jc Tc", (5, 13, 12, 11, 10, 1)),
        ("6c 4c 3c 2c Ac", (5, 6, 4, 3, 2, 1)),
        ("9c Kd Qh Js Tc", (4, 13, 12, 11, 10, 9)),
        ("9c Kc Qc Jc Tc", (8, 13, 12, 11, 10, 9)),
        ("Ac Ad 4h 3s 2c", (1, 1, 4, 3, 2)),
        ("Ah 2c 3d 4s 5h 6c", (0, 6, 4, 3, 2, 1)),
        ("2h 3c 4d 5s 6h 6c", (1, 6, 4, 3, 2)),
        ("2h 3h 4h 5h 6h 6c", (1, 6, 4, 3, 2)),
        ("2h 3h 4h 5h 7h 7c", (0, 7, 5, 4, 3, 2)),
        ("2h 3h 4h 5h 7h 9h", (5, 7, 5, 4, 3, 2)),
        ("2h 3h 4h 5h 7h 9h Kc", (0, 13, 5, 4, 3, 2)),
    ],
)
def test_ace_to_six_keys(cards: str, key: Key) -> None:
    """K6.1, K6.2: straights and flushes count against the hand, the ace is low."""
    assert hand_key("a6", parse_cards(cards)) == key


def test_nothing_beats_six_four_in_ace_to_six() -> None:
    """K6.3."""
    best = ace_to_six_key(parse_cards("6c 4d 3h 2s Ac"))
    assert best < ace_to_six_key(parse_cards("6c 5d 3h 2s Ac"))
    assert best < ace_to_six_key(parse_cards("6c 4c 3c 2c Ac"))


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("7c 5d 4h 3s 2c", (0, 7, 5, 4, 3, 2)),
        ("7c 5c 4c 3c 2c", (5, 7, 5, 4, 3, 2)),
        ("Ac 5d 4h 3s 2c", (0, 14, 5, 4, 3, 2)),
        ("Ac 5c 4c 3c 2c", (5, 14, 5, 4, 3, 2)),
        ("Ac Kd Qh Js Tc", (4, 14, 13, 12, 11, 10)),
        ("Ac Kc Qc Jc Tc", (8, 14, 13, 12, 11, 10)),
        ("6c 5d 4h 3s 2c", (4, 6, 5, 4, 3, 2)),
        ("2c 2d 5h 4s 3c", (1, 2, 5, 4, 3)),
        ("2c 2d 2h 4s 4c", (6, 2, 4)),
        ("2c 2d 2h 2s Ac", (7, 2, 14)),
        ("2c 3d 4h 5s 6c 8d Kc", (0, 8, 5, 4, 3, 2)),
        ("2c 3d 4h 5s 6c 6d 6h", (1, 6, 4, 3, 2)),
        ("2c 3c 4c 5c 7c 7d Kc", (0, 7, 5, 4, 3, 2)),
        ("2c 3c 4c 5c 7c 8c 9d", (0, 9, 5, 4, 3, 2)),
    ],
)
def test_deuce_to_seven_keys(cards: str, key: Key) -> None:
    """K7.1, K7.2, K7.3: straights and flushes count against the hand, the ace is high."""
    assert hand_key("27", parse_cards(cards)) == key


def test_the_wheel_is_the_best_ace_high_in_deuce_to_seven() -> None:
    """K7.2."""
    wheel = deuce_to_seven_key(parse_cards("Ac 5d 4h 3s 2c"))
    assert deuce_to_seven_key(parse_cards("Kc Qd Jh Ts 8c")) < wheel
    assert wheel < deuce_to_seven_key(parse_cards("Ac 6d 4h 3s 2c"))


def test_three_low_rankings_order_the_same_three_hands_differently() -> None:
    """G2."""
    hands = {"P": "Ah 2c 3d 4s 5h", "Q": "6c 4d 3h 2s Ac", "R": "7c 5d 4c 3c 2h"}

    def order(ranking: Ranking) -> str:
        keys = {name: hand_key(ranking, parse_cards(cards)) or () for name, cards in hands.items()}
        return "".join(sorted(keys, key=lambda name: keys[name]))

    assert (order("a5"), order("a6"), order("27")) == ("PQR", "QRP", "RPQ")


@pytest.mark.parametrize(
    ("cards", "key"),
    [
        ("5h 4h 3h 2h Ah", (0, 5, 4, 3, 2, 1)),
        ("8c 7d 6h 5s 4c", (0, 8, 7, 6, 5, 4)),
        ("9c 4d 3h 2s Ac", None),
        ("8c 7d 6h 5s 5c", None),
        ("8c 7d 6h 5s Ac Ad Ah", (0, 8, 7, 6, 5, 1)),
        ("8c 7d 6h 5s 5c Kd Qh", None),
        ("Ac Ad 2h 2s 3c 4d 8h", (0, 8, 4, 3, 2, 1)),
        ("Ac 2d 3h 4s 6c 7d 8h", (0, 6, 4, 3, 2, 1)),
        ("Kc Kd Kh Qs Qc", None),
    ],
)
def test_eight_or_better_keys(cards: str, key: Key | None) -> None:
    """K9.1: five different ranks from ace to eight, or no low at all."""
    assert hand_key("8ob", parse_cards(cards)) == key


def test_no_qualifying_low_is_worse_than_eight_seven_six_five_four() -> None:
    """K9.2."""
    worst = eight_or_better_key(parse_cards("8c 7d 6h 5s 4c"))
    better_one = eight_or_better_key(parse_cards("8c 7d 6h 5s 3c"))
    assert worst is not None
    assert better_one is not None
    assert better("8ob", better_one, worst) == 1


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("Ah 2h 3h 4h 5h Kc Kd", "Ac 2c 3d 4s 6c Qd Qs", 1),
        ("8h 6c 4d 3s 2h Kc Kd", "8c 7c 3d 2s Ah Qd Qs", 1),
        ("Kh Kc Qd Qs Jh Jc Td", "9h 9c 8d 8s 7h 7c 7d", 1),
        ("2h 2c 3d 3s 4h 4c 5d", "Ah Ac 2d 2s 6h 6c Kd", -1),
    ],
)
def test_razz_hands_that_rankers_get_wrong(first: str, second: str, outcome: int) -> None:
    """S-23."""
    keys = ace_to_five_key(parse_cards(first)), ace_to_five_key(parse_cards(second))
    assert better("a5", *keys) == outcome


def test_the_pair_that_razz_is_left_with() -> None:
    """S-23: jacks with K-Q-T, not two pair."""
    assert ace_to_five_key(parse_cards("Kh Kc Qd Qs Jh Jc Td")) == (1, 11, 13, 12, 10)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("8h 7c 6d 5s 4h Kc Kd", "8c 7d 6s 5h 3c Qd Qs"),
        ("9h 5c 4d 3s 2h Kc Kd", "8c 7d 6s 5h 4c Qd Qs"),
        ("8h 8c 7d 6s 4h 4c Kd", "8d 7c 5h 4s 2c Qd Qs"),
    ],
)
def test_lows_where_the_second_hand_wins(first: str, second: str) -> None:
    """S-24."""
    winner = eight_or_better_key(parse_cards(second))
    loser = eight_or_better_key(parse_cards(first))
    assert winner is not None
    assert loser is None or better("8ob", winner, loser) == 1


def test_a_nine_and_four_low_ranks_do_not_qualify() -> None:
    """S-24."""
    assert eight_or_better_key(parse_cards("9h 5c 4d 3s 2h Kc Kd")) is None
    assert eight_or_better_key(parse_cards("8h 8c 7d 6s 4h 4c Kd")) is None


def test_nothing_beats_seven_five_in_deuce_to_seven() -> None:
    """K7.3: not all of one suit; a straight to the ace counts against the hand."""
    best = deuce_to_seven_key(parse_cards("7c 5d 4h 3s 2c"))
    for worse in ("7c 6d 4h 3s 2c", "7c 5c 4c 3c 2c", "6c 5d 4h 3s 2c", "Ac 5d 4h 3s 2c"):
        assert best < deuce_to_seven_key(parse_cards(worse))
    straight = deuce_to_seven_key(parse_cards("Ac Kd Qh Js Tc"))
    assert deuce_to_seven_key(parse_cards("Ac Kd Qh Js 9c")) < straight


@pytest.mark.parametrize("hand", ["Ah 2h 3h 4h 5h", "Ac 2d 3h 4s 5c", "Ac 2d 3h 4s 5c 5d Ah"])
def test_the_wheel_is_the_best_hand_in_ace_to_five(hand: str) -> None:
    """K5.2: whatever the suits."""
    wheel = hand_key("a5", parse_cards(hand))
    six = ace_to_five_key(parse_cards("6c 4d 3h 2s Ac"))
    assert wheel is not None
    assert wheel < six


def test_an_ace_high_sequence_is_no_straight_in_ace_to_six() -> None:
    """K6.2: the ace is always low."""
    ace_to_king = ace_to_six_key(parse_cards("Ac Kd Qh Js Tc"))
    assert ace_to_king == (0, 13, 12, 11, 10, 1)
    assert ace_to_king < ace_to_six_key(parse_cards("Ac 2d 3h 4s 5c"))
