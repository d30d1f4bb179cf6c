"""House rules of single games: what each one changes, what contradicts, what no deck can give."""

from __future__ import annotations

from typing import Final

import pytest

from doorcard.cards import parse_cards
from doorcard.commands import OpenTable
from doorcard.engine import floor
from doorcard.engine.awards import contender, split_pot
from doorcard.engine.decided import Decided
from doorcard.engine.ruleset import ruleset
from doorcard.engine.spec_check import GAME_SWITCHES
from doorcard.errors import BadInput, Refused
from doorcard.events import Dealt
from doorcard.games import GAMES
from doorcard.limits import SWITCHES, Limits, Scalar
from doorcard.tables import GameSpec
from tests.games.random_hands import switches
from tests.games.tables import dealt, due, held, limits_of, payouts, quietly, rules_for, run_out

House = dict[str, Scalar]


def opened(game: str, house: House, *, variant: str = "", seats: int = 2) -> Decided | Refused:
    """What the floor answers to a table with these house rules."""
    limits = limits_of(game, variant, house)
    return floor.open_table("t", OpenTable(game, limits, variant, tuple(house.items()), seats))


# --- what cannot be ----------------------------------------------------------------------------

CONTRADICTIONS: Final[list[tuple[str, House]]] = [
    ("high_chicago", {"declare": "simultaneous"}),  # G12.5
    ("low_chicago", {"declare": "sequential"}),
    ("seven_card_stud", {"declare": "simultaneous"}),  # R16.12
    ("razz", {"declare": "simultaneous"}),
    ("razz", {"wild_cards": "Jh"}),
    ("five_card_lowball", {"wild_cards": "Jh"}),
    ("stud_high_low_8", {"wild_cards": "Jh"}),
    ("soko", {"wild_cards": "Jh"}),
    ("five_card_high_low_declare", {"declare": "none", "declare_both": True}),
    ("five_card_high_low_declare", {"declare": "none", "bet_after_declare": True}),
    ("five_card_high_low_declare", {"declare_both_ties": "share"}),  # R16.8
    ("five_card_high_low_declare", {"declare_start": "dealer_left"}),  # R16.4
    ("stud_high_low", {"declare_both": True}),
    ("stud_high_low", {"low_ranking": "8ob"}),
    ("stud_high_low_8", {"low_ranking": "a5"}),
    ("seven_card_stud", {"low_ranking": "a5"}),
    ("five_card_high_low_buy", {"buy_price": (5, 10)}),
    ("five_card_high_low_buy", {"buy_rounds": 2, "buy_price": (5,)}),
    ("five_card_high_low_buy", {"buy_rounds": 0, "bet_before_buy": True}),
    ("five_card_high_low_buy", {"bet_between_buys": True}),  # G5.1
    ("five_card_high_low_declare", {"buy_rounds": 1}),
    ("five_card_stud", {"buy_price": (5,)}),
    ("five_card_stud", {"roll_order": "in_turn"}),
    ("five_card_high_low", {"buy_order": "opener"}),
    ("seven_card_stud", {"roll_deal": "four_by_two"}),
    ("seven_card_stud", {"last_card_down": True}),
    ("seven_card_stud", {"wild_on_board": False}),
    ("seven_card_stud", {"natural_beats_wild": True}),
    ("razz", {"double_ace_flush": True}),
    ("baseball", {"queen_cancels_previous": False}),
    ("queens_and_after", {"four_extra": "up"}),
    ("queens_and_after", {"four_extra_price": 5}),
    ("acey_ducey", {"three_up_match_pot": True}),
    ("high_chicago", {"low_chicago_ace": "low"}),
    ("five_card_stud", {"soko_board_four_card": False}),
    ("razz", {"pair_option": "any"}),  # R7.4
    ("five_card_lowball", {"pair_option": "holder"}),
    ("seven_card_stud", {"opening": "low_board_opens"}),
    ("razz", {"opening": "low_card_bring_in"}),
    ("roll_your_own", {"opening": "high_card_bring_in"}),
]


@pytest.mark.parametrize(("game", "house"), CONTRADICTIONS)
def test_what_makes_no_sense_is_refused_with_the_reason(game: str, house: House) -> None:
    """R20, R16.12, G12.5: at opening, in one sentence; and no rules are made of it."""
    answer = opened(game, house)
    assert isinstance(answer, Refused)
    assert answer.code == "house/contradiction"
    assert answer.sentence.endswith(".")
    spec = GameSpec(game, "", limits_of(game, "", house), tuple(sorted(house.items())))
    with pytest.raises(BadInput):
        ruleset(spec)


def test_every_switch_of_one_game_is_refused_by_another() -> None:
    """R20: a switch that a game has no use for may only stand at its default."""
    for name in GAME_SWITCHES:
        refusing = [house for _, house in CONTRADICTIONS if name in house]
        assert refusing, name


