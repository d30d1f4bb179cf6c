"""What is typed at the command line, as the programs take it."""

from __future__ import annotations

from typing import Final

from doorcard.cli.output import game_named

ALL_GAMES: Final = "all"


def game_ids(text: str) -> tuple[str, ...]:
    """The ids of games between commas, in the spellings that ``doorcard rules`` takes.

    Raises:
        BadInput: one is no game.
    """
    names = (name.strip() for name in text.split(",") if name.strip())
    return tuple(ALL_GAMES if name.lower() == ALL_GAMES else game_named(name).id for name in names)
