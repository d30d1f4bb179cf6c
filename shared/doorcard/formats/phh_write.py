"""Writes hands in the .phh standard (poker hand histories in TOML), as PokerKit reads them.

Players are named ``p1``, ``p2`` … in deal order. Seven-card stud, razz and high-low
eight-or-better in fixed limit have codes of their own there. Hands that the standard's variants
cannot follow, and games that it lacks, are written in the same notation under our own game's
name. Fields that begin with an underscore are ours: what a reader of the standard would lose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, cast

from doorcard.engine.ruleset import ruleset
from doorcard.errors import BadInput
from doorcard.formats.history import Cards, HandHistory, Step
from doorcard.formats.jsonl import bet_sizes, collected, hand_id
from doorcard.formats.phh_rules import beyond_standard

CODES: Final = MappingProxyType(
    {"seven_card_stud": "F7S", "stud_high_low_8": "F7S/8", "razz": "FR"}
)
"""The standard's codes of our games."""
OPENING_CALL: Final = "calls a bring-in of nothing"
"""R5.8: the first call over a bring-in that its owner had no chips for is one in the standard."""


def write_phh(history: HandHistory) -> str:
    """One of our own hands as the text of a ``.phh`` file.

    Raises:
        BadInput: the hand was void, or has a dead ante, which the standard cannot say.
    """
    if history.voided is not None:
        raise BadInput(f"hand {history.hand} was void: it has no result to write")
    if any(step.what == "dead_ante" for step in history.steps):
        raise BadInput(f"hand {history.hand} has a dead ante, which the standard cannot say")
    fields = ((key, value) for key, value in _fields(history) if value is not None)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in fields)


def _fields(history: HandHistory) -> Iterator[tuple[str, object]]:
    spec = history.spec
    limits = spec.limits
    rules = ruleset(spec)
    code = CODES.get(spec.game)
    beyond = beyond_standard(history) if code else "a game that the standard lacks"
    yield "variant", spec.game if beyond or code is None else code
    yield "ante_trimming_status", True
    yield "antes", [limits.ante] * len(history.seats)
    if rules.bring_in:
        yield "bring_in", rules.bring_in
    small, big = bet_sizes(limits)
    if rules.structure == "big_bet":
        yield "min_bet", small
    else:
        yield "small_bet", small
        yield "big_bet", big
    yield "starting_stacks", [seat.stack for seat in history.seats]
    yield "actions", list(_actions(history))
    yield "hand", history.hand
    yield "seats", [seat.seat for seat in history.seats]
    yield "seat_count", history.table_seats
    yield "table", history.table
    yield "players", [seat.player for seat in history.seats]
    yield "finishing_stacks", [seat.final for seat in history.seats]
    yield "_id", hand_id(history)
    yield "_game", spec.game
    yield "_structure", limits.structure
    yield "_house", dict(spec.house) or None
    yield "_beyond_standard", beyond or None
    yield "_rake", history.rake
    yield "_collected", collected(history)
    yield "_cards", _late_cards(history)


def _actions(history: HandHistory) -> Iterator[str]:
    names = {seat.seat: f"p{place}" for place, seat in enumerate(history.seats, 1)}
    opened = False
    for step in history.steps:
        name = names.get(step.seat) if step.seat is not None else None
        if step.what == "community":
            yield f"d db {_joined(step.up)}"
        elif step.what == "deal":
            yield f"d dh {name} {_joined((*step.down, *step.up))}"
        elif step.what in ("complete", "bet", "raise"):
            opened = True
            yield f"{name} cbr {step.to}"
        elif step.what == "bring_in":
            opened = True
            yield f"{name} pb"
        elif step.what == "call" and step.street == 1 and not opened:
            opened = True
            yield f"{name} pb # {OPENING_CALL}"
        elif step.what in ("call", "check"):
            yield f"{name} cc"
        elif step.what == "fold":
            yield f"{name} f"
        elif step.what == "muck" or (step.what == "show" and _is_final(step, history)):
            yield f"{name} sm {_joined(step.shown)}".rstrip()


def _is_final(step: Step, history: HandHistory) -> bool:
    """Whether a hand is shown at the showdown: cards exposed early are in ``_cards`` alone."""
    seat = next(seat for seat in history.seats if seat.seat == step.seat)
    return step.street == len(ruleset(history.spec).streets) and len(step.shown) == len(seat.cards)


def _late_cards(history: HandHistory) -> Mapping[str, list[str]] | None:
    """Cards that this viewer came to know otherwise than by a deal or at the showdown."""
    known: dict[int, list[object]] = {seat.seat: [] for seat in history.seats}
    for step in history.steps:
        if step.what == "deal" and step.seat is not None:
            known[step.seat] += [*step.down, *step.up]
        elif step.what == "show" and step.seat is not None and _is_final(step, history):
            known[step.seat] = list(step.shown)
    late = {
        str(seat.seat): [_card(card) for card in seat.cards]
        for seat in history.seats
        if list(seat.cards) != known[seat.seat]
    }
    return late or None


def _joined(cards: Cards) -> str:
    return "".join(map(_card, cards))


def _card(card: object) -> str:
    return "??" if card is None else str(card)


# --- TOML ------------------------------------------------------------------------------------


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value is None:
        return '"none"'
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return "{" + ", ".join(f"{_string(k)} = {_toml(v)}" for k, v in fields.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, cast("list[object]", value))) + "]"
    raise TypeError(f"{value!r} has no form in TOML here")


def _string(text: str) -> str:
    """A basic string: control characters and what UTF-8 cannot hold are escaped or replaced."""
    parts: list[str] = []
    for letter in text:
        if letter in '"\\':
            parts.append("\\" + letter)
        elif ord(letter) < 32 or ord(letter) == 127:
            parts.append(f"\\u{ord(letter):04X}")
        else:
            parts.append("\N{REPLACEMENT CHARACTER}" if 0xD800 <= ord(letter) < 0xE000 else letter)
    return '"' + "".join(parts) + '"'
