"""Puts the commands of ``doorcard`` together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import typer

from doorcard.cli.program import EXIT_CODES, INTERRUPTED
from doorcard.cli.usage import run_app

COMMANDS: Final = ("games", "play", "replay", "verify", "export", "audit", "bench")
"""Modules beside this one, each with ``register(app)``; in the order of ``--help``.

They import what is heavy only when their command runs: ``doorcard --help`` loads all of them.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``doorcard`` command; returns its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        return run_app(make_app(), "doorcard", "doorcard", words)
    except (typer.Abort, KeyboardInterrupt):  # before there is a command that could be stopped
        return INTERRUPTED


def make_app() -> typer.Typer:
    """The command line with all its commands."""
    app = typer.Typer(
        help="Stud poker on an append-only log: play, replay, verify, export, audit, measure.",
        epilog=EXIT_CODES,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    app.callback()(_options)
    for name in COMMANDS:
        import_module(f"doorcard.cli.{name}").register(app)
    return app


def _show_version(wanted: bool) -> None:
    if not wanted:
        return
    try:
        print(f"doorcard {version('doorcard')}")
    except PackageNotFoundError:
        print("doorcard, from a folder that is not installed")
    raise typer.Exit


def _options(
    version_wanted: bool = typer.Option(
        False,
        "--version",
        help="Say which version this is.",
        is_eager=True,
        callback=_show_version,
    ),
) -> None:
    """Take the options that stand before any command."""
