"""What each role but betting does with a message: a thin shell round its decider.

Betting's stands in `services.betting`, because what is here loads what seals and opens cards.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from doorcard.commands import Act, Choose, OpenTable, SitDown, TimeOut
from doorcard.engine import dealer, floor, showdown
from doorcard.engine.dealer import HandSecrets
from doorcard.engine.dealer_choices import OpenChoice, decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.deck import Deck
from doorcard.engine.table import Table
from doorcard.errors import BadKey, Refused
from doorcard.events import CardBought, Dealt, Event
from doorcard.fairness.dealing import (
    choice_opener,
    open_seed,
    seal_bought,
    seal_dealt,
    seal_seed,
)
from doorcard.fairness.deck import FairDeck, leaves
from doorcard.fairness.keys import DeckKeyRing
from doorcard.fairness.sealing import is_public_key
from doorcard.fairness.seed import Seed, new_seed
from doorcard.streams.messages import Request, role_for
from doorcard.tables import Role
from services.decider import due_at
from services.jobs import Message
from services.losses import names_another


class FloorDecider:
    """Tables, seats and chips."""

    role: Role = "floor"

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        """Decide a request, or pay out those who waited to leave."""
        if not isinstance(message, Request):
            return floor.settle_leavers(table)
        command = message.command
        if isinstance(command, Act | Choose | TimeOut):
            return Refused("message/wrong_queue", "Actions go to the queue of who decides them.")
        if isinstance(command, OpenTable) and table.config is None:
            return floor.open_table(message.table, command)
        if isinstance(command, SitDown) and command.key and not is_public_key(command.key):
            sentence = "Nothing can be sealed to that key; it must be a public key of X25519."
            return Refused("floor/bad_key", sentence, command.seat)
        if names_another(table, message):
            return Refused("floor/no_hand", "The hand that lost a part of itself is over.")
        return floor.decide(table, command)


class DealerDecider:
    """Starts hands, deals, and decides what players do with their cards. Holds the deck key."""

    role: Role = "dealer"

    def __init__(self, decks: DeckKeeper) -> None:
        self._decks = decks

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        """Deal what is due; face-down cards leave here sealed to their owners."""
        if isinstance(message, Request):
            return self._request(table, message)
        if table.awaited != "dealer":
            return Refused("dealer/nothing_due", "Nothing is to be dealt at this table now.")
        if table.asked:
            return self._time_up(table, message, now_ms)
        if not table.in_hand:
            deck, secrets = self._decks.new(table)
            return _sealed(table, dealer.decide(table, deck, secrets), deck)
        deck, opener = self._decks.of(table), self._decks.opener(table)
        return _sealed(table, dealer.decide(table, deck, open_choice=opener), deck)

    def _request(self, table: Table, request: Request) -> Decided | Refused:
        command = request.command
        if not isinstance(command, Choose) or role_for(command) != self.role:
            return Refused("message/wrong_queue", "Players' choices of cards are decided here.")
        if table.config is None:
            return Refused("dealer/unknown_table", "There is no such table.", command.seat)
        if table.awaited != "dealer" or not table.asked:
            return Refused("dealer/nobody_asked", "No seat is asked for a card now.", command.seat)
        deck = self._decks.of(table)
        return _sealed(table, decide_choice(table, command, deck), deck)

    def _time_up(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        due = due_at(table, message, now_ms)
        if not isinstance(due, TimeOut):
            return due or Refused("dealer/not_due", "The decision's time is not up.")
        deck = self._decks.of(table)
        return _sealed(table, decide_choice(table, due, deck), deck)


class ShowdownDecider:
    """Opens declarations, shows, awards and ends hands. Holds the deck key."""

    role: Role = "showdown"

    def __init__(self, decks: DeckKeeper) -> None:
        self._decks = decks

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        """End the hand whose betting is over."""
        if isinstance(message, Request):
            return Refused("message/wrong_queue", "Nobody can ask the showdown for anything.")
        if table.awaited != "showdown":
            return Refused("showdown/nothing_due", "No hand here is ready to be shown.")
        return showdown.decide(table, self._decks.of(table), self._decks.opener(table))


def _sealed(table: Table, decision: Decided | Refused, deck: Deck) -> Decided | Refused:
    """Seal the face-down cards of a decision to their owners, as its commit will carry them."""
    if isinstance(decision, Refused):
        return decision
    hand = decision.table.hand
    assert hand is not None, "the dealer deals hands"
    seq, chain, number = table.seq + 1, table.chain, hand.start.hand

    def sealed(event: Event) -> Event:
        if isinstance(event, Dealt):
            return seal_dealt(event, decision.table, deck, seq, chain, number)
        if isinstance(event, CardBought):
            return seal_bought(event, decision.table, deck, seq, chain, number)
        return event

    return Decided(tuple(map(sealed, decision.events)), decision.table)


class DeckKeeper:
    """Makes the decks of new hands and opens those of hands in progress.

    It keeps the last seeds, which are dear to open, and not their decks, which take much more
    room and are soon shuffled again.
    """

    def __init__(
        self,
        ring: DeckKeyRing,
        capacity: int = 10_000,
        draw: Callable[[], bytes] | None = None,
    ) -> None:
        """Keep seeds.

        Args:
            capacity: how many.
            draw: where seeds come from, if not from the operating system; for simulations alone.
        """
        self._ring = ring
        self._draw = draw or new_seed
        self._capacity = capacity
        self._seeds: OrderedDict[bytes, Seed] = OrderedDict()
        """By sealed seed: even a hand whose commit was refused has one of its own."""

    def of(self, table: Table) -> FairDeck:
        """The deck of the hand in progress.

        Raises:
            BadKey: the hand's seed cannot be opened with the keys here.
        """
        hand = table.hand
        if hand is None:
            raise BadKey(f"table {table.id} has no hand, so no deck")
        started = hand.start
        seed = self._seeds.get(started.sealed_seed)
        if seed is None:
            seed = Seed(open_seed(self._ring, started, table.id, table.hand_seq))
            self._keep(started.sealed_seed, seed)
        return FairDeck(seed)

    def opener(self, table: Table) -> OpenChoice:
        """Opens the secret choices of the hand in progress.

        Raises:
            BadKey: the hand's deck key is not one of the keys here.
        """
        return choice_opener(self._ring, table)

    def new(self, table: Table) -> tuple[FairDeck, HandSecrets]:
        """A fresh deck for a table's next hand, and what ``HandStarted`` tells about it (S-28)."""
        seed = Seed(self._draw())
        deck = FairDeck(seed)
        key_id, sealed = seal_seed(
            seed, self._ring, table.id, table.hands + 1, table.seq + 1, table.chain
        )
        self._keep(sealed, seed)
        return deck, HandSecrets(key_id, sealed, leaves(deck), self._ring.public(key_id))

    def _keep(self, sealed_seed: bytes, seed: Seed) -> None:
        self._seeds[sealed_seed] = seed
        if len(self._seeds) > self._capacity:
            self._seeds.popitem(last=False)
