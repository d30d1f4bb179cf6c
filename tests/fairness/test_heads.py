"""Published heads: what is signed, and that nothing in it can be changed unseen."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doorcard.errors import BadInput, BadKey
from doorcard.fairness.heads import HeadSigner, PublishedHead, head_bytes, verify_head

SIGNER = HeadSigner("h1", bytes(range(32)))
CHAIN = bytes(range(100, 132))
HEAD = SIGNER.sign("p07.x4f", 12, 345, CHAIN)
STORED_LINE = (
    '{"format": 1, "table": "p07.x4f", "hand": 12, "seq": 345, "chain": "6465666768696a6b6c6d6e'
    '6f707172737475767778797a7b7c7d7e7f80818283", "key_id": "h1", "signature": "7f20d2da1beb42b'
    "9809a64cf758dd3759d5942f197e7e3934ab7793b84a52cb6e5158012bc47b728c27888ca3421aab885273795f"
    '1b4339da81530a2dad08507"}'
)


def test_the_signer_vouches_for_what_it_signed() -> None:
    assert HEAD[:5] == ("p07.x4f", 12, 345, CHAIN, "h1")
    assert verify_head(SIGNER.public, HEAD)
    assert not verify_head(HeadSigner("h1", bytes(32)).public, HEAD)


@pytest.mark.parametrize(
    "changed",
    [
        HEAD._replace(table="p07.x4e"),
        HEAD._replace(hand=13),
        HEAD._replace(seq=346),
        HEAD._replace(hand=345, seq=12),
        HEAD._replace(chain=bytes(32)),
        HEAD._replace(key_id="h2"),
        HEAD._replace(signature=bytes(64)),
        HEAD._replace(signature=HEAD.signature[:-1]),
        HEAD._replace(signature=b""),
        HEAD._replace(seq=-1),
    ],
    ids=str,
)
def test_a_changed_head_does_not_verify(changed: PublishedHead) -> None:
    assert not verify_head(SIGNER.public, changed)


def test_a_stored_line_of_this_format_verifies_for_ever() -> None:
    head = PublishedHead.from_json(STORED_LINE)
    assert head == HEAD
    assert verify_head(SIGNER.public, head)


def test_what_is_signed_is_laid_out_as_described() -> None:
    fields = [
        b"doorcard/v1/head",
        (1).to_bytes(8, "big"),
        b"p07.x4f",
        (12).to_bytes(8, "big"),
        (345).to_bytes(8, "big"),
        CHAIN,
        b"h1",
    ]
    expected = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    assert head_bytes(HEAD) == expected


@given(
    st.text(max_size=20).filter(lambda text: text.isprintable()),
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**64 - 1),
    st.binary(min_size=32, max_size=32),
)
def test_a_head_comes_back_from_its_line(table: str, hand: int, seq: int, chain: bytes) -> None:
    head = SIGNER.sign(table, hand, seq, chain)
    line = head.to_json()
    assert "\n" not in line
    assert PublishedHead.from_json(line + "\n") == head


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2 cannot be read"),
        ({"format": None}, "needs 'format'"),
        ({"table": 7}, "needs 'table', of type str"),
        ({"hand": "12"}, "needs 'hand', of type int"),
        ({"hand": True}, "needs 'hand'"),
        ({"seq": 1.0}, "needs 'seq'"),
        ({"chain": "00"}, "chain is 64 hexadecimal digits"),
        ({"chain": "g" * 64}, "chain is 64 hexadecimal digits"),
        ({"signature": ""}, "signature is 128 hexadecimal digits"),
    ],
    ids=str,
)
def test_a_line_that_is_no_head_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        PublishedHead.from_json(json.dumps(json.loads(STORED_LINE) | change))


@pytest.mark.parametrize("line", ["", "{", "[]", "null", "\x00", "[" * 100_000, STORED_LINE[:-1]])
def test_bytes_that_are_no_head_are_refused(line: str) -> None:
    with pytest.raises(BadInput, match="a published head is"):
        PublishedHead.from_json(line)


def test_keys_and_hashes_of_another_length_are_refused() -> None:
    with pytest.raises(BadKey, match="'h2' is 31 bytes"):
        HeadSigner("h2", bytes(31))
    with pytest.raises(BadKey, match="31"):
        verify_head(bytes(31), HEAD)
    with pytest.raises(BadInput, match="chain hash is 32 bytes"):
        SIGNER.sign("p07.x4f", 1, 2, b"")
    with pytest.raises(BadInput, match="cannot be authenticated"):
        SIGNER.sign("p07.x4f", -1, 2, CHAIN)
