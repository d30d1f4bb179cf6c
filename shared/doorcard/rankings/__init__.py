"""Hand rankings: which hand wins, what a board shows, and what both are called (K1 to K9).

Everything here is a pure function of cards. A hand's worth is a ``Key``; which of two keys wins
depends on the ranking::

    >>> from doorcard.rankings import describe, evaluate
    >>> key = evaluate("high", "As Ad 9h 4c 4s 2h 3d")
    >>> key
    (2, 14, 4, 9)
    >>> describe("high", key)
    'two pair, aces and fours'
"""

from __future__ import annotations

from doorcard.rankings.boards import board_key, natural_board_key
from doorcard.rankings.describe import describe
from doorcard.rankings.hands import best_five, evaluate, evaluator, hand_key, wild_count
from doorcard.rankings.high import high_key
from doorcard.rankings.low import (
    ace_to_five_key,
    ace_to_six_key,
    deuce_to_seven_key,
    eight_or_better_key,
)
from doorcard.rankings.model import (
    ACE_LOW,
    LARGER_WINS,
    BoardOrder,
    Key,
    Ranking,
    best,
    better,
    card_order,
)
from doorcard.rankings.soko import soko_key
from doorcard.rankings.wild import wild_key

__all__ = [
    "ACE_LOW",
    "LARGER_WINS",
    "BoardOrder",
    "Key",
    "Ranking",
    "ace_to_five_key",
    "ace_to_six_key",
    "best",
    "best_five",
    "better",
    "board_key",
    "card_order",
    "describe",
    "deuce_to_seven_key",
    "eight_or_better_key",
    "evaluate",
    "evaluator",
    "hand_key",
    "high_key",
    "natural_board_key",
    "soko_key",
    "wild_count",
    "wild_key",
]
