"""Everything that can have happened at a table: the whole vocabulary of the log.

Each class has a tag, its author, and an order of fields that are on the wire for ever: fields are
only appended, with a default. All amounts are whole chips. A card is named by its *index*, its
place in the hand's deck (0 is the top), which alone says nothing: so face-down cards are logged.
"""

from __future__ import annotations

from typing import NamedTuple

from doorcard.cards import Card
from doorcard.event_types import event
from doorcard.tables import GameSpec, OpenCard, Outages, Snapshot, TableConfig


@event(1, "floor")
class TableOpened(NamedTuple):
    """The table exists; it is always the first event of a log."""

    table: str
    config: TableConfig


@event(2, "floor")
class TableClosed(NamedTuple):
    """No more hands; every seat has been paid out before."""


@event(3, "floor")
class TablePaused(NamedTuple):
    """The hand in progress ends as usual; no new one starts until the table is resumed."""

    reason: str


@event(4, "floor")
class TableResumed(NamedTuple):
    """Hands start again."""


@event(5, "floor")
class SeatTaken(NamedTuple):
    """A player sat down; dealt in from the next hand on (R18.6)."""

    seat: int
    player: str
    chips: int
    key: bytes
    request: str


@event(6, "floor")
class SeatLeft(NamedTuple):
    """A player's seat is empty again; ``chips`` left the table with the player."""

    seat: int
    player: str
    chips: int


@event(7, "floor")
class LeaveAsked(NamedTuple):
    """A player in the hand wants to leave; paid out when it ends (R18.4)."""

    seat: int


@event(8, "floor")
class SatOut(NamedTuple):
    """A player sits out from the next hand on; on turn in this one, time is up (R18.4)."""

    seat: int


@event(9, "floor")
class SatIn(NamedTuple):
    """A player who sat out is dealt in again from the next hand on (R18.5)."""

    seat: int


@event(10, "floor")
class ChipsAdded(NamedTuple):
    """A player brought more chips; during a hand they wait for its end (R18.6)."""

    seat: int
    chips: int
    request: str


@event(11, "floor")
class HandVoided(NamedTuple):
    """The hand is void; every contribution went back (R19.2)."""

    reason: str
    refunds: tuple[tuple[int, int], ...]
    """(seat, chips) for everybody who had put chips in."""


@event(12, "floor")
class GameCalled(NamedTuple):
    """The player who deals next named the game of that hand (dealer's choice)."""

    seat: int
    game: int
    """The game's place among the table's games; 0 is the first."""


@event(20, "dealer")
class HandStarted(NamedTuple):
    """A hand began. Holds the whole table, so that a rebuild needs nothing before it."""

    hand: int
    """1 for the table's first hand."""
    table: str
    rules: int
    """Version of the rules that the deciders applied."""
    spec: GameSpec
    """The game in force for this hand."""
    dealer: int | None
    """Seat of the dealer position; None with a house dealer (R2.2)."""
    players: tuple[int, ...]
    """Seats dealt in, in deal order (R2.3)."""
    snapshot: Snapshot
    chain: bytes
    """Chain hash before this commit."""
    key_id: str
    """The deck key that the seed is sealed to; empty where nothing is sealed."""
    sealed_seed: bytes
    leaves: tuple[bytes, ...]
    """One commitment a deck index; empty where the deck was given, as in tests."""
    deck_public: bytes = b""
    """The deck key's public half, in games with secret choices: players seal theirs to it."""


@event(21, "dealer")
class DealerDrawn(NamedTuple):
    """The first dealer was drawn: one card a seat, clockwise; the highest deals (R2.9)."""

    cards: tuple[tuple[int, Card], ...]


@event(22, "dealer")
class AntesPosted(NamedTuple):
    """Everybody dealt in posted an ante, (seat, chips) in deal order (R4)."""

    antes: tuple[tuple[int, int], ...]
    dead: tuple[tuple[int, int], ...] = ()
    """(seat, chips) of dead antes owed on return (R18.8)."""


@event(23, "dealer")
class Dealt(NamedTuple):
    """The cards of one street (R2, R3)."""

    street: int
    burn: int | None
    """Index of the card burned before the first pass."""
    down: tuple[tuple[int, int], ...]
    """(seat, index) of face-down cards, in dealing order."""
    up: tuple[tuple[int, int, Card, bytes], ...]
    """(seat, index, card, salt) of upcards, in dealing order."""
    community: tuple[OpenCard, ...] = ()
    """Cards turned for everybody (R3.3)."""
    reshuffled: tuple[int, ...] = ()
    """The new stub, top first, where stub and burns were shuffled together (R3.2, R3.4)."""
    burn_again: int | None = None
    """Index of the card burned after that shuffle."""
    sealed: tuple[tuple[int, bytes], ...] = ()
    """(seat, its face-down cards of this street, sealed to its key)."""
    due: tuple[tuple[int, str], ...] = ()
    """(seat, ``d`` or ``u``) of this street's cards that wait for that choice."""
    asked: tuple[tuple[int, str], ...] = ()
    """(seat, ``extra`` or ``match``) where the last upcard asks its holder something (G11.3)."""


@event(24, "dealer")
class CardsExposed(NamedTuple):
    """Downcards shown early because betting is over (``expose_all_in``, R14.6)."""

    seat: int
    cards: tuple[OpenCard, ...]


