"""structlog without rich.

structlog loads rich where that is installed, for coloured tracebacks: four megabytes of each
worker, whose lines are JSON. What stands in ``sys.modules`` as None counts as not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

__all__ = ["structlog"]


@contextmanager
def _hidden(name: str) -> Generator[None]:
    """Let a package look as if it were not installed; one that is loaded stays as it is."""
    modules = cast("dict[str, Any]", sys.modules)
    if name in modules:
        yield
        return
    modules[name] = None
    try:
        yield
    finally:
        del modules[name]


with _hidden("rich"):
    import structlog
