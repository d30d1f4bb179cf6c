"""Which function applies which event: the reducer's table, filled where the functions stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from doorcard.engine.table import Table
from doorcard.events import Event

E = TypeVar("E", bound=Event)
Handler = Callable[[Table, Event], None]
HANDLERS: Final[dict[type, Handler]] = {}


def on(*kinds: type[E]) -> Callable[[Callable[[Table, E], None]], Callable[[Table, E], None]]:
    """Make a function the handler of one or more kinds of event."""

    def register(handler: Callable[[Table, E], None]) -> Callable[[Table, E], None]:
        for kind in kinds:
            # The key guarantees what the type cannot say: a handler gets its own kinds only.
            HANDLERS[kind] = handler  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]
        return handler

    return register
