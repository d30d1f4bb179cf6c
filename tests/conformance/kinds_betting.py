"""Lines about a betting round: actions and timeout."""

from __future__ import annotations

from itertools import product
from typing import Final

from doorcard.cards import CARDS, Card, parse_cards
from doorcard.commands import Act, TimeOut
from doorcard.engine import betting
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal, Wager
from doorcard.engine.reducer import apply
from doorcard.engine.ruleset import Ruleset
from doorcard.engine.table import Table
from doorcard.events import BringInPosted, CardDeclined, Checked, Declared, Rolled
from doorcard.games import GAMES
from doorcard.limits import BRING_IN_OPENINGS, Limits
from doorcard.testing import table_at
from tests.conformance.choice_due import DUE_GAMES, choice_due
from tests.conformance.schemas import (
    Action,
    Actions,
    ActionsGiven,
    LegalOptions,
    Timeout,
    TimeoutGiven,
    WagerRange,
)
from tests.conformance.support import (
    Malformed,
    board_rules,
    cards_of,
    granted,
    hand_of,
    house_rules,
    require_game,
    ruleset_of,
)

PLAIN_RANKS: Final = (("K", "Q"), ("J", "T"), ("9", "8"))
PAIR_SUITS: Final = (("c", "d"), ("h", "s"))


def actions(given: ActionsGiven) -> Actions:
    """R5 to R10: whose turn it is after some actions, and what exactly is legal then."""
    table = paid_in = _round_started(given)
    for action in given["history"]:
        options = legal(table)
        decided = granted(betting.decide(table, act_of(action, options)))
        paid_in = apply(table, decided.events[0])  # before an uncalled bet goes back
        table = decided.table
    options = legal(table)
    contributions = [0] * len(given["stacks"])
    stacks = list(given["stacks"])
    for player in hand_of(paid_in).players:
        contributions[player.seat] = player.bet
        stacks[player.seat] = player.stack
    return {
        "to_act": None if options is None else options.seat,
        "legal": None if options is None else options_of(options),
        "contributions": contributions,
        "stacks": stacks,
    }


def timeout(given: TimeoutGiven) -> Timeout:
    """R18.1, R18.2: what the server does when the time is up."""
    due = given.get("due")
    if due is not None:
        return _choice_timeout(due, given)
    if "legal" not in given:
        raise Malformed("a time-out needs legal options or something due")
    event = betting.time_out_event(_legal_of(given["legal"]))
    if isinstance(event, BringInPosted):
        return {"action": ["bring_in", event.amount]}
    return {"action": ["check" if isinstance(event, Checked) else "fold"]}


def _choice_timeout(due: str, given: TimeoutGiven) -> Timeout:
    """R18.2 in a real hand that has come to the choice."""
    if due not in DUE_GAMES:
        raise Malformed(f"nothing called {due!r} can be due")
    down = cards_of(given.get("downcards_in_order", []))
    table, deck = choice_due(due, down)
    late = TimeOut(table.decision)
    if due == "declare":
        event = granted(betting.decide(table, late)).events[0]
    else:
        event = granted(decide_choice(table, late, deck)).events[0]
    match event:
        case Declared():
            return {"action": ["declare", event.direction]}
        case Rolled():
            return {"action": ["roll", str(event.cards[0][2])]}
        case CardDeclined():
            return {"action": ["decline"]}
        case _:
            raise AssertionError(f"a time-out of a {due} does {event}")


def act_of(action: Action, options: Legal | None) -> Act:
    """The command that a line's ``[seat, action, to]`` stands for."""
    match action:
        case [int(seat), str(name)]:
            to = None
        case [int(seat), str(name), int(to)]:
            pass
        case _:
            raise Malformed(f"{action!r} is not [seat, action] or [seat, action, to]")
    decision = options.decision if options is not None else 0
    match name:
        case "bring_in" | "complete" | "bet" | "raise" | "call" | "check" | "fold":
            return Act(seat, decision, name, to)
        case _:
            raise Malformed(f"there is no action {name!r}")


def options_of(options: Legal) -> LegalOptions:
    """Legal options in the form of a line."""
    return {
        "fold": options.fold,
        "check": options.check,
        "call": options.call,
        "bring_in": options.bring_in,
        "wager": None if options.wager is None else _range_of(options.wager),
    }


def _range_of(wager: Wager) -> WagerRange:
    if wager.totals:
        return {"kind": wager.kind, "to": list(wager.totals)}
    return {"kind": wager.kind, "min": wager.low, "max": wager.high}


