"""The streets of a game as a record of it needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from doorcard.games import Game, Street
from doorcard.limits import Scalar

T = TypeVar("T")


def streets_in_force(game: Game, variant: str, house: Mapping[str, Scalar]) -> tuple[Street, ...]:
    """A game's streets where a variant or a house rule may put others in their place."""
    settings = {**game.variants.get(variant, {}), **house}
    for (switch, value), streets in game.other_streets.items():
        if settings.get(switch) == value:
            return streets
    return game.streets


def street_numbers(streets: Sequence[Street]) -> tuple[int, ...]:
    """What records call streets: the cards that a player holds after each."""
    held = 0
    numbers: list[int] = []
    for street in streets:
        held += len(street.deal)
        numbers.append(held)
    return tuple(numbers)


class DealOrder:
    """Puts each seat's new cards in the order dealt, deal by deal through a hand."""

    def __init__(self, streets: Sequence[Street]) -> None:
        self._streets = streets
        self._street = 0
        self._owed: dict[int, str] = {}
        """The cards that the street still owes a seat that got some already."""

    def sorted(self, street: int, seat: int, down: Sequence[T], up: Sequence[T]) -> list[T]:
        """A seat's new cards in the order dealt.

        What lies beyond the street's own cards is an extra card, which comes last (R17.7).

        Args:
            street: 1 is the initial deal.
        """
        if street != self._street:
            self._street = street
            self._owed.clear()
        letters = self._owed.get(seat, self._streets[street - 1].deal)
        self._owed[seat] = letters[len(down) + len(up) :]
        downs, ups = list(down), list(up)
        order: list[T] = []
        for letter in letters:
            side = downs if letter == "d" else ups
            if not side:
                break
            order.append(side.pop(0))
        return order + ups + downs
