"""The one place where randomness enters: a fresh secret seed for each hand."""

from __future__ import annotations

import secrets
from typing import Final

from doorcard.errors import BadInput
from doorcard.fairness.secret import Secret

SEED_BYTES: Final = 32
"""256 bits; the order of 52 cards needs 226 (S-21)."""


class Seed(Secret, bytes):
    """The 32 secret bytes that decide one deck; they behave as bytes but never print themselves.

    Raises:
        BadInput: not 32 bytes.
    """

    __slots__ = ()

    def __new__(cls, value: bytes) -> Seed:
        """Take 32 bytes for a seed."""
        if len(value) != SEED_BYTES:
            raise BadInput(f"a deck seed is {SEED_BYTES} bytes, not {len(value)}")
        return super().__new__(cls, value)


def new_seed() -> bytes:
    """Draw a seed from the operating system's secure source (R1.2). One hand, one seed (S-28)."""
    return Seed(secrets.token_bytes(SEED_BYTES))
