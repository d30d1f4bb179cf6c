"""A recorded choice that is no bet, as the command that makes it (R16, R17, G11)."""

from __future__ import annotations

from typing import Final

from doorcard.audit.foreign_rounds import Turn
from doorcard.commands import Choice, Choose
from doorcard.engine.choices import Choices
from doorcard.engine.table import Player
from doorcard.formats.record import BuyRecord, DeclareRecord, PaymentRecord


def choice_command(turn: Turn, due: Choices, player: Player, place: int | None) -> Choose | None:
    """The command for a recorded choice, or None where it cannot be made.

    Args:
        place: deck index of the card that is rolled or thrown away.
    """
    action = turn.action
    name = _CHOICES.get(action.a)
    if name is None or name not in due.answers:
        return None
    command = Choose(player.seat, due.decision, name)
    if name == "roll":
        if place is None or place not in player.down:
            return None
        return _secret(command, str(place)) if due.secret else _open(command, place=place)
    if isinstance(action, BuyRecord):
        side = player.up_places if action.face == "up" else player.down
        return _open(command, place=place) if place in side else None
    if isinstance(action, DeclareRecord):
        if action.direction not in due.directions:
            return None
        if due.secret:
            return _secret(command, action.direction)
        return _open(command, direction=action.direction)
    return command


def payment_problem(turn: Turn, due: Choices, player: Player) -> str:
    """Why what the record says was paid is wrong; empty if it is right."""
    action = turn.action
    if not isinstance(action, (BuyRecord, PaymentRecord)):
        return ""
    price = min(due.price, player.stack)
    if action.amount != price:
        return f"the price is {price}, not {action.amount}"
    all_in = price > 0 and price == player.stack
    if action.all_in != all_in:
        return f"this is {'' if all_in else 'not '}all-in; the record says otherwise"
    return ""


def choice_words(turn: Turn) -> str:
    """A recorded choice in words."""
    action = turn.action
    if isinstance(action, DeclareRecord):
        return f"declares {action.direction}"
    if isinstance(action, (BuyRecord, PaymentRecord)):
        return f"{_VERBS[action.a]} {action.amount}"
    return _VERBS[action.a]


def _open(command: Choose, *, place: int | None = None, direction: str = "") -> Choose:
    return Choose(command.seat, command.decision, command.choice, place, direction)


def _secret(command: Choose, choice: str) -> Choose:
    """In one process without keys a sealed choice is its text."""
    return Choose(command.seat, command.decision, command.choice, sealed=choice.encode())


_CHOICES: Final[dict[str, Choice]] = {
    "roll": "roll",
    "buy": "buy",
    "take": "take",
    "decline": "decline",
    "match": "match",
    "fold": "fold",
    "declare": "declare",
}
_VERBS: Final = {
    "roll": "rolls a card", "buy": "buys a card for", "take": "takes a card for",
    "decline": "declines", "match": "matches the pot with", "fold": "folds",
}  # fmt: skip
