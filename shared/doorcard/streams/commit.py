"""One decision's events, as they are appended to a table's log: all of them or none."""

from __future__ import annotations

from typing import Final, NamedTuple

from doorcard.events import Event
from doorcard.tables import Role

ROLES: Final[tuple[Role, ...]] = ("floor", "dealer", "betting", "showdown")
"""Roles by their number on the wire, which is for ever."""
ROLE_NUMBERS: Final[dict[Role, int]] = {role: number for number, role in enumerate(ROLES)}
PREV_BYTES: Final = 8
"""How much of the chain hash before it a commit repeats."""


class Commit(NamedTuple):
    """The events of one decision, and what is said about them."""

    time_ms: int
    """When it was decided, in milliseconds since 1970, UTC, by the store's clock."""
    role: Role
    """Who decided it; its events must be that role's."""
    cause: str
    """Id of the request or message that it answers; empty where nobody asked."""
    digest: bytes
    """Hash of that request's body, so that the same id with another body is recognised."""
    prev: bytes
    """The first ``PREV_BYTES`` bytes of the chain hash before this commit."""
    events: tuple[Event, ...]
    """At least one."""
