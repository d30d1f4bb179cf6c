"""No hidden card leaves dealer and showdown (S-26, S-27, S-29): 200 hands through real processes.

Every byte that the store was ever told, every log line of every worker at its most talkative, and
everything else in the data folder is searched for each card that nobody was shown.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from doorcard.commands import Act
from doorcard.engine.legal import legal
from doorcard.engine.reducer import fold
from doorcard.engine.table import Table
from doorcard.errors import BadKey
from doorcard.events import (
    CardBought,
    CardsExposed,
    Dealt,
    Folded,
    HandEnded,
    HandShown,
    HandStarted,
    Rolled,
)
from doorcard.fairness.dealing import open_dealt, open_seed
from doorcard.fairness.deck import FairDeck
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.streams.codec import decode
from doorcard.streams.commit import Commit
from doorcard.streams.folding import fold_commits
from doorcard.streams.log import Stored
from doorcard.views.model import SPECTATOR
from doorcard.views.table import view
from tests.services import aof
from tests.services.conftest import Evening
from tests.services.harness import House
from tests.services.needles import Needles
from tests.services.processes import log_lines

CARD: Final = re.compile(r"\b[2-9TJQKA][cdhs]\b")
KEYLESS: Final = ("betting", "floor", "clock")


class PlayedHand(NamedTuple):
    """One hand, and what an auditor with the key knows of it."""

    table: str
    number: int
    seq: int
    """Of its first commit."""
    commits: list[Commit]
    seed: bytes
    deck: FairDeck

    @property
    def opened(self) -> set[int]:
        """The places of all cards that everybody may see."""
        places: set[int] = set()
        for commit in self.commits:
            for event in commit.events:
                if isinstance(event, Dealt):
                    places.update(place for _, place, _, _ in event.up)
                    places.update(place for place, _, _ in event.community)
                elif isinstance(event, Rolled):
                    places.update(place for _, place, _, _ in event.cards)
                elif isinstance(event, CardBought):
                    places.update(place for place, _, _ in event.shown)
                elif isinstance(event, HandShown | CardsExposed):
                    places.update(place for place, _, _ in event.cards)
        return places


@pytest.fixture(scope="module")
def hands(evening: Evening) -> list[PlayedHand]:
    ring = DeckKeyRing.load(evening.data / "deck-keys.json")
    found: list[PlayedHand] = []
    for table, stored in aof.logs(evening.data).items():
        for seq, raw, _ in stored:
            commit = decode(raw)
            started = commit.events[0]
            if isinstance(started, HandStarted):
                seed = open_seed(ring, started, table, seq)
                found.append(PlayedHand(table, started.hand, seq, [], seed, FairDeck(seed)))
            if found and found[-1].table == table:
                found[-1].commits.append(commit)
    assert len(found) >= 200
    return found


@pytest.fixture(scope="module")
def hays(evening: Evening) -> dict[str, bytes]:
    """Everything that was written, but for the key files."""
    files = [path for path in evening.data.rglob("*") if path.is_file()]
    named = {str(path): path.read_bytes() for path in files if "-keys.json" not in path.name}
    assert any(name.endswith(".aof") for name in named)
    assert any(name.endswith("betting.log") for name in named)
    return named | {"terminal": evening.said.encode()}


def test_s26_no_hidden_salt_no_seed_and_no_key_was_ever_written(
    evening: Evening, hands: list[PlayedHand], hays: dict[str, bytes]
) -> None:
    """A face-down card goes out as its place; with its salt it could be told from the leaves."""
    secrets = {
        salt
        for hand in hands
        for place, salt in enumerate(hand.deck.salts)
        if place not in hand.opened
    }
    assert len(secrets) > 5_000
    secrets.update(bytes(hand.seed) for hand in hands)
    seats = json.loads((evening.data / "bot-keys.json").read_text("utf-8"))
    secrets.update(bytes.fromhex(key) for key in seats.values())
    ring = json.loads((evening.data / "deck-keys.json").read_text("utf-8"))
    for kind in ("deck_keys", "head_keys"):
        secrets.update(base64.b64decode(text) for text in ring[kind].values())
    needles = Needles(secrets)
    for name, hay in hays.items():
        assert needles.found_in(hay) == set(), name


def test_the_search_finds_what_is_there(hands: list[PlayedHand], hays: dict[str, bytes]) -> None:
    shown = {
        salt for hand in hands for place, salt in enumerate(hand.deck.salts) if place in hand.opened
    }
    (store,) = (hay for name, hay in hays.items() if name.endswith(".incr.aof"))
    some = set(sorted(shown)[::50])
    assert Needles(some).found_in(store) == some
    secret = bytes(range(16))
    for before in range(12):
        for text in (secret, secret.hex().encode(), secret.hex().upper().encode()):
            assert Needles([secret]).found_in(b"x" * before + text + b"yyyyyyy") == {secret}
        for after in range(4):
            wrapped = base64.b64encode(b"x" * before + secret + b"y" * after)
            assert Needles([secret]).found_in(wrapped + b"        ") == {secret}


def test_s26_no_text_names_a_card(evening: Evening, hays: dict[str, bytes]) -> None:
    """Not in requests, replies, log lines, heads, or on the terminal."""
    in_store = {text for text in aof.texts(evening.data) if CARD.search(text)}
    assert in_store == set()
    for name, hay in hays.items():
        if not name.endswith((".aof", ".rdb")):
            assert CARD.search(hay.decode()) is None, name
    assert CARD.search("the As is a card")


def test_s27_a_folded_hand_stays_closed(hands: list[PlayedHand]) -> None:
    """No downcard of a folded hand is opened; those that are shown were dealt to their owners."""
    for hand in hands:
        folded = {
            event.seat
            for commit in hand.commits
            for event in commit.events
            if isinstance(event, Folded)
        }
        shown = [
            event
            for commit in hand.commits
            for event in commit.events
            if isinstance(event, HandShown)
        ]
        assert folded.isdisjoint(event.seat for event in shown)
        dealt = _downcards(hand)
        for event in shown:
            assert {place for place, _, _ in event.cards} <= dealt[event.seat]


def test_s27_who_wins_without_a_showdown_shows_nothing(house: House) -> None:
    house.open(2)
    while (hand := house.table().hand) is not None and hand.street < 4:
        house.act()
    asked = house.table()
    options = legal(asked)
    assert options is not None
    assert house.ask(Act(options.seat, options.decision, "bet", 10)).ok
    house.ask(Act(1 - options.seat, options.decision + 1, "fold"))
    events = [event for commit in house.commits()[: asked.seq + 3] for event in commit.events]
    assert not [event for event in events if isinstance(event, HandShown | CardsExposed)]
    assert [event.street for event in events if isinstance(event, Dealt)] == [1, 2, 3, 4]
    assert isinstance(events[-1], HandEnded)


def test_a_seats_key_opens_its_own_cards_and_no_others(
    evening: Evening, hands: list[PlayedHand]
) -> None:
    stored = json.loads((evening.data / "bot-keys.json").read_text("utf-8"))
    keys = {int(name[4:]): SeatKey(bytes.fromhex(text)) for name, text in stored.items()}
    opened = 0
    for hand in hands[::20]:
        for event, seq, chain in _deals(evening, hand):
            for seat in dict(event.down):
                cards = open_dealt(event, hand.table, hand.number, seq, chain, seat, keys[seat])
                assert all(hand.deck.cards[place] is card for place, card in cards.items())
                opened += len(cards)
                for other in keys.keys() - {seat}:
                    with pytest.raises(BadKey):
                        open_dealt(event, hand.table, hand.number, seq, chain, seat, keys[other])
    assert opened > 100


def test_only_dealer_and_showdown_were_given_the_deck_key(evening: Evening) -> None:
    assert sorted(evening.settings) == ["betting", "clock", "dealer", "floor", "showdown"]
    for role, settings in evening.settings.items():
        secrets = {name for name, text in settings.items() if "deck" in (name + text).lower()}
        secrets = {name for name in secrets if name.startswith("DOORCARD_")}
        assert secrets == (set() if role in KEYLESS else {"DOORCARD_DECK_KEYS_FILE"})


def test_views_of_the_logs_show_a_spectator_no_hidden_card(hands: list[PlayedHand]) -> None:
    for hand in hands[::10]:
        hidden = {
            hand.deck.cards[place]
            for places in _downcards(hand).values()
            for place in places - hand.opened
        }
        for table in _states(hand):
            seen = set(CARD.findall(str(view(table, SPECTATOR))))
            assert seen.isdisjoint(map(str, hidden))


def test_workers_said_much_and_every_line_is_json(evening: Evening) -> None:
    """Table, hand, commit and cause are bound to every line about a commit."""
    lines = log_lines(evening.data)
    assert sorted(lines) == ["betting", "clock", "dealer", "floor", "showdown"]
    for role, written in lines.items():
        assert {line["role"] for line in written} == {role}
        assert all({"event", "level", "timestamp"} <= line.keys() for line in written)
        assert [line["event"] for line in written][-1] == "stopped"
        assert written[0]["event"] == "ready"
    committed = [
        line for written in lines.values() for line in written if line["event"] == "committed"
    ]
    assert len(committed) == sum(len(stored) for stored in aof.logs(evening.data).values())
    assert all({"table", "hand", "seq", "cause"} <= line.keys() for line in committed)
    assert {line["level"] for line in committed} == {"debug"}


def _downcards(hand: PlayedHand) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for commit in hand.commits:
        for event in commit.events:
            if isinstance(event, Dealt):
                for seat, place in event.down:
                    found.setdefault(seat, set()).add(place)
            elif isinstance(event, CardBought):
                found.setdefault(event.seat, set()).add(event.place)
    return found


def _deals(evening: Evening, hand: PlayedHand) -> Iterator[tuple[Dealt, int, bytes]]:
    """Every deal of a hand with its commit's number and the chain hash before it."""
    stored = [
        entry
        for entry in aof.logs(evening.data)[hand.table]
        if hand.seq <= entry.seq < hand.seq + len(hand.commits)
    ]
    table = Table()
    for entry, before in zip(stored, [table, *_folded(stored)], strict=False):
        for event in decode(entry.raw).events:
            if isinstance(event, Dealt):
                started = hand.commits[0].events[0]
                assert isinstance(started, HandStarted)
                yield event, entry.seq, before.chain if entry.seq > hand.seq else started.chain


def _folded(stored: list[Stored]) -> list[Table]:
    started = decode(stored[0].raw).events[0]
    assert isinstance(started, HandStarted)
    table = Table()
    table.seq, table.chain = stored[0].seq - 1, started.chain
    tables: list[Table] = []
    for entry in stored:
        table = fold_commits(table, [entry])
        tables.append(table)
    return tables


def _states(hand: PlayedHand) -> list[Table]:
    table = Table()
    states: list[Table] = []
    for commit in hand.commits:
        table = fold(table, commit.events)
        if table.in_hand:
            states.append(table)
    return states
