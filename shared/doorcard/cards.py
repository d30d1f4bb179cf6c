"""The 52 cards, as interned values that are also small integers.

A card's number is ``4 * (rank - 2) + suit``, so comparing two cards compares rank first (ace
high) and then suit, clubs < diamonds < hearts < spades (R1.3). Numbers 0 to 51 are written to
logs and hashed into commitments: they never change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, SupportsIndex

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"


class BadCard(ValueError):
    """Text or bytes that name no card, or a set of cards that no deal can give."""


class Card(int):
    """One of the 52 cards. ``Card("As")`` reads one, ``str(card)`` writes it, ``<`` is R1.3."""

    __slots__ = ()

    def __new__(cls, value: str | SupportsIndex) -> Card:
        """Return the interned card for two-character text (``"Td"``) or a number 0 to 51.

        Raises:
            BadCard: the text or number names no card; nothing is guessed (``"10d"`` is refused).
        """
        if isinstance(value, str):
            found = _BY_TEXT.get(value)
            if found is None:
                raise BadCard(f"{value!r} is not a card; write rank then suit, as in 'Td'")
            return found
        number = value.__index__()
        if not 0 <= number < 52:
            raise BadCard(f"{number} is not a card number; cards are 0 to 51")
        return CARDS[number]

    @property
    def rank(self) -> int:
        """2 to 14; the ace is 14 (R1.6)."""
        return (self >> 2) + 2

    @property
    def suit(self) -> int:
        """0 clubs, 1 diamonds, 2 hearts, 3 spades (R1.3)."""
        return self & 3

    def __str__(self) -> str:
        return RANKS[self >> 2] + SUITS[self & 3]

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"

    def __reduce__(self) -> tuple[type[Card], tuple[int]]:
        return (Card, (int(self),))


_BY_TEXT: Final[dict[str, Card]] = {}
CARDS: Final[tuple[Card, ...]] = tuple(int.__new__(Card, number) for number in range(52))
"""All cards in the fixed order of their numbers: 2c 2d 2h 2s 3c … As."""
_BY_TEXT.update((str(card), card) for card in CARDS)


def parse_cards(text: str | Iterable[str]) -> tuple[Card, ...]:
    """Read cards from ``"As Kd"``, ``"AsKd"`` or a list of two-character strings, in order.

    Raises:
        BadCard: something is no card, or a card occurs twice.
    """
    if isinstance(text, str):
        joined = "".join(text.split())
        if len(joined) % 2:
            raise BadCard(f"{text!r} is not a list of two-character cards")
        words: Iterable[str] = (joined[i : i + 2] for i in range(0, len(joined), 2))
    else:
        words = text
    cards = tuple(Card(word) for word in words)
    require_distinct(cards)
    return cards


def require_distinct(cards: Iterable[Card]) -> None:
    """Raise ``BadCard`` naming the first card that occurs twice."""
    seen: set[Card] = set()
    for card in cards:
        if card in seen:
            raise BadCard(f"{card} occurs twice")
        seen.add(card)


def format_cards(cards: Iterable[Card | None]) -> str:
    """Write cards separated by spaces; an unknown card (None) is ``??``."""
    return " ".join("??" if card is None else str(card) for card in cards)


def ace_low(card: Card) -> tuple[int, int]:
    """Sort key by rank then suit with the ace counting 1 (R5.3 in ace-to-five and ace-to-six)."""
    return (1 if card >= 48 else card.rank, card.suit)
