"""What a bench reports: figures, each beside what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple


class Figure(NamedTuple):
    """One measured number."""

    key: str
    """Its name in the JSON object."""
    label: str
    value: float | None
    """None where it could not be measured; the label says why."""
    unit: str = ""
    asked: float | None = None
    """What it has to reach, or stay under."""
    aim: float | None = None
    """What would be good."""
    less_is_better: bool = False

    @property
    def falls_short(self) -> bool:
        """Whether it misses what is asked."""
        if self.value is None or self.asked is None:
            return False
        return self.value > self.asked if self.less_is_better else self.value < self.asked

    @property
    def misses_aim(self) -> bool:
        """Whether it misses what would be good."""
        if self.value is None or self.aim is None:
            return False
        return self.value > self.aim if self.less_is_better else self.value < self.aim


class Wish(NamedTuple):
    """What a run of the benches was asked for."""

    game: str = "seven_card_stud"
    quick: bool = False
    """Fewer repetitions: for a look, and for tests."""

    def times(self, usual: int) -> int:
        """How often to repeat what is usually repeated so often."""
        return max(2, usual // 8) if self.quick else usual


def by_key(figures: Sequence[Figure]) -> dict[str, float | None]:
    """The figures as a JSON object has them."""
    return {
        figure.key: None if figure.value is None else round(figure.value, 4) for figure in figures
    }


def median_ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """The middle one of the ratios of pairs that were measured next to each other."""
    return median([first / second for first, second in zip(one, other, strict=True)])


def percentile(values: Sequence[float], part: float) -> float:
    """The value that this part of all values does not exceed.

    Args:
        part: from 0 to 1, as in 0.99.
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
