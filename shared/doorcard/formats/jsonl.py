"""Hand histories as JSON lines, one object a hand: reading any, and writing our own.

The form of an object is that of ``doorcard.formats.record``. Our own hands also tell the variant,
the dealer position and the house rules in force, so that they can be played again exactly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from doorcard.cards import Card
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.errors import BadInput
from doorcard.formats.history import HandHistory, Step
from doorcard.formats.streets import street_numbers
from doorcard.limits import Limits, smallest_bet

LINE_CHARS_MAX: Final = 5_000_000
"""A longer line is not read as a hand."""
WAGERS: Final = ("complete", "bet", "raise")


class Line(NamedTuple):
    """One line of a file, read or refused."""

    number: int
    """1 for the first line."""
    record: dict[str, object] | None
    problem: str = ""
    """Why the line holds no record."""


def read_jsonl(path: Path) -> Iterator[Line]:
    """Read a file of hands line by line. A bad line is told of and does not end the reading.

    Raises:
        BadInput: the file cannot be read, is not text, or is empty.
    """
    for number, line in text_lines(path):
        record: dict[str, object] | None = None
        problem = ""
        if len(line) > LINE_CHARS_MAX:
            problem = "the line is too long to be a hand"
        else:
            try:
                record = parse_line(line)
            except BadInput as error:
                problem = str(error)
        yield Line(number, record, problem)


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file that are not blank, with their numbers.

    Raises:
        BadInput: the file cannot be read, is not text, or has no such line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: this is not a text file") from None
    if "\0" in text:
        raise BadInput(f"{path}: this is not a text file")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise BadInput(f"{path}: the file is empty")
    yield from lines


def parse_line(line: str) -> dict[str, object]:
    """Read one line of JSON.

    Raises:
        BadInput: it is cut off, no JSON, no object, or names a field twice.
    """
    try:
        value: object = json.loads(line, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except RecursionError:
        raise BadInput("this is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"this is not whole JSON: {error.msg}, column {error.colno}") from None
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(f"this is not JSON that a hand can be in: {error}") from None
    if not isinstance(value, dict):
        raise BadInput("this is not a JSON object")
    return cast("dict[str, object]", value)


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in pairs:
        if name in fields:
            raise BadInput(f"field {name[:40]!r} is there twice")
        fields[name] = value
    return fields


def _no_constant(name: str) -> object:
    raise BadInput(f"{name} is not a number of chips")


# --- writing ---------------------------------------------------------------------------------


def export_jsonl(history: HandHistory) -> dict[str, object]:
    """One of our own hands as the object that a line holds.

    Raises:
        BadInput: the hand was void.
    """
    if history.voided is not None:
        raise BadInput(f"hand {history.hand} was void: it has no result to write")
    spec = history.spec
    rules = ruleset(spec)
    seats = sorted(history.seats)
    record: dict[str, object] = {
        "id": hand_id(history),
        "game": spec.game,
        "structure": spec.limits.structure,
        "tournament": False,
        "ante": spec.limits.ante,
        "bring_in": rules.bring_in,
        "small_bet": bet_sizes(spec.limits)[0],
        "big_bet": bet_sizes(spec.limits)[1],
        "seats": [{"seat": seat.seat, "stack": seat.stack} for seat in seats],
        "actions": _actions(history, rules),
        "expect": {
            "pot": history.pot,
            "rake": history.rake,
            "collected": collected(history),
            "final_stacks": {str(seat.seat): seat.final for seat in seats},
        },
        "cards": {str(seat.seat): texts(seat.cards) for seat in seats},
        "tags": list(_tags(history)),
    }
    if spec.house:
        settings = ", ".join(f"{name}={value}" for name, value in spec.house)
        record["note"] = f"house rules: {settings}"
    return {**record, **told_rules(history)}


def told_rules(history: HandHistory) -> dict[str, object]:
    """What a hand was played by, beside game and stakes: the rest follows from these."""
    rules = ruleset(history.spec)
    house = dict(history.spec.house)
    if rules.buy_prices:  # their default follows from stakes that this form does not hold
        house["buy_price"] = rules.buy_prices
    told: dict[str, object] = {}
    if history.spec.variant:
        told["variant"] = history.spec.variant
    told["house"] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in house.items()
    }
    if history.dealer is not None:
        told["dealer"] = history.dealer
    if rules.any_wild:
        told["wild"] = [str(card) for card in history.wild]
    return told


def hand_id(history: HandHistory) -> str:
    """A hand's name in files: its table and number."""
    return f"{history.table}-{history.hand}"


