"""The only place where a table changes: events in, a new table out. Total: it never refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from doorcard.engine import (
    reducer_betting,
    reducer_choices,
    reducer_hand,
    reducer_seats,
    reducer_steps,
)
from doorcard.engine.handlers import HANDLERS
from doorcard.engine.table import NOBODY, Table
from doorcard.event_types import TAGS
from doorcard.events import Event

__all__ = ["HANDLERS", "apply", "apply_to", "fold", "stamp"]

_FILLED_BY: Final = (
    reducer_betting,
    reducer_choices,
    reducer_hand,
    reducer_seats,
    reducer_steps,
)
"""The modules that fill the table of handlers when they are imported."""

assert HANDLERS.keys() == TAGS.keys(), "every event has a handler"
assert {handler.__module__ for handler in HANDLERS.values()} == {
    module.__name__ for module in _FILLED_BY
}, "every handler stands in one of these modules, and each of them has some"


def apply(table: Table, event: Event) -> Table:
    """The table after one event. The table given is not changed."""
    return fold(table, (event,))


def fold(table: Table, events: Iterable[Event]) -> Table:
    """The table after some events. The table given is not changed."""
    draft = table.draft()
    for event in events:
        HANDLERS[type(event)](draft, event)
    return draft


def apply_to(draft: Table, event: Event) -> None:
    """Apply an event to a private draft in place: for deciders and for folding many commits."""
    HANDLERS[type(event)](draft, event)


def stamp(
    draft: Table, asked_before: int, seq: int, chain: bytes, time_ms: int, cause: str = ""
) -> None:
    """Close one commit on a draft: its number, hash and time, and the deadline that follows.

    Args:
        asked_before: the table's decision number before the commit's events.
        cause: id of what the commit answers; kept so that a repeat is recognised.
    """
    draft.seq = seq
    draft.chain = chain
    draft.time_ms = time_ms
    hand = draft.hand
    if hand is not None and cause:
        hand.causes += cause + " "
    if hand is not None and hand.phase == "bet" and hand.to_act != NOBODY:  # nearly always
        seat = draft.seats[hand.players[hand.to_act].seat]
        absent = seat.sitting_out or seat.leaving
    else:
        asked = draft.asked
        if not asked:
            draft.asked_ms = draft.deadline_ms = 0
            return
        absent = len(draft.absent) == len(asked)
    anew = draft.decision != asked_before
    if anew:
        draft.asked_ms = time_ms
    if absent:
        # R18.4: who is absent has no time at all; it is no shorter for the others (R18.7).
        draft.deadline_ms = time_ms
    elif anew:
        config = draft.config
        draft.deadline_ms = time_ms + (config.action_ms if config else 0)
