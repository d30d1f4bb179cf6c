"""Splitting a pot: halves, ties, odd chips (R15)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doorcard.cards import CARDS, parse_cards
from doorcard.engine.awards import Split, contender, split_pot
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.limits import Scalar
from doorcard.tables import GameSpec
from tests.engine.play import STUD


def rules_of(game: str, **house: Scalar) -> Ruleset:
    return ruleset(GameSpec(game, "", STUD, tuple(sorted(house.items()))))


def split(game: str, amount: int, *hands: str, **house: Scalar) -> Split:
    """Split a pot among hands; ``shared`` is no switch but the community cards."""
    community = parse_cards(str(house.pop("shared", "")))
    rules = rules_of(game, **house)
    return split_pot(
        rules,
        amount,
        {i: contender(rules, (), parse_cards(hand), community) for i, hand in enumerate(hands)},
    )


def chips(result: Split) -> dict[int, int]:
    got: dict[int, int] = {}
    for index, _, amount in result.shares:
        got[index] = got.get(index, 0) + amount
    return got


ACES = "As Ad 9h 4c 7s 2h 3d"
KINGS = "Ks Kd 8h 5c 7d Jh Qd"
STRAIGHT_WITH_KING = "9c Kd 2s 5h 6c 7d 8s"
STRAIGHT_WITH_QUEEN = "9d Qh 2h 5s 6h 7c 8d"


def test_the_best_hand_takes_a_high_pot() -> None:
    """R15.1, R14.1, G7."""
    assert split("seven_card_stud", 77, ACES, KINGS) == Split((0,), (), ((0, "all", 77),))


def test_the_lowest_hand_takes_a_low_pot() -> None:
    """R15.1, G15: high pairs are no handicap."""
    result = split("razz", 77, "Ac 3d Kh 5s 6c 7d 9h", "2h 4d Qs 8c 9s Jd Kc")
    assert result == Split((), (0,), ((0, "all", 77),))


@pytest.mark.parametrize(
    ("odd_chip", "expected"),
    [("robert", {0: 23, 1: 22}), ("tda", {0: 22, 1: 23}), ("position", {0: 23, 1: 22})],
)
def test_the_odd_chip_of_a_high_pot(odd_chip: str, expected: dict[int, int]) -> None:
    """R15.3, R15.4: the king held, the nine of diamonds played, the first in deal order."""
    hands = (STRAIGHT_WITH_KING, STRAIGHT_WITH_QUEEN)
    assert chips(split("seven_card_stud", 45, *hands, odd_chip=odd_chip)) == expected


@pytest.mark.parametrize(
    ("odd_chip", "expected"),
    [("robert", {0: 15, 1: 16}), ("tda", {0: 16, 1: 15}), ("position", {0: 16, 1: 15})],
)
def test_the_odd_chip_of_a_low_pot(odd_chip: str, expected: dict[int, int]) -> None:
    """R15.4: the ace of clubs held, the eight of diamonds played."""
    hands = ("Ad 2c Kd 4h 5s 8d Kh", "Ac 2d Qd 4s 5h 8c Qh")
    assert chips(split("razz", 31, *hands, odd_chip=odd_chip)) == expected


def test_nobody_gets_two_odd_chips() -> None:
    """R15.3: fifty among three."""
    hands = ("9c Qc 2s 5h 6c 7d 8s", "9d Qd 2h 5s 6h 7c 8d", "9h Jh 2d 5c 6s 7h 8h")
    assert chips(split("seven_card_stud", 50, *hands)) == {0: 17, 1: 17, 2: 16}


KINGS_FULL = "Kc Kd Ks 9c 9h Qd Jd"
LOW = "2h 3c 4d 6s 7h Tc Jh"


@pytest.mark.parametrize(
    ("house", "expected"),
    [
        ({}, ((0, "high", 38), (1, "low", 37))),
        ({"odd_half_chip": "low"}, ((0, "high", 37), (1, "low", 38))),
        ({"chip_unit": 25}, ((0, "high", 50), (1, "low", 25))),
        ({"chip_unit": 25, "odd_half_chip": "low"}, ((0, "high", 25), (1, "low", 50))),
    ],
)
def test_the_odd_chip_between_the_halves(
    house: dict[str, Scalar], expected: tuple[tuple[int, str, int], ...]
) -> None:
    """R15.2, G16."""
    assert split("stud_high_low_8", 75, KINGS_FULL, LOW, **house).shares == expected


def test_without_a_low_the_high_hand_takes_all() -> None:
    """R15.2, G16."""
    result = split("stud_high_low_8", 75, KINGS_FULL, "2h 3c 4d 9s Th Tc Jh")
    assert result == Split((0,), (), ((0, "all", 75),))


def test_winning_both_halves_is_one_share() -> None:
    """R15.5."""
    result = split("stud_high_low_8", 75, "2c 3d 4h 5s 6c Qd Qh", "Kc Kh 9s 9d 4c Jd Th")
    assert result == Split((0,), (0,), ((0, "all", 75),))


def test_the_same_two_winners_split_once() -> None:
    """R15.5: by the high order, ace of spades over ace of hearts."""
    result = split("stud_high_low_8", 61, "Ah 2c Kd 3d 4s 5h 9c", "As 2d Kc 3h 4c 5s 9d")
    assert result == Split((0, 1), (0, 1), ((0, "all", 30), (1, "all", 31)))


def test_quartering() -> None:
    """R15.6, R15.4: the odd chip of the low half to the deuce of clubs."""
    result = split("stud_high_low_8", 103, KINGS_FULL, LOW, "2c 3h 4c 6h 7d Td Js")
    assert result.shares == ((0, "high", 52), (1, "low", 25), (2, "low", 26))


def test_three_quarters() -> None:
    """R15.6: alone for high, tied for low."""
    result = split("stud_high_low_8", 81, "Ah 2c Kd 3d 4s 7h Ks", "As 2d Qc 3h 4c 7s Jd")
    assert chips(result) == {0: 61, 1: 20}


def test_shared_cards_make_no_odd_chip_order() -> None:
    """R3.6, R15.4: the king of spades is nobody's own; with the cards played it goes on (R15.8)."""
    hands = ("Tc 9d 8h 7s 2c 3d", "Th 9c 8d 7h 2d 3h")
    assert chips(split("seven_card_stud", 27, *hands, shared="Ks")) == {0: 13, 1: 14}
    played = ("Kd Qc Jh Tc 2c 3d", "Kc Qd Js Th 2d 3h")
    assert chips(split("seven_card_stud", 27, *played, shared="As", odd_chip="tda")) == {
        0: 14,
        1: 13,
    }


