"""Sealing: bytes that one key alone can open, and only where they belong.

The primitive is HPKE (RFC 9180), base mode, single shot, with DHKEM(X25519, HKDF-SHA256),
HKDF-SHA256 and AES-128-GCM; the associated data is empty. The context is HPKE's ``info``: a sealed
value that is moved to another table, hand, commit, seat, key or purpose does not open. On the wire
stand the 32 bytes of the encapsulated key, the ciphertext as long as the plaintext, and 16 bytes
of tag.

Nearly all of the time goes into X25519 itself: two multiplications to seal, one to open. Of the
ciphers as fast, AES-GCM is the one that browsers have built in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from doorcard.cards import CARDS, Card
from doorcard.errors import BadInput, BadKey
from doorcard.fairness.deck import SALT_BYTES
from doorcard.fairness.framing import framed

FORMAT: Final = 1
PUBLIC_KEY_BYTES: Final = 32
OVERHEAD_BYTES: Final = 48
"""How much longer the sealed bytes are than the plaintext."""
CHOICE_BYTES: Final = 32
SEALED_CHOICE_BYTES: Final = CHOICE_BYTES + OVERHEAD_BYTES
"""The length of every sealed choice, whatever was chosen."""

_SUITE: Final = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)
_DOMAIN: Final = b"doorcard/v1/seal"
_CARD_BYTES: Final = 2 + SALT_BYTES
_PUBLIC_KEYS_REMEMBERED: Final = 4096


class Context(NamedTuple):
    """Where a sealed value belongs. It opens only under the very context it was sealed in."""

    table: str
    hand: int
    seq: int
    """The number of the commit that carries it; for a choice, of the decision that it answers."""
    chain: bytes
    """The table's chain hash before that commit; for a choice, before the hand."""
    key_id: str
    """Names the key that opens it."""
    purpose: str
    """What it is: ``seed``, ``card``, ``choice`` …"""
    format: int = FORMAT
    seat: int | None = None
    """Whose it is, where it has an owner. It keeps a player from sending in another's sealed
    choice as his own."""


def seal(public_key: bytes, context: Context, plaintext: bytes) -> bytes:
    """Seal bytes so that only the owner of the public key can open them, in this context.

    Sealing the same bytes twice gives different results, both of which open.

    Raises:
        BadKey: nothing can be sealed to this public key (``is_public_key`` says so beforehand).
        BadInput: the context has a number or a text that cannot be encoded.
    """
    key, information = _public_key(public_key), context_bytes(context)
    try:
        return _SUITE.encrypt(plaintext, key, information)
    except ValueError:
        raise BadKey("nothing can be sealed to this public key: it agrees on no secret") from None


def open_sealed(private_key: X25519PrivateKey, context: Context, sealed: bytes) -> bytes:
    """Open what ``seal`` made.

    Raises:
        BadKey: it was sealed to another key or in another context, or its bytes were changed.
    """
    information = context_bytes(context)
    try:
        return _SUITE.decrypt(sealed, private_key, information)
    except InvalidTag:
        raise BadKey(_does_not_open(context)) from None


def seal_cards(
    public_key: bytes, context: Context, cards: Sequence[tuple[int, Card, bytes]]
) -> bytes:
    """Seal all the face-down cards that one seat gets in one deal, each with its position and salt.

    Inside, each card is the 18 bytes that its leaf hashes, so the length tells how many cards there
    are and nothing else.

    Raises:
        BadKey: as for ``seal``.
        BadInput: a position does not fit a byte, or a salt is not 16 bytes.
    """
    return seal(public_key, context, b"".join([_card_bytes(*entry) for entry in cards]))


def open_cards(
    private_key: X25519PrivateKey, context: Context, sealed: bytes
) -> tuple[tuple[int, Card, bytes], ...]:
    """Open what ``seal_cards`` made: (position, card, salt) of each card, in the order dealt.

    Raises:
        BadKey: as for ``open_sealed``.
        BadInput: it opened, but what is inside are no cards.
    """
    opened = open_sealed(private_key, context, sealed)
    entries = [opened[i : i + _CARD_BYTES] for i in range(0, len(opened), _CARD_BYTES)]
    if len(opened) % _CARD_BYTES or any(entry[1] >= len(CARDS) for entry in entries):
        raise BadInput(f"what {_name(context)} holds is not a list of cards")
    return tuple([(entry[0], CARDS[entry[1]], entry[2:]) for entry in entries])


def seal_choice(public_key: bytes, context: Context, choice: str) -> bytes:
    """Seal a secret simultaneous choice (R18.7); every choice gives the same length.

    Raises:
        BadKey: as for ``seal``.
        BadInput: the choice has more than 31 bytes.
    """
    text = choice.encode()
    if len(text) >= CHOICE_BYTES:
        raise BadInput(f"a choice has at most {CHOICE_BYTES - 1} bytes, not {len(text)}")
    padded = bytes((len(text),)) + text.ljust(CHOICE_BYTES - 1, b"\0")
    return seal(public_key, context, padded)


def open_choice(private_key: X25519PrivateKey, context: Context, sealed: bytes) -> str:
    """Open what ``seal_choice`` made.

    Raises:
        BadKey: as for ``open_sealed``.
        BadInput: it opened, but what is inside is no choice.
    """
    opened = open_sealed(private_key, context, sealed)
    length = opened[0] if opened else CHOICE_BYTES
    text, padding = opened[1 : 1 + length], opened[1 + length :]
    if len(opened) == CHOICE_BYTES and length < CHOICE_BYTES and not any(padding):
        try:
            return text.decode()
        except UnicodeDecodeError:
            pass
    raise BadInput(f"what {_name(context)} holds is not a choice")


def is_public_key(public_key: bytes) -> bool:
    """Say whether cards can be sealed to this key, so that a useless one is refused in time.

    Not so are a wrong length and the few points with which X25519 agrees on nothing secret.
    """
    try:
        X25519PrivateKey.generate().exchange(_public_key(public_key))
    except (BadKey, ValueError):
        return False
    return True


def context_bytes(context: Context) -> bytes:
    """Encode a context, as it is fed to HPKE: see ``framing`` for the layout.

    The domain is ``doorcard/v1/seal``, then format, purpose, table, hand, seq, chain, key id, seat.
    """
    return framed(
        _DOMAIN,
        context.format,
        context.purpose,
        context.table,
        context.hand,
        context.seq,
        context.chain,
        context.key_id,
        context.seat,
    )


@lru_cache(maxsize=_PUBLIC_KEYS_REMEMBERED)
def _public_key(raw: bytes) -> X25519PublicKey:
    if len(raw) != PUBLIC_KEY_BYTES:
        raise BadKey(f"a public key is {PUBLIC_KEY_BYTES} bytes, not {len(raw)}")
    return X25519PublicKey.from_public_bytes(raw)


def _card_bytes(index: int, card: Card, salt: bytes) -> bytes:
    if not 0 <= index <= 255 or len(salt) != SALT_BYTES:
        raise BadInput("a sealed card has a position of 0 to 255 and a salt of 16 bytes")
    return bytes((index, card)) + salt


def _does_not_open(context: Context) -> str:
    return (
        f"{_name(context)} does not open: sealed to another key than {context.key_id!r} names, "
        "moved from its place, or changed"
    )


def _name(context: Context) -> str:
    owner = "" if context.seat is None else f" of seat {context.seat}"
    return (
        f"the sealed {context.purpose}{owner} in commit {context.seq}, "
        f"hand {context.hand} of table {context.table}"
    )
