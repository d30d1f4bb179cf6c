"""What the dealer seals into a hand, and who can open it: S-26, S-28 (c) to (e)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest

from doorcard.cards import Card
from doorcard.commands import Act, ActionName, SitDown
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.dealer import HandSecrets
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.reducer import stamp
from doorcard.errors import BadInput, BadKey
from doorcard.events import Dealt, Event, HandStarted
from doorcard.fairness.dealing import (
    dealt_opener,
    open_dealt,
    open_salted,
    open_seed,
    seal_dealt,
    seal_seed,
)
from doorcard.fairness.deck import FairDeck, check_leaf, leaves
from doorcard.fairness.keys import DeckKeyRing, SeatKey, fingerprint
from doorcard.fairness.ring_text import RingKeys
from doorcard.fairness.sealing import Context
from doorcard.local import opened_table
from doorcard.views import Entry, opened_cards

TABLE: Final = "local"
RING: Final = DeckKeyRing(RingKeys({"k1": bytes(range(32))}, "k1", {}, None))
OTHER_RING: Final = DeckKeyRing(RingKeys({"k1": bytes(range(1, 33))}, "k1", {}, None))
KEYS: Final = {seat: SeatKey(bytes([seat + 1] * 32)) for seat in range(4)}
KEYLESS: Final = 3
"""This seat sat down without a key; seat 2 with one that agrees on no secret."""
USELESS: Final = 2


class Sealed:
    """One hand of four, with everything sealed as the dealer's program does it."""

    def __init__(self, seed: bytes) -> None:
        self.deck = FairDeck(seed)
        self.entries: list[Entry] = []
        self.table = opened_table("seven_card_stud").table
        publics = {0: KEYS[0].public, 1: KEYS[1].public, USELESS: bytes(32), KEYLESS: b""}
        for seat, public in publics.items():
            self._append(
                floor.decide(self.table, SitDown(seat, f"p{seat}", 200, f"r{seat}", public))
            )
        self._play(seed)

    def _play(self, seed: bytes) -> None:
        key_id, sealed = seal_seed(seed, RING, TABLE, 1, self.table.seq + 1, self.table.chain)
        secrets = HandSecrets(key_id, sealed, leaves(self.deck))
        while not self.table.hands or self.table.in_hand:
            awaited = self.table.awaited
            if awaited == "dealer":
                self._append(dealer.decide(self.table, self.deck, secrets))
            elif awaited == "showdown":
                self._append(showdown.decide(self.table, self.deck))
            else:
                options = legal(self.table)
                assert options is not None
                action: ActionName = "check" if options.check else "call"
                if options.bring_in is not None:
                    action = "bring_in"
                act = Act(options.seat, options.decision, action)
                self._append(betting.decide(self.table, act))

    def _append(self, outcome: object) -> None:
        assert isinstance(outcome, Decided)
        before = self.table
        events: list[Event] = [
            seal_dealt(event, outcome.table, self.deck, before.seq + 1, before.chain, 1)
            if isinstance(event, Dealt)
            else event
            for event in outcome.events
        ]
        self.entries.append(Entry(before.seq + 1, before.chain, events))
        chain = bytes([len(self.entries)] * 32)
        stamp(
            outcome.table,
            asked_before=before.decision,
            seq=before.seq + 1,
            chain=chain,
            time_ms=0,
        )
        self.table = outcome.table

    def deals(self) -> Iterator[tuple[Dealt, int, bytes]]:
        for entry in self.entries:
            for event in entry.events:
                if isinstance(event, Dealt):
                    yield event, entry.seq, entry.chain

    @property
    def started(self) -> tuple[HandStarted, int]:
        return next(
            (event, entry.seq)
            for entry in self.entries
            for event in entry.events
            if isinstance(event, HandStarted)
        )

    def downcards(self, seat: int) -> dict[int, Card]:
        return {
            index: self.deck.cards[index]
            for event, _, _ in self.deals()
            for owner, index in event.down
            if owner == seat
        }


@cache
def sealed_hand() -> Sealed:
    return Sealed(bytes(range(100, 132)))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seats_key_opens_its_own_cards_and_all_of_them(seat: int) -> None:
    hand = sealed_hand()
    mine = opened_cards(hand.entries, dealt_opener(TABLE, seat, KEYS[seat]))
    assert mine == hand.downcards(seat)
    assert len(mine) == 3


@pytest.mark.parametrize(("seat", "other"), [(0, 1), (1, 0), (0, 2), (1, 3)])
def test_a_seats_key_opens_no_others(seat: int, other: int) -> None:
    tried = 0
    for event, seq, chain in sealed_hand().deals():
        if seat in dict(event.sealed):
            with pytest.raises(BadKey):
                open_dealt(event, TABLE, 1, seq, chain, seat, KEYS[other])
            tried += 1
    assert tried == 2


