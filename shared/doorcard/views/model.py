"""What a viewer gets to see, as frozen records, and the same as plain data for JSON."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, cast

from doorcard.cards import Card
from doorcard.engine.options import Legal
from doorcard.games.describe import Plain
from doorcard.limits import Limits, Scalar

Viewer: TypeAlias = int | Literal["spectator", "auditor"]
"""Who looks: the number of a seat, anybody (``SPECTATOR``), or who may see all (``AUDITOR``)."""
SPECTATOR: Final = "spectator"
AUDITOR: Final = "auditor"


class SeatView(NamedTuple):
    """One taken seat. All amounts are chips."""

    seat: int
    player: str
    stack: int
    waiting: int
    """Chips brought during a hand; they count from the next hand on (R18.6)."""
    sitting_out: bool
    leaving: bool
    dealt_in: bool
    """Has cards of the hand in progress, or of the last one."""
    dealer: bool
    """Holds the dealer position (R2.2)."""
    bet: int
    """Contribution to the betting round in progress."""
    total: int
    """Contribution to the hand, antes included."""
    folded: bool
    all_in: bool
    mucked: bool
    """Was beaten, and not shown (R14.4)."""
    up: tuple[Card, ...]
    """Upcards in the order received (R2.8)."""
    down: tuple[Card | None, ...]
    """Downcards in the order received; None where this viewer may not see the card."""
    declared: str
    """``high``, ``low`` or ``both`` once everybody may know it; otherwise empty (R16)."""
    chosen: bool
    """Has made a secret choice that is not open yet: what it is, nobody sees."""


class PlaceView(NamedTuple):
    """One of the viewer's own cards, as a choice may name it."""

    place: int
    """The card's index in the deck, for ``Choose.place``."""
    card: Card | None
    """None where the card is not known."""
    face_up: bool


class ChoiceView(NamedTuple):
    """A choice that is due and is no bet (R16, R17)."""

    kind: str
    """``roll``, ``buy``, ``extra``, ``match`` or ``declare``."""
    seats: tuple[int, ...]
    """The seats that are asked: one, or all that still owe a secret choice."""
    secret: bool
    """Whether the answers stay sealed until everybody has given one (R16.3, R17.6)."""
    price: int
    """What buying, taking or matching costs, in chips."""
    answers: tuple[str, ...]
    """What the viewer's own seat may answer; empty unless it is asked."""
    directions: tuple[str, ...]
    """What it may declare."""
    own: tuple[PlaceView, ...]
    """Which of its cards it may roll or throw away."""


class PotView(NamedTuple):
    """One pot, and the seats that can win it. This round's bets are not in it yet."""

    amount: int
    seats: tuple[int, ...]


class ActionView(NamedTuple):
    """What a seat did last."""

    seat: int
    action: str
    """A bet's name, or ``roll``, ``buy``, ``take``, ``decline``, ``match`` or ``declare``."""
    amount: int
    """Chips put in by it."""
    to: int | None
    """The seat's contribution to the round after a wager (R6.7)."""


class HandView(NamedTuple):
    """A tabled hand: everybody has seen all of it."""

    seat: int
    player: str
    cards: tuple[Card, ...]
    """The player's own cards, downcards first."""
    high: str
    """Its name in the game's high ranking; empty where there is none, or too few cards."""
    low: str
    """Its name in the game's low ranking, or the spade in the hole that counts (G12); empty where
    there is none, or too few cards."""


class ShareView(NamedTuple):
    """What one seat won of a pot."""

    seat: int
    part: str
    """``all``, ``high`` or ``low`` (R15.2), or ``spade`` (G12)."""
    chips: int


class AwardView(NamedTuple):
    """One pot that was paid (R15)."""

    pot: int
    """0 is the main pot."""
    amount: int
    """What the pot held, rake included."""
    rake: int
    shares: tuple[ShareView, ...]


class TableView(NamedTuple):
    """A table as one viewer may see it. All amounts are chips."""

    table: str
    viewer: Viewer
    seq: int
    """Number of the last commit that the view includes."""
    time_ms: int
    """Time of that commit, in milliseconds since 1970, UTC."""
    game: str
    """The game's id."""
    name: str
    """The game's name for people."""
    variant: str
    limits: Limits
    house: tuple[tuple[str, Scalar], ...]
    paused: bool
    pause_reason: str
    closed: bool
    hand: int
    """Number of the hand in progress or of the last one; 0 before the first."""
    in_hand: bool
    voided: bool
    """The hand was void, and every contribution went back (R19.2)."""
    street: int
    """Streets dealt so far."""
    street_name: str
    """Its traditional name, as in ``fifth street``; empty before the first hand."""
    dealer: int | None
    """Seat of the dealer position; None with a house dealer, or before the first hand."""
    seats: tuple[SeatView, ...]
    """Taken seats, clockwise."""
    community: tuple[Card, ...]
    """Cards that belong to everybody (R3.3)."""
    wild: tuple[str, ...]
    """What is wild now, highest first: a rank, as in ``Q``, or one card, as in ``Jh`` (R17.8)."""
    pot: int
    """All chips in the middle, this round's bets included."""
    pots: tuple[PotView, ...]
    """Main pot and side pots without this round's bets (R12)."""
    turn: int | None
    """The seat that is asked; None where several are asked at once."""
    asked: tuple[int, ...]
    """All seats that are asked, in deal order."""
    decision: int
    """Number of the decision asked for, or of the last one."""
    deadline_ms: int
    """When it is due, in milliseconds since 1970, UTC; 0 when no seat is asked."""
    legal: Legal | None
    """What the viewer's own seat may do, if it is the one that is asked."""
    choice: ChoiceView | None
    """The choice that is due, where it is no bet."""
    last_action: ActionView | None
    shown: tuple[HandView, ...]
    """Tabled hands, in deal order."""
    awards: tuple[AwardView, ...]
    """The pots that were paid, main pot first."""


def view_json(view: TableView) -> dict[str, Plain]:
    """A view as plain data for JSON: cards as text, records as objects, house rules by name."""
    found = {name: plain(value) for name, value in zip(view._fields, view, strict=True)}
    found["house"] = {name: plain(value) for name, value in view.house}
    return found


def plain(value: object) -> Plain:
    """Any value of a view as plain data.

    Raises:
        TypeError: bytes, or anything else that no view can hold. Keys, sealed and signed values
            are bytes, so none of them can slip through.
    """
    if isinstance(value, Card):
        return str(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        names: tuple[str, ...] | None = getattr(items, "_fields", None)
        if names is None:
            return [plain(item) for item in items]
        return {name: plain(item) for name, item in zip(names, items, strict=True)}
    raise TypeError(f"a {type(value).__name__} has no place in a view")
