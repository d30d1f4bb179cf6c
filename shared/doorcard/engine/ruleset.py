"""A game, its stakes and its house rules, resolved once into what the deciders read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from doorcard.cards import Card
from doorcard.errors import BadInput, Refused
from doorcard.games import GAMES, Game, Street
from doorcard.limits import (
    BRING_IN_OPENINGS,
    HighRanking,
    HouseRules,
    Limits,
    LowRanking,
    Opening,
    Scalar,
    check_limits,
    check_switches,
    smallest_bet,
)
from doorcard.rankings import Key, evaluator
from doorcard.tables import GameSpec

RULES_VERSION: Final = 1
"""Grows when a rule is decided differently; written into every hand."""
Evaluator = Callable[[Sequence[Card]], Key | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """Everything that the deciders and the reducer need to know about the game in force."""

    spec: GameSpec
    game: Game
    limits: Limits
    house: HouseRules
    """With no ``None`` left where the game decides."""
    streets: tuple[Street, ...]
    sizes: tuple[tuple[int, ...], ...]
    """Fixed limit: the bet sizes of each street, smallest first (R7)."""
    opening: Opening
    bring_in: int
    """The forced bet, or 0 where the opening has none."""
    ace_low: bool
    """Whether the ace counts 1 for the bring-in (R5.3)."""
    low_board_first: bool
    """Whether the lowest board acts first (R11.7)."""
    structure: Literal["fixed", "spread", "big_bet"]
    pot_limit: bool
    unit: int
    """The smallest full bet (spread: ``spread_min``), in chips."""
    cap: int | None
    """Raises a round (R8.1), or None without a cap (R8.6)."""
    half_rule: bool
    """R9.1 against R9.7."""
    pair_option: Literal["any", "holder", "none"]
    by_suit: bool
    """R11.4: tied boards are decided by suit, otherwise by position."""
    high: Evaluator | None
    """Ranks a hand for the high half or the whole pot."""
    low: Evaluator | None
    """Ranks a hand for the low half or the whole pot."""
    high_ranking: HighRanking | None
    low_ranking: LowRanking | None
    seats_max: int


@lru_cache(maxsize=1024)
def ruleset(spec: GameSpec) -> Ruleset:
    """Resolve a spec: game defaults over R20's, the variant's over those, the house's over all.

    Raises:
        BadInput: the spec makes no sense; ``check_spec`` says the same as a refusal.
    """
    refused = check_spec(spec)
    if refused is not None:
        raise BadInput(refused.sentence)
    return _resolve(spec)


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
    return (
        check_switches(dict(spec.house))
        or _check_fit(game, _house_rules(game, spec))
        or check_limits(spec.limits, bring_in=_opening(game, spec) in BRING_IN_OPENINGS)
    )


def _check_fit(game: Game, house: HouseRules) -> Refused | None:
    if house.opening is not None and house.opening not in game.openings:
        return Refused("house/contradiction", f"{game.name} cannot be opened by {house.opening}.")
    if house.low_ranking is not None and house.low_ranking not in (
        *game.low_rankings,
        game.low_ranking,
    ):
        return Refused("house/contradiction", f"{game.name} has no choice of low ranking.")
    if house.last_card_down and "last_card_down" not in game.modifiers:
        return Refused("house/contradiction", f"{game.name} has no last card to deal face down.")
    return None


def _house_rules(game: Game, spec: GameSpec) -> HouseRules:
    settings: dict[str, Scalar] = dict(game.variants.get(spec.variant, {}))
    settings.update(spec.house)
    return replace(HouseRules(), **settings)  # type: ignore[arg-type]  # checked by check_switches


def _opening(game: Game, spec: GameSpec) -> Opening:
    return _house_rules(game, spec).opening or game.opening


def _resolve(spec: GameSpec) -> Ruleset:
    game = GAMES[spec.game]
    limits = spec.limits
    structure = _STRUCTURES[limits.structure]
    house = _filled(game, _house_rules(game, spec), structure)
    opening = house.opening or game.opening
    high = game.high_ranking
    low = house.low_ranking
    return Ruleset(
        spec=spec,
        game=game,
        limits=limits,
        house=house,
        streets=_streets(game, house),
        sizes=tuple(_sizes(street, limits, house) for street in game.streets),
        opening=opening,
        bring_in=limits.bring_in if opening in BRING_IN_OPENINGS else 0,
        ace_low=game.board_order in ("a5", "a6"),
        low_board_first=game.board_order in ("a5", "a6", "27"),
        structure=structure,
        pot_limit=limits.structure == "pot_limit",
        unit=limits.spread_min if structure == "spread" else smallest_bet(limits),
        cap=None if structure == "big_bet" else house.max_raises,
        half_rule=house.short_wager_rule == "half",
        pair_option=house.pair_option or game.pair_option,
        by_suit=house.opener_tie == "suit",
        high=evaluator(high) if high else None,
        low=evaluator(low) if low else None,
        high_ranking=high,
        low_ranking=low,
        seats_max=game.seats_max,
    )


def _filled(game: Game, house: HouseRules, structure: str) -> HouseRules:
    """The house rules with the game's own defaults in place of every ``None``."""
    return replace(
        house,
        opening=house.opening or game.opening,
        opener_tie=house.opener_tie or game.opener_tie,
        pair_option=house.pair_option or game.pair_option,
        low_ranking=house.low_ranking or game.low_ranking,
        short_wager_rule=house.short_wager_rule or ("full" if structure == "big_bet" else "half"),
    )


def _streets(game: Game, house: HouseRules) -> tuple[Street, ...]:
    if not house.last_card_down:
        return game.streets
    return (*game.streets[:-1], replace(game.streets[-1], deal="d"))


def _sizes(street: Street, limits: Limits, house: HouseRules) -> tuple[int, ...]:
    if street.size == "small":
        return (limits.small_bet,)
    if house.late_streets == "either":
        return (limits.small_bet, limits.big_bet)
    return (limits.big_bet,)


_STRUCTURES: Final[dict[str, Literal["fixed", "spread", "big_bet"]]] = {
    "fixed_limit": "fixed",
    "spread_limit": "spread",
    "pot_limit": "big_bet",
    "no_limit": "big_bet",
}
