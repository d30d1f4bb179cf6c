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

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("game", "seats", "deal", "wins", "variants"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("game", "variants"))
    for game in GAMES.values():
        table.add_row(*_row(game))
    out = console()
    out.print(table, soft_wrap=False)
    out.print("deal: d a downcard, u an upcard, * one is turned up; big bets from the bar on.")
    out.print("More of each game: doorcard rules GAME")


def show_rules(
    game: str = typer.Argument(help="A game's id, as `doorcard games` lists it."),
) -> None:
    """The rules of a game in plain words.

    Example: `doorcard rules razz`
    """
    print(wrapped(rules_text(game_named(game))))


def _row(game: Game) -> tuple[str, ...]:
    return (
        game.id,
        f"2-{game.seats_max}",
        _deal(game),
        " / ".join(filter(None, (game.high_ranking, game.low_ranking or _SPADES.get(game.split)))),
        "\n".join(game.variants),
    )


def _deal(game: Game) -> str:
    """``ddu u | u u d``: the streets, with a bar where the big bets begin."""
    sizes = [street.size for street in game.streets]
    words = [street.deal + "*" * street.roll for street in game.streets]
    if "big" in sizes:
        words.insert(sizes.index("big"), "|")
    return " ".join(words)


_SPADES: Final[Mapping[Split, str]] = {"high_chicago": "spade", "low_chicago": "low spade"}
"""What takes the other half where no hand does (G12)."""
