"""What is typed at the command line, as the programs take it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import typer

ALL_GAMES: Final = "all"


def game_ids(text: str) -> tuple[str, ...]:
    """The ids of games between commas, in the spellings that ``doorcard rules`` takes.

    Raises:
        BadInput: one is no game.
    """
    from doorcard.cli.output import game_named  # noqa: PLC0415 - most programs name no game

    names = (name.strip() for name in text.split(",") if name.strip())
    return tuple(ALL_GAMES if name.lower() == ALL_GAMES else game_named(name).id for name in names)


def folder(text: str) -> Path:
    """The folder of that name; an empty one would be the folder that one stands in."""
    if not text:
        raise typer.BadParameter("a folder has a name.")
    return Path(text)
