"""How many ways a hand can go, bets and choices together, to a given depth from one fixed deck.

Each text file in ``counts/`` holds a game with its house rules and stacks; the lines that begin
with a number say for that depth how many sequences there are and how many end their hand. Where
several are asked at once they answer in turn: the order of secret choices makes no difference.
``--rewrite-counts`` writes the numbered lines anew; a new file needs the four others only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

import pytest

from doorcard.commands import Act, Choose
from doorcard.engine import betting, dealer, showdown
from doorcard.engine.choices import choices, own_places
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.invariants import check
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.games import GAMES
from doorcard.limits import Scalar
from doorcard.testing import StackedDeck
from tests.engine.play import choose
from tests.engine.random_play import actions_of, granted, seated
from tests.games.tables import limits_of

COUNTS: Final = Path(__file__).parent / "counts"
ENOUGH: Final = 300
"""Sequences, over all depths, that a new file is counted to."""
FILES: Final = tuple(sorted(COUNTS.glob("*.txt")))


class Counted(NamedTuple):
    """A file of counts."""

    game: str
    house: dict[str, Scalar]
    stacks: tuple[int, ...]
    deck: str
    """The top of the deck."""
    rows: list[tuple[int, int]]
    """By depth: sequences, and those that end their hand."""


def read(path: Path) -> Counted:
    lines = [line.partition(" ") for line in path.read_text("utf-8").splitlines()]
    facts = {name: rest for name, _, rest in lines if not name.isdigit()}
    house: dict[str, Scalar] = {}
    for word in facts["house"].split():
        name, _, text = word.partition("=")
        house[name] = {"true": True, "false": False}.get(
            text, int(text) if text.isdigit() else text
        )
    rows = [
        (int(a), int(b)) for name, _, rest in lines if name.isdigit() for a, b in [rest.split()]
    ]
    assert [name for name, _, _ in lines if name.isdigit()] == [
        str(i + 1) for i in range(len(rows))
    ]
    stacks = tuple(map(int, facts["stacks"].split()))
    return Counted(facts["game"], house, stacks, facts["deck"], rows)


def counts(counted: Counted, depth: int) -> list[tuple[int, int]]:
    deck = StackedDeck(counted.deck, button_cards=[*("2c", "3c")[: len(counted.stacks) - 1], "As"])
    limits = limits_of(counted.game, "", counted.house)
    table = seated(counted.game, counted.stacks, limits=limits, house=counted.house)
    rows = [(0, 0)] * depth
    _count(_onward(granted(dealer.decide(table, deck)).table, deck), deck, rows, 0)
    return rows


def _count(table: Table, deck: StackedDeck, rows: list[tuple[int, int]], level: int) -> None:
    for outcome in _ways(table, deck):
        after = _onward(granted(outcome).table, deck)
        over = not after.in_hand
        rows[level] = (rows[level][0] + 1, rows[level][1] + over)
        if not over and level + 1 < len(rows):
            _count(after, deck, rows, level + 1)


def _ways(table: Table, deck: StackedDeck) -> list[Decided | Refused]:
    """Everything that the next seat may do."""
    options = legal(table)
    if options is not None:
        return [
            betting.decide(table, Act(options.seat, options.decision, name, to))
            for name, to in actions_of(options)
        ]
    answers = _answers(table)
    assert answers
    if table.awaited == "betting":
        return [betting.decide(table, answer) for answer in answers]
    return [decide_choice(table, answer, deck) for answer in answers]


def _answers(table: Table) -> list[Choose]:
    due = choices(table)
    assert due is not None
    seat = due.seats[0]
    found: list[Choose] = []
    for answer in due.answers:
        details = [""]
        if answer == "declare":
            details = list(due.directions)
        elif answer in ("roll", "buy"):
            places = own_places(table, seat, down_only=answer == "roll")
            details = [str(place) for place in places]
        found.extend(choose(seat, due, answer, detail) for detail in details)
    return found


def _onward(table: Table, deck: StackedDeck) -> Table:
    """Deal and open until a seat is asked or the hand is over."""
    while table.in_hand and not table.asked:
        decide = dealer.decide if table.awaited == "dealer" else showdown.decide
        table = granted(decide(table, deck)).table
        check(table)
    return table


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_there_are_as_many_sequences_as_before(path: Path, request: pytest.FixtureRequest) -> None:
    """R6.4, R16, R17, G5, G9, G11: another number is another rule."""
    if request.config.getoption("--rewrite-counts", default=False):
        path.write_text(rewritten(path), "utf-8")
    counted = read(path)
    assert counted.rows, "nothing is counted; pytest tests/games/test_counts.py --rewrite-counts"
    assert counts(counted, len(counted.rows)) == counted.rows


def rewritten(path: Path) -> str:
    """A file counted anew, to its depth; one without rows as deep as a test has time for."""
    counted = read(path)
    rows = counts(counted, len(counted.rows) or 1)
    while not counted.rows and rows[-1][0] > rows[-1][1] and sum(a for a, _ in rows) < ENOUGH:
        rows = counts(counted, len(rows) + 1)
    head = [line for line in path.read_text("utf-8").splitlines() if not line[:1].isdigit()]
    numbered = (f"{depth} {a} {b}" for depth, (a, b) in enumerate(rows, start=1))
    return "\n".join([*head, *numbered]) + "\n"


def test_every_family_is_counted() -> None:
    """And every kind of choice: bought, rolled, declared, matched, taken."""
    found = [read(path) for path in FILES]
    assert {GAMES[counted.game].family for counted in found} == {"five_card", "seven_card"}
    assert {"five_card_high_low_buy", "roll_your_own", "baseball", "mississippi"} <= {
        counted.game for counted in found
    }
    assert any("declare_both" in counted.house for counted in found)


def test_the_first_ways_by_hand() -> None:
    """G9, G11: three cards to roll; match the pot or fold; check, or bet once."""
    first = {path.stem: read(path).rows[0] for path in FILES}
    assert first["roll_your_own"] == (3, 0)
    assert first["baseball"] == (2, 1)
    assert first["five_card_high_low_buy"] == (2, 0)
    assert first["mississippi"] == (2, 0)
