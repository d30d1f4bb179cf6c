"""Unambiguous bytes for what is authenticated: each field with its length before it."""

from __future__ import annotations

from doorcard.errors import BadInput


def framed(domain: bytes, *fields: int | str | bytes | None) -> bytes:
    """Encode a domain and fields so that no two different lists of fields give the same bytes.

    Each part is its length in 4 bytes, then its bytes, numbers big-endian: text as UTF-8, integers
    as 8 bytes without sign, None as no bytes. A reader knows the type of each field beforehand.

    Raises:
        BadInput: an integer is negative or needs more than 8 bytes, or text is not valid Unicode.
    """
    parts: list[bytes] = []
    for part in (domain, *map(_field_bytes, fields)):
        parts += (len(part).to_bytes(4, "big"), part)
    return b"".join(parts)


def _field_bytes(field: int | str | bytes | None) -> bytes:
    try:
        if isinstance(field, int):
            return field.to_bytes(8, "big")
        if isinstance(field, str):
            return field.encode()
    except (OverflowError, UnicodeEncodeError) as problem:
        raise BadInput(f"{field!r} cannot be authenticated: {problem}") from None
    return field or b""
