"""Decides what the floor is asked: tables, seats, chips, void hands (R18.4 to R18.6, R19)."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from doorcard.commands import (
    AddChips,
    CallGame,
    CloseTable,
    FloorCommand,
    Leave,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
    SitIn,
    SitOut,
    TableCommand,
    VoidHand,
)
from doorcard.engine.decided import Decided, decided
from doorcard.engine.mix import call_game
from doorcard.engine.ruleset import ruleset
from doorcard.engine.spec_check import check_spec
from doorcard.engine.table import NOBODY, Table
from doorcard.errors import Refused
from doorcard.events import (
    ChipsAdded,
    Event,
    HandVoided,
    LeaveAsked,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
    TablePaused,
    TableResumed,
)
from doorcard.limits import CHIPS_EVER_MAX, CHIPS_MAX
from doorcard.tables import GameSpec, Seat, TableConfig

ACTION_MS_RANGE: Final = (100, 24 * 3600 * 1000)
"""Shortest and longest time for one decision."""


def open_table(table_id: str, command: OpenTable) -> Decided | Refused:
    """Open a new table, or say why it cannot be opened."""
    first = _spec(GameSpec(command.game, command.variant, command.limits, command.house))
    if isinstance(first, Refused):
        return first
    others: list[GameSpec] = []
    for spec in command.others:
        other = _spec(spec)
        if isinstance(other, Refused):
            return other
        others.append(other)
    refused = _mix_problem(command, first, others)
    if refused is not None:
        return refused
    rules = ruleset(first)
    most = min(ruleset(spec).seats_max for spec in (first, *others))
    seats = command.seats if command.seats is not None else min(rules.game.seats_default, most)
    if not 2 <= seats <= most:
        return Refused("floor/bad_seats", f"{rules.game.name} is played with 2 to {most} seats.")
    if not 1 <= command.buy_in_min <= command.buy_in_max <= CHIPS_MAX:
        return Refused("floor/bad_buy_in", "The buy-in needs 1 <= least <= most.")
    if not ACTION_MS_RANGE[0] <= command.action_ms <= ACTION_MS_RANGE[1]:
        return Refused("floor/bad_time", "Time for a decision is 100 ms to one day.")
    config = TableConfig(
        first,
        seats,
        command.buy_in_min,
        command.buy_in_max,
        command.action_ms,
        tuple(others),
        command.change,
        command.change_hands,
    )
    return decided(Table(), [TableOpened(table_id, config)])


def _spec(spec: GameSpec) -> GameSpec | Refused:
    """A game as it is played, its house rules sorted; or why it cannot be."""
    settings = dict(spec.house)
    if len(settings) < len(spec.house):
        return Refused("house/set_twice", "One house rule is set twice.")
    spec = spec._replace(house=tuple(sorted(settings.items(), key=itemgetter(0))))
    return check_spec(spec) or spec


def _mix_problem(command: OpenTable, first: GameSpec, others: list[GameSpec]) -> Refused | None:
    """What makes a mixed table impossible, or None."""
    if command.change not in ("hands", "orbit", "call"):
        return Refused("floor/bad_change", f"Games cannot change by {command.change!r}.")
    if type(command.change_hands) is not int or not 1 <= command.change_hands <= 1000:
        return Refused("floor/bad_change", "Games change after 1 to 1000 hands.")
    house = ruleset(first).house
    for spec in others:
        rules = ruleset(spec)
        for name in ("dealer_mode", "missed_ante_policy"):
            if getattr(rules.house, name) != getattr(house, name):
                return Refused("house/contradiction", f"All games of a table have the same {name}.")
    if others and command.change != "hands" and house.dealer_mode == "fixed":
        return Refused("house/contradiction", "A house dealer makes no orbits and calls no games.")
    return None


def decide(table: Table, command: FloorCommand) -> Decided | Refused:
    """Decide a request about an open table. A repeat of a granted one has no events."""
    if table.config is None:
        return Refused("floor/unknown_table", "There is no such table.")
    if isinstance(command, OpenTable):
        return Refused("floor/table_exists", f"Table {table.id} is open already.")
    if table.closed:
        return Refused("floor/closed", f"Table {table.id} is closed.")
    outcome = _outcome(table, command)
    return outcome if isinstance(outcome, Refused) else decided(table, outcome)


def _outcome(table: Table, command: TableCommand) -> list[Event] | Refused:
    match command:
        case SitDown():
            return _sit_down(table, command)
        case AddChips():
            return _add_chips(table, command)
        case Leave():
            return _leave(table, command)
        case SitOut():
            return _sit_out(table, command)
        case SitIn():
            return _sit_in(table, command)
        case CallGame():
            return call_game(table, command)
        case VoidHand():
            return _void(table, command)
        case PauseTable():
            return [] if table.paused else [TablePaused(command.reason)]
        case ResumeTable():
            return [TableResumed()] if table.paused else []
        case CloseTable():
            return _close(table)


def settle_leavers(table: Table) -> Decided | Refused:
    """Pay out the seats that asked to leave during the hand that has just ended (R18.6)."""
    if table.awaited != "floor":
        return Refused("floor/nothing_due", "Nobody waits to leave this table.")
    return decided(table, [_left(seat) for seat in table.seats.values() if seat.leaving])


def _close(table: Table) -> list[Event] | Refused:
    if table.in_hand:
        return Refused("floor/hand_running", "Pause the table and close it after the hand.")
    return [*(_left(seat) for seat in table.seats.values()), TableClosed()]


def _sit_down(table: Table, command: SitDown) -> list[Event] | Refused:
    config = table.config
    assert config is not None, "checked by decide"
    seat = command.seat
    if not 0 <= seat < config.seats:
        return Refused("floor/unknown_seat", f"Seats are 0 to {config.seats - 1}.", seat)
    held = next((held for held in table.seats.values() if held.player == command.player), None)
    if held is not None:
        if held.seat == seat and held.requests[0] == (command.request, command.chips):
            return []
        return Refused("floor/seated_already", f"{command.player} sits at {held.seat}.", seat)
    if seat in table.seats:
        return Refused("floor/seat_taken", f"Seat {seat} is taken.", seat)
    if not command.player or not command.request:
        return Refused("floor/bad_request", "A player and a request id are needed.", seat)
    if len(command.key) not in (0, 32):
        return Refused("floor/bad_key", "A public key has 32 bytes.", seat)
    if not config.buy_in_min <= command.chips <= config.buy_in_max:
        return Refused(
            "floor/bad_buy_in",
            f"Sit down with {config.buy_in_min} to {config.buy_in_max} chips.",
            seat,
        )
    if table.chips_in + command.chips > CHIPS_EVER_MAX:
        return _too_many_chips(seat)
    return [SeatTaken(seat, command.player, command.chips, command.key, command.request)]


def _leave(table: Table, command: Leave) -> list[Event] | Refused:
    seat = _own_seat(table, command.seat, command.player)
    if isinstance(seat, Refused):
        return seat
    if seat.leaving:
        return []
    return [LeaveAsked(seat.seat)] if _dealt_in(table, seat.seat) else [_left(seat)]


def _sit_out(table: Table, command: SitOut) -> list[Event] | Refused:
    seat = _own_seat(table, command.seat, command.player)
    if isinstance(seat, Refused):
        return seat
    return [] if seat.sitting_out else [SatOut(seat.seat)]


def _sit_in(table: Table, command: SitIn) -> list[Event] | Refused:
    seat = _own_seat(table, command.seat, command.player)
    if isinstance(seat, Refused):
        return seat
    if seat.leaving:
        return Refused("floor/leaving", "The seat is being left.", seat.seat)
    return [SatIn(seat.seat)] if seat.sitting_out else []


def _add_chips(table: Table, command: AddChips) -> list[Event] | Refused:
    seat = _own_seat(table, command.seat, command.player)
    if isinstance(seat, Refused):
        return seat
    known = dict(seat.requests)
    if command.request in known:
        if known[command.request] == command.chips:
            return []
        return Refused("floor/request_reused", "That request id was used before.", seat.seat)
    if seat.leaving:
        return Refused("floor/leaving", "The seat is being left.", seat.seat)
    config = table.config
    assert config is not None, "checked by decide"
    room = config.buy_in_max - table.stack(seat.seat) - seat.waiting
    if not command.request:
        return Refused("floor/bad_request", "A request id is needed.", seat.seat)
    if not 1 <= command.chips <= room:
        return Refused("floor/bad_amount", f"Add 1 to {max(room, 0)} chips.", seat.seat)
    if table.chips_in + command.chips > CHIPS_EVER_MAX:
        return _too_many_chips(seat.seat)
    return [ChipsAdded(seat.seat, command.chips, command.request)]


def _too_many_chips(seat: int) -> Refused:
    return Refused(
        "floor/too_many_chips",
        "So many chips were brought to this table in its time that it takes no more: open another.",
        seat,
    )


def _void(table: Table, command: VoidHand) -> list[Event] | Refused:
    hand = table.hand
    if hand is None or hand.phase == "over":
        return Refused("floor/no_hand", "No hand is in progress; awarded pots stand (R19.3).")
    if command.hand not in (None, table.hands):
        return Refused("floor/no_hand", f"Hand {command.hand} is not in progress.")
    refunds = [player.total for player in hand.players]
    for index, chips, _ in hand.dead:
        refunds[index] += chips
    return [
        HandVoided(
            command.reason,
            tuple(
                (player.seat, chips)
                for player, chips in zip(hand.players, refunds, strict=True)
                if chips
            ),
        )
    ]


def _own_seat(table: Table, number: int, player: str) -> Seat | Refused:
    seat = table.seats.get(number)
    if seat is None:
        return Refused("floor/not_seated", f"Nobody sits at seat {number}.", number)
    if seat.player != player:
        return Refused("floor/not_your_seat", f"Seat {number} is another player's.", number)
    return seat


def _dealt_in(table: Table, seat: int) -> bool:
    return table.in_hand and table.hand is not None and table.hand.index_of(seat) != NOBODY


def _left(seat: Seat) -> SeatLeft:
    return SeatLeft(seat.seat, seat.player, seat.stack + seat.waiting)
