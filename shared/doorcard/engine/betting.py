"""Decides players' actions: bring-in, complete, bet, raise, call, check, fold, time-outs."""

from __future__ import annotations

from typing import Final, get_args

from doorcard.commands import Act, ActionName, Choose, TimeOut
from doorcard.engine.decided import Decided
from doorcard.engine.declaring import decide_declaration
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal, Wager
from doorcard.engine.reducer import HANDLERS, apply_to
from doorcard.engine.table import NOBODY, Hand, Table
from doorcard.errors import Refused
from doorcard.events import (
    BetMade,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Event,
    Folded,
    Raised,
    StreetClosed,
    UncalledReturned,
)


def decide(table: Table, command: Act | Choose | TimeOut) -> Decided | Refused:
    """Decide a player's action or a time-out.

    The events include the uncalled bet's return and the end of the street where the action
    ends the round. Everything that ``legal`` does not offer is refused.
    """
    options = legal(table)
    if options is None:
        return _decide_without_bets(table, command)
    event: Event | Refused
    if isinstance(command, Act):
        event = _player_event(table, options, command)
    elif isinstance(command, Choose):
        event = _other_question(table, command, "The seat is asked to act.")
    elif command.decision != options.decision:
        event = Refused("betting/late", "That decision has been made already.")
    elif command.absent_only and not table.absent:
        event = Refused("betting/not_due", "The player who is asked is not absent.")
    else:
        event = time_out_event(options)
    if isinstance(event, Refused):
        return event
    draft = table.draft()
    HANDLERS[type(event)](draft, event)
    hand = draft.hand
    assert hand is not None, "a seat was asked, so there is a hand"
    if hand.to_act != NOBODY:
        return _new(Decided, ((event,), draft))
    return _close_round(draft, hand, event)


def _decide_without_bets(table: Table, command: Act | Choose | TimeOut) -> Decided | Refused:
    if table.hand is None or table.hand.phase != "declare":
        return Refused("betting/nobody_asked", "No seat is asked to act at this table now.")
    if isinstance(command, Act):
        return _other_question(table, command, "The seats are asked to declare.")
    return decide_declaration(table, command)


def _other_question(table: Table, command: Act | Choose, sentence: str) -> Refused:
    """An answer to something else than what is asked now: to an earlier decision, or no answer."""
    if command.decision != table.decision:
        return Refused(
            "betting/late",
            f"The table asks for decision {table.decision}, not {command.decision}.",
            command.seat,
        )
    return Refused("betting/illegal_action", sentence, command.seat)


def time_out_event(options: Legal) -> Event:
    """What the server does when the time is up: bring-in, else check, else fold (R18.1)."""
    if options.bring_in is not None:
        return BringInPosted(options.seat, options.bring_in)
    return Checked(options.seat) if options.check else Folded(options.seat)


def _player_event(table: Table, options: Legal, command: Act) -> Event | Refused:
    seat, decision, fold, check, call, bring_in, wager = options
    to = command.to
    if (
        to is not None
        or command.player is not None
        or command.decision != decision
        or command.seat != seat
    ):
        refused = _not_asked(table, options, command)
        if refused is not None:
            return refused
    event: Event | None = None
    match command.action:
        case "fold" if fold and to is None:
            event = _new(Folded, (seat,))
        case "check" if check and to is None:
            event = _new(Checked, (seat,))
        case "call" if call is not None and to is None:
            event = _new(Called, (seat, call))
        case "bring_in" if bring_in is not None and to in (None, bring_in):
            event = BringInPosted(seat, bring_in)
        case "complete" | "bet" | "raise" if wager is not None:
            event = _wager(table, seat, wager, command)
        case _:
            pass
    return event or _illegal(options, command)


def _not_asked(table: Table, options: Legal, command: Act) -> Refused | None:
    seat = command.seat
    taken = table.seats.get(seat)
    if taken is None:
        return Refused("betting/unknown_seat", f"Nobody sits at seat {seat}.", seat)
    if command.player is not None and command.player != taken.player:
        return Refused("betting/not_your_seat", f"Seat {seat} is another player's.", seat)
    if command.decision != options.decision:
        return Refused(
            "betting/late",
            f"The table asks for decision {options.decision}, not {command.decision}.",
            seat,
        )
    if seat != options.seat:
        return Refused("betting/not_your_turn", f"Seat {options.seat} is asked, not {seat}.", seat)
    if command.to is not None and type(command.to) is not int:
        return Refused("betting/bad_amount", "An amount is a whole number of chips.", seat)
    return None


def options_text(options: Legal) -> str:
    """The legal options as words, for refusals and prompts."""
    words: list[str] = []
    if options.bring_in is not None:
        words.append(f"bring in {options.bring_in}")
    if options.fold:
        words.append("fold")
    if options.check:
        words.append("check")
    if options.call is not None:
        words.append(f"call {options.call}")
    wager = options.wager
    if wager is not None:
        amounts = " or ".join(map(str, wager.totals)) or f"{wager.low} to {wager.high}"
        words.append(f"{wager.kind} to {amounts}")
    return "legal is " + ", ".join(words)


def _wager(table: Table, seat: int, wager: Wager, command: Act) -> Event | None:
    if wager.kind != command.action:
        return None
    to = command.to
    if to is None:
        if wager.low != wager.high:
            return None
        to = wager.low
    if not wager.allows(to):
        return None
    hand = table.hand
    assert hand is not None, "a seat was asked, so there is a hand"
    event: Event = _new(_WAGERS[wager.kind], (seat, to - hand.players[hand.to_act].bet, to))
    return event


def _illegal(options: Legal, command: Act) -> Refused:
    if command.action not in _ACTIONS:
        return Refused(
            "betting/unknown_action", f"There is no action {command.action!r}.", command.seat
        )
    wish = command.action.replace("_", " ")
    return Refused(
        "betting/illegal_action",
        f"Seat {command.seat} cannot {wish}: {options_text(options)}.",
        command.seat,
    )


def _close_round(draft: Table, hand: Hand, event: Event) -> Decided:
    closed = StreetClosed(hand.street)
    uncalled = uncalled_bet([player.bet for player in hand.players])
    if uncalled is None:
        apply_to(draft, closed)
        return Decided((event, closed), draft)
    index, amount = uncalled
    returned = UncalledReturned(hand.players[index].seat, amount)
    apply_to(draft, returned)
    apply_to(draft, closed)
    return Decided((event, returned, closed), draft)


def uncalled_bet(bets: list[int]) -> tuple[int, int] | None:
    """(index, chips) of the street contribution that nobody matched, or None (R12.3)."""
    top = max(bets)
    if bets.count(top) > 1:
        return None
    index = bets.index(top)
    second = max(bets[:index] + bets[index + 1 :], default=0)
    return index, top - second


_new: Final = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
"""Skips the keyword handling of a record's own constructor: one is made at every turn."""
_ACTIONS: Final = get_args(ActionName)
_WAGERS: Final[dict[str, type[Event]]] = {
    "bet": BetMade,
    "complete": Completed,
    "raise": Raised,
}
