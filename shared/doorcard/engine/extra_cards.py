"""Deals card by card where an upcard can bring an extra card or a payment (R17.7, G11)."""

from __future__ import annotations

from doorcard.cards import Card
from doorcard.engine.deck import Deck
from doorcard.engine.table import Hand
from doorcard.events import Dealt


def deal_with_extras(
    hand: Hand, deck: Deck, street: int, burn: int | None, due: list[tuple[int, str]]
) -> Dealt:
    """Deal until nothing is due any more, or until an upcard asks its holder something.

    Args:
        street: the street that the cards belong to.
        burn: index of the card burned before the first of them.
        due: (index of the player, ``d`` or ``u``), in dealing order.
    """
    return _Deal(hand, deck, street, burn, due).run()


class _Deal:
    """One street's deal in the making: what lies where, and what was given to whom."""

    def __init__(
        self, hand: Hand, deck: Deck, street: int, burn: int | None, due: list[tuple[int, str]]
    ) -> None:
        self.hand = hand
        self.deck = deck
        self.street = street
        self.burn = burn
        self.due = due
        self.stub = list(hand.stub if burn is None else hand.stub[1:])
        self.burns: tuple[int, ...] = hand.burns if burn is None else (*hand.burns, burn)
        self.keep = hand.rules.keep[street]
        self.down: list[tuple[int, int]] = []
        self.up: list[tuple[int, int, Card, bytes]] = []
        self.reshuffled: tuple[int, ...] = ()
        self.burn_again: int | None = None
        self.asked: tuple[tuple[int, str], ...] = ()

    def run(self) -> Dealt:
        while self.due and not self.asked:
            index, letter = self.due.pop(0)
            card = self._give(index, letter)
            if letter == "u":
                self._upcard(index, card)
        seat_of = [player.seat for player in self.hand.players]
        return Dealt(
            self.street,
            self.burn,
            tuple(self.down),
            tuple(self.up),
            (),
            self.reshuffled,
            self.burn_again,
            due=tuple([(seat_of[index], letter) for index, letter in self.due]),
            asked=self.asked,
        )

    def _give(self, index: int, letter: str) -> Card:
        """Deal one card from the stub, or from the pool once the stub runs out (R3.2)."""
        short = len(self.stub) < len(self.due) + 1
        if short and len(self.stub) <= 1 and not self.reshuffled:
            self._pool()
        place = self.stub.pop(0)
        seat = self.hand.players[index].seat
        card = self.deck.cards[place]
        if letter == "d":
            self.down.append((seat, place))
        else:
            self.up.append((seat, place, card, self.deck.salts[place]))
        return card

    def _pool(self) -> None:
        self.reshuffled = self.deck.reshuffled((*self.stub, *self.burns), self.street)
        self.stub = list(self.reshuffled)
        self.burns = ()
        if len(self.stub) > len(self.due) + 1:
            self.burn_again = self.stub.pop(0)
            self.burns = (self.burn_again,)

    def _upcard(self, index: int, card: Card) -> None:
        rules = self.hand.rules
        player = self.hand.players[index]
        if card.rank == rules.game.match_pot_rank and rules.house.three_up_match_pot:
            if player.stack:
                self.asked = ((player.seat, "match"),)  # G11.6: before the next card
        elif card.rank == rules.game.extra_card_rank and self._extra_possible():
            if not rules.house.four_extra_price:
                self.due.insert(0, (index, "d" if rules.house.four_extra == "down" else "u"))
            elif player.stack >= rules.house.four_extra_price:
                self.asked = ((player.seat, "extra"),)

    def _extra_possible(self) -> bool:
        """R17.7: only what the street and the later ones do not need is given away."""
        stub, due = len(self.stub), len(self.due)
        return stub > due and stub + len(self.burns) > due + self.keep
