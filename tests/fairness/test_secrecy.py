"""S-26: no secret comes out by printing, copying, pickling or in a traceback."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from doorcard.errors import BadInput, BadKey
from doorcard.fairness.deck import FairDeck
from doorcard.fairness.heads import HeadSigner
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.fairness.ring_text import RingKeys, parsed
from doorcard.fairness.sealing import Context, seal
from doorcard.fairness.seed import Seed

RAW = bytes(range(100, 132))
CONTEXT = Context("p00.t", 1, 2, bytes(32), "k", "seed")
KEYS = RingKeys({"k": RAW}, "k", {"h": RAW}, "h")
SECRETS = [
    Seed(RAW),
    FairDeck(RAW),
    SeatKey(RAW),
    HeadSigner("h", RAW),
    KEYS,
    DeckKeyRing(KEYS),
]
EVERY_SECRET = pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: type(secret).__name__)


def spellings() -> Iterator[str]:
    """Every way in which the raw bytes, or cards of their deck, could stand in a text."""
    deck = FairDeck(RAW)
    for raw in (RAW, *deck.salts):
        yield from (
            raw.hex(),
            repr(raw)[2:-1],
            base64.b64encode(raw).decode(),
            str(list(raw))[1:-1],
        )
    for cards in (deck.cards, deck.button_cards):
        yield from (" ".join(map(str, cards[:3])), repr(cards)[1:20], str([*map(int, cards)])[1:12])


def assert_tells_nothing(text: str) -> None:
    assert not [spelling for spelling in spellings() if spelling in text]


def test_the_search_for_secrets_finds_them() -> None:
    deck = FairDeck(RAW)
    for text in (repr(RAW), RAW.hex(), repr(deck.cards), repr(deck.salts), repr(list(RAW))):
        with pytest.raises(AssertionError):
            assert_tells_nothing(text)


@EVERY_SECRET
def test_a_secret_does_not_print(secret: object) -> None:
    texts = [repr(secret), str(secret), f"{secret}", f"{secret!a}", f"{[secret]}", "%s" % secret]  # noqa: UP031
    for text in texts:
        assert_tells_nothing(text)
        assert type(secret).__name__ in text


@EVERY_SECRET
def test_a_secret_is_neither_pickled_nor_copied(secret: object) -> None:
    takers: list[Callable[[object], object]] = [copy.copy, copy.deepcopy]
    takers += [partial(pickle.dumps, protocol=p) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
    for take in takers:
        with pytest.raises(TypeError, match="secret"):
            take(secret)


@EVERY_SECRET
def test_a_secret_is_not_json(secret: object) -> None:
    with pytest.raises(TypeError):
        json.dumps(secret)


@pytest.mark.parametrize(
    "secret", [FairDeck(RAW), SeatKey(RAW), HeadSigner("h", RAW), DeckKeyRing(KEYS)]
)
def test_a_secret_cannot_be_changed(secret: object) -> None:
    for name in ("cards", "public", "anything"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(secret, name, b"")
        with pytest.raises(AttributeError, match="cannot be changed"):
            delattr(secret, name)


def failing_reshuffle() -> None:
    FairDeck(Seed(RAW)).reshuffled((0, 0), 1)


def failing_seal() -> None:
    seal(bytes(32), CONTEXT, Seed(RAW))


def failing_opening() -> None:
    DeckKeyRing(KEYS).open(CONTEXT, b"nothing that was sealed")


def failing_ring() -> None:
    parsed(f"k:{base64.b64encode(RAW).decode()},k:again", "a test")


def failing_json_ring() -> None:
    parsed(DeckKeyRing(KEYS).to_json() + "}", "a test")


@pytest.mark.parametrize(
    "fail", [failing_reshuffle, failing_seal, failing_opening, failing_ring, failing_json_ring]
)
def test_a_traceback_tells_nothing_even_with_its_local_variables(fail: Callable[[], None]) -> None:
    with pytest.raises((BadInput, BadKey)) as caught:
        fail()
    formatted = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert_tells_nothing("".join(formatted.format()))


def test_a_broken_key_file_is_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text(DeckKeyRing(KEYS).to_json().replace('"format": 1', '"format": 2'))
    path.chmod(0o600)
    with pytest.raises(BadKey, match="format 1") as caught:
        DeckKeyRing.load(path)
    formatted = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert_tells_nothing("".join(formatted.format()))