@pytest.mark.parametrize(
    ("game", "house"),
    [
        ("high_chicago", {"declare": "none"}),
        ("five_card_stud", {"declare": "none", "buy_rounds": 0}),
        ("seven_card_stud", {"wild_on_board": True, "roll_deal": "seven", "buy_price": ()}),
        ("stud_high_low_8", {"declare": "sequential", "declare_both": True}),
        ("seven_card_stud", {"wild_cards": "Jh Js", "natural_beats_wild": True}),
    ],
)
def test_what_changes_nothing_or_makes_sense_is_granted(game: str, house: House) -> None:
    """R16.10, G14, R20: naming a default is no contradiction."""
    assert isinstance(opened(game, house), Decided)


@pytest.mark.parametrize(
    ("house", "code"),
    [
        ({"nonsense": True}, "house/unknown_switch"),
        ({"queen_missing_redeal": True}, "house/unknown_switch"),
        ({"Four_extra": "up"}, "house/unknown_switch"),
        ({"four_extra": "sideways"}, "house/bad_value"),
        ({"four_extra": None}, "house/bad_value"),
        ({"four_extra_price": -1}, "house/bad_value"),
        ({"four_extra_price": 2.5}, "house/bad_value"),
        ({"four_extra_price": True}, "house/bad_value"),
        ({"three_up_match_pot": 1}, "house/bad_value"),
        ({"three_up_match_pot": "yes"}, "house/bad_value"),
        ({"wild_cards": "Jx"}, "house/bad_value"),
        ({"wild_cards": "Jh Jh"}, "house/bad_value"),
        ({"wild_cards": "10h"}, "house/bad_value"),
        ({"wild_cards": "jh"}, "house/bad_value"),
        ({"wild_cards": "jokers"}, "house/bad_value"),
        ({"wild_cards": 5}, "house/bad_value"),
        ({"wild_cards": True}, "house/bad_value"),
        ({"buy_price": (0,)}, "house/bad_value"),
        ({"buy_price": (-5,)}, "house/bad_value"),
        ({"buy_price": 10}, "house/bad_value"),
        ({"buy_price": ("10",)}, "house/bad_value"),
        ({"buy_rounds": 3}, "house/bad_value"),
        ({"buy_rounds": True}, "house/bad_value"),
        ({"roll_order": "at once"}, "house/bad_value"),
        ({"declare": True}, "house/bad_value"),
        ({"low_ranking": "a7"}, "house/bad_value"),
    ],
)
def test_unknown_switches_and_values_are_refused(house: House, code: str) -> None:
    """R20, G10.6: of the right kind, among the listed values and one that exists, or not at all."""
    answer = opened("baseball", house)
    assert isinstance(answer, Refused)
    assert answer.code == code


def test_a_switch_is_set_once() -> None:
    """R20."""
    house = (("four_extra", "up"), ("four_extra", "down"))
    answer = floor.open_table(
        "t", OpenTable("baseball", Limits("fixed_limit", 1, 0, 5, 10), "", house)
    )
    assert isinstance(answer, Refused)
    assert answer.code == "house/set_twice"


@pytest.mark.parametrize(
    ("game", "variant", "house", "most"),
    [
        ("five_card_stud", "", {}, 10),
        ("five_card_lowball", "", {}, 10),
        ("five_card_high_low", "", {}, 10),
        ("five_card_high_low_declare", "", {}, 10),
        ("five_card_high_low_buy", "", {}, 8),
        ("five_card_high_low_buy", "two_buys", {}, 7),
        ("five_card_high_low_buy", "", {"buy_rounds": 2}, 7),
        ("five_card_high_low_buy", "two_buys", {"buy_rounds": 1}, 8),
        ("soko", "", {}, 10),
        ("seven_card_stud", "", {}, 9),
        ("mississippi", "", {}, 8),
        ("roll_your_own", "", {}, 8),
        ("roll_your_own", "four_by_two", {}, 6),
        ("roll_your_own", "", {"roll_deal": "four_by_two"}, 6),
        ("baseball", "", {}, 7),
    ],
)
def test_no_table_has_more_seats_than_the_deck_can_give(
    game: str, variant: str, house: House, most: int
) -> None:
    """R2.1, R3, G1 to G11: refused when the table is opened."""
    assert isinstance(opened(game, house, variant=variant, seats=most), Decided)
    for seats in (most + 1, 52, 1, 0, -1):
        answer = opened(game, house, variant=variant, seats=seats)
        assert isinstance(answer, Refused)
        assert answer.code == "floor/bad_seats"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_largest_table_is_dealt_to_the_end(game: str) -> None:
    """R3.10: with every seat taken and nobody folding no card is missing."""
    for variant in ("", *GAMES[game].variants):
        limits = limits_of(game, variant, {})
        spec = GameSpec(game, variant, limits)
        seats = ruleset(spec).seats_max
        play = dealt(game, "", (100,) * seats, variant)
        while quietly(play).table.in_hand:
            play.time_out()
        assert len(play.of(Dealt)) >= len(ruleset(spec).streets)


