"""The .phh standard: our own hands come back without loss, and others' are understood."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doorcard.audit.foreign import audit_hand
from doorcard.errors import BadInput
from doorcard.formats.history import history_of
from doorcard.formats.jsonl import export_jsonl, parse_line
from doorcard.formats.phh import read_all_phh, read_phh, write_phh
from doorcard.limits import Limits
from doorcard.views.model import Viewer
from tests.formats.seeded import BOARD_OPENS, LIMITS, play

LOSSLESS = (
    "id", "game", "structure", "ante", "bring_in", "small_bet", "big_bet", "seats", "actions",
    "expect", "cards", "variant", "house", "dealer", "wild",
)  # fmt: skip
FOUR_GAMES = (
    ("seven_card_stud", "", LIMITS),
    ("razz", "", LIMITS),
    ("stud_high_low_8", "", LIMITS),
    ("five_card_stud", "low_bring_in", LIMITS),
    ("five_card_stud", "", BOARD_OPENS),
    ("seven_card_stud", "", LIMITS._replace(structure="no_limit")),
)


@given(
    st.sampled_from(FOUR_GAMES),
    st.integers(2, 8),
    st.integers(0, 10_000),
    st.booleans(),
    st.sampled_from(("auditor", "spectator", 0)),
)
def test_a_hand_is_read_back_without_loss(
    game: tuple[str, str, Limits], seats: int, seed: int, wild: bool, viewer: Viewer
) -> None:
    name, variant, limits = game
    played = play(name, seats, seed, variant=variant, limits=limits, wild=wild)
    history = history_of(played.events, played.deck, viewer)
    record = parse_line(json.dumps(export_jsonl(history)))
    again = read_phh(write_phh(history))
    for field in LOSSLESS:
        assert again.get(field) == record.get(field), field


@pytest.mark.parametrize("house", [{"expose_all_in": True}, {"short_bring_in_price": "actual"}])
def test_house_rules_that_change_the_reading_are_read_back(house: dict[str, Any]) -> None:
    for seed in range(30):
        played = play("seven_card_stud", 3, seed, house=house)
        history = history_of(played.events, played.deck, "spectator")
        record = parse_line(json.dumps(export_jsonl(history)))
        again = read_phh(write_phh(history))
        shown = ("show", "deal") if "expose_all_in" in house else ()
        for field in ("expect", "cards"):
            assert again[field] == record[field]
        assert _without(again, shown) == _without(record, shown)


def _without(record: Any, kinds: tuple[str, ...]) -> list[Any]:
    return [action for action in record["actions"] if action["a"] not in kinds]


def test_a_standard_hand_has_the_fields_that_every_reader_knows() -> None:
    played = play("razz", 3, 4, short=False)
    fields = tomllib.loads(write_phh(history_of(played.events, played.deck)))
    assert fields["variant"] == "FR"
    assert fields["antes"] == [1, 1, 1]
    assert (fields["bring_in"], fields["small_bet"], fields["big_bet"]) == (2, 5, 10)
    assert fields["starting_stacks"] == [500, 500, 500]
    assert sum(fields["finishing_stacks"]) == 1500
    assert sorted(fields["seats"]) == [0, 1, 2]
    assert [action.split()[:3] for action in fields["actions"][:3]] == [
        ["d", "dh", "p1"],
        ["d", "dh", "p2"],
        ["d", "dh", "p3"],
    ]


def test_a_game_that_the_standard_lacks_has_its_own_name() -> None:
    played = play("five_card_stud", 3, 4, limits=BOARD_OPENS)
    fields = tomllib.loads(write_phh(history_of(played.events, played.deck)))
    assert fields["variant"] == fields["_game"] == "five_card_stud"


def test_players_names_survive_any_letters() -> None:
    played = play("razz", 2, 4, short=False)
    history = history_of(played.events, played.deck)
    names = ['a"b\\c\n\x7f\t', "é\U0001f600\ud800"]
    seats = tuple(
        seat._replace(player=name) for seat, name in zip(history.seats, names, strict=True)
    )
    fields = tomllib.loads(write_phh(history._replace(seats=seats)))
    assert fields["players"] == [names[0], "é\U0001f600\N{REPLACEMENT CHARACTER}"]


# --- hands written by others -----------------------------------------------------------------

OTHERS = """
variant = 'F7S'
antes = [2, 2]
bring_in = 5
small_bet = 10
big_bet = 20
starting_stacks = [100, 100]
actions = [
  'd dh p1 Jc', 'd dh p2 5h', 'd dh p1 Jd', 'd dh p2 5c', 'd dh p1 Ks', 'd dh p2 2h',
  'p2 pb # grumbles', 'p1 cbr 10', '# a pause', 'p2 cc',
  'd dh p1 9c', 'd dh p2 3d',
  'p1 cbr 10', 'p2 f',
]
finishing_stacks = [112, 88]
"""


def test_a_hand_of_somebody_else_is_understood() -> None:
    record: Any = read_phh(OTHERS)
    assert [action["a"] for action in record["actions"]] == [
        "ante", "ante", "deal", "deal", "bring_in", "complete", "call", "deal", "deal", "bet",
        "fold", "uncalled",
    ]  # fmt: skip
    assert record["seats"] == [{"seat": 1, "stack": 100}, {"seat": 2, "stack": 100}]
    assert record["cards"] == {"1": ["Jc", "Jd", "Ks", "9c"], "2": ["5h", "5c", "2h", "3d"]}
    assert record["expect"] == {
        "pot": 24,
        "rake": 0,
        "collected": None,
        "final_stacks": {"1": 112, "2": 88},
    }
    verdict = audit_hand(record)
    assert (verdict.verdict, verdict.house) == ("agree", ())
    assert len(read_all_phh(f"[1]{OTHERS}[2]{OTHERS}")) == 2


def test_a_hand_without_result_is_judged_by_its_actions() -> None:
    text = OTHERS.replace("finishing_stacks = [112, 88]", "")
    assert audit_hand(read_phh(text)).verdict == "agree"
    assert audit_hand(
        read_phh(text.replace("'p1 cbr 10', 'p2 f'", "'p1 cbr 15', 'p2 f'"))
    ).reason == (
        "street 4: seat 1 is to act (legal is check, bet to 10); in the record seat 1 bets 15 to 15"
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("'F7S'", "'NT'", "no game 'NT'"),
        ("'F7S'", "7", "variant"),
        ("variant = 'F7S'", "", "variant: missing"),
        ("[2, 2]", "[2, 1]", "one ante"),
        ("[2, 2]", "[2]", "one ante"),
        ("[2, 2]", "2", "no list"),
        ("[2, 2]", "[0.5, 0.5]", "0.5 is not a whole number"),
        ("[100, 100]", "[]", "starting_stacks"),
        ("[100, 100]", "[-1, 100]", "-1 is not a whole number"),
        ("[100, 100]", "['x', 100]", "x is not a whole number"),
        ("bring_in = 5", "bring_in = true", "bring_in"),
        ("bring_in = 5", "blinds_or_straddles = [1, 2]", "blinds_or_straddles"),
        ("bring_in = 5", "bring_in = 5\nseats = [1, 1]", "seats"),
        ("bring_in = 5", "bring_in = 5\n_structure = 7", "_structure"),
        ("[112, 88]", "[112]", "one is needed for each player"),
        ("[112, 88]", "[500, 88]", "more chips left"),
        ("p2 pb", "p2 pb 5", "no action of a stud hand"),
        ("p2 pb", "p9 pb", "no player 'p9'"),
        ("p2 pb", "x2 pb", "no player 'x2'"),
        ("p1 cbr 10'", "p1 cbr 1e1'", "not a whole number"),
        ("p1 cbr 10'", "p1 cbr 999'", "no such chips"),
        ("p1 cbr 10', '#", "p1 pb', '#", "no bring-in is due"),
        ("d dh p1 9c", "d dh p1 9x", "9x"),
        ("d dh p1 9c", "d dh p1 9", "no cards"),
        ("d dh p1 9c", "d dh p1 9c8c", "too many cards"),
        ("'d dh p1 Ks', ", "", "all cards of the street"),
        ("'p2 f'", "'p2 f', 'p1 sm As'", "holds Jc, not As"),
        ("'p2 f'", "7", "no text"),
        ("actions = [", "_x = [", "actions"),
    ],
)
def test_what_is_no_hand_is_refused_with_the_place(old: str, new: str, reason: str) -> None:
    assert old in OTHERS
    with pytest.raises(BadInput, match=reason):
        read_phh(OTHERS.replace(old, new))


@pytest.mark.parametrize("text", ["variant =", "[[", "a = 1\na = 2", "x = " + "[" * 5000])
def test_what_is_no_toml_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"not a \.phh file"):
        read_phh(text)
