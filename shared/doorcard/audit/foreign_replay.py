"""Plays a recorded hand through the engine and stops at the first difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from doorcard.audit.foreign_deck import Place, RecordedDeck, stand_ins
from doorcard.audit.foreign_hand import WAGERS, ForeignHand, Round
from doorcard.audit.foreign_result import Difference, Play, compare_result
from doorcard.cards import Card
from doorcard.commands import Act, OpenTable, SitDown
from doorcard.engine import betting, dealer, floor
from doorcard.engine.decided import Decided
from doorcard.engine.dealer import deal_order
from doorcard.engine.legal import Legal, legal
from doorcard.engine.ruleset import ruleset
from doorcard.engine.streets import deal_street
from doorcard.engine.table import NOBODY, Hand, Player, Table
from doorcard.errors import BadInput, Refused
from doorcard.events import AntesPosted, Dealt, Event, UncalledReturned
from doorcard.formats.record import BetRecord
from doorcard.limits import Scalar
