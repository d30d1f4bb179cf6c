"""Which game a mixed table plays next: in rotation by hands or orbits, or as the dealer calls."""

from __future__ import annotations

from doorcard.commands import CallGame
from doorcard.engine.dealer_position import next_dealer
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import Event, GameCalled
from doorcard.tables import GameSpec, TableConfig


def games_of(config: TableConfig) -> tuple[GameSpec, ...]:
    """All games of a table, in order; a table that is not mixed has one."""
    return (config.spec, *config.others)


def next_game(table: Table, config: TableConfig, dealer: int | None) -> GameSpec:
    """The game of the hand that starts now.

    Args:
        dealer: seat of the dealer position of that hand.
    """
    games = games_of(config)
    if len(games) == 1:
        return config.spec
    match config.change:
        case "hands":
            return games[table.hands // config.change_hands % len(games)]
        case "orbit":
            return games[
                orbits_with(table.orbits, table.dealer, dealer, voided=table.voided) % len(games)
            ]
        case "call":
            called = dict(table.called)
            if dealer is not None and dealer in called:
                return games[called[dealer]]
            return config.spec if table.hand is None else table.hand.rules.spec


def orbits_with(orbits: int, before: int | None, dealer: int | None, *, voided: bool) -> int:
    """Orbits of the dealer position finished once it has moved on.

    Args:
        orbits: finished before.
        before: seat of the position of the hand before.
        dealer: seat of the position now.
        voided: the hand before was void, so a position that stays is no orbit (R19.2).
    """
    if before is None or dealer is None:
        return orbits
    stays = voided and before == dealer
    return orbits + (1 if dealer <= before and not stays else 0)


def call_game(table: Table, command: CallGame) -> list[Event] | Refused:
    """Take a dealer's call of the next game: only from the seat that deals next."""
    config = table.config
    assert config is not None, "checked by the floor"
    seat = table.seats.get(command.seat)
    if seat is None or seat.player != command.player:
        return Refused("floor/not_your_seat", f"Seat {command.seat} is not yours.", command.seat)
    if config.change != "call" or not config.others:
        return Refused("floor/no_call", "This table's games are not called.", command.seat)
    if not 0 <= command.game < len(games_of(config)):
        return Refused("floor/unknown_game", "The table has no such game.", command.seat)
    dealer = next_dealer(table.dealer, table.next_players, voided=table.voided)
    if command.seat != dealer:
        return Refused("floor/not_your_deal", "Another seat deals the next hand.", command.seat)
    if (command.seat, command.game) in table.called:
        return []
    return [GameCalled(command.seat, command.game)]
