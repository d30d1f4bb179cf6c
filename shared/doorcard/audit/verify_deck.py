"""The decks of a log: what its own words say of them, and what the deck key adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from doorcard.cards import CARDS, Card
from doorcard.engine.dealer import plain_choice
from doorcard.engine.dealer_choices import OpenChoice
from doorcard.engine.deck import Deck
from doorcard.engine.table import Table
from doorcard.errors import BadKey, BadLog
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
from doorcard.fairness.dealing import choice_opener, open_seed
from doorcard.fairness.deck import SALT_BYTES, FairDeck, check_leaf, leaves
from doorcard.fairness.keys import DeckKeyRing
from doorcard.fairness.sealing import OVERHEAD_BYTES, is_public_key
from doorcard.tables import OpenCard
from doorcard.views.text import counted


class RecordedDeck:
    """A deck as far as some events open it; everything else in it is a filler.

    A dealer who deals from it deals what was dealt, if all was dealt by the rules: which index
    goes to whom does not depend on the cards.
    """

    __slots__ = ("_bought", "_reshuffled", "button_cards", "cards", "salts")

    cards: tuple[Card, ...]
    salts: tuple[bytes, ...]
    button_cards: tuple[Card, ...]

    def __init__(self, events: Sequence[Event]) -> None:
        cards, salts = [CARDS[0]] * 52, [b""] * 52
        button_cards: tuple[Card, ...] = ()
        self._reshuffled: dict[int, tuple[int, ...]] = {}
        self._bought: tuple[int, ...] = ()
        for event in events:
            if isinstance(event, DealerDrawn):
                button_cards = tuple(card for _, card in event.cards)
            elif isinstance(event, Dealt):
                self._reshuffled[event.street] = event.reshuffled
            elif isinstance(event, CardBought):
                self._bought = event.reshuffled
            for index, card, salt in opened_by(event):
                if 0 <= index < 52:
                    cards[index], salts[index] = card, salt
        self.cards, self.salts = tuple(cards), tuple(salts)
        self.button_cards = (button_cards + CARDS)[:52]

    def reshuffled(self, pool: tuple[int, ...], count: int) -> tuple[int, ...]:
        """The order recorded, if it is one of this pool."""
        recorded = self._reshuffled.get(count, self._bought)
        return recorded if sorted(recorded) == sorted(pool) else tuple(sorted(pool))


class Decks:
    """The deck of the hand that an audit has come to.

    Args:
        ring: deck keys; None leaves the decks closed.
    """

    def __init__(self, ring: DeckKeyRing | None) -> None:
        self._ring = ring
        self.deck: FairDeck | None = None
        """The hand's real deck, where it could be opened."""
        self.opened = self.unsealed = self.uncommitted = self.sealed_deals = 0
        """How many hands were opened, have no sealed seed, have no leaves; and how many times
        cards were sealed to a seat."""
        self.lacked: Counter[str] = Counter()
        """How many hands have a seed sealed to a key that the ring lacks, by the key's id."""
        self._leaves: tuple[bytes, ...] = ()
        self._places: dict[int, Card] = {}
        self._cards: set[Card] = set()

    def notes(self, *, any_hand: bool) -> list[str]:
        """What was left unchecked."""
        notes: list[str] = []
        if self.uncommitted:
            notes.append(
                f"no leaves in {counted(self.uncommitted, 'hand')}: opened cards prove nothing"
            )
        if self._ring is None and any_hand:
            notes.append("no deck key was given: what was secret was not checked")
        elif self.unsealed:
            notes.append(
                f"no sealed seed in {counted(self.unsealed, 'hand')}: the deck stays unknown"
            )
        if self.sealed_deals:
            notes.append(
                f"{counted(self.sealed_deals, 'set')} of sealed cards stayed closed: only the "
                "seats' keys open them"
            )
        return notes

    def without_key(self) -> Decks:
        """The same hand for whoever has no deck key."""
        decks = Decks(None)
        decks._leaves = self._leaves
        return decks

    def start(self, started: HandStarted, seq: int) -> None:
        """Begin a hand: open its seed and compare the leaves, with the deck key.

        Raises:
            BadLog: the seed does not open, or does not give the leaves.
        """
        self._places, self._cards, self.deck = {}, set(), None
        if len(started.leaves) not in {0, 52} or any(len(leaf) != 32 for leaf in started.leaves):
            raise BadLog("has leaves that are not 52 hashes")
        self._leaves = started.leaves
        if not started.leaves:
            self.uncommitted += 1
        if not started.sealed_seed:
            self.unsealed += 1
        elif self._ring is not None and not self._ring.has(started.key_id):
            self.lacked[started.key_id] += 1
        elif self._ring is not None:
            self.deck = self._opened(self._ring, started, seq)
            self.opened += 1

    def opener(self, table: Table) -> OpenChoice | None:
        """Opens the secret choices of the hand in progress, where that can be done."""
        hand = table.hand
        if hand is None or not hand.start.deck_public:
            return plain_choice
        if self._ring is None or not self._ring.has(hand.start.key_id):
            return None
        return choice_opener(self._ring, table)

    def check(self, events: Sequence[Event], table: Table) -> None:
        """Check what a commit opens and seals, with the table after it.

        Raises:
            BadLog: an opened card is not the one committed to, or was seen elsewhere; or cards
                are sealed that were not dealt.
        """
        for event in events:
            for index, card, salt in opened_by(event):
                self._check_card(index, card, salt)
            if isinstance(event, DealerDrawn) and len({card for _, card in event.cards}) < len(
                event.cards
            ):
                raise BadLog("draws one card twice for the deal")
            if isinstance(event, Dealt):
                self.sealed_deals += len(event.sealed)
                _check_sealed(event, table)
            elif isinstance(event, CardBought):
                self.sealed_deals += bool(event.sealed)
                _check_sealed_card(event, table)

    def _check_card(self, index: int, card: Card, salt: bytes) -> None:
        if self._leaves and not check_leaf(self._leaves, index, card, salt):
            raise BadLog(f"opens a card that is not the one committed to at place {index}")
        known = self._places.get(index)
        if known != card and (known is not None or card in self._cards):
            raise BadLog(f"opens a card at place {index} that was seen elsewhere in the hand")
        self._places[index] = card
        self._cards.add(card)

    def _opened(self, ring: DeckKeyRing, started: HandStarted, seq: int) -> FairDeck:
        try:
            deck = FairDeck(open_seed(ring, started, started.table, seq))
        except (BadKey, ValueError) as error:
            raise BadLog(f"has a seed that does not open: {error}") from None
        if started.deck_public not in {b"", ring.public(started.key_id)}:
            raise BadLog("tells players another key for their choices than its seed is sealed to")
        if leaves(deck) != started.leaves:
            raise BadLog("commits to another deck than its seed gives")
        return deck


