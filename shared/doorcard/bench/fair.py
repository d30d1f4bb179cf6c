"""What fairness costs a hand besides the engine: its deck, its leaves, its sealing."""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import Final

from doorcard.bench.figures import Figure, Wish
from doorcard.bench.play import draws, granted, opening, ready_deck, seed_of, sitting_down
from doorcard.engine import floor
from doorcard.fairness.deck import FairDeck, leaves
from doorcard.fairness.seed import new_seed
