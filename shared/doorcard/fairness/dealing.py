"""What the deck's keeper seals into a hand's commits, and how its owners open it.

The seed goes to the deck key, with ``HandStarted``. The face-down cards that one seat gets on one
street go together to the seat's own key, with ``Dealt``; a card bought face down goes there alone,
with ``CardBought``. They open only in the commit that holds them: its number and the chain hash
before it are part of the context.

The other way, a player's secret choice (R16.3, R17.6) is sealed to the deck key by the player's own
program, and opens only as the answer of that seat to that decision of that hand.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from doorcard.cards import Card
from doorcard.engine.deck import Deck
from doorcard.engine.streets import opened
from doorcard.engine.table import Table
from doorcard.errors import BadInput, BadKey
from doorcard.events import CardBought, Dealt, HandStarted
from doorcard.fairness.keys import DeckKeyRing, SeatKey, fingerprint
from doorcard.fairness.sealing import Context, seal, seal_cards, seal_choice
from doorcard.tables import OpenCard

CARD_PURPOSE = "card"
CHOICE_PURPOSE = "choice"
SEED_PURPOSE = "seed"


def seal_dealt(event: Dealt, table: Table, deck: Deck, seq: int, chain: bytes, hand: int) -> Dealt:
    """Fill in ``sealed``: for each seat that has a key, its face-down cards of this street.

    A key that nothing can be sealed to leaves its own seat without sealed cards; it must not be
    able to stop the table. ``sealing.is_public_key`` tells such a key beforehand.

    Args:
        table: the table before or after the event; seats and keys are the same.
        seq: the number of the commit that will hold the event.
        chain: the chain hash before that commit.
        hand: the number of the hand.
    """
    sealed: list[tuple[int, bytes]] = []
    for seat in dict.fromkeys(seat for seat, _ in event.down):
        key = table.seats[seat].key
        if not key:
            continue
        cards = opened(deck, _indices(event, seat))
        context = _card_context(table.id, hand, seq, chain, seat, key)
        with suppress(BadKey):
            sealed.append((seat, seal_cards(key, context, cards)))
    return event._replace(sealed=tuple(sealed))


def seal_bought(
    event: CardBought, table: Table, deck: Deck, seq: int, chain: bytes, hand: int
) -> CardBought:
    """Fill in ``sealed`` for a card bought face down, where its seat has a key (R17.1).

    Arguments and keys are as for ``seal_dealt``.
    """
    key = table.seats[event.seat].key
    if event.shown or not key:
        return event
    context = _card_context(table.id, hand, seq, chain, event.seat, key)
    place = event.place
    with suppress(BadKey):
        sealed = seal_cards(key, context, opened(deck, (place,)))
        return event._replace(sealed=sealed)
    return event


def open_bought(
    event: CardBought,
    table_id: str,
    hand: int,
    seq: int,
    chain: bytes,
    seat: int,
    seat_key: SeatKey,
) -> dict[int, Card]:
    """The card that a seat bought face down, by index in the deck; empty as for ``open_dealt``.

    Raises:
        BadKey: as for ``open_dealt``.
        BadInput: what is inside is not the card that the event names.
    """
    if event.seat != seat or not event.sealed:
        return {}
    context = _card_context(table_id, hand, seq, chain, seat, seat_key.public)
    opened = seat_key.open_cards(context, event.sealed)
    if [index for index, _, _ in opened] != [event.place]:
        raise BadInput(
            f"commit {seq} of table {table_id} seals another card to seat {seat} than it bought"
        )
    return {index: card for index, card, _ in opened}


def choice_context(started: HandStarted, table_id: str, decision: int, seat: int) -> Context:
    """Where a seat's secret choice belongs: the same for who seals it and who opens it.

    Args:
        started: the beginning of the hand.
        decision: the table's decision number that the choice answers.
    """
    return Context(
        table_id, started.hand, decision, started.chain, started.key_id, CHOICE_PURPOSE, seat=seat
    )


def seal_choice_for(table: Table, seat: int, text: str) -> bytes:
    """Seal what a seat chooses in secret now: a place to roll, or a direction (R16.3, R17.6).

    Args:
        table: the table as its log gives it, where the seat is asked.
        text: the place as a decimal number, or ``high``, ``low`` or ``both``.

    Raises:
        BadInput: the hand has no key to seal to, or the text is too long.
    """
    hand = table.hand
    if hand is None or not hand.start.deck_public:
        raise BadInput(f"table {table.id} has no hand whose choices could be sealed")
    context = choice_context(hand.start, table.id, table.decision, seat)
    return seal_choice(hand.start.deck_public, context, text)


def choice_opener(ring: DeckKeyRing, table: Table) -> Callable[[int, bytes], str]:
    """Opens the secret choices that a table holds, for whoever has the deck key.

    What is made calls with (seat, sealed), and raises ``ValueError`` for nonsense, which counts
    as the time-out's choice (R18.2). Without a deck key in the hand a choice is its own text.

    Raises:
        BadKey: the ring has no such key.
    """
    hand = table.hand
    if hand is None:
        raise BadKey(f"table {table.id} has no hand, so no choices")
    started, decision = hand.start, table.decision
    if started.deck_public:
        ring.public(started.key_id)  # a key that is missing here is nobody's nonsense

    def open_choice(seat: int, sealed: bytes) -> str:
        if not started.deck_public:
            return sealed.decode()
        try:
            return ring.open_choice(choice_context(started, table.id, decision, seat), sealed)
        except (BadKey, ValueError) as error:
            raise ValueError(f"the choice of seat {seat} does not open") from error

    return open_choice


def open_dealt(
    event: Dealt, table_id: str, hand: int, seq: int, chain: bytes, seat: int, seat_key: SeatKey
) -> dict[int, Card]:
    """The face-down cards that one deal gave a seat, by index in the deck.

    Empty where nothing was sealed to the seat: it got no downcard, or has no key.

    Raises:
        BadKey: the cards were sealed to another key, moved from their place, or changed.
        BadInput: what is inside are not the cards that the event names.
    """
    opened = open_salted(event, table_id, hand, seq, chain, seat, seat_key)
    return {index: card for index, card, _ in opened}


def open_salted(
    event: Dealt, table_id: str, hand: int, seq: int, chain: bytes, seat: int, seat_key: SeatKey
) -> tuple[OpenCard, ...]:
    """As ``open_dealt``, with the salts: ``check_leaf`` proves each card at once (S-28).

    Raises:
        BadKey: as for ``open_dealt``.
        BadInput: as for ``open_dealt``.
    """
    sealed = dict(event.sealed).get(seat)
    if sealed is None:
        return ()
    context = _card_context(table_id, hand, seq, chain, seat, seat_key.public)
    opened = seat_key.open_cards(context, sealed)
    if [index for index, _, _ in opened] != _indices(event, seat):
        raise BadInput(
            f"commit {seq} of table {table_id} seals other cards to seat {seat} than it dealt"
        )
    return opened


def dealt_opener(
    table_id: str, seat: int, seat_key: SeatKey
) -> Callable[[Dealt | CardBought, int, int, bytes], dict[int, Card]]:
    """``open_dealt`` and ``open_bought`` for one seat of one table.

    As ``doorcard.views.opened_cards`` calls it.
    """

    def open_for_seat(
        event: Dealt | CardBought, hand: int, seq: int, chain: bytes
    ) -> dict[int, Card]:
        if isinstance(event, CardBought):
            return open_bought(event, table_id, hand, seq, chain, seat, seat_key)
        return open_dealt(event, table_id, hand, seq, chain, seat, seat_key)

    return open_for_seat


def seal_seed(
    seed: bytes, ring: DeckKeyRing, table_id: str, hand: int, seq: int, chain: bytes
) -> tuple[str, bytes]:
    """Seal a hand's seed to the current deck key: (key id, sealed), as ``HandStarted`` has them.

    Args:
        seq: the number of the commit that will hold the ``HandStarted``.
        chain: the chain hash before that commit.
    """
    key_id = ring.current_id
    context = _seed_context(table_id, hand, seq, chain, key_id)
    return key_id, seal(ring.public(key_id), context, seed)


def open_seed(ring: DeckKeyRing, started: HandStarted, table_id: str, seq: int) -> bytes:
    """The seed of a hand, for whoever holds the deck key that it was sealed to.

    Args:
        seq: the number of the commit that holds the event.

    Raises:
        BadKey: the ring has no such key, or it does not open what is there.
    """
    context = _seed_context(table_id, started.hand, seq, started.chain, started.key_id)
    return ring.open(context, started.sealed_seed)


def _indices(event: Dealt, seat: int) -> list[int]:
    return [index for owner, index in event.down if owner == seat]


def _card_context(
    table_id: str, hand: int, seq: int, chain: bytes, seat: int, public: bytes
) -> Context:
    return Context(table_id, hand, seq, chain, fingerprint(public), CARD_PURPOSE, seat=seat)


def _seed_context(table_id: str, hand: int, seq: int, chain: bytes, key_id: str) -> Context:
    return Context(table_id, hand, seq, chain, key_id, SEED_PURPOSE)
