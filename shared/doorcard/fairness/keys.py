"""The keys: one for each seat, and the ring of deck keys that dealer and showdown hold.

A key ring is a JSON object, in a file of mode 0600 or in the environment::

    {"format": 1,
     "current": "2025-a", "deck_keys": {"2025-a": "<32 bytes in base64>", "2024-b": "…"},
     "current_head": "2025-h", "head_keys": {"2025-h": "<32 bytes in base64>"}}

Deck keys are X25519, head keys Ed25519; a ring may do without head keys. In the environment the
same may be written ``2025-a:<base64>,2024-b:<base64>,head/2025-h:<base64>``; the first of each
kind is the current one. Keys are added and made current, never removed: an old hand opens with
the key that it names.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from doorcard.cards import Card
from doorcard.errors import BadKey
from doorcard.fairness import ring_file, ring_text, sealing
from doorcard.fairness.heads import HeadSigner
from doorcard.fairness.ring_text import RingKeys
from doorcard.fairness.sealing import Context
from doorcard.fairness.secret import Secret

ENVIRONMENT_NAME: Final = "DOORCARD_DECK_KEYS"


class SeatKey(Secret):
    """A player's private X25519 key: it opens the cards sealed to its seat, and no others.

    Raises:
        BadKey: the private key is not 32 bytes.
    """

    __slots__ = ("_private", "public")

    public: bytes
    """The raw 32 bytes that are given when sitting down."""
    _private: X25519PrivateKey

    def __init__(self, private_bytes: bytes) -> None:
        private = _private_key("of a seat", private_bytes)
        object.__setattr__(self, "_private", private)
        object.__setattr__(self, "public", private.public_key().public_bytes_raw())

    @classmethod
    def generate(cls) -> SeatKey:
        """Make a new key from the operating system's secure source."""
        return cls(secrets.token_bytes(ring_text.KEY_BYTES))

    @property
    def private_bytes(self) -> bytes:
        """The secret itself, for a player's program to keep."""
        return self._private.private_bytes_raw()

    @property
    def key_id(self) -> str:
        """The fingerprint of the public key."""
        return fingerprint(self.public)

    def open(self, context: Context, sealed: bytes) -> bytes:
        """Open what was sealed to this key; raises as ``sealing.open_sealed``."""
        return sealing.open_sealed(self._private, context, sealed)

    def open_cards(self, context: Context, sealed: bytes) -> tuple[tuple[int, Card, bytes], ...]:
        """Open the cards of one deal; raises as ``sealing.open_cards``."""
        return sealing.open_cards(self._private, context, sealed)


