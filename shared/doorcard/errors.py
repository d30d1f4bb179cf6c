"""Refusals (values) and errors (exceptions), all in one place.

A *refusal* answers somebody's request: it is returned, never raised, never logged, and changes
nothing. An *exception* means broken bytes, a lost connection or a mistake of ours.

    DoorcardError
    ├── BadLog            a log that cannot be read or does not fold
    │   └── BadCommit     one commit: wrong bytes, wrong shape
    │       └── NewerFormat   one that is not broken: a newer version wrote it
    ├── BadKey            a key is missing or does not open what it should
    ├── BadInput          a file or message from outside that makes no sense
    ├── NeedsFormat       nothing that is written yet can say it
    ├── BrokenInvariant   the engine caught itself: chips or cards do not add up
    ├── NotAllowed        a refusal, raised where nobody looks at what comes back (notebooks)
    └── StoreError        the store cannot be used as it is
"""

from __future__ import annotations

from typing import NamedTuple


class Refused(NamedTuple):
    """Why a request was not granted. Nothing has changed."""

    code: str
    """Stable and machine-readable, as in ``betting/not_your_turn``."""
    sentence: str
    """One sentence for a person."""
    seat: int | None = None
    """The seat that asked, where there is one."""


class DoorcardError(Exception):
    """The root of everything that this library raises on purpose."""


class BadLog(DoorcardError):
    """A log that cannot be read, or that does not fold; names the table and the commit."""


class BadCommit(BadLog):
    """One commit that cannot be read: wrong bytes, a wrong shape, or a newer format."""


class NewerFormat(BadCommit):
    """A commit that nothing is wrong with: a newer version wrote it, and can read it."""


class NeedsFormat(DoorcardError):
    """A commit says something that the format which is still written has no form for."""


class BadKey(DoorcardError):
    """A key is missing, or does not open what it should open."""


class BadInput(DoorcardError, ValueError):
    """A file or message from outside that makes no sense; says what and where."""


class BrokenInvariant(DoorcardError, AssertionError):
    """Chips or cards do not add up after an event; nothing may be appended."""


class NotAllowed(DoorcardError):
    """A refusal as an exception, for programs that call a table directly, as notebooks do."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.sentence)
        self.refused = refused


class StoreError(DoorcardError):
    """The store cannot be used: wrong kind of key, wrong settings, not reachable."""
