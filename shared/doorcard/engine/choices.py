"""Who is asked for a choice that is no bet, and what may be answered (R16, R17)."""

from __future__ import annotations

from typing import Final, NamedTuple

from doorcard.commands import Choose, TimeOut
from doorcard.engine.table import CHOICE_PHASES, Table
from doorcard.errors import Refused


class Choices(NamedTuple):
    """A choice that is due. Amounts are chips."""

    kind: str
    """``roll``, ``buy``, ``extra``, ``match`` or ``declare``."""
    seats: tuple[int, ...]
    """The seats that are asked: one, or everybody who still owes a secret choice."""
    decision: int
    answers: tuple[str, ...]
    """What ``Choose.choice`` may be."""
    secret: bool
    """Whether the answer is sealed (R16.3, R17.6)."""
    price: int
    """What buying, taking or matching costs."""
    directions: tuple[str, ...]
    """What may be declared (R16.2)."""


def choices(table: Table) -> Choices | None:
    """The choice that is due, or None."""
    hand = table.hand
    if hand is None or hand.phase not in CHOICE_PHASES:
        return None
    both = ("both",) if hand.rules.house.declare_both else ()
    return Choices(
        hand.phase,
        table.asked,
        table.decision,
        ANSWERS[hand.phase],
        hand.secret,
        hand.price if hand.phase in ("buy", "extra", "match") else 0,
        ("high", "low", *both) if hand.phase == "declare" else (),
    )


def time_out_due(table: Table, now_ms: int) -> TimeOut | None:
    """The time-out that the decision has earned by now: everybody's, or only absent players'.

    R18.4, R18.7: an absent player's time is up at once, that of the others at the deadline. The
    table's own time counts where ``now_ms`` lies before it.
    """
    if not table.asked:
        return None
    if table.deadline_ms <= max(now_ms, table.time_ms):
        return TimeOut(table.decision)
    return TimeOut(table.decision, absent_only=True) if table.absent else None


def seats_out_of_time(table: Table, options: Choices, command: TimeOut) -> tuple[int, ...]:
    """The seats that a time-out decides for."""
    return table.absent if command.absent_only else options.seats


def own_places(table: Table, seat: int, *, down_only: bool) -> tuple[int, ...]:
    """Deck indices of a seat's own cards, as a choice may name them."""
    hand = table.hand
    if hand is None:
        return ()
    player = hand.players[hand.index_of(seat)]
    return player.down if down_only else player.down + player.up_places


def refuse_choice(table: Table, options: Choices, command: Choose) -> Refused | None:
    """Why a choice cannot be taken, before its card or direction is looked at; or None."""
    seat = command.seat
    taken = table.seats.get(seat)
    if taken is None:
        return Refused("choice/unknown_seat", f"Nobody sits at seat {seat}.", seat)
    if command.player is not None and command.player != taken.player:
        return Refused("choice/not_your_seat", f"Seat {seat} is another player's.", seat)
    if command.decision != options.decision:
        return Refused(
            "choice/late",
            f"The table asks for decision {options.decision}, not {command.decision}.",
            seat,
        )
    if seat not in options.seats:
        hand = table.hand
        made = hand is not None and any(
            hand.players[index].seat == seat for index, _ in hand.chosen
        )
        if made:
            return Refused("choice/made_already", f"Seat {seat} has chosen already.", seat)
        return Refused("choice/not_your_turn", f"Seat {seat} is not asked now.", seat)
    if command.choice not in options.answers:
        wanted = " or ".join(options.answers)
        return Refused("choice/illegal", f"Seat {seat} is asked to {wanted}.", seat)
    if options.secret != bool(command.sealed):
        how = "sealed" if options.secret else "open"
        return Refused("choice/not_sealed", f"This choice is made {how}.", seat)
    return None


ANSWERS: Final = {
    "roll": ("roll",),
    "buy": ("buy", "decline"),
    "extra": ("take", "decline"),
    "match": ("match", "fold"),
    "declare": ("declare",),
}