def bet_sizes(limits: Limits) -> tuple[int, int]:
    """What the two sizes of the form hold: fixed sizes, the spread, or twice the smallest bet."""
    if limits.structure == "fixed_limit":
        return limits.small_bet, limits.big_bet
    if limits.structure == "spread_limit":
        return limits.spread_min, limits.spread_max
    return smallest_bet(limits), smallest_bet(limits)


def collected(history: HandHistory) -> list[dict[str, object]]:
    """Who got how much of which pot."""
    return [
        {"seat": seat, "amount": chips, "pot": f"side{number}" if number else "main", "part": part}
        for number, pot in enumerate(history.pots)
        for seat, part, chips in pot.shares
    ]


def _actions(history: HandHistory, rules: Ruleset) -> list[dict[str, object]]:
    numbers = (0, *street_numbers(rules.streets))
    actions: list[dict[str, object]] = []
    wagered: set[tuple[int, int]] = set()
    for step in history.steps:
        action = _action(step, numbers)
        if step.what in WAGERS:
            # The form's names: the first money above the bring-in completes, whatever its size,
            # and whatever stands over another wager is a raise.
            first = "complete" if step.street == 1 and rules.bring_in else "bet"
            action["a"] = "raise" if (step.street, step.round) in wagered else first
            wagered.add((step.street, step.round))
        actions.append(action)
    return actions


def _action(step: Step, numbers: Sequence[int]) -> dict[str, object]:
    if step.what == "community":
        return {"a": "community", "card": _text(step.up[0])}
    action: dict[str, object] = {"a": step.what}
    if step.what == "deal":
        action["street"] = numbers[step.street]
    action["seat"] = step.seat
    return {**action, **_FIELDS.get(step.what, _bet)(step)}


def _bet(step: Step) -> dict[str, object]:
    fields: dict[str, object] = {"amount": step.amount, "to": step.to, "all_in": step.all_in}
    return {**fields, "round": step.round} if step.round > 1 else fields


def _nothing(_step: Step) -> dict[str, object]:
    return {}


def _payment(step: Step) -> dict[str, object]:
    return {"amount": step.amount, "all_in": step.all_in}


def _purchase(step: Step) -> dict[str, object]:
    (card,) = step.up or step.down
    face = "up" if step.up else "down"
    cards = {"discard": _text(step.discard), "card": _text(card)}
    return {**_payment(step), "place": step.place, "face": face, **cards}


_FIELDS: Final[Mapping[str, Callable[[Step], dict[str, object]]]] = {
    "ante": _payment,
    "dead_ante": _payment,
    "deal": lambda step: {"down": texts(step.down), "up": texts(step.up)},
    "uncalled": lambda step: {"amount": step.amount},
    "show": lambda step: {"cards": texts(step.shown)},
    "muck": _nothing,
    "roll": lambda step: {"place": step.place, "card": _text(step.up[0])},
    "buy": _purchase,
    "take": _payment,
    "match": _payment,
    "decline": _nothing,
    "declare": lambda step: {"direction": step.direction},
}
"""What an action says beside its name and seat; all others are bets."""


def texts(cards: Iterable[Card | None]) -> list[str]:
    """Cards as they are written, ``??`` for one that is not known."""
    return [_text(card) for card in cards]


def _text(card: Card | None) -> str:
    return "??" if card is None else str(card)


def _tags(history: HandHistory) -> Iterator[str]:
    """What is special about a hand, for those who look for examples."""
    whats = {step.what for step in history.steps}
    paid: set[Any] = {seat for pot in history.pots for seat, _, _ in pot.shares}
    parts = {part for pot in history.pots for _, part, _ in pot.shares}
    facts = {
        f"players_{len(history.seats)}": True,
        "heads_up": len(history.seats) == 2,
        "showdown": bool(whats & {"show", "muck"}),
        "no_showdown": not whats & {"show", "muck"},
        "all_in": any(step.all_in and step.street for step in history.steps),
        "all_in_ante": any(step.all_in and not step.street for step in history.steps),
        "uncalled": "uncalled" in whats,
        "raked": history.rake > 0,
        "side_pot": len(history.pots) > 1,
        "several_winners": len(paid) > 1,
        "hilo_split": "low" in parts,
        "spade_split": "spade" in parts,
        "rolled": "roll" in whats,
        "bought": "buy" in whats,
        "matched": "match" in whats,
        "declared": "declare" in whats,
        "community_river": "community" in whats,
        "mucked_at_showdown": "muck" in whats,
        "all_cards_known": all(None not in seat.cards for seat in history.seats),
    }
    return (tag for tag, holds in facts.items() if holds)
