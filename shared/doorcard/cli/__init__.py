"""The ``doorcard`` command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

__all__ = ["main"]

NEEDED: Final = frozenset({"cryptography", "hiredis", "msgpack", "redis", "rich", "typer"})
"""What the commands need beside the library, which needs nothing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code. Where packages are missing, say how to get them."""
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
