"""Puts the commands together, and turns what goes wrong into one sentence and an exit code.

Exit codes of every command: 0 done; 1 done, and the answer is no (a check failed); 2 not done (bad
usage, bad input, a store or file that cannot be used); 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import typer

from doorcard.cli.output import print_error
from doorcard.errors import DoorcardError

COMMANDS: Final = ("games", "play", "replay", "verify", "export", "audit", "bench")
"""Modules beside this one, each with ``register(app)``; in the order of ``--help``.

They import what is heavy only when their command runs: ``doorcard --help`` loads all of them.
"""
NOT_DONE: Final = 2
INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``doorcard`` command; returns its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code: object = make_app()(
            args=words or ["--help"], prog_name="doorcard", standalone_mode=False
        )
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except typer.TyperException as problem:
        print_error(f"{problem.format_message()}{_help_hint(problem)}")
        return problem.exit_code
    except (DoorcardError, OSError) as problem:
        print_error(str(problem))
        return NOT_DONE
    return code if isinstance(code, int) else 0


def make_app() -> typer.Typer:
    """The command line with all its commands."""
    app = typer.Typer(
        help="Stud poker on an append-only log: play, replay, verify, export, audit, measure.",
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


def _help_hint(problem: typer.TyperException) -> str:
    context = getattr(problem, "ctx", None)
    path = getattr(context, "command_path", "doorcard")
    return f" (see '{path} --help')"
