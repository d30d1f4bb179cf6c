"""What a program that ends for the machine's or the store's reasons says of it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from redis.exceptions import RedisError


def sentence_of(error: Exception) -> str | None:
    """What is wrong, in one sentence; None if it is a fault of the program's own."""
    if isinstance(error, RedisError):
        return f"the store cannot be used: {error}"
    if isinstance(error, OSError):
        _let_go_of_output()
        return f"the machine does not let it: {error}"
    return None


def _let_go_of_output() -> None:
    """Write what is left in standard output nowhere: maybe it cannot be written where it should.

    Else Python tries once more as it ends, says so, and ends with 120.
    """
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError, ValueError), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
