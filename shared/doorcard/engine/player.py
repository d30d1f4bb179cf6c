"""Somebody dealt into a hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from doorcard.cards import Card
from doorcard.tables import OpenCard

T = TypeVar("T")


def copier(cls: type[T], slots: tuple[str, ...], **instead: str) -> Callable[[T], T]:
    """Compile a function that copies every slot, or sets it to another expression of ``old``.

    It is as fast as lines written by hand, and cannot forget a field.
    """
    values = {name: f"old.{name}" for name in slots} | instead
    lines = "".join(f"    new.{name} = {value}\n" for name, value in values.items())
    scope: dict[str, object] = {"cls": cls, "make": object.__new__}
    exec(f"def copy(old):\n    new = make(cls)\n{lines}    return new\n", scope)  # noqa: S102
    return cast("Callable[[T], T]", scope["copy"])


class Player:
    """Somebody dealt into the hand."""

    __slots__ = (
        "acted", "bet", "declared", "down", "folded", "full_then", "level_then", "seat", "shown",
        "stack", "total", "up", "up_places",
    )  # fmt: skip

    seat: int
    stack: int
    """Chips behind. All-in: live with a stack of 0."""
    bet: int
    """Contribution to this betting round; antes are no part of it (R4.3)."""
    total: int
    """Contribution to the hand, antes included."""
    folded: bool
    acted: bool
    """Has acted in this round (R6.4)."""
    level_then: int
    """The level to match right after this player's last action of the round (R9.5)."""
    full_then: int
    """The level of the last full wager at that moment (R9.5)."""
    up: tuple[Card, ...]
    """Upcards in the order received (R2.8)."""
    up_places: tuple[int, ...]
    """Their deck indices."""
    declared: str
    """``high``, ``low`` or ``both``; empty before it is known (R16)."""
    down: tuple[int, ...]
    """Deck indices of the downcards in the order received."""
    shown: tuple[OpenCard, ...]
    """Downcards that everybody has seen."""

    def __init__(self, seat: int, stack: int) -> None:
        self.seat = seat
        self.stack = stack
        self.bet = self.total = self.level_then = self.full_then = 0
        self.folded = self.acted = False
        self.up = ()
        self.up_places = ()
        self.declared = ""
        self.down = ()
        self.shown = ()


copy_player = copier(Player, Player.__slots__)
