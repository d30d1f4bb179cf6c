"""Who wins a pot after a declaration (R16.5 to R16.12)."""

from __future__ import annotations

from collections.abc import Mapping

from doorcard.engine.ruleset import Ruleset
from doorcard.engine.winners import Contender, Winners, best_high, best_low


def declared_winners(
    rules: Ruleset, contenders: Mapping[int, Contender], declared: Mapping[int, str]
) -> Winners:
    """The winners of each half among the players who declared it.

    Args:
        contenders: everybody eligible for the pot, by index.
        declared: ``high``, ``low`` or ``both`` by index.
    """
    both = {index for index in contenders if declared[index] == "both"}
    one_way = {index: declared[index] for index in contenders if index not in both}
    if rules.house.declare_both_ties == "lose":
        winners = _sweep(rules, contenders, one_way, both) or _one_way(rules, contenders, one_way)
    else:
        winners = _shared(rules, contenders, one_way, both)
    if winners is not None:
        return winners
    if both and not one_way:
        # R16.7: nobody is left, so the players who declared both share by cards speak.
        return Winners(best_high(rules, contenders, both), best_low(contenders, both))
    # R16.11: no hand counts in any declared direction.
    return Winners(best_high(rules, contenders), ())


def _sweep(
    rules: Ruleset, contenders: Mapping[int, Contender], one_way: Mapping[int, str], both: set[int]
) -> Winners | None:
    """R16.7: the player who declared both and is the sole best of both directions."""
    found = _halves(rules, contenders, one_way, both)
    for index in both:
        if found.high == found.low == (index,):
            return found
    return None


def _one_way(
    rules: Ruleset, contenders: Mapping[int, Contender], one_way: Mapping[int, str]
) -> Winners | None:
    found = _halves(rules, contenders, one_way, set())
    return found if found.high or found.low else None


def _shared(
    rules: Ruleset, contenders: Mapping[int, Contender], one_way: Mapping[int, str], both: set[int]
) -> Winners | None:
    """R16.8: strike those who declared both and are beaten in either, until nobody more is."""
    left = set(both)
    while True:
        found = _halves(rules, contenders, one_way, left)
        beaten = {i for i in left if i not in found.high or i not in found.low}
        if not beaten:
            return found if found.high or found.low else None
        left -= beaten


def _halves(
    rules: Ruleset, contenders: Mapping[int, Contender], one_way: Mapping[int, str], both: set[int]
) -> Winners:
    high = both | {index for index, direction in one_way.items() if direction == "high"}
    low = both | {index for index, direction in one_way.items() if direction == "low"}
    return Winners(best_high(rules, contenders, high), best_low(contenders, low))