class DeckKeyRing(Secret):
    """The deck keys, each with its id, one of them current; and the keys that sign heads.

    A ring does not change: ``add`` and its like give a new one. ``update`` changes the file.
    """

    __slots__ = ("_keys", "_private", "_public", "is_new")

    is_new: bool
    """True when ``create`` has just made this ring, which the program should then say."""
    _keys: RingKeys
    _private: Mapping[str, X25519PrivateKey]
    _public: Mapping[str, bytes]

    def __init__(self, keys: RingKeys, *, is_new: bool = False) -> None:
        private = {key_id: _private_key(key_id, raw) for key_id, raw in keys.deck_keys.items()}
        object.__setattr__(self, "_keys", keys)
        public = {key_id: key.public_key().public_bytes_raw() for key_id, key in private.items()}
        object.__setattr__(self, "_private", private)
        object.__setattr__(self, "_public", public)
        object.__setattr__(self, "is_new", is_new)

    @classmethod
    def load(cls, path: Path) -> DeckKeyRing:
        """Read a key-ring file.

        Raises:
            BadKey: it is not there, can be read by others, or is not a key ring.
        """
        return cls(ring_text.parsed(ring_file.read_private(path), f"the key ring {path}"))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> DeckKeyRing | None:
        """Read the ring from ``DOORCARD_DECK_KEYS``; None where it is unset or empty.

        Raises:
            BadKey: the value is not a key ring.
        """
        if not environment.get(ENVIRONMENT_NAME):
            return None
        return cls(ring_text.parsed(environment[ENVIRONMENT_NAME], ENVIRONMENT_NAME))

    @classmethod
    def create(cls, path: Path) -> DeckKeyRing:
        """Read a key-ring file, or make one with development keys where there is none yet.

        Processes that start together end up with the same keys.

        Raises:
            BadKey: the file is there and cannot be used, or cannot be written.
        """
        if path.exists():
            return cls.load(path)
        with ring_file.locked(path):
            if path.exists():
                return cls.load(path)
            made = cls(_development_keys(), is_new=True)
            ring_file.write_private(path, made.to_json())
            return made

    @classmethod
    def update(cls, path: Path, change: Callable[[DeckKeyRing], DeckKeyRing]) -> DeckKeyRing:
        """Change a key-ring file, as in ``update(path, lambda ring: ring.add("2026-a"))``.

        Raises:
            BadKey: from reading, from the change, or from writing; the file is then as before.
        """
        with ring_file.locked(path):
            changed = change(cls.load(path))
            ring_file.write_private(path, changed.to_json())
            return changed

    @property
    def current_id(self) -> str:
        """The id of the deck key that new secrets are sealed to."""
        return self._keys.current

    def has(self, key_id: str) -> bool:
        """Whether the ring has a deck key with this id."""
        return key_id in self._private

    def public(self, key_id: str | None = None) -> bytes:
        """The raw public key with this id, or the current one.

        Raises:
            BadKey: the ring has no such key; its id is named.
        """
        key_id = key_id or self.current_id
        self._named(key_id)
        return self._public[key_id]

    def public_only(self) -> dict[str, bytes]:
        """All public deck keys by id: what a program needs that seals and may not open."""
        return {key_id: self.public(key_id) for key_id in self._private}

    def open(self, context: Context, sealed: bytes) -> bytes:
        """Open what was sealed to the deck key that the context names.

        Raises:
            BadKey: the ring has no such key, or as for ``sealing.open_sealed``.
        """
        return sealing.open_sealed(self._named(context.key_id), context, sealed)

    def open_choice(self, context: Context, sealed: bytes) -> str:
        """Open a secret choice; raises as ``open`` and as ``sealing.open_choice``."""
        return sealing.open_choice(self._named(context.key_id), context, sealed)

    def add(self, key_id: str) -> DeckKeyRing:
        """Add a new deck key; the current one stays current, so every holder can learn it first.

        Raises:
            BadKey: the id is taken or not 1 to 64 letters, digits, dots, underscores and hyphens.
        """
        return DeckKeyRing(self._keys.with_deck_key(key_id, _new_key()))

    def make_current(self, key_id: str) -> DeckKeyRing:
        """Seal new secrets to this deck key from now on.

        Raises:
            BadKey: the ring has no such key.
        """
        self._named(key_id)
        return DeckKeyRing(replace(self._keys, current=key_id))

    def add_head_key(self, key_id: str) -> DeckKeyRing:
        """Add a new head key and sign with it from now on.

        Raises:
            BadKey: as for ``add``.
        """
        return DeckKeyRing(self._keys.with_head_key(key_id, _new_key()))

    def head_signer(self) -> HeadSigner:
        """The signer of published heads, with the current head key.

        Raises:
            BadKey: the ring has no head key.
        """
        key_id = self._keys.current_head
        if key_id is None:
            raise BadKey("the key ring has no head key to sign with")
        return HeadSigner(key_id, self._keys.head_keys[key_id])

    def head_publics(self) -> dict[str, bytes]:
        """All public head keys by id, with which ``verify_head`` checks published heads."""
        keys = self._keys.head_keys
        return {key_id: HeadSigner(key_id, keys[key_id]).public for key_id in keys}

    def to_json(self) -> str:
        """Write the ring, secrets and all, as a file or the environment holds it."""
        return ring_text.written(self._keys)

    def _named(self, key_id: str) -> X25519PrivateKey:
        found = self._private.get(key_id)
        if found is None:
            raise BadKey(f"the key ring has no deck key {key_id!r}")
        return found


def fingerprint(public: bytes) -> str:
    """Name a public key: the first 16 hexadecimal digits of its SHA-256."""
    return sha256(public).hexdigest()[:16]


def _new_key() -> bytes:
    return secrets.token_bytes(ring_text.KEY_BYTES)


def _private_key(key_id: str, private_bytes: bytes) -> X25519PrivateKey:
    if len(private_bytes) != ring_text.KEY_BYTES:
        raise BadKey(f"the private key {key_id} is {len(private_bytes)} bytes, not 32")
    return X25519PrivateKey.from_private_bytes(private_bytes)


def _development_keys() -> RingKeys:
    deck, head = _new_key(), _new_key()
    deck_id = f"dev-{fingerprint(SeatKey(deck).public)[:8]}"
    head_id = f"dev-{fingerprint(HeadSigner('', head).public)[:8]}"
    return RingKeys({deck_id: deck}, deck_id, {head_id: head}, head_id)
