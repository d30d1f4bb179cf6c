"""A release to come, made from outside: it reads formats 1 to 3, and still writes the first.

Format 2 is another layout: the events' tags stand apart from their fields. Format 3 is the first
one's layout again, which is what this code reads; so what is written as 2 and 3 really goes up
and down the steps.

``python -m tests.newer ROLE`` is a program of that release.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from doorcard.streams import upcast
from doorcard.streams.upcast import Row, Step

NEWEST: Final = 3


def _apart(row: Row) -> Row:
    """From the first layout to that of format 2."""
    _, time_ms, role, cause, digest, prev, events = row
    tags = tuple([event[0] for event in events])
    return (2, prev, role, time_ms, cause, digest, tags, tuple([event[1:] for event in events]))


def _together(number: int, row: Row) -> Row:
    """From format 2 to a format of the first layout."""
    _, prev, role, time_ms, cause, digest, tags, fields = row
    events = tuple([(tag, *rest) for tag, rest in zip(tags, fields, strict=True)])
    return (number, time_ms, role, cause, digest, prev, events)


STEPS: Final = {
    1: Step(lift=_apart, lower=partial(_together, 1)),
    2: Step(lift=partial(_together, 3), lower=_apart),
}


@contextmanager
def release(newest: int, steps: dict[int, Step]) -> Generator[None]:
    """Let this process be a release that knows some formats, for as long as the context lasts."""
    from doorcard.streams import codec, messages

    modules: tuple[Any, ...] = (upcast, codec, messages)
    before = [module.FORMAT for module in modules], dict(upcast.STEPS)
    try:
        for module in modules:
            module.FORMAT = newest
        _know(steps)
        yield
    finally:
        for module, number in zip(modules, before[0], strict=True):
            module.FORMAT = number
        _know(before[1])


def newer_release() -> Any:
    """Be the release to come."""
    return release(NEWEST, STEPS)


def older_release() -> Any:
    """Be the release that knows the first format alone."""
    return release(1, {})


def _know(steps: dict[int, Step]) -> None:
    upcast.STEPS.clear()
    upcast.STEPS.update(steps)


def main() -> None:
    """Run a program of the service as the release to come would."""
    module: Any = upcast  # before anything else is loaded, which then takes it as it is
    module.FORMAT = NEWEST
    _know(STEPS)
    from services.__main__ import main as run

    run()


if __name__ == "__main__":
    main()
