"""All games, by id. A game is added by adding its value to ``GAMES``."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from doorcard.games.five_card import FIVE_CARD_STUD
from doorcard.games.model import Game, Split, Street
from doorcard.games.seven_card import RAZZ, SEVEN_CARD_STUD, STUD_HIGH_LOW_8

__all__ = [
    "FIVE_CARD_STUD",
    "GAMES",
    "RAZZ",
    "SEVEN_CARD_STUD",
    "STUD_HIGH_LOW_8",
    "Game",
    "Split",
    "Street",
]

GAMES: Final = MappingProxyType(
    {game.id: game for game in (SEVEN_CARD_STUD, RAZZ, STUD_HIGH_LOW_8, FIVE_CARD_STUD)}
)
