"""The memo behind the rankings is bounded."""

from __future__ import annotations

import pytest

from doorcard.rankings import lanes
from doorcard.rankings.lanes import Memo


def test_a_memo_asks_once_for_each_hand() -> None:
    asked: list[int] = []

    def work(packed: int) -> int:
        asked.append(packed)
        return packed * 2

    memo = Memo(work)
    assert [memo[3], memo[4], memo[3]] == [6, 8, 6]
    assert asked == [3, 4]


def test_a_full_memo_starts_afresh_and_still_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "MEMO_LENGTH_MAX", 10)
    memo = Memo(lambda packed: packed + 1)
    assert [memo[packed] for packed in range(25)] == list(range(1, 26))
    assert len(memo) <= 10
