"""The worked examples of the rules, number by number: pots, payouts, order, legal amounts."""

from __future__ import annotations

import pytest

from doorcard.cards import parse_cards
from doorcard.engine.awards import contender
from doorcard.engine.choices import choices
from doorcard.events import HandMucked, HandShown
from doorcard.limits import Limits, Scalar, Structure
from tests.games.tables import OPEN, dealt, due, held, payouts, quietly, rules_for

# --- G1 to G6 ----------------------------------------------------------------------------------

G1 = "Ah 9c Kd Kc Ks 7d 8c 2d 9h 4h Ad 4s 8d 5c Th"


def test_g1_five_card_stud() -> None:
    """G1: Ks is the higher suit; aces beat nines; C folds at once."""
    play = dealt("five_card_stud", G1, (100, 100, 100))
    assert play.options() == "B: check, bet 5"
    play.do("B bet", "C fold", "A call")
    assert (play.hand.pot, play.asked) == (13, "B")
    play.do("B check", "A check")
    assert play.asked == "A"
    play.do("A bet", "B call")
    assert (play.hand.pot, play.asked) == (33, "A")
    play.do("A bet", "B call")
    assert play.pots() == [53]
    assert play.of(HandShown)[0].seat == 0
    assert play.of(HandMucked) == [HandMucked(1)]
    assert play.stacks() == [127, 74, 99]


@pytest.mark.parametrize(
    ("variant", "house", "first"),
    [
        ("high_bring_in", {}, "B: bring_in 2, complete 5"),
        ("low_bring_in", {}, "C: bring_in 2, complete 5"),
        ("traditional", {"opener_tie": "position"}, "A: check, bet 5"),
    ],
)
def test_g1_other_openings(variant: str, house: dict[str, Scalar], first: str) -> None:
    """G1: the same doors, opened otherwise."""
    play = dealt("five_card_stud", G1, (100, 100, 100), variant, house=house)
    assert play.options() == first


G2 = ["Ah | 2c 3c 4s 5h", "6c | 4d 3h 2s Ac", "7c | 5d 4c 3d 2h"]


@pytest.mark.parametrize(
    ("low", "order"), [("a5", [0, 1, 2]), ("a6", [1, 2, 0]), ("27", [2, 0, 1])]
)
def test_g2_three_rankings(low: str, order: list[int]) -> None:
    """G2: every one of three hands wins once, and the second is as the table says."""
    rules = rules_for("five_card_lowball", low_ranking=low)
    assert payouts(rules, 90, G2)[order[0]] == 90
    rest = [G2[order[1]], G2[order[2]]]
    assert payouts(rules, 90, rest) == [90, 0]


@pytest.mark.parametrize(("low", "opener"), [("a5", "C"), ("a6", "C"), ("27", "B")])
def test_g2_the_highest_card_brings_it_in(low: str, opener: str) -> None:
    """G2, R5.3: doors Kd, As, Kh."""
    play = dealt("five_card_lowball", "2c 3c 4c Kd As Kh", (100,) * 3, low_ranking=low)
    assert play.options() == f"{opener}: bring_in 2, complete 5"


@pytest.mark.parametrize(
    ("other", "paid"), [("8d | 6c 4h 3s Ac", [51, 50]), ("5c | 4c 3s 2d Ac", [0, 101])]
)
def test_g3_cards_speak(other: str, paid: list[int]) -> None:
    """G3: the odd chip goes to the high half; a wheel wins both."""
    assert payouts(rules_for("five_card_high_low"), 101, ["Kc | Kd 9h 4s 2c", other]) == paid


G4 = ["Qh | Qd 7c 5s 2d", "Ks | Kc 8h 4d 3c", "7d | 6h 4s 3h As", "8c | 7s 5d 3d 2h"]


