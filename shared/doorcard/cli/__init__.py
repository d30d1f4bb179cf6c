"""The ``doorcard`` command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

__all__ = ["main"]

NEEDED: Final = frozenset(
    {"cryptography", "hiredis", "msgpack", "pydantic", "redis", "rich", "typer"}
)
"""What the commands need beside the library, which needs nothing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code.

    Args:
        arguments: what stands behind ``doorcard``; None for what was typed. The process then is
            the program's own, to its end.
    """
    if arguments is not None:
        return _run(arguments)
    from doorcard.cli.program import run_program  # noqa: PLC0415  # nothing where others run it

    return run_program("doorcard", lambda: _run(None))


def _run(arguments: Sequence[str] | None) -> int:
    """Run the command. Where packages are missing, say how to get them."""
    try:
        from doorcard.cli.app import main as run  # noqa: PLC0415  # typer may be missing

        return run(arguments)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in NEEDED:
            raise
        print(
            f"doorcard: the commands need more than the library: {missing.name} is not installed; "
            "pip install 'doorcard[service]' installs all",
            file=sys.stderr,
        )
        return 2
