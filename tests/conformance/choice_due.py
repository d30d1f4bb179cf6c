"""Hands that have come to a choice, for lines about choices."""

from __future__ import annotations

from typing import Final

from doorcard.cards import CARDS, Card
from doorcard.commands import Act, Choose, OpenTable, SitDown
from doorcard.engine import betting, dealer, floor
from doorcard.engine.choices import Choices, choices
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.limits import Limits, Scalar
from doorcard.testing import StackedDeck
from tests.conformance.schemas import Action
from tests.conformance.support import Malformed, granted

LIMITS: Final = Limits("fixed_limit", 1, 0, 5, 10)
DUE_GAMES: Final[dict[str, tuple[str, tuple[tuple[str, Scalar], ...]]]] = {
    "declare": ("five_card_high_low_declare", (("declare", "sequential"),)),
    "buy": ("five_card_high_low_buy", ()),
    "roll": ("roll_your_own", (("roll_order", "in_turn"),)),
}
"""A game in which each choice is made openly, one player after another."""


def choice_due(kind: str, down: tuple[Card, ...]) -> tuple[Table, StackedDeck]:
    """Two players, checked down to the first choice of a kind; the first holds these downcards."""
    game, house = DUE_GAMES[kind]
    others = [card for card in CARDS if card not in down]
    deck = StackedDeck([str(card) for pair in zip(down, others, strict=False) for card in pair])
    table = granted(floor.open_table("p00.example", OpenTable(game, LIMITS, house=house))).table
    for seat in range(2):
        table = granted(floor.decide(table, SitDown(seat, f"p{seat}", 100, f"r{seat}"))).table
    while choices(table) is None:
        options = legal(table)
        if options is None:
            table = granted(dealer.decide(table, deck)).table
        else:
            act = Act(options.seat, options.decision, "check" if options.check else "call")
            table = granted(betting.decide(table, act)).table
    return table, deck


def choose(table: Table, options: Choices, action: Action, deck: StackedDeck) -> Decided:
    """Decide the choice that a line's ``[seat, choice, card or direction]`` stands for."""
    match action:
        case [int(seat), "roll" | "buy" as choice, str(text)]:
            place = deck.cards.index(Card(text))
            command = Choose(seat, options.decision, choice, place)
            if options.secret:
                command = Choose(seat, options.decision, choice, sealed=str(place).encode())
        case [int(seat), "decline" | "take" | "match" | "fold" as choice]:
            command = Choose(seat, options.decision, choice)
        case [int(seat), "declare", str(direction)]:
            command = Choose(seat, options.decision, "declare", direction=direction)
            if options.secret:
                command = Choose(seat, options.decision, "declare", sealed=direction.encode())
        case _:
            raise Malformed(f"{action!r} is no answer to a {options.kind}")
    if options.kind == "declare":
        return granted(betting.decide(table, command))
    return granted(decide_choice(table, command, deck))
