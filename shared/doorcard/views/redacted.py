"""The view of a log: each event with only those fields that one viewer may see.

Hiding a table's cards while handing out its log would be no hiding, so both go through here. What
is shown is listed, not what is hidden: a new event, or a new field, is invisible until it is
listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from doorcard.cards import Card
from doorcard.events import (
    AntesPosted,
    BetMade,
    BringInPosted,
    Called,
    CardBought,
    CardDeclined,
    CardsExposed,
    Checked,
    ChipsAdded,
    Completed,
    DealerDrawn,
    Dealt,
    DeclarationMade,
    DeclarationsOpened,
    Declared,
    Event,
    ExtraCardPaid,
    Folded,
    GameCalled,
    HandEnded,
    HandMucked,
    HandShown,
    HandStarted,
    HandVoided,
    LeaveAsked,
    MatchDeclined,
    PotAwarded,
    PotMatched,
    Raised,
    RollChosen,
    Rolled,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    StreetClosed,
    TableClosed,
    TableOpened,
    TablePaused,
    TableResumed,
    TimeGiven,
    UncalledReturned,
)
from doorcard.games.describe import Plain
from doorcard.tables import GameSpec, TableConfig
from doorcard.views.model import AUDITOR, Viewer, plain
from doorcard.views.table import NOTHING

Fields = dict[str, Plain]


def redact(event: Event, viewer: Viewer, opened: Mapping[int, Card] = NOTHING) -> Fields:
    """One event as this viewer may see it, as plain data for JSON.

    Args:
        opened: face-down cards of the event's hand that are known, by index in the deck. A seat
            gets to see only its own ones, a spectator none, whatever else is in it.
    """
    names = _AS_THEY_ARE.get(type(event))
    if names is not None:
        shown = {name: plain(getattr(event, name)) for name in names}
    else:
        shown = _SHAPED[type(event)](event, viewer, opened)
    return {"event": type(event).__name__, **shown}


def down_card(seat: int, index: int, viewer: Viewer, opened: Mapping[int, Card]) -> Card | None:
    """A face-down card of a seat, if this viewer may see it and it is known."""
    return opened.get(index) if viewer in (AUDITOR, seat) else None


def bought_cards(
    event: CardBought, viewer: Viewer, opened: Mapping[int, Card]
) -> tuple[Card | None, Card | None]:
    """The card thrown away and the new one, each None where this viewer may not see it.

    R17.1: the new card lies as the old one lay, so an upcard is known to everybody by itself.
    """
    if event.shown:
        return opened.get(event.discard), event.shown[0][1]
    old = down_card(event.seat, event.discard, viewer, opened)
    return old, down_card(event.seat, event.place, viewer, opened)


def _table_opened(event: TableOpened, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    config = event.config
    return {
        "table": event.table,
        **_spec(config.spec),
        "seats": config.seats,
        **_mix(config),
        "buy_in_min": config.buy_in_min,
        "buy_in_max": config.buy_in_max,
        "action_ms": config.action_ms,
    }


def _hand_started(event: HandStarted, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    seats = {seat.seat: seat for seat in event.snapshot.seats}
    return {
        "hand": event.hand,
        **_spec(event.spec),
        "dealer": event.dealer,
        "seats": [
            {"seat": number, "player": seats[number].player, "stack": seats[number].stack}
            for number in event.players
        ],
    }


def _mix(config: TableConfig) -> Fields:
    """The other games of a mixed table; nothing where there are none."""
    if not config.others:
        return {}
    others: list[Plain] = [_spec(spec) for spec in config.others]
    return {"others": others, "change": config.change, "change_hands": config.change_hands}


def _spec(spec: GameSpec) -> Fields:
    return {
        "game": spec.game,
        "variant": spec.variant,
        "limits": plain(spec.limits),
        "house": {name: plain(value) for name, value in spec.house},
    }


def _dealer_drawn(event: DealerDrawn, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    return {"cards": [{"seat": seat, "card": str(card)} for seat, card in event.cards]}


def _antes_posted(event: AntesPosted, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    return {"antes": _amounts(event.antes), "dead": _amounts(event.dead)}


def _hand_voided(event: HandVoided, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    return {"reason": event.reason, "refunds": _amounts(event.refunds)}


def _amounts(pairs: tuple[tuple[int, int], ...]) -> Plain:
    return [{"seat": seat, "chips": chips} for seat, chips in pairs]


def _dealt(event: Dealt, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    return {
        "street": event.street,
        "burned": event.burn is not None,
        "down": [
            {"seat": seat, "card": plain(down_card(seat, index, viewer, opened))}
            for seat, index in event.down
        ],
        "up": [{"seat": seat, "card": str(card)} for seat, _, card, _ in event.up],
        "community": [str(card) for _, card, _ in event.community],
        "reshuffled": bool(event.reshuffled),
        "asked": [{"seat": seat, "kind": kind} for seat, kind in event.asked],
    }


def _rolled(event: Rolled, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    return {"cards": [{"seat": seat, "card": str(card)} for seat, _, card, _ in event.cards]}


def _card_bought(event: CardBought, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    old, new = bought_cards(event, viewer, opened)
    return {
        "seat": event.seat,
        "price": event.price,
        "face_up": bool(event.shown),
        "discard": plain(old),
        "card": plain(new),
        "reshuffled": bool(event.reshuffled),
    }


def _declarations_opened(
    event: DeclarationsOpened, viewer: Viewer, opened: Mapping[int, Card]
) -> Fields:
    return {
        "declarations": [
            {"seat": seat, "direction": direction} for seat, direction in event.declarations
        ]
    }


def _cards_shown(
    event: HandShown | CardsExposed, viewer: Viewer, opened: Mapping[int, Card]
) -> Fields:
    return {"seat": event.seat, "cards": [str(card) for _, card, _ in event.cards]}


def _pot_awarded(event: PotAwarded, viewer: Viewer, opened: Mapping[int, Card]) -> Fields:
    return {
        "pot": event.pot,
        "amount": event.amount,
        "rake": event.rake,
        "shares": [
            {"seat": seat, "part": part, "chips": chips} for seat, part, chips in event.shares
        ],
    }


_AS_THEY_ARE: Final[Mapping[type[Event], tuple[str, ...]]] = {
    TableClosed: (),
    TablePaused: ("reason",),
    TableResumed: (),
    SeatTaken: ("seat", "player", "chips"),
    SeatLeft: ("seat", "player", "chips"),
    LeaveAsked: ("seat",),
    SatOut: ("seat",),
    SatIn: ("seat",),
    ChipsAdded: ("seat", "chips"),
    GameCalled: ("seat", "game"),
    RollChosen: ("seat",),
    CardDeclined: ("seat",),
    ExtraCardPaid: ("seat", "price"),
    PotMatched: ("seat", "amount"),
    MatchDeclined: ("seat",),
    DeclarationMade: ("seat",),
    Declared: ("seat", "direction"),
    BringInPosted: ("seat", "amount"),
    Completed: ("seat", "amount", "to"),
    BetMade: ("seat", "amount", "to"),
    Raised: ("seat", "amount", "to"),
    Called: ("seat", "amount"),
    Checked: ("seat",),
    Folded: ("seat",),
    UncalledReturned: ("seat", "amount"),
    StreetClosed: ("street",),
    TimeGiven: ("seats", "ms"),
    HandMucked: ("seat",),
    HandEnded: ("hand",),
}
"""The fields that everybody may see of events whose fields can be shown as they are."""
_SHAPED: Final[Mapping[type[Event], Callable[[Any, Viewer, Mapping[int, Card]], Fields]]] = {
    TableOpened: _table_opened,
    HandVoided: _hand_voided,
    HandStarted: _hand_started,
    DealerDrawn: _dealer_drawn,
    AntesPosted: _antes_posted,
    Dealt: _dealt,
    CardsExposed: _cards_shown,
    Rolled: _rolled,
    CardBought: _card_bought,
    DeclarationsOpened: _declarations_opened,
    HandShown: _cards_shown,
    PotAwarded: _pot_awarded,
}
