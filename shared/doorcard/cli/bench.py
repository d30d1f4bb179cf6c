"""``doorcard bench``: measures this machine, each figure beside what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import typer

from doorcard.cli.output import console, game_named, print_json
from doorcard.errors import BadInput

if TYPE_CHECKING:
    from rich.table import Table

    from doorcard.bench.figures import Figure

LARGE: Final = 100
"""Numbers from here on are shown without decimals."""


class BenchName(StrEnum):
    """What can be measured alone."""

    ENGINE = "engine"
    FOLD = "fold"
    REBUILD = "rebuild"
    SERVICE = "service"
    STORE = "store"
    CEILING = "ceiling"
    LOAD = "load"


def register(app: typer.Typer) -> None:
    """Add ``bench``."""
    app.command("bench")(run_benches)


def run_benches(
    name: BenchName | None = typer.Argument(None, help="Only this one; all of them if left out."),
    game: str = typer.Option(
        "seven_card_stud", help="The game that is played; for engine also `all`, one row a game."
    ),
    as_json: bool = typer.Option(False, "--json", help="The last line is one JSON object."),
    quick: bool = typer.Option(False, "--quick", help="Fewer repetitions, less exact."),
) -> None:
    """Measure speed and size: medians, with other programs' work measured in turns with ours.

    All but engine and fold start the service's programs, so they need a checkout.

    Examples: `doorcard bench engine --game razz --json`, `doorcard bench engine --game all`
    """
    from doorcard.bench.every_game import EVERY_GAME  # noqa: PLC0415  # `--help` needs none of it
    from doorcard.bench.figures import Wish, by_key  # noqa: PLC0415
    from doorcard.bench.runs import BENCHES  # noqa: PLC0415

    if game == EVERY_GAME and name is not BenchName.ENGINE:
        raise BadInput("only the engine bench measures all games: doorcard bench engine --game all")
    wish = Wish(game if game == EVERY_GAME else game_named(game).id, quick)
    out = console()
    measured: dict[str, dict[str, float | None]] = {}
    for bench in BENCHES if name is None else (name.value,):
        with out.status(f"measuring {bench}"):
            figures = BENCHES[bench](wish)
        out.print(_table(bench, figures), soft_wrap=False)
        measured[bench] = by_key(figures)
    if as_json:
        print_json(measured)


def _table(bench: str, figures: Sequence[Figure]) -> Table:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415  # as above
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(bench)
    for heading in ("measured", "asked", "aim"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for figure in figures:
        table.add_row(
            figure.label,
            _number(figure.value, figure.unit),
            _bound(figure, figure.asked),
            _bound(figure, figure.aim),
            _mark(figure),
        )
    return table


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    text = f"{value:,.0f}" if abs(value) >= LARGE else f"{value:,.2f}"
    return f"{text} {unit}".rstrip()


def _bound(figure: Figure, bound: float | None) -> str:
    if bound is None:
        return ""
    return f"{'≤' if figure.less_is_better else '≥'} {round(bound, 3):,g}"


def _mark(figure: Figure) -> str:
    if figure.falls_short:
        return "[bold red]falls short[/]"
    if figure.asked is None or figure.value is None:
        return ""
    return "[yellow]ok[/]" if figure.misses_aim else "[green]ok[/]"
