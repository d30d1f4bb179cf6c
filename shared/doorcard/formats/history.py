"""One hand as a story for one viewer: who held, did, won what. Made from a hand's events.

A viewer sees own downcards and what was shown to all, nothing else. Whoever holds the deck and
names no viewer is the auditor, who sees every card that was dealt. Burned cards are in no
history (R2.6). Choices made in secret are told once they are opened (R16.3, R17.6). What was
wagered, less what went back, is what the pots hold, and that is what was collected and raked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from doorcard.cards import Card
from doorcard.engine.deck import Deck
from doorcard.engine.reducer import fold
from doorcard.engine.ruleset import ruleset
from doorcard.engine.table import Table
from doorcard.errors import BadInput
from doorcard.events import (
    AntesPosted,
    BetMade,
    BringInPosted,
    Called,
    CardBought,
    CardDeclined,
    CardsExposed,
    Checked,
    Completed,
    Dealt,
    DeclarationsOpened,
    Declared,
    Event,
    ExtraCardPaid,
    Folded,
    HandEnded,
    HandMucked,
    HandShown,
    HandStarted,
    HandVoided,
    MatchDeclined,
    PotAwarded,
    PotMatched,
    Raised,
    Rolled,
    StreetClosed,
    UncalledReturned,
)
from doorcard.formats.history_model import (
    Cards,
    HandHistory,
    HistoryPot,
    HistorySeat,
    Step,
    What,
)
from doorcard.formats.streets import DealOrder
from doorcard.views.model import AUDITOR, SPECTATOR, Viewer

__all__ = [
    "Cards",
    "HandHistory",
    "HistoryPot",
    "HistorySeat",
    "Step",
    "What",
    "hands_of",
    "history_of",
]


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
    told: list[Event] = [start]
    for event in story:
        told.append(event)
        tell = _TELL.get(type(event))
        if tell is not None:
            tell(teller, event)
        if isinstance(event, (HandEnded, HandVoided)):
            return teller.history(_wild_at_end(told))
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


def _wild_at_end(events: Sequence[Event]) -> tuple[Card, ...]:
    """The cards that were wild after the last one was dealt (R17.8)."""
    start = events[0]
    assert isinstance(start, HandStarted), "a story begins with it"
    rules = ruleset(start.spec)
    if not rules.any_wild or rules.game.follow_rank is None:
        return tuple(sorted(rules.wild))
    hand = fold(Table(), events).hand
    assert hand is not None, "a hand was played"
    return tuple(sorted(hand.wild))


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
        self._order = DealOrder(ruleset(start.spec).streets)
        stacks = {seat.seat: seat.stack for seat in start.snapshot.seats}
        self.stacks = {seat: stacks[seat] for seat in start.players}
        self.bets = dict.fromkeys(start.players, 0)
        self.own: dict[int, list[int]] = {seat: [] for seat in start.players}
        """Cards held, in the order dealt, by their deck index."""
        self.seen: dict[int, Card] = {}
        """Cards that everybody has seen, by deck index."""
        self.steps: list[Step] = []
        self.community: list[Card] = []
        self.pots: list[HistoryPot] = []
        self.voided: str | None = None
        self.street = 0
        self.round = 1

    def pay(self, what: What, seat: int, amount: int, **more: Any) -> None:
        """Tell of chips put in on a turn."""
        self.stacks[seat] -= amount
        self.bets[seat] += amount
        self.tell(what, seat, amount, **more)

    def pay_dead(self, what: What, seat: int, amount: int, **more: Any) -> None:
        """Tell of dead money, which is no contribution to the round (R12.5)."""
        self.stacks[seat] -= amount
        self.tell(what, seat, amount, **more)

    def tell(self, what: What, seat: int, amount: int = 0, **more: Any) -> None:
        """Add a step of a seat as it stands after it."""
        all_in = amount > 0 and not self.stacks[seat]
        step = Step(what, self.street, seat, amount, self.bets[seat], all_in, round=self.round)
        self.steps.append(step._replace(**more))

    def sees(self, seat: int, place: int) -> Card | None:
        """A card of a seat, as far as the viewer knows it by now."""
        if place in self.seen:
            return self.seen[place]
        if self._viewer not in (AUDITOR, seat):
            return None
        if self._deck is not None:
            return self._deck.cards[place]
        return self._opened.get(place)

    def dealt(self, event: Dealt) -> None:
        """Sort a street's cards by seat, each seat's in the order dealt."""
        self.street = event.street
        self.round = 1
        self.bets = dict.fromkeys(self.bets, 0)
        self.seen.update((place, card) for _, place, card, _ in event.up)
        for seat, own in self.own.items():
            down = [place for owner, place in event.down if owner == seat]
            up = [place for owner, place, _, _ in event.up if owner == seat]
            if not down and not up:
                continue
            own.extend(self._order.sorted(event.street, seat, down, up))
            seen = tuple(self.sees(seat, place) for place in down)
            turned = tuple(self.seen[place] for place in up)
            self.steps.append(Step("deal", event.street, seat, down=seen, up=turned))
        for _, card, _ in event.community:
            self.community.append(card)
            self.steps.append(Step("community", event.street, None, up=(card,)))

    def round_over(self, _event: StreetClosed) -> None:
        """The next wagers of this street, if there are any, start from nothing."""
        self.round += 1
        self.bets = dict.fromkeys(self.bets, 0)

    def rolled(self, event: Rolled) -> None:
        """Tell which card each player turned up."""
        for seat, index, card, _ in event.cards:
            self.seen[index] = card
            self.tell("roll", seat, up=(card,), place=self.own[seat].index(index))

    def bought(self, event: CardBought) -> None:
        """Tell of a card thrown away, and of the new one in its place."""
        seat = event.seat
        own = self.own[seat]
        place = own.index(event.discard)
        discard = self.sees(seat, event.discard)
        own[place] = event.place
        self.seen.update((index, card) for index, card, _ in event.shown)
        new = self.sees(seat, event.place)
        faces: dict[str, Any] = {"up": (new,)} if event.shown else {"down": (new,)}
        self.pay_dead("buy", seat, event.price, place=place, discard=discard, **faces)

    def declared(self, declarations: Iterable[tuple[int, str]]) -> None:
        """Tell what players declared."""
        for seat, direction in declarations:
            self.tell("declare", seat, direction=direction)

    def cards(self, seat: int) -> Cards:
        """A seat's cards as far as the viewer knows them by now."""
        return tuple(self.sees(seat, place) for place in self.own[seat])

    def show(self, event: HandShown | CardsExposed) -> None:
        """Tell of a hand tabled, at the end or early (R14.5, R14.6)."""
        self.seen.update((place, card) for place, card, _ in event.cards)
        shown = tuple(self.seen.get(place) for place in self.own[event.seat])
        self.steps.append(Step("show", self.street, event.seat, shown=shown))

    def history(self, wild: tuple[Card, ...]) -> HandHistory:
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
            wild,
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
    StreetClosed: _Teller.round_over,
    UncalledReturned: _uncalled,
    Rolled: _Teller.rolled,
    CardBought: _Teller.bought,
    CardDeclined: lambda teller, event: teller.tell("decline", event.seat),
    ExtraCardPaid: lambda teller, event: teller.pay_dead("take", event.seat, event.price),
    PotMatched: lambda teller, event: teller.pay_dead("match", event.seat, event.amount),
    MatchDeclined: lambda teller, event: teller.tell("fold", event.seat),
    Declared: lambda teller, event: teller.declared([(event.seat, event.direction)]),
    DeclarationsOpened: lambda teller, event: teller.declared(event.declarations),
    HandShown: _Teller.show,
    HandMucked: lambda teller, event: teller.steps.append(Step("muck", teller.street, event.seat)),
    PotAwarded: _awarded,
    HandVoided: _voided,
}
