"""Helpers for tests and notebooks. Nothing here can be reached through the services."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from doorcard.cards import CARDS, BadCard, Card, parse_cards


class StackedDeck:
    """A deck in a given order: the cards named come first, the rest in the fixed order."""

    __slots__ = ("button_cards", "cards", "pools", "salts")

    def __init__(
        self,
        first: str | Iterable[str] = "",
        *,
        button_cards: str | Iterable[str] = "",
        pools: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        """Stack a deck.

        Args:
            first: the top cards in dealing order, burns included.
            button_cards: the top cards of the deck for the dealer draw (R2.9).
            pools: for a street number, the order of the cards after its reshuffle (R3.4).

        Raises:
            BadCard: something is no card, or a card occurs twice.
        """
        self.cards: tuple[Card, ...] = _filled(parse_cards(first))
        self.button_cards: tuple[Card, ...] = _filled(parse_cards(button_cards))
        self.salts: tuple[bytes, ...] = (b"",) * len(self.cards)
        self.pools = {street: parse_cards(cards) for street, cards in (pools or {}).items()}

    def reshuffled(self, pool: tuple[int, ...], count: int) -> tuple[int, ...]:
        """The pool in the order given for this street, or turned round where none was given."""
        order = self.pools.get(count)
        if order is None:
            return tuple(reversed(pool))
        places = tuple(self.cards.index(card) for card in order)
        if sorted(places) != sorted(pool):
            raise BadCard(f"the pool of street {count} is not the cards left and burned")
        return places


def _filled(first: tuple[Card, ...]) -> tuple[Card, ...]:
    used = set(first)
    return first + tuple(card for card in CARDS if card not in used)
