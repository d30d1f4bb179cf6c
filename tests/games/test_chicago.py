"""The spade in the hole that takes half the pot (G12)."""

from __future__ import annotations

from itertools import combinations

import pytest

from doorcard.cards import CARDS, parse_cards
from doorcard.engine.awards import contender, split_pot
from doorcard.limits import Scalar
from tests.games.tables import dealt, payouts, quietly, rules_for

KINGS = "Kh Kd | 8c 7c 5d 4h | 2d"
"""A pair of kings and no spade."""


@pytest.mark.parametrize(
    ("game", "paid"), [("high_chicago", [51, 50, 0]), ("low_chicago", [51, 0, 50])]
)
def test_hand_and_spade_share_the_pot(game: str, paid: list[int]) -> None:
    """G12.1, R15.7: the odd chip goes with the hand."""
    hands = [KINGS, "Js Tc | Qh 8d 6c 5h | 3h", "3s Jd | 9h Th 6d 4c | 2h"]
    assert payouts(rules_for(game), 101, hands) == paid


@pytest.mark.parametrize("game", ["high_chicago", "low_chicago"])
@pytest.mark.parametrize("house", [{}, {"low_chicago_ace": "low"}])
def test_no_two_spades_are_equal(game: str, house: dict[str, Scalar]) -> None:
    """R15.7: with any two spades in two hands one of them takes the half."""
    rules = rules_for(game, **(house if game == "low_chicago" else {}))
    spades = [card for card in CARDS if card.suit == 3]
    up = parse_cards("2h 4d 7c 8h Td")
    for one, other in combinations(spades, 2):
        held = {0: contender(rules, (one,), up), 1: contender(rules, (other,), up)}
        assert len(split_pot(rules, 100, held).low) == 1


@pytest.mark.parametrize(
    ("game", "exposed"), [("high_chicago", "As"), ("low_chicago", "2s"), ("low_chicago", "3s")]
)
def test_a_spade_that_everybody_sees_takes_nothing(game: str, exposed: str) -> None:
    """G12.2: neither an upcard nor a community card; the last downcard does."""
    hands = [KINGS, f"Jh Tc | {exposed} 8d 6c 5h | 3h", "4c Jd | 9h Th 6d 5c | 7s"]
    rules = rules_for(game)
    assert payouts(rules, 100, hands) == [50, 0, 50]
    shared = parse_cards(exposed)
    held = {
        0: contender(rules, parse_cards("Kh Kd"), parse_cards("8c 7c 5d 4h"), shared),
        1: contender(rules, parse_cards("9s Td"), parse_cards("8d 6c 5h Jh"), shared),
    }
    assert split_pot(rules, 100, held).low == (1,)


@pytest.mark.parametrize("game", ["high_chicago", "low_chicago"])
def test_without_a_spade_in_the_hole_the_hand_takes_all(game: str) -> None:
    """G12.4: and so does a hand that has the spade as well."""
    rules = rules_for(game)
    assert payouts(rules, 101, [KINGS, "Jh Tc | As 8d 6c 5h | 3h"]) == [101, 0]
    assert payouts(rules, 101, ["Kh Ks | 8c 7c 5d 4h | 2d", "Jh Tc | Qd 8d 6c 5h | 3h"]) == [101, 0]


def test_each_pot_has_the_best_spade_of_its_own_players() -> None:
    """G12.4: A, all-in, has the ace of spades; of the side pot B's king is the best."""
    deck = (
        "As Ks 7c 2c 2d 7d 4h 3h 5h"  # two passes down, the doors
        " 8c Td Jd 7h 8d 9c 8h Qc 9d Jc Qh Kd 9h Tc Th 6d 6h"
    )
    play = dealt("high_chicago", deck, (8, 100, 100))
    play.do("B bring_in", "C complete", "A call", "B call")
    quietly(play, street=3)
    quietly(play.do(f"{play.asked} bet"))
    assert play.pots() == [24, 16]
    assert [set(share) for share in play.shares()] == [{"A", "C"}, {"B", "C"}]