@pytest.mark.parametrize(
    ("declared", "paid"),
    [
        ("high high low low", [0, 51, 50, 0]),
        ("high low low low", [51, 0, 50, 0]),
        ("low low low low", [0, 0, 101, 0]),
        ("high high both low", [0, 51, 0, 50]),
        ("high both low low", [51, 0, 50, 0]),
    ],
)
def test_g4_declarations(declared: str, paid: list[int]) -> None:
    """G4, R16.5 to R16.7."""
    rules = rules_for("five_card_high_low_declare", declare_both=True)
    assert payouts(rules, 101, G4, declared.split()) == paid


def test_g4_sequential_order() -> None:
    """G4, R16.4: C made the last wager, so C, D, A, B."""
    play = dealt(
        "five_card_high_low_declare",
        "2c 3c 4c 6c 9d 8d 7d Kd 5s 9h 8h 7h Kh 5h 9s 8s 7s Ks 5c 2d 3d 4d 6d",
        (100,) * 4,
        "sequential",
    )
    quietly(play, street=4).do(
        "D check", "A check", "B check", "C bet", "D call", "A call", "B call"
    )
    order = ""
    while choices(play.table) is not None:
        seat = due(play)[1]
        order += seat
        play.choose(f"{seat} high")
    assert order == "CDAB"


def test_g5_a_buy() -> None:
    """G5: ten each for a card, then a pair of nines is first; half each."""
    deck = "7c Qs Kd Qd 2d 6s 9h 3c 4h 9c 4c 2c 3d Ah Jc"
    play = quietly(dealt("five_card_high_low_buy", deck, limits=OPEN._replace(ante=20)))
    assert play.hand.pot == 40
    play.choose("A buy Kd", "B buy Qs")
    assert (held(play, "A"), held(play, "B")) == ("7c | Ah 6s 4h 2c", "Jc | Qd 9h 9c 3d")
    assert (play.hand.pot, play.asked) == (60, "B")
    quietly(play).choose("A low", "B high")
    assert play.shares() == [{"A": 30, "B": 30}]


def test_g6_soko() -> None:
    """G6: two pair > four-card flushes > four-card straights > a pair."""
    rules = rules_for("soko")
    hands = {
        "A": "Ah Ad Kc Qs 9d", "B": "5c 6d 7h 8s 8c", "C": "5d 6h 7c 8s Kd",
        "D": "Ks 9s 6s 2s 2h", "E": "Kh 9h 6h 2h Qd", "F": "4c 4d 7h 7s 2c",
    }  # fmt: skip
    keys = {name: contender(rules, (), parse_cards(cards)).high for name, cards in hands.items()}
    found = sorted(keys, key=lambda name: keys[name] or (), reverse=True)
    assert found == ["F", "E", "D", "C", "B", "A"]


# --- G7 to G9 ----------------------------------------------------------------------------------


def test_g7_the_sample_deal() -> None:
    """G7, example 1: to the cent. Bob is A, Carol B, David C and Alice D."""
    deck = (
        "2c Qs 3h 9h 6c 2h 3d 5d 4s Kd 4d 9c"  # two passes down, the doors
        " 7c Jc Kh 7d Th Kc 7h Td 3s 7s Ad 5s"
    )
    limits = Limits("spread_limit", 25, 100, spread_min=100, spread_max=1000)
    play = dealt("seven_card_stud", deck, (5000,) * 4, limits=limits)
    assert play.asked == "C"
    play.do("C bring_in", "D call", "A fold", "B raise 300", "C fold", "D call")
    assert play.hand.pot == 800
    play.do("B check", "D check")
    assert play.asked == "D"
    play.do("D bet 500", "B call")
    assert play.asked == "D"
    play.do("D bet 500", "B call", "D check", "B bet 1000", "D call")
    assert play.pots() == [4800]
    assert play.of(HandShown)[0].seat == 1
    assert play.of(HandMucked) == [HandMucked(3)]
    assert play.shares() == [{"B": 4800}]


def test_g7_three_raises_over_the_completion() -> None:
    """G7, example 2: fixed limit 5 and 10."""
    play = dealt("seven_card_stud", "2c 2d 2h 2s 4c 4d 4h 4s 9d 3c Kh 3d", (100,) * 4)
    play.do("B bring_in")
    assert play.options() == "C: fold, call 2, complete 5"
    play.do("C complete")
    assert play.options() == "D: fold, call 5, raise 10"
    play.do("D raise", "A raise", "B raise")
    assert play.options() == "C: fold, call 15"


