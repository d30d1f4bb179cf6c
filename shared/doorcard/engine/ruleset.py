"""A game, its stakes and its house rules, resolved once into what the deciders read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from doorcard.cards import Card, parse_cards
from doorcard.engine.spec_check import check_spec, house_rules
from doorcard.errors import BadInput
from doorcard.games import GAMES, Game, Street
from doorcard.limits import (
    BRING_IN_OPENINGS,
    HighRanking,
    HouseRules,
    Limits,
    LowRanking,
    Opening,
    smallest_bet,
)
from doorcard.rankings import BoardOrder, Key, evaluator
from doorcard.tables import GameSpec

RULES_VERSION: Final = 1
"""Grows when a rule is decided differently; written into every hand."""
Evaluator = Callable[[Sequence[Card]], Key | None]
Step = Literal["roll", "buy", "bet", "declare"]
"""What happens on a street after its cards are dealt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """Everything that the deciders and the reducer need to know about the game in force."""

    spec: GameSpec
    game: Game
    limits: Limits
    house: HouseRules
    """With no ``None`` left where the game decides."""
    streets: tuple[Street, ...]
    steps: tuple[tuple[Step, ...], ...]
    """What follows the deal of each street, in order."""
    sizes: tuple[tuple[int, ...], ...]
    """Fixed limit: the bet sizes of each street, smallest first (R7)."""
    opening: Opening
    bring_in: int
    """The forced bet, or 0 where the opening has none."""
    ace_low: bool
    """Whether the ace counts 1 for the bring-in (R5.3)."""
    board_order: BoardOrder
    """The order in which boards are compared for first to act (R11)."""
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
    """Ranks a natural hand for the high half or the whole pot."""
    low: Evaluator | None
    """Ranks a hand for the low half or the whole pot."""
    high_ranking: HighRanking | None
    low_ranking: LowRanking | None
    wild: frozenset[Card]
    """Cards that are wild in every hand."""
    any_wild: bool
    """Whether a card can be wild at all."""
    plain_deal: bool
    """Whether no upcard can bring an extra card or a payment (R17.7, G11.3)."""
    buy_prices: tuple[int, ...]
    """The price of a card in each buy round, in chips (G5)."""
    secret_choices: bool
    """Whether players may be asked for choices that are sealed (R16.3, R17.6)."""
    keep: tuple[int, ...]
    """*keep* of R3 by streets dealt: one community card for each card still to come."""
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


def _resolve(spec: GameSpec) -> Ruleset:
    game = GAMES[spec.game]
    limits = spec.limits
    structure = _STRUCTURES[limits.structure]
    house = _filled(game, house_rules(game, spec), structure)
    opening = house.opening or game.opening
    high, low = game.high_ranking, house.low_ranking
    order = _board_order(game, house)
    streets = _streets(game, house)
    steps = _steps(streets, house)
    wild = game.wild | frozenset(parse_cards(house.wild_cards))
    return Ruleset(
        spec=spec,
        game=game,
        limits=limits,
        house=house,
        streets=streets,
        steps=steps,
        sizes=tuple(_sizes(street, limits, house) for street in streets),
        opening=opening,
        bring_in=limits.bring_in if opening in BRING_IN_OPENINGS else 0,
        ace_low=order in ("a5", "a6"),
        board_order=order,
        low_board_first=order in ("a5", "a6", "27"),
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
        wild=wild,
        any_wild=bool(wild) or game.follow_rank is not None,
        plain_deal=game.extra_card_rank is None and not house.three_up_match_pot,
        buy_prices=_buy_prices(house, limits),
        secret_choices=_secret_choices(house, steps),
        keep=tuple(
            sum(len(street.deal) for street in streets[dealt:]) for dealt in range(len(streets) + 1)
        ),
        seats_max=_seats_max(game, house),
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
        declare=house.declare or game.declare,
        buy_rounds=game.buy_rounds if house.buy_rounds is None else house.buy_rounds,
    )


def _board_order(game: Game, house: HouseRules) -> BoardOrder:
    if game.board_order != "low":
        return game.board_order
    low = house.low_ranking
    assert low is not None, "a game of low boards has a low ranking"
    assert low != "8ob", "eight or better is no order of boards"
    return low


def _streets(game: Game, house: HouseRules) -> tuple[Street, ...]:
    for (switch, value), streets in game.other_streets.items():
        if getattr(house, switch) == value:
            return streets
    return game.streets


def _seats_max(game: Game, house: HouseRules) -> int:
    for (switch, value), seats in game.other_seats_max.items():
        if getattr(house, switch) == value:
            return seats
    return game.seats_max


def _steps(streets: tuple[Street, ...], house: HouseRules) -> tuple[tuple[Step, ...], ...]:
    """Rolls stand before the bets; buys and declarations on the last street (R17.6, G5, R16)."""
    steps: list[tuple[Step, ...]] = [
        ("roll", "bet") if street.roll else ("bet",) for street in streets
    ]
    last: list[Step] = ["bet"] if house.bet_before_buy and house.buy_rounds else []
    for number in range(house.buy_rounds or 0):
        if number and house.bet_between_buys:
            last.append("bet")
        last.append("buy")
    last.extend(steps[-1])
    if house.declare != "none":
        last.append("declare")
        if house.bet_after_declare:
            last.append("bet")
    steps[-1] = tuple(last)
    return tuple(steps)


def _secret_choices(house: HouseRules, steps: Sequence[Sequence[Step]]) -> bool:
    return house.declare == "simultaneous" or (
        house.roll_order == "simultaneous" and any("roll" in each for each in steps)
    )


def _sizes(street: Street, limits: Limits, house: HouseRules) -> tuple[int, ...]:
    if street.size == "small":
        return (limits.small_bet,)
    if house.late_streets == "either":
        return (limits.small_bet, limits.big_bet)
    return (limits.big_bet,)


def _buy_prices(house: HouseRules, limits: Limits) -> tuple[int, ...]:
    big = limits.big_bet or limits.spread_max or 2 * smallest_bet(limits)
    prices = house.buy_price or (big, 2 * big)
    return prices[: house.buy_rounds or 0]


_STRUCTURES: Final[dict[str, Literal["fixed", "spread", "big_bet"]]] = {
    "fixed_limit": "fixed",
    "spread_limit": "spread",
    "pot_limit": "big_bet",
    "no_limit": "big_bet",
}
