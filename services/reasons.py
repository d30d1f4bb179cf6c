"""The reasons that an operator gives, and how any are shown."""

from __future__ import annotations

from typing import Final

from doorcard.errors import BadInput

REASON_LETTERS_MAX: Final = 200
"""As many as a message to the floor takes."""


def require_reason(reason: str) -> None:
    """Raise ``BadInput`` unless a reason says something, and not too much."""
    if not reason.strip():
        raise BadInput("say why: the reason is empty")
    if len(reason) > REASON_LETTERS_MAX:
        raise BadInput(f"a reason has at most {REASON_LETTERS_MAX} characters, not {len(reason)}")


def escaped(text: str) -> str:
    """A text on one line, whatever is in it: what a terminal would obey is written as escapes."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )
