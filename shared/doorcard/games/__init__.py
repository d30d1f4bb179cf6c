"""All games, by id. A game is added by adding its value to ``GAMES``, or by ``register``."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from doorcard.errors import BadInput
from doorcard.games import five_card, seven_card, wild
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
    "register",
]

_GAMES: Final[dict[str, Game]] = {
    game.id: game
    for game in (
        five_card.FIVE_CARD_STUD,
        five_card.FIVE_CARD_LOWBALL,
        five_card.FIVE_CARD_HIGH_LOW,
        five_card.FIVE_CARD_HIGH_LOW_DECLARE,
        five_card.FIVE_CARD_HIGH_LOW_BUY,
        five_card.SOKO,
        seven_card.SEVEN_CARD_STUD,
        seven_card.MISSISSIPPI,
        seven_card.ROLL_YOUR_OWN,
        seven_card.RAZZ,
        seven_card.STUD_HIGH_LOW_8,
        seven_card.STUD_HIGH_LOW,
        wild.QUEENS_AND_AFTER,
        wild.BASEBALL,
        wild.HIGH_CHICAGO,
        wild.LOW_CHICAGO,
        wild.ACEY_DUCEY,
        wild.ONE_EYED_JACKS,
        wild.SUICIDE_KING,
        wild.ONE_EYED_JACKS_SUICIDE_KING,
    )
}
GAMES: Final = MappingProxyType(_GAMES)
"""Every game that tables can be opened for."""


def register(game: Game) -> None:
    """Add a game from outside the package, in every process that folds its tables.

    Raises:
        BadInput: another game has that id; games that logs name are never replaced.
    """
    if _GAMES.get(game.id, game) != game:
        raise BadInput(f"there is another game called {game.id!r}")
    _GAMES[game.id] = game
