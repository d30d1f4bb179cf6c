"""A seat's own face-down cards, gathered from a log while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from doorcard.cards import Card
from doorcard.events import CardBought, Dealt, Event, HandStarted

OpenDealt: TypeAlias = Callable[[Dealt | CardBought, int, int, bytes], Mapping[int, Card]]
"""Opens what one deal or purchase sealed to one seat: (event, hand, seq, chain before the commit)
to cards by index. ``doorcard.fairness.dealing.dealt_opener`` makes one from a seat's key."""


class Entry(NamedTuple):
    """A commit as it stands in a log, as far as opening its cards needs it."""

    seq: int
    chain: bytes
    """The table's chain hash before the commit."""
    events: Sequence[Event]


def opened_cards(
    entries: Iterable[Entry], open_dealt: OpenDealt, *, hand: int = 0
) -> dict[int, Card]:
    """A seat's face-down cards of the last hand in some commits, by index in the deck.

    Args:
        entries: consecutive commits of one table.
        open_dealt: opens one seat's cards; what it raises is passed on.
        hand: the hand in progress before the first of the commits.
    """
    found: dict[int, Card] = {}
    for entry in entries:
        for event in entry.events:
            if isinstance(event, HandStarted):
                hand = event.hand
                found = {}
            elif isinstance(event, Dealt | CardBought):
                found.update(open_dealt(event, hand, entry.seq, entry.chain))
    return found
