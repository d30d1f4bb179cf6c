"""Pots and rake (R12, R13). Players are named by index in deal order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from doorcard.limits import HouseRules


class Pot(NamedTuple):
    """One pot and who may win it."""

    amount: int
    """Chips, before rake."""
    eligible: tuple[int, ...]
    """Ascending."""


def pots_of(
    totals: Sequence[int], folded: Sequence[bool], dead: Iterable[tuple[int, int]] = ()
) -> list[Pot]:
    """The pots that hand contributions make, main pot first (R12.1, R12.2, R12.9).

    Args:
        totals: hand contribution of each player, in chips.
        folded: whether each player has folded.
        dead: (chips, contribution level) of money that is no contribution (R12.7).
    """
    levels = sorted({total for total, out in zip(totals, folded, strict=True) if not out})
    if len(levels) == 1:
        whole = sum(totals) + sum([chips for chips, _ in dead])
        return [Pot(whole, tuple([i for i, out in enumerate(folded) if not out]))]
    dead = [(chips, reached) for chips, reached in dead if chips]
    if levels[0] == 0 and all(reached for _, reached in dead):
        del levels[0]  # a pot without chips; money paid while nobody had bet makes one (R12.7)
    amounts: list[int] = []
    below = 0
    for level in levels:
        amounts.append(sum(min(total, level) - min(total, below) for total in totals))
        below = level
    amounts[-1] += sum(total - below for total in totals if total > below)
    for chips, reached in dead:
        place = next((i for i, level in enumerate(levels) if level >= reached), len(levels) - 1)
        amounts[place] += chips
    return [
        Pot(
            amount,
            tuple(
                index for index, total in enumerate(totals) if not folded[index] and total >= level
            ),
        )
        for amount, level in zip(amounts, levels, strict=True)
    ]


def house_rake(
    house: HouseRules, amounts: Sequence[int], *, second_street_dealt: bool
) -> list[int]:
    """What the house takes from each pot, main pot first (R13.1 to R13.3)."""
    if not house.rake_bps or (house.no_fourth_street_no_drop and not second_street_dealt):
        return [0] * len(amounts)
    return rake_of(amounts, bps=house.rake_bps, cap=house.rake_cap)


def rake_of(amounts: Sequence[int], *, bps: int, cap: int | None) -> list[int]:
    """The rake of each pot, main pot first: floored on the running sum, capped (R13.2)."""
    rakes: list[int] = []
    total = taken = 0
    for amount in amounts:
        total += amount
        due = bps * total // 10_000
        if cap is not None and due > cap:
            due = cap
        rakes.append(due - taken)
        taken = due
    return rakes
