"""Five-card stud and its low, high-low, declare, buy and Sökö forms (G1 to G6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from doorcard.games.model import Game, Street
from doorcard.limits import Scalar

_STREETS: Final = (
    Street("du", "small"),
    Street("u", "small"),
    Street("u", "big"),
    Street("u", "big"),
)
_LAST_DOWN: Final[Mapping[tuple[str, Scalar], tuple[Street, ...]]] = MappingProxyType(
    {("last_card_down", True): (*_STREETS[:-1], Street("d", "big"))}
)
_TRADITIONAL: Final = MappingProxyType({"opening": "high_board_opens"})
_HIGH_BRING_IN: Final = MappingProxyType({"opening": "high_card_bring_in"})
_LOW_BRING_IN: Final = MappingProxyType({"opening": "low_card_bring_in"})
_DECLARING: Final = ("declare", "declare_both", "declare_both_ties", "declare_start")

FIVE_CARD_STUD: Final = Game(
    id="five_card_stud",
    name="Five-card stud",
    summary="One card down and four up; the best five-card hand wins.",
    family="five_card",
    streets=_STREETS,
    other_streets=_LAST_DOWN,
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
            "traditional": _TRADITIONAL,
            "high_bring_in": _HIGH_BRING_IN,
            "low_bring_in": _LOW_BRING_IN,
        }
    ),
    modifiers=("last_card_down",),
)

FIVE_CARD_LOWBALL: Final = replace(
    FIVE_CARD_STUD,
    id="five_card_lowball",
    name="Five-card stud lowball",
    summary="Five-card stud for the lowest hand.",
    opening="high_card_bring_in",
    openings=("high_card_bring_in", "low_board_opens"),
    board_order="low",
    split="low",
    high_ranking=None,
    low_ranking="a5",
    low_rankings=("a5", "a6", "27"),
    pair_option="none",
    variants=MappingProxyType(
        {
            "a5": MappingProxyType({"low_ranking": "a5"}),
            "a6": MappingProxyType({"low_ranking": "a6"}),
            "27": MappingProxyType({"low_ranking": "27"}),
        }
    ),
)

FIVE_CARD_HIGH_LOW: Final = replace(
    FIVE_CARD_STUD,
    id="five_card_high_low",
    name="Five-card stud high-low",
    summary="Five-card stud; the best and the lowest hand share the pot, and cards speak.",
    opening="low_card_bring_in",
    split="high_low",
    low_ranking="a5",
    low_rankings=("a5", "a6", "27"),
    pair_option="none",
    modifiers=("last_card_down", *_DECLARING, "bet_after_declare"),
)

FIVE_CARD_HIGH_LOW_DECLARE: Final = replace(
    FIVE_CARD_HIGH_LOW,
    id="five_card_high_low_declare",
    name="Five-card stud high-low with declaration",
    summary="Five-card stud high-low; players say which half they play for.",
    opening="high_board_opens",
    low_ranking="a6",
    declare="simultaneous",
    variants=MappingProxyType(
        {
            "simultaneous": MappingProxyType({"declare": "simultaneous"}),
            "sequential": MappingProxyType({"declare": "sequential"}),
        }
    ),
)

FIVE_CARD_HIGH_LOW_BUY: Final = replace(
    FIVE_CARD_HIGH_LOW_DECLARE,
    id="five_card_high_low_buy",
    name="Five-card stud high-low with a buy",
    summary="High-low with declaration; before the last bets each player may buy a new card.",
    seats_default=7,
    seats_max=8,
    other_seats_max=MappingProxyType({("buy_rounds", 2): 7}),
    buy_rounds=1,
    variants=MappingProxyType(
        {
            "one_buy": MappingProxyType({"buy_rounds": 1}),
            "two_buys": MappingProxyType({"buy_rounds": 2}),
        }
    ),
    modifiers=(
        *FIVE_CARD_HIGH_LOW.modifiers,
        "buy_rounds",
        "buy_price",
        "buy_order",
        "bet_before_buy",
        "bet_between_buys",
    ),
)

SOKO: Final = replace(
    FIVE_CARD_STUD,
    id="soko",
    name="Sökö",
    summary="Five-card stud in which four-card straights and flushes beat a pair.",
    board_order="soko",
    high_ranking="soko",
    modifiers=("last_card_down", "soko_board_four_card"),
)
