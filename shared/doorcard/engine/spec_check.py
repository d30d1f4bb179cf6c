"""Whether a game, its stakes and its house rules make sense together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from doorcard.errors import Refused
from doorcard.games import GAMES, Game
from doorcard.limits import (
    BRING_IN_OPENINGS,
    HouseRules,
    Scalar,
    check_limits,
    check_switches,
)
from doorcard.tables import GameSpec


def check_spec(spec: GameSpec) -> Refused | None:
    """Say why a table cannot be opened for this spec, or None."""
    game = GAMES.get(spec.game)
    if game is None:
        return Refused("floor/unknown_game", f"There is no game called {spec.game!r}.")
    if spec.variant and spec.variant not in game.variants:
        known = ", ".join(game.variants)
        return Refused(
            "floor/unknown_variant", f"{game.name} has no variant {spec.variant!r}, only {known}."
        )
    refused = check_switches(dict(spec.house))
    if refused is not None:
        return refused
    house = house_rules(game, spec)
    problem = next(_contradictions(game, house), None)
    if problem is not None:
        return Refused("house/contradiction", problem)
    opening = house.opening or game.opening
    return check_limits(spec.limits, bring_in=opening in BRING_IN_OPENINGS)


def house_rules(game: Game, spec: GameSpec) -> HouseRules:
    """The variant's switches with the house's over them; ``None`` where the game decides."""
    settings: dict[str, Scalar] = dict(game.variants.get(spec.variant, {}))
    settings.update(spec.house)
    return replace(HouseRules(), **settings)  # type: ignore[arg-type]  # checked by check_switches


def _contradictions(game: Game, house: HouseRules) -> Iterator[str]:
    if house.opening is not None and house.opening not in game.openings:
        yield f"{game.name} cannot be opened by {house.opening}."
    if house.low_ranking not in (None, game.low_ranking, *game.low_rankings):
        yield f"{game.name} has no low ranking {house.low_ranking} to choose."
    if house.pair_option not in (None, "none") and game.split == "low":
        yield f"{game.name} has no pair option: only high boards have one (R7.4)."
    yield from _strangers(game, house)
    yield from _special_contradictions(game, house)


def _strangers(game: Game, house: HouseRules) -> Iterator[str]:
    """Switches of other games: what makes no sense here must stay at its default."""
    plain = HouseRules()
    wild = bool(game.wild or house.wild_cards)
    for name in GAME_SWITCHES:
        usual = (getattr(plain, name), getattr(game, name, None))
        if name in game.modifiers or getattr(house, name) in usual:
            continue
        if name in _WILD_SWITCHES and wild:
            continue
        yield f"{game.name} has no use for {name}."


def _special_contradictions(game: Game, house: HouseRules) -> Iterator[str]:
    if house.wild_cards and (game.high_ranking != "high" or game.low_ranking is not None):
        yield f"Wild cards are for high games, not for {game.name} (K1.5)."
    declare = house.declare or game.declare
    if declare == "none" and (house.declare_both or house.bet_after_declare):
        yield "Nothing is declared, so nobody can declare both or bet afterwards (R16)."
    if house.declare_both_ties == "share" and not house.declare_both:
        yield "Ties of players who declare both need declare_both (R16.8)."
    if declare != "sequential" and house.declare_start != "last_aggressor":
        yield "Only public declarations have an order (R16.4)."
    rounds = game.buy_rounds if house.buy_rounds is None else house.buy_rounds
    if house.buy_price and len(house.buy_price) != rounds:
        yield f"{rounds} buy rounds need {rounds} prices."
    if not rounds and house.bet_before_buy:
        yield "Without a buy round there is no bet before it."
    if rounds < 2 and house.bet_between_buys:
        yield "One buy round has no bet between it and another."


_WILD_SWITCHES: Final = ("wild_on_board", "double_ace_flush", "natural_beats_wild")
GAME_SWITCHES: Final = (
    "last_card_down",
    "declare",
    "declare_both",
    "declare_both_ties",
    "declare_start",
    "bet_after_declare",
    "buy_rounds",
    "buy_price",
    "buy_order",
    "bet_before_buy",
    "bet_between_buys",
    "roll_order",
    "roll_deal",
    *_WILD_SWITCHES,
    "queen_cancels_previous",
    "four_extra",
    "four_extra_price",
    "three_up_match_pot",
    "low_chicago_ace",
    "soko_board_four_card",
)
"""Switches that change some games and make no sense in the others."""
