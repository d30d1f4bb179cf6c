"""What the product has, asked of the product itself; and rules for the cases that lines describe.

A line is unsupported only when it needs a game, a split or a switch that the product does not
know. That is looked up in the product, so a line can never be passed over once its game exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, get_args

from doorcard.cards import Card, parse_cards
from doorcard.engine.decided import Decided
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.engine.table import Hand, Table
from doorcard.errors import Refused
from doorcard.games import GAMES, SEVEN_CARD_STUD, Split
from doorcard.limits import SWITCHES, Limits, Scalar
from doorcard.rankings import ACE_LOW, LARGER_WINS, BoardOrder
from doorcard.tables import GameSpec

KNOWN_GAMES: Final = frozenset({
    "five_card_stud", "five_card_lowball", "five_card_high_low", "five_card_high_low_declare",
    "five_card_high_low_buy", "soko", "seven_card_stud", "mississippi", "roll_your_own",
    "queens_and_after", "baseball", "high_chicago", "low_chicago", "acey_ducey",
    "one_eyed_jacks", "suicide_king", "one_eyed_jacks_suicide_king", "razz", "stud_high_low_8",
    "stud_high_low",
})  # fmt: skip
"""Every game of the rules (G1 to G17)."""
KNOWN_SWITCHES: Final = frozenset({
    "dealer_mode", "burn", "exhaustion", "community_betting", "community_opener", "opening",
    "short_bring_in_price", "bring_in_all_in_ante", "open_fold", "pair_option",
    "small_raise_after_big", "late_streets", "max_raises", "heads_up_uncap", "short_wager_rule",
    "opener_tie", "wild_on_board", "rake_bps", "rake_cap", "no_fourth_street_no_drop",
    "auto_muck", "expose_all_in", "odd_chip", "declare", "declare_both", "declare_both_ties",
    "declare_start", "bet_after_declare", "low_ranking", "last_card_down", "buy_rounds",
    "buy_price", "buy_order", "bet_before_buy", "bet_between_buys", "roll_order", "roll_deal",
    "queen_cancels_previous", "queen_missing_redeal", "four_extra", "four_extra_price",
    "three_up_match_pot", "low_chicago_ace", "double_ace_flush", "natural_beats_wild",
    "soko_board_four_card", "missed_ante_policy",
})  # fmt: skip
"""Every switch of R20 that is no amount."""
STUD: Final = GameSpec("seven_card_stud", limits=Limits("fixed_limit", 1, 2, 5, 10))


class Unsupported(Exception):
    """The line needs something that the product does not have."""

    def __init__(self, topic: str, reason: str) -> None:
        super().__init__(reason)
        self.topic = topic
        self.reason = reason


class Malformed(Exception):
    """The line is not what its kind must look like."""


def require_game(game: str) -> None:
    """Go on only with a game that the product has."""
    if game not in KNOWN_GAMES:
        raise Malformed(f"no game is called {game!r}")
    if game not in GAMES:
        raise Unsupported(game, f"there is no {game} yet")


def require_switch(name: str, topic: str) -> None:
    """Go on only with a switch that the product has."""
    if name not in KNOWN_SWITCHES:
        raise Malformed(f"no switch is called {name!r}")
    if name not in SWITCHES:
        raise Unsupported(topic, f"there is no switch {name} yet")


def require_split(split: str) -> None:
    """Go on only with a way of splitting pots that the product has."""
    if split not in get_args(Split):
        raise Unsupported(split, f"no pot is split as {split} yet")


def house_rules(switches: Mapping[str, Scalar], topic: str) -> dict[str, Scalar]:
    """Switches that go into a table's house rules, each one known to the product."""
    for name in switches:
        require_switch(name, topic)
    return dict(switches)


def ruleset_of(game: str, limits: Limits, house: Mapping[str, Scalar]) -> Ruleset:
    """A real game's rules."""
    require_game(game)
    return ruleset(GameSpec(game, "", limits, tuple(sorted(house.items()))))


def board_rules(order: BoardOrder, *, by_suit: bool, base: Ruleset | None = None) -> Ruleset:
    """Rules without a bring-in under which the best board in this order is first to act."""
    rules = base or ruleset(STUD)
    larger = order in LARGER_WINS
    return replace(
        rules,
        board_order=order,
        opening="high_board_opens" if larger else "low_board_opens",
        bring_in=0,
        ace_low=order in ACE_LOW,
        low_board_first=not larger,
        by_suit=by_suit,
    )


def dealing_rules(deals: list[str], house: Mapping[str, Scalar]) -> Ruleset:
    """Rules of a game dealt in these streets, one letter a pass, without a bring-in."""
    rules = ruleset(
        GameSpec(
            "seven_card_stud",
            "no_bring_in",
            Limits("fixed_limit", 1, 0, 5, 10),
            tuple(sorted(house.items())),
        )
    )
    street = SEVEN_CARD_STUD.streets[0]
    return replace(
        rules,
        streets=tuple(replace(street, deal=deal) for deal in deals),
        steps=(("bet",),) * len(deals),
        sizes=rules.sizes[:1] * len(deals),
    )


def cards_of(texts: list[str]) -> tuple[Card, ...]:
    """Cards of a line, checked."""
    return parse_cards(texts)


def hand_of(table: Table) -> Hand:
    """The hand in progress."""
    if table.hand is None:
        raise AssertionError("no hand is in progress")
    return table.hand


def granted(outcome: Decided | Refused) -> Decided:
    """What was decided; a refusal fails the line."""
    assert not isinstance(outcome, Refused), f"refused: {outcome}"
    return outcome
