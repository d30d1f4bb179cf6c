"""Pots and rake (R12, R13)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doorcard.engine.pots import Pot, house_rake, pots_of, rake_of
from doorcard.limits import HouseRules


def pots(totals: list[int], *out: int) -> list[Pot]:
    return pots_of(totals, [index in out for index in range(len(totals))])


@pytest.mark.parametrize(
    ("totals", "out", "expected"),
    [
        ([30, 30, 30], (), [(90, (0, 1, 2))]),
        ([10, 40, 25], (), [(30, (0, 1, 2)), (30, (1, 2)), (15, (1,))]),
        ([10, 40, 25], (2,), [(30, (0, 1)), (45, (1,))]),
        ([8, 8, 20], (2,), [(36, (0, 1))]),
        ([15, 15, 9, 4], (2, 3), [(43, (0, 1))]),
        ([21, 21, 11, 6, 1], (2, 3, 4), [(60, (0, 1))]),
        ([0, 0], (), [(0, (0, 1))]),
        ([3, 1, 1], (), [(3, (0, 1, 2)), (2, (0,))]),
        ([0, 5], (1,), [(5, (0,))]),
    ],
)
def test_pots_by_levels(
    totals: list[int], out: tuple[int, ...], expected: list[tuple[int, tuple[int, ...]]]
) -> None:
    """R12.1, R12.2, R12.4, R12.8, R12.9."""
    assert pots(totals, *out) == [Pot(*pot) for pot in expected]


@pytest.mark.parametrize(
    ("level", "expected"),
    [(0, [40, 20]), (10, [40, 20]), (11, [30, 30]), (20, [30, 30]), (99, [30, 30])],
)
def test_dead_money_joins_the_pot_of_its_level(level: int, expected: list[int]) -> None:
    """R12.5, R12.7: without changing who is eligible."""
    made = pots_of([10, 20, 20], [False] * 3, [(10, level)])
    assert [pot.amount for pot in made] == expected
    assert [pot.eligible for pot in made] == [(0, 1, 2), (1, 2)]


players = st.lists(
    st.tuples(st.integers(min_value=0, max_value=60), st.booleans()), min_size=2, max_size=9
).filter(lambda some: sum(not out for _, out in some) >= 1)


@given(players, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=3))
def test_no_chip_is_lost_and_each_pot_has_fewer_claimants(
    some: list[tuple[int, bool]], dead: list[tuple[int, int]]
) -> None:
    """R12.2, R12.4, R12.6."""
    totals = [total for total, _ in some]
    folded = [out for _, out in some]
    made = pots_of(totals, folded, dead)
    assert sum(pot.amount for pot in made) == sum(totals) + sum(chips for chips, _ in dead)
    for lower, upper in pairwise(made):
        assert set(upper.eligible) < set(lower.eligible)
    for pot in made:
        assert pot.eligible
        assert not any(folded[index] for index in pot.eligible)


@given(players)
def test_nobody_can_win_more_from_each_than_was_put_in(some: list[tuple[int, bool]]) -> None:
    """R4.2, R12.1: a live player's pots hold at most that player's total from everybody."""
    totals = [total for total, _ in some]
    folded = [out for _, out in some]
    made = pots_of(totals, folded)
    top = max(total for total, out in some if not out)
    for index, (total, out) in enumerate(some):
        if out or total == top:
            continue
        most = sum(min(total, other) for other in totals)
        assert sum(pot.amount for pot in made if index in pot.eligible) <= most


@pytest.mark.parametrize(
    ("amounts", "bps", "cap", "expected"),
    [
        ([250], 400, None, [10]),
        ([130, 45], 300, 5, [3, 2]),
        ([130, 45], 300, 4, [3, 1]),
        ([33, 33], 250, None, [0, 1]),
        ([100, 100], 500, 0, [0, 0]),
        ([7], 10_000, None, [7]),
    ],
)
def test_rake_is_floored_on_the_running_sum_and_capped(
    amounts: list[int], bps: int, cap: int | None, expected: list[int]
) -> None:
    """R13.2."""
    assert rake_of(amounts, bps=bps, cap=cap) == expected


@given(
    st.lists(st.integers(0, 10**9), min_size=1, max_size=6),
    st.integers(0, 10_000),
    st.none() | st.integers(0, 10**6),
)
def test_no_pot_pays_more_than_it_holds(amounts: list[int], bps: int, cap: int | None) -> None:
    """R13.2, R13.4."""
    rakes = rake_of(amounts, bps=bps, cap=cap)
    assert all(0 <= rake <= amount for rake, amount in zip(rakes, amounts, strict=True))
    assert sum(rakes) == min(bps * sum(amounts) // 10_000, 10**18 if cap is None else cap)


def test_the_house_takes_nothing_by_default() -> None:
    """R13.1."""
    assert house_rake(HouseRules(), [500], second_street_dealt=True) == [0]


@pytest.mark.parametrize(
    ("no_drop", "dealt", "taken"),
    [(True, True, [25]), (True, False, [0]), (False, False, [25]), (False, True, [25])],
)
def test_no_fourth_street_no_drop(*, no_drop: bool, dealt: bool, taken: list[int]) -> None:
    """R13.3."""
    house = replace(HouseRules(), rake_bps=500, no_fourth_street_no_drop=no_drop)
    assert house_rake(house, [500], second_street_dealt=dealt) == taken