@event(25, "dealer")
class RollChosen(NamedTuple):
    """A player chose in secret which card to turn up (R17.6)."""

    seat: int
    sealed: bytes
    """The choice, sealed to the deck key; empty for what a time-out chooses (R18.2)."""


@event(26, "dealer")
class Rolled(NamedTuple):
    """Downcards were turned up by their holders (R17.6)."""

    cards: tuple[tuple[int, int, Card, bytes], ...]
    """(seat, index, card, salt) in deal order."""


@event(27, "dealer")
class CardBought(NamedTuple):
    """A card was thrown away for a new one, bought with dead money (R12.5, R17.1)."""

    seat: int
    price: int
    discard: int
    """Index of the card thrown away."""
    place: int
    """Index of the new card, which lies as the old one lay."""
    shown: tuple[OpenCard, ...]
    """The new card where it lies face up; empty where it lies face down."""
    reshuffled: tuple[int, ...] = ()
    """The new stub where the burns were shuffled for it (R17.4)."""
    sealed: bytes = b""
    """The new card where it lies face down, sealed to the seat's key."""


@event(28, "dealer")
class CardDeclined(NamedTuple):
    """A player did not buy, or did not want an extra card (G5.3, G11.3)."""

    seat: int


@event(29, "dealer")
class ExtraCardPaid(NamedTuple):
    """A player pays for the extra card, which is dealt next (G11.3)."""

    seat: int
    price: int


@event(30, "dealer")
class PotMatched(NamedTuple):
    """A player paid the pot, or the whole stack if less, for a face-up card (G11.3)."""

    seat: int
    amount: int


@event(31, "dealer")
class MatchDeclined(NamedTuple):
    """A player folded rather than match the pot (G11.3)."""

    seat: int


@event(40, "betting")
class BringInPosted(NamedTuple):
    """The forced opening bet (R5)."""

    seat: int
    amount: int


@event(41, "betting")
class Completed(NamedTuple):
    """The bring-in was completed to a full bet (R5.10, R6.7)."""

    seat: int
    amount: int
    to: int
    """The seat's contribution to this round afterwards."""


@event(42, "betting")
class BetMade(NamedTuple):
    """The first wager of a round (R6.7)."""

    seat: int
    amount: int
    to: int


@event(43, "betting")
class Raised(NamedTuple):
    """A wager over a standing bet (R6.7)."""

    seat: int
    amount: int
    to: int


@event(44, "betting")
class Called(NamedTuple):
    """The price was matched, or the whole stack put in towards it (R6.6, R6.9)."""

    seat: int
    amount: int


@event(45, "betting")
class Checked(NamedTuple):
    """Nothing to call, nothing wagered (R6.6)."""

    seat: int


@event(46, "betting")
class Folded(NamedTuple):
    """Out of the hand; chips put in stay in (R12.4)."""

    seat: int


@event(47, "betting")
class UncalledReturned(NamedTuple):
    """The part of the last wager that nobody matched went back (R12.3)."""

    seat: int
    amount: int


@event(48, "betting")
class StreetClosed(NamedTuple):
    """The betting round is over (R6.4)."""

    street: int


@event(49, "betting")
class DeclarationMade(NamedTuple):
    """A player declared in secret (R16.3)."""

    seat: int
    sealed: bytes
    """The choice, sealed to the deck key; empty for what a time-out chooses (R18.2)."""


@event(50, "betting")
class Declared(NamedTuple):
    """A player declared openly: ``high``, ``low`` or ``both`` (R16.4)."""

    seat: int
    direction: str


@event(51, "betting", "dealer")
class TimeGiven(NamedTuple):
    """The seats that are asked have so much longer, because the store took no writes (R18.1)."""

    seats: tuple[int, ...]
    ms: int
    outages: Outages
    """All since the seats were asked, and so those that time was given for before as well."""


@event(60, "showdown")
class HandShown(NamedTuple):
    """A hand was tabled: all its face-down cards (R14.5)."""

    seat: int
    cards: tuple[OpenCard, ...]


@event(61, "showdown")
class HandMucked(NamedTuple):
    """A beaten hand was not shown (R14.4)."""

    seat: int


@event(62, "showdown")
class PotAwarded(NamedTuple):
    """One pot was paid; 0 is the main pot (R15)."""

    pot: int
    amount: int
    """What the pot held, rake included."""
    rake: int
    shares: tuple[tuple[int, str, int], ...]
    """(seat, part, chips); the part is ``all``, ``high`` or ``low``."""


@event(63, "showdown")
class HandEnded(NamedTuple):
    """The hand is over and its chips are in the stacks."""

    hand: int


@event(64, "showdown")
class DeclarationsOpened(NamedTuple):
    """Secret declarations, all opened together, in deal order (R16.3)."""

    declarations: tuple[tuple[int, str], ...]


Event = (
    TableOpened | TableClosed | TablePaused | TableResumed | SeatTaken | SeatLeft | LeaveAsked
    | SatOut | SatIn | ChipsAdded | HandVoided | GameCalled | HandStarted | DealerDrawn
    | AntesPosted | Dealt | CardsExposed | RollChosen | Rolled | CardBought | CardDeclined
    | ExtraCardPaid | PotMatched | MatchDeclined | BringInPosted | Completed | BetMade | Raised
    | Called | Checked | Folded | UncalledReturned | StreetClosed | DeclarationMade | Declared
    | TimeGiven | HandShown | HandMucked | PotAwarded | HandEnded | DeclarationsOpened
)  # fmt: skip
"""Any event."""