def test_the_seals_are_the_only_bytes_that_hold_a_hidden_card() -> None:
    """A street's downcards of a seat are in one seal; without a key there is none (S-26)."""
    for event, _, _ in sealed_hand().deals():
        with_key = {seat for seat, _ in event.down} & {0, 1}
        assert {seat for seat, _ in event.sealed} == with_key
        assert len(event.sealed) == len(with_key)


def test_a_key_that_agrees_on_no_secret_does_not_stop_the_table() -> None:
    hand = sealed_hand()
    assert not hand.table.in_hand
    assert all(seat != USELESS for event, _, _ in hand.deals() for seat, _ in event.sealed)


def test_nothing_opens_out_of_its_place() -> None:
    event, seq, chain = next(sealed_hand().deals())
    places = [
        ("another", 1, seq, chain, 0),
        (TABLE, 2, seq, chain, 0),
        (TABLE, 1, seq + 1, chain, 0),
        (TABLE, 1, seq, bytes(32), 0),
        (TABLE, 1, seq, chain, 1),
    ]
    assert open_dealt(event, TABLE, 1, seq, chain, 0, KEYS[0])
    for table, number, at, before, seat in places:
        with pytest.raises(BadKey):
            open_dealt(event, table, number, at, before, seat, KEYS[0])


def test_a_seal_that_was_changed_does_not_open() -> None:
    event, seq, chain = next(sealed_hand().deals())
    seat, sealed = event.sealed[0]
    for place in range(0, len(sealed), 7):
        changed = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        with pytest.raises(BadKey):
            open_dealt(
                event._replace(sealed=((seat, changed),)), TABLE, 1, seq, chain, seat, KEYS[seat]
            )


def test_cards_other_than_those_dealt_are_not_taken() -> None:
    """A dealer that seals other cards than the event names is found out by their owner."""
    event, seq, chain = next(sealed_hand().deals())
    moved = tuple((seat, index + 1) for seat, index in event.down)
    with pytest.raises(BadInput, match="seals other cards to seat 0"):
        open_dealt(event._replace(down=moved), TABLE, 1, seq, chain, 0, KEYS[0])


def test_a_player_checks_every_card_while_the_hand_runs() -> None:
    """S-28 (d): own cards against the leaves in the log, alone."""
    hand = sealed_hand()
    started, _ = hand.started
    for event, seq, chain in hand.deals():
        for index, card, salt in open_salted(event, TABLE, 1, seq, chain, 1, KEYS[1]):
            assert check_leaf(started.leaves, index, card, salt)
            assert not check_leaf(started.leaves, index, Card((card + 1) % 52), salt)


def test_the_seed_opens_to_the_deck_key_alone_and_gives_the_whole_deck() -> None:
    hand = sealed_hand()
    started, seq = hand.started
    seed = open_seed(RING, started, TABLE, seq)
    assert FairDeck(seed).cards == hand.deck.cards
    assert leaves(FairDeck(seed)) == started.leaves
    for ring, table, at in (
        (OTHER_RING, TABLE, seq),
        (RING, "another", seq),
        (RING, TABLE, seq + 1),
    ):
        with pytest.raises(BadKey):
            open_seed(ring, started, table, at)
    with pytest.raises(BadKey, match="no deck key 'k9'"):
        open_seed(RING, started._replace(key_id="k9"), TABLE, seq)


def test_the_contexts_are_as_published() -> None:
    """A player's or an auditor's own program, in any language, has to name the very same fields."""
    hand = sealed_hand()
    started, at = hand.started
    of_seed = Context(TABLE, 1, at, started.chain, "k1", "seed")
    assert FairDeck(RING.open(of_seed, started.sealed_seed)).cards == hand.deck.cards
    event, seq, chain = next(hand.deals())
    of_cards = Context(TABLE, 1, seq, chain, fingerprint(KEYS[1].public), "card", seat=1)
    sealed = dict(event.sealed)[1]
    opened = KEYS[1].open_cards(of_cards, sealed)
    assert {index: card for index, card, _ in opened}.items() <= hand.downcards(1).items()
    with pytest.raises(BadKey):
        RING.open(of_seed._replace(purpose="card"), started.sealed_seed)
    with pytest.raises(BadKey):
        KEYS[1].open_cards(of_cards._replace(purpose="seed"), sealed)


def test_a_seat_without_sealed_cards_opens_none() -> None:
    event, seq, chain = next(sealed_hand().deals())
    assert open_dealt(event, TABLE, 1, seq, chain, KEYLESS, KEYS[KEYLESS]) == {}


def test_opened_cards_begin_anew_with_each_hand() -> None:
    hand = sealed_hand()
    opener = dealt_opener(TABLE, 0, KEYS[0])
    started, _ = hand.started
    later = Entry(99, bytes(32), (started._replace(hand=2),))
    assert opened_cards([*hand.entries, later], opener) == {}
    middle = next(
        place
        for place, entry in enumerate(hand.entries)
        if any(isinstance(event, HandStarted) for event in entry.events)
    )
    rest = hand.entries[middle + 1 :]
    assert len(opened_cards(rest, opener, hand=1)) == 1
    with pytest.raises(BadKey):
        opened_cards(rest, opener)
