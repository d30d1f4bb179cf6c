"""One hand as a story for one viewer: who held, did, won what. Made from a hand's events.

A viewer sees own downcards and what was shown to all, nothing else. Whoever holds the deck and
names no viewer is the auditor, who sees every card that was dealt. Burned cards are in no
history (R2.6). What was wagered, less what went back, is what the pots hold, and that is what
was collected and raked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from doorcard.cards import Card
from doorcard.engine.deck import Deck
from doorcard.engine.ruleset import ruleset
from doorcard.errors import BadInput
from doorcard.events import (
    AntesPosted,
    BetMade,
    BringInPosted,
    Called,
    CardsExposed,
    Checked,
    Completed,
    Dealt,
    Event,
    Folded,
    HandEnded,
    HandMucked,
    HandShown,
    HandStarted,
    HandVoided,
    PotAwarded,
    Raised,
    UncalledReturned,
)
from doorcard.tables import GameSpec
from doorcard.views.model import AUDITOR, SPECTATOR, Viewer

What = Literal[
    "ante", "dead_ante", "deal", "community", "bring_in", "complete", "bet", "raise", "call",
    "check", "fold", "uncalled", "show", "muck",
]  # fmt: skip
Cards = tuple[Card | None, ...]
"""Cards in the order dealt; None where this viewer never learns them."""


class Step(NamedTuple):
    """One thing that happened. Amounts are chips."""

    what: What
    street: int
    """0 for the antes, 1 for the initial deal."""
    seat: int | None
    """None for a community card."""
    amount: int = 0
    """Chips put in, or given back."""
    to: int = 0
    """The seat's contribution to the betting round afterwards."""
    all_in: bool = False
    down: Cards = ()
    """Downcards dealt, as far as this viewer could see them then."""
    up: tuple[Card, ...] = ()
    """Upcards dealt, or community cards turned."""
    shown: Cards = ()
    """All of the seat's cards, for ``show``."""


class HistorySeat(NamedTuple):
    """Somebody who was dealt in."""

    seat: int
    player: str
    stack: int
    """Chips before the ante."""
    final: int
    """Chips after the hand, without those that waited for its end."""
    cards: Cards
    """Own cards in the order dealt."""


class HistoryPot(NamedTuple):
    """One pot and who was paid from it."""

    amount: int
    """Rake included."""
    rake: int
    shares: tuple[tuple[int, str, int], ...]
    """(seat, part, chips); the part is ``all``, ``high`` or ``low``."""


class HandHistory(NamedTuple):
    """One whole hand, as one viewer may read it."""

    table: str
    hand: int
    spec: GameSpec
    dealer: int | None
    """Seat of the dealer position; None with a house dealer."""
    table_seats: int
    viewer: Viewer
    seats: tuple[HistorySeat, ...]
    """In deal order."""
    steps: tuple[Step, ...]
    community: tuple[Card, ...]
    pots: tuple[HistoryPot, ...]
    """Main pot first; empty for a void hand."""
    voided: str | None
    """Why the hand was void (R19), or None."""

    @property
    def rake(self) -> int:
        """Rake taken from all pots."""
        return sum(pot.rake for pot in self.pots)

    @property
    def pot(self) -> int:
        """What all pots held, rake included: wagers less what went back."""
        return sum(pot.amount for pot in self.pots)


def history_of(
    events: Iterable[Event],
    deck: Deck | None = None,
    viewer: Viewer | None = None,
    *,
    opened: Mapping[int, Card] | None = None,
) -> HandHistory:
    """Tell one hand from its events, from ``HandStarted`` to its end.

    Args:
        deck: the hand's deck, where the caller may have it.
        viewer: a seat, ``spectator`` or ``auditor``; left out it is the auditor with a deck,
            and a spectator without one.
        opened: cards by deck index that the seat itself has opened, in place of a deck.

    Raises:
        BadInput: the events are not those of one whole hand, or the viewer was not dealt in.
    """
    if viewer is None:
        viewer = SPECTATOR if deck is None else AUDITOR
    story = iter(events)
    start = next((event for event in story if isinstance(event, HandStarted)), None)
    if start is None:
        raise BadInput("no hand starts among these events")
    teller = _Teller(start, viewer, deck, opened or {})
    for event in story:
        tell = _TELL.get(type(event))
        if tell is not None:
            tell(teller, event)
        if isinstance(event, (HandEnded, HandVoided)):
            return teller.history()
        if isinstance(event, HandStarted):
            break
    raise BadInput(f"hand {start.hand} of table {start.table} has not ended")


