"""Compares the antes of a recorded hand, dead ones too, with what the engine posts (R4, R18.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from doorcard.audit.foreign_hand import ForeignHand
from doorcard.audit.foreign_result import Difference
from doorcard.events import AntesPosted, Event
from doorcard.formats.record import AnteRecord


def antes_differ(hand: ForeignHand, events: Iterable[Event]) -> Difference | None:
    """The first difference in the antes that are among some events; None where there is none."""
    for event in events:
        if isinstance(event, AntesPosted):
            left = dict(hand.stacks)
            return _differ(hand, "", hand.antes, event.antes, left) or _differ(
                hand, "dead ", hand.dead, event.dead, left
            )
    return None


def all_in_words(seat: int, *, all_in: bool) -> str:
    """That a record is wrong about a seat's being all-in."""
    return f"seat {seat} is {'' if all_in else 'not '}all-in; the record says otherwise"


def _differ(
    hand: ForeignHand,
    kind: str,
    recorded: Mapping[int, AnteRecord],
    posted: Sequence[tuple[int, int]],
    left: dict[int, int],
) -> Difference | None:
    """Compare one kind of ante, and take it off the stacks that are left."""
    for seat in recorded:
        if seat not in hand.stacks:
            return Difference("ante", 0, f"seat {seat} antes and was not dealt in")
    amounts = {hand.seats[place]: amount for place, amount in posted}
    for number in hand.seats:
        amount = amounts.get(number, 0)
        record = recorded.get(number)
        said = record.amount if record is not None else 0
        if said != amount:
            return Difference("ante", 0, f"seat {number} {kind}antes {amount}, not {said}")
        left[number] -= amount
        if record is not None and record.all_in != (not left[number]):
            return Difference("ante", 0, all_in_words(number, all_in=not left[number]))
    return None