def opened_by(event: Event) -> Iterator[OpenCard]:
    """The cards that an event lays open: index, card and salt of each."""
    if isinstance(event, Dealt):
        for _, index, card, salt in event.up:
            yield index, card, salt
        yield from event.community
    elif isinstance(event, Rolled):
        for _, index, card, salt in event.cards:
            yield index, card, salt
    elif isinstance(event, CardBought):
        yield from event.shown
    elif isinstance(event, HandShown | CardsExposed):
        yield from event.cards


def deck_for(events: Sequence[Event], deck: FairDeck | None) -> Deck:
    """The real deck, or what some events say of it."""
    return RecordedDeck(events) if deck is None else deck


def _check_sealed(event: Dealt, table: Table) -> None:
    """Everybody with a key gets the right number of cards sealed, once, and nobody else does."""
    sealed = dict(event.sealed)
    if len(sealed) != len(event.sealed):
        raise BadLog("seals cards to a seat twice")
    dealt = Counter(seat for seat, _ in event.down)
    for seat, text in sealed.items():
        cards = dealt[seat]
        if not cards or not table.seats[seat].key:
            raise BadLog(f"seals cards to seat {seat}, which got none or has no key")
        if len(text) != cards * (2 + SALT_BYTES) + OVERHEAD_BYTES:
            raise BadLog(f"seals something else than {cards} cards to seat {seat}")
    hand = table.hand
    if hand is not None and hand.start.sealed_seed:
        for seat in dealt.keys() - sealed.keys():
            if is_public_key(table.seats[seat].key):
                raise BadLog(f"seals nothing to seat {seat}, which has a key and got cards")


def _check_sealed_card(event: CardBought, table: Table) -> None:
    """A card bought face down is sealed to its seat, where that has a key; one face up is not."""
    key, hand = table.seats[event.seat].key, table.hand
    if event.sealed:
        if event.shown or not key:
            raise BadLog(f"seals a card to seat {event.seat}, which bought none or has no key")
        if len(event.sealed) != 2 + SALT_BYTES + OVERHEAD_BYTES:
            raise BadLog(f"seals something else than one card to seat {event.seat}")
    elif not event.shown and hand is not None and hand.start.sealed_seed and is_public_key(key):
        raise BadLog(f"seals nothing to seat {event.seat}, which has a key and bought a card")
