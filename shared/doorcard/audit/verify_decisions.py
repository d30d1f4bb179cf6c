"""Every decision made again: what the decider would have answered, against what the log says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from doorcard.audit.differences import first_difference
from doorcard.audit.verify_deck import RecordedDeck, deck_for
from doorcard.audit.verify_showdown import check_showdown
from doorcard.commands import (
    Act,
    ActionName,
    AddChips,
    CloseTable,
    FloorCommand,
    Leave,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
    SitIn,
    SitOut,
    TimeOut,
    VoidHand,
)
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.dealer import NO_SECRETS, HandSecrets
from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.errors import BadLog, Refused
from doorcard.events import (
    BetMade,
    BringInPosted,
    Called,
    Checked,
    ChipsAdded,
    Completed,
    Dealt,
    Event,
    Folded,
    HandStarted,
    HandVoided,
    LeaveAsked,
    Raised,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
    TablePaused,
    TableResumed,
)
from doorcard.fairness.deck import FairDeck
from doorcard.streams.commit import Commit
from doorcard.tables import Role

_NOBODY_ASKED: Final = re.compile(r"(timer|wake)-\d+")
"""The cause of a betting commit that no player asked for: the time was up."""
_ACTIONS: Final[dict[type[Event], ActionName]] = {
    BringInPosted: "bring_in",
    Completed: "complete",
    BetMade: "bet",
    Raised: "raise",
    Called: "call",
    Checked: "check",
    Folded: "fold",
}


def check_decision(table: Table, commit: Commit, deck: FairDeck | None) -> None:
    """Decide again what a commit decided.

    Args:
        table: the table before the commit.
        deck: the hand's real deck, where it is known; for a hand that the commit begins too.

    Raises:
        BadLog: the decider refuses, or decides otherwise; says the first difference.
    """
    _CHECKS[commit.role](table, commit, deck)


def with_own_words(table: Table, commit: Commit) -> Commit:
    """A commit as it would repeat this table: a hand begins with its snapshot and chain hash.

    What is wrong in a commit shows in the next hand's beginning too, and is not that hand's fault.
    """
    first = commit.events[0]
    if not isinstance(first, HandStarted):
        return commit
    outcome = dealer.decide(table, RecordedDeck(commit.events))
    if not isinstance(outcome, Decided) or not isinstance(outcome.events[0], HandStarted):
        return commit
    ours = outcome.events[0]
    first = first._replace(chain=ours.chain, snapshot=ours.snapshot)
    return commit._replace(events=(first, *commit.events[1:]))


def _check_betting(table: Table, commit: Commit, deck: FairDeck | None) -> None:
    first = commit.events[0]
    action = _ACTIONS.get(type(first))
    if action is None or not isinstance(first, _Action):
        raise BadLog(f"begins with {type(first).__name__}, which is no action")
    if not commit.digest and _NOBODY_ASKED.fullmatch(commit.cause):
        if commit.time_ms < table.deadline_ms:
            raise BadLog(f"takes time from seat {first.seat} before it is up (R18.1)")
        command: Act | TimeOut = TimeOut(table.decision)
    else:
        to = first.to if isinstance(first, Completed | BetMade | Raised) else None
        command = Act(first.seat, table.decision, action, to)
    _compare(commit.events, betting.decide(table, command))


def _check_dealer(table: Table, commit: Commit, deck: FairDeck | None) -> None:
    first = commit.events[0]
    secrets = NO_SECRETS
    if isinstance(first, HandStarted):
        secrets = HandSecrets(first.key_id, first.sealed_seed, first.leaves)
    found = tuple(
        event._replace(sealed=()) if isinstance(event, Dealt) else event for event in commit.events
    )
    _compare(found, dealer.decide(table, deck_for(found, deck), secrets))


def _check_showdown(table: Table, commit: Commit, deck: FairDeck | None) -> None:
    hand = table.hand
    if deck is not None:
        _compare(commit.events, showdown.decide(table, deck))
    elif hand is None or hand.phase != "show":
        raise BadLog("ends a hand that is not ready to be shown")
    else:
        check_showdown(hand, commit.events)


def _check_floor(table: Table, commit: Commit, deck: FairDeck | None) -> None:
    events = commit.events
    first, last = events[0], events[-1]
    if isinstance(first, TableOpened):
        outcome: Decided | Refused = _opened(table, first)
    elif isinstance(last, TableClosed):
        outcome = floor.decide(table, CloseTable())
    else:
        if isinstance(first, SeatLeft) and table.awaited == "floor":
            settled = floor.settle_leavers(table)
            if isinstance(settled, Decided) and settled.events == events:
                return
        request = _REQUESTS.get(type(first))
        if request is None:
            raise BadLog(f"begins with {type(first).__name__}, which nobody can ask for")
        outcome = floor.decide(table, request(table, first))
    _compare(events, outcome)


def _opened(table: Table, event: TableOpened) -> Decided | Refused:
    config = event.config
    spec = config.spec
    command = OpenTable(
        spec.game,
        spec.limits,
        spec.variant,
        spec.house,
        config.seats,
        config.buy_in_min,
        config.buy_in_max,
        config.action_ms,
        config.others,
        config.change,
        config.change_hands,
    )
    if table.config is not None:
        return floor.decide(table, command)
    return floor.open_table(event.table, command)


def _compare(found: tuple[Event, ...], outcome: Decided | Refused) -> None:
    if isinstance(outcome, Refused):
        raise BadLog(f"holds {type(found[0]).__name__}, which is refused: {outcome.sentence}")
    if outcome.events != found:
        raise BadLog(first_difference(found, outcome.events))


def _player(table: Table, seat: int) -> str:
    held = table.seats.get(seat)
    return "" if held is None else held.player


def _leave(table: Table, event: SeatLeft | LeaveAsked) -> Leave:
    return Leave(event.seat, _player(table, event.seat), "")


_Action = BringInPosted | Completed | BetMade | Raised | Called | Checked | Folded
_CHECKS: Final[dict[Role, Callable[[Table, Commit, FairDeck | None], None]]] = {
    "floor": _check_floor,
    "dealer": _check_dealer,
    "betting": _check_betting,
    "showdown": _check_showdown,
}
_REQUESTS: Final[dict[Any, Callable[[Table, Any], FloorCommand]]] = {
    TablePaused: lambda _table, event: PauseTable(event.reason),
    TableResumed: lambda _table, _event: ResumeTable(),
    SeatTaken: lambda _table, event: SitDown(
        event.seat, event.player, event.chips, event.request, event.key
    ),
    SeatLeft: _leave,
    LeaveAsked: _leave,
    SatOut: lambda table, event: SitOut(event.seat, _player(table, event.seat)),
    SatIn: lambda table, event: SitIn(event.seat, _player(table, event.seat)),
    ChipsAdded: lambda table, event: AddChips(
        event.seat, _player(table, event.seat), event.chips, event.request
    ),
    HandVoided: lambda _table, event: VoidHand(event.reason),
}
"""What somebody must have asked for, from the first event that answered it."""
