"""Writes hands in the .phh standard (poker hand histories in TOML), as PokerKit reads them.

Players are named ``p1``, ``p2`` … in deal order. Seven-card stud, razz and high-low
eight-or-better in fixed limit have codes of their own there. Hands that the standard's variants
cannot follow, and games that it lacks, are written in the same notation under our own game's
name. Fields that begin with an underscore are ours: what a reader of the standard would lose.
So are actions whose verb does, which stand under our own names only::

    d _dh p1 4 ?? 4d        cards of the street at which players hold 4: down (- for none), up
    d _round                another betting round on the same street
    p1 _dead 5              a dead ante
    p1 _roll 2 7c           card 2 (0 is the first one dealt) turned up
    p1 _buy 10 0 down ?? ?? 10 paid: card 0, which lay down, thrown away for the last one named
    p1 _take 5              5 paid for an extra card; p1 _match 40 for an upcard
    p1 _decline             no card wanted at its price
    p1 _declare low         as it was opened
    p1 _show AhKc           cards shown before the showdown
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, cast

from doorcard.cards import Card
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.errors import BadInput
from doorcard.formats.history import HandHistory, Step
from doorcard.formats.jsonl import bet_sizes, collected, hand_id, texts, told_rules
from doorcard.formats.phh_rules import beyond_standard
from doorcard.formats.streets import DealOrder, street_numbers

CODES: Final = MappingProxyType(
    {"seven_card_stud": "F7S", "stud_high_low_8": "F7S/8", "razz": "FR"}
)
"""The standard's codes of our games."""
OPENING_CALL: Final = "calls a bring-in of nothing"
"""R5.8: the first call over a bring-in that its owner had no chips for is one in the standard."""
NO_CARDS: Final = "-"


def write_phh(history: HandHistory) -> str:
    """One of our own hands as the text of a ``.phh`` file.

    Raises:
        BadInput: the hand was void.
    """
    if history.voided is not None:
        raise BadInput(f"hand {history.hand} was void: it has no result to write")
    fields = ((key, value) for key, value in _fields(history) if value is not None)
    return "".join(f"{key} = {_toml(value)}\n" for key, value in fields)


def _fields(history: HandHistory) -> Iterator[tuple[str, object]]:
    spec = history.spec
    limits = spec.limits
    rules = ruleset(spec)
    code = CODES.get(spec.game)
    beyond = beyond_standard(history) if code else "a game that the standard lacks"
    told = told_rules(history)
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
    yield "actions", list(_actions(history, rules, own=bool(beyond)))
    yield "hand", history.hand
    yield "seats", [seat.seat for seat in history.seats]
    yield "seat_count", history.table_seats
    yield "table", history.table
    yield "players", [seat.player for seat in history.seats]
    yield "finishing_stacks", [seat.final for seat in history.seats]
    yield "_id", hand_id(history)
    yield "_game", spec.game
    yield "_structure", limits.structure
    yield "_variant", told.get("variant")
    yield "_dealer", told.get("dealer")
    yield "_house", told["house"] or None
    yield "_wild", told.get("wild")
    yield "_beyond_standard", beyond or None
    yield "_rake", history.rake
    yield "_collected", collected(history)
    yield "_cards", _late_cards(history)


def _actions(history: HandHistory, rules: Ruleset, *, own: bool) -> Iterator[str]:
    """The actions in the standard's notation; ``own``: with the verbs that are only ours."""
    names = {seat.seat: f"p{place}" for place, seat in enumerate(history.seats, 1)}
    order = DealOrder(rules.streets)
    numbers = street_numbers(rules.streets)
    opened = False
    last = (0, 1)
    shared: list[Card] = []
    for step in history.steps:
        name = names[step.seat] if step.seat is not None else ""
        if step.what == "community":
            shared += step.up
            if len(shared) == len(rules.streets[step.street - 1].deal):
                yield f"d db {_joined(shared)}"
                shared.clear()
        elif step.what == "deal" and not rules.plain_deal:
            faces = f"{_joined(step.down) or NO_CARDS} {_joined(step.up) or NO_CARDS}"
            yield f"d _dh {name} {numbers[step.street - 1]} {faces}"
        elif step.what == "deal":
            cards = order.sorted(step.street, step.seat or 0, step.down, step.up)
            yield f"d dh {name} {_joined(cards)}"
        elif step.what in _BETS:
            if last < (step.street, step.round) and step.round > 1:
                yield "d _round"
            last = (step.street, step.round)
            first = step.what == "call" and step.street == 1 and not opened
            opened = opened or step.what not in ("check", "fold")
            yield f"{name} pb # {OPENING_CALL}" if first else f"{name} {_BETS[step.what](step)}"
        elif step.what == "muck" or (step.what == "show" and _is_final(step, history)):
            yield f"{name} sm {_joined(step.shown)}".rstrip()
        elif own and step.what in _OWN:
            yield f"{name} {_OWN[step.what](step)}".rstrip()


def _wager(step: Step) -> str:
    return f"cbr {step.to}"


_BETS: Final[Mapping[str, Callable[[Step], str]]] = {
    "complete": _wager,
    "bet": _wager,
    "raise": _wager,
    "bring_in": lambda _: "pb",
    "call": lambda _: "cc",
    "check": lambda _: "cc",
    "fold": lambda _: "f",
}
_OWN: Final[Mapping[str, Callable[[Step], str]]] = {
    "dead_ante": lambda step: f"_dead {step.amount}",
    "roll": lambda step: f"_roll {step.place} {_joined(step.up)}",
    "buy": lambda step: (
        f"_buy {step.amount} {step.place} {'up' if step.up else 'down'}"
        f" {_joined((step.discard,))} {_joined(step.up or step.down)}"
    ),
    "take": lambda step: f"_take {step.amount}",
    "match": lambda step: f"_match {step.amount}",
    "decline": lambda _: "_decline",
    "declare": lambda step: f"_declare {step.direction}",
    "show": lambda step: f"_show {_joined(step.shown)}",
}
"""What the standard has no words for."""


def _is_final(step: Step, history: HandHistory) -> bool:
    """Whether a hand is shown at the showdown: the standard has no cards exposed early."""
    seat = next(seat for seat in history.seats if seat.seat == step.seat)
    return step.street == len(ruleset(history.spec).streets) and len(step.shown) == len(seat.cards)


def _late_cards(history: HandHistory) -> Mapping[str, list[str]] | None:
    """Cards that this viewer came to know otherwise than by a deal or at the showdown."""
    order = DealOrder(ruleset(history.spec).streets)
    known: dict[int, list[Card | None]] = {seat.seat: [] for seat in history.seats}
    for step in history.steps:
        if step.seat is None:
            continue
        held = known[step.seat]
        if step.what == "deal":
            held += order.sorted(step.street, step.seat, step.down, step.up)
        elif step.what in ("roll", "buy") and step.place is not None:
            (held[step.place],) = step.up or step.down
        elif step.what == "show" and _is_final(step, history):
            held[:] = step.shown
    late = {
        str(seat.seat): texts(seat.cards)
        for seat in history.seats
        if list(seat.cards) != known[seat.seat]
    }
    return late or None


def _joined(cards: Iterable[Card | None]) -> str:
    return "".join(texts(cards))


# --- TOML ------------------------------------------------------------------------------------


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value is None:
        return "{}"
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
