"""What all commands have in common: how they print, and how they say that something is wrong."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from doorcard.cli.program import say
from doorcard.errors import BadInput
from doorcard.games import GAMES, Game

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_MAX: Final = 92
"""Longest lines of running text, in columns."""


def console() -> Console:
    """A console on standard output: colours in a terminal, plain text elsewhere."""
    from rich.console import Console  # noqa: PLC0415  # a quarter of the time of `--help`

    return Console(highlight=False, soft_wrap=True)


def print_json(value: object) -> None:
    """Print one value as one line of JSON."""
    print(json.dumps(value, ensure_ascii=False))


def print_error(sentence: str) -> None:
    """Say on standard error what is wrong."""
    say("doorcard", sentence)


def wrapped(text: str) -> str:
    """Text with its long lines wrapped to the terminal; list items keep their indent."""
    width = min(shutil.get_terminal_size().columns, WIDTH_MAX)
    return "\n".join(
        textwrap.fill(
            line,
            width,
            subsequent_indent="  " if line.startswith("- ") else "",
            break_on_hyphens=False,
        )
        for line in text.splitlines()
    )


def game_named(name: str) -> Game:
    """The game with an id; capitals, hyphens and spaces are taken as meant.

    Raises:
        BadInput: there is no such game; close names are given.
    """
    game = GAMES.get(name.strip().lower().replace("-", "_").replace(" ", "_"))
    if game is None:
        raise BadInput(f"there is no game called {name!r}{nearest(name, GAMES)}")
    return game


def nearest(name: str, names: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: which ones are close, or which there are."""
    known = list(names)
    close = get_close_matches(name.lower(), known, n=3) or [
        other for other in known if name and name.lower() in other
    ]
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there are {', '.join(known)}" if known else ""
