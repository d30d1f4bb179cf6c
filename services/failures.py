"""What a program that ends for the store's reasons says of it."""

from __future__ import annotations

import os

from redis.exceptions import ConnectionError as Gone
from redis.exceptions import RedisError

from doorcard.cli.where import EMBEDDED, URL_VARIABLE


def sentence_of(error: Exception) -> str | None:
    """What is wrong, in one sentence; None if it is a fault of the program's own."""
    if isinstance(error, RedisError):
        hint = unset_hint() if isinstance(error, Gone) else ""
        return f"the store cannot be used: {error}{hint}"
    return None


def unset_hint() -> str:
    """What may be wrong where no store answers: none was named."""
    if URL_VARIABLE in os.environ:
        return ""
    hint = f"; {URL_VARIABLE} names the store, and is not set"
    if EMBEDDED.is_file():
        hint += f"; for the one in {EMBEDDED.parts[0]}: "
        hint += f"export {URL_VARIABLE}=$(head -n 1 {EMBEDDED})"
    return hint