def test_g7_the_pair_option() -> None:
    """G7, example 3: boards 8c 8d and Ah Ks; U = {5, 10}."""
    deck = "2c 3d 2h 3s 8c Ah 4c 8d Ks"
    play = quietly(dealt("seven_card_stud", deck), street=2)
    assert play.options() == "A: check, bet 5 10"
    small = play.table
    play.do("A bet 5")
    assert play.options() == "B: fold, call 5, raise 10 15"
    play.do("B raise 15")
    assert play.options() == "A: fold, call 10, raise 25"
    play.table = small
    play.do("A bet 10")
    assert play.options() == "B: fold, call 10, raise 20"


@pytest.mark.parametrize(("last", "first"), [("2d", "B"), ("5s", "A")])
def test_g8_five_upcards_are_a_full_hand(last: str, first: str) -> None:
    """G8, R11.2: two pair against nothing, or a straight flush against it."""
    deck = f"As Qc Ks Kd 9s Ah 2c 8s Ad 7s 3c 2h 6s 3s 3d {last} 4d"
    assert quietly(dealt("mississippi", deck), street=4).asked == first


def test_g9_rolling() -> None:
    """G9: the nine leads, then the ace."""
    play = dealt("roll_your_own", "As Qc Ad Qd 7c 9h 2s Ah Qs")
    play.choose("A roll 7c", "B roll 9h")
    assert play.asked == "B"
    quietly(play)
    play.choose("A roll Ah", "B roll Qs")
    assert play.asked == "A"


# --- G10 to G17 --------------------------------------------------------------------------------

G10 = "5h Ah 2h 9c Ad Tc Qd 5c Js 2c 9s Ac 6h 3c Kh 7s {d3} 6c 4c 3h {d4} 7c 2d 8d 6d"


@pytest.mark.parametrize(
    ("third", "fourth", "wild", "winner"),
    [("Td", "8s", {12, 5}, "B"), ("Qs", "8s", {12, 4}, "A"), ("Td", "Qs", {12}, "B")],
)
def test_g10_queens_and_after(third: str, fourth: str, wild: set[int], winner: str) -> None:
    """G10, G10.2, G10.3: what follows the last queen decides between A and B; C folds at last."""
    play = dealt("queens_and_after", G10.format(d3=third, d4=fourth), (100,) * 3)
    quietly(play, street=5)
    assert {card.rank for card in play.hand.wild} == wild
    while play.asked != "C":
        play.do(f"{play.asked} {'bet' if play.legal.wager and play.legal.check else 'call'}")
    play.do("C fold")
    quietly(play)
    assert set(play.shares()[0]) == {winner}


G11 = ["3c Kd | Kh Ks 4d 7c | 2h 8s", "Ad Ac | Ah 9h Tc Js | 6d"]
G12 = ["7c 7h | Kc Kd 9c 4s | 2d", "Qs Tc | Ah 6d 5s 8c | 3h", "2s Jd | 9h Th 5d 4c | 6h"]
G16 = ["Ac Ad | Kh Ks 9c Jd | Th", "2h 4d | 5s 6c 8c Kc | Qd", "Ah 2c | 4s 7d 8h 8d | Jc"]


