"""Doorcard: stud poker on an append-only log. This is the front door of the library.

A hand in a notebook::

    from doorcard import LocalTable

    table = LocalTable.open("razz")
    table.sit("ann", chips=200)
    table.sit("bob", chips=200)
    table.deal()
    print(table.text(seat=0))

Importing it loads the standard library alone. Deeper things have their own modules: the deciders
in ``doorcard.engine``, the log in ``doorcard.streams``, sealing in ``doorcard.fairness``.
"""

from __future__ import annotations

from doorcard.bots import BOTS
from doorcard.cards import CARDS, BadCard, Card, format_cards, parse_cards
from doorcard.commands import Act, TimeOut
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal, Wager
from doorcard.engine.reducer import fold
from doorcard.engine.ruleset import ruleset
from doorcard.engine.table import Table
from doorcard.errors import BadInput, DoorcardError, NotAllowed, Refused
from doorcard.events import Event
from doorcard.games import GAMES, Game
from doorcard.games.describe import rules_text
from doorcard.limits import HouseRules, Limits
from doorcard.local import LocalTable
from doorcard.rankings import describe, evaluate
from doorcard.tables import GameSpec, TableConfig
from doorcard.views import (
    AUDITOR,
    SPECTATOR,
    TableView,
    event_text,
    redact,
    render,
    view,
    view_json,
)

__all__ = [
    "AUDITOR",
    "BOTS",
    "CARDS",
    "GAMES",
    "SPECTATOR",
    "Act",
    "BadCard",
    "BadInput",
    "Card",
    "DoorcardError",
    "Event",
    "Game",
    "GameSpec",
    "HouseRules",
    "Legal",
    "Limits",
    "LocalTable",
    "NotAllowed",
    "Refused",
    "Table",
    "TableConfig",
    "TableView",
    "TimeOut",
    "Wager",
    "describe",
    "evaluate",
    "event_text",
    "fold",
    "format_cards",
    "legal",
    "parse_cards",
    "redact",
    "render",
    "rules_text",
    "ruleset",
    "view",
    "view_json",
]
