"""Reads files of lines and tries each line: a vector, or a hand that was really played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from doorcard.cards import BadCard
from doorcard.games import GAMES
from tests.conformance import kinds_betting as betting
from tests.conformance import kinds_cards as cards
from tests.conformance import kinds_deck as deck
from tests.conformance import kinds_hand as hands
from tests.conformance import kinds_money as money
from tests.conformance import kinds_turns as turns
from tests.conformance import schemas
from tests.conformance.support import KNOWN_GAMES, Malformed, Unsupported

Source = Literal["vector", "hand"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, not looked at yet."""

    source: Source
    where: str
    """File and line number."""
    id: str
    text: str


class Kind(NamedTuple):
    """How lines of one kind are read and tried."""

    given: TypeAdapter[Any]
    expect: TypeAdapter[Any]
    run: Callable[[Any], object]


def _kind(given: type, expect: type, run: Callable[[Any], object]) -> Kind:
    return Kind(TypeAdapter(given), TypeAdapter(expect), run)


KINDS: Final[dict[str, Kind]] = {
    "compare": _kind(schemas.CompareGiven, schemas.Ranked, cards.compare),
    "board": _kind(schemas.BoardGiven, schemas.Ranked, cards.board),
    "award": _kind(schemas.AwardGiven, schemas.Award, cards.award),
    "wild_set": _kind(schemas.WildSetGiven, schemas.WildSet, cards.wild_set),
    "bring_in": _kind(schemas.BringInGiven, schemas.SeatOnly, turns.bring_in),
    "first_to_act": _kind(schemas.FirstToActGiven, schemas.FirstToAct, turns.first_to_act),
    "showdown_order": _kind(schemas.ShowdownOrderGiven, schemas.Order, turns.showdown_order),
    "declare_order": _kind(schemas.DeclareOrderGiven, schemas.Order, turns.declare_order),
    "deal_order": _kind(schemas.DealOrderGiven, schemas.DealOrder, turns.deal_order),
    "next_dealer": _kind(schemas.NextDealerGiven, schemas.NextDealer, turns.next_dealer),
    "actions": _kind(schemas.ActionsGiven, schemas.Actions, betting.actions),
    "timeout": _kind(schemas.TimeoutGiven, schemas.Timeout, betting.timeout),
    "pots": _kind(schemas.PotsGiven, schemas.Pots, money.pots),
    "uncalled": _kind(schemas.UncalledGiven, schemas.Uncalled, money.uncalled),
    "rake": _kind(schemas.RakeGiven, schemas.Rake, money.rake),
    "void": _kind(schemas.VoidGiven, schemas.Void, money.void),
    "exhaustion": _kind(schemas.ExhaustionGiven, schemas.Exhaustion, deck.exhaustion),
    "hand": _kind(schemas.HandGiven, schemas.HandResult, hands.hand),
}
"""Every kind of vector."""
_OBJECT: Final = TypeAdapter(dict[str, object])
_VECTOR: Final = TypeAdapter(schemas.Vector)


def read_lines(path: Path, source: Source) -> list[Line]:
    """The lines of a file. A file that cannot be read or holds nothing is one line that fails."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return [Line(source, str(path), path.name, f"cannot be read: {error}")]
    lines = [
        Line(source, f"{path}:{number}", _id_of(row) or f"{path.name}:{number}", row)
        for number, row in enumerate(text.splitlines(), 1)
        if row.strip()
    ]
    return lines or [Line(source, str(path), path.name, "holds no line at all")]


def _id_of(text: str) -> str:
    """The id of a line that has one: the test is named by it."""
    try:
        return str(_object(text).get("id", ""))
    except ValueError:
        return ""


def _object(text: str) -> dict[str, object]:
    """The JSON object in a line.

    Raises:
        ValueError: it is something else.
    """
    return _OBJECT.validate_json(text, strict=True)


def try_line(line: Line) -> None:
    """Try one line.

    Raises:
        AssertionError: the product answers something else.
        Malformed: the line is not what its kind must look like.
        Unsupported: the line needs something that the product does not have.
    """
    try:
        value = _object(line.text)
    except ValueError:
        raise Malformed(f"{line.where}: not one JSON object: {line.text[:80]}") from None
    if line.source == "vector":
        _try_vector(line.where, value)
    else:
        _try_hand(line.where, value)


def _try_vector(where: str, value: object) -> None:
    try:
        vector = _VECTOR.validate_python(value)
        kind = _kind_of(vector["kind"])
        given = kind.given.validate_python(vector["given"])
        expect: object = kind.expect.validate_python(vector["expect"])
        got = kind.run(given)
    except (Malformed, ValidationError, BadCard) as error:
        raise Malformed(f"{where}: malformed: {error}") from None
    assert got == expect, f"{where}: {vector['id']} ({', '.join(vector['rules'])})"


def _kind_of(name: str) -> Kind:
    if name not in KINDS:
        raise Malformed(f"there is no kind {name!r}")
    return KINDS[name]


def _try_hand(where: str, record: dict[str, object]) -> None:
    audit_hand = import_module("doorcard.audit.foreign").audit_hand
    verdict = audit_hand(record)
    game = record.get("game")
    if game in KNOWN_GAMES and game not in GAMES:
        raise Unsupported(str(game), verdict.reason)
    assert verdict.verdict == "agree", f"{where}: {verdict.id}: {verdict.verdict}: {verdict.reason}"
