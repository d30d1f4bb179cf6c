"""Seven-card stud, razz and high-low eight-or-better (G7, G15, G16)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from doorcard.games.model import Game, Street

SEVEN_CARD_STREETS: Final = (
    Street("ddu", "small"),
    Street("u", "small"),
    Street("u", "big"),
    Street("u", "big"),
    Street("d", "big"),
)

SEVEN_CARD_STUD: Final = Game(
    id="seven_card_stud",
    name="Seven-card stud",
    summary="Two cards down, four up, one down; the best five of seven win.",
    family="seven_card",
    streets=SEVEN_CARD_STREETS,
    seats_default=8,
    seats_max=9,
    opening="low_card_bring_in",
    openings=("low_card_bring_in", "high_board_opens"),
    board_order="high",
    split="high",
    high_ranking="high",
    opener_tie="position",
    pair_option="any",
    variants=MappingProxyType(
        {
            "bring_in": MappingProxyType({"opening": "low_card_bring_in"}),
            "no_bring_in": MappingProxyType({"opening": "high_board_opens"}),
        }
    ),
)

RAZZ: Final = Game(
    id="razz",
    name="Razz",
    summary="Seven-card stud for the lowest hand, ace to five.",
    family="seven_card",
    streets=SEVEN_CARD_STREETS,
    seats_default=8,
    seats_max=9,
    opening="high_card_bring_in",
    openings=("high_card_bring_in", "low_board_opens"),
    board_order="a5",
    split="low",
    low_ranking="a5",
    opener_tie="position",
    pair_option="none",
    variants=MappingProxyType(
        {
            "bring_in": MappingProxyType({"opening": "high_card_bring_in"}),
            "no_bring_in": MappingProxyType({"opening": "low_board_opens"}),
        }
    ),
)

STUD_HIGH_LOW_8: Final = Game(
    id="stud_high_low_8",
    name="Seven-card stud high-low, eight or better",
    summary="Half the pot to the best hand, half to the best low of eight or better.",
    family="seven_card",
    streets=SEVEN_CARD_STREETS,
    seats_default=8,
    seats_max=9,
    opening="low_card_bring_in",
    openings=("low_card_bring_in", "high_board_opens"),
    board_order="high",
    split="high_low",
    high_ranking="high",
    low_ranking="8ob",
    opener_tie="position",
    pair_option="none",
    variants=MappingProxyType(
        {
            "bring_in": MappingProxyType({"opening": "low_card_bring_in"}),
            "no_bring_in": MappingProxyType({"opening": "high_board_opens"}),
        }
    ),
)
