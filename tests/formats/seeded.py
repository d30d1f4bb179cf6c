"""Hands played by the engine from a seed, for the formats and the audit to be tried on."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple, cast

from doorcard.cards import CARDS
from doorcard.commands import Act, ActionName, Choice, Choose, OpenTable, SitDown, TimeOut
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.choices import Choices, choices, own_places
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import Event
from doorcard.formats.history import history_of
from doorcard.formats.jsonl import export_jsonl, parse_line
from doorcard.games import GAMES
from doorcard.limits import BRING_IN_OPENINGS, Limits, Scalar, Structure
from doorcard.testing import StackedDeck
from doorcard.views.model import Viewer

LIMITS = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
BOARD_OPENS = LIMITS._replace(bring_in=0)
STACKS = (1, 2, 3, 7, 20, 60, 200)
HANDS_EACH: Final = 2
NO_HOUSE: Mapping[str, Scalar] = {}
STRUCTURES: Final[tuple[Structure, ...]] = ("fixed_limit", "spread_limit", "pot_limit", "no_limit")
MORE_HOUSES: Final[Mapping[str, tuple[Mapping[str, Scalar], ...]]] = {
    "five_card_stud": ({"last_card_down": True},),
    "five_card_high_low": ({"opening": "high_board_opens", "low_ranking": "27"},),
    "five_card_high_low_declare": (
        {"declare_both": True},
        {"declare_both": True, "declare_both_ties": "share", "bet_after_declare": True},
        {"declare": "sequential", "declare_start": "dealer_left"},
    ),
    "five_card_high_low_buy": (
        {"buy_order": "opener", "bet_before_buy": True, "declare_both": True},
        {"buy_rounds": 2, "bet_between_buys": True, "last_card_down": True},
        {"buy_price": (3,), "expose_all_in": True, "declare": "none"},
    ),
    "soko": ({"soko_board_four_card": False},),
    "seven_card_stud": ({"wild_cards": "Jh Js"},),
    "roll_your_own": ({"roll_order": "in_turn"}, {"expose_all_in": True}),
    "stud_high_low_8": ({"declare": "simultaneous"},),
    "stud_high_low": ({"low_ranking": "a6"}, {"declare": "sequential"}),
    "queens_and_after": ({"queen_cancels_previous": False, "natural_beats_wild": True},),
    "baseball": (
        {"four_extra": "up"},
        {"four_extra_price": 3},
        {"three_up_match_pot": True},
        {"four_extra": "up", "four_extra_price": 3, "three_up_match_pot": True},
    ),
    "low_chicago": ({"low_chicago_ace": "low"},),
    "acey_ducey": ({"wild_on_board": False, "dealer_mode": "fixed"},),
}
"""House rules of single games to play under, beside the defaults."""


class Kind(NamedTuple):
    """One way to play a game."""

    game: str
    variant: str
    house: Mapping[str, Scalar]
    limits: Limits
    seats_max: int


def every_kind() -> list[Kind]:
    """Every game, each with all its variants, some house rules, and every structure."""
    kinds: list[Kind] = []
    for game in GAMES.values():
        ways = [(variant, NO_HOUSE) for variant in ("", *game.variants)]
        ways += [("", house) for house in MORE_HOUSES.get(game.id, ())]
        for variant, house in ways:
            settings = {**game.variants.get(variant, {}), **house}
            opening = settings.get("opening", game.opening)
            limits = LIMITS if opening in BRING_IN_OPENINGS else BOARD_OPENS
            crowded = [
                seats
                for setting, seats in game.other_seats_max.items()
                if settings.get(setting[0]) == setting[1]
            ]
            seats = min([game.seats_max, *crowded])
            kinds += [
                Kind(game.id, variant, house, staked(limits, each), seats) for each in STRUCTURES
            ]
    return kinds


def staked(limits: Limits, structure: Structure) -> Limits:
    """The same stakes for another structure."""
    if structure == "spread_limit":
        return limits._replace(structure=structure, spread_min=2, spread_max=20)
    return limits._replace(structure=structure)


def play_kind(kind: Kind, seed: int) -> Played:
    """A hand of a kind; seats, stacks and how wildly it is played follow from the seed."""
    seats = (2, 3, 4, 6, kind.seats_max)[seed % 5]
    return play(
        kind.game,
        min(seats, kind.seats_max),
        seed,
        variant=kind.variant,
        limits=kind.limits,
        house=kind.house,
        short=seed % 3 > 0,
        wild=seed % 4 == 0,
    )


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
        due = choices(table)
        if due is not None:
            choice = _any_choice(table, due, rng)
            by_betting = table.awaited == "betting"
            decided = (
                betting.decide(table, choice) if by_betting else decide_choice(table, choice, deck)
            )
        elif options is not None:
            name, to = _choice(options, rng) if wild else _mild_choice(options, rng)
            decided = betting.decide(table, Act(options.seat, options.decision, name, to))
        elif table.awaited == "dealer":
            decided = dealer.decide(table, deck)
        else:
            decided = showdown.decide(table, deck)
        yield _granted(decided)
        table = _granted(decided).table


def _any_choice(table: Table, due: Choices, rng: random.Random) -> Choose | TimeOut:
    """A choice that is no bet; now and then the clock makes it."""
    if rng.random() < 0.05:
        return TimeOut(due.decision)
    seat = rng.choice(due.seats) if due.secret else due.seats[0]
    answer = cast("Choice", rng.choice(due.answers))
    chosen = Choose(seat, due.decision, answer)
    if answer in ("roll", "buy"):
        place = rng.choice(own_places(table, seat, down_only=answer == "roll"))
        secret = str(place).encode() if due.secret else b""
        return replace(chosen, place=None if secret else place, sealed=secret)
    if answer == "declare":
        direction = rng.choice(due.directions)
        secret = direction.encode() if due.secret else b""
        return replace(chosen, direction="" if secret else direction, sealed=secret)
    return chosen


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


@cache
def hands() -> dict[str, list[tuple[Kind, Played]]]:
    """Hands of every game, variant and structure, by game."""
    found: dict[str, list[tuple[Kind, Played]]] = {game: [] for game in GAMES}
    for number, kind in enumerate(every_kind()):
        for seed in range(number, number + HANDS_EACH):
            found[kind.game].append((kind, play_kind(kind, seed)))
    return found


def exported(played: Played, viewer: Viewer) -> dict[str, Any]:
    """A hand as one viewer's line of JSON, read back."""
    return parse_line(json.dumps(export_jsonl(history_of(played.events, played.deck, viewer))))