# --- what each one changes -----------------------------------------------------------------------


def test_random_hands_know_every_switch() -> None:
    """Each one is among those that the random hands set, or set by a variant of theirs."""
    known = {name for game in GAMES for name in switches(game)}
    known.update(
        name for game in GAMES.values() for each in game.variants.values() for name in each
    )
    assert set(SWITCHES) - known == {"first_raise_from"}


def test_declare_both_ties_change_a_payout() -> None:
    """R16.7, R16.8: win high alone and tie low."""
    hands = ["7h | 5h 4h 3h Ah", "7d | 5c 4c 3d Ac"]
    for ties, paid in (("lose", [0, 100]), ("share", [75, 25])):
        rules = rules_for(
            "five_card_high_low_declare",
            low_ranking="a5",
            declare_both=True,
            declare_both_ties=ties,
        )
        assert payouts(rules, 100, hands, ("both", "low")) == paid


def test_a_wild_set_on_any_high_game_changes_the_winner() -> None:
    """G14: the king of hearts makes a fourth queen."""
    hands = ["Kh Qd | Qh Qs 7s 7c | 2c", "8c 8d | 8h 8s 3c 4d | 5h"]
    assert payouts(rules_for("seven_card_stud"), 100, hands) == [0, 100]
    assert payouts(rules_for("seven_card_stud", wild_cards="Kh"), 100, hands) == [100, 0]
    assert payouts(rules_for("suicide_king"), 100, hands) == [100, 0]


def test_a_wild_set_is_added_to_the_games_own() -> None:
    """G14: one-eyed jacks in baseball."""
    rules = rules_for("baseball", wild_cards="Jh Js")
    assert {str(card) for card in rules.wild} >= {"Jh", "Js", "3c", "9s"}


def test_a_wild_spade_in_the_hole_is_a_spade() -> None:
    """G12.1, R15.4: wild cards count as printed for the spade half."""
    hands = ["Js 7h | Kc Kd 9c 4d | 2d", "Ts Tc | Ah 6d 5s 8c | 3h"]
    rules = rules_for("high_chicago", wild_cards="Js")
    assert payouts(rules, 100, hands) == [100, 0]


def test_natural_beats_wild_also_with_a_community_wild_card() -> None:
    """K2.7: how many wild cards a hand uses is counted over all its cards."""
    rules = rules_for("one_eyed_jacks", natural_beats_wild=True)
    shared = parse_cards("Js")
    own = ("Kc Kd Ks 7c 6d 2h", "Kh 7d 6c 2s 9h 9d")
    held_hands = {
        i: contender(rules, (), parse_cards(h), shared, rules.wild) for i, h in enumerate(own)
    }
    assert split_pot(rules, 100, held_hands, wild=rules.wild).high == (0,)


def test_the_pair_option_counts_wild_upcards() -> None:
    """R7.8: a deuce beside a king is a pair, unless boards count as printed."""
    deck = "4c 5c 6c 7c Kd 9d 3c 2h 8h"
    said = [
        quietly(dealt("acey_ducey", deck, wild_on_board=way), street=2).options()
        for way in (True, False)
    ]
    assert said == ["A: check, bet 5 10", "A: check, bet 5"]


def test_last_card_down_in_high_low() -> None:
    """G1.1, G3: the modifier belongs to every five-card game."""
    play = dealt("five_card_high_low_declare", "", last_card_down=True)
    quietly(play)
    assert due(play)[0] == "declare"
    assert [len(cards.split()) for cards in held(play, "A").split("|")] == [2, 3]


def test_roll_your_own_brought_in_by_the_lowest_rolled_card() -> None:
    """G9: with a bring-in the rolled card is the door."""
    play = dealt("roll_your_own", "2c 3c Ac Kc 9h 8h", opening="low_card_bring_in")
    play.choose("A roll 2c", "B roll 8h")
    assert play.options() == "A: bring_in 2, complete 5"


def test_boards_are_compared_again_after_a_community_street() -> None:
    """R3.8, R11.3: the shared king makes B's pair, but A stays first for that one street."""
    play = dealt(
        "seven_card_stud",
        "2c 3c 2d 3d Ah Kd 4c 9c Qd 4d 5d 8h 4h Kc",
        variant="no_bring_in",
        community_opener="same_as_previous",
        exhaustion="community_only",
    )
    quietly(play, street=3)
    rest = play.hand.stub[2:]
    run_out(play, left=2)
    quietly(play, street=4)
    assert [str(card) for card in play.hand.community] == ["Kc"]
    assert play.asked == "A"
    play.hand.discards, play.hand.stub = (), rest
    assert quietly(play, street=5).asked == "B"
