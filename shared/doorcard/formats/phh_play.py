"""Follows the actions of a .phh hand, and writes them down in the JSON form of a hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from doorcard.cards import Card
from doorcard.errors import BadInput
from doorcard.formats.phh_write import NO_CARDS, OPENING_CALL
from doorcard.formats.streets import DealOrder, street_numbers
from doorcard.games import Game, Street

UNKNOWN: Final = "??"
Record = dict[str, object]


class Setting(NamedTuple):
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
    streets: tuple[Street, ...]


class Play:
    """Follows the actions and writes them down in the JSON form."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._deals = [street.deal for street in setting.streets]
        self._numbers = street_numbers(setting.streets)
        self._order = DealOrder(setting.streets)
        players = len(setting.seats)
        self.actions: list[Record] = []
        self.cards: list[list[str]] = [[] for _ in range(players)]
        self.stacks = list(setting.stacks)
        self.put_in = 0
        self._street = 0
        self._new: dict[int, list[str]] = {}
        """Cards of the street that is being dealt."""
        self._bets = [0] * players
        self._live = [True] * players
        self._wagers = 0
        self._round = 1
        self._forced = 0
        """The price that a bring-in posted short leaves standing."""
        self._post_antes()

    def take(self, words: Sequence[str], comment: str) -> None:
        """One action, as the words of its notation and what is said about it."""
        match words:
            case []:
                pass
            case ["d", "db", cards]:
                self._common(cards)
            case ["d", "dh", player, cards]:
                self._deal(self._player(player), cards)
            case [player, "pb"]:
                self._dealt()
                self._bring_in(self._player(player), called=comment == OPENING_CALL)
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
            case ["d", "_dh", player, number, down, up]:
                self._some_cards(self._player(player), number, down, up)
            case ["d", "_round"]:
                self._next_round()
            case [player, verb, *details] if verb.startswith("_"):
                self._close()
                self._own(self._player(player), verb[1:], details)
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
        new = read_cards(cards)
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
        new = read_cards(cards)
        self._close()
        self._open()
        for card in new:
            self.actions.append({"a": "community", "card": card})

    def _some_cards(self, index: int, number: str, down: str, up: str) -> None:
        """Cards of a street that may be dealt in several parts, with extra cards."""
        self._close()
        if not number.isdecimal() or int(number) not in self._numbers:
            raise BadInput(f"there is no street {number[:20]!r}")
        street = self._numbers.index(int(number)) + 1
        if street != self._street:
            self._open()
        if street != self._street:
            raise BadInput("the streets are out of order")
        downs, ups = ([] if text == NO_CARDS else read_cards(text) for text in (down, up))
        self.cards[index] += self._order.sorted(street, index, downs, ups)
        deal: Record = {"a": "deal", "street": int(number), "seat": self._seat(index)}
        self.actions.append({**deal, "down": downs, "up": ups})

    def _open(self) -> None:
        if self._street == len(self._deals):
            raise BadInput("there is no street left to be dealt")
        self._street += 1
        self._bets = [0] * len(self._bets)
        self._wagers = self._forced = 0
        self._round = 1

    def _next_round(self) -> None:
        self._close()
        self._bets = [0] * len(self._bets)
        self._wagers = self._forced = 0
        self._round += 1

    def _dealt(self) -> None:
        """Write down the cards of the street, in the order in which seats first got one."""
        if not self._street:
            raise BadInput("no cards are dealt yet")
        letters = self._deals[self._street - 1]
        number = self._numbers[self._street - 1]
        for index, cards in self._new.items():
            if len(cards) < len(letters):
                raise BadInput(f"p{index + 1} has not been dealt all cards of the street")
            sides: dict[str, list[str]] = {"d": [], "u": []}
            for letter, card in zip(letters, cards, strict=True):
                sides[letter].append(card)
            self.cards[index] += cards
            deal: Record = {"a": "deal", "street": number, "seat": self._seat(index)}
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
            back: Record = {"a": "uncalled", "seat": self._seat(index), "amount": top - second}
            self.actions.append(back)

    # --- chips ---

    def _bring_in(self, index: int, *, called: bool) -> None:
        if self._street != 1 or any(self._bets):
            raise BadInput("no bring-in is due")
        amount = min(self.stacks[index], self._setting.bring_in)
        if self._setting.full_price or called:
            self._forced = self._setting.bring_in
        self._note("call" if called else "bring_in", index, amount)

    def _wager(self, index: int, text: str) -> None:
        amount = _whole(text) - self._bets[index]
        if not 0 < amount <= self.stacks[index]:
            raise BadInput("the player has no such chips")
        opening = self._street == 1 and self._setting.bring_in
        first = "complete" if opening else "bet"
        self._note("raise" if self._wagers else first, index, amount)
        self._wagers += 1

    def _call(self, index: int) -> None:
        others = [other for other, live in enumerate(self._live) if live and other != index]
        price = max(self._bets)
        if self._forced > price and any(self.stacks[other] for other in others):
            price = self._forced
        amount = min(self.stacks[index], max(0, price - self._bets[index]))
        self._note("call" if amount else "check", index, amount)

    def _note(self, name: str, index: int, amount: int) -> None:
        self.stacks[index] -= amount
        self._bets[index] += amount
        self.put_in += amount
        action: Record = {
            "a": name,
            "seat": self._seat(index),
            "amount": amount,
            "to": self._bets[index],
            "all_in": amount > 0 and not self.stacks[index],
        }
        self.actions.append({**action, "round": self._round} if self._round > 1 else action)

    # --- what the standard has no words for ---

    def _own(self, index: int, verb: str, details: Sequence[str]) -> None:
        match verb, details:
            case "dead", [amount]:
                self._pay("dead_ante", index, amount)
            case "roll", [place, card]:
                self._replace(index, place, card)
                self._choice("roll", index, place=int(place), card=card)
            case "buy", [amount, place, "up" | "down" as face, discard, card]:
                self.learn(index, [*[UNKNOWN] * self._place(index, place), *read_cards(discard)])
                self._replace(index, place, card)
                self._pay("buy", index, amount)
                self.actions[-1].update(place=int(place), face=face, discard=discard, card=card)
            case (("take" | "match"), [amount]):
                self._pay(verb, index, amount)
            case "decline", []:
                self._choice("decline", index)
            case "declare", [direction]:
                self._choice("declare", index, direction=direction)
            case "show", [cards]:
                self._show(index, cards)
            case _:
                raise BadInput("this is no action of a stud hand")

    def _choice(self, name: str, index: int, **details: object) -> None:
        self.actions.append({"a": name, "seat": self._seat(index), **details})

    def _pay(self, name: str, index: int, text: str) -> None:
        """Dead money: no contribution to the round (R12.5)."""
        amount = _whole(text)
        if amount > self.stacks[index]:
            raise BadInput("the player has no such chips")
        self.stacks[index] -= amount
        self.put_in += amount
        self._choice(name, index, amount=amount, all_in=amount > 0 and not self.stacks[index])

    def _place(self, index: int, text: str) -> int:
        if not re.fullmatch("[0-9]{1,2}", text, re.ASCII) or int(text) >= len(self.cards[index]):
            raise BadInput(f"the player holds no card {text[:20]!r}")
        return int(text)

    def _replace(self, index: int, place: str, text: str) -> None:
        (card,) = read_cards(text)[:1]
        self.cards[index][self._place(index, place)] = card

    def _show(self, index: int, text: str) -> None:
        cards = list(self.cards[index]) if text == "-" else read_cards(text)
        self.learn(index, cards)
        self.actions.append({"a": "show", "seat": self._seat(index), "cards": cards})


def _whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,16}", text, re.ASCII):
        raise BadInput(f"{text[:20]!r} is not a whole number of chips")
    return int(text)


def read_cards(text: str) -> list[str]:
    """Cards written one after another, unknown ones as ``??``.

    Raises:
        BadInput: this is no text of two characters a card; ``BadCard`` if one is no card.
    """
    if not text or len(text) % 2:
        raise BadInput("these are no cards")
    cards = [text[place : place + 2] for place in range(0, len(text), 2)]
    for card in cards:
        if card != UNKNOWN:
            Card(card)
    return cards
