"""Plays a golden hand and writes down all of it: events, and what everybody sees of them.

The text is made here from nothing but the file's header and its commands, through the same library
calls that a player's program makes. See README.md for how to read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from doorcard.cards import Card
from doorcard.commands import ActionName, Choice, Leave, SitOut, VoidHand
from doorcard.engine.reducer import fold, stamp
from doorcard.engine.table import NO_CHAIN, Table
from doorcard.event_types import AUTHORS
from doorcard.events import Event
from doorcard.limits import Limits, Scalar, Structure
from doorcard.local import LocalTable
from doorcard.testing import StackedDeck, stacked_table
from doorcard.views import AUDITOR, SPECTATOR, Viewer, event_text, render, view

COMMAND = "> "
HEADINGS = ("game", "variant", "limits", "house", "seats", "players", "dealer", "deck")


@dataclass(frozen=True)
class Script:
    """What a golden hand is made from."""

    title: str
    header: Mapping[str, str]
    commands: tuple[str, ...]

    @property
    def game(self) -> str:
        return self.header["game"]

    @property
    def variant(self) -> str:
        return self.header["variant"]


def read_script(text: str) -> Script:
    """The header and the commands of a golden hand; everything else is made from them."""
    head, _, _ = text.partition("\n\n")
    title, *lines = head.splitlines()
    header = dict(cast("tuple[str, str]", line.split(": ", 1)) for line in lines)
    assert tuple(header) == HEADINGS, f"the header names {tuple(header)}"
    commands = [line[len(COMMAND) :] for line in text.splitlines() if line.startswith(COMMAND)]
    return Script(title, header, tuple(commands))


def written(script: Script) -> str:
    """The whole text of a golden hand."""
    lines = [script.title, *(f"{name}: {value}" for name, value in script.header.items())]
    for block in _blocks(script):
        lines += ["", *block]
    return "\n".join(lines) + "\n"


def deck_of(script: Script) -> StackedDeck:
    """The cards as the header gives them; the draw for the deal is won by the dealer named."""
    places = sorted(_players(script))
    drawn = [str(Card(number)) for number in range(len(places))]
    if script.header["dealer"] != "house":
        drawn[places.index(int(script.header["dealer"]))] = "As"
    return StackedDeck(script.header["deck"], button_cards=drawn)


def _blocks(script: Script) -> Iterator[list[str]]:
    deck = deck_of(script)
    table = stacked_table(
        script.game,
        deck,
        variant=script.variant,
        limits=_limits(script.header["limits"]),
        house=_house(script.header["house"]),
        seats=int(script.header["seats"]),
    )
    for seat, (player, chips) in _players(script).items():
        table.sit(player, chips, seat)
    opened = dict(enumerate(deck.cards))
    now = _at_rest(table)
    for command in script.commands:
        before = len(table.commits)
        _carry_out(table, command)
        yield [f"{COMMAND}{command}"]
        for events in table.commits[before:]:
            now = _folded(now, events)
            yield [*_commit(now, events, opened)]
    assert now == table.table, "the commits fold to another table"
    yield ["auditor", *_rows("|", render(view(now, AUDITOR, opened)))]


def _players(script: Script) -> dict[int, tuple[str, int]]:
    """``0=ann:100 2=bob:40``."""
    found: dict[int, tuple[str, int]] = {}
    for word in script.header["players"].split():
        seat, _, rest = word.partition("=")
        name, _, chips = rest.partition(":")
        found[int(seat)] = (name, int(chips))
    return found


def _limits(text: str) -> Limits:
    values = dict(word.split("=") for word in text.split())
    structure = cast("Structure", values.pop("structure", "fixed_limit"))
    return Limits(structure, **{name: int(value) for name, value in values.items()})


def _house(text: str) -> dict[str, Scalar]:
    if text == "-":
        return {}
    found = {name: json.loads(value) for name, value in (word.split("=") for word in text.split())}
    return {
        name: tuple(cast("list[int]", value)) if isinstance(value, list) else value
        for name, value in found.items()
    }


def _carry_out(table: LocalTable, command: str) -> None:
    """``deal``, ``2 raise 20``, ``2 roll 7c``, ``time out``, ``leave 2``, ``void flooded`` …"""
    words = command.split()
    if words == ["deal"]:
        table.deal()
    elif words == ["time", "out"]:
        table.time_out()
    elif words[0] == "leave":
        seat = int(words[1])
        table.do(Leave(seat, table.table.seats[seat].player, "golden"))
    elif words[:2] == ["sit", "out"]:
        seat = int(words[2])
        table.do(SitOut(seat, table.table.seats[seat].player))
    elif words[0] == "void":
        table.do(VoidHand(" ".join(words[1:])))
    elif table.choices is not None:
        _choose(table, int(words[0]), cast("Choice", words[1]), "".join(words[2:]))
    else:
        asked, action, *to = words
        options = table.legal
        assert options is not None, f"{command}: nobody is asked"
        assert options.seat == int(asked), f"{command}: seat {options.seat} is asked"
        table.act(cast("ActionName", action), int(to[0]) if to else None)


def _choose(table: LocalTable, seat: int, choice: Choice, of_what: str) -> None:
    """``2 roll 7c``, ``2 buy Kd``, ``2 decline``, ``2 declare high``."""
    if choice == "declare":
        table.choose(choice, direction=of_what, seat=seat)
    else:
        table.choose(choice, of_what or None, seat=seat)


def _at_rest(table: LocalTable) -> Table:
    now = Table()
    for events in table.commits:
        now = _folded(now, events)
    return now


def _folded(before: Table, events: Sequence[Event]) -> Table:
    after = fold(before, events)
    stamp(after, asked_before=before.decision, seq=before.seq + 1, chain=NO_CHAIN, time_ms=0)
    return after


def _commit(now: Table, events: Sequence[Event], opened: Mapping[int, Card]) -> Iterator[str]:
    """The log's events, what a spectator is told and sees, and where each seat's view differs."""
    yield f"commit {now.seq} {AUTHORS[type(events[0])][0]}"
    for event in events:
        yield json.dumps({"event": type(event).__name__, **_fields(event)})
    heard = _heard(now, events, SPECTATOR, opened)
    seen = render(view(now, SPECTATOR, opened, events)).splitlines()
    yield from _rows(".", "\n".join(heard))
    yield from _rows("|", "\n".join(seen))
    for seat in sorted(now.seats):
        yield from _differing(f"{seat}.", heard, _heard(now, events, seat, opened))
        mine = render(view(now, seat, opened, events)).splitlines()
        yield from _differing(f"{seat}|", seen, mine)


def _heard(
    now: Table, events: Sequence[Event], viewer: Viewer, opened: Mapping[int, Card]
) -> list[str]:
    names = {seat.seat: seat.player for seat in now.seats.values()}
    return [text for event in events if (text := event_text(event, viewer, opened, names))]


def _differing(mark: str, public: Sequence[str], mine: Sequence[str]) -> Iterator[str]:
    """Lines that are not the spectator's; the line of one's own options is the only one added."""
    common = [line for line in mine if line in public]
    own = [line for line in mine if line not in public]
    added = [line for line in own if " may " in line]
    assert len(added) <= 1, added
    assert len(common) + len(own) - len(added) == len(public), "a line of the public view is gone"
    for line in own:
        yield f"{mark} {line}".rstrip()


def _rows(mark: str, text: str) -> list[str]:
    return [f"{mark} {line}".rstrip() for line in text.splitlines()]


def _fields(event: Event) -> dict[str, object]:
    return {name: _json(value) for name, value in zip(event._fields, event, strict=True)}


def _json(value: object) -> object:
    """Everything that is in the log, unlike a view: bytes as hexadecimals."""
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        names = cast("tuple[str, ...] | None", getattr(items, "_fields", None))
        if names is not None:
            return {name: _json(item) for name, item in zip(names, items, strict=True)}
        return [_json(item) for item in items]
    return value
