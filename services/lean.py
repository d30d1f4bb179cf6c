"""structlog and redis without what they load where it happens to be installed.

structlog loads rich, for coloured tracebacks: four megabytes of each worker, whose lines are JSON.
redis loads OpenTelemetry's SDK, for metrics of its own: two more. So whoever loads this first has
them lean. What stands in ``sys.modules`` as None counts as not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

__all__ = ["redis", "structlog"]


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
with _hidden("opentelemetry"):
    import redis
