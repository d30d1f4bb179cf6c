"""Deals one street: burns, passes, and what happens when the cards run out (R2.3 to R2.5, R3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from doorcard.cards import Card
from doorcard.engine.deck import Deck
from doorcard.engine.extra_cards import deal_with_extras
from doorcard.engine.table import Hand
from doorcard.events import CardsExposed, Dealt
from doorcard.tables import OpenCard

Mode = Literal["individual", "reuse", "community"]
"""R3.1, R3.2, R3.3."""


def deal_street(hand: Hand, deck: Deck) -> Dealt:
    """The cards of the next street, or those still due of this one.

    Face-down cards are named by index only.
    """
    if hand.due:
        return deal_with_extras(hand, deck, hand.street, None, list(hand.due))
    street = hand.rules.streets[hand.street]
    mode = street_mode(hand) if hand.street else "individual"
    if mode == "community":
        return _community(hand, deck, len(street.deal))
    burn = hand.street > 0 and hand.rules.house.burn
    if not hand.rules.plain_deal:
        burned = hand.stub[0] if burn and len(hand.stub) > 1 else None
        live = [index for index, player in enumerate(hand.players) if not player.folded]
        due = [(index, letter) for letter in street.deal for index in live]
        return deal_with_extras(hand, deck, hand.street + 1, burned, due)
    if mode == "reuse":
        return _reuse(hand, deck, street.deal)
    stub = hand.stub
    burned = stub[0] if burn else None
    return _assign(hand, deck, street.deal, stub[1:] if burn else stub, burn=burned)


def street_mode(hand: Hand) -> Mode:
    """How the next street after the initial deal is dealt, judged once before its first card."""
    rules = hand.rules
    each = len(rules.streets[hand.street].deal)
    need = hand.live * each
    keep = rules.keep[hand.street + 1]
    stub = len(hand.stub)
    burns = len(hand.burns)
    if stub + burns - need >= keep:
        if stub >= need + (1 if rules.house.burn else 0):
            return "individual"
        reuse = rules.house.burn and rules.house.exhaustion == "reuse_burns_then_community"
        if reuse and stub + burns >= need:
            return "reuse"
    return "community"


def _reuse(hand: Hand, deck: Deck, deal: str) -> Dealt:
    """R3.2: deal down to one card, shuffle it with the burns, deal the rest from there."""
    stub = hand.stub
    burned = None
    first: tuple[int, ...] = ()
    pool = stub + hand.burns
    if len(stub) >= 2:
        burned = stub[0]
        first = stub[1:-1]
        pool = (stub[-1], *hand.burns, burned)
    shuffled = deck.reshuffled(pool, hand.street + 1)
    rest = hand.live * len(deal) - len(first)
    again = shuffled[0] if len(shuffled) > rest else None
    order = first + (shuffled if again is None else shuffled[1:])
    return _assign(hand, deck, deal, order, burn=burned, reshuffled=shuffled, burn_again=again)


def _community(hand: Hand, deck: Deck, each: int) -> Dealt:
    """R3.3: the street's cards are turned once, for everybody."""
    stub = hand.stub
    burned = None
    reshuffled: tuple[int, ...] = ()
    if len(stub) > each and hand.rules.house.burn:
        burned, stub = stub[0], stub[1:]
    elif len(stub) < each:
        stub = reshuffled = deck.reshuffled(stub + hand.burns, hand.street + 1)
    return Dealt(hand.street + 1, burned, (), (), opened(deck, stub[:each]), reshuffled)


def opened(deck: Deck, places: Sequence[int]) -> tuple[OpenCard, ...]:
    """Cards of the deck as everybody may check them, with their salts."""
    cards, salts = deck.cards, deck.salts
    return tuple([(place, cards[place], salts[place]) for place in places])


def exposures(hand: Hand, deck: Deck) -> list[CardsExposed]:
    """R14.6: once nobody can wager any more, the contenders' downcards are shown, if so set."""
    if not hand.rules.house.expose_all_in:
        return []
    if hand.live < 2 or hand.able > 1 or not hand.street:
        return []
    return [
        CardsExposed(player.seat, opened(deck, player.down))
        for player in hand.players
        if not player.folded and not {place for place, _, _ in player.shown}.issuperset(player.down)
    ]


def _assign(
    hand: Hand,
    deck: Deck,
    deal: str,
    order: tuple[int, ...],
    *,
    burn: int | None,
    reshuffled: tuple[int, ...] = (),
    burn_again: int | None = None,
) -> Dealt:
    """One pass a letter, each in deal order, to everybody who is still in (R2.3, R2.4)."""
    seats = [player.seat for player in hand.players if not player.folded]
    cards, salts = deck.cards, deck.salts
    down: list[tuple[int, int]] = []
    up: list[tuple[int, int, Card, bytes]] = []
    dealt = 0
    for letter in deal:
        one_pass = zip(seats, order[dealt : dealt + len(seats)], strict=True)
        dealt += len(seats)
        if letter == "d":
            down += one_pass
        else:
            up += [(seat, place, cards[place], salts[place]) for seat, place in one_pass]
    return Dealt(hand.street + 1, burn, tuple(down), tuple(up), (), reshuffled, burn_again)
