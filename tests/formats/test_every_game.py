"""Every game in both forms: nothing is lost, and nobody reads another's cards or secret choices."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from doorcard.cards import Card
from doorcard.errors import BadInput
from doorcard.events import (
    CardBought,
    CardsExposed,
    Dealt,
    DeclarationMade,
    HandShown,
    RollChosen,
    Rolled,
)
from doorcard.formats.history import history_of
from doorcard.formats.phh import read_phh, write_phh
from doorcard.formats.record import parse_record
from doorcard.games import GAMES
from tests.formats.seeded import Played, exported, hands

LOST_IN_PHH = ("tags", "note", "tournament")
"""What is said about a hand, and nothing that happened in it."""


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_is_read_back_without_loss(game: str) -> None:
    for _, played in hands()[game]:
        for viewer in ("auditor", "spectator", 0):
            record = exported(played, viewer)
            assert parse_record(record).model_dump(exclude_unset=True) == record
            again = read_phh(write_phh(history_of(played.events, played.deck, viewer)))
            parse_record(again)
            for field in record:
                if field not in LOST_IN_PHH:
                    assert again[field] == record[field], field


def test_all_that_a_player_can_choose_is_told() -> None:
    told = Counter(
        action["a"]
        for game in hands().values()
        for _, played in game
        for action in exported(played, "spectator")["actions"]
    )
    assert set(told) >= {"roll", "buy", "decline", "take", "match", "declare", "community"}


@pytest.mark.parametrize("game", GAMES)
def test_the_amounts_are_the_pots(game: str) -> None:
    for _, played in hands()[game]:
        record = exported(played, "spectator")
        put_in = sum(
            -action["amount"] if action["a"] == "uncalled" else action.get("amount", 0)
            for action in record["actions"]
        )
        paid = sum(entry["amount"] for entry in record["expect"]["collected"])
        assert put_in == record["expect"]["pot"] == paid


def hidden(played: Played, owner: int | None) -> set[Card]:
    """Cards that nobody but other seats ever saw: thrown away downcards are among them."""
    events = played.events
    open_places: set[int] = set()
    for event in events:
        if isinstance(event, (HandShown, CardsExposed)):
            open_places.update(place for place, _, _ in event.cards)
        elif isinstance(event, Rolled):
            open_places.update(place for _, place, _, _ in event.cards)
    places = [
        (seat, place) for event in events if isinstance(event, Dealt) for seat, place in event.down
    ]
    places += [
        (event.seat, event.place)
        for event in events
        if isinstance(event, CardBought) and not event.shown
    ]
    return {
        played.deck.cards[place]
        for seat, place in places
        if seat != owner and place not in open_places
    }


@pytest.mark.parametrize("game", GAMES)
def test_a_viewer_never_gets_anybody_elses_unshown_card(game: str) -> None:
    for _, played in hands()[game]:
        for viewer in (None, 0, 1):
            whole = history_of(
                played.events, played.deck, "spectator" if viewer is None else viewer
            )
            history = whole._replace(wild=())  # which cards are wild is no secret
            secret = hidden(played, viewer)
            assert [card for card in secret if repr(card) in repr(history)] == []
            assert secret.isdisjoint(cards(write_phh(history)))


def cards(text: str) -> set[Card]:
    """Every card that the actions of a file name."""
    actions = next(line for line in text.splitlines() if line.startswith("actions"))
    return {Card(found) for found in re.findall(r"[2-9TJQKA][cdhs]", actions)}


def test_secret_choices_are_told_when_they_are_opened_and_not_before() -> None:
    rolled = declared = 0
    for game in ("roll_your_own", "five_card_high_low_declare"):
        for _, played in hands()[game]:
            secrets = [
                place
                for place, event in enumerate(played.events)
                if isinstance(event, RollChosen | DeclarationMade)
            ]
            history = history_of(played.events)
            whats = Counter(step.what for step in history.steps)
            rolled += whats["roll"]
            declared += whats["declare"]
            if secrets:
                assert whats["roll"] + whats["declare"] >= len(secrets)
    assert rolled
    assert declared


def test_a_bought_card_stands_in_the_place_of_the_one_thrown_away() -> None:
    bought = 0
    for _, played in hands()["five_card_high_low_buy"]:
        history = history_of(played.events, played.deck)
        final = {seat.seat: seat.cards for seat in history.seats}
        last = {step.seat: step for step in history.steps if step.what == "buy"}
        for seat, step in last.items():
            assert seat is not None
            assert step.place is not None
            assert final[seat][step.place] == (*step.up, *step.down)[0]
            assert step.discard not in final[seat]
            bought += 1
    assert bought


def test_the_wild_cards_at_the_end_are_told() -> None:
    followers = 0
    for _, played in hands()["queens_and_after"]:
        wild = history_of(played.events).wild
        assert {str(card) for card in wild} >= {"Qc", "Qd", "Qh", "Qs"}
        followers += len(wild) == 8
    assert followers
    assert all(len(history_of(played.events).wild) == 8 for _, played in hands()["baseball"])
    assert all(history_of(played.events).wild == () for _, played in hands()["razz"])


def test_a_second_betting_round_on_a_street_is_numbered() -> None:
    rounds = Counter(
        action.get("round", 1)
        for kind, played in hands()["five_card_high_low_buy"]
        if "bet_before_buy" in kind.house
        for action in exported(played, "spectator")["actions"]
        if "to" in action
    )
    assert rounds[1]
    assert rounds[2]


# --- actions that no hand can have -----------------------------------------------------------

BUY = """
variant = 'five_card_high_low_buy'
_game = 'five_card_high_low_buy'
antes = [1, 1]
small_bet = 5
big_bet = 10
starting_stacks = [100, 11]
actions = [
  'p2 _dead 1', 'd dh p1 ??Ks', 'd dh p2 As2c', 'p1 cc', 'p2 cc', 'd dh p1 Kd', 'd dh p2 3c',
  'p1 cc', 'p2 cc', 'd dh p1 Kh', 'd dh p2 4c', 'p1 cc', 'p2 cc', 'd dh p1 2d', 'd dh p2 5c',
  'p1 _buy 10 4 up 2d 2h', 'p2 _decline', 'd _round', 'p1 cc', 'p2 cc',
  'p1 _declare high', 'p2 _declare low',
]
"""


def test_our_own_verbs_are_read() -> None:
    record: Any = read_phh(BUY)
    assert [action["a"] for action in record["actions"] if "amount" not in action][-3:] == [
        "decline",
        "declare",
        "declare",
    ]
    assert record["cards"]["1"] == ["??", "Ks", "Kd", "Kh", "2h"]
    assert record["house"] == {}
    parse_record(record)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("_dead 1", "_dead x", "not a whole number"),
        ("_dead 1", "_dead 99", "no such chips"),
        ("_buy 10 4", "_buy 10 5", "holds no card '5'"),
        ("_buy 10 4", "_buy 10 x", "holds no card 'x'"),
        ("_buy 10 4", "_buy 999 4", "no such chips"),
        ("up 2d 2h", "up 2c 2h", "holds 2d, not 2c"),
        ("up 2d 2h", "up 2d 2x", "2x"),
        ("up 2d 2h", "up 2d", "no action of a stud hand"),
        ("_decline", "_refuse", "no action of a stud hand"),
        ("p2 _decline", "p3 _decline", "no player 'p3'"),
        ("_decline", "_roll 9 As", "holds no card '9'"),
        ("_decline", "_take -1", "not a whole number"),
        ("d dh p1 Kd", "d _dh p1 9 - Kd", "no street '9'"),
        ("d dh p1 2d", "d _dh p1 3 - 2d", "out of order"),
        ("_game = 'five", "_house = {burn = 1.5}\n_game = 'five", "burn cannot be this"),
        ("_game = 'five", "_variant = 7\n_game = 'five", "_variant"),
    ],
)
def test_what_no_hand_can_have_is_refused_with_the_place(old: str, new: str, reason: str) -> None:
    assert old in BUY
    with pytest.raises(BadInput, match=re.escape(reason)):
        read_phh(BUY.replace(old, new))
