"""Hands that the engine played itself: the audit agrees, and finds what was changed in them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doorcard.audit.foreign import audit_hand
from doorcard.formats.history import history_of
from doorcard.formats.jsonl import export_jsonl, parse_line
from doorcard.formats.phh import read_phh, write_phh
from doorcard.limits import Limits, Scalar, Structure
from tests.formats.seeded import BOARD_OPENS, LIMITS, STRUCTURES, Played, play, staked

GAMES: Final = (
    ("seven_card_stud", "", LIMITS),
    ("seven_card_stud", "no_bring_in", BOARD_OPENS),
    ("razz", "", LIMITS),
    ("stud_high_low_8", "", LIMITS),
    ("five_card_stud", "", BOARD_OPENS),
    ("five_card_stud", "low_bring_in", LIMITS),
    ("five_card_stud", "high_bring_in", LIMITS),
)
ACTIONS: Final = ("bring_in", "complete", "bet", "raise", "call", "check", "fold")
Change = Callable[[Any, random.Random], None]


def exported(played: Played, viewer: int | None = None, *, told: bool = False) -> dict[str, Any]:
    """A record as it comes out of a file; without ``told`` its house rules are to be found out."""
    deck = None if viewer is None else played.deck
    record = parse_line(json.dumps(export_jsonl(history_of(played.events, deck, viewer))))
    return record if told else without_rules(record)


def without_rules(record: dict[str, Any]) -> dict[str, Any]:
    """A record that tells no more than other houses' do."""
    return {name: record[name] for name in record if name not in ("variant", "house", "dealer")}


@given(
    st.sampled_from(GAMES),
    st.sampled_from(STRUCTURES),
    st.sampled_from((2, 3, 6, 8)),
    st.integers(0, 10_000),
    st.booleans(),
    st.booleans(),
)
def test_every_view_of_an_own_hand_agrees(
    game: tuple[str, str, Limits],
    structure: Structure,
    seats: int,
    seed: int,
    short: bool,
    wild: bool,
) -> None:
    name, variant, limits = game
    limits = staked(limits, structure)
    played = play(name, seats, seed, variant=variant, limits=limits, short=short, wild=wild)
    for viewer in (None, 0):
        for told in (False, True):
            record = exported(played, viewer, told=told)
            assert audit_hand(record).verdict == "agree", audit_hand(record).reason
        deck = None if viewer is None else played.deck
        again = read_phh(write_phh(history_of(played.events, deck, viewer)))
        assert audit_hand(again).verdict == "agree", audit_hand(again).reason


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("open_fold", True),
        ("odd_half_chip", "low"),
        ("odd_chip", "tda"),
        ("odd_chip", "position"),
        ("max_raises", 4),
        ("max_raises", None),
        ("heads_up_uncap", "becomes_heads_up"),
        ("pair_option", "any"),
        ("pair_option", "holder"),
        ("small_raise_after_big", True),
        ("late_streets", "either"),
        ("short_wager_rule", "full"),
        ("first_raise_from", "bring_in"),
        ("short_bring_in_price", "actual"),
        ("bring_in_all_in_ante", "next_low_card"),
        ("burn", False),
        ("exhaustion", "community_only"),
        ("community_betting", False),
        ("community_opener", "same_as_previous"),
        ("opener_tie", "suit"),
        ("expose_all_in", True),
        ("dealer_mode", "fixed"),
    ],
)
def test_hands_of_every_house_agree(name: str, value: Scalar) -> None:
    for seed in range(12):
        games = ["seven_card_stud", "stud_high_low_8"]
        if name != "pair_option":  # only high boards have one (R7.3)
            games.append("razz")
        game = games[seed % len(games)]
        played = play(game, (3, 8)[seed % 2], seed, house={name: value}, wild=seed % 4 == 0)
        for told in (False, True):
            verdict = audit_hand(exported(played, told=told))
            assert verdict.verdict == "agree", verdict.reason


def test_a_last_card_dealt_down_is_seen_in_the_record() -> None:
    played = play("five_card_stud", 4, 1, limits=BOARD_OPENS, house={"last_card_down": True})
    verdict = audit_hand(exported(played))
    assert (verdict.verdict, verdict.house) == ("agree", (("last_card_down", True),))


# --- changes ---------------------------------------------------------------------------------


def _turns(record: Any) -> list[Any]:
    return [action for action in record["actions"] if action["a"] in ACTIONS]


def _another_seat(record: Any, rng: random.Random) -> None:
    turn = rng.choice(_turns(record))
    seats = [seat["seat"] for seat in record["seats"] if seat["seat"] != turn["seat"]]
    turn["seat"] = rng.choice(seats)


def _another_amount(record: Any, rng: random.Random) -> None:
    turn = rng.choice(_turns(record))
    turn["amount"] += 1


def _another_total(record: Any, rng: random.Random) -> None:
    turn = rng.choice(_turns(record))
    turn["amount"] += 1
    turn["to"] += 1


def _another_stack(record: Any, rng: random.Random) -> None:
    rng.choice(record["seats"])["stack"] += 1


def _another_end(record: Any, rng: random.Random) -> None:
    finals = record["expect"]["final_stacks"]
    loser, winner = rng.sample([seat for seat in finals if finals[seat]] * 2, 2)
    finals[loser] -= 1
    finals[winner] += 1
    if loser == winner:
        finals[winner] += 1


def _another_winner(record: Any, rng: random.Random) -> None:
    paid = rng.choice([entry for entry in record["expect"]["collected"] if entry["amount"]])
    finals = record["expect"]["final_stacks"]
    other = rng.choice([seat for seat in finals if int(seat) != paid["seat"]])
    finals[str(paid["seat"])] -= paid["amount"]
    finals[other] += paid["amount"]
    paid["seat"] = int(other)


def _another_order(record: Any, rng: random.Random) -> None:
    actions = record["actions"]
    turns = [i for i, action in enumerate(actions) if action["a"] in ACTIONS]
    place = rng.choice([i for i in turns if i + 1 in turns])
    actions[place], actions[place + 1] = actions[place + 1], actions[place]


def _one_turn_less(record: Any, rng: random.Random) -> None:
    record["actions"].remove(rng.choice(_turns(record)))


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        _another_seat,
        _another_amount,
        _another_total,
        _another_stack,
        _another_end,
        _another_winner,
        _another_order,
        _one_turn_less,
    ],
)
def test_one_change_is_never_agreed_with(change: Change, told: bool) -> None:
    for seed, sample in enumerate(_samples()):
        record = sample if told else without_rules(sample)
        assert audit_hand(record).verdict == "agree"
        changed = copy.deepcopy(record)
        change(changed, random.Random(seed))
        assert audit_hand(changed).verdict != "agree", (seed, changed)


@cache
def _samples() -> list[dict[str, Any]]:
    """Hands with something to change in them: some betting, and a winner."""
    hands = [
        play(("seven_card_stud", "stud_high_low_8", "razz")[seed % 3], (3, 6)[seed % 2], seed)
        for seed in range(40)
    ]
    records = [
        parse_line(json.dumps(export_jsonl(history_of(hand.events, hand.deck)))) for hand in hands
    ]
    return [record for record in records if len(_turns(record)) > 3]
