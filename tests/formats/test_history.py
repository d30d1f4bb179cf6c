"""A hand's history: its sums, its streets, and who may read which cards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from doorcard.cards import Card
from doorcard.commands import VoidHand
from doorcard.engine import floor
from doorcard.engine.reducer import fold
from doorcard.engine.table import Table
from doorcard.errors import BadInput, Refused
from doorcard.events import Dealt, Event, HandShown, HandStarted
from doorcard.formats.history import HandHistory, hands_of, history_of
from tests.formats.seeded import Played, play

GAMES = ("seven_card_stud", "razz", "stud_high_low_8")


def hands() -> Iterator[Played]:
    for seed in range(60):
        house = {"rake_bps": 500, "rake_cap": 7} if seed % 3 == 0 else {}
        yield play(GAMES[seed % 3], (2, 4, 6, 8)[seed % 4], seed, house=house, wild=seed % 5 == 0)


def put_in(history: HandHistory, seat: int) -> int:
    own = [step for step in history.steps if step.seat == seat]
    returned = sum(step.amount for step in own if step.what == "uncalled")
    return sum(step.amount for step in own if step.what != "uncalled") - returned


def test_wagers_less_what_went_back_are_the_pots_are_what_was_collected_and_raked() -> None:
    raked = side_pots = 0
    for played in hands():
        history = history_of(played.events)
        collected = sum(chips for pot in history.pots for _, _, chips in pot.shares)
        wagered = sum(put_in(history, seat.seat) for seat in history.seats)
        assert wagered == history.pot == collected + history.rake
        nets = 0
        for seat in history.seats:
            won = sum(
                chips for pot in history.pots for who, _, chips in pot.shares if who == seat.seat
            )
            assert seat.final - seat.stack == won - put_in(history, seat.seat)
            nets += seat.final - seat.stack
        assert nets == -history.rake
        raked += history.rake > 0
        side_pots += len(history.pots) > 1
    assert raked
    assert side_pots


def test_every_street_is_told_also_when_all_are_all_in() -> None:
    early = 0
    for played in hands():
        history = history_of(played.events)
        shown = [step for step in history.steps if step.what == "show"]
        if not shown:
            continue
        streets = {step.street for step in history.steps if step.what in ("deal", "community")}
        assert streets == {1, 2, 3, 4, 5}
        assert history.steps[-1].what in ("show", "muck")
        for step in shown:
            assert len(step.shown) + len(history.community) == 7
            assert None not in step.shown
        bets = [step.street for step in history.steps if step.what in ("call", "check", "bet")]
        early += not bets or max(bets) < 5
    assert early


def test_totals_and_all_ins_follow_the_stacks() -> None:
    for played in hands():
        history = history_of(played.events)
        left = {seat.seat: seat.stack for seat in history.seats}
        for step in history.steps:
            if step.seat is None or step.what in ("deal", "show", "muck"):
                continue
            left[step.seat] += step.amount if step.what == "uncalled" else -step.amount
            assert step.all_in == (
                step.what != "uncalled" and step.amount > 0 and not left[step.seat]
            )


def hidden(played: Played, owner: int | None) -> set[Card]:
    """Downcards that were shown to nobody, except those of one seat."""
    shown = {
        place
        for event in played.events
        if isinstance(event, HandShown)
        for place, *_ in event.cards
    }
    return {
        played.deck.cards[place]
        for event in played.events
        if isinstance(event, Dealt)
        for seat, place in event.down
        if seat != owner and place not in shown
    }


def test_a_viewer_never_gets_anybody_elses_unshown_card() -> None:
    for played in hands():
        seats = [None, *(history_seat.seat for history_seat in history_of(played.events).seats)]
        for viewer in seats:
            history = history_of(
                played.events, played.deck, "spectator" if viewer is None else viewer
            )
            text = repr(history)
            assert [card for card in hidden(played, viewer) if repr(card) in text] == []
            for seat in history.seats:
                if seat.seat == viewer:
                    assert None not in seat.cards


def test_the_auditor_sees_every_card_that_was_dealt_and_no_burned_one() -> None:
    for played in hands():
        history = history_of(played.events, played.deck)
        assert history.viewer == "auditor"
        dealt = [card for seat in history.seats for card in seat.cards]
        assert None not in dealt
        burned = {
            played.deck.cards[event.burn]
            for event in played.events
            if isinstance(event, Dealt) and event.burn is not None and not event.reshuffled
        }
        reshuffled = any(isinstance(e, Dealt) and e.reshuffled for e in played.events)
        assert reshuffled or not burned & {*dealt, *history.community}


def test_without_a_deck_a_seat_brings_the_cards_that_it_opened_itself() -> None:
    played = play("razz", 3, 5, short=False)
    seat = history_of(played.events).seats[0].seat
    places = [
        place
        for event in played.events
        if isinstance(event, Dealt)
        for owner, place in event.down
        if owner == seat
    ]
    opened = {place: played.deck.cards[place] for place in places}
    mine = history_of(played.events, viewer=seat, opened=opened)
    assert mine == history_of(played.events, played.deck, seat)
    assert history_of(played.events).viewer == "spectator"


def test_exposed_hands_are_known_to_all() -> None:
    for seed in range(30):
        played = play("seven_card_stud", 3, seed, house={"expose_all_in": True})
        history = history_of(played.events)
        early = [step for step in history.steps if step.what == "show" and step.street < 5]
        if early:
            assert all(None not in step.shown for step in early)
            return
    raise AssertionError("no hand was exposed early")


def test_a_log_is_cut_into_its_finished_hands() -> None:
    first, second = play("razz", 3, 1).events, play("razz", 3, 2).events
    assert list(hands_of([*first, *second, *first[:4]])) == [list(first), list(second)]


def voided() -> tuple[Event, ...]:
    played = play("razz", 3, 1, short=False)
    begun = played.events[:6]
    table = fold(Table(), begun)
    decided = floor.decide(table, VoidHand("power cut"))
    assert not isinstance(decided, Refused)
    return (*begun, *decided.events)


def test_a_void_hand_gives_everything_back() -> None:
    history = history_of(voided())
    assert history.voided == "power cut"
    assert history.pots == ()
    assert [seat.final for seat in history.seats] == [seat.stack for seat in history.seats]


def test_what_is_no_whole_hand_is_refused() -> None:
    played = play("razz", 3, 1)
    start = played.events[0]
    assert isinstance(start, HandStarted)
    with pytest.raises(BadInput, match="no hand starts"):
        history_of(played.events[1:])
    with pytest.raises(BadInput, match="has not ended"):
        history_of(played.events[:-1])
    with pytest.raises(BadInput, match="has not ended"):
        history_of([*played.events[:-1], start])
    with pytest.raises(BadInput, match="seat 7 was not dealt"):
        history_of(played.events, viewer=7)
