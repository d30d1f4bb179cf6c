"""Events in plain words, as a dealer would say them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from doorcard.cards import Card, format_cards
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
from doorcard.games import GAMES
from doorcard.views.model import Viewer
from doorcard.views.redacted import bought_cards, down_card
from doorcard.views.table import NOTHING
from doorcard.views.text import paused_text, printable

NO_NAMES: Final[Mapping[int, str]] = MappingProxyType({})


class _Teller:
    """Who listens, and what the seats are called."""

    __slots__ = ("names", "opened", "viewer")

    def __init__(
        self, viewer: Viewer, opened: Mapping[int, Card], names: Mapping[int, str]
    ) -> None:
        self.viewer: Viewer = viewer
        self.opened = opened
        self.names = names

    def name(self, seat: int) -> str:
        return printable(self.names.get(seat, f"seat {seat}"))

    def amounts(self, pairs: tuple[tuple[int, int], ...]) -> str:
        return ", ".join(f"{self.name(seat)} {chips}" for seat, chips in pairs)


def event_text(
    event: Event,
    viewer: Viewer,
    opened: Mapping[int, Card] = NOTHING,
    names: Mapping[int, str] = NO_NAMES,
) -> str:
    """One event in words, with only what this viewer may see; empty where nothing is to say.

    Args:
        opened: as for ``redact``.
        names: what the seats are called; otherwise ``seat 3``.
    """
    return _TELLERS[type(event)](event, _Teller(viewer, opened, names))


def _table_opened(event: TableOpened, teller: _Teller) -> str:
    config = event.config
    names = ", ".join(GAMES[spec.game].name for spec in (config.spec, *config.others))
    return f"table {event.table} opens: {names}, {config.seats} seats"


def _hand_started(event: HandStarted, teller: _Teller) -> str:
    dealer = "the house" if event.dealer is None else teller.name(event.dealer)
    return f"hand {event.hand}: {dealer} deals"


def _dealer_drawn(event: DealerDrawn, teller: _Teller) -> str:
    drawn = ", ".join(f"{teller.name(seat)} {card}" for seat, card in event.cards)
    return f"drawn for the deal: {drawn}"


def _antes_posted(event: AntesPosted, teller: _Teller) -> str:
    paid = tuple((seat, chips) for seat, chips in event.antes if chips)
    parts = [f"antes: {teller.amounts(paid)}"] if paid else []
    if event.dead:
        parts.append(f"dead antes: {teller.amounts(event.dead)}")
    return "; ".join(parts)


def _dealt(event: Dealt, teller: _Teller) -> str:
    """Each seat's cards in the order of the deal, or the card in the middle."""
    if event.community:
        return f"for everybody: {format_cards(card for _, card, _ in event.community)}"
    cards: dict[int, list[Card | None]] = {}
    for seat, index in event.down:
        card = down_card(seat, index, teller.viewer, teller.opened)
        cards.setdefault(seat, []).append(card)
    for seat, _, up_card, _ in event.up:
        cards.setdefault(seat, []).append(up_card)
    return "dealt: " + ", ".join(
        f"{teller.name(seat)} {format_cards(dealt)}" for seat, dealt in cards.items()
    )


def _rolled(event: Rolled, teller: _Teller) -> str:
    return "turned up: " + ", ".join(
        f"{teller.name(seat)} {card}" for seat, _, card, _ in event.cards
    )


def _card_bought(event: CardBought, teller: _Teller) -> str:
    old, new = bought_cards(event, teller.viewer, teller.opened)
    away = "an upcard" if event.shown else "a downcard"
    away = away if old is None else str(old)
    got = "an unseen card" if new is None else str(new)
    return f"{teller.name(event.seat)} pays {event.price}, throws away {away} and gets {got}"


def _declarations_opened(event: DeclarationsOpened, teller: _Teller) -> str:
    return "declared: " + ", ".join(
        f"{teller.name(seat)} {direction}" for seat, direction in event.declarations
    )


def _cards_shown(event: HandShown | CardsExposed, teller: _Teller) -> str:
    return f"{teller.name(event.seat)} shows {format_cards(card for _, card, _ in event.cards)}"


