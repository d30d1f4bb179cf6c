"""A logged hand, step by step, for each viewer; and the search for where it begins."""

from __future__ import annotations

import json

import pytest

from doorcard.audit.replay import (
    Eyes,
    Step,
    hand_at,
    hand_start,
    replay_hand,
    step_at,
    told_hands,
    utc,
)
from doorcard.cards import Card
from doorcard.commands import SitOut, VoidHand
from doorcard.errors import BadInput, BadKey, BadLog
from doorcard.fairness.deck import FairDeck
from doorcard.fairness.keys import SeatKey
from doorcard.streams.log import Stored
from doorcard.testing import StackedDeck
from doorcard.views import AUDITOR, SPECTATOR
from tests.audit.played import OTHER_RING, RING, START_MS, House, ListLog


@pytest.fixture(scope="module")
def house() -> House:
    return House("stud_high_low_8", seats=4, seed=6).play(7)


def downs(step: Step) -> dict[int, tuple[Card | None, ...]]:
    return {seat.seat: seat.down for seat in step.view.seats}


def test_a_hand_goes_from_its_start_to_its_end(house: House) -> None:
    for hand in range(1, 8):
        steps = list(replay_hand(house.log, house.id, hand))
        assert [step.seq for step in steps] == list(range(steps[0].seq, steps[-1].seq + 1))
        assert steps[0].words[0].startswith(f"hand {hand}: ")
        assert {step.view.hand for step in steps} == {hand}
        assert [step.view.in_hand for step in steps[:-1]] == [True] * (len(steps) - 1)
        assert not steps[-1].view.in_hand
        assert steps[-1].seq == house.heads[hand - 1].seq


def test_the_last_hand_is_taken_where_none_is_named(house: House) -> None:
    assert next(replay_hand(house.log, house.id)).view.hand == 7


def test_a_hand_in_progress_is_shown_as_far_as_it_has_come() -> None:
    house = House(seats=2).play(1)
    house.step()
    house.step()
    steps = list(replay_hand(house.log, house.id, 2))
    assert steps[-1].seq == len(house.stored)
    assert steps[-1].view.in_hand


def test_a_step_says_when_who_and_what(house: House) -> None:
    first, second, *_ = replay_hand(house.log, house.id, 1)
    assert (first.role, first.who) == ("dealer", "dealer")
    assert first.time.startswith("2025-10-09T08:53:20.")
    assert first.time.endswith("Z")
    assert second.role == "betting"
    assert second.who.startswith("player-")
    assert second.words[0].startswith(second.who)
    assert second.view.pot > first.view.pot


def test_a_spectator_sees_no_face_down_card_that_was_not_shown(house: House) -> None:
    for step in replay_hand(house.log, house.id, 3):
        shown = {hand.seat for hand in step.view.shown}
        for seat, cards in downs(step).items():
            assert seat in shown or not any(cards)


def test_a_seat_sees_its_own_cards_and_no_others(house: House) -> None:
    eyes = Eyes(2, seat_keys=list(house.keys.values()))
    everything = Eyes(AUDITOR, ring=RING)
    for mine, whole in zip(
        replay_hand(house.log, house.id, 3, eyes),
        replay_hand(house.log, house.id, 3, everything),
        strict=True,
    ):
        shown = {hand.seat for hand in mine.view.shown}
        assert downs(mine)[2] == downs(whole)[2]
        assert None not in downs(mine)[2]
        for seat, cards in downs(mine).items():
            assert seat == 2 or seat in shown or not any(cards)


def test_a_seat_without_its_key_sees_what_a_spectator_sees(house: House) -> None:
    for eyes in (
        Eyes(2),
        Eyes(2, seat_keys=[house.keys[1]]),
        Eyes(2, seat_keys=[SeatKey.generate()]),
    ):
        first = next(replay_hand(house.log, house.id, 3, eyes))
        assert not any(any(cards) for cards in downs(first).values())


def test_an_auditor_sees_the_deck_as_it_was(house: House) -> None:
    first = next(replay_hand(house.log, house.id, 7, Eyes(AUDITOR, ring=RING)))
    assert isinstance(house.deck, FairDeck)
    for player in house.table.hand.players if house.table.hand is not None else ():
        cards = tuple(house.deck.cards[index] for index in player.down[:2])
        assert downs(first)[player.seat][:2] == cards


def test_an_auditor_needs_the_right_keys(house: House) -> None:
    with pytest.raises(BadInput, match="needs the deck keys"):
        Eyes(AUDITOR)
    with pytest.raises(BadKey, match="does not open"):
        next(replay_hand(house.log, house.id, 1, Eyes(AUDITOR, ring=OTHER_RING)))
    given = House(seats=2, next_deck=StackedDeck).play(1)
    with pytest.raises(BadInput, match="has no sealed seed"):
        next(replay_hand(given.log, given.id, 1, Eyes(AUDITOR, ring=RING)))


