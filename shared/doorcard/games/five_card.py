"""Five-card stud (G1)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from doorcard.games.model import Game, Street

FIVE_CARD_STREETS: Final = (
    Street("du", "small"),
    Street("u", "small"),
    Street("u", "big"),
    Street("u", "big"),
)

FIVE_CARD_STUD: Final = Game(
    id="five_card_stud",
    name="Five-card stud",
    summary="One card down and four up; the best five-card hand wins.",
    family="five_card",
    streets=FIVE_CARD_STREETS,
    seats_default=8,
    seats_max=10,
    opening="high_board_opens",
    openings=("high_board_opens", "high_card_bring_in", "low_card_bring_in"),
    board_order="high",
    split="high",
    high_ranking="high",
    opener_tie="suit",
    pair_option="any",
    variants=MappingProxyType(
        {
            "traditional": MappingProxyType({"opening": "high_board_opens"}),
            "high_bring_in": MappingProxyType({"opening": "high_card_bring_in"}),
            "low_bring_in": MappingProxyType({"opening": "low_card_bring_in"}),
        }
    ),
    modifiers=("last_card_down",),
)
