"""The sealed bytes are RFC 9180's: a second implementation, straight from its text, opens them."""

from __future__ import annotations

import hmac
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from doorcard.fairness.sealing import Context, open_sealed, seal

KEM_SUITE = b"KEM" + b"\x00\x20"
HPKE_SUITE = b"HPKE" + b"\x00\x20" + b"\x00\x01" + b"\x00\x01"

STORED_PRIVATE = bytes(range(32))
STORED_CONTEXT = Context("p07.x4f", 12, 345, bytes(range(32)), "k1", "seed", seat=3)
STORED_INFORMATION = bytes.fromhex(
    "00000010646f6f72636172642f76312f7365616c000000080000000000000001000000047365656400000007"
    "7030372e78346600000008000000000000000c00000008000000000000015900000020000102030405060708"
    "090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f000000026b31000000080000000000000003"
)
STORED_SEALED = bytes.fromhex(
    "0e491eec4132678d23f1025cd5a23794bcc6c5a9331c22d753d8b34ec8717700e9d2941ce90317dd548485e5"
    "68f05ea397e2519867e5417bd3d0020f5a14c092f8e886fb8700d1246217b78d3eec393b"
)


def extract(suite: bytes, salt: bytes, label: bytes, key: bytes) -> bytes:
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + key, "sha256")


def expand(suite: bytes, secret: bytes, label: bytes, information: bytes, length: int) -> bytes:
    """One block of HKDF-Expand: at most 32 bytes."""
    labelled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + information
    return hmac.digest(secret, labelled + b"\x01", "sha256")[:length]


def key_and_nonce(private: bytes, encapsulated: bytes, information: bytes) -> tuple[bytes, bytes]:
    """Base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM."""
    owner = X25519PrivateKey.from_private_bytes(private)
    agreed = owner.exchange(X25519PublicKey.from_public_bytes(encapsulated))
    both = encapsulated + owner.public_key().public_bytes_raw()
    shared = extract(KEM_SUITE, b"", b"eae_prk", agreed)
    shared = expand(KEM_SUITE, shared, b"shared_secret", both, 32)
    schedule = b"\x00"
    schedule += extract(HPKE_SUITE, b"", b"psk_id_hash", b"")
    schedule += extract(HPKE_SUITE, b"", b"info_hash", information)
    secret = extract(HPKE_SUITE, shared, b"secret", b"")
    return (
        expand(HPKE_SUITE, secret, b"key", schedule, 16),
        expand(HPKE_SUITE, secret, b"base_nonce", schedule, 12),
    )


def test_the_second_implementation_is_right() -> None:
    """Appendix A.1.1 of the RFC."""
    key, nonce = key_and_nonce(
        bytes.fromhex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8"),
        bytes.fromhex("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"),
        b"Ode on a Grecian Urn",
    )
    ciphertext = bytes.fromhex(
        "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a"
    )
    opened = AESGCM(key).decrypt(nonce, ciphertext, b"Count-0")
    assert opened == b"Beauty is truth, truth beauty"


def test_the_second_implementation_opens_what_is_sealed() -> None:
    public = X25519PrivateKey.from_private_bytes(STORED_PRIVATE).public_key().public_bytes_raw()
    sealed = seal(public, STORED_CONTEXT, b"any bytes")
    key, nonce = key_and_nonce(STORED_PRIVATE, sealed[:32], STORED_INFORMATION)
    assert AESGCM(key).decrypt(nonce, sealed[32:], b"") == b"any bytes"


def test_a_stored_sample_of_this_format_opens_for_ever() -> None:
    private = X25519PrivateKey.from_private_bytes(STORED_PRIVATE)
    opened = open_sealed(private, STORED_CONTEXT, STORED_SEALED)
    assert opened == sha256(b"what was sealed").digest()
