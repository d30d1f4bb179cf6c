"""Random hands, and an account of their own of who has been shown which card.

The account is kept from the log's events and the deck alone; nothing of the views is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from doorcard.bots import BOTS, choice_of
from doorcard.cards import CARDS, Card
from doorcard.engine.reducer import fold, stamp
from doorcard.engine.table import NO_CHAIN, Table
from doorcard.events import (
    CardBought,
    CardsExposed,
    DealerDrawn,
    Dealt,
    Event,
    HandShown,
    HandStarted,
    Rolled,
)
from doorcard.games import GAMES
from doorcard.limits import Scalar
from doorcard.local import LocalTable, answer
from doorcard.testing import StackedDeck, stacked_table

CARD_TEXT: Final = re.compile(r"\b[2-9TJQKA][cdhs]\b")
KINDS: Final = tuple((game.id, variant) for game in GAMES.values() for variant in game.variants)
NAMES: Final = ("ann", "bob", "cas", "dee", "eve", "fay", "gus", "hal", "ida", "jim")


@dataclass
class Account:
    """Who has been shown which cards of the hand in progress."""

    deck: Sequence[Card]
    public: set[Card] = field(default_factory=set[Card])
    own: dict[int, set[Card]] = field(default_factory=dict[int, set[Card]])
    gone: dict[int | str, set[Card]] = field(default_factory=dict[int | str, set[Card]])
    """What each seat, or everybody (``public``), has seen thrown away: told once, shown no more."""

    def note(self, event: Event) -> None:
        if isinstance(event, HandStarted):
            self.public.clear()
            self.own.clear()
            self.gone.clear()
        elif isinstance(event, Dealt):
            self.public.update(card for _, _, card, _ in event.up)
            self.public.update(card for _, card, _ in event.community)
            for seat, index in event.down:
                self.own.setdefault(seat, set()).add(self.deck[index])
        elif isinstance(event, HandShown | CardsExposed):
            self.public.update(card for _, card, _ in event.cards)
        elif isinstance(event, Rolled):
            for seat, _, card, _ in event.cards:
                self.own[seat].discard(card)
                self.public.add(card)
        elif isinstance(event, CardBought):
            self._bought(event)

    def _bought(self, event: CardBought) -> None:
        old = self.deck[event.discard]
        self.gone.setdefault("public" if event.shown else event.seat, set()).add(old)
        self.public.discard(old)
        self.own[event.seat].discard(old)
        if event.shown:
            self.public.update(card for _, card, _ in event.shown)
        else:
            self.own[event.seat].add(self.deck[event.place])

    def may_be_told(self, viewer: int | str) -> set[Card]:
        """As ``may_see``, with the cards that this viewer has seen thrown away."""
        if viewer == "auditor":
            return self.may_see(viewer).union(*self.gone.values())
        return self.may_see(viewer) | self.gone.get("public", set()) | self.gone.get(viewer, set())

    def may_see(self, viewer: int | str) -> set[Card]:
        if viewer == "auditor":
            return self.public.union(*self.own.values())
        if isinstance(viewer, int):
            return self.public | self.own.get(viewer, set())
        return self.public


@dataclass(frozen=True)
class Moment:
    """A table after a commit."""

    table: Table
    events: tuple[Event, ...]
    opened: Mapping[int, Card]
    """All cards of the deck by index: more than anybody may be shown."""
    account: Account

    @property
    def tellable(self) -> list[Event]:
        """The events whose cards belong to the hand: not the draw for the deal (R2.9)."""
        return [event for event in self.events if not isinstance(event, DealerDrawn)]


def moments(
    seed: int, kind: tuple[str, str], seats: int, house: Mapping[str, Scalar], hands: int = 1
) -> Iterator[Moment]:
    """Every commit of some random hands."""
    game, variant = kind
    most = min(GAMES[game].seats_max, *GAMES[game].other_seats_max.values(), len(NAMES))
    chance = Random(seed)
    cards = list(CARDS)
    chance.shuffle(cards)
    table = stacked_table(
        game,
        StackedDeck(map(str, cards)),
        variant=variant,
        house=house,
        seats=most,
    )
    for name in NAMES[: min(seats, most)]:
        table.sit(name, chance.choice((1, 3, 12, 40, 200, 200)))
    bots = [BOTS[name] for name in sorted(BOTS)]
    for _ in range(hands):
        if table.table.ready_to_deal:
            table.deal()
        while table.table.asked:
            if chance.random() < 0.03:
                table.time_out()
            elif (options := table.legal) is not None:
                table.do(chance.choice(bots)(options, chance))
            else:
                _choose(table, chance)
    now = Table()
    account = Account(cards)
    for events in table.commits:
        before = now.decision
        now = fold(now, events)
        stamp(now, asked_before=before, seq=now.seq + 1, chain=NO_CHAIN, time_ms=0)
        for event in events:
            account.note(event)
        yield Moment(now, events, dict(enumerate(cards)), account)


def _choose(table: LocalTable, chance: Random) -> None:
    due, hand = table.choices, table.table.hand
    assert due is not None
    assert hand is not None
    seat = chance.choice(due.seats)
    player = hand.players[hand.index_of(seat)]
    chosen = choice_of(due, seat, player.down, player.up_places, chance)
    table.do(answer(table.table, seat, *chosen))


def card_texts(text: str) -> set[Card]:
    """All cards written in a text."""
    return {Card(word) for word in CARD_TEXT.findall(text)}
