"""Older forms, lifted to today's between the codec and the fold.

A lift turns the row of one format into that of the next, so a log of any age goes through the
lifts from its own format on. Today's formats are the first: nothing has been lifted yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from doorcard.engine.dealer import SNAPSHOT_FORMAT
from doorcard.errors import BadCommit

FORMAT: Final = 1
"""Form of a commit, the first number in its bytes."""

Row = tuple[Any, ...]
Lift = Callable[[Row], Row]

COMMIT_LIFTS: Final[dict[int, Lift]] = {}
"""From the format named to the next one, for whole commits."""
SNAPSHOT_LIFTS: Final[dict[int, Lift]] = {}
"""The same for the snapshots in ``HandStarted``, which carry a format of their own."""


def lift_commit(row: Row) -> Row:
    """The row of a commit in today's format.

    Raises:
        BadCommit: it names no format, one newer than this program, or one without a lift.
    """
    return _lifted(row, COMMIT_LIFTS, FORMAT, "commit")


def lift_snapshot(row: Row) -> Row:
    """The row of a snapshot in today's format; raises as ``lift_commit``."""
    return _lifted(row, SNAPSHOT_LIFTS, SNAPSHOT_FORMAT, "snapshot")


def _lifted(row: Row, lifts: dict[int, Lift], newest: int, what: str) -> Row:
    while (found := _format_of(row, what)) != newest:
        if found > newest:
            raise BadCommit(
                f"the {what} has format {found}, and this program knows formats up to {newest}: "
                "it was written by a newer version"
            )
        if found not in lifts:
            raise BadCommit(f"the {what} has format {found}, which never was in use")
        row = lifts[found](row)
    return row


def _format_of(row: Row, what: str) -> int:
    if type(row) is not tuple or not row or type(row[0]) is not int:
        raise BadCommit(f"the {what} does not begin with its format")
    number: int = row[0]
    return number
