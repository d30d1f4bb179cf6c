"""Decides declarations (R16)."""

from __future__ import annotations

from doorcard.commands import Choose, TimeOut
from doorcard.engine.choices import choices, refuse_choice, seats_out_of_time
from doorcard.engine.dealer_choices import OpenChoice
from doorcard.engine.decided import Decided, decided
from doorcard.engine.table import Hand, Table
from doorcard.errors import Refused
from doorcard.events import DeclarationMade, DeclarationsOpened, Declared


def decide_declaration(table: Table, command: Choose | TimeOut) -> Decided | Refused:
    """Take a declaration, open or sealed; a time-out declares high (R18.2)."""
    options = choices(table)
    if options is None or options.kind != "declare":
        return Refused("betting/nobody_asked", "No seat is asked to declare now.")
    if isinstance(command, TimeOut):
        if command.decision != options.decision:
            return Refused("betting/late", "That decision has been made already.")
        seats = seats_out_of_time(table, options, command)
        if not seats:
            return Refused("betting/not_due", "No player who is asked is absent.")
        if options.secret:
            return decided(table, [DeclarationMade(seat, b"") for seat in seats])
        return decided(table, [Declared(seats[0], "high")])
    refused = refuse_choice(table, options, command)
    if refused is not None:
        return refused
    if options.secret:
        return decided(table, [DeclarationMade(command.seat, command.sealed)])
    if command.direction not in options.directions:
        wanted = " or ".join(options.directions)
        return Refused("choice/bad_direction", f"Declare {wanted}.", command.seat)
    return decided(table, [Declared(command.seat, command.direction)])


def open_declarations(hand: Hand, open_choice: OpenChoice) -> DeclarationsOpened:
    """Open everybody's secret declaration, together (R16.3); nonsense counts as high (R18.2)."""
    both = hand.rules.house.declare_both
    allowed = {"high", "low", "both"} if both else {"high", "low"}
    opened: list[tuple[int, str]] = []
    for index, sealed in sorted(hand.chosen):
        seat = hand.players[index].seat
        direction = "high"
        if sealed:
            try:
                wished = open_choice(seat, sealed)
            except ValueError:
                wished = ""
            direction = wished if wished in allowed else "high"
        opened.append((seat, direction))
    return DeclarationsOpened(tuple(opened))