def test_a_step_is_plain_data_too(house: House) -> None:
    for step in replay_hand(house.log, house.id, 2, Eyes(0, seat_keys=[house.keys[0]])):
        again = json.loads(json.dumps(step.to_json()))
        assert list(again) == ["seq", "time", "role", "who", "words", "events", "pot", "view"]
        assert again["pot"] == step.view.pot


def test_the_table_is_shown_at_any_commit(house: House) -> None:
    for seq in (1, 3, 5, len(house.stored) // 2, len(house.stored)):
        step = step_at(house.log, house.id, seq)
        assert step.seq == step.view.seq == seq
    assert step_at(house.log, house.id, 3).view.hand == 0
    assert "sits down" in step_at(house.log, house.id, 3).words[0]
    start, _ = hand_start(house.log, house.id, 4)
    seen = step_at(house.log, house.id, start, Eyes(1, seat_keys=[house.keys[1]]))
    assert None not in downs(seen)[1]


def test_what_happens_between_hands_belongs_to_the_hand_before() -> None:
    house = House(seats=3).play(1)
    house.ask(SitOut(2, "player-2"))
    step = step_at(house.log, house.id, len(house.stored))
    assert step.words == ("player-2 sits out",)
    assert (step.view.hand, step.view.in_hand) == (1, False)
    assert list(replay_hand(house.log, house.id, 1))[-1].seq == len(house.stored) - 1


def test_every_hand_of_a_long_log_is_found() -> None:
    house = House("five_card_stud", seats=2, seed=3, chips=3000, variant="low_bring_in").play(60)
    starts = [
        seq for seq, _, _ in house.stored
        if (found := hand_at(house.log, house.id, seq)) is not None and found[0] == seq
    ]  # fmt: skip
    assert [hand_start(house.log, house.id, hand)[0] for hand in range(1, 61)] == starts


def test_what_is_not_there_is_told(house: House) -> None:
    with pytest.raises(BadInput, match=r"there is no table p00\.x"):
        replay_hand(house.log, "p00.x", 1)
    for hand in (0, 8, -1, 10**9):
        with pytest.raises(BadInput, match="has hands 1 to 7"):
            replay_hand(house.log, house.id, hand)
    for seq in (0, -1, len(house.stored) + 1):
        with pytest.raises(BadInput, match="has commits 1 to "):
            step_at(house.log, house.id, seq)
    empty = House(seats=2)
    with pytest.raises(BadInput, match="has not played a hand yet"):
        replay_hand(empty.log, empty.id)
    assert hand_at(empty.log, empty.id, 2) is None


def test_a_damaged_log_is_told_and_not_guessed(house: House) -> None:
    log = ListLog()
    log.heads = dict(house.log.heads)
    start, _ = hand_start(house.log, house.id, 2)
    raw = house.stored[start + 1].raw
    log.commits[house.id] = [*house.stored]
    log.commits[house.id][start + 1] = Stored(start + 2, raw[:-1] + bytes((raw[-1] ^ 1,)))
    with pytest.raises(BadLog):
        list(replay_hand(log, house.id, 2))
    with pytest.raises(BadLog):
        list(told_hands(log, house.id, Eyes(), [2]))


def test_the_events_of_hands_are_told_each_with_what_was_seen(house: House) -> None:
    eyes = Eyes(1, seat_keys=[house.keys[1]])
    told = list(told_hands(house.log, house.id, eyes))
    assert [hand.start.hand for hand in told] == list(range(1, 8))
    assert all(hand.over for hand in told)
    some = list(told_hands(house.log, house.id, eyes, [2, 5]))
    assert some == [told[1], told[4]]
    steps = list(replay_hand(house.log, house.id, 5, eyes))
    assert [card for card in downs(steps[-1])[1] if card] == list(some[1].opened.values())
    spectator = next(told_hands(house.log, house.id, Eyes(SPECTATOR), [5]))
    assert not spectator.opened
    with pytest.raises(BadInput, match="has hands 1 to 7"):
        list(told_hands(house.log, house.id, eyes, [3, 9]))


def test_a_void_hand_and_one_in_progress_are_told_as_they_are() -> None:
    house = House(seats=2)
    house.step()
    house.ask(VoidHand("a card was seen"))
    house.step()
    void, running = told_hands(house.log, house.id, Eyes())
    assert void.over
    assert not running.over


def test_times_are_in_utc_whatever_the_clock_on_the_wall_does() -> None:
    # S-57: three seconds across the end of summer time in Europe, and across a midnight.
    assert utc(1_761_440_399_000) == "2025-10-26T00:59:59.000Z"
    assert utc(1_761_440_402_000) == "2025-10-26T01:00:02.000Z"
    assert utc(START_MS) == "2025-10-09T08:53:20.000Z"
    assert utc(1_767_225_599_999) == "2025-12-31T23:59:59.999Z"
