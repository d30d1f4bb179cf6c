"""How many betting sequences there are, to a given depth, from one fixed deck.

Each text file in ``counts/`` holds one game: who plays with which stacks, and for every depth how
many sequences of so many actions exist and how many hands are over with the last of them. Stacks
are small, so that short all-ins, side pots and early ends are all met. The same is counted with
PokerKit for its three games: with deep stacks, and with the house rules that it has built in, so
that none of the known differences (R5.5, R5.8, R6.8, R9.2; see ``test_differential``) can arise.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from pokerkit import State

from doorcard.commands import Act, ActionName
from doorcard.engine import betting, dealer
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.events import Dealt
from doorcard.limits import Limits
from doorcard.testing import StackedDeck
from tests.engine.kit import GAMES, LIKE_KIT, kit_act, kit_deal, kit_state, kit_wager
from tests.engine.play import NOTHING
from tests.engine.random_play import actions_of, granted, seated

COUNTS: Final = Path(__file__).parent / "counts"
DECK: Final = StackedDeck((COUNTS / "deck.txt").read_text("utf-8"), button_cards=["2c", "As"])
DECK_OF_THREE: Final = StackedDeck(map(str, DECK.cards), button_cards=["2c", "3c", "As"])
FILES: Final = tuple(sorted(COUNTS.glob("*_players.txt")))
KIT_DEPTH: Final = 8


class Counted(NamedTuple):
    """A file of counts."""

    game: str
    variant: str
    stacks: tuple[int, ...]
    rows: list[tuple[int, int]]
    """By depth: sequences, and those that end their hand."""


def read(path: Path) -> Counted:
    words = [line.split() for line in path.read_text("utf-8").splitlines()]
    facts = {row[0]: row[1:] for row in words if not row[0].isdigit()}
    rows = [(int(row[1]), int(row[2])) for row in words if row[0].isdigit()]
    assert [row[0] for row in words if row[0].isdigit()] == [str(i + 1) for i in range(len(rows))]
    variant = facts["variant"][0] if facts["variant"] else ""
    return Counted(facts["game"][0], variant, tuple(map(int, facts["stacks"])), rows)


def started(counted: Counted, *, like_kit: bool = False, stack: int = 0) -> Table:
    """The hand before its first action."""
    stacks = [stack] * len(counted.stacks) if stack else list(counted.stacks)
    house = LIKE_KIT if like_kit else NOTHING
    table = seated(counted.game, stacks, variant=counted.variant, house=house)
    return granted(dealer.decide(table, deck_for(stacks))).table


def deck_for(stacks: list[int]) -> StackedDeck:
    return DECK if len(stacks) == 2 else DECK_OF_THREE


def count(table: Table, depth: int, rows: list[tuple[int, int]], level: int = 0) -> None:
    """Add what follows a table to the rows of the depths below it."""
    options = legal(table)
    assert options is not None
    for name, to in actions_of(options):
        command = Act(options.seat, options.decision, name, to)
        after = granted(betting.decide(table, command)).table
        while after.awaited == "dealer" and after.in_hand:
            after = granted(dealer.decide(after, DECK)).table
        over = after.awaited != "betting"
        rows[level] = (rows[level][0] + 1, rows[level][1] + over)
        if not over and level + 1 < depth:
            count(after, depth, rows, level + 1)


def counts(table: Table, depth: int) -> list[tuple[int, int]]:
    rows = [(0, 0)] * depth
    count(table, depth, rows)
    return rows


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_there_are_as_many_sequences_as_before(path: Path) -> None:
    """R6.4, R6.6, R7.2, R8.1, R9.5: another number is another rule."""
    counted = read(path)
    assert counts(started(counted), len(counted.rows)) == counted.rows


def test_every_game_is_counted_with_two_and_three_players() -> None:
    found = {(read(path).game, read(path).variant, len(read(path).stacks)) for path in FILES}
    games = [("seven_card_stud", ""), ("razz", ""), ("stud_high_low_8", "")]
    variants = [("five_card_stud", "traditional"), ("five_card_stud", "low_bring_in")]
    assert found == {(*game, players) for game in games + variants for players in (2, 3)}


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_first_actions_by_hand(path: Path) -> None:
    """R5.5, R6.6: bring in or complete, or else check or bet."""
    assert read(path).rows[0] == (2, 0)


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("players", [2, 3])
def test_pokerkit_counts_the_same(game: str, players: int) -> None:
    """R5.10, R5.11, R6.4, R6.6, R8.1, R11.1."""
    counted = Counted(game, "", (1,) * players, [])
    table = started(counted, like_kit=True, stack=500)
    assert counts(table, KIT_DEPTH) == kit_counts(game, players)


def kit_counts(game: str, players: int) -> list[tuple[int, int]]:
    limits = Limits("fixed_limit", 1, 2, 5, 10)
    state = kit_state(game, limits, [500] * players)
    table = seated(game, [500] * players, house=LIKE_KIT)
    first = granted(dealer.decide(table, deck_for([500] * players)))
    for event in first.events:
        if isinstance(event, Dealt):
            kit_deal(state, event, DECK.cards)
    rows = [(0, 0)] * KIT_DEPTH
    kit_count(state, rows, 0)
    return rows


def kit_count(state: State, rows: list[tuple[int, int]], level: int) -> None:
    for name, to in kit_actions(state):
        after = deepcopy(state)
        kit_act(after, name, to)
        kit_deal_streets(after)
        over = after.actor_index is None
        rows[level] = (rows[level][0] + 1, rows[level][1] + over)
        if not over and level + 1 < len(rows):
            kit_count(after, rows, level + 1)


def kit_actions(state: State) -> list[tuple[ActionName, int | None]]:
    found: list[tuple[ActionName, int | None]] = []
    if state.can_post_bring_in():
        found.append(("bring_in", None))
    elif state.checking_or_calling_amount:
        found.extend((("fold", None), ("call", None)))
    else:
        found.append(("check", None))
    wager = kit_wager(state)
    if wager is not None:
        found.append(("raise", wager[0]))
    return found


def kit_deal_streets(state: State) -> None:
    """Deal streets from the fixed deck: the next cards that have not been out yet."""
    while state.can_burn_card() or state.can_deal_hole():
        out = len(state.burn_cards) + sum(map(len, state.hole_cards)) + len(state.mucked_cards)
        card = str(DECK.cards[out])
        if state.can_burn_card():
            state.burn_card(card)
        else:
            state.deal_hole(card)
