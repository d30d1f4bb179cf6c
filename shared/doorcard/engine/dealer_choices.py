"""Decides rolls, bought cards and payments in the middle of a deal (R17, G9, G11)."""

from __future__ import annotations

from collections.abc import Callable

from doorcard.cards import Card
from doorcard.commands import Choose, TimeOut
from doorcard.engine.choices import (
    Choices,
    choices,
    own_places,
    refuse_choice,
    seats_out_of_time,
)
from doorcard.engine.decided import Decided, decided
from doorcard.engine.deck import Deck
from doorcard.engine.streets import exposures, opened
from doorcard.engine.table import Hand, Table
from doorcard.errors import Refused
from doorcard.events import (
    CardBought,
    CardDeclined,
    Event,
    ExtraCardPaid,
    MatchDeclined,
    PotMatched,
    RollChosen,
    Rolled,
)

OpenChoice = Callable[[int, bytes], str]
"""Opens a seat's sealed choice; raises ``ValueError`` for what opens to nonsense."""


def decide_choice(table: Table, command: Choose | TimeOut, deck: Deck) -> Decided | Refused:
    """Decide a player's roll, purchase or payment, or what a time-out makes of it."""
    options = choices(table)
    if options is None or options.kind == "declare":
        return Refused("dealer/nobody_asked", "No seat is asked for a card now.")
    if isinstance(command, TimeOut):
        if command.decision != options.decision:
            return Refused("dealer/late", "That decision has been made already.")
        seats = seats_out_of_time(table, options, command)
        if not seats:
            return Refused("dealer/not_due", "No player who is asked is absent.")
        return decided(table, _timed_out(table, options, seats, deck))
    refused = refuse_choice(table, options, command)
    if refused is not None:
        return refused
    event = _chosen(table, options, command, deck)
    if isinstance(event, Refused):
        return event
    outcome = decided(table, [event])
    hand = outcome.table.hand
    assert hand is not None, "somebody was asked, so there is a hand"
    shown = exposures(hand, deck) if isinstance(event, CardBought) else []
    return decided(table, [event, *shown]) if shown else outcome


def open_rolls(hand: Hand, deck: Deck, open_choice: OpenChoice) -> Rolled:
    """Turn up everybody's secretly chosen card, together (R17.6)."""
    turned: list[tuple[int, int, Card, bytes]] = []
    for index, sealed in sorted(hand.chosen):
        player = hand.players[index]
        place = player.down[-1]  # R18.2: what a time-out, or nonsense, rolls
        if sealed:
            try:
                wished = int(open_choice(player.seat, sealed))
            except ValueError:
                wished = place
            place = wished if wished in player.down else place
        turned.append(_turned(player.seat, place, deck))
    return Rolled(tuple(turned))


def _chosen(table: Table, options: Choices, command: Choose, deck: Deck) -> Event | Refused:
    seat = command.seat
    match command.choice:
        case "roll" if options.secret:
            return RollChosen(seat, command.sealed)
        case "roll":
            place = _own_place(table, command, down_only=True)
            return place if isinstance(place, Refused) else _rolled(seat, place, deck)
        case "buy":
            place = _own_place(table, command, down_only=False)
            return place if isinstance(place, Refused) else _bought(table, seat, place, deck)
        case "take":
            return ExtraCardPaid(seat, options.price)
        case "match":
            return PotMatched(seat, min(options.price, table.stack(seat)))
        case "fold":
            return MatchDeclined(seat)
        case _:
            return CardDeclined(seat)


def _timed_out(table: Table, options: Choices, seats: tuple[int, ...], deck: Deck) -> list[Event]:
    """R18.2, R18.7, R18.9: the clock of these seats, who still owe the choice, has run out."""
    hand = table.hand
    assert hand is not None, "somebody is asked, so there is a hand"
    if options.kind == "roll" and options.secret:
        return [RollChosen(seat, b"") for seat in seats]
    seat = seats[0]
    if options.kind == "roll":
        return [_rolled(seat, hand.players[hand.index_of(seat)].down[-1], deck)]
    return [MatchDeclined(seat) if options.kind == "match" else CardDeclined(seat)]


def _own_place(table: Table, command: Choose, *, down_only: bool) -> int | Refused:
    places = own_places(table, command.seat, down_only=down_only)
    place = command.place
    if place is None or place not in places:
        what = "downcards" if down_only else "cards"
        return Refused(
            "dealer/not_your_card", f"Name one of the seat's own {what} by its place.", command.seat
        )
    return place


def _rolled(seat: int, place: int, deck: Deck) -> Rolled:
    return Rolled((_turned(seat, place, deck),))


def _turned(seat: int, place: int, deck: Deck) -> tuple[int, int, Card, bytes]:
    (card,) = opened(deck, (place,))
    return (seat, *card)


def _bought(table: Table, seat: int, discard: int, deck: Deck) -> CardBought:
    """R17.1, R17.4: the next card of the stub, or of the burns where that is empty."""
    hand = table.hand
    assert hand is not None, "somebody is asked, so there is a hand"
    reshuffled: tuple[int, ...] = ()
    stub = hand.stub
    if not stub:
        # A number of its own: the streets use theirs for R3.
        stub = reshuffled = deck.reshuffled(hand.burns, len(hand.rules.streets) + 1)
    place = stub[0]
    player = hand.players[hand.index_of(seat)]
    face_up = discard in player.up_places
    shown = opened(deck, (place,)) if face_up else ()
    return CardBought(seat, hand.price, discard, place, shown, reshuffled)
