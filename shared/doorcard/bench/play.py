"""How the benches drive both engines: hands from ready decks at a table that has sat down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import process_time
from typing import TYPE_CHECKING, Final

from doorcard.bench.policies import Draw, PokerKitPolicy, Policy, any_choice
from doorcard.commands import OpenTable, SitDown, VoidHand
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.choices import choices
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.deck import Deck
from doorcard.engine.invariants import check
from doorcard.engine.legal import legal
from doorcard.engine.ruleset import ruleset
from doorcard.engine.table import Table
from doorcard.errors import BadInput, BrokenInvariant, Refused
from doorcard.fairness.deck import FairDeck
from doorcard.games import GAMES
from doorcard.limits import BRING_IN_OPENINGS, Limits
from doorcard.tables import GameSpec

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

PokerKitHand = Callable[[PokerKitPolicy, Draw], "State"]
"""Plays one hand of PokerKit's to its end."""


def opening(game: str) -> OpenTable:
    """How a bench opens a table where nothing but bets is asked for.

    Raises:
        BadInput: there is no such game, or more than bets is asked in it.
    """
    command = opening_any(game)
    if not only_bets(game):
        raise BadInput(f"{game} has choices that are no bets; only the engine bench plays them")
    return command


def opening_any(game: str) -> OpenTable:
    """How a bench opens a table for any game.

    Raises:
        BadInput: there is no such game.
    """
    if game not in GAMES:
        raise BadInput(f"there is no game called {game!r}; the games are {', '.join(GAMES)}")
    brings_in = GAMES[game].opening in BRING_IN_OPENINGS
    return OpenTable(game, STAKES if brings_in else STAKES._replace(bring_in=0), seats=SEATS)


def only_bets(game: str) -> bool:
    """Whether nobody is asked for anything but bets in a game."""
    rules = ruleset(GameSpec(game, limits=opening_any(game).limits))
    return rules.plain_deal and all(step == "bet" for steps in rules.steps for step in steps)


def sitting_down(chips: int, keys: Sequence[bytes] = ()) -> list[SitDown]:
    """How the players of the benches sit down, with public keys for sealed cards if given."""
    return [
        SitDown(seat, f"bot-{seat}", chips, f"buy-in-{seat}", keys[seat] if keys else b"")
        for seat in range(SEATS)
    ]


def running_table(game: str) -> Table:
    """A table where a hand has been played, everybody has ``CHIPS``, and a dealer is chosen."""
    table = granted(floor.open_table("p00.bench", opening_any(game))).table
    for command in sitting_down(CHIPS):
        table = granted(floor.decide(table, command)).table
    table = granted(dealer.decide(table, ready_deck(0))).table
    return granted(floor.decide(table, VoidHand("the bench begins"))).table


def ready_deck(seed: int) -> FairDeck:
    """The deck of a numbered hand."""
    return FairDeck(seed_of(seed))


def seed_of(number: int) -> bytes:
    """The deck seed of a numbered hand."""
    return number.to_bytes(32, "big")


def draws(seed: int) -> Draw:
    """The choices of a numbered hand, the same for both engines."""
    return Random(seed).random  # noqa: S311 - play that can be repeated, and no secret


def hands_s(table: Table, policy: Policy, seeds: Sequence[int]) -> float:
    """Seconds of processor time that some numbered hands take, their shuffling apart."""
    prepared = [(ready_deck(seed), draws(seed)) for seed in seeds]
    start = process_time()
    for deck, draw in prepared:
        play_hand(table, deck, policy, draw)
    return process_time() - start


def play_hand(table: Table, deck: Deck, policy: Policy, draw: Draw) -> Table:
    """Play one hand from its start to its end, checking what must hold after each commit.

    The policy bets; rolls, purchases, payments and declarations are drawn from all that is legal.

    Raises:
        BrokenInvariant: chips do not add up, or the engine refused what it had called legal.
    """
    outcome = dealer.decide(table, deck)
    while True:
        events, table = granted(outcome)
        check(table, events)
        options = legal(table)
        if options is not None:
            outcome = betting.decide(table, policy(options, draw))
        elif not table.in_hand:
            return table
        elif (due := choices(table)) is not None:
            command = any_choice(table, due, draw)
            if due.kind == "declare":
                outcome = betting.decide(table, command)
            else:
                outcome = decide_choice(table, command, deck)
        elif table.awaited == "dealer":
            outcome = dealer.decide(table, deck)
        else:
            outcome = showdown.decide(table, deck)


def granted(outcome: Decided | Refused) -> Decided:
    """What was decided.

    Raises:
        BrokenInvariant: the engine refused what it had called legal.
    """
    if isinstance(outcome, Refused):
        raise BrokenInvariant(f"a legal request was refused: {outcome.sentence}")
    return outcome


def pokerkit_hand(game: str) -> PokerKitHand:
    """How PokerKit plays one hand of a game, with everything automatic but the betting.

    Raises:
        BadInput: PokerKit has no such game, or is not installed.
    """
    if game not in POKERKIT_GAMES:
        raise BadInput(f"PokerKit has no {game}")
    try:
        import pokerkit  # noqa: PLC0415 - no dependency of the library
    except ImportError:
        raise BadInput("PokerKit is not installed, so nothing can be compared with it") from None
    create = getattr(pokerkit, POKERKIT_GAMES[game]).create_state
    automations = tuple(pokerkit.Automation)
    stacks = (CHIPS,) * SEATS
    ante, bring_in, small_bet, big_bet = STAKES[1:5]

    def play(policy: PokerKitPolicy, draw: Draw) -> State:
        state: State = create(automations, True, ante, bring_in, small_bet, big_bet, stacks, SEATS)
        while state.status:
            policy(state, draw)
        return state

    return play
