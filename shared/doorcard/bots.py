"""Simple players: pure functions from what may be done and a source of chance to what is done.

They look at no cards, so they can sit at any table. All of their chance comes from the generator
that is given, so the same seed plays the same hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Final, TypeAlias, cast

from doorcard.commands import Act, ActionName, Choice
from doorcard.engine.choices import Choices
from doorcard.engine.options import Legal, Wager

Bot: TypeAlias = Callable[[Legal, Random], Act]
"""A player: what it does with these options."""


def uniform(options: Legal, chance: Random) -> Act:
    """Do anything legal: every action is as likely as any other, and so is every amount of it."""
    action = chance.choice(_actions(options))
    wager = options.wager
    if wager is not None and action == wager.kind:
        return _act(options, action, _any_amount(wager, chance))
    return _act(options, action)


def calling(options: Legal, chance: Random) -> Act:
    """Fold one time in ten when folding is offered, raise one time in five, else check or call.

    A raise is any wager, of the smallest amount; the bring-in is posted like a call.
    """
    if options.fold and chance.random() < 0.1:
        return _act(options, "fold")
    if options.wager is not None and chance.random() < 0.2:
        return _act(options, options.wager.kind, options.wager.low)
    return _act(options, _passive(options))


def bold(options: Legal, chance: Random) -> Act:
    """Bet and raise as high as is legal whenever it is, otherwise check or call; never fold."""
    if options.wager is not None:
        return _act(options, options.wager.kind, options.wager.high)
    return _act(options, _passive(options))


def choice_of(
    options: Choices, seat: int, down: Sequence[int], up: Sequence[int], chance: Random
) -> tuple[Choice, int | None, str]:
    """Answer a choice that is no bet, any way that is legal: (choice, place, direction).

    Args:
        options: the choice that is due.
        seat: who answers.
        down: deck indices of the seat's downcards.
        up: deck indices of its upcards.
        chance: where all of the bot's chance comes from.
    """
    choice = cast("Choice", chance.choice(options.answers))
    if choice == "declare":
        return choice, None, chance.choice(options.directions)
    if choice == "roll":
        return choice, chance.choice(down), ""
    return choice, chance.choice((*down, *up)) if choice == "buy" else None, ""


def _actions(options: Legal) -> list[ActionName]:
    actions: list[ActionName] = []
    if options.fold:
        actions.append("fold")
    actions.append(_passive(options))
    if options.wager is not None:
        actions.append(options.wager.kind)
    return actions


def _passive(options: Legal) -> ActionName:
    """The way to stay in without a wager; there always is one."""
    if options.bring_in is not None:
        return "bring_in"
    return "check" if options.check else "call"


def _any_amount(wager: Wager, chance: Random) -> int:
    return chance.choice(wager.totals) if wager.totals else chance.randint(wager.low, wager.high)


def _act(options: Legal, action: ActionName, to: int | None = None) -> Act:
    return Act(options.seat, options.decision, action, to)


BOTS: Final[Mapping[str, Bot]] = MappingProxyType(
    {"uniform": uniform, "calling": calling, "bold": bold}
)
"""All characters by name."""
