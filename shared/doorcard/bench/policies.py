"""The two named policies that both engines are driven by, the same choice written for each.

The choice is as short as it can be, so that the engines are measured: both are asked only what a
policy needs to know, and the policy's own time counts on both sides alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from doorcard.commands import Act, ActionName, Choice, Choose
from doorcard.engine.choices import Choices, own_places
from doorcard.engine.options import Legal
from doorcard.engine.table import Table

if TYPE_CHECKING:
    from pokerkit import State

Draw = Callable[[], float]
"""A source of numbers from 0 up to but not including 1."""
Policy = Callable[[Legal, Draw], Act]
"""Chooses an action of ours."""
PokerKitPolicy = Callable[["State", Draw], object]
"""Chooses an action of PokerKit's and carries it out."""

FOLD_SHARE: Final = 0.1
RAISE_BELOW: Final = 0.3
"""``calling``: below 0.1 fold, from there to 0.3 raise, which is one time in five."""


def uniform(options: Legal, draw: Draw) -> Act:
    """Any legal action with the same chance."""
    seat, decision, fold, check, call, bring_in, wager = options
    actions: list[ActionName] = []
    if bring_in is not None:
        actions.append("bring_in")
    if fold:
        actions.append("fold")
    if check:
        actions.append("check")
    if call is not None:
        actions.append("call")
    if wager is not None:
        actions.append(wager.kind)
    action = actions[int(draw() * len(actions))]
    if wager is not None and action == wager.kind:
        return Act(seat, decision, action, wager.low)
    return Act(seat, decision, action)


def calling(options: Legal, draw: Draw) -> Act:
    """Fold one time in ten when offered, raise one in five, else check or call."""
    seat, decision, fold, check, call, _, wager = options
    chance = draw()
    if fold and chance < FOLD_SHARE:
        return Act(seat, decision, "fold")
    if wager is not None and FOLD_SHARE <= chance < RAISE_BELOW:
        return Act(seat, decision, wager.kind, wager.low)
    if check:
        return Act(seat, decision, "check")
    return Act(seat, decision, "bring_in" if call is None else "call")


def any_choice(table: Table, due: Choices, draw: Draw) -> Choose:
    """Any legal answer of the first seat that is asked, with the same chance; none is sealed.

    Both policies choose so: a secret choice is laid open in one process (R16.3, R17.6).
    """
    seat, decision = due.seats[0], due.decision
    choice = cast("Choice", due.answers[int(draw() * len(due.answers))])
    if choice == "declare":
        direction = due.directions[int(draw() * len(due.directions))]
        if due.secret:
            return Choose(seat, decision, choice, sealed=direction.encode())
        return Choose(seat, decision, choice, direction=direction)
    if choice not in ("roll", "buy"):
        return Choose(seat, decision, choice)
    places = own_places(table, seat, down_only=choice == "roll")
    place = places[int(draw() * len(places))]
    if due.secret:
        return Choose(seat, decision, choice, sealed=str(place).encode())
    return Choose(seat, decision, choice, place)


def pokerkit_uniform(state: State, draw: Draw) -> object:
    """Any legal action with the same chance."""
    actions: list[Callable[[], object]] = []
    if state.can_post_bring_in():
        actions.append(state.post_bring_in)
    if state.can_fold():
        actions.append(state.fold)
    if state.can_check_or_call():
        actions.append(state.check_or_call)
    if state.can_complete_bet_or_raise_to():
        actions.append(state.complete_bet_or_raise_to)
    return actions[int(draw() * len(actions))]()


def pokerkit_calling(state: State, draw: Draw) -> object:
    """Fold one time in ten when offered, raise one in five, else check or call."""
    chance = draw()
    if chance < FOLD_SHARE and state.can_fold():
        return state.fold()
    if FOLD_SHARE <= chance < RAISE_BELOW and state.can_complete_bet_or_raise_to():
        return state.complete_bet_or_raise_to()
    if state.can_check_or_call():
        return state.check_or_call()
    return state.post_bring_in()


class Pair(NamedTuple):
    """One policy, for both engines."""

    ours: Policy
    pokerkits: PokerKitPolicy


POLICIES: Final[Mapping[str, Pair]] = MappingProxyType(
    {
        "uniform": Pair(uniform, pokerkit_uniform),
        "calling": Pair(calling, pokerkit_calling),
    }
)