def hands_of(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Cut a log's events into its finished hands; what happened between hands is left out."""
    hand: list[Event] = []
    for event in events:
        if isinstance(event, HandStarted):
            hand = [event]
        elif hand:
            hand.append(event)
            if isinstance(event, (HandEnded, HandVoided)):
                yield hand
                hand = []


class _Teller:
    """What is known while a hand's events are read."""

    def __init__(
        self, start: HandStarted, viewer: Viewer, deck: Deck | None, opened: Mapping[int, Card]
    ) -> None:
        if isinstance(viewer, int) and viewer not in start.players:
            raise BadInput(f"seat {viewer} was not dealt into hand {start.hand}")
        self._start = start
        self._viewer: Viewer = viewer
        self._deck = deck
        self._opened = opened
        self._streets = ruleset(start.spec).streets
        stacks = {seat.seat: seat.stack for seat in start.snapshot.seats}
        self.stacks = {seat: stacks[seat] for seat in start.players}
        self.bets = dict.fromkeys(start.players, 0)
        self.own: dict[int, list[Card | int]] = {seat: [] for seat in start.players}
        """Cards in the order dealt, downcards by their deck index."""
        self.seen: dict[int, Card] = {}
        """Downcards that everybody has seen, by deck index."""
        self.steps: list[Step] = []
        self.community: list[Card] = []
        self.pots: list[HistoryPot] = []
        self.voided: str | None = None
        self.street = 0

    def pay(self, what: What, seat: int, amount: int) -> None:
        """Tell of chips put in on a turn."""
        self.stacks[seat] -= amount
        self.bets[seat] += amount
        all_in = amount > 0 and not self.stacks[seat]
        self.steps.append(Step(what, self.street, seat, amount, self.bets[seat], all_in))

    def sees(self, seat: int, place: int) -> Card | None:
        """A downcard, if the viewer could see it when it was dealt."""
        if self._viewer not in (AUDITOR, seat):
            return None
        if self._deck is not None:
            return self._deck.cards[place]
        return self._opened.get(place)

    def dealt(self, event: Dealt) -> None:
        """Sort a street's cards by seat, each seat's in the order dealt."""
        self.street = event.street
        self.bets = dict.fromkeys(self.bets, 0)
        letters = self._streets[event.street - 1].deal
        for seat in self.bets:
            down = [place for owner, place in event.down if owner == seat]
            up = [card for owner, _, card, _ in event.up if owner == seat]
            if not down and not up:
                continue
            face_down, face_up = iter(down), iter(up)
            for letter in letters:
                self.own[seat].append(next(face_down) if letter == "d" else next(face_up))
            seen = tuple(self.sees(seat, place) for place in down)
            self.steps.append(Step("deal", event.street, seat, down=seen, up=tuple(up)))
        for _, card, _ in event.community:
            self.community.append(card)
            self.steps.append(Step("community", event.street, None, up=(card,)))

    def cards(self, seat: int) -> Cards:
        """A seat's cards as far as the viewer knows them by now."""
        return tuple(
            card
            if isinstance(card, Card)
            else self.seen[card]
            if card in self.seen
            else self.sees(seat, card)
            for card in self.own[seat]
        )

    def show(self, event: HandShown | CardsExposed) -> None:
        """Tell of a hand tabled, at the end or early (R14.5, R14.6)."""
        self.seen.update((place, card) for place, card, _ in event.cards)
        shown = tuple(
            card if isinstance(card, Card) else self.seen.get(card) for card in self.own[event.seat]
        )
        self.steps.append(Step("show", self.street, event.seat, shown=shown))

    def history(self) -> HandHistory:
        """Everything told, as one record."""
        start = self._start
        players = {seat.seat: seat for seat in start.snapshot.seats}
        seats = tuple(
            HistorySeat(
                seat,
                players[seat].player,
                players[seat].stack,
                self.stacks[seat],
                self.cards(seat),
            )
            for seat in start.players
        )
        return HandHistory(
            start.table,
            start.hand,
            start.spec,
            start.dealer,
            start.snapshot.config.seats,
            self._viewer,
            seats,
            tuple(self.steps),
            tuple(self.community),
            tuple(self.pots),
            self.voided,
        )


def _antes(teller: _Teller, event: AntesPosted) -> None:
    kinds: Sequence[tuple[What, tuple[tuple[int, int], ...]]] = (
        ("ante", event.antes),
        ("dead_ante", event.dead),
    )
    for what, antes in kinds:
        for seat, amount in antes:
            if amount:
                teller.stacks[seat] -= amount
                all_in = not teller.stacks[seat]
                teller.steps.append(Step(what, 0, seat, amount, 0, all_in))


def _uncalled(teller: _Teller, event: UncalledReturned) -> None:
    teller.stacks[event.seat] += event.amount
    teller.bets[event.seat] -= event.amount
    to = teller.bets[event.seat]
    teller.steps.append(Step("uncalled", teller.street, event.seat, event.amount, to))


def _awarded(teller: _Teller, event: PotAwarded) -> None:
    for seat, _, chips in event.shares:
        teller.stacks[seat] += chips
    teller.pots.append(HistoryPot(event.amount, event.rake, event.shares))


def _voided(teller: _Teller, event: HandVoided) -> None:
    teller.voided = event.reason
    teller.pots.clear()
    for seat, chips in event.refunds:
        teller.stacks[seat] += chips


_TELL: Final[dict[type[Event], Callable[[_Teller, Any], None]]] = {
    AntesPosted: _antes,
    Dealt: _Teller.dealt,
    CardsExposed: _Teller.show,
    BringInPosted: lambda teller, event: teller.pay("bring_in", event.seat, event.amount),
    Completed: lambda teller, event: teller.pay("complete", event.seat, event.amount),
    BetMade: lambda teller, event: teller.pay("bet", event.seat, event.amount),
    Raised: lambda teller, event: teller.pay("raise", event.seat, event.amount),
    Called: lambda teller, event: teller.pay("call", event.seat, event.amount),
    Checked: lambda teller, event: teller.pay("check", event.seat, 0),
    Folded: lambda teller, event: teller.pay("fold", event.seat, 0),
    UncalledReturned: _uncalled,
    HandShown: _Teller.show,
    HandMucked: lambda teller, event: teller.steps.append(Step("muck", teller.street, event.seat)),
    PotAwarded: _awarded,
    HandVoided: _voided,
}
