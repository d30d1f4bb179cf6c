"""The .phh standard for hand histories: reading and writing.

``write_phh`` writes a hand of ours; ``read_phh`` reads any stud hand of the standard's, and the
games that it lacks in our own spelling, into the JSON form of a hand.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from doorcard.cards import BadCard, Card
from doorcard.errors import BadInput
from doorcard.formats.phh_write import CODES, write_phh
from doorcard.games import GAMES, Game
from doorcard.limits import CHIPS_MAX

__all__ = ["read_all_phh", "read_phh", "write_phh"]

UNKNOWN: Final = "??"
ACTIONS_MAX: Final = 5000
_GAMES: Final = {code: game for game, code in CODES.items()}
_Record = dict[str, object]


def read_all_phh(text: str) -> list[_Record]:
    """Read a file of one hand, or of many under numbered headings.

    Raises:
        BadInput: as ``read_phh``; a file of many says which hand.
    """
    fields = _toml(text)
    if not fields or not all(isinstance(value, dict) for value in fields.values()):
        return [_hand(fields)]
    hands: list[_Record] = []
    for name, value in fields.items():
        try:
            hands.append(_hand(_table(value)))
        except BadInput as error:
            raise BadInput(f"[{name}] {error}") from None
    return hands


def read_phh(text: str) -> _Record:
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
    return value


def _hand(fields: Mapping[str, object]) -> _Record:
    variant = fields.get("variant")
    if not isinstance(variant, str) or not variant:
        raise BadInput("variant: missing, so this is no hand")
    game = GAMES.get(_GAMES.get(variant, variant))
    if game is None:
        raise BadInput(f"variant: there is no game {variant[:40]!r} here")
    setting = _setting(fields, game)
    actions = fields.get("actions")
    if not isinstance(actions, list) or not actions or len(actions) > ACTIONS_MAX:
        raise BadInput("actions: missing, or too many")
    play = _Play(setting)
    for place, action in enumerate(actions, 1):
        if not isinstance(action, str):
            raise BadInput(f"actions: the {_ordinal(place)} is no text")
        try:
            play.take(action.partition("#")[0].split())
        except (BadInput, BadCard) as error:
            raise BadInput(f"actions: the {_ordinal(place)}, {action[:60]!r}: {error}") from None
    play.end()
    _learn_cards(fields.get("_cards"), play)
    return _record(fields, setting, play)


def _ordinal(place: int) -> str:
    return f"{place}th" if place > 3 else ("1st", "2nd", "3rd")[place - 1]


class _Setting(NamedTuple):
    """What was played for, and by whom."""

    game: Game
    structure: str
    ante: int
    bring_in: int
    small_bet: int
    big_bet: int
    seats: list[int]
    stacks: list[int]
    full_price: bool
    """A bring-in posted short costs the others the full one (R5.7): so it is in our own files."""


def _setting(fields: Mapping[str, object], game: Game) -> _Setting:
    stacks = _integers(fields, "starting_stacks", least=1)
    antes = _integers(fields, "antes")
    if len(antes) != len(stacks) or len(set(antes)) > 1:
        raise BadInput("antes: stud is played with one ante for everybody")
    if any(_integers(fields, "blinds_or_straddles")):
        raise BadInput("blinds_or_straddles: stud has none")
    structure = fields.get("_structure", "fixed_limit")
    if not isinstance(structure, str):
        raise BadInput("_structure: this is no betting structure")
    least = _integer(fields, "min_bet")
    house = fields.get("_house", {})
    actual = isinstance(house, dict) and house.get("short_bring_in_price") == "actual"
    return _Setting(
        game,
        structure,
        antes[0] if antes else 0,
        _integer(fields, "bring_in"),
        _integer(fields, "small_bet") or least,
        _integer(fields, "big_bet") or least,
        _seat_numbers(fields, len(stacks)),
        stacks,
        "_game" in fields and not actual,
    )


def _seat_numbers(fields: Mapping[str, object], players: int) -> list[int]:
    """The seats in deal order, which must be clockwise."""
    seats = _integers(fields, "seats") or list(range(1, players + 1))
    turned = seats.index(min(seats))
    clockwise = seats[turned:] + seats[:turned]
    if len(seats) != players or clockwise != sorted(set(seats)):
        raise BadInput("seats: these are not the seats of the players clockwise")
    return seats


def _integers(fields: Mapping[str, object], name: str, *, least: int = 0) -> list[int]:
    values = fields.get(name, [])
    if not isinstance(values, list):
        raise BadInput(f"{name}: this is no list")
    return [_chips(name, value, least) for value in values]


def _integer(fields: Mapping[str, object], name: str) -> int:
    return _chips(name, fields.get(name, 0), 0)


def _chips(name: str, value: object, least: int) -> int:
    if type(value) is not int or not least <= value <= CHIPS_MAX:
        raise BadInput(f"{name}: {str(value)[:40]} is not a whole number of chips")
    return value


# --- actions ---------------------------------------------------------------------------------


class _Play:
    """Follows the actions and writes them down in the JSON form."""

    def __init__(self, setting: _Setting) -> None:
        self._setting = setting
        self._deals = [street.deal for street in setting.game.streets]
        players = len(setting.seats)
        self.actions: list[_Record] = []
        self.cards: list[list[str]] = [[] for _ in range(players)]
        self.stacks = list(setting.stacks)
        self.put_in = 0
        self._street = 0
        self._new: dict[int, list[str]] = {}
        """Cards of the street that is being dealt."""
        self._bets = [0] * players
        self._live = [True] * players
        self._wagers = 0
        self._forced = 0
        """The price that a bring-in posted short leaves standing."""
        self._post_antes()

    def take(self, words: Sequence[str]) -> None:
        """One action, as the words of its notation."""
        match words:
            case []:
                pass
            case ["d", "db", cards]:
                self._common(cards)
            case ["d", "dh", player, cards]:
                self._deal(self._player(player), cards)
            case [player, "pb"]:
                self._dealt()
                self._bring_in(self._player(player))
            case [player, "cbr", amount]:
                self._dealt()
                self._wager(self._player(player), amount)
            case [player, "cc"]:
                self._dealt()
                self._call(self._player(player))
            case [player, "f"]:
                self._dealt()
                index = self._player(player)
                self._live[index] = False
                self._note("fold", index, 0)
            case [player, "sm"]:
                self._close()
                self.actions.append({"a": "muck", "seat": self._seat(self._player(player))})
            case [player, "sm", cards]:
                self._close()
                self._show(self._player(player), cards)
            case _:
                raise BadInput("this is no action of a stud hand")

    def end(self) -> None:
        """Nothing follows: a last street may have been dealt without any action."""
        self._close()

    def seat_indices(self) -> dict[str, int]:
        """The players by the numbers of their seats."""
        return {str(seat): index for index, seat in enumerate(self._setting.seats)}

    def learn(self, index: int, cards: Sequence[str]) -> None:
        """Cards of a player that became known later."""
        held = self.cards[index]
        if len(cards) > len(held):
            raise BadInput(f"p{index + 1} was not dealt {len(cards)} cards")
        for place, card in enumerate(cards):
            if held[place] == UNKNOWN:
                held[place] = card
            elif card not in (UNKNOWN, held[place]):
                raise BadInput(f"p{index + 1} holds {held[place]}, not {card}")

    def _post_antes(self) -> None:
        for index, stack in enumerate(self.stacks):
            amount = min(stack, self._setting.ante)
            if amount:
                self.stacks[index] -= amount
                self.put_in += amount
                all_in = not self.stacks[index]
                self.actions.append(
                    {"a": "ante", "seat": self._seat(index), "amount": amount, "all_in": all_in}
                )

    def _seat(self, index: int) -> int:
        return self._setting.seats[index]

    def _player(self, name: str) -> int:
        found = re.fullmatch(r"p([1-9][0-9]?)", name, re.ASCII)
        if found is None or int(found[1]) > len(self._bets):
            raise BadInput(f"there is no player {name[:20]!r}")
        return int(found[1]) - 1

    # --- cards ---

    def _deal(self, index: int, cards: str) -> None:
        new = _cards(cards)
        held = self._new.get(index)
        if held is None or len(held) == len(self._deals[self._street - 1]):
            if held is not None or not self._new:
                self._close()
                self._open()
            held = self._new.setdefault(index, [])
        held += new
        if len(held) > len(self._deals[self._street - 1]):
            raise BadInput("too many cards for this street")

    def _common(self, cards: str) -> None:
        new = _cards(cards)
        self._close()
        self._open()
        for card in new:
            self.actions.append({"a": "community", "card": card})

    def _open(self) -> None:
        if self._street == len(self._deals):
            raise BadInput("there is no street left to be dealt")
        self._street += 1
        self._bets = [0] * len(self._bets)
        self._wagers = self._forced = 0

    def _dealt(self) -> None:
        """Write down the cards of the street, in the order in which seats first got one."""
        if not self._street:
            raise BadInput("no cards are dealt yet")
        letters = self._deals[self._street - 1]
        number = sum(map(len, self._deals[: self._street]))
        for index, cards in self._new.items():
            if len(cards) < len(letters):
                raise BadInput(f"p{index + 1} has not been dealt all cards of the street")
            sides: dict[str, list[str]] = {"d": [], "u": []}
            for letter, card in zip(letters, cards, strict=True):
                sides[letter].append(card)
            self.cards[index] += cards
            deal: _Record = {"a": "deal", "street": number, "seat": self._seat(index)}
            self.actions.append({**deal, "down": sides["d"], "up": sides["u"]})
        self._new = {}

    def _close(self) -> None:
        """The street is over: what nobody matched goes back."""
        if self._new:
            self._dealt()
        top = max(self._bets)
        index = self._bets.index(top)
        second = max(self._bets[:index] + self._bets[index + 1 :], default=0)
        if top > second:
            self._bets[index] = second
            self.stacks[index] += top - second
            self.put_in -= top - second
            back: _Record = {"a": "uncalled", "seat": self._seat(index), "amount": top - second}
            self.actions.append(back)

    # --- chips ---

    def _bring_in(self, index: int) -> None:
        if self._street != 1 or any(self._bets):
            raise BadInput("no bring-in is due")
        amount = min(self.stacks[index], self._setting.bring_in)
        if self._setting.full_price:
            self._forced = self._setting.bring_in
        self._note("bring_in", index, amount)

    def _wager(self, index: int, text: str) -> None:
        if not re.fullmatch(r"[0-9]{1,16}", text, re.ASCII):
            raise BadInput(f"{text[:20]!r} is not a whole number of chips")
        amount = int(text) - self._bets[index]
        if not 0 < amount <= self.stacks[index]:
            raise BadInput("the player has no such chips")
        opening = self._street == 1 and self._setting.bring_in
        first = "complete" if opening else "bet"
        self._note("raise" if self._wagers else first, index, amount)
        self._wagers += 1

    def _call(self, index: int) -> None:
        others = [
            other for other, live in enumerate(self._live) if live and other != index
        ]
        price = max(self._bets)
        if self._forced > price and any(self.stacks[other] for other in others):
            price = self._forced
        amount = min(self.stacks[index], max(0, price - self._bets[index]))
        self._note("call" if amount else "check", index, amount)

    def _note(self, name: str, index: int, amount: int) -> None:
        self.stacks[index] -= amount
        self._bets[index] += amount
        self.put_in += amount
        self.actions.append(
            {
                "a": name,
                "seat": self._seat(index),
                "amount": amount,
                "to": self._bets[index],
                "all_in": amount > 0 and not self.stacks[index],
            }
        )

    def _show(self, index: int, text: str) -> None:
        cards = list(self.cards[index]) if text == "-" else _cards(text)
        self.learn(index, cards)
        self.actions.append({"a": "show", "seat": self._seat(index), "cards": cards})


def _cards(text: str) -> list[str]:
    if not text or len(text) % 2:
        raise BadInput("these are no cards")
    cards = [text[place : place + 2] for place in range(0, len(text), 2)]
    for card in cards:
        if card != UNKNOWN:
            Card(card)
    return cards


# --- result ----------------------------------------------------------------------------------


def _learn_cards(late: object, play: _Play) -> None:
    if late is None:
        return
    seats = play.seat_indices()
    for seat, cards in _table(late).items():
        if seat not in seats or not isinstance(cards, list):
            raise BadInput("_cards: this names no seat of the hand")
        play.learn(seats[seat], _cards("".join(map(str, cards))))


def _record(fields: Mapping[str, object], setting: _Setting, play: _Play) -> _Record:
    order = sorted(range(len(setting.seats)), key=lambda index: setting.seats[index])
    return {
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


def _id(fields: Mapping[str, object]) -> str:
    named = fields.get("_id")
    if isinstance(named, str) and named:
        return named[:200]
    parts: Iterable[object] = (fields.get("table"), fields.get("hand"))
    return "-".join(str(part)[:90] for part in parts if part is not None) or "phh"


def _expect(fields: Mapping[str, object], setting: _Setting, play: _Play) -> _Record | None:
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
