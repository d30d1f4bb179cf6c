"""``doorcard games`` and ``doorcard rules``: what can be played, from the games' values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import typer

from doorcard.cli.output import console, game_named, print_json, wrapped
from doorcard.games import GAMES, Game, Split
from doorcard.games.describe import parameters, rules_text


def register(app: typer.Typer) -> None:
    """Add ``games`` and ``rules``."""
    app.command("games")(show_games)
    app.command("rules")(show_rules)


def show_games(
    as_json: bool = typer.Option(False, "--json", help="One JSON object a game, with everything."),
) -> None:
    """List every game with its parameters.

    Example: `doorcard games --json`
    """
    if as_json:
        for game in GAMES.values():
            print_json(parameters(game))
        return
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415  # `--help` needs none of it
    from rich.table import Table  # noqa: PLC0415

    out = console()
    headings = next(shown for least, shown in _HEADINGS if out.width >= least)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in headings:
        whole = heading == "variants" or (heading == "game" and len(headings) > 1)
        table.add_column(heading, overflow="fold", no_wrap=whole)
    for game in GAMES.values():
        row = _row(game)
        table.add_row(*(row[heading] for heading in headings))
    out.print(table, soft_wrap=False)
    if "deal" in headings:
        out.print("deal: d a downcard, u an upcard, * one is turned up; big bets from the bar on.")
    else:
        out.print(f"In {_HEADINGS[0][0]} columns there is more to see.")
    out.print("More of each game: doorcard rules GAME")


def show_rules(
    game: str = typer.Argument(help="A game's id, as `doorcard games` lists it."),
) -> None:
    """The rules of a game in plain words.

    Example: `doorcard rules razz`
    """
    print(wrapped(rules_text(game_named(game))))


_HEADINGS: Final = (
    (78, ("game", "seats", "deal", "wins", "variants")),
    (50, ("game", "seats", "wins")),
    (36, ("game", "seats")),
    (0, ("game",)),
)
"""What is shown from how many columns on, so that nothing is cut; an id alone may go on below."""


def _row(game: Game) -> Mapping[str, str]:
    """What the columns say of a game."""
    low = game.low_ranking or _SPADES.get(game.split)
    return {
        "game": game.id,
        "seats": f"2-{game.seats_max}",
        "deal": _deal(game),
        "wins": " / ".join(filter(None, (game.high_ranking, low))),
        "variants": "\n".join(game.variants),
    }


def _deal(game: Game) -> str:
    """``ddu u | u u d``: the streets, with a bar where the big bets begin."""
    sizes = [street.size for street in game.streets]
    words = [street.deal + "*" * street.roll for street in game.streets]
    if "big" in sizes:
        words.insert(sizes.index("big"), "|")
    return " ".join(words)


_SPADES: Final[Mapping[Split, str]] = {"high_chicago": "spade", "low_chicago": "low spade"}
"""What takes the other half where no hand does (G12)."""
