"""Lines about a betting round: actions and timeout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Final, cast

from doorcard.cards import Card
from doorcard.commands import Act, ActionName
from doorcard.engine import betting
from doorcard.engine.legal import Legal, Wager, legal
from doorcard.engine.reducer import apply
from doorcard.engine.ruleset import Ruleset
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import BringInPosted, Checked, Event, Folded
from doorcard.games import GAMES, Game
from doorcard.limits import BRING_IN_OPENINGS, Limits, Opening
from doorcard.testing import table_at
from tests.conformance.schemas import (
    Action,
    Actions,
    ActionsGiven,
    LegalOptions,
    Timeout,
    TimeoutGiven,
    WagerRange,
)
from tests.conformance.support import (
    Malformed,
    NoAdapter,
    board_rules,
    house_rules,
    require_game,
    require_switch,
    ruleset_of,
)
from tests.conformance.kinds_turns import hand_of

ACTION_NAMES: Final = ("bring_in", "complete", "bet", "raise", "call", "check", "fold")
DUE_SWITCHES: Final = {"declare": "declare", "buy": "buy_rounds", "roll": "roll_order"}


def actions(given: ActionsGiven) -> Actions:
    """R5 to R10: whose turn it is after some actions, and what exactly is legal then."""
    table = _round_started(given)
    seats = range(len(given["stacks"]))
    for action in given["history"]:
        events, after = _act(table, action)
        table = after
        if table.awaited != "betting":
            # What was put in is read before an uncalled bet goes back.
            return {"to_act": None, "legal": None, **_money(_before_closing(given, events), seats)}
    options = legal(table)
    return {
        "to_act": None if options is None else options.seat,
        "legal": None if options is None else options_of(options),
        **_money(table, seats),
    }
