"""What every holder of a secret has in common: it cannot be printed, pickled or changed."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex


class Secret:
    """Base of all values that must not slip into a log line, a traceback, a cache or a queue."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, secret>"

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, format_spec: str) -> str:
        return repr(self)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is secret and is neither copied nor pickled")
