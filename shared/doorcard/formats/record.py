"""The JSON form of one finished hand, ours or another house's: every field, checked strictly.

One object a hand holds seats, stacks, cards, actions and result, nothing about people. Amounts
are whole chips; a card is rank then suit, ``??`` where it is not known. Fields that are not
named here, wrong types, fractions, strings for numbers and amounts out of range are refused.

Most stud hands need the antes, deals, bets and shown cards alone. Other games have more:

=============  ==================================================================================
``dead_ante``  a dead ante paid on return, in the pot but no contribution (R18.8)
``roll``       a downcard turned up: ``place`` among the seat's cards, 0 the first, and ``card``
``buy``        ``amount`` paid; ``card``, up or down (``face``), takes the ``place`` of ``discard``
``take``       ``amount`` paid for the extra card that the next ``deal`` of the seat holds
``decline``    no card bought or taken
``match``      ``amount`` paid for an upcard; who does not match has a ``fold`` in its place
``declare``    ``direction``: ``high``, ``low`` or ``both``
=============  ==================================================================================

What is paid for a card is dead money: it raises no ``to``. Choices made in secret stand where
they were opened, in deal order. Where an upcard stops the deal for a choice, the rest of the
street follows in further deals of the same street. ``round`` counts betting rounds of one street.
A record that tells ``house``, the switches that are not at their defaults, tells them all; with
it go ``variant`` and ``dealer``. ``wild`` lists the cards that were wild at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from doorcard.errors import BadInput
from doorcard.limits import CHIPS_MAX, Structure

CardText = Annotated[str, StringConstraints(pattern=r"^([2-9TJQKA][cdhs]|\?\?)$")]
KnownCard = Annotated[str, StringConstraints(pattern=r"^[2-9TJQKA][cdhs]$")]
Chips = Annotated[int, Field(ge=0, le=CHIPS_MAX)]
SeatNumber = Annotated[int, Field(ge=0, le=9999)]
SeatText = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,3})$")]
"""A seat's number as the key of an object."""
StreetNumber = Annotated[int, Field(ge=1, le=52)]
"""The cards that a player holds after the street: 3 to 7, or 2 to 5 in five-card games."""
Place = Annotated[int, Field(ge=0, le=51)]
"""Which of a seat's cards: 0 is the first one dealt."""
Switch = (
    Annotated[str, StringConstraints(max_length=200)]
    | int
    | bool
    | Annotated[list[Chips], Field(max_length=10)]
    | None
)


class Model(BaseModel):
    """What all parts of a record share."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SeatRecord(Model):
    """A seat that was dealt in."""

    seat: SeatNumber
    stack: Annotated[int, Field(ge=1, le=CHIPS_MAX)]
    """Chips before the ante."""


class AnteRecord(Model):
    """One seat's ante, or the dead ante that it owed on return."""

    a: Literal["ante", "dead_ante"]
    seat: SeatNumber
    amount: Chips
    all_in: bool = False


class DealRecord(Model):
    """One seat's cards of one street."""

    a: Literal["deal"]
    street: StreetNumber
    seat: SeatNumber
    down: list[CardText]
    up: list[CardText]


class CommunityRecord(Model):
    """The street's card, turned once for everybody."""

    a: Literal["community"]
    card: CardText


class BetRecord(Model):
    """What a seat did on its turn."""

    a: Literal["bring_in", "complete", "bet", "raise", "call", "check", "fold"]
    seat: SeatNumber
    amount: Chips
    """Chips that this adds."""
    to: Chips
    """The seat's total on this street afterwards; antes do not count."""
    all_in: bool
    """Whether it leaves the seat with nothing."""
    round: Annotated[int, Field(ge=1, le=9)] = 1
    """Which betting round of the street."""


class RollRecord(Model):
    """A seat turned one of its downcards up."""

    a: Literal["roll"]
    seat: SeatNumber
    place: Place
    card: KnownCard


