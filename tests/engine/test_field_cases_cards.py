"""Field reports about cards and seats: S-19, S-20, S-25, S-34."""

from __future__ import annotations

import os
import random
from typing import Final

import pytest

from doorcard.cards import CARDS, BadCard, Card, parse_cards
from doorcard.commands import AddChips, Leave, SitDown, VoidHand
from doorcard.engine import floor
from doorcard.engine.decided import Decided
from doorcard.engine.invariants import check
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import (
    AntesPosted,
    CardBought,
    Dealt,
    Event,
    Folded,
    HandStarted,
    HandVoided,
    SeatLeft,
    SeatTaken,
)
from doorcard.games import GAMES
from doorcard.rankings import evaluate
from doorcard.testing import StackedDeck
from tests.engine.play import Play, require_whole_amounts
from tests.engine.random_play import granted, play_hand, seated

HANDS: Final = int(os.environ.get("DOORCARD_RANDOM_HANDS", "10000"))
"""How many random hands; more for a soak."""


def test_s_20_eight_players_and_nobody_folds() -> None:
    """R3.3, R3.6, R3.8, R11.2: the shared ace, who opens on it, and who wins."""
    play = Play(
        [100] * 8,
        (
            "2c 3c 4c 5c 7d 8d", "2d 3d 4d 5d 7h 8h", "2h 3h 4h 5h 7s 8s", "2s 3s 4s 5s 7c 8c",
            "9c Tc Jc Qc Kd 6d", "9d Td Jd Qd Kh 6h", "9h Th Jh Qh Ks 6s", "9s Ts Js Qs Kc 6c",
        ),
        community="As",
    ).start()  # fmt: skip
    assert play.options() == "A: bring_in 5, complete 10"
    play.do("A bring_in", *(f"{seat} call" for seat in "BCDEFGH"))
    for _ in range(3):
        for _ in range(8):
            play.do(f"{play.asked} check")
    last = play.of(Dealt)[-1]
    assert (last.street, last.burn, last.down, last.up, last.reshuffled) == (5, None, (), (), ())
    assert [card for _, card, _ in last.community] == [Card("As")]
    assert play.hand.community == (Card("As"),)
    assert play.asked == "E"
    for _ in range(8):
        play.do(f"{play.asked} check")
    assert play.pots() == [56]
    assert play.shares() == [{"D": 56}]
    assert play.stacks() == [93, 93, 93, 149, 93, 93, 93, 93]


def test_s_19_fifty_two_different_cards_every_hand() -> None:
    """R1.1, R1.2, R2.7: each card once, none of a folded hand again, a fresh deck each hand."""
    rng = random.Random(19)
    each = HANDS // len(GAMES)
    for number, game in enumerate(sorted(GAMES)):
        table = seated(game, [60] * (2 + number % 6))
        decks: set[tuple[Card, ...]] = set()
        for _ in range(each):
            cards = list(CARDS)
            rng.shuffle(cards)
            decks.add(tuple(cards))
            table = with_chips_for_all(table)
            table, events = play_hand(table, StackedDeck(map(str, cards)), rng)
            check(table, events)
            require_every_card_once(events)
            require_whole_amounts(events)
        assert len(decks) == table.hands == each


def with_chips_for_all(table: Table) -> Table:
    """Who is broke brings sixty more."""
    for seat in list(table.seats.values()):
        if not seat.stack:
            more = AddChips(seat.seat, seat.player, 60, f"more{table.hands}")
            table = granted(floor.decide(table, more)).table
    return table


def require_every_card_once(events: list[Event]) -> None:
    """Deck places dealt and burned are all different, but for burns shuffled in again (R3.2)."""
    dealt: set[int] = set()
    burned: set[int] = set()
    out: set[int] = set()
    seats: set[int] = set()
    for event in events:
        if isinstance(event, HandStarted):
            seats = set(event.players)
        elif isinstance(event, Folded):
            out.add(event.seat)
        elif isinstance(event, Dealt):
            served = {seat for seat, _ in event.down} | {seat for seat, *_ in event.up}
            assert served <= seats - out
            if event.burn is not None:
                burned.add(event.burn)
            if event.reshuffled:
                assert burned <= set(event.reshuffled)
                assert dealt.isdisjoint(event.reshuffled)
                burned.clear()
            if event.burn_again is not None:
                burned.add(event.burn_again)
            places = [place for _, place in event.down]
            places += [place for _, place, _, _ in event.up]
            places += [place for place, _, _ in event.community]
            require_new(places, dealt, burned)
        elif isinstance(event, CardBought):
            assert event.seat in seats - out
            burned -= set(event.reshuffled)
            require_new([event.place], dealt, burned)


