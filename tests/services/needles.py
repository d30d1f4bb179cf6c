"""Finding any of thousands of secrets in a haystack of bytes, in every encoding that is in use."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Final

WINDOW: Final = 8
"""Bytes compared at once; no needle is shorter."""


class Needles:
    """Secrets of 16 bytes or more, raw, as hexadecimals, and in base64 at every alignment."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        self._by_start: dict[int, list[tuple[bytes, bytes]]] = {}
        for secret in secrets:
            for needle in _encodings(secret):
                start = int.from_bytes(needle[:WINDOW], "little")
                self._by_start.setdefault(start, []).append((needle, secret))

    def found_in(self, hay: bytes) -> set[bytes]:
        """The secrets that occur anywhere."""
        found: set[bytes] = set()
        starts = frozenset(self._by_start)
        for shift in range(WINDOW):
            part = hay[shift : len(hay) - (len(hay) - shift) % WINDOW]
            for start in starts.intersection(memoryview(part).cast("Q")):
                found |= {secret for needle, secret in self._by_start[start] if needle in hay}
        return found


def _encodings(secret: bytes) -> list[bytes]:
    """A secret as it would stand in a text, on its own or inside of something longer."""
    hexadecimal = secret.hex().encode()
    encodings = [secret, hexadecimal, hexadecimal.upper()]
    for before in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = encode(b"\0" * before + secret)
            whole = len(text) - len(text) % 4 - (4 if len(secret) + before != len(text) else 0)
            encodings.append(text[4 if before else 0 : whole])
    return [encoding for encoding in encodings if len(encoding) >= WINDOW]
