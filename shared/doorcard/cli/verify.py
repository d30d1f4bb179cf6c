"""``doorcard verify``: is a table's log the truth?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from doorcard.cli.output import print_error, print_json
from doorcard.cli.where import (
    ArchiveOption,
    DeckKeysOption,
    JsonOption,
    LogOption,
    RedisOption,
    deck_keys,
    open_log,
)
from doorcard.errors import BadInput, BadLog
from doorcard.views.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from doorcard.audit.verify import Report
    from doorcard.fairness.heads import PublishedHead


NOT_CHECKED: Final = 2


def register(app: typer.Typer) -> None:
    """Add ``verify``."""
    app.command("verify")(verify)


def verify(
    tables: list[str] | None = typer.Argument(None, metavar="[TABLE]...", help="Tables to check."),
    every: bool = typer.Option(False, "--all", help="Check every table that has a log."),
    heads: Path | None = typer.Option(
        None, "--heads", metavar="FILE", help="Published heads, a JSON line each."
    ),
    head_keys: Path | None = typer.Option(
        None,
        "--head-keys",
        metavar="FILE",
        help="JSON object of the public keys that sign heads: id to 64 hexadecimal digits. "
        "Default: the key ring's own.",
    ),
    deck_key_file: DeckKeysOption = None,
    redis: RedisOption = None,
    log: LogOption = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check logs from their first commit to their last.

    Every commit is read strictly, its place, chain, time and author are checked, its decision is
    made again, it is folded, and the chips are counted; every snapshot and every opened card is
    compared with what came before. A log that was archived begins with a hand, and is checked
    from there; with `--archive` what was moved is checked too, and must be there. Published heads
    show a cut or rewritten log, deck keys check the decks. Exit code 0: all good; 1: not good,
    naming the first bad commit and why; 2: it could not be done, or not all of it: a deck key or a
    game is missing.

    Example: `doorcard verify --all --heads heads.jsonl --deck-keys deck-keys.json`
    """
    if every == bool(tables):
        raise typer.BadParameter("name the tables to check, or use --all")
    bad = left = False
    try:
        where = (redis, log, archive)
        for report in _reports(tables or [], heads, head_keys, deck_key_file, where):
            if isinstance(report, BadInput):
                print_error(str(report))
                left = True
                continue
            bad = bad or report.problem is not None
            left = left or bool(report.unchecked)
            if as_json:
                print_json(report_json(report))
            else:
                print(report_text(report))
    except BadLog as damage:  # a line of the file that names the first bad commit itself
        print(damage)
        bad = True
    if bad or left:
        raise typer.Exit(1 if bad else NOT_CHECKED)


def report_text(report: Report) -> str:
    """A report for people."""
    if report.problem is not None:
        return str(report.problem)
    verdict = "good as far as it could be checked" if report.unchecked else "good"
    size = f"{counted(report.commits, 'commit')}, {counted(report.hands, 'hand')}"
    checked = ", ".join(report.checked)
    return "\n".join(
        [
            f"table {report.table}: {verdict}, {size} ({checked})",
            *(f"  not checked: {reason}" for reason in report.unchecked),
            *(f"  {note}" for note in report.notes),
            *(
                ["  with --archive FOLDER what was archived is checked too"]
                if report.moved_commits
                else []
            ),
        ]
    )


def report_json(report: Report) -> dict[str, object]:
    """A report for programs."""
    problem = report.problem
    return {
        "table": report.table,
        "good": problem is None,
        "commits": report.commits,
        "hands": report.hands,
        "moved": {"commits": report.moved_commits, "hands": report.moved_hands},
        "problem": None if problem is None else {"seq": problem.seq, "reason": problem.reason},
        "notes": list(report.notes),
        "checked": list(report.checked),
        "unchecked": list(report.unchecked),
    }


def _reports(
    tables: list[str],
    heads: Path | None,
    head_keys: Path | None,
    deck_key_file: Path | None,
    where: tuple[str | None, Path | None, Path | None],
) -> Iterator[Report | BadInput]:
    """What was found of each table, or why it could not be checked; the others still are."""
    from doorcard.audit.verify import verify_table  # noqa: PLC0415  # `--help` needs none of it
    from doorcard.audit.verify_heads import read_head_keys, read_heads  # noqa: PLC0415

    ring = deck_keys(deck_key_file)
    publics = None if head_keys is None else read_head_keys(head_keys)
    by_table: dict[str, list[PublishedHead]] | None = None
    if heads is not None:
        by_table = {}
        for head in read_heads(heads):
            by_table.setdefault(head.table, []).append(head)
    _, file, archive = where
    with open_log(*where) as log:
        wanted = list(dict.fromkeys(tables)) or _all_tables(log.tables(), by_table or {}, file)
        if not wanted:
            raise BadInput("there are no tables")
        for table in wanted:
            published = None if by_table is None else by_table.get(table, [])
            try:
                yield verify_table(
                    log,
                    table,
                    ring=ring,
                    heads=published,
                    head_publics=publics,
                    whole=archive is not None,
                )
            except BadInput as reason:
                yield reason


def _all_tables(logged: Iterable[str], headed: Iterable[str], file: Path | None) -> list[str]:
    """The tables that have a log, and in a store those that must have one: a head was published.

    A file may hold one table of many, so heads of tables that are not in it say nothing.
    """
    if file is None:
        return sorted({*logged, *headed})
    if others := {*headed} - {*logged}:
        print_error(
            f"there are heads of {counted(len(others), 'table')} that {file} does not hold: "
            "they were not looked at"
        )
    return sorted(logged)
