"""What must hold after every commit, checked before it is appended (R1.5, R12.6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from doorcard.engine.table import Hand, Table
from doorcard.errors import BrokenInvariant
from doorcard.events import CardBought, Dealt, Event, Rolled


def check(table: Table, events: Iterable[Event] = ()) -> None:
    """Raise ``BrokenInvariant`` unless the chips add up, and after a deal the cards.

    Args:
        events: what has just happened; cards are counted only if some were dealt.
    """
    hand = table.hand
    if hand is None or hand.phase == "over":
        _check_rest(table)
        return
    total = hand.pot
    for award in hand.awards:
        total += award.rake
    for player in hand.players:
        stack = player.stack
        if stack < 0 or player.bet < 0:
            raise BrokenInvariant(f"table {table.id}: seat {player.seat} has a negative amount")
        total += stack
    if total != hand.chips or hand.pot < 0:
        raise BrokenInvariant(
            f"table {table.id}, hand {hand.start.hand}: {total} chips instead of {hand.chips}"
        )
    for event in events:
        if type(event) in _CARD_EVENTS:
            _check_cards(table, hand)
            return


def _check_rest(table: Table) -> None:
    held = sum([seat.stack + seat.waiting for seat in table.seats.values()])
    if held + table.chips_out + table.rake != table.chips_in:
        raise BrokenInvariant(
            f"table {table.id}: {held} chips on the table, {table.chips_out} taken away and "
            f"{table.rake} raked are not the {table.chips_in} brought in"
        )
    hand = table.hand
    if hand is not None and hand.pot:
        raise BrokenInvariant(f"table {table.id}: {hand.pot} chips left in the middle")


def _check_cards(table: Table, hand: Hand) -> None:
    count = len(hand.stub) + len(hand.burns) + len(hand.community) + len(hand.discards)
    for player in hand.players:
        count += len(player.up) + len(player.down)
    if count != 52:
        raise BrokenInvariant(f"table {table.id}, hand {hand.start.hand}: {count} cards, not 52")


_CARD_EVENTS: Final = frozenset({Dealt, Rolled, CardBought})