def _pot_awarded(event: PotAwarded, teller: _Teller) -> str:
    pot = "the pot" if not event.pot else f"side pot {event.pot}"
    rake = f", rake {event.rake}" if event.rake else ""
    shares = ", ".join(
        f"{teller.name(seat)} wins {chips}{'' if part == 'all' else f' ({part})'}"
        for seat, part, chips in event.shares
    )
    return f"{pot} of {event.amount}{rake}: {shares}"


def _hand_voided(event: HandVoided, teller: _Teller) -> str:
    reason = f" ({printable(event.reason)})" if event.reason else ""
    return f"the hand is void{reason}; back go: {teller.amounts(event.refunds)}"


def _time_given(event: TimeGiven, teller: _Teller) -> str:
    names = ", ".join(map(teller.name, event.seats))
    return f"{event.ms / 1000:g} s more for {names}: the store took no writes meanwhile"


def _words(text: str) -> Callable[[object, _Teller], str]:
    """The same words for every event of a class."""
    return lambda _, __: text


_TELLERS: Final[Mapping[type[Event], Callable[[Any, _Teller], str]]] = {
    TableOpened: _table_opened,
    TableClosed: _words("the table is closed"),
    TablePaused: lambda event, _: paused_text(event.reason),
    TableResumed: _words("the table is resumed: hands begin again"),
    SeatTaken: lambda event, _: (
        f"{printable(event.player)} sits down at seat {event.seat} with {event.chips}"
    ),
    SeatLeft: lambda event, _: f"{printable(event.player)} leaves with {event.chips}",
    LeaveAsked: lambda event, teller: f"{teller.name(event.seat)} leaves after this hand",
    SatOut: lambda event, teller: f"{teller.name(event.seat)} sits out",
    SatIn: lambda event, teller: f"{teller.name(event.seat)} is back",
    ChipsAdded: lambda event, teller: f"{teller.name(event.seat)} adds {event.chips}",
    HandVoided: _hand_voided,
    HandStarted: _hand_started,
    DealerDrawn: _dealer_drawn,
    AntesPosted: _antes_posted,
    Dealt: _dealt,
    CardsExposed: _cards_shown,
    BringInPosted: lambda event, teller: (
        f"{teller.name(event.seat)} brings it in for {event.amount}"
    ),
    Completed: lambda event, teller: f"{teller.name(event.seat)} completes to {event.to}",
    BetMade: lambda event, teller: f"{teller.name(event.seat)} bets {event.to}",
    Raised: lambda event, teller: f"{teller.name(event.seat)} raises to {event.to}",
    Called: lambda event, teller: f"{teller.name(event.seat)} calls {event.amount}",
    Checked: lambda event, teller: f"{teller.name(event.seat)} checks",
    Folded: lambda event, teller: f"{teller.name(event.seat)} folds",
    GameCalled: lambda event, teller: (
        f"{teller.name(event.seat)} calls game {event.game + 1} of the mix"
    ),
    RollChosen: lambda event, teller: f"{teller.name(event.seat)} has chosen a card to turn up",
    Rolled: _rolled,
    CardBought: _card_bought,
    CardDeclined: lambda event, teller: f"{teller.name(event.seat)} wants no card",
    ExtraCardPaid: lambda event, teller: (
        f"{teller.name(event.seat)} pays {event.price} for an extra card"
    ),
    PotMatched: lambda event, teller: (
        f"{teller.name(event.seat)} puts in {event.amount} to match the pot"
    ),
    MatchDeclined: lambda event, teller: (
        f"{teller.name(event.seat)} folds and does not match the pot"
    ),
    DeclarationMade: lambda event, teller: f"{teller.name(event.seat)} has declared in secret",
    Declared: lambda event, teller: f"{teller.name(event.seat)} declares {event.direction}",
    DeclarationsOpened: _declarations_opened,
    TimeGiven: _time_given,
    UncalledReturned: lambda event, teller: (
        f"{event.amount} uncalled go back to {teller.name(event.seat)}"
    ),
    StreetClosed: _words(""),
    HandShown: _cards_shown,
    HandMucked: lambda event, teller: f"{teller.name(event.seat)} mucks",
    PotAwarded: _pot_awarded,
    HandEnded: _words(""),
}
