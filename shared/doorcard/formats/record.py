"""The JSON form of one finished hand, ours or another house's: every field, checked strictly.

One object a hand holds seats, stacks, cards, actions and result, nothing about people. Amounts
are whole chips; a card is rank then suit, ``??`` where it is not known. Fields that are not
named here, wrong types, fractions, strings for numbers and amounts out of range are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from doorcard.errors import BadInput
from doorcard.limits import CHIPS_MAX, Structure

CardText = Annotated[str, StringConstraints(pattern=r"^([2-9TJQKA][cdhs]|\?\?)$")]
Chips = Annotated[int, Field(ge=0, le=CHIPS_MAX)]
SeatNumber = Annotated[int, Field(ge=0, le=9999)]
SeatText = Annotated[str, StringConstraints(pattern=r"^(0|[1-9][0-9]{0,3})$")]
"""A seat's number as the key of an object."""
StreetNumber = Annotated[int, Field(ge=2, le=7)]
"""The cards that a player holds after the street: 3 to 7, or 2 to 5 in five-card games."""


class Model(BaseModel):
    """What all parts of a record share."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SeatRecord(Model):
    """A seat that was dealt in."""

    seat: SeatNumber
    stack: Annotated[int, Field(ge=1, le=CHIPS_MAX)]
    """Chips before the ante."""


class AnteRecord(Model):
    """One seat's ante."""

    a: Literal["ante"]
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
    part: Literal["all", "high", "low"]


class ResultRecord(Model):
    """How the hand ended."""

    pot: Chips
    """Everything put in, less the uncalled part."""
    rake: Chips
    collected: list[CollectedRecord] | None
    """``None`` where the source tells the final stacks only."""
    final_stacks: dict[SeatText, Chips]


ActionRecord = Annotated[
    AnteRecord
    | DealRecord
    | CommunityRecord
    | BetRecord
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
