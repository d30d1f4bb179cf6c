"""How the benches drive both engines: hands from ready decks at a table that has sat down."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Final

from doorcard.bench.policies import Draw, Policy, PokerKitPolicy
from doorcard.commands import OpenTable, SitDown
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.deck import Deck
from doorcard.engine.decided import Decided
from doorcard.engine.invariants import check
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.errors import BadInput, BrokenInvariant, Refused
from doorcard.fairness.deck import FairDeck
from doorcard.games import GAMES
from doorcard.limits import BRING_IN_OPENINGS, Limits

if TYPE_CHECKING:
    from pokerkit import State

SEATS: Final = 6
CHIPS: Final = 1000
STAKES: Final = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
POKERKIT_GAMES: Final = {
    "seven_card_stud": "FixedLimitSevenCardStud",
    "razz": "FixedLimitRazz",
    "stud_high_low_8": "FixedLimitSevenCardStudHighLowSplitEightOrBetter",
}
"""PokerKit's class for each game that it has."""


def opening(game: str) -> OpenTable:
    """How the benches open a table for a game.

    Raises:
        BadInput: there is no such game.
    """
    if game not in GAMES:
        raise BadInput(f"there is no game called {game!r}; the games are {', '.join(GAMES)}")
    brings_in = GAMES[game].opening in BRING_IN_OPENINGS
    stakes = STAKES if brings_in else STAKES._replace(bring_in=0)
    return OpenTable(game, stakes, seats=SEATS)


def seated_table(game: str, table_id: str = "p00.bench") -> Table:
    """A table where everybody has sat down and no hand has begun."""
    table = granted(floor.open_table(table_id, opening(game))).table
    for seat in range(SEATS):
        command = SitDown(seat, f"player-{seat}", CHIPS, f"buy-in-{seat}")
        table = granted(floor.decide(table, command)).table
    return table


def ready_deck(seed: int) -> FairDeck:
    """The deck of a numbered hand."""
    return FairDeck(seed.to_bytes(32, "big"))


def draws(seed: int) -> Draw:
    """The choices of a numbered hand, the same for both engines."""
    return Random(seed).random  # noqa: S311 - repeatable play, no secret


def play_hand(table: Table, deck: Deck, policy: Policy, draw: Draw) -> Table:
    """Play one hand from its start to its end, checking what must hold after each commit.

    Raises:
        BrokenInvariant: chips do not add up, or the engine refused what it had called legal.
    """
    outcome = dealer.decide(table, deck)
    while True:
        if isinstance(outcome, Refused):
            raise BrokenInvariant(f"a legal request was refused: {outcome.sentence}")
        events, table = outcome
        check(table, events)
        options = legal(table)
        if options is not None:
            outcome = betting.decide(table, policy(options, draw))
        elif not table.in_hand:
            return table
        elif table.awaited == "dealer":
            outcome = dealer.decide(table, deck)
        else:
            outcome = showdown.decide(table, deck)


def pokerkit_hand(game: str) -> Callable[[PokerKitPolicy, Draw], State]:
    """How PokerKit plays one hand of a game that it has, all automatic but the betting.

    Raises:
        ImportError: PokerKit is not installed.
    """
    import pokerkit

    create = getattr(pokerkit, POKERKIT_GAMES[game]).create_state
    automations = tuple(pokerkit.Automation)
    stacks = (CHIPS,) * SEATS

    def play(policy: PokerKitPolicy, draw: Draw) -> State:
        state: State = create(
            automations,
            True,
            STAKES.ante,
            STAKES.bring_in,
            STAKES.small_bet,
            STAKES.big_bet,
            stacks,
            SEATS,
        )
        while state.status:
            policy(state, draw)
        return state

    return play


def granted(outcome: Decided | Refused) -> Decided:
    """What was decided.

    Raises:
        BrokenInvariant: the engine refused what it had called legal.
    """
    if isinstance(outcome, Refused):
        raise BrokenInvariant(f"a legal request was refused: {outcome.sentence}")
    return outcome
