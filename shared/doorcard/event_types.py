"""What makes a record an event: a tag for ever, its authors, and equality within its own kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from doorcard.tables import Role

E = TypeVar("E", bound=type)
EVENT_TYPES: Final[dict[int, type]] = {}
TAGS: Final[dict[type, int]] = {}
AUTHORS: Final[dict[type, tuple[Role, ...]]] = {}
"""The roles that may append an event: one, but for what concerns every decision's clock."""
_PLAIN: Final[type[tuple[object, ...]]] = tuple
"""The plain tuple that every event is, with its type said."""


def event(tag: int, *authors: Role) -> Callable[[E], E]:
    """Register an event class. Equality then needs the same class, not only equal fields."""

    def register(cls: E) -> E:
        if tag in EVENT_TYPES:
            raise ValueError(f"event tag {tag} is taken by {EVENT_TYPES[tag].__name__}")
        EVENT_TYPES[tag] = cls
        TAGS[cls] = tag
        AUTHORS[cls] = authors
        # A NamedTuple equals any equal tuple.
        cls.__eq__ = _same  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
        cls.__ne__ = _differs  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
        cls.__hash__ = _hash  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
        return cls

    return register


def _same(self: tuple[object, ...], other: object) -> bool:
    return type(self) is type(other) and _PLAIN.__eq__(self, other)


def _differs(self: tuple[object, ...], other: object) -> bool:
    return not _same(self, other)


def _hash(self: tuple[object, ...]) -> int:
    return hash((type(self).__name__, _PLAIN.__hash__(self)))