def require_new(places: list[int], dealt: set[int], burned: set[int]) -> None:
    """None of these cards was dealt or burned before; from now on they are dealt."""
    assert len(set(places)) == len(places)
    assert dealt.isdisjoint(places)
    assert burned.isdisjoint(places)
    dealt.update(places)


@pytest.mark.parametrize("text", ["10c", "1c", "tc", "tc ", "Tc ", "Xx", "", "T", "cT", "🂡"])
def test_s_25_what_is_no_card_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadCard, match=repr(text)):
        Card(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7h 7h 2c 3c 4c", "7h occurs twice"),
        ("7h 8h 9h Th", "not 4"),
        ("2c 3c 4c 5c 6c 7c 8c 9c", "at most 7 cards, not 8"),
        ("10c 2c 3c 4c 5c", "not a list of two-character cards"),
        ("1c 2c 3c 4c 5c", "'1c'"),
    ],
)
def test_s_25_bad_hands_are_refused_not_ranked(text: str, said: str) -> None:
    with pytest.raises(BadCard, match=said):
        evaluate("high", text, cards_max=GAMES["seven_card_stud"].cards_each)


def test_s_25_one_card_cannot_be_held_by_two_players() -> None:
    with pytest.raises(BadCard, match="7h occurs twice"):
        StackedDeck("7h 2c 7h")
    with pytest.raises(BadCard, match="7h occurs twice"):
        parse_cards(["7h", "2c", "7h"])


def test_s_34_one_account_one_seat_one_buy_in() -> None:
    """R18.6: the same account twice, at once: one seat and one buy-in."""
    play = Play((100, 100), seats=4)
    first = play.floor(SitDown(2, "carol", 80, "sit-1"))
    again = play.floor(SitDown(2, "carol", 80, "sit-1"))
    elsewhere = play.floor(SitDown(3, "carol", 80, "sit-2"))
    assert isinstance(first, Decided)
    assert first.events == (SeatTaken(2, "carol", 80, b"", "sit-1"),)
    assert isinstance(again, Decided)
    assert again.events == ()
    assert isinstance(elsewhere, Refused)
    assert elsewhere.code == "floor/seated_already"
    assert play.table.chips_in == 280
    assert sorted(play.table.seats) == [0, 1, 2]


def test_s_34_leaving_while_the_hand_begins_hangs_nothing() -> None:
    """R18.4: the ante stays in, the server folds for B, and B is paid out afterwards."""
    play = Play((100, 100, 100), ("? ? 9h", "? ? 8h", "? ? 2c")).start()
    play.floor(Leave(1, "p1", "go"))
    assert sorted(play.table.seats) == [0, 1, 2]
    play.do("C bring_in", "A complete")
    assert play.asked == "B"
    play.time_out()
    play.do("C fold")
    assert not play.table.in_hand
    assert play.table.awaited == "floor"
    play.settle()
    assert sorted(play.table.seats) == [0, 2]
    assert play.events[-1] == SeatLeft(1, "p1", 98)
    assert play.table.chips_out == 98
    assert play.stacks() == [109, 93]
    assert play.table.ready_to_deal


def test_s_34_or_every_ante_is_returned() -> None:
    """R19.2: the other way out of the same trouble."""
    play = Play((100, 100, 100), ("? ? 9h", "? ? 8h", "? ? 2c")).start()
    play.floor(Leave(1, "p1", "go"))
    play.floor(VoidHand("a player has left"))
    assert isinstance(play.events[-1], HandVoided)
    assert play.stacks() == [100, 100, 100]
    play.settle()
    assert sorted(play.table.seats) == [0, 2]


def test_s_34_a_newcomer_pays_nothing_until_dealt_in_and_then_once() -> None:
    """R18.6."""
    play = Play((100, 100), ("? ? 9h", "? ? 2c"), seats=3).start()
    play.floor(SitDown(2, "carol", 80, "sit"))
    assert [seat for seat, _ in play.of(AntesPosted)[0].antes] == [0, 1]
    assert play.stack("C") == 80
    play.do("B bring_in", "A fold")
    assert play.stack("C") == 80
    play.next_hand(("? ? 9h", "? ? 2c", "? ? 8h"))
    (antes,) = play.of(AntesPosted)
    assert dict(antes.antes)[2] == 2
    assert play.stack("C") == 78
