"""The deck of a hand: what always holds, what is refused, and S-19, S-21 and S-28."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from hashlib import sha256, shake_256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doorcard.cards import CARDS, Card
from doorcard.errors import BadInput
from doorcard.fairness.deck import FairDeck, check_leaf, leaf, leaves, shuffled
from doorcard.fairness.seed import SEED_BYTES, Seed, new_seed

SEEDS = st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES)
POOLS = st.sets(st.integers(0, 51)).flatmap(lambda pool: st.permutations(sorted(pool)))


def numbered_seed(number: int) -> bytes:
    return sha256(b"a test's seed %d" % number).digest()


@given(SEEDS, st.binary(max_size=255), st.integers(0, 256))
def test_a_shuffle_is_a_permutation(seed: bytes, label: bytes, count: int) -> None:
    assert sorted(shuffled(seed, label, count)) == list(range(count))


@given(SEEDS)
def test_a_deck_is_every_card_once_with_a_salt_each(seed: bytes) -> None:
    deck = FairDeck(seed)
    assert sorted(deck.cards) == sorted(deck.button_cards) == list(CARDS)
    assert [len(salt) for salt in deck.salts] == [16] * 52
    assert all(type(card) is Card for card in deck.cards + deck.button_cards)


@given(SEEDS, POOLS, st.integers(1, 20))
def test_a_reshuffle_keeps_to_its_pool_and_forgets_its_order(
    seed: bytes, pool: list[int], count: int
) -> None:
    """R3.4: only the positions in the pool come back, and how they were listed is irrelevant."""
    deck = FairDeck(seed)
    result = deck.reshuffled(tuple(pool), count)
    assert sorted(result) == sorted(pool)
    assert result == deck.reshuffled(tuple(sorted(pool)), count)


def test_every_hand_starts_from_52_cards() -> None:
    """S-19, R1.1: over 10,000 decks, each has the 52 cards once, and no deck comes twice."""
    decks = [shuffled(numbered_seed(number), b"deck", 52) for number in range(10_000)]
    everything = list(range(52))
    assert all(sorted(deck) == everything for deck in decks)
    assert len(set(decks)) == len(decks)


def test_labels_and_counts_give_unrelated_orders() -> None:
    """The draw for dealer does not use the hand's deck (R2.9); each reshuffle has its own order."""
    deck = FairDeck(numbered_seed(1))
    assert deck.cards != deck.button_cards
    pool = tuple(range(30, 52))
    assert len({deck.reshuffled(pool, count) for count in range(1, 50)}) == 49


def test_a_label_cannot_borrow_bytes_from_the_seed() -> None:
    seed = numbered_seed(2)
    assert shuffled(b"x" + seed, b"label", 52) != shuffled(seed, b"labelx", 52)


def test_reshuffles_are_even() -> None:
    """R3.4: the 24 orders of four cards come 1,000 times each, within five standard deviations."""
    seen = Counter(shuffled(numbered_seed(number), b"reshuffle/1", 4) for number in range(24_000))
    assert len(seen) == 24
    assert sum((times - 1000) ** 2 / 1000 for times in seen.values()) < 23 + 5 * 46**0.5


def pearson_sum(decks: list[tuple[int, ...]]) -> float:
    """S-21: the sum over (card, place) of (seen - expected)^2 / expected."""
    expected = len(decks) / 52
    total = 0.0
    for at_place in zip(*decks, strict=True):
        seen = Counter(at_place)
        total += sum((seen[card] - expected) ** 2 for card in range(52)) / expected
    return total


