"""The .phh standard for hand histories: reading and writing.

``write_phh`` writes a hand of ours; ``read_phh`` reads any stud hand of the standard's, and the
games that it lacks in our own spelling, into the JSON form of a hand.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from typing import Final, cast

from doorcard.cards import BadCard
from doorcard.errors import BadInput
from doorcard.formats.phh_play import Play, Record, Setting, read_cards
from doorcard.formats.phh_write import CODES, write_phh
from doorcard.formats.streets import streets_in_force
from doorcard.games import GAMES, Game
from doorcard.limits import CHIPS_MAX, Scalar

__all__ = ["read_all_phh", "read_phh", "write_phh"]

ACTIONS_MAX: Final = 5000
_GAMES: Final = {code: game for game, code in CODES.items()}


def read_all_phh(text: str) -> list[Record]:
    """Read a file of one hand, or of many under numbered headings.

    Raises:
        BadInput: as ``read_phh``; a file of many says which hand.
    """
    fields = _toml(text)
    if not fields or not all(isinstance(value, dict) for value in fields.values()):
        return [_hand(fields)]
    hands: list[Record] = []
    for name, value in fields.items():
        try:
            hands.append(_hand(_table(value)))
        except BadInput as error:
            raise BadInput(f"[{name}] {error}") from None
    return hands


def read_phh(text: str) -> Record:
    """Read one hand into the JSON form of a hand.

    Raises:
        BadInput: no TOML, no hand of the standard, a game that is not played here, fractions, or
            an action that nobody could take.
    """
    return _hand(_toml(text))


def _toml(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"this is not a .phh file: {error}") from None
    except (RecursionError, ValueError):
        raise BadInput("this is not a .phh file") from None


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise BadInput("this is no table of fields")
    return cast("dict[str, object]", value)


def _list(fields: Mapping[str, object], name: str) -> list[object]:
    values = fields.get(name, [])
    if not isinstance(values, list):
        raise BadInput(f"{name}: this is no list")
    return cast("list[object]", values)


def _hand(fields: Mapping[str, object]) -> Record:
    variant = fields.get("variant")
    if not isinstance(variant, str) or not variant:
        raise BadInput("variant: missing, so this is no hand")
    game = GAMES.get(_GAMES.get(variant, variant))
    if game is None:
        raise BadInput(f"variant: there is no game {variant[:40]!r} here")
    setting = _setting(fields, game)
    actions = _list(fields, "actions")
    if not 0 < len(actions) <= ACTIONS_MAX:
        raise BadInput("actions: missing, or too many")
    play = Play(setting)
    for place, action in enumerate(actions, 1):
        if not isinstance(action, str):
            raise BadInput(f"actions: the {_ordinal(place)} is no text")
        try:
            words, _, comment = action.partition("#")
            play.take(words.split(), comment.strip())
        except (BadInput, BadCard) as error:
            raise BadInput(f"actions: the {_ordinal(place)}, {action[:60]!r}: {error}") from None
    play.end()
    _learn_cards(fields.get("_cards"), play)
    return _record(fields, setting, play)


def _ordinal(place: int) -> str:
    return f"{place}th" if place > 3 else ("1st", "2nd", "3rd")[place - 1]


def _setting(fields: Mapping[str, object], game: Game) -> Setting:
    stacks = _integers(fields, "starting_stacks", least=1)
    if not stacks:
        raise BadInput("starting_stacks: missing, so this is no hand")
    antes = _integers(fields, "antes")
    if len(antes) != len(stacks) or len(set(antes)) > 1:
        raise BadInput("antes: stud is played with one ante for everybody")
    if any(_integers(fields, "blinds_or_straddles")):
        raise BadInput("blinds_or_straddles: stud has none")
    structure = fields.get("_structure", "fixed_limit")
    if not isinstance(structure, str):
        raise BadInput("_structure: this is no betting structure")
    least = _integer(fields, "min_bet")
    house = _house(fields)
    actual = house.get("short_bring_in_price") == "actual"
    variant = fields.get("_variant", "")
    if not isinstance(variant, str):
        raise BadInput("_variant: this is no variant")
    return Setting(
        game,
        structure,
        antes[0] if antes else 0,
        _integer(fields, "bring_in"),
        _integer(fields, "small_bet") or least,
        _integer(fields, "big_bet") or least,
        _seat_numbers(fields, len(stacks)),
        stacks,
        "_game" in fields and not actual,
        streets_in_force(game, variant, house),
    )


def _house(fields: Mapping[str, object]) -> dict[str, Scalar]:
    """The house rules that a file of ours tells; an empty table stands for none at all."""
    house: dict[str, Scalar] = {}
    for name, value in _table(fields.get("_house", {})).items():
        if value == {}:
            house[name] = None
        elif isinstance(value, list):
            house[name] = tuple(_chips(name, price, 0) for price in cast("list[object]", value))
        elif isinstance(value, (str, int)):
            house[name] = value
        else:
            raise BadInput(f"_house: {name[:40]} cannot be this")
    return house


def _seat_numbers(fields: Mapping[str, object], players: int) -> list[int]:
    """The seats in deal order, which must be clockwise."""
    seats = _integers(fields, "seats") or list(range(1, players + 1))
    turned = seats.index(min(seats))
    clockwise = seats[turned:] + seats[:turned]
    if len(seats) != players or clockwise != sorted(set(seats)):
        raise BadInput("seats: these are not the seats of the players clockwise")
    return seats


def _integers(fields: Mapping[str, object], name: str, *, least: int = 0) -> list[int]:
    return [_chips(name, value, least) for value in _list(fields, name)]


def _integer(fields: Mapping[str, object], name: str) -> int:
    return _chips(name, fields.get(name, 0), 0)


def _chips(name: str, value: object, least: int) -> int:
    if type(value) is not int or not least <= value <= CHIPS_MAX:
        raise BadInput(f"{name}: {str(value)[:40]} is not a whole number of chips")
    return value


# --- result ----------------------------------------------------------------------------------


def _learn_cards(late: object, play: Play) -> None:
    if late is None:
        return
    seats = play.seat_indices()
    named = _table(late)
    for seat in named:
        if seat not in seats:
            raise BadInput("_cards: this names no seat of the hand")
        cards = _list(named, seat)
        try:
            play.learn(seats[seat], read_cards("".join(map(str, cards))))
        except BadCard as error:
            raise BadInput(f"_cards: {error}") from None


def _record(fields: Mapping[str, object], setting: Setting, play: Play) -> Record:
    order = sorted(range(len(setting.seats)), key=lambda index: setting.seats[index])
    record: Record = {
        "id": _id(fields),
        "game": setting.game.id,
        "structure": setting.structure,
        "tournament": False,
        "ante": setting.ante,
        "bring_in": setting.bring_in,
        "small_bet": setting.small_bet,
        "big_bet": setting.big_bet,
        "seats": [{"seat": setting.seats[i], "stack": setting.stacks[i]} for i in order],
        "actions": play.actions,
        "expect": _expect(fields, setting, play),
        "cards": {str(setting.seats[i]): play.cards[i] for i in order},
        "tags": [],
    }
    if "_game" in fields:  # a file of ours tells everything
        record["house"] = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in _house(fields).items()
        }
    for name in ("variant", "dealer", "wild"):
        if f"_{name}" in fields:
            record[name] = fields[f"_{name}"]
    return record


def _id(fields: Mapping[str, object]) -> str:
    named = fields.get("_id")
    if isinstance(named, str) and named:
        return named[:200]
    parts: Iterable[object] = (fields.get("table"), fields.get("hand"))
    return "-".join(str(part)[:90] for part in parts if part is not None) or "phh"


def _expect(fields: Mapping[str, object], setting: Setting, play: Play) -> Record | None:
    """The result as far as the file tells it: final stacks, and the pots in our own files."""
    if "finishing_stacks" not in fields:
        return None
    finals = _integers(fields, "finishing_stacks")
    if len(finals) != len(setting.stacks):
        raise BadInput("finishing_stacks: one is needed for each player")
    rake = sum(setting.stacks) - sum(finals)
    if rake < 0:
        raise BadInput("finishing_stacks: more chips left the hand than came to it")
    return {
        "pot": play.put_in,
        "rake": _integer(fields, "_rake") if "_rake" in fields else rake,
        "collected": fields.get("_collected"),
        "final_stacks": {
            str(seat): final for seat, final in zip(setting.seats, finals, strict=True)
        },
    }
