"""What every ranking has in common: names, keys, and which of two keys wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, TypeVar

from doorcard.cards import Card

Key: TypeAlias = tuple[int, ...]
"""A hand's worth: a class, then what decides within it, compared from the left. When one key is
the beginning of another, the longer one is the larger (tuples compare just so)."""

Ranking: TypeAlias = Literal["high", "a5", "a6", "27", "8ob", "soko"]
"""High (K2), ace-to-five (K5), ace-to-six (K6), deuce-to-seven (K7), eight or better (K9) and
Sökö (K8)."""

BoardOrder: TypeAlias = Literal["high", "soko", "a5", "a6", "27"]
"""What upcards are ordered by to find who acts first (K3, K4, K8.2)."""

LARGER_WINS: Final[frozenset[Ranking]] = frozenset({"high", "soko"})
"""The rankings whose larger key wins; in all others the smaller key does (K1)."""

ACE_LOW: Final[frozenset[Ranking]] = frozenset({"a5", "a6", "8ob"})
"""The rankings in which an ace counts 1 throughout (K5.1, K6.1, K9.1)."""

Holder = TypeVar("Holder")


def better(ranking: Ranking, one: Key, other: Key) -> int:
    """Return 1 when ``one`` beats ``other``, -1 when it loses, 0 when they tie (R1.4)."""
    larger = (one > other) - (one < other)
    return larger if ranking in LARGER_WINS else -larger


def best(ranking: Ranking, keys: Mapping[Holder, Key | None]) -> tuple[Holder, ...]:
    """Return who holds the best key, tied holders together, in the order of ``keys``.

    A holder whose key is None has no hand of this ranking and cannot win; when nobody has one,
    nobody is returned.
    """
    held = [key for key in keys.values() if key is not None]
    if not held:
        return ()
    winning = max(held) if ranking in LARGER_WINS else min(held)
    return tuple(holder for holder, key in keys.items() if key == winning)


def card_order(ranking: Ranking, card: Card) -> int:
    """Sort key of a card by its rank in this ranking, then by suit (R1.3, R15.4).

    The ace counts 1 where the ranking says so throughout; a high five-high straight is still
    headed by its ace.
    """
    return card - 52 if card >= 48 and ranking in ACE_LOW else int(card)