def test_the_highest_card_played_may_stand_before_a_higher_one_held() -> None:
    """R15.4, R15.8: with the shared nine both play a straight, and the eights decide."""
    hands = ("5c 6d 7h 8c Kd 2d", "5d 6h 7c 8h Qh 2h")
    assert chips(split("seven_card_stud", 27, *hands, shared="9s", odd_chip="tda")) == {
        0: 13,
        1: 14,
    }
    assert chips(split("seven_card_stud", 27, *hands, shared="9s")) == {0: 14, 1: 13}


def test_suits_decide_odd_chips_only() -> None:
    """R1.4: an even pot is shared evenly, whatever the suits."""
    result = split("seven_card_stud", 46, "Ah Ks Qd 9s 2h 3d 4c", "Ac Kh Qs 9d 2d 3h 4s")
    assert chips(result) == {0: 23, 1: 23}


@pytest.mark.parametrize(
    ("unit", "amount", "expected"),
    [
        (1, 31, {0: 16, 1: 15}),
        (5, 31, {0: 16, 1: 15}),
        (10, 31, {0: 21, 1: 10}),
        (100, 31, {0: 31, 1: 0}),
        (25, 100, {0: 50, 1: 50}),
        (25, 150, {0: 75, 1: 75}),
        (25, 125, {0: 75, 1: 50}),
    ],
)
def test_the_smallest_chip_that_splits_are_paid_in(
    unit: int, amount: int, expected: dict[int, int]
) -> None:
    """R15.3."""
    hands = (STRAIGHT_WITH_KING, STRAIGHT_WITH_QUEEN)
    assert chips(split("seven_card_stud", amount, *hands, chip_unit=unit)) == expected


@given(
    st.permutations(range(52)),
    st.integers(2, 7),
    st.integers(0, 10_000),
    st.sampled_from(["seven_card_stud", "razz", "stud_high_low_8"]),
    st.sampled_from(["robert", "tda", "position"]),
    st.sampled_from(["high", "low"]),
    st.sampled_from([1, 5, 100]),
)
def test_every_chip_is_paid(
    order: list[int], players: int, amount: int, game: str, odd: str, half: str, unit: int
) -> None:
    """R15.1, R15.2, R15.3: no chip lost or made; equal winners differ by one chip at most."""
    rules = rules_of(game, odd_chip=odd, odd_half_chip=half, chip_unit=unit)
    contenders = {
        index: contender(
            rules, (), tuple(CARDS[place] for place in order[7 * index : 7 * index + 7])
        )
        for index in range(players)
    }
    result = split_pot(rules, amount, contenders)
    assert sum(share for _, _, share in result.shares) == amount
    for part in {part for _, part, _ in result.shares}:
        shares = [share for _, mine, share in result.shares if mine == part]
        assert min(shares) >= 0
        assert max(shares) - min(shares) <= (1 if unit == 1 else 2 * unit)


def test_a_shared_card_counts_for_both_halves() -> None:
    """R3.12, R3.6: the three makes one hand a full house and another one a low of five cards."""
    hands = ("Ah 2c 8d 5h Kd Ks", "Kc Kh 3d 3h 9s Td", "Ac Ad Qh Qs 9c Tc")
    assert chips(split("stud_high_low_8", 100, *hands, shared="7s")) == {0: 50, 2: 50}
    assert chips(split("stud_high_low_8", 100, *hands, shared="3s")) == {0: 50, 1: 50}
    assert chips(split("stud_high_low_8", 100, *hands, shared="Js")) == {2: 100}


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [("27", {0: 16, 1: 15}), ("a5", {0: 15, 1: 16}), ("a6", {0: 15, 1: 16})],
)
def test_the_lowest_card_is_the_rankings_own(ranking: str, expected: dict[int, int]) -> None:
    """R15.4: the deuce of diamonds in deuce-to-seven, elsewhere the ace of clubs."""
    hands = ("Ah 9c 4d 3s 2d", "Ac 9d 4c 3h 2h")
    assert chips(split("five_card_lowball", 31, *hands, low_ranking=ranking)) == expected


def test_wild_cards_count_as_printed_for_odd_chips() -> None:
    """R15.4: three kings each; the wild ace is an ace, the wild deuce only a deuce."""
    rules = ruleset(GameSpec("acey_ducey", "", STUD._replace(bring_in=0)))
    hands = ("Ac Kd Kh 7s 5d 4c 3h", "2s Ks Kc 7d 5c 4d 3s")
    held = {i: contender(rules, (), parse_cards(h), (), rules.wild) for i, h in enumerate(hands)}
    assert chips(split_pot(rules, 31, held, wild=rules.wild)) == {0: 16, 1: 15}
