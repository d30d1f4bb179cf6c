"""Views: the only exit to a player.

A viewer is a seat's number, ``SPECTATOR`` or ``AUDITOR``. ``view`` shows a table, ``redact`` and
``event_text`` an event; all of them show a face-down card to its own seat and to the auditor alone,
and keys, sealed bytes and request ids to nobody.
"""

from __future__ import annotations

from doorcard.views.model import (
    AUDITOR,
    SPECTATOR,
    ActionView,
    AwardView,
    ChoiceView,
    HandView,
    PlaceView,
    PotView,
    SeatView,
    ShareView,
    TableView,
    Viewer,
    plain,
    view_json,
)
from doorcard.views.opened import Entry, OpenDealt, opened_cards
from doorcard.views.redacted import redact
from doorcard.views.table import NOTHING, view
from doorcard.views.text import answers_words, options_words, render, stakes_text
from doorcard.views.words import event_text

__all__ = [
    "AUDITOR",
    "NOTHING",
    "SPECTATOR",
    "ActionView",
    "AwardView",
    "ChoiceView",
    "Entry",
    "HandView",
    "OpenDealt",
    "PlaceView",
    "PotView",
    "SeatView",
    "ShareView",
    "TableView",
    "Viewer",
    "answers_words",
    "event_text",
    "opened_cards",
    "options_words",
    "plain",
    "redact",
    "render",
    "stakes_text",
    "view",
    "view_json",
]
