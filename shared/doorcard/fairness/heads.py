"""Published heads: signed statements of how far a table's log had come, kept outside the store.

A log whose tail was cut off, or that was rewritten from some commit on with a new chain, still
looks whole by itself. It cannot agree with a head that was published before.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from doorcard.errors import BadInput, BadKey
from doorcard.fairness.framing import framed
from doorcard.fairness.secret import Secret

FORMAT: Final = 1
CHAIN_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

_DOMAIN: Final = b"doorcard/v1/head"
_FIELDS: Final = {
    "format": int,
    "table": str,
    "hand": int,
    "seq": int,
    "chain": str,
    "key_id": str,
    "signature": str,
}


class PublishedHead(NamedTuple):
    """The end of a table's log at one moment, signed."""

    table: str
    hand: int
    """The number of the hand that had just ended."""
    seq: int
    """The number of the last commit."""
    chain: bytes
    """The chain hash after that commit, 32 bytes."""
    key_id: str
    """Names the key that signed. Whom to trust is the reader's decision: no key travels along."""
    signature: bytes
    """Ed25519 over ``head_bytes``."""

    def to_json(self) -> str:
        """Write one line of JSON, without the line's end; hashes and signature as hexadecimals."""
        values = (FORMAT, *self[:3], self.chain.hex(), self.key_id, self.signature.hex())
        return json.dumps(dict(zip(_FIELDS, values, strict=True)))

    @classmethod
    def from_json(cls, line: str) -> PublishedHead:
        """Read what ``to_json`` wrote. The signature is not checked here.

        Raises:
            BadInput: the line is no published head, or one of a newer format.
        """
        values = _fields_of(line)
        if values["format"] != FORMAT:
            raise BadInput(f"a published head of format {values['format']} cannot be read")
        chain = _from_hexadecimals(values, "chain", CHAIN_BYTES)
        signature = _from_hexadecimals(values, "signature", SIGNATURE_BYTES)
        return cls(
            str(values["table"]),
            int(values["hand"]),
            int(values["seq"]),
            chain,
            str(values["key_id"]),
            signature,
        )


class HeadSigner(Secret):
    """Signs published heads with one Ed25519 key.

    Raises:
        BadKey: the private key is not 32 bytes.
    """

    __slots__ = ("_private", "key_id", "public")

    key_id: str
    public: bytes
    """The raw 32 bytes with which anyone checks the signatures."""
    _private: Ed25519PrivateKey

    def __init__(self, key_id: str, private_bytes: bytes) -> None:
        if len(private_bytes) != 32:
            raise BadKey(f"signing key {key_id!r} is {len(private_bytes)} bytes, not 32")
        private = Ed25519PrivateKey.from_private_bytes(private_bytes)
        object.__setattr__(self, "_private", private)
        object.__setattr__(self, "key_id", key_id)
        object.__setattr__(self, "public", private.public_key().public_bytes_raw())

    def sign(self, table: str, hand: int, seq: int, chain: bytes) -> PublishedHead:
        """State that after this commit the table's log had this chain hash.

        Raises:
            BadInput: a number is negative or a chain hash is not 32 bytes.
        """
        if len(chain) != CHAIN_BYTES:
            raise BadInput(f"a chain hash is {CHAIN_BYTES} bytes, not {len(chain)}")
        unsigned = PublishedHead(table, hand, seq, chain, self.key_id, b"")
        return unsigned._replace(signature=self._private.sign(head_bytes(unsigned)))


def verify_head(public: bytes, head: PublishedHead) -> bool:
    """Say whether the owner of this public key signed exactly this head.

    Raises:
        BadKey: the public key itself is not an Ed25519 key.
    """
    if len(public) != 32:
        raise BadKey(f"a public signing key is 32 bytes, not {len(public)}")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(head.signature, head_bytes(head))
    except (BadInput, InvalidSignature):
        return False
    return True


def head_bytes(head: PublishedHead) -> bytes:
    """Encode what is signed: everything but the signature, laid out as ``framing`` says.

    The domain is ``doorcard/v1/head``, then format, table, hand, seq, chain, key id.
    """
    return framed(_DOMAIN, FORMAT, head.table, head.hand, head.seq, head.chain, head.key_id)


def _fields_of(line: str) -> dict[str, int | str]:
    try:
        parsed: object = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"a published head is one line of JSON: {problem}") from None
    if not isinstance(parsed, dict):
        raise BadInput("a published head is a JSON object")
    values = cast("dict[str, object]", parsed)
    found: dict[str, int | str] = {}
    for name, kind in _FIELDS.items():
        value = values.get(name)
        if not isinstance(value, int | str) or type(value) is not kind:
            raise BadInput(f"a published head needs {name!r}, of type {kind.__name__}")
        found[name] = value
    return found


def _from_hexadecimals(values: dict[str, int | str], name: str, length: int) -> bytes:
    try:
        found = bytes.fromhex(str(values[name]))
    except ValueError:
        found = b""
    if len(found) != length:
        raise BadInput(f"a published head's {name} is {2 * length} hexadecimal digits")
    return found
