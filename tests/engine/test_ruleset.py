"""Games, stakes and house rules resolved: defaults, variants, and what is refused at opening."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

import pytest

from doorcard.commands import OpenTable
from doorcard.engine import floor
from doorcard.engine.decided import Decided
from doorcard.engine.ruleset import ruleset
from doorcard.engine.spec_check import check_spec
from doorcard.errors import BadInput, Refused
from doorcard.games import GAMES
from doorcard.limits import SWITCHES, HouseRules, Limits, Scalar
from doorcard.tables import GameSpec
from tests.engine.play import NO_BRING_IN, STUD
from tests.engine.random_play import opened_by_bring_in

SEVEN: Final = "ddu u u u d"
SIZES: Final = "10 10 20 20 20"
HALF_POT: Any = "half_pot"


def spec(game: str, variant: str = "", limits: Limits | None = None, **house: Scalar) -> GameSpec:
    forced = game in GAMES and opened_by_bring_in(game, variant)
    usual = STUD if forced else NO_BRING_IN
    return GameSpec(game, variant, usual if limits is None else limits, tuple(house.items()))


@pytest.mark.parametrize(
    ("game", "deals", "sizes", "opening", "tie", "pair", "seats"),
    [
        ("seven_card_stud", SEVEN, SIZES, "low_card_bring_in", "position", "any", 9),
        ("razz", SEVEN, SIZES, "high_card_bring_in", "position", "none", 9),
        ("stud_high_low_8", SEVEN, SIZES, "low_card_bring_in", "position", "none", 9),
        ("five_card_stud", "du u u u", "10 10 20 20", "high_board_opens", "suit", "any", 10),
    ],
)
def test_each_game_has_its_own_defaults(
    game: str, deals: str, sizes: str, opening: str, tie: str, pair: str, seats: int
) -> None:
    """G1, G7, G15, G16, R7.1, R11.5: what the game says goes over the common default."""
    rules = ruleset(spec(game))
    assert " ".join(street.deal for street in rules.streets) == deals
    assert " ".join(str(size) for (size,) in rules.sizes) == sizes
    assert rules.opening == rules.house.opening == opening
    assert rules.house.opener_tie == tie
    assert rules.pair_option == rules.house.pair_option == pair
    assert rules.seats_max == seats
    assert rules.cap == 3
    assert rules.half_rule


def test_no_switch_is_left_open() -> None:
    """R20: after resolving, only what may be absent is None."""
    for game in GAMES:
        house = ruleset(spec(game)).house
        absent = {field.name for field in fields(HouseRules) if getattr(house, field.name) is None}
        assert absent <= {"rake_cap", "low_ranking"}, game


@pytest.mark.parametrize(
    ("game", "variant", "opening"),
    [
        ("five_card_stud", "", "high_board_opens"),
        ("five_card_stud", "traditional", "high_board_opens"),
        ("five_card_stud", "high_bring_in", "high_card_bring_in"),
        ("five_card_stud", "low_bring_in", "low_card_bring_in"),
        ("seven_card_stud", "bring_in", "low_card_bring_in"),
        ("seven_card_stud", "no_bring_in", "high_board_opens"),
        ("razz", "no_bring_in", "low_board_opens"),
        ("stud_high_low_8", "no_bring_in", "high_board_opens"),
    ],
)
def test_variants_set_the_opening(game: str, variant: str, opening: str) -> None:
    """R5.1."""
    limits = STUD if opening.endswith("bring_in") else NO_BRING_IN
    assert ruleset(spec(game, variant, limits)).opening == opening


def test_the_house_wins_over_the_variant() -> None:
    """R20: an explicit table setting goes over both defaults."""
    rules = ruleset(spec("seven_card_stud", "bring_in", NO_BRING_IN, opening="high_board_opens"))
    assert (rules.opening, rules.bring_in) == ("high_board_opens", 0)


@pytest.mark.parametrize("structure", ["pot_limit", "no_limit"])
def test_big_bet_structures_have_no_cap_and_the_full_rule(structure: Any) -> None:
    """R8.6, R9.7."""
    rules = ruleset(spec("seven_card_stud", limits=Limits(structure, 2, 5, min_bet=10)))
    assert rules.cap is None
    assert not rules.half_rule


def test_spread_limit_has_a_cap_and_the_half_rule() -> None:
    """R8.1, R9.1, R10.1."""
    limits = Limits("spread_limit", 2, 5, spread_min=5, spread_max=20)
    rules = ruleset(spec("seven_card_stud", limits=limits))
    assert (rules.cap, rules.half_rule, rules.unit) == (3, True, 5)


UNFIT: Final[dict[str, tuple[Scalar, ...]]] = {
    "dealer_mode": ("nobody", None, 1),
    "burn": (1, "true", None),
    "exhaustion": ("redeal", None),
    "community_betting": (0, "no"),
    "community_opener": ("lowest", None),
    "opening": ("blinds", 0),
    "short_bring_in_price": ("half", True),
    "bring_in_all_in_ante": ("skip", None),
    "open_fold": (1, "yes"),
    "pair_option": ("both", True),
    "small_raise_after_big": (2, None),
    "late_streets": ("small_only", False),
    "max_raises": (-1, "3", True, 1001),
    "heads_up_uncap": ("always", None),
    "short_wager_rule": ("third", 0),
    "first_raise_from": ("ante", None),
    "opener_tie": ("rank", 1),
    "rake_bps": (-1, 10_001, "5", None, True),
    "rake_cap": (-1, "none", 2**53),
    "no_fourth_street_no_drop": (None, 1),
    "auto_muck": ("yes", None),
    "expose_all_in": (None, 0),
    "odd_chip": ("house", None),
    "odd_half_chip": ("both", None),
    "chip_unit": (0, -5, None, "1"),
    "low_ranking": ("a4", 5),
    "last_card_down": (1, None),
    "declare": ("secretly", True),
    "declare_both": ("yes", None),
    "declare_both_ties": ("win", None),
    "declare_start": ("dealer", None),
    "bet_after_declare": (1, None),
    "buy_rounds": (-1, "1", True, 3),
    "buy_price": (5, "5", (5, -1), (2**53,), (True,)),
    "buy_order": ("random", None),
    "bet_before_buy": (1, None),
    "bet_between_buys": (1, None),
    "roll_order": ("clockwise", None),
    "roll_deal": ("eight", None),
    "wild_cards": ("Jx", "Jh Jh", 5, None),
    "wild_on_board": (1, None),
    "double_ace_flush": ("no", None),
    "natural_beats_wild": (0, None),
    "queen_cancels_previous": (1, None),
    "four_extra": ("sideways", None),
    "four_extra_price": (-1, None, True),
    "three_up_match_pot": (1, None),
    "low_chicago_ace": ("both", None),
    "soko_board_four_card": (1, None),
    "missed_ante_policy": ("post_two", None),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_every_switch_refuses_values_that_make_no_sense(name: str) -> None:
    """R20: at opening, by name, and nothing is guessed."""
    for value in UNFIT[name]:
        outcome = floor.open_table(
            "p00.bad", OpenTable("seven_card_stud", STUD, house=((name, value),))
        )
        assert isinstance(outcome, Refused), (name, value)
        assert outcome.code == "house/bad_value"
        assert name in outcome.sentence


CONTRADICTIONS: Final = [
    ("seven_card_stud", {"opening": "high_card_bring_in"}),
    ("razz", {"opening": "low_card_bring_in"}),
    ("razz", {"opening": "high_board_opens"}),
    ("stud_high_low_8", {"opening": "low_board_opens"}),
    ("seven_card_stud", {"last_card_down": True}),
    ("razz", {"last_card_down": True}),
    ("seven_card_stud", {"low_ranking": "a5"}),
    ("razz", {"low_ranking": "27"}),
    ("stud_high_low_8", {"low_ranking": "a5"}),
    ("razz", {"pair_option": "any"}),
    ("seven_card_stud", {"declare": "simultaneous"}),
    ("seven_card_stud", {"roll_order": "in_turn"}),
    ("razz", {"wild_cards": "Jh"}),
    ("seven_card_stud", {"wild_on_board": False}),
    ("high_chicago", {"low_chicago_ace": "low"}),
]


@pytest.mark.parametrize(("game", "house"), CONTRADICTIONS)
def test_house_rules_that_contradict_the_game_are_refused(
    game: str, house: dict[str, Scalar]
) -> None:
    """R5.1, R20."""
    outcome = check_spec(spec(game)._replace(house=tuple(house.items())))
    assert isinstance(outcome, Refused)
    assert outcome.code == "house/contradiction"


@pytest.mark.parametrize("values", [(True, False), (True, True), (1, "x")])
def test_a_switch_set_twice_is_refused(values: tuple[Scalar, Scalar]) -> None:
    """R20: which one would count?"""
    house = tuple(("burn", value) for value in values)
    outcome = floor.open_table("p00.bad", OpenTable("razz", STUD, house=house))
    assert isinstance(outcome, Refused)
    assert outcome.code.startswith("house/")


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (STUD._replace(bring_in=0), "limits/bad_bring_in"),
        (STUD._replace(bring_in=11), "limits/bad_bring_in"),
        (STUD._replace(ante=-1), "limits/bad_amount"),
        (STUD._replace(ante=2**53), "limits/bad_amount"),
        (STUD._replace(small_bet=0), "limits/bad_sizes"),
        (STUD._replace(big_bet=10), "limits/bad_sizes"),
        (Limits("spread_limit", 1, 2, spread_min=0, spread_max=5), "limits/bad_sizes"),
        (Limits("spread_limit", 1, 2, spread_min=6, spread_max=5), "limits/bad_sizes"),
        (Limits("no_limit", 1, 2), "limits/bad_sizes"),
        (Limits("pot_limit", 1, 9, min_bet=8), "limits/bad_bring_in"),
    ],
)
def test_stakes_that_make_no_sense_are_refused(limits: Limits, code: str) -> None:
    """R1.5, R4.5, R5.6, R10.1, R10.2."""
    outcome = floor.open_table("p00.bad", OpenTable("seven_card_stud", limits))
    assert isinstance(outcome, Refused)
    assert outcome.code == code


@pytest.mark.parametrize("amount", [1.0, "10", True, None, float("nan")])
def test_amounts_are_whole_numbers(amount: Any) -> None:
    """R1.5."""
    outcome = check_spec(spec("seven_card_stud", limits=STUD._replace(ante=amount)))
    assert isinstance(outcome, Refused)
    assert outcome.code == "limits/bad_amount"


def test_the_bring_in_may_be_a_whole_small_bet() -> None:
    """R5.6, R5.12."""
    assert check_spec(spec("seven_card_stud", limits=STUD._replace(bring_in=10))) is None


def test_an_ante_is_not_needed() -> None:
    """R4.1: it may be 0."""
    assert check_spec(spec("seven_card_stud", limits=STUD._replace(ante=0))) is None


def test_no_bring_in_without_a_bring_in_opening() -> None:
    """R5.1."""
    outcome = check_spec(spec("five_card_stud", limits=STUD))
    assert isinstance(outcome, Refused)
    assert outcome.code == "limits/bad_bring_in"


@pytest.mark.parametrize(
    ("unknown", "code"),
    [
        (spec("whist"), "floor/unknown_game"),
        (spec("razz", "short_deck"), "floor/unknown_variant"),
        (spec("razz", jokers=True), "house/unknown_switch"),
        (spec("razz", limits=Limits(HALF_POT, 1, 2, 5, 10)), "limits/unknown_structure"),
    ],
)
def test_unknown_names_are_refused(unknown: GameSpec, code: str) -> None:
    refused = check_spec(unknown)
    assert isinstance(refused, Refused)
    assert refused.code == code
    with pytest.raises(BadInput):
        ruleset(unknown)


def test_the_same_spec_gives_the_same_rules() -> None:
    opened = floor.open_table("p00.one", OpenTable("razz", STUD))
    assert isinstance(opened, Decided)
    config = opened.table.config
    assert config is not None
    assert ruleset(config.spec) is ruleset(spec("razz"))
