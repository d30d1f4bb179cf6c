"""The line runner itself: what is wrong fails, what is missing is reported, nothing is lost."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from pydantic import TypeAdapter

from doorcard.games import GAMES
from doorcard.limits import SWITCHES
from tests.conformance import support
from tests.conformance.lines import KINDS, Line, read_lines, try_line
from tests.conformance.support import (
    KNOWN_GAMES,
    KNOWN_SWITCHES,
    Malformed,
    Unsupported,
    require_game,
    require_switch,
)

ROOT: Final = Path(__file__).resolve().parents[2]
CORE: Final = Path(__file__).parent / "core"
GOOD: Final = {
    "id": "good",
    "kind": "uncalled",
    "rules": ["R12.3"],
    "given": {"street_contributions": [7, 3]},
    "expect": {"seat": 0, "amount": 4},
}
WRONG: Final = {**GOOD, "id": "wrong", "expect": {"seat": 0, "amount": 3}}
WILD: Final = {
    "id": "wild",
    "kind": "wild_set",
    "rules": ["G10"],
    "given": {"game": "queens_and_after", "upcards": ["Qd", "5c"]},
    "expect": {"wild_ranks": ["Q", "5"]},
}
ABSENT: Final = {
    "id": "absent",
    "kind": "actions",
    "rules": ["G10.6"],
    "given": {
        "structure": "fixed_limit",
        "small_bet": 5,
        "big_bet": 10,
        "street": 3,
        "stacks": [50, 50],
        "live": [True, True],
        "game": "queens_and_after",
        "first": 0,
        "history": [],
        "switches": {"queen_missing_redeal": True},
    },
    "expect": {"to_act": 0, "legal": None, "contributions": [0, 0], "stacks": [50, 50]},
}
"""A line with a switch that the rules let one leave out, and that is left out here."""


def core() -> dict[str, list[Line]]:
    """The core set by kind."""
    found: dict[str, list[Line]] = {}
    for path in sorted(CORE.glob("*.jsonl")):
        for line in read_lines(path, "vector"):
            found.setdefault(json.loads(line.text)["kind"], []).append(line)
    return found


def vector(value: object) -> Line:
    return Line("vector", "here:1", "here", json.dumps(value))


def test_the_core_set_has_every_kind() -> None:
    assert set(core()) == set(KINDS)
    assert sum(map(len, core().values())) >= 120


def test_the_core_sets_ids_are_unique() -> None:
    ids = [line.id for lines in core().values() for line in lines]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_changed_expectation_fails(kind: str) -> None:
    for line in core()[kind]:
        for changed in changed_expectations(json.loads(line.text)):
            with pytest.raises((AssertionError, Malformed)):
                try_line(vector(changed))


def changed_expectations(value: dict[str, object]) -> Iterator[dict[str, object]]:
    """The vector with one expected field changed, for each field."""
    expect = TypeAdapter(dict[str, object]).validate_python(value["expect"])
    for name, right in expect.items():
        changed = copy.deepcopy(value)
        other = {**expect, name: [right] if right is None else None}
        changed["expect"] = {**other, name: right + 1} if isinstance(right, int) else other
        yield changed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not one JSON object"),
        ("[1]", "not one JSON object"),
        ('{"id": "x"}', "malformed"),
        (json.dumps({**GOOD, "kind": "luck"}), "there is no kind 'luck'"),
        (json.dumps({**GOOD, "given": {}}), "street_contributions"),
        (json.dumps({**GOOD, "given": {"street_contributions": [1.5, 2]}}), "valid integer"),
        (json.dumps({**GOOD, "given": {"street_contributions": [2], "more": 1}}), "more"),
        (json.dumps({**GOOD, "expect": {"seat": None}}), "amount"),
        (json.dumps({**WILD, "given": {"game": "whist", "upcards": []}}), "called 'whist'"),
        (json.dumps({**WILD, "given": {"game": "razz", "upcards": ["10c"]}}), "upcards"),
    ],
)
def test_malformed_lines_fail_and_say_why(text: str, said: str) -> None:
    with pytest.raises(Malformed, match=said):
        try_line(Line("vector", "here:1", "here", text))


@pytest.mark.parametrize("record", [{}, {"game": "whist"}, {"game": "razz", "id": "half"}])
def test_hands_that_make_no_sense_fail(record: dict[str, object]) -> None:
    with pytest.raises(AssertionError, match="here:1"):
        try_line(Line("hand", "here:1", "here", json.dumps(record)))


@pytest.mark.parametrize("game", sorted(KNOWN_GAMES))
def test_only_a_game_that_does_not_exist_is_unsupported(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_game(game)
    monkeypatch.setattr(support, "GAMES", {other: GAMES[other] for other in GAMES if other != game})
    with pytest.raises(Unsupported, match=f"there is no {game} yet"):
        require_game(game)


@pytest.mark.parametrize("name", sorted(KNOWN_SWITCHES))
def test_only_a_switch_that_does_not_exist_is_unsupported(name: str) -> None:
    if name in SWITCHES:
        require_switch(name, "any game")
    else:
        with pytest.raises(Unsupported):
            require_switch(name, "any game")


def test_a_line_about_a_game_that_is_missing_is_unsupported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try_line(vector(WILD))
    monkeypatch.setattr(support, "GAMES", {})
    with pytest.raises(Unsupported, match="there is no queens_and_after yet"):
        try_line(vector(WILD))


def run_pytest(*arguments: str) -> tuple[int, str]:
    """Run the lines in a process of their own, as from the command line."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb=line", "-rs"]
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT, check=False, capture_output=True, text=True
    )
    return done.returncode, done.stdout


def test_unsupported_lines_of_the_core_set_would_fail() -> None:
    with pytest.raises(Unsupported, match="no switch queen_missing_redeal yet"):
        try_line(vector(ABSENT))


def test_files_are_named_on_the_command_line(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one.jsonl", "two.jsonl", "three.jsonl"))
    one.write_text(f"{json.dumps(GOOD)}\n\n{json.dumps(WRONG)}\n", "utf-8")
    two.write_text(f"{json.dumps(ABSENT)}\nnonsense\n", "utf-8")
    three.write_text("{}\n", "utf-8")
    code, said = run_pytest(
        "tests/conformance/test_lines.py", "--vectors", str(one), f"--vectors={two}",
        "--hands", str(three),
    )  # fmt: skip
    assert code == 1
    assert "3 failed, 1 passed" in said
    assert "1 skipped" in said
    assert "unsupported: 1 lines" in said
    assert "1 x queens_and_after: there is no switch queen_missing_redeal yet" in said
    assert "two.jsonl:2: not one JSON object: nonsense" in said


@pytest.mark.parametrize("content", [None, b"", b"\n\n", b"\xff\xfe"])
def test_a_file_without_lines_is_one_line_that_fails(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "lines.jsonl"
    if content is not None:
        path.write_bytes(content)
    (line,) = read_lines(path, "vector")
    with pytest.raises(Malformed, match=r"lines\.jsonl"):
        try_line(line)


@pytest.mark.parametrize(
    "arguments", [["tests/conformance/test_lines.py"], ["--ignore-glob=*/tests/[!c]*"]]
)
def test_without_files_the_core_set_is_tried(arguments: list[str]) -> None:
    """Also when the whole suite is run, which finds the options too late."""
    code, said = run_pytest("--collect-only", "-q", "-k", "conformance and test_lines", *arguments)
    assert code == 0
    assert re.search(rf"\b{sum(map(len, core().values()))}(/\d+)? tests collected", said)
