"""What a program that ends for the store's reasons says of it."""

from __future__ import annotations

from redis.exceptions import RedisError


def sentence_of(error: Exception) -> str | None:
    """What is wrong, in one sentence; None if it is a fault of the program's own."""
    if isinstance(error, RedisError):
        return f"the store cannot be used: {error}"
    return None
