"""Older forms of a commit: lifted to today's when read, and lowered to the one that is written.

The table of formats is ``STEPS``. A step leads from one format to the next and back, so a log of
any age goes up the steps from its own format on, and a commit goes down them to the format that
the service still writes. Today's format is the first, so there is no step yet.

What is new on the wire is a new format, even if it only adds something: an event, a field, a
command, a game, a house rule, a kind of notice. A program reads all formats up to its own and
writes the one that it is told to, so that one that is older can share the work until it is gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from doorcard.engine.dealer import SNAPSHOT_FORMAT
from doorcard.errors import BadCommit, BadInput, NewerFormat

FORMAT: Final = 1
"""The newest format that this program reads; a commit's is the first number in its bytes."""
WRITTEN: Final = 1
"""The format that is written unless a setting says otherwise: the newest one that the release
before this one reads. So a release that brings a format leaves this as it is."""

Row = tuple[Any, ...]
Change = Callable[[Row], Row]


class Step(NamedTuple):
    """From one format to the next, and back. Nothing is lost: lifted and lowered is as before."""

    lift: Change
    """The row of a commit in the next format."""
    lower: Change
    """The row of a commit of the next format in this one; where it says something that this one
    has no form for, raises ``NeedsFormat``."""


STEPS: Final[dict[int, Step]] = {}
"""By the lower format of the two."""
SNAPSHOT_LIFTS: Final[dict[int, Change]] = {}
"""The snapshots in ``HandStarted`` carry a format of their own. A new one of theirs comes with a
new one of the commit, whose step takes it back."""


def lift_commit(row: Row) -> Row:
    """The row of a commit in today's format.

    Raises:
        BadCommit: it names no format, one newer than this program, or one that never was.
    """
    return _lifted(row, {number: step.lift for number, step in STEPS.items()}, FORMAT, "commit")


def lower_commit(row: Row, written: int) -> Row:
    """The row of a commit of today's format in an older one.

    Raises:
        BadInput: this program does not write that format.
        NeedsFormat: the commit says something that the format has no form for.
    """
    require_writable(written)
    for number in range(FORMAT - 1, written - 1, -1):
        row = STEPS[number].lower(row)
    return row


def require_writable(written: int) -> None:
    """Raise ``BadInput`` unless this program can write a format."""
    if written != FORMAT and written not in STEPS:
        oldest = min(STEPS, default=FORMAT)
        raise BadInput(f"this program writes formats {oldest} to {FORMAT}, and not {written}")


def lift_snapshot(row: Row) -> Row:
    """The row of a snapshot in today's format; raises as ``lift_commit``."""
    return _lifted(row, SNAPSHOT_LIFTS, SNAPSHOT_FORMAT, "snapshot")


def _lifted(row: Row, lifts: dict[int, Change], newest: int, what: str) -> Row:
    while (found := _format_of(row, what)) != newest:
        if found > newest:
            raise NewerFormat(
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
