"""Nobody is told a face-down card: not by the log, a message, a reply, or a view."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final

from doorcard.audit.verify_deck import opened_by
from doorcard.engine.hand import NOBODY
from doorcard.engine.table import Table
from doorcard.events import HandStarted
from doorcard.fairness.deck import FairDeck
from doorcard.streams.commit import Commit
from doorcard.streams.messages import Reply
from doorcard.views import SPECTATOR, Viewer, render, view
from tests.simulation.trace import Violation

if TYPE_CHECKING:
    from tests.simulation.world import World

_CARD: Final = re.compile(r"\b[2-9TJQKA][cdhs]\b")
LOOK_EVERY: Final = 40
"""One commit in so many is looked at through the eyes of some viewer."""
SALT_BYTES: Final = 16
SHORT: Final = 40
"""Places of a message that are sooner looked up than the salts are looked for."""


class Secrecy:
    """Knows every deck, and which of its cards everybody may see."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._open: defaultdict[str, set[int]] = defaultdict(set[int])
        self._deck: dict[str, FairDeck] = {}

    def forgot(self, name: str, table: Table, commits: Iterable[Commit]) -> None:
        """The store has gone back to where a table is in some hand, of which these commits are."""
        self._open[name] = {
            place
            for commit in commits
            for event in commit.events
            for place, _, _ in opened_by(event)
        }
        hand = table.hand
        deck = self._world.decks.get(hand.start.sealed_seed) if hand is not None else None
        if deck is not None:
            self._deck[name] = deck

    def committed(self, name: str, after: Table, commit: Commit, raw: bytes) -> None:
        """A commit holds no card that it does not lay open."""
        for event in commit.events:
            if isinstance(event, HandStarted):
                self._open[name] = set()
                deck = self._world.decks.get(event.sealed_seed)
                if deck is not None:
                    self._deck[name] = deck
            self._open[name].update(place for place, _, _ in opened_by(event))
        if commit.role in {"dealer", "showdown"}:
            self._look_for_salts(name, raw, f"commit {after.seq}")
        self._world.looked += 1
        if self._world.looked % LOOK_EVERY == 0:
            self._look_on(name, after, commit)

    def replied(self, reply: Reply, raw: bytes) -> None:
        """A reply names no card that is face down."""
        if reply.ok and reply.sentence is None and reply.code is None:
            return  # it holds the request's own id, and numbers
        if (deck := self._deck.get(reply.table)) is not None:
            public = {str(deck.cards[place]) for place in self._open[reply.table]}
            if hidden := set(_CARD.findall(reply.sentence or "")) - public:
                raise Violation(f"a reply names {hidden}: {reply.sentence}")
        self._look_for_salts(reply.table, raw, f"the reply to {reply.id}")

    def said(self, line: str) -> None:
        """No line that a worker logs names a card."""
        if found := _CARD.findall(line):
            raise Violation(f"a worker's log names {found}: {line}")

    def message(self, raw: bytes) -> None:
        """A message in a queue or among the dead letters holds no salt of a closed card.

        Those of players are left out: they are maps, and players know no salts but their own.
        """
        if len(raw) < SALT_BYTES or raw[0] & 0xF0 == 0x80:
            return
        for name in self._deck:
            self._look_for_salts(name, raw, "a message")

    def _look_for_salts(self, name: str, raw: bytes, what: str) -> None:
        deck = self._deck.get(name)
        if deck is None or len(raw) < SALT_BYTES:
            return
        public = self._open[name]
        for salt in _found(deck.salts, raw):
            if (place := deck.salts.index(salt)) not in public:
                raise Violation(f"{what} of {name} holds the salt of place {place}")

    def _look_on(self, name: str, table: Table, commit: Commit) -> None:
        """What a viewer gets to see when the program knows the whole deck."""
        deck, hand = self._deck.get(name), table.hand
        if deck is None or hand is None:
            return
        viewers: list[Viewer] = [SPECTATOR, *sorted(table.seats)]
        seat = self._world.chance.choice(viewers)
        public = set(self._open[name])
        if isinstance(seat, int) and (index := hand.index_of(seat)) != NOBODY:
            public.update(hand.players[index].down)
        self._compare(deck, table, seat, public, commit)

    def _compare(
        self, deck: FairDeck, table: Table, seat: Viewer, public: set[int], commit: Commit
    ) -> None:
        text = render(view(table, seat, dict(enumerate(deck.cards)), commit.events))
        names = {str(deck.cards[place]) for place in public}
        names |= {str(card) for card in (table.hand.wild if table.hand else ())}
        if hidden := set(_CARD.findall(text)) - names:
            raise Violation(f"{seat} sees {hidden} at {table.id}:\n{text}")


def _found(salts: tuple[bytes, ...], raw: bytes) -> Collection[bytes]:
    """The salts that some bytes hold: each is looked for, or each place of the bytes looked up."""
    places = len(raw) - SALT_BYTES + 1
    if places > SHORT:
        return [salt for salt in salts if salt in raw]
    return {raw[place : place + SALT_BYTES] for place in range(places)}.intersection(salts)
