"""From a 32-byte seed to a shuffled deck and its commitments, recomputable in any language.

Everything below is the published algorithm, version 1. ``‖`` joins bytes, text stands for its
ASCII bytes, and ``byte(n)`` is the single byte of value n.

1. **Derived bytes.** ``derive(domain, label, seed, n)`` is the first n output bytes of
   ``SHAKE-256(domain ‖ byte(length of label) ‖ label ‖ seed)``. SHAKE-256 is an extendable output:
   asking for more bytes never changes the earlier ones. There are two domains,
   ``doorcard/v1/shuffle`` and ``doorcard/v1/salts``.
2. **Shuffle** of ``count`` things (at most 256) under a label: start from the list 0, 1 … count-1
   and read the bytes of ``derive("doorcard/v1/shuffle", label, seed, …)`` one after another. For
   ``last`` = count-1 down to 1, with ``n = last + 1``: read a byte b; while
   ``b >= 256 - 256 mod n`` throw it away and read the next (so no remainder is favoured); then
   exchange the entries at ``last`` and ``b mod n``. Entry i of the final list says what lies at
   position i; position 0 is dealt first.
3. **Cards.** The deck of the hand is the shuffle of 52 under the label ``deck``; the number k is
   the card ``4 * (rank - 2) + suit`` (2c = 0, 2d = 1, 2h = 2, 2s = 3, 3c = 4 … As = 51). The deck
   from which the first dealer is drawn (R2.9) is the same with the label ``button``.
4. **Reshuffle** (R3.4). The pool's positions are put in ascending order; the shuffle of as many
   things under the label ``reshuffle/N`` says which of them comes first, second and so on. N is
   the number of the reshuffle, in decimal; no number is used twice in a hand.
5. **Salts.** Position i of the deck has bytes 16i to 16i+15 of
   ``derive("doorcard/v1/salts", "deck", seed, 832)``.
6. **Leaves.** The commitment to position i is ``SHA-256(byte(i) ‖ byte(card) ‖ salt)``, 18 bytes
   hashed. Published before the first card, it tells nothing about a card whose salt is unknown,
   and neither a leaf nor a salt tells anything about the seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256, shake_256
from struct import Struct
from typing import Final, Protocol

from doorcard.cards import CARDS, Card
from doorcard.errors import BadInput
from doorcard.fairness.secret import Secret
from doorcard.fairness.seed import Seed

SALT_BYTES: Final = 16
MAXIMUM_COUNT: Final = 256
"""The most things that one shuffle can put in order: each choice is made with one byte."""

_EACH_SALT: Final = Struct(f"{SALT_BYTES}s" * len(CARDS))
_SHUFFLE: Final = b"doorcard/v1/shuffle"
_SALTS: Final = b"doorcard/v1/salts"
_SHAKE_BLOCK_BYTES: Final = 136
_FIRST_REFUSED: Final = (0, *(256 - 256 % choices for choices in range(1, MAXIMUM_COUNT + 1)))


class SaltedCards(Protocol):
    """What leaves are made of: the cards of a deck by position, and their salts."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """The card at each position."""
        ...

    @property
    def salts(self) -> tuple[bytes, ...]:
        """The salt of each position, 16 bytes."""
        ...


class FairDeck(Secret):
    """One hand's deck, all of it decided by the seed before the first card is dealt (R1.2).

    It is as secret as its seed: it prints nothing of itself and cannot be copied or pickled.

    Raises:
        BadInput: the seed is not 32 bytes.
    """

    __slots__ = ("_seed", "cards", "salts")

    cards: tuple[Card, ...]
    """The card at each position; position 0 is dealt first."""
    salts: tuple[bytes, ...]
    """The 16 bytes that hide the card at each position until they are given away with it."""
    _seed: Seed

    def __init__(self, seed: bytes) -> None:
        secret = Seed(seed)
        salts = _derive(_SALTS, b"deck", secret, SALT_BYTES * len(CARDS))
        put = object.__setattr__
        put(self, "_seed", secret)
        put(self, "cards", _shuffled_cards(secret, b"deck"))
        put(self, "salts", _EACH_SALT.unpack(salts))

    @property
    def button_cards(self) -> tuple[Card, ...]:
        """Another whole deck, from which each occupied seat gets one card to draw for dealer.

        That is once at a table (R2.9), so it is shuffled when it is asked for.
        """
        return _shuffled_cards(self._seed, b"button")

    def reshuffled(self, pool: tuple[int, ...], count: int) -> tuple[int, ...]:
        """Put the deck positions of a pool in a new order (R3.2, R3.4, R17.4).

        The result depends on which positions are in the pool, not on the order they are given in.

        Args:
            pool: positions in this deck.
            count: the number of this reshuffle, from 1 and never used twice in a hand; the same
                number again would give the same permutation of another pool of this size.

        Raises:
            BadInput: a position is not in the deck or is named twice, or count is below 1.
        """
        positions = sorted(pool)
        if count < 1:
            raise BadInput(f"reshuffles are numbered from 1, not {count}")
        if len(set(positions)) != len(positions):
            raise BadInput("a position is in the pool twice")
        if positions and not 0 <= positions[0] <= positions[-1] < len(self.cards):
            raise BadInput(f"a pool holds positions 0 to {len(self.cards) - 1} of the deck")
        order = shuffled(self._seed, b"reshuffle/%d" % count, len(positions))
        return tuple([positions[i] for i in order])


def shuffled(seed: bytes, label: bytes, count: int) -> tuple[int, ...]:
    """Put 0 … count-1 in a uniformly random order that the seed and the label decide.

    Steps 1 and 2 of this module's description give the exact bytes: a Fisher-Yates shuffle over
    ``SHAKE-256("doorcard/v1/shuffle" ‖ byte(length of label) ‖ label ‖ seed)`` with rejection.
    Bytes, not wider words, so that hardly a deck comes about without a rejection, and an
    implementation that forgot them is found out by the first test vector.

    Raises:
        BadInput: count is negative or above 256, or the label is longer than 255 bytes.
    """
    if not 0 <= count <= MAXIMUM_COUNT:
        raise BadInput(f"a shuffle orders 0 to {MAXIMUM_COUNT} things, not {count}")
    if len(label) > 255:
        raise BadInput(f"a shuffle's label has at most 255 bytes, not {len(label)}")
    order = list(range(count))
    draws = _draws(seed, label)
    for last in range(count - 1, 0, -1):
        choices = last + 1
        refused = _FIRST_REFUSED[choices]
        draw = next(draws)
        while draw >= refused:
            draw = next(draws)
        chosen = draw % choices
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def leaf(index: int, card: Card, salt: bytes) -> bytes:
    """Commit to one card: ``SHA-256(byte(index) ‖ byte(card) ‖ salt)``, 32 bytes.

    Args:
        index: the card's position in the deck, 0 to 255.
        card: its number is the second byte.
        salt: 16 bytes.

    Raises:
        BadInput: the index does not fit a byte, or the salt is not 16 bytes.
    """
    if not 0 <= index <= 255:
        raise BadInput(f"a position in a deck is 0 to 255, not {index}")
    if len(salt) != SALT_BYTES:
        raise BadInput(f"a card's salt is {SALT_BYTES} bytes, not {len(salt)}")
    return sha256(bytes((index, card)) + salt).digest()


def leaves(deck: SaltedCards) -> tuple[bytes, ...]:
    """Commit to every card of a deck, in the order of positions (S-28)."""
    pairs = zip(deck.cards, deck.salts, strict=True)
    return tuple([leaf(index, card, salt) for index, (card, salt) in enumerate(pairs)])


def check_leaf(leaves: Sequence[bytes], index: int, card: Card, salt: bytes) -> bool:
    """Say whether an opened card is the one committed to at that position of the deck.

    Anybody can do so, alone and at once; values that no leaf can have are simply not it.
    """
    if not 0 <= index < len(leaves) or len(salt) != SALT_BYTES:
        return False
    return leaf(index, card, salt) == leaves[index]


def _shuffled_cards(seed: bytes, label: bytes) -> tuple[Card, ...]:
    return tuple([CARDS[number] for number in shuffled(seed, label, len(CARDS))])


def _draws(seed: bytes, label: bytes) -> Iterator[int]:
    """Yield the shuffle's bytes without end; one SHAKE block nearly always is enough for a deck."""
    taken, length = 0, _SHAKE_BLOCK_BYTES
    while True:
        yield from _derive(_SHUFFLE, label, seed, length)[taken:]
        taken, length = length, 2 * length


def _derive(domain: bytes, label: bytes, seed: bytes, length: int) -> bytes:
    return shake_256(domain + bytes((len(label),)) + label + seed).digest(length)