class BuyRecord(Model):
    """A seat threw a card away and paid for another, which lies as the old one lay."""

    a: Literal["buy"]
    seat: SeatNumber
    amount: Chips
    all_in: bool
    place: Place
    face: Literal["up", "down"]
    discard: CardText
    card: CardText


class PaymentRecord(Model):
    """A seat paid for an extra card, or matched the pot for an upcard."""

    a: Literal["take", "match"]
    seat: SeatNumber
    amount: Chips
    all_in: bool


class DeclineRecord(Model):
    """A seat did not want a card for its price."""

    a: Literal["decline"]
    seat: SeatNumber


class DeclareRecord(Model):
    """What a seat plays for."""

    a: Literal["declare"]
    seat: SeatNumber
    direction: Literal["high", "low", "both"]


class UncalledRecord(Model):
    """The part of a bet that nobody matched went back."""

    a: Literal["uncalled"]
    seat: SeatNumber
    amount: Chips


class ShowRecord(Model):
    """Cards shown, or known from the source, in the order dealt."""

    a: Literal["show", "known"]
    seat: SeatNumber
    cards: list[CardText]


class MuckRecord(Model):
    """A seat did not show at the end."""

    a: Literal["muck"]
    seat: SeatNumber


class CollectedRecord(Model):
    """What one seat got of one pot."""

    seat: SeatNumber
    amount: Chips
    pot: Annotated[str, StringConstraints(pattern=r"^(main|side[1-9][0-9]?)$")]
    part: Literal["all", "high", "low", "spade"]


class ResultRecord(Model):
    """How the hand ended."""

    pot: Chips
    """Everything put in, less the uncalled part."""
    rake: Chips
    collected: list[CollectedRecord] | None
    """``None`` where the source tells the final stacks only."""
    final_stacks: dict[SeatText, Chips]


ChoiceRecord = RollRecord | BuyRecord | PaymentRecord | DeclineRecord | DeclareRecord
ActionRecord = Annotated[
    AnteRecord
    | DealRecord
    | CommunityRecord
    | BetRecord
    | RollRecord
    | BuyRecord
    | PaymentRecord
    | DeclineRecord
    | DeclareRecord
    | UncalledRecord
    | ShowRecord
    | MuckRecord,
    Field(discriminator="a"),
]


class HandRecord(Model):
    """One hand from the antes to the final stacks."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    game: Annotated[str, StringConstraints(max_length=100)]
    structure: Structure
    tournament: bool
    ante: Chips
    bring_in: Chips | None
    """``None`` where it is not known, or where the game has none."""
    small_bet: Chips
    """Spread limit: the smallest wager. Pot-limit and no-limit: the smallest bet."""
    big_bet: Chips
    """Spread limit: the largest wager."""
    seats: Annotated[list[SeatRecord], Field(max_length=100)]
    actions: Annotated[list[ActionRecord], Field(max_length=5000)]
    expect: ResultRecord | None
    """``None`` where the source tells no result."""
    cards: dict[SeatText, list[CardText]]
    """Each seat's own cards in the order dealt, as far as they ever became known."""
    tags: list[str] = []
    note: str = ""
    variant: Annotated[str, StringConstraints(max_length=100)] = ""
    """The game's variant, for a record that tells its house rules."""
    house: Annotated[dict[str, Switch], Field(max_length=100)] | None = None
    """House rules other than the defaults; ``None`` where the source does not tell them."""
    dealer: SeatNumber | None = None
    """Seat of the dealer position; ``None`` for a house dealer, or where it is not told."""
    wild: Annotated[list[KnownCard], Field(max_length=52)] | None = None
    """The cards that were wild at the end."""


def parse_record(record: Mapping[str, object]) -> HandRecord:
    """Check one hand in its JSON form.

    Raises:
        BadInput: says which field is wrong, and how.
    """
    try:
        return HandRecord.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the record"
        raise BadInput(f"{place[:100]}: {first['msg'][:200]}") from None
    except RecursionError:
        raise BadInput("the record: nested too deeply") from None
