"""Hands as JSON lines: what is written, and what a line must be to be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doorcard.errors import BadInput
from doorcard.formats.history import history_of
from doorcard.formats.jsonl import export_jsonl, parse_line, read_jsonl
from doorcard.formats.record import parse_record
from doorcard.limits import Limits
from tests.formats.seeded import LIMITS, play


def exported(seed: int = 2, **more: Any) -> dict[str, Any]:
    played = play("seven_card_stud", 4, seed, **more)
    return export_jsonl(history_of(played.events, played.deck))


def test_a_hand_has_all_fields_of_the_form() -> None:
    record = exported(short=False)
    assert list(record) == [
        "id", "game", "structure", "tournament", "ante", "bring_in", "small_bet", "big_bet",
        "seats", "actions", "expect", "cards", "tags", "house", "dealer",
    ]  # fmt: skip
    assert (record["ante"], record["bring_in"], record["small_bet"], record["big_bet"]) == LIMITS[
        1:5
    ]
    assert record["seats"] == [{"seat": seat, "stack": 500} for seat in range(4)]
    parse_record(record)
    kinds = {action["a"]: tuple(action) for action in record["actions"]}
    assert kinds["ante"] == ("a", "seat", "amount", "all_in")
    assert kinds["deal"] == ("a", "street", "seat", "down", "up")
    assert kinds["bring_in"] == kinds["call"] == ("a", "seat", "amount", "to", "all_in")
    assert kinds["show"] == ("a", "seat", "cards")


def test_the_first_money_above_a_bring_in_completes_and_later_wagers_raise() -> None:
    for seed in range(40):
        names: dict[int, list[str]] = {}
        street = 0
        for action in exported(seed, wild=True)["actions"]:
            street = action.get("street", street)
            if action["a"] in ("complete", "bet", "raise"):
                names.setdefault(street, []).append(action["a"])
        for number, made in names.items():
            first = "complete" if number == 3 else "bet"
            assert made == [first, *["raise"] * (len(made) - 1)]


@pytest.mark.parametrize(
    ("limits", "sizes"),
    [
        (Limits("spread_limit", 1, 2, spread_min=2, spread_max=20), (2, 20)),
        (Limits("no_limit", 1, 2, 5, 10), (5, 5)),
        (Limits("pot_limit", 1, 2, min_bet=4), (4, 4)),
    ],
)
def test_sizes_of_other_structures(limits: Limits, sizes: tuple[int, int]) -> None:
    record = exported(limits=limits)
    assert record["structure"] == limits.structure
    assert (record["small_bet"], record["big_bet"]) == sizes


def test_house_rules_stand_in_the_note() -> None:
    assert exported(house={"open_fold": True})["note"] == "house rules: open_fold=True"


def test_tags_tell_what_is_special() -> None:
    tags = set(exported(short=False)["tags"])
    assert {"players_4", "showdown", "all_cards_known"} <= tags


def test_unseen_cards_are_written_as_unknown() -> None:
    played = play("seven_card_stud", 4, 2, short=False)
    record = export_jsonl(history_of(played.events))
    text = json.dumps(record["actions"])
    assert '"down": ["??", "??"]' in text
    downs = [a["down"] for a in json.loads(text) if a["a"] == "deal"]
    assert all(card == "??" for down in downs for card in down)


def test_a_file_is_read_line_by_line_with_numbers(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_text('\ufeff{"a": 1}\n\n{"a": 1\r\n[1]\n{"b": "\u2028"}', "utf-8")
    lines = list(read_jsonl(path))
    assert [line.number for line in lines] == [1, 3, 4, 5]
    assert [line.record for line in lines] == [{"a": 1}, None, None, {"b": "\u2028"}]
    assert "not whole JSON" in lines[1].problem
    assert "not a JSON object" in lines[2].problem


def test_a_line_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_text('{"a": "' + "x" * 5_000_001 + '"}\n{}', "utf-8")
    assert [line.record for line in read_jsonl(path)] == [None, {}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "not whole JSON"),
        ('{"a": 1', "not whole JSON"),
        ("[1]", "not a JSON object"),
        ("7", "not a JSON object"),
        ('{"a": 1, "a": 2}', "'a' is there twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "-Infinity"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON that a hand"),
    ],
)
def test_a_line_that_is_no_object_is_refused(line: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        parse_line(line)
