"""The hands that contend for a pot, and who holds the best of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from doorcard.cards import Card
from doorcard.engine.ruleset import Ruleset
from doorcard.rankings import Key, best


class Contender(NamedTuple):
    """A hand that may win, valued both ways where the game is played both ways."""

    own: tuple[Card, ...]
    """The player's own cards."""
    shared: tuple[Card, ...]
    """Community cards."""
    high: Key | None
    low: Key | None
    """For the other half: the low hand, or the spade in the hole; the smallest wins. None where
    there is none, or where the game asks for none."""


class Winners(NamedTuple):
    """Who wins each half, by index; the whole pot where the other half has no winner."""

    high: tuple[int, ...]
    low: tuple[int, ...]


def best_high(
    rules: Ruleset, contenders: Mapping[int, Contender], among: Collection[int] | None = None
) -> tuple[int, ...]:
    """Who holds the best high hand, ties together; nobody in a game without high hands."""
    if rules.high_ranking is None:
        return ()
    keys = {i: hand.high for i, hand in contenders.items() if among is None or i in among}
    return best(rules.high_ranking, keys)


def best_low(
    contenders: Mapping[int, Contender], among: Collection[int] | None = None
) -> tuple[int, ...]:
    """Who holds the best hand for the other half, ties together; nobody where there is none."""
    keys = {
        i: hand.low
        for i, hand in contenders.items()
        if hand.low is not None and (among is None or i in among)
    }
    if not keys:
        return ()
    winning = min(keys.values())
    return tuple(index for index, key in keys.items() if key == winning)
