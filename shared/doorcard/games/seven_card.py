"""Seven-card stud, razz, high-low, Mississippi, roll your own (G7 to G9, G15 to G17)."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from doorcard.games.model import Game, Street

_BRING_IN: Final = MappingProxyType(
    {
        "bring_in": MappingProxyType({"opening": "low_card_bring_in"}),
        "no_bring_in": MappingProxyType({"opening": "high_board_opens"}),
    }
)

SEVEN_CARD_STUD: Final = Game(
    id="seven_card_stud",
    name="Seven-card stud",
    summary="Two cards down, four up, one down; the best five of seven win.",
    family="seven_card",
    streets=(
        Street("ddu", "small"),
        Street("u", "small"),
        Street("u", "big"),
        Street("u", "big"),
        Street("d", "big"),
    ),
    seats_default=8,
    seats_max=9,
    opening="low_card_bring_in",
    openings=("low_card_bring_in", "high_board_opens"),
    board_order="high",
    split="high",
    high_ranking="high",
    opener_tie="position",
    pair_option="any",
    variants=_BRING_IN,
)

RAZZ: Final = replace(
    SEVEN_CARD_STUD,
    id="razz",
    name="Razz",
    summary="Seven-card stud for the lowest hand, ace to five.",
    opening="high_card_bring_in",
    openings=("high_card_bring_in", "low_board_opens"),
    board_order="a5",
    split="low",
    high_ranking=None,
    low_ranking="a5",
    pair_option="none",
    variants=MappingProxyType(
        {
            "bring_in": MappingProxyType({"opening": "high_card_bring_in"}),
            "no_bring_in": MappingProxyType({"opening": "low_board_opens"}),
        }
    ),
)

STUD_HIGH_LOW_8: Final = replace(
    SEVEN_CARD_STUD,
    id="stud_high_low_8",
    name="Seven-card stud high-low, eight or better",
    summary="Half the pot to the best hand, half to the best low of eight or better.",
    split="high_low",
    low_ranking="8ob",
    pair_option="none",
    modifiers=(
        "declare",
        "declare_both",
        "declare_both_ties",
        "declare_start",
        "bet_after_declare",
    ),
)

STUD_HIGH_LOW: Final = replace(
    STUD_HIGH_LOW_8,
    id="stud_high_low",
    name="Seven-card stud high-low",
    summary="Half the pot to the best hand, half to the lowest, whatever it is.",
    low_ranking="a5",
    low_rankings=("a5", "a6", "27"),
)

MISSISSIPPI: Final = replace(
    SEVEN_CARD_STUD,
    id="mississippi",
    name="Mississippi stud",
    summary="Seven-card stud with two cards on the second street and the last one face up.",
    streets=(
        Street("ddu", "small"),
        Street("uu", "small"),
        Street("u", "big"),
        Street("u", "big"),
    ),
    seats_max=8,
    pair_option="none",
)

_FOUR_BY_TWO: Final = tuple(
    Street("dd", size, roll=True) for size in ("small", "small", "big", "big")
)

ROLL_YOUR_OWN: Final = replace(
    SEVEN_CARD_STUD,
    id="roll_your_own",
    name="Roll your own",
    summary="Every card is dealt face down; players choose which to turn up.",
    streets=(
        Street("ddd", "small", roll=True),
        Street("d", "small", roll=True),
        Street("d", "big", roll=True),
        Street("d", "big", roll=True),
        Street("d", "big"),
    ),
    other_streets=MappingProxyType({("roll_deal", "four_by_two"): _FOUR_BY_TWO}),
    seats_max=8,
    other_seats_max=MappingProxyType({("roll_deal", "four_by_two"): 6}),
    opening="high_board_opens",
    variants=MappingProxyType(
        {
            "seven": MappingProxyType({"roll_deal": "seven"}),
            "four_by_two": MappingProxyType({"roll_deal": "four_by_two"}),
        }
    ),
    modifiers=("roll_order", "roll_deal"),
)
