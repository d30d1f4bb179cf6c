"""Plays hands at random, every legal action as likely as another."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from doorcard.commands import Act, ActionName, Choose, OpenTable, SitDown
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.choices import Choices, choices, own_places
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.deck import Deck
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import Event
from doorcard.games import GAMES
from doorcard.limits import BRING_IN_OPENINGS, Limits, Scalar
from tests.engine.play import NOTHING, choose


def seated(
    game: str,
    stacks: Sequence[int],
    *,
    variant: str = "",
    limits: Limits | None = None,
    house: Mapping[str, Scalar] = NOTHING,
) -> Table:
    """A table with a player at each seat that has chips."""
    usual = Limits("fixed_limit", 1, 2 if opened_by_bring_in(game, variant) else 0, 5, 10)
    command = OpenTable(
        game, usual if limits is None else limits, variant, tuple(house.items()), len(stacks)
    )
    table = granted(floor.open_table("p00.random", command)).table
    for seat, stack in enumerate(stacks):
        if stack:
            sit = SitDown(seat, f"p{seat}", stack, f"r{seat}")
            table = granted(floor.decide(table, sit)).table
    return table


def opened_by_bring_in(game: str, variant: str) -> bool:
    """Whether a game's variant begins with a bring-in."""
    opening = GAMES[game].variants.get(variant, {}).get("opening", GAMES[game].opening)
    return opening in BRING_IN_OPENINGS


def play_hand(table: Table, deck: Deck, rng: random.Random) -> tuple[Table, list[Event]]:
    """Start a hand and play it to its end."""
    outcome = step(table, deck, rng)
    events = list(outcome.events)
    while outcome.table.in_hand:
        outcome = step(outcome.table, deck, rng)
        events += outcome.events
    return outcome.table, events


def step(table: Table, deck: Deck, rng: random.Random) -> Decided:
    """One decision of whoever is awaited."""
    due = choices(table)
    if due is not None:
        command = choice(table, due, rng)
        if due.kind == "declare":
            return granted(betting.decide(table, command))
        return granted(decide_choice(table, command, deck))
    match table.awaited:
        case "dealer":
            return granted(dealer.decide(table, deck))
        case "showdown":
            return granted(showdown.decide(table, deck))
        case _:
            options = legal(table)
            assert options is not None
            name, to = rng.choice(actions_of(options))
            return granted(betting.decide(table, Act(options.seat, options.decision, name, to)))


def choice(table: Table, due: Choices, rng: random.Random) -> Choose:
    """Any answer to a choice that is due, of any seat that owes it."""
    seat = rng.choice(due.seats)
    answer = rng.choice(due.answers)
    detail = ""
    if answer == "declare":
        detail = rng.choice(due.directions)
    elif answer in ("roll", "buy"):
        detail = str(rng.choice(own_places(table, seat, down_only=answer == "roll")))
    return choose(seat, due, answer, detail)


def actions_of(options: Legal) -> list[tuple[ActionName, int | None]]:
    """Every legal action with every amount; of a range, both ends and the middle."""
    found: list[tuple[ActionName, int | None]] = []
    if options.bring_in is not None:
        found.append(("bring_in", None))
    if options.fold:
        found.append(("fold", None))
    if options.check:
        found.append(("check", None))
    if options.call is not None:
        found.append(("call", None))
    wager = options.wager
    if wager is not None:
        middle = (wager.low + wager.high) // 2
        totals = wager.totals or sorted({wager.low, middle, wager.high})
        found.extend((wager.kind, to) for to in totals)
    return found


def granted(outcome: Decided | Refused) -> Decided:
    """What was decided; a refusal fails the test."""
    assert isinstance(outcome, Decided), outcome
    return outcome
