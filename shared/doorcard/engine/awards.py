"""Splits one pot among its winners: halves, ties, odd chips (R15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from doorcard.cards import Card
from doorcard.engine.ruleset import Ruleset
from doorcard.rankings import Key, Ranking, best, best_five, card_order

Share = tuple[int, str, int]
"""(index, part, chips); the part is ``all``, ``high`` or ``low``."""
Order = Callable[[int], tuple[int, ...]]


class Contender(NamedTuple):
    """A hand that may win, valued both ways where the game is played both ways."""

    own: tuple[Card, ...]
    """The player's own cards."""
    shared: tuple[Card, ...]
    """Community cards."""
    high: Key | None
    low: Key | None
    """None where there is no low hand, or where the game asks for none."""


class Split(NamedTuple):
    """Who gets what of one pot. Amounts are chips."""

    high: tuple[int, ...]
    """Winners of the high half, or of the whole pot in a high game."""
    low: tuple[int, ...]
    """Winners of the low half, or of the whole pot in a low game."""
    shares: tuple[tuple[int, str, int], ...]
    """(index, part, chips); the part is ``all``, ``high`` or ``low``."""


def contender(rules: Ruleset, own: tuple[Card, ...], shared: tuple[Card, ...] = ()) -> Contender:
    """Value a hand by the game's rankings (R14.1: cards speak)."""
    cards = own + shared
    return Contender(
        own,
        shared,
        rules.high(cards) if rules.high else None,
        rules.low(cards) if rules.low else None,
    )


def split_pot(rules: Ruleset, amount: int, contenders: Mapping[int, Contender]) -> Split:
    """Split a pot, rake already taken, among its contenders.

    Args:
        amount: chips to be paid out, all of them.
        contenders: eligible players who have not mucked, by index in deal order.
    """
    high = _winners(rules.high_ranking, {i: hand.high for i, hand in contenders.items()})
    low = _winners(rules.low_ranking, {i: hand.low for i, hand in contenders.items()})
    unit = rules.house.chip_unit
    high_order = _odd_chip_order(rules, contenders, rules.high_ranking)
    low_order = _odd_chip_order(rules, contenders, rules.low_ranking)
    if not low:
        return Split(high, low, _shares("all", amount, high, high_order, unit))
    if not high:
        return Split(high, low, _shares("all", amount, low, low_order, unit))
    if set(high) == set(low):  # R15.5
        return Split(high, low, _shares("all", amount, high, high_order, unit))
    smaller = amount // 2 // unit * unit
    for_high = smaller if rules.house.odd_half_chip == "low" else amount - smaller
    return Split(
        high,
        low,
        _shares("high", for_high, high, high_order, unit)
        + _shares("low", amount - for_high, low, low_order, unit),
    )


def _winners(ranking: Ranking | None, keys: Mapping[int, Key | None]) -> tuple[int, ...]:
    return best(ranking, keys) if ranking else ()


def _shares(
    part: str, amount: int, winners: Sequence[int], order: Order, unit: int
) -> tuple[tuple[int, str, int], ...]:
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
    rules: Ruleset, contenders: Mapping[int, Contender], ranking: Ranking | None
) -> Order:
    """R15.4: a sort key that puts the winner due the first odd chip in front."""
    if rules.house.odd_chip == "position" or ranking is None:
        return lambda index: (index,)
    key_of = _ODD_CHIP_KEYS[rules.house.odd_chip]

    def order(index: int) -> tuple[int, ...]:
        return key_of(ranking, contenders[index])

    return order


def _by_any_card(ranking: Ranking, hand: Contender) -> tuple[int, ...]:
    """Robert's Rules: highest own card for high, lowest own card for low."""
    if ranking in _HIGH:
        return (-max(hand.own),)
    return (min(card_order(ranking, card) for card in hand.own),)


def _by_played_card(ranking: Ranking, hand: Contender) -> tuple[int, ...]:
    """TDA: the highest card within the five played, for high and low alike (R15.8)."""
    played = best_five(ranking, hand.own + hand.shared)
    return tuple(sorted(-card_order(ranking, card) for card in played))


_HIGH: Final = ("high", "soko")
_ODD_CHIP_KEYS: Final = {"robert": _by_any_card, "tda": _by_played_card}
