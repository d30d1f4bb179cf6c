from __future__ import annotations

import pytest

from doorcard.bench.figures import Figure, Wish, by_key, median_ratio, percentile


@pytest.mark.parametrize(
    ("value", "less_is_better", "short", "off"),
    [
        (5.9, False, True, True),
        (6.0, False, False, True),
        (10.0, False, False, False),
        (10.1, True, True, True),
        (10.0, True, False, True),
        (6.0, True, False, False),
        (None, False, False, False),
    ],
)
def test_a_figure_knows_what_it_misses(
    value: float | None, less_is_better: bool, short: bool, off: bool
) -> None:
    asked, aim = (10.0, 6.0) if less_is_better else (6.0, 10.0)
    figure = Figure("ratio", "a ratio", value, "times", asked, aim, less_is_better)
    assert (figure.falls_short, figure.misses_aim) == (short, off)


def test_a_figure_that_nobody_asked_for_misses_nothing() -> None:
    figure = Figure("rate", "a rate", 0.0)
    assert not figure.falls_short
    assert not figure.misses_aim


def test_figures_as_a_json_object() -> None:
    figures = [Figure("ratio", "", None), Figure("rate", "", 1.23456)]
    assert by_key(figures) == {"ratio": None, "rate": 1.2346}


def test_ratios_are_taken_pair_by_pair() -> None:
    assert median_ratio([2.0, 40.0, 6.0], [1.0, 10.0, 2.0]) == 3.0


@pytest.mark.parametrize(("part", "expected"), [(0.0, 1), (0.5, 51), (0.99, 100), (1.0, 100)])
def test_percentiles(part: float, expected: int) -> None:
    assert percentile(range(100, 0, -1), part) == expected


def test_a_quick_run_repeats_less_but_still_repeats() -> None:
    assert Wish().times(24) == 24
    assert Wish(quick=True).times(24) == 3
    assert Wish(quick=True).times(3) == 2
