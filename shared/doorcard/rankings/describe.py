"""Keys in plain English, as a dealer would announce them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from doorcard.rankings.model import LARGER_WINS, Key, Ranking

_NAMES: Final = (
    *("", "ace", "deuce", "three", "four", "five", "six", "seven"),
    *("eight", "nine", "ten", "jack", "queen", "king", "ace"),
)
_PLURALS: Final = tuple("sixes" if name == "six" else name + "s" for name in _NAMES)
_LETTERS: Final = "?A23456789TJQKA"


def describe(ranking: Ranking, key: Key | None) -> str:
    """Name a hand or a board: ``kings full of tens``, ``four-card flush, king high``.

    None, which stands for a hand without a qualifying low, is ``no low``. Kickers are left out
    beside pairs and larger groups, so different keys may share a name.
    """
    if key is None:
        return "no low"
    group, *ranks = key
    if not ranks:
        return "no cards"
    if ranking == "soko":
        return _soko_name(group, ranks)
    if group == 0 and ranking not in LARGER_WINS:
        return "-".join(_LETTERS[rank] for rank in ranks) + " low"
    return _name(group, ranks)


def _soko_name(group: int, ranks: Sequence[int]) -> str:
    """A board of three upcards keeps the classes of high boards, a triplet among them (K8.2)."""
    if group == 2:
        return f"four-card straight, {_NAMES[ranks[0]]} high"
    if group == 3 and len(ranks) > 1:
        return f"four-card flush, {_NAMES[ranks[0]]} high"
    return _name(group - 2 if group > 3 else group, ranks)


def _name(group: int, ranks: Sequence[int]) -> str:
    if group == 8 and ranks[0] == 14:
        return "royal flush"
    if group == 5 and ranks.count(14) > 1:  # wild cards may all be aces in a flush (K2.6)
        return f"flush, {ranks.count(14)} aces high"
    top, second = [*ranks, 0][:2]
    return _TEMPLATES[group].format(
        name=_NAMES[top], plural=_PLURALS[top], second_plural=_PLURALS[second]
    )


_TEMPLATES: Final = {
    0: "{name} high",
    1: "pair of {plural}",
    2: "two pair, {plural} and {second_plural}",
    3: "three {plural}",
    4: "straight, {name} high",
    5: "flush, {name} high",
    6: "{plural} full of {second_plural}",
    7: "four {plural}",
    8: "straight flush, {name} high",
    9: "five {plural}",
}
