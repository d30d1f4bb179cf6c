"""Splits one pot among its winners: halves, ties, odd chips (R15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from doorcard.cards import Card
from doorcard.engine.declared_winners import declared_winners
from doorcard.engine.ruleset import Ruleset
from doorcard.engine.winners import Contender, Winners, best_high, best_low
from doorcard.rankings import Ranking, best_five, card_order, hand_key, wild_count
from doorcard.rankings.hands import NO_WILD

Share = tuple[int, str, int]
"""(index, part, chips); the part is ``all``, ``high``, ``low`` or ``spade``."""
Order = Callable[[int], tuple[int, ...]]


class Split(NamedTuple):
    """Who gets what of one pot. Amounts are chips."""

    high: tuple[int, ...]
    """Winners of the high half, or of the whole pot in a high game."""
    low: tuple[int, ...]
    """Winners of the other half, or of the whole pot in a low game."""
    shares: tuple[Share, ...]


def contender(
    rules: Ruleset,
    down: tuple[Card, ...],
    up: tuple[Card, ...],
    shared: tuple[Card, ...] = (),
    wild: frozenset[Card] = NO_WILD,
) -> Contender:
    """Value a hand by the game's rankings (R14.1: cards speak).

    Args:
        down: the cards in the hole.
        shared: community cards.
        wild: the cards that are wild after the last card was dealt (R17.8).
    """
    own = down + up
    cards = own + shared
    high = rules.high(cards) if rules.high else None
    if wild and not wild.isdisjoint(cards):
        house = rules.house
        high = hand_key("high", cards, wild=wild, double_ace_flush=house.double_ace_flush)
        if house.natural_beats_wild:  # K2.7: a tie goes to the hand with fewer wild cards
            used = wild_count("high", cards, wild, double_ace_flush=house.double_ace_flush)
            high = (*high, -used)
    elif wild and rules.house.natural_beats_wild and high is not None:
        high = (*high, 0)
    if rules.game.split in _BEST_SPADE:
        low = _spade_key(rules, down)
    else:
        low = rules.low(cards) if rules.low else None
    return Contender(own, shared, high, low)


def split_pot(
    rules: Ruleset,
    amount: int,
    contenders: Mapping[int, Contender],
    declared: Mapping[int, str] | None = None,
    wild: frozenset[Card] = NO_WILD,
) -> Split:
    """Split a pot, rake already taken, among its contenders.

    Args:
        amount: chips to be paid out, all of them.
        contenders: eligible players who have not mucked, by index in deal order.
        declared: what each of them declared, in games with a declaration (R16).
    """
    if declared is None:
        winners = Winners(best_high(rules, contenders), best_low(contenders))
    else:
        winners = declared_winners(rules, contenders, declared)
    high, low = winners
    house = rules.house
    high_order = _odd_chip_order(rules, contenders, rules.high_ranking, wild)
    low_order = _odd_chip_order(rules, contenders, rules.low_ranking, wild)
    if not low or set(high) == set(low):  # R15.5
        return Split(high, low, _shares("all", amount, high, high_order, house.chip_unit))
    if not high:
        return Split(high, low, _shares("all", amount, low, low_order, house.chip_unit))
    smaller = amount // 2 // house.chip_unit * house.chip_unit
    for_high = smaller if house.odd_half_chip == "low" else amount - smaller
    other = "spade" if rules.game.split in _BEST_SPADE else "low"
    return Split(
        high,
        low,
        _shares("high", for_high, high, high_order, house.chip_unit)
        + _shares(other, amount - for_high, low, low_order, house.chip_unit),
    )


def _spade_key(rules: Ruleset, down: tuple[Card, ...]) -> tuple[int, ...] | None:
    """G12: the best spade in the hole, as a key of which the smallest wins."""
    ranks = [card.rank for card in down if card.suit == 3]
    if not ranks:
        return None
    if rules.game.split == "high_chicago":
        return (-max(ranks),)
    if rules.house.low_chicago_ace == "low":
        ranks = [1 if rank == 14 else rank for rank in ranks]
    return (min(ranks),)


def _shares(
    part: str, amount: int, winners: Sequence[int], order: Order, unit: int
) -> tuple[Share, ...]:
    """R15.3: equal shares; what is left goes one unit each in odd-chip order.

    With a smallest chip above 1, what cannot be paid in it goes to the first in the order.
    """
    if len(winners) == 1:
        return ((winners[0], part, amount),)
    each = amount // len(winners) // unit * unit
    left = amount - each * len(winners)
    extra, rest = divmod(left, unit)
    first = sorted(winners, key=order)
    paid = {
        winner: each + (unit if place < extra else 0) + (rest if place == 0 else 0)
        for place, winner in enumerate(first)
    }
    return tuple((winner, part, paid[winner]) for winner in winners)


def _odd_chip_order(
    rules: Ruleset,
    contenders: Mapping[int, Contender],
    ranking: Ranking | None,
    wild: frozenset[Card],
) -> Order:
    """R15.4: a sort key that puts the winner due the first odd chip in front."""
    if rules.house.odd_chip == "position" or ranking is None:
        return lambda index: (index,)
    if rules.house.odd_chip == "robert":
        return lambda index: _by_any_card(ranking, contenders[index])
    return lambda index: _by_played_card(rules, ranking, contenders[index], wild)


def _by_any_card(ranking: Ranking, hand: Contender) -> tuple[int, ...]:
    """Robert's Rules: highest own card for high, lowest own card for low."""
    if ranking in _HIGH:
        return (-max(hand.own),)
    return (min(card_order(ranking, card) for card in hand.own),)


def _by_played_card(
    rules: Ruleset, ranking: Ranking, hand: Contender, wild: frozenset[Card]
) -> tuple[int, ...]:
    """TDA: the highest card within the five played, for high and low alike (R15.8)."""
    played = best_five(
        ranking,
        hand.own + hand.shared,
        wild=wild if ranking == "high" else NO_WILD,
        double_ace_flush=rules.house.double_ace_flush,
    )
    return tuple(sorted(-card_order(ranking, card) for card in played))


_HIGH: Final = ("high", "soko")
_BEST_SPADE: Final = ("high_chicago", "low_chicago")