def _legal_of(options: LegalOptions) -> Legal:
    return Legal(
        seat=0,
        decision=1,
        fold=options["fold"],
        check=options["check"],
        call=options["call"],
        bring_in=options["bring_in"],
        wager=None if options["wager"] is None else _wager_of(options["wager"]),
    )


def _wager_of(wager: WagerRange) -> Wager:
    totals = tuple(wager.get("to", []))
    low = totals[0] if totals else wager.get("min", 0)
    high = totals[-1] if totals else wager.get("max", 0)
    return Wager(wager["kind"], totals, low, high)


def _round_started(given: ActionsGiven) -> Table:
    street = given["street"]
    stacks = dict(enumerate(given["stacks"]))
    out = [seat for seat, live in enumerate(given["live"]) if not live]
    if len(given["live"]) != len(stacks):
        raise Malformed("live and stacks are not of the same length")
    if street == 1:  # nobody folds before the first round: who is not live was not dealt in
        stacks = {seat: stack for seat, stack in stacks.items() if seat not in out}
        out = []
    rules = _rules(given)
    boards = _doors(given, rules, stacks) if "bring_in_seat" in given else _boards(given, stacks)
    return table_at(
        _leading(rules, given),
        stacks,
        boards=boards,
        paid=_shares(given, stacks),
        folded=out,
        street=street,
    )


def _rules(given: ActionsGiven) -> Ruleset:
    name = given.get("game", "seven_card_stud")
    require_game(name)
    game = GAMES[name]
    if given["street"] > len(game.streets):
        raise Malformed(f"{name} has no street {given['street']}")
    forced = "bring_in_seat" in given
    if forced is ("first" in given):
        raise Malformed("either bring_in_seat or first is needed")
    house = house_rules(given.get("switches", {}), name)
    fitting = [way for way in game.openings if (way in BRING_IN_OPENINGS) is forced]
    house.setdefault("opening", game.opening if game.opening in fitting else fitting[0])
    limits = Limits(
        given["structure"],
        ante=0,
        bring_in=given.get("bring_in", 0) if forced else 0,
        small_bet=given.get("small_bet", 0),
        big_bet=given.get("big_bet", 0),
        min_bet=given.get("min_bet", 0),
        spread_min=given.get("spread_min", 0),
        spread_max=given.get("spread_max", 0),
    )
    return ruleset_of(name, limits, house)


def _leading(rules: Ruleset, given: ActionsGiven) -> Ruleset:
    """The game's rules; where R11 named the first seat, under an order that names it too."""
    if "first" not in given:
        return rules
    high = given["first"] in given.get("pair_seats", [])
    return board_rules("high" if high else "a5", by_suit=False, base=rules)


def _doors(
    given: ActionsGiven, rules: Ruleset, stacks: dict[int, int]
) -> dict[int, tuple[Card, ...]]:
    """Door cards that make the named seat bring it in."""
    seat = given.get("bring_in_seat", 0)
    if seat not in stacks:
        raise Malformed("the bring-in seat was not dealt in")
    if rules.opening == "low_card_bring_in":
        opener, others = Card("2c"), list(CARDS[4:44])
    else:
        opener, others = Card("Ks" if rules.ace_low else "As"), list(CARDS[:44])
    return {other: (opener if other == seat else others.pop(),) for other in stacks}


def _boards(given: ActionsGiven, stacks: dict[int, int]) -> dict[int, tuple[Card, ...]]:
    """Boards whose leader is the first seat, with pairs where the line says so."""
    first = given.get("first", 0)
    pairs = given.get("pair_seats", [])
    if first not in stacks:
        raise Malformed("the first seat is not in the hand")
    plain = [parse_cards(a + s + b + s) for (a, b), s in product(PLAIN_RANKS, "cdhs")]
    paired = [parse_cards(rank + a + rank + b) for rank, (a, b) in product("34567", PAIR_SUITS)]
    boards = {
        seat: paired.pop() if seat in pairs else plain.pop() for seat in stacks if seat != first
    }
    boards[first] = (Card("As"), Card("Ac" if first in pairs else "2s"))
    if given["street"] == 1:
        return {seat: cards[:1] for seat, cards in boards.items()}
    return boards


def _shares(given: ActionsGiven, stacks: dict[int, int]) -> dict[int, int]:
    """Who paid the pot: one chip from whoever has nothing left, the rest from the first seat."""
    paid = {seat: int(stack == 0) for seat, stack in stacks.items()}
    left = given.get("pot", sum(paid.values())) - sum(paid.values())
    if left < 0:
        raise Malformed("the pot is smaller than the number of players who are all-in")
    paid[min(stacks)] += left
    return paid
