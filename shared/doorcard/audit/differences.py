"""The first difference between what a log says and what follows from it, in words.

Cards, keys, salts and sealed bytes are never repeated: a finding may be read by anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from doorcard.cards import Card
from doorcard.events import Event

Items = tuple[object, ...]


def first_difference(found: Sequence[Event], expected: Sequence[Event]) -> str:
    """How the events of a commit differ from those that are expected; empty if they do not."""
    for one, other in zip(found, expected, strict=False):
        if type(one) is not type(other):
            return f"holds {_name(one)} where {_name(other)} follows"
        if one != other:
            return _difference(_name(one), one, other)
    if len(found) < len(expected):
        return f"lacks {_name(expected[len(found)])}"
    if len(found) > len(expected):
        return f"holds {_name(found[len(expected)])}, and nothing more follows"
    return ""


def _name(event: Event) -> str:
    return type(event).__name__


def _difference(path: str, found: object, expected: object) -> str:
    if isinstance(found, tuple) and isinstance(expected, tuple):
        return _inside(path, cast("Items", found), cast("Items", expected))
    if isinstance(found, Card):
        return f"{path} is another card than follows"
    if isinstance(found, bytes) or isinstance(expected, bytes):
        return f"{path} is not what follows"
    return f"{path} is {found!r}, and {expected!r} follows"


def _inside(path: str, found: Items, expected: Items) -> str:
    names: tuple[str, ...] | None = getattr(expected, "_fields", None)
    for place, (one, other) in enumerate(zip(found, expected, strict=False)):
        if one != other:
            inner = f"{path}[{place}]" if names is None else f"{path}.{names[place]}"
            return _difference(inner, one, other)
    return f"{path} has {len(found)} entries, and {len(expected)} follow"
