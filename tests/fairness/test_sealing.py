"""Sealed values open for their owner, in their place, and for nobody and nowhere else."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from doorcard.cards import CARDS, Card
from doorcard.errors import BadInput, BadKey
from doorcard.fairness.deck import FairDeck, check_leaf, leaves
from doorcard.fairness.keys import SeatKey
from doorcard.fairness.sealing import (
    CHOICE_BYTES,
    OVERHEAD_BYTES,
    SEALED_CHOICE_BYTES,
    Context,
    context_bytes,
    is_public_key,
    open_cards,
    open_choice,
    open_sealed,
    seal,
    seal_cards,
    seal_choice,
)

PRIVATE = X25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = PRIVATE.public_key().public_bytes_raw()
CONTEXT = Context("p07.x4f", 12, 345, bytes(range(32)), "k1", "card", seat=3)
OTHER_CONTEXTS = [
    CONTEXT._replace(table="p07.x4e"),
    CONTEXT._replace(hand=13),
    CONTEXT._replace(seq=346),
    CONTEXT._replace(chain=bytes(32)),
    CONTEXT._replace(key_id="k2"),
    CONTEXT._replace(purpose="choice"),
    CONTEXT._replace(format=2),
    CONTEXT._replace(seat=4),
    CONTEXT._replace(seat=None),
    CONTEXT._replace(table="p07.x4fc", purpose="ard"),
    CONTEXT._replace(hand=345, seq=12),
    CONTEXT._replace(chain=bytes(range(31)), key_id="\x1fk1"),
]
LOW_ORDER_POINTS = [
    bytes(32),
    b"\x01" + bytes(31),
    bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
]
TEXTS = st.text(max_size=20)
NUMBERS = st.integers(0, 2**64 - 1)
CONTEXTS = st.builds(
    Context,
    TEXTS,
    NUMBERS,
    NUMBERS,
    st.binary(max_size=40),
    TEXTS,
    TEXTS,
    NUMBERS,
    st.none() | NUMBERS,
)


@given(CONTEXTS, st.binary(max_size=200))
def test_the_owner_opens_what_was_sealed(context: Context, plaintext: bytes) -> None:
    sealed = seal(PUBLIC, context, plaintext)
    assert len(sealed) == len(plaintext) + OVERHEAD_BYTES
    assert open_sealed(PRIVATE, context, sealed) == plaintext


@pytest.mark.parametrize("context", OTHER_CONTEXTS, ids=str)
def test_it_opens_nowhere_else(context: Context) -> None:
    sealed = seal(PUBLIC, CONTEXT, b"secret")
    with pytest.raises(BadKey, match="does not open"):
        open_sealed(PRIVATE, context, sealed)


@given(CONTEXTS, CONTEXTS)
def test_different_contexts_are_different_bytes(first: Context, second: Context) -> None:
    assert (context_bytes(first) == context_bytes(second)) == (first == second)


def test_it_opens_for_nobody_else() -> None:
    sealed = seal(PUBLIC, CONTEXT, b"secret")
    with pytest.raises(
        BadKey, match=r"sealed card of seat 3 in commit 345, hand 12 .*p07\.x4f.*'k1'"
    ):
        open_sealed(X25519PrivateKey.generate(), CONTEXT, sealed)


def test_no_bit_can_be_flipped_and_no_byte_cut() -> None:
    sealed = seal(PUBLIC, CONTEXT, b"secret")
    broken = [sealed[:length] for length in range(len(sealed))]
    for bit in range(8 * len(sealed)):
        flipped = bytearray(sealed)
        flipped[bit // 8] ^= 1 << bit % 8
        broken.append(bytes(flipped))
    unmasked_bit = 8 * 31 + 7  # X25519 ignores the top bit of a point, HPKE's key schedule does not
    assert broken[len(sealed) + unmasked_bit][31] ^ sealed[31] == 0x80
    for value in (*broken, sealed + b"\0", b""):
        with pytest.raises(BadKey, match="does not open"):
            open_sealed(PRIVATE, CONTEXT, value)


@pytest.mark.parametrize("point", LOW_ORDER_POINTS, ids=lambda point: point.hex()[:8])
def test_an_encapsulated_key_that_agrees_on_nothing_does_not_open(point: bytes) -> None:
    with pytest.raises(BadKey, match="does not open"):
        open_sealed(PRIVATE, CONTEXT, point + seal(PUBLIC, CONTEXT, b"secret")[32:])


def test_sealing_twice_looks_different() -> None:
    assert seal(PUBLIC, CONTEXT, b"same") != seal(PUBLIC, CONTEXT, b"same")


def test_the_length_does_not_depend_on_the_card() -> None:
    """S-26: what the log shows is how many cards a seat got, and nothing of which."""
    deals = [
        [(place, card, bytes((card,)) * 16), (place + 1, CARDS[51 - card], bytes(16))]
        for place, card in enumerate(CARDS)
    ]
    assert {len(seal_cards(PUBLIC, CONTEXT, deal)) for deal in deals} == {2 * 18 + OVERHEAD_BYTES}


def test_the_length_does_not_depend_on_the_choice() -> None:
    for choice in ("", "high", "low", "both", "x" * (CHOICE_BYTES - 1)):
        sealed = seal_choice(PUBLIC, CONTEXT, choice)
        assert len(sealed) == SEALED_CHOICE_BYTES
        assert open_choice(PRIVATE, CONTEXT, sealed) == choice
    with pytest.raises(BadInput, match="at most 31 bytes"):
        seal_choice(PUBLIC, CONTEXT, "x" * CHOICE_BYTES)


def test_another_seats_choice_cannot_be_sent_in() -> None:
    """S-28 (f): a repeated secret is worthless to the player who repeats it."""
    sealed = seal_choice(PUBLIC, CONTEXT._replace(purpose="choice", seat=1), "low")
    with pytest.raises(BadKey, match="sealed choice of seat 2"):
        open_choice(PRIVATE, CONTEXT._replace(purpose="choice", seat=2), sealed)


@pytest.mark.parametrize(
    "nonsense",
    [
        b"",
        bytes(CHOICE_BYTES - 1),
        bytes(CHOICE_BYTES + 1),
        b"\x20" + bytes(CHOICE_BYTES - 1),
        b"\x01ab" + bytes(CHOICE_BYTES - 3),
        b"\x01\xff" + bytes(CHOICE_BYTES - 2),
    ],
)
def test_a_sealed_choice_of_nonsense_is_told_from_one_that_does_not_open(nonsense: bytes) -> None:
    with pytest.raises(BadInput, match="not a choice"):
        open_choice(PRIVATE, CONTEXT, seal(PUBLIC, CONTEXT, nonsense))


def test_a_player_checks_the_cards_while_the_hand_runs() -> None:
    """S-28 (d): sealed to the seat, opened by the seat, and found in the commitment."""
    deck, owner, rival = FairDeck(bytes(range(32))), SeatKey.generate(), SeatKey.generate()
    published = leaves(deck)
    dealt = [(place, deck.cards[place], deck.salts[place]) for place in (2, 9)]
    sealed = seal_cards(owner.public, CONTEXT, dealt)
    opened = owner.open_cards(CONTEXT, sealed)
    assert list(opened) == dealt
    assert all(type(card) is Card for _, card, _ in opened)
    assert all(check_leaf(published, *entry) for entry in opened)
    with pytest.raises(BadKey):
        rival.open_cards(CONTEXT, sealed)


def test_no_cards_are_no_cards() -> None:
    assert open_cards(PRIVATE, CONTEXT, seal_cards(PUBLIC, CONTEXT, [])) == ()


@pytest.mark.parametrize("nonsense", [b"\0", bytes(17), bytes(19), bytes(19) + b"\x34" + bytes(16)])
def test_sealed_nonsense_is_no_card(nonsense: bytes) -> None:
    with pytest.raises(BadInput, match="not a list of cards"):
        open_cards(PRIVATE, CONTEXT, seal(PUBLIC, CONTEXT, nonsense))


@pytest.mark.parametrize(("place", "salt"), [(256, bytes(16)), (-1, bytes(16)), (0, bytes(15))])
def test_cards_that_cannot_be_sealed_are_refused(place: int, salt: bytes) -> None:
    with pytest.raises(BadInput, match="position of 0 to 255"):
        seal_cards(PUBLIC, CONTEXT, [(place, CARDS[0], salt)])


@pytest.mark.parametrize("point", LOW_ORDER_POINTS, ids=lambda point: point.hex()[:8])
def test_a_public_key_that_hides_nothing_is_refused(point: bytes) -> None:
    assert not is_public_key(point)
    with pytest.raises(BadKey, match="agrees on no secret"):
        seal(point, CONTEXT, b"secret")


@pytest.mark.parametrize("length", [0, 31, 33, 44])
def test_a_public_key_of_another_length_is_refused(length: int) -> None:
    assert not is_public_key(bytes(length))
    with pytest.raises(BadKey, match=f"32 bytes, not {length}"):
        seal(bytes(length), CONTEXT, b"secret")


def test_a_public_key_that_was_made_for_it_is_usable() -> None:
    assert is_public_key(PUBLIC)


@pytest.mark.parametrize(
    "context",
    [
        CONTEXT._replace(hand=-1),
        CONTEXT._replace(seq=2**64),
        CONTEXT._replace(seat=-1),
        CONTEXT._replace(table="\ud800"),
    ],
    ids=str,
)
def test_a_context_that_cannot_be_encoded_is_refused(context: Context) -> None:
    with pytest.raises(BadInput, match="cannot be authenticated"):
        seal(PUBLIC, context, b"")
    with pytest.raises(BadInput, match="cannot be authenticated"):
        open_sealed(PRIVATE, context, b"")
