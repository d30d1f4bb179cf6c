"""Answers of a store that are not what its commands are answered with.

Something between, a proxy say, may answer for the server, or the server is none that this program
knows. That is trouble with the store as a lost connection is: nobody's message is at fault, and
what is in and what is not is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Final, ParamSpec, TypeVar

from redis.exceptions import InvalidResponse

from doorcard.errors import DoorcardError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Adapter = TypeVar("Adapter")
_MISREAD: Final = (TypeError, ValueError, LookupError, AttributeError)
"""What comes of taking apart an answer of another shape."""


def understands(ask: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """A function that asks a store; ``InvalidResponse`` where the answer cannot be taken apart."""

    @wraps(ask)
    def asked(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:
            return ask(*arguments, **named)
        except DoorcardError:  # some are ValueErrors too
            raise
        except _MISREAD as error:
            kind, name = type(error).__name__, ask.__qualname__
            why = f"no server answers {name} like that ({kind})"
            raise InvalidResponse(why) from error

    return asked


def all_understand(adapter: type[Adapter]) -> type[Adapter]:
    """``understands`` for every public method of a class that asks a store."""
    for name, method in list(vars(adapter).items()):
        if isinstance(method, FunctionType) and not name.startswith("_"):
            setattr(adapter, name, understands(method))
    return adapter
