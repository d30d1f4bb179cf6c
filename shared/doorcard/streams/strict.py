"""Checking commits that come from outside, field by field: imports, files, ``verify``.

The codec tests the type of every field that it reads, and own commits need no more. What others
wrote, or what was put together from other records, is checked here against the declarations
themselves, by a second implementation.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from doorcard.errors import BadCommit
from doorcard.event_types import TAGS
from doorcard.events import Event
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.log import NUMBER_MAX
from doorcard.tables import Role

TEXT_MAX: Final = 10_000
"""The longest text of a commit's own fields."""

_CLASSES: Final[dict[str, Any]] = {cls.__name__: cls for cls in TAGS}
_STRICT: Final = ConfigDict(strict=True, arbitrary_types_allowed=True)


def check_types(commit: Commit) -> None:
    """Raise ``BadCommit`` naming the first field of a commit or its events that is wrong."""
    if type(commit.events) is not tuple or not commit.events:
        raise BadCommit("it holds no events")
    for name, adapter in _header().items():
        _check(adapter, getattr(commit, name), name)
    for place, event in enumerate(commit.events):
        check_event(event, where=f"event {place + 1}")


def check_event(event: Event, *, where: str = "the event") -> None:
    """Raise ``BadCommit`` naming the first field of an event that is wrong."""
    if type(event) not in TAGS:
        raise BadCommit(f"{where} is a {type(event).__name__}, which is no event")
    _check(
        _adapter(type(event).__name__),
        tuple(event),
        f"{where}, {type(event).__name__}",
        event._fields,
    )


def _check(
    adapter: TypeAdapter[object], value: object, where: str, fields: tuple[str, ...] = ()
) -> None:
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = [where, *map(str, first["loc"])]
        if fields:
            place[1] = fields[int(place[1])]
        raise BadCommit(f"{'.'.join(place)}: {first['msg']}") from None


@cache
def _adapter(name: str) -> TypeAdapter[object]:
    return TypeAdapter(_CLASSES[name], config=_STRICT)


@cache
def _header() -> dict[str, TypeAdapter[object]]:
    hints: dict[str, Any] = {
        "time_ms": Annotated[int, Field(ge=0, le=NUMBER_MAX)],
        "role": Role,
        "cause": Annotated[str, Field(max_length=TEXT_MAX)],
        "digest": Annotated[bytes, Field(max_length=64)],
        "prev": Annotated[bytes, Field(min_length=PREV_BYTES, max_length=PREV_BYTES)],
    }
    return {name: TypeAdapter(hint, config=_STRICT) for name, hint in hints.items()}
