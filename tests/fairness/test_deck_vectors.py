"""The published vectors, against the library and against a second, straight-line implementation."""

from __future__ import annotations

import json
from hashlib import sha256, shake_256
from pathlib import Path
from typing import TypedDict

import pytest

from doorcard.cards import Card
from doorcard.fairness.deck import FairDeck, check_leaf, leaf, leaves, shuffled


class Reshuffle(TypedDict):
    count: int
    pool: list[int]
    result: list[int]


class Vector(TypedDict):
    seed: str
    cards: str
    button_cards: str
    salts: str
    leaves: str
    reshuffles: list[Reshuffle]


VECTORS: list[Vector] = json.loads((Path(__file__).parent / "deck_vectors.json").read_text())
EVERY_VECTOR = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["seed"][:8])

ZERO_SEED_DECK = (
    "2c 7d As 5c 4c 6s Js Kd Jh Tc Qc 4s 8h 2s Kc 9s Ks 6c Qh 2h Th 7s 6h 8d Jc 7c "
    "3c Td 9c Kh Ts 5h 8s Jd 5d 4d 3h Qd Qs 3s 6d 3d 7h 9h 2d 4h 5s Ah Ac 8c Ad 9d"
)
ZERO_SEED_FIRST_SALT = "3e4158e1610e3c13b0b004282deb0c25"
ZERO_SEED_FIRST_LEAF = "a74014c60391a3ff10468f08c1671d925693d4a7b284e6abc9245ff3900f1d6b"


def plain_shuffle(seed: bytes, label: bytes, count: int) -> list[int]:
    """The description in words, without any of the library's code."""
    material = b"doorcard/v1/shuffle" + bytes([len(label)]) + label + seed
    stream = list(shake_256(material).digest(10_000))
    order = [*range(count)]
    position = 0
    for last in reversed(range(1, count)):
        while stream[position] >= 256 - (256 % (last + 1)):
            position += 1
        other = stream[position] % (last + 1)
        position += 1
        order[last], order[other] = order[other], order[last]
    return order


def plain_cards(numbers: list[int]) -> str:
    return " ".join("23456789TJQKA"[number // 4] + "cdhs"[number % 4] for number in numbers)


def plain_vector(seed: bytes) -> Vector:
    numbers = plain_shuffle(seed, b"deck", 52)
    salt_material = b"doorcard/v1/salts" + b"\x04deck" + seed
    salts = shake_256(salt_material).hexdigest(832)
    hashes = ""
    for position, number in enumerate(numbers):
        salt = bytes.fromhex(salts[32 * position : 32 * position + 32])
        hashes += sha256(bytes([position]) + bytes([number]) + salt).hexdigest()
    reshuffles: list[Reshuffle] = []
    for count, pool in ((1, [3, 20, 30, 40, 51]), (2, [*range(41, 52)]), (12, [7])):
        order = plain_shuffle(seed, f"reshuffle/{count}".encode(), len(pool))
        reshuffles.append({"count": count, "pool": pool, "result": [pool[i] for i in order]})
    return {
        "seed": seed.hex(),
        "cards": plain_cards(numbers),
        "button_cards": plain_cards(plain_shuffle(seed, b"button", 52)),
        "salts": salts,
        "leaves": hashes,
        "reshuffles": reshuffles,
    }


@EVERY_VECTOR
def test_the_second_implementation_gives_the_published_vectors(vector: Vector) -> None:
    assert plain_vector(bytes.fromhex(vector["seed"])) == vector


@EVERY_VECTOR
def test_the_library_gives_the_published_vectors(vector: Vector) -> None:
    deck = FairDeck(bytes.fromhex(vector["seed"]))
    assert " ".join(map(str, deck.cards)) == vector["cards"]
    assert " ".join(map(str, deck.button_cards)) == vector["button_cards"]
    assert b"".join(deck.salts).hex() == vector["salts"]
    assert b"".join(leaves(deck)).hex() == vector["leaves"]
    for reshuffle in vector["reshuffles"]:
        result = deck.reshuffled(tuple(reshuffle["pool"]), reshuffle["count"])
        assert list(result) == reshuffle["result"]


def test_the_deck_of_the_zero_seed_never_changes() -> None:
    deck = FairDeck(bytes(32))
    assert " ".join(map(str, deck.cards)) == ZERO_SEED_DECK
    assert deck.salts[0].hex() == ZERO_SEED_FIRST_SALT
    assert leaf(0, deck.cards[0], deck.salts[0]).hex() == ZERO_SEED_FIRST_LEAF


def test_a_leaf_hashes_eighteen_bytes() -> None:
    salt = bytes(range(16))
    expected = sha256(b"\x05\x33" + salt).digest()
    assert leaf(5, Card("As"), salt) == expected
    assert check_leaf([b""] * 5 + [expected], 5, Card("As"), salt)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 32, 36, 52, 129, 255, 256])
def test_other_counts_agree_with_the_second_implementation(count: int) -> None:
    """Counts above 128 refuse up to half of the bytes and read more than one SHAKE block."""
    for number in range(20):
        seed = sha256(bytes([number])).digest()
        assert list(shuffled(seed, b"some label", count)) == plain_shuffle(
            seed, b"some label", count
        )
