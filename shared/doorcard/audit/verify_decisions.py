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
    CallGame,
    Choose,
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
from doorcard.engine.dealer_choices import OpenChoice, decide_choice
from doorcard.engine.decided import Decided, decided
from doorcard.engine.given_time import time_up
from doorcard.engine.table import Table
from doorcard.errors import BadLog, Refused
from doorcard.events import (
    BetMade,
    BringInPosted,
    Called,
    CardBought,
    CardDeclined,
    Checked,
    ChipsAdded,
    Completed,
    Dealt,
    DeclarationMade,
    DeclarationsOpened,
    Declared,
    Event,
    ExtraCardPaid,
    Folded,
    GameCalled,
    HandStarted,
    HandVoided,
    LeaveAsked,
    MatchDeclined,
    PotMatched,
    Raised,
    RollChosen,
    Rolled,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
    TablePaused,
    TableResumed,
    TimeGiven,
)
from doorcard.fairness.deck import FairDeck
from doorcard.streams.commit import Commit
from doorcard.tables import Outages, Role

_NOBODY_ASKED: Final = re.compile(r"(timer|wake)-(\d+)")
"""The cause of a commit that no player asked for: the time was up."""
_ACTIONS: Final[dict[type[Event], ActionName]] = {
    BringInPosted: "bring_in",
    Completed: "complete",
    BetMade: "bet",
    Raised: "raise",
    Called: "call",
    Checked: "check",
    Folded: "fold",
}


def check_decision(
    table: Table, commit: Commit, deck: FairDeck | None, open_choice: OpenChoice | None
) -> None:
    """Decide again what a commit decided.

    Args:
        table: the table before the commit.
        deck: the hand's real deck, where it is known; for a hand that the commit begins too.
        open_choice: opens the hand's secret choices, where that can be done. Where not, what they
            are said to have been must at least have been possible.

    Raises:
        BadLog: the decider refuses, or decides otherwise; says the first difference.
    """
    if open_choice is None:
        open_choice = _as_recorded(commit.events[0])
    _CHECKS[commit.role](table, commit, deck, open_choice)


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


def _as_recorded(event: Event) -> OpenChoice:
    """Opens choices to what an event says that they were."""
    texts: dict[int, str] = {}
    if isinstance(event, Rolled):
        texts = {seat: str(place) for seat, place, _, _ in event.cards}
    elif isinstance(event, DeclarationsOpened):
        texts = dict(event.declarations)
    return lambda seat, _sealed: texts.get(seat, "")


def _check_betting(
    table: Table, commit: Commit, deck: FairDeck | None, open_choice: OpenChoice
) -> None:
    first = commit.events[0]
    if isinstance(first, TimeGiven):
        _check_time_given(table, commit, first)
        return
    command = _time_out(table, commit) or _asked_for(table, first)
    if command is None:
        raise BadLog(f"begins with {type(first).__name__}, which is no action")
    _compare(commit.events, betting.decide(table, command))


def _check_time_given(table: Table, commit: Commit, event: TimeGiven) -> None:
    """What the store could not do is in no log; but the rest follows from it."""
    owed = time_up(table, commit.time_ms, event.outages)
    _compare(commit.events, decided(table, [owed] if isinstance(owed, TimeGiven) else []))


def _time_out(table: Table, commit: Commit) -> TimeOut | None:
    """The time-out that a commit says it is; None if it says otherwise."""
    cause = _NOBODY_ASKED.fullmatch(commit.cause)
    if commit.digest or cause is None:
        return None
    # Who decided it looked at outages only for the decision's own timer.
    own = cause[1] == "timer" and int(cause[2]) >= table.deadline_ms
    outages: Outages | None = () if own else None
    due = time_up(table, commit.time_ms, outages)
    if not isinstance(due, TimeOut):
        seats = ", ".join(map(str, table.asked)) or "nobody"
        raise BadLog(f"takes time from seat {seats} before it is up (R18.1)")
    return due


def _asked_for(table: Table, event: Event) -> Act | Choose | None:
    """What a player must have sent for an event; None if it is nothing that players send."""
    decision = table.decision
    action = _ACTIONS.get(type(event))
    if action is not None and isinstance(event, _Action):
        to = event.to if isinstance(event, Completed | BetMade | Raised) else None
        return Act(event.seat, decision, action, to)
    choice = _CHOICES.get(type(event))
    return None if choice is None else choice(decision, event)


def _check_dealer(
    table: Table, commit: Commit, deck: FairDeck | None, open_choice: OpenChoice
) -> None:
    first = commit.events[0]
    secrets = NO_SECRETS
    if isinstance(first, HandStarted):
        secrets = HandSecrets(first.key_id, first.sealed_seed, first.leaves, first.deck_public)
    found = tuple(map(_unsealed, commit.events))
    cards = deck_for(found, deck)
    if not table.asked:
        _compare(found, dealer.decide(table, cards, secrets, open_choice))
        return
    if isinstance(first, TimeGiven):
        _check_time_given(table, commit, first)
        return
    command = _time_out(table, commit) or _asked_for(table, first)
    if not isinstance(command, TimeOut | Choose):
        raise BadLog(f"begins with {type(first).__name__}, which is no choice of a card")
    _compare(found, decide_choice(table, command, cards))


def _unsealed(event: Event) -> Event:
    """An event as the dealer decided it, before its cards were sealed to their owners."""
    if isinstance(event, Dealt):
        return event._replace(sealed=())
    return event._replace(sealed=b"") if isinstance(event, CardBought) else event


def _check_showdown(
    table: Table, commit: Commit, deck: FairDeck | None, open_choice: OpenChoice
) -> None:
    hand = table.hand
    opening = hand is not None and hand.phase == "open_declare"
    if deck is not None or opening:
        cards = deck_for(commit.events, deck)
        _compare(commit.events, showdown.decide(table, cards, open_choice))
    elif hand is None or hand.phase != "show":
        raise BadLog("ends a hand that is not ready to be shown")
    else:
        check_showdown(hand, commit.events)


def _check_floor(
    table: Table, commit: Commit, deck: FairDeck | None, open_choice: OpenChoice
) -> None:
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
_CHOICES: Final[dict[Any, Callable[[int, Any], Choose]]] = {
    RollChosen: lambda decision, event: Choose(event.seat, decision, "roll", sealed=event.sealed),
    Rolled: lambda decision, event: Choose(event.cards[0][0], decision, "roll", event.cards[0][1]),
    CardBought: lambda decision, event: Choose(event.seat, decision, "buy", event.discard),
    CardDeclined: lambda decision, event: Choose(event.seat, decision, "decline"),
    ExtraCardPaid: lambda decision, event: Choose(event.seat, decision, "take"),
    PotMatched: lambda decision, event: Choose(event.seat, decision, "match"),
    MatchDeclined: lambda decision, event: Choose(event.seat, decision, "fold"),
    DeclarationMade: lambda decision, event: Choose(
        event.seat, decision, "declare", sealed=event.sealed
    ),
    Declared: lambda decision, event: Choose(
        event.seat, decision, "declare", direction=event.direction
    ),
}
"""What somebody must have chosen, from the event that answered it."""
_CHECKS: Final[dict[Role, Callable[[Table, Commit, FairDeck | None, OpenChoice], None]]] = {
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
    GameCalled: lambda table, event: CallGame(event.seat, _player(table, event.seat), event.game),
}
"""What somebody must have asked for, from the first event that answered it."""
