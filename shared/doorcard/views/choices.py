"""Choices that are no bets, and what they left behind, as one viewer may see them (R16, R17).

Who is asked, and who has answered, is public; what was answered in secret is not in here at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from doorcard.cards import Card
from doorcard.engine.choices import choices
from doorcard.engine.hand import NOBODY, Hand
from doorcard.engine.player import Player
from doorcard.engine.table import Table
from doorcard.rankings import describe, hand_key
from doorcard.views.model import AUDITOR, ChoiceView, PlaceView, Viewer


def choice_view(table: Table, viewer: Viewer, opened: Mapping[int, Card]) -> ChoiceView | None:
    """The choice that is due, with the answers of the viewer's own seat if that is asked."""
    due = choices(table)
    if due is None:
        return None
    asked = viewer in due.seats
    hand = table.hand
    assert hand is not None, "somebody is asked, so there is a hand"
    own: tuple[PlaceView, ...] = ()
    if asked and due.kind in ("roll", "buy"):
        player = hand.players[hand.index_of(int(viewer))]
        own = tuple(_places(player, opened, with_up=due.kind == "buy"))
    return ChoiceView(
        due.kind,
        due.seats,
        due.secret,
        due.price,
        due.answers if asked else (),
        due.directions if asked else (),
        own,
    )


def has_chosen(hand: Hand, seat: int) -> bool:
    """Whether a seat has made a secret choice that is not open yet."""
    index = hand.index_of(seat)
    return index != NOBODY and any(index == other for other, _ in hand.chosen)


def downcards(
    player: Player, viewer: Viewer, opened: Mapping[int, Card]
) -> tuple[Card | None, ...]:
    """A player's downcards, None where this viewer may not see the card or it is not known."""
    known = {index: card for index, card, _ in player.shown}
    if viewer in (AUDITOR, player.seat):
        known.update((index, opened[index]) for index in player.down if index in opened)
    return tuple([known.get(index) for index in player.down])


def hand_names(hand: Hand, down: tuple[Card, ...], up: tuple[Card, ...]) -> tuple[str, str]:
    """A tabled hand's name for the high half or the whole pot, and for the other half."""
    rules = hand.rules
    cards = down + up + hand.community
    if len(cards) < 5:
        return "", ""
    high = ""
    if rules.high_ranking == "high":
        double_ace = rules.house.double_ace_flush
        key = hand_key("high", cards, wild=hand.wild, double_ace_flush=double_ace)
        high = describe("high", key)
    elif rules.high_ranking is not None:
        high = describe(rules.high_ranking, hand_key(rules.high_ranking, cards))
    if rules.low_ranking is not None:
        return high, describe(rules.low_ranking, hand_key(rules.low_ranking, cards))
    if rules.game.split in ("high_chicago", "low_chicago"):
        return high, _spade_name(hand, down)
    return high, ""


def _spade_name(hand: Hand, down: tuple[Card, ...]) -> str:
    """G12: the spade in the hole that counts."""
    rules = hand.rules
    ace_low = rules.game.split == "low_chicago" and rules.house.low_chicago_ace == "low"
    spades = sorted(
        [card for card in down if card.suit == _SPADES],
        key=lambda card: 1 if ace_low and card.rank == _ACE else card.rank,
    )
    if not spades:
        return "no spade in the hole"
    return f"{spades[0] if rules.game.split == 'low_chicago' else spades[-1]} in the hole"


def _places(player: Player, opened: Mapping[int, Card], *, with_up: bool) -> Iterator[PlaceView]:
    for place, card in zip(player.down, downcards(player, player.seat, opened), strict=True):
        yield PlaceView(place, card, face_up=False)
    if with_up:
        for place, up_card in zip(player.up_places, player.up, strict=True):
            yield PlaceView(place, up_card, face_up=True)


_SPADES: Final = 3
_ACE: Final = 14