@pytest.mark.parametrize(
    ("game", "amount", "hands", "paid"),
    [
        ("baseball", 100, G11, [0, 100]),
        ("high_chicago", 101, G12, [51, 50, 0]),
        ("low_chicago", 101, G12, [51, 0, 50]),
        ("acey_ducey", 100, ["Ah 2c | Kd Ks Kh 7c | 4d", "Jd Td | 9d 2s Ac 5h | 6c"], [100, 0]),
        ("razz", 100, ["Kc 2h | 7d 5s Ah 3c | Qd", "8s 6c | 4d 2d 2c Jh | Th"], [100, 0]),
        ("stud_high_low_8", 100, G16, [50, 50, 0]),
        ("stud_high_low_8", 100, [*G16[:2], "2d 4h | 5c 6d 8s 8d | Jc"], [50, 25, 25]),
        ("stud_high_low", 100, [*G16[:1], "2h 4d | 5s 9h Tc Kc | Qd"], [50, 50]),
    ],
)
def test_g11_to_g17_showdowns(game: str, amount: int, hands: list[str], paid: list[int]) -> None:
    """G11 to G17, G12.1, G12.3: who gets what."""
    assert payouts(rules_for(game), amount, hands) == paid


@pytest.mark.parametrize(
    ("game", "hand", "key"),
    [
        ("acey_ducey", "Ah 2c Kd Ks Kh 7c 4d", (9, 13)),
        ("acey_ducey", "Jd Td 9d 2s Ac 5h 6c", (8, 13)),
        ("one_eyed_jacks", "Jh Ts Tc Td 4h 6c 8d", (7, 10, 8)),
        ("suicide_king", "Kh Qd Qh Qs 7s 7c 2c", (7, 12, 7)),
        ("baseball", "3c Kd Kh Ks 4d 7c 2h 8s", (7, 13, 8)),
        ("baseball", "Ad Ac Ah 9h Tc Js 6d", (7, 14, 11)),
    ],
)
def test_g11_to_g14_wild_hands(game: str, hand: str, key: tuple[int, ...]) -> None:
    """G11.1, G11.4, G13, G14: what the wild cards make."""
    rules = rules_for(game)
    found = contender(rules, (), parse_cards(hand), (), rules.wild).high
    assert found is not None
    assert found[: len(key)] == key


def test_g11_a_wild_nine_beside_an_ace_is_a_pair_of_aces() -> None:
    """G11, G11.2, G11.5: on the second street; and the four brings its holder a downcard."""
    deck = "3c Ad Kd Ac Kh Ah 2c Ks 9h 2d 4d 8s Tc"
    play = quietly(dealt("baseball", deck), street=2)
    assert play.asked == "B"
    quietly(play, street=3)
    assert len(play.hand.players[0].down) == 3


def test_g15_razz() -> None:
    """G15: Ks is the highest door; 7-5 the lowest board."""
    deck = "4c 4d 4h 4s 6c 6d 6h 6s Kd As Ks 7h 8c 2c 9h 3d 5c"
    play = dealt("razz", deck, (100,) * 4)
    assert play.options() == "C: bring_in 2, complete 5"
    assert quietly(play, street=2).asked == "D"


# --- G18 ---------------------------------------------------------------------------------------

EIGHT = " ".join(f"{rank}{suit}" for rank in "3456" for suit in "cdhs") + " 2c 7c 7d 7h 7s 8c 8d 8h"


@pytest.mark.parametrize(
    ("structure", "said"),
    [
        ("spread_limit", "fold, call 2, raise 7-22"),
        ("pot_limit", "fold, call 2, raise 5-14"),
        ("no_limit", "fold, call 2, raise 5-99"),
        ("fixed_limit", "fold, call 2, complete 5"),
    ],
)
def test_g18_over_the_bring_in(structure: Structure, said: str) -> None:
    """G18: eight players, ante 1, bring-in 2, smallest bet 5 or a spread of 5 to 20."""
    limits = Limits(structure, 1, 2, 5, 10, spread_min=5, spread_max=20)
    play = dealt("seven_card_stud", EIGHT, (100,) * 8, limits=limits)
    assert play.asked == "A"
    play.do("A bring_in")
    assert play.options() == f"B: {said}"


def test_g18_pot_limit_later() -> None:
    """G18: 30 in the pot, a bet of 10: a raise to between 20 and 60."""
    limits = Limits("pot_limit", 15, 0, 10, 20)
    play = dealt("five_card_stud", "", (500, 500), limits=limits)
    play.do(f"{play.asked} bet 10")
    assert play.options()[2:] == " fold, call 10, raise 20-60"