def biased_shuffle(seed: bytes) -> tuple[int, ...]:
    """The right exchanges, but a byte's remainder taken without refusing any byte."""
    order = list(range(52))
    for last, draw in zip(range(51, 0, -1), shake_256(seed).digest(51), strict=True):
        chosen = draw % (last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def test_the_shuffle_is_even() -> None:
    """S-21: 52,000 shuffles of an ordered deck, five standard deviations either way."""
    decks = [shuffled(numbered_seed(number), b"deck", 52) for number in range(52_000)]
    assert 2_285 < pearson_sum(decks) < 3_020
    assert any(deck[51] == 51 for deck in decks), "the last card must be able to stay last"


def test_the_measure_of_evenness_finds_a_biased_shuffle() -> None:
    """S-21: without rejection the same sum is about 7,240."""
    decks = [biased_shuffle(numbered_seed(number)) for number in range(52_000)]
    assert 6_500 < pearson_sum(decks) < 8_000


def test_a_seed_holds_enough_for_every_order_and_never_comes_twice() -> None:
    """S-21, S-28 (e): 256 bits where 226 are needed."""
    seeds = {bytes(new_seed()) for _ in range(1000)}
    assert len(seeds) == 1000
    assert {len(seed) for seed in seeds} == {32}


def test_seeds_come_from_the_system_and_not_from_the_process() -> None:
    """S-28 (e): two copies of one process, forked at the same moment, draw different seeds."""
    code = (
        "import os, random\n"
        "from doorcard.fairness.seed import new_seed\n"
        "random.seed(0)\n"
        "child = os.fork()\n"
        "os.write(1, new_seed().hex().encode() + b'\\n')\n"
        "child and os.waitpid(child, 0)\n"
    )
    seeds = (output_of(code) + output_of(code)).split()
    assert len(seeds) == len(set(seeds)) == 4


def test_any_opened_card_can_be_checked_alone() -> None:
    """S-28 (d): with the leaves of the hand's start, by anyone, while the hand runs."""
    deck = FairDeck(numbered_seed(3))
    published = leaves(deck)
    assert len(set(published)) == 52
    for index, (card, salt) in enumerate(zip(deck.cards, deck.salts, strict=True)):
        assert check_leaf(published, index, card, salt)


@given(SEEDS, st.integers(0, 51), st.integers(0, 51), st.integers(0, 127))
def test_no_other_card_place_or_salt_fits_a_leaf(
    seed: bytes, index: int, other: int, bit: int
) -> None:
    deck = FairDeck(seed)
    published, card, salt = leaves(deck), deck.cards[index], deck.salts[index]
    flipped = bytearray(salt)
    flipped[bit // 8] ^= 1 << bit % 8
    assert check_leaf(published, index, card, salt)
    assert check_leaf(published, index, CARDS[other], salt) == (CARDS[other] == card)
    assert check_leaf(published, other, card, salt) == (other == index)
    assert not check_leaf(published, index, card, bytes(flipped))


@pytest.mark.parametrize("index", [-1, 52, 256, 10**9])
def test_a_place_that_no_deck_has_fits_no_leaf(index: int) -> None:
    deck = FairDeck(numbered_seed(4))
    assert not check_leaf(leaves(deck), index, deck.cards[51], deck.salts[51])


@pytest.mark.parametrize("salt", [b"", bytes(15), bytes(17)])
def test_a_salt_of_another_length_fits_no_leaf(salt: bytes) -> None:
    published = [sha256(bytes((0, 0)) + salt).digest()]
    assert not check_leaf(published, 0, CARDS[0], salt)
    with pytest.raises(BadInput, match="16 bytes"):
        leaf(0, CARDS[0], salt)


def test_what_is_published_decides_nothing() -> None:
    """S-28 (b): taken as a seed, no leaf and no opened salt gives the deck or another salt."""
    deck = FairDeck(numbered_seed(5))
    for known in (*leaves(deck), *[salt * 2 for salt in deck.salts]):
        guess = FairDeck(known)
        assert guess.cards != deck.cards
        assert not set(guess.salts) & set(deck.salts)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_of_another_length_is_refused(length: int) -> None:
    for make in (Seed, FairDeck):
        with pytest.raises(BadInput, match=f"32 bytes, not {length}"):
            make(bytes(length))


@pytest.mark.parametrize(
    ("pool", "count", "message"),
    [
        ((1, 2), 0, "numbered from 1"),
        ((1, 2, 1), 1, "twice"),
        ((-1, 2), 1, "0 to 51"),
        ((1, 52), 1, "0 to 51"),
    ],
)
def test_a_pool_that_is_none_is_refused(pool: tuple[int, ...], count: int, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        FairDeck(numbered_seed(6)).reshuffled(pool, count)


def test_a_shuffle_beyond_its_bounds_is_refused() -> None:
    for count in (-1, 257):
        with pytest.raises(BadInput, match="0 to 256"):
            shuffled(bytes(32), b"deck", count)
    with pytest.raises(BadInput, match="255 bytes"):
        shuffled(bytes(32), bytes(256), 52)
    with pytest.raises(BadInput, match="0 to 255"):
        leaf(256, CARDS[0], bytes(16))


def test_dealing_needs_the_standard_library_alone() -> None:
    code = (
        "import sys, doorcard.fairness.deck, doorcard.fairness.seed\n"
        "print([m for m in ('cryptography', 'redis', 'pydantic') if m in sys.modules])"
    )
    assert output_of(code).strip() == "[]"


def output_of(code: str) -> str:
    """Run a program in an interpreter of its own."""
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, check=True
    ).stdout
