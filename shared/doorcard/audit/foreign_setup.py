"""The table at which a recorded hand is played again."""

from __future__ import annotations

from dataclasses import dataclass

from doorcard.audit.foreign_hand import ForeignHand
from doorcard.commands import OpenTable, SitDown
from doorcard.engine import floor
from doorcard.engine.dealer import SNAPSHOT_FORMAT
from doorcard.engine.dealer_position import deal_order
from doorcard.engine.reducer import fold
from doorcard.engine.ruleset import RULES_VERSION
from doorcard.engine.table import Table
from doorcard.errors import BadInput, Refused
from doorcard.events import HandStarted, HandVoided
from doorcard.limits import Scalar
from doorcard.tables import Snapshot


@dataclass(frozen=True, slots=True)
class Setup:
    """What a record does not tell and a replay has to assume."""

    house: tuple[tuple[str, Scalar], ...] = ()
    """House rules beside the defaults, in the order in which they were found to be needed."""
    dealer: int | None = None
    """The player on the dealer position, counted clockwise; None for a house dealer (R2.2)."""


def opened_for(hand: ForeignHand, setup: Setup) -> Table:
    """A table with everybody seated who was dealt in.

    Raises:
        BadInput: no such table can be opened.
    """
    house = {**dict(hand.house), **dict(setup.house)}
    if setup.dealer is None:
        house["dealer_mode"] = "fixed"
    opened = floor.open_table(
        "audit",
        OpenTable(
            hand.game.id, hand.limits, hand.variant, tuple(house.items()), seats=len(hand.seats)
        ),
    )
    if isinstance(opened, Refused):
        raise BadInput(opened.sentence)
    table = opened.table
    for place, (number, stack) in enumerate(hand.stacks.items()):
        seated = floor.decide(table, SitDown(place, f"seat {number}", stack, f"sit {number}"))
        if isinstance(seated, Refused):
            raise BadInput(seated.sentence)
        table = seated.table
    return _owing(table, hand, setup.dealer) if hand.dead else table


def _owing(table: Table, hand: ForeignHand, dealer: int | None) -> Table:
    """The table after a void hand that some seats sat out: they owe an ante (R18.5)."""
    config = table.config
    assert config is not None, "just opened"
    seats = tuple(
        seat._replace(owes_ante=hand.seats[place] in hand.dead)
        for place, seat in sorted(table.seats.items())
    )
    snapshot = Snapshot(
        SNAPSHOT_FORMAT, config, seats, 0, 0, None, False, sum(hand.stacks.values()), 0, 0
    )  # fmt: skip
    players = deal_order(dealer, range(len(seats)))
    start = HandStarted(
        1, table.id, RULES_VERSION, config.spec, dealer, players, snapshot, table.chain, "", b"", ()
    )
    return fold(table, [start, HandVoided("", ())])
