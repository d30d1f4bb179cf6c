"""Hands played by the engine from a seed, for the formats and the audit to be tried on."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from doorcard.cards import CARDS
from doorcard.commands import Act, ActionName, OpenTable, SitDown
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import Event
from doorcard.limits import Limits, Scalar
from doorcard.testing import StackedDeck

LIMITS = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
BOARD_OPENS = LIMITS._replace(bring_in=0)
STACKS = (1, 2, 3, 7, 20, 60, 200)
NO_HOUSE: Mapping[str, Scalar] = {}


class Played(NamedTuple):
    """One hand: its events from ``HandStarted`` to ``HandEnded``, and its deck."""

    events: tuple[Event, ...]
    deck: StackedDeck


def play(
    game: str,
    seats: int,
    seed: int,
    *,
    variant: str = "",
    limits: Limits = LIMITS,
    house: Mapping[str, Scalar] = NO_HOUSE,
    short: bool = True,
    wild: bool = False,
) -> Played:
    """Play one hand.

    Args:
        short: stacks are small and different, so that there are all-ins and side pots.
        wild: all legal actions are equally likely; otherwise most hands go to the showdown.
    """
    rng = random.Random(f"{game} {variant} {seats} {seed}")
    table = _granted(
        floor.open_table(
            "p00.seeded", OpenTable(game, limits, variant, tuple(house.items()), seats)
        )
    ).table
    for seat in range(seats):
        chips = rng.choice(STACKS) if short else 500
        table = _granted(
            floor.decide(table, SitDown(seat, f"player {seat}", chips, f"r{seat}"))
        ).table
    order = [str(card) for card in rng.sample(CARDS, 52)]
    draw = [str(card) for card in rng.sample(CARDS, 52)]
    deck = StackedDeck(order, button_cards=draw)
    events: list[Event] = []
    for decided in _decisions(table, deck, rng, wild=wild):
        events += decided.events
    return Played(tuple(events), deck)


def _decisions(
    table: Table, deck: StackedDeck, rng: random.Random, *, wild: bool
) -> Iterator[Decided]:
    while table.hand is None or table.hand.phase != "over":
        options = legal(table)
        if options is not None:
            name, to = _choice(options, rng) if wild else _mild_choice(options, rng)
            decided = betting.decide(table, Act(options.seat, options.decision, name, to))
        elif table.awaited == "dealer":
            decided = dealer.decide(table, deck)
        else:
            decided = showdown.decide(table, deck)
        yield _granted(decided)
        table = _granted(decided).table


def _choice(options: Legal, rng: random.Random) -> tuple[ActionName, int | None]:
    choices: list[tuple[ActionName, int | None]] = []
    if options.bring_in is not None:
        choices.append(("bring_in", None))
    if options.fold:
        choices.append(("fold", None))
    if options.check:
        choices.append(("check", None))
    if options.call is not None:
        choices.append(("call", None))
    wager = options.wager
    if wager is not None:
        totals = wager.totals or (wager.low, wager.high, rng.randint(wager.low, wager.high))
        choices.append((wager.kind, rng.choice(totals)))
    return rng.choice(choices)


def _mild_choice(options: Legal, rng: random.Random) -> tuple[ActionName, int | None]:
    luck = rng.random()
    if options.fold and luck < 0.07:
        return "fold", None
    if options.wager is not None and luck < 0.3:
        return options.wager.kind, options.wager.low
    if options.check:
        return "check", None
    return ("bring_in", None) if options.bring_in is not None else ("call", None)


def _granted(decided: Decided | Refused) -> Decided:
    assert not isinstance(decided, Refused), decided
    return decided
