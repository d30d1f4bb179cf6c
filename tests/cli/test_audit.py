"""``doorcard audit``: one verdict a hand, and a clear word about files that hold none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from doorcard.limits import Limits
from tests.audit.played import RING, House, write_files
from tests.cli.shell import Shell

Record = dict[str, Any]


@pytest.fixture
def records(run: Shell, tmp_path: Path) -> list[Record]:
    """Two hands with all their cards."""
    house = House("razz", seats=3, seed=3, limits=Limits("fixed_limit", 1, 2, 5, 10)).play(2)
    files = write_files(house, tmp_path)
    assert RING.current_id
    words = ("export", house.id, "--log", files.log, "--auditor", "--deck-keys", files.deck_keys)
    return run(*words).objects


def write(tmp_path: Path, *lines: Record | str, name: str = "hands.jsonl") -> Path:
    path = tmp_path / name
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("\n".join(texts) + "\n")
    return path


def wrong_payout(record: Record) -> Record:
    """The same hand with two final stacks exchanged."""
    finals = dict(record["expect"]["final_stacks"])
    finals["0"], finals["1"], finals["2"] = finals["1"], finals["2"], finals["0"]
    return {**record, "id": "wrong", "expect": {**record["expect"], "final_stacks": finals}}


def test_hands_that_agree(run: Shell, tmp_path: Path, records: list[Record]) -> None:
    path = write(tmp_path, *records)
    done = run("audit", path)
    assert (done.code, done.err) == (0, "")
    assert done.lines == [
        "agree        p00.table-1",
        "agree        p00.table-2",
        "2 agree, 0 disagree, 0 unsupported",
    ]
    done = run("audit", path, path, "--json")
    assert done.code == 0
    assert done.objects[0] == {"id": "p00.table-1", "verdict": "agree", "reason": "", "house": {}}
    assert done.objects[-1] == {"agree": 4, "disagree": 0, "unsupported": 0}


def test_a_hand_that_disagrees(run: Shell, tmp_path: Path, records: list[Record]) -> None:
    path = write(tmp_path, records[0], wrong_payout(records[1]))
    done = run("audit", path, "--json")
    assert done.code == 1
    assert done.objects[1]["id"] == "wrong"
    assert done.objects[1]["verdict"] == "disagree"
    assert done.objects[1]["reason"]
    assert done.objects[-1] == {"agree": 1, "disagree": 1, "unsupported": 0}
    assert run("audit", path).lines[1].startswith("disagree     wrong: ")


def test_a_game_that_is_not_played_here(run: Shell, tmp_path: Path, records: list[Record]) -> None:
    path = write(tmp_path, {**records[0], "id": "other", "game": "badugi"})
    done = run("audit", path, "--json")
    assert done.code == 0
    assert done.objects[0]["verdict"] == "unsupported"
    assert "badugi" in done.objects[0]["reason"]


def test_house_rules_that_were_needed_are_named(
    run: Shell, tmp_path: Path, records: list[Record]
) -> None:
    hand = next(record for record in records if any(a["a"] == "check" for a in record["actions"]))
    actions = [dict(action) for action in hand["actions"]]
    place = next(place for place, action in enumerate(actions) if action["a"] == "check")
    seat = actions[place]["seat"]
    folded = [*actions[:place], {**actions[place], "a": "fold"}]
    path = write(tmp_path, {**hand, "id": "folds", "actions": folded, "expect": None})
    reason = run("audit", path, "--json").objects[0]
    assert reason["house"] == {"open_fold": True} or str(seat) in reason["reason"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"\x00\x01\x02", "this is not a text file"),
        (b"\xff\xfe{}", "this is not a text file"),
        (b'{"id": "half", "game": "razz", "act', "line 1: this is not whole JSON"),
        (b"[1, 2]", "no line of it is a JSON object"),
        (b"[1]\nvariant = 'FR'\n\n[2]\nvariant = 'FR'\n", "no line of it is a JSON object"),
        (b'{"id": "few"}', "line 1: "),
    ],
)
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_is_no_hand_is_one_sentence_and_exit_code_2(
    run: Shell, tmp_path: Path, data: bytes, sentence: str, options: tuple[str, ...]
) -> None:
    path = tmp_path / "hands.jsonl"
    path.write_bytes(data)
    done = run("audit", path, *options)
    assert done.code == 2
    assert done.err.startswith(f"doorcard: {path}")
    assert sentence in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("variant = 'FR'\n", "hands.phh: "),
        ("no toml at all", "this is not a .phh file"),
        ("variant = 'NT'\nactions = ['d dh p1 AsKs']\nstarting_stacks = [1]\nantes = [1]", "'NT'"),
    ],
)
def test_what_is_no_phh_is_one_sentence_and_exit_code_2(
    run: Shell, tmp_path: Path, text: str, sentence: str
) -> None:
    done = run("audit", write(tmp_path, text, name="hands.phh"))
    assert done.code == 2
    assert sentence in done.err


def test_our_own_files_without_hands_are_told_once(run: Shell, tmp_path: Path) -> None:
    files = write_files(House("razz", seats=2).play(2), tmp_path)
    for path, command in ((files.log, "verify --all --log"), (files.heads, "verify --all --heads")):
        done = run("audit", path)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"doorcard: {path}: th")
        assert command in done.err
        assert done.err.count("\n") == 1


def test_a_bad_line_does_not_hide_the_others(
    run: Shell, tmp_path: Path, records: list[Record]
) -> None:
    done = run("audit", write(tmp_path, records[0], "{", records[1]), "--json")
    assert done.code == 2
    assert done.objects[-1] == {"agree": 2, "disagree": 0, "unsupported": 0}
    assert "hands.jsonl, line 2: " in done.err
    done = run("audit", write(tmp_path, wrong_payout(records[0]), "{"), "--json")
    assert done.code == 1


def test_a_bad_file_does_not_hide_the_others(
    run: Shell, tmp_path: Path, records: list[Record]
) -> None:
    path = write(tmp_path, *records)
    done = run("audit", "nothing", tmp_path, path)
    assert done.code == 2
    assert done.err.splitlines() == [
        "doorcard: nothing: No such file or directory",
        f"doorcard: {tmp_path}: Is a directory",
    ]
    assert done.lines[-1] == "2 agree, 0 disagree, 0 unsupported"


def test_the_kind_of_a_file_is_seen_where_its_name_says_nothing(
    run: Shell, tmp_path: Path, records: list[Record]
) -> None:
    assert run("audit", write(tmp_path, *records, name="hands")).code == 0
    assert "not a .phh file" in run("audit", write(tmp_path, "hello", name="hands")).err


def test_hands_under_headings_are_read_whatever_the_file_is_called(
    run: Shell, tmp_path: Path
) -> None:
    said: list[str] = []
    for name in ("hands.phhs", "hands.txt"):
        path = tmp_path / name
        path.write_text("[1]\nvariant = 'FR'\n\n[2]\nvariant = 'FR'\n")
        said.append(run("audit", path).err.replace(name, "hands"))
    assert said[0] == said[1]


def test_one_bad_line_among_objects_is_told_of_alone(
    run: Shell, tmp_path: Path, records: list[Record]
) -> None:
    path = tmp_path / "hands.txt"
    path.write_text("\n".join(["no hand", json.dumps(records[0]), "[1]"]))
    done = run("audit", path)
    assert (done.code, done.lines[-1]) == (2, "1 agree, 0 disagree, 0 unsupported")
    assert [line.split(": ")[1] for line in done.err.splitlines()] == [
        f"{path}, line 1",
        f"{path}, line 3",
    ]


def test_without_files_there_is_nothing_to_do(run: Shell) -> None:
    done = run("audit")
    assert done.code == 2
    assert "FILE" in done.err


def test_help_has_an_example(run: Shell) -> None:
    done = run("audit", "--help")
    assert done.code == 0
    assert "Example: doorcard audit hands.jsonl --json" in done.out


def test_the_exit_code_reaches_the_shell(tmp_path: Path, records: list[Record]) -> None:
    good, half = write(tmp_path, *records), write(tmp_path, "{", name="half.jsonl")
    wrong = write(tmp_path, wrong_payout(records[0]), name="wrong.jsonl")
    command = "import sys; from doorcard.cli import main; sys.exit(main())"
    for path, code in ((good, 0), (wrong, 1), (half, 2)):
        done = subprocess.run(
            [sys.executable, "-c", command, "audit", str(path)],
            cwd=Path(__file__).parents[2] / "shared",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert "Traceback" not in done.stderr
