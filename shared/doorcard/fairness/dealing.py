"""What the deck's keeper seals into a hand's commits, and how its owners open it.

The seed goes to the deck key, with ``HandStarted``. The face-down cards that one seat gets on one
street go together to the seat's own key, with ``Dealt``. Both open only in the commit that holds
them: its number and the chain hash before it are part of the context.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from doorcard.cards import Card
from doorcard.engine.deck import Deck
from doorcard.engine.table import Table
from doorcard.errors import BadInput, BadKey
from doorcard.events import Dealt, HandStarted, OpenCard
from doorcard.fairness.keys import DeckKeyRing, SeatKey, fingerprint
from doorcard.fairness.sealing import Context, seal, seal_cards

CARD_PURPOSE = "card"
SEED_PURPOSE = "seed"


def seal_dealt(event: Dealt, table: Table, deck: Deck, seq: int, chain: bytes, hand: int) -> Dealt:
    """Fill in ``sealed``: for each seat that has a key, its face-down cards of this street.

    A key that nothing can be sealed to leaves its own seat without sealed cards; it must not be
    able to stop the table. ``sealing.is_public_key`` refuses it when its player sits down.

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
        cards = [(i, deck.cards[i], deck.salts[i]) for i in _indices(event, seat)]
        context = _card_context(table.id, hand, seq, chain, seat, key)
        with suppress(BadKey):
            sealed.append((seat, seal_cards(key, context, cards)))
    return event._replace(sealed=tuple(sealed))


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
) -> Callable[[Dealt, int, int, bytes], dict[int, Card]]:
    """``open_dealt`` for one seat of one table, as ``doorcard.views.opened_cards`` calls it."""

    def open_for_seat(event: Dealt, hand: int, seq: int, chain: bytes) -> dict[int, Card]:
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
