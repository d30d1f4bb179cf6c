"""A table as lines of text."""

from __future__ import annotations

import pytest

from doorcard.engine.options import Legal, Wager
from doorcard.limits import Limits
from doorcard.local import LocalTable
from doorcard.testing import stacked_table
from doorcard.views import options_words, stakes_text

NONE = Legal(0, 1, fold=False, check=False, call=None, bring_in=None, wager=None)


def test_a_table_in_the_middle_of_a_hand() -> None:
    table = stacked_table(
        "razz", "2c Kd As  7h Qs 3d  Th 4c 9h", house={"dealer_mode": "fixed"}, seats=8
    )
    for seat, (name, chips) in zip(
        (0, 3, 7), (("ann", 200), ("bo", 9), ("caspar", 80)), strict=True
    ):
        table.sit(name, chips, seat)
    table.deal()
    table.act("complete")
    table.act("fold")
    assert table.text(7).splitlines() == [
        "Razz, fixed limit 5/10, ante 1, bring-in 2",
        "hand 1, third street, pot 8",
        "   0 ann    194 5  ?? ?? | Th",
        "   3 bo       8    ?? ?? | 4c (folded)",
        " > 7 caspar  79    As 3d | 9h",
        "seat 7 may fold, call 5, raise to 10",
    ]


def test_a_last_card_dealt_down_stands_behind_the_upcards() -> None:
    table = LocalTable.open("razz", seats=2)
    table.sit("ann", 100)
    table.sit("bob", 100)
    table.deal()
    while (options := table.legal) is not None and table.table.hand is not None:
        if table.table.hand.street == 5:
            break
        table.act("bring_in" if options.bring_in else "check" if options.check else "call")
    rows = table.text().splitlines()[2:4]
    assert all(row.endswith("| ??") for row in rows)
    assert all(row.count("|") == 2 for row in rows)
    assert all("D" in row or row.startswith(" ") for row in rows)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (
            Limits(ante=1, bring_in=2, small_bet=5, big_bet=10),
            "fixed limit 5/10, ante 1, bring-in 2",
        ),
        (
            Limits("spread_limit", bring_in=1, spread_min=1, spread_max=5),
            "spread limit 1-5, bring-in 1",
        ),
        (Limits("pot_limit", ante=1, small_bet=4), "pot limit 4, ante 1"),
        (Limits("no_limit", min_bet=6, small_bet=4), "no limit 6"),
    ],
)
def test_stakes_in_words(limits: Limits, words: str) -> None:
    assert stakes_text(limits) == words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            NONE._replace(check=True, wager=Wager("bet", (5, 10), 5, 10)),
            ["check", "bet to 5 or 10"],
        ),
        (NONE._replace(fold=True, call=7), ["fold", "call 7"]),
        (
            NONE._replace(bring_in=2, wager=Wager("bet", (), 5, 90)),
            ["bring in 2", "bet to 5-90"],
        ),
        (
            NONE._replace(fold=True, call=7, wager=Wager("raise", (), 9, 9)),
            ["fold", "call 7", "raise to 9"],
        ),
    ],
)
def test_options_in_words(options: Legal, words: list[str]) -> None:
    assert options_words(options) == words
