"""``doorcard export``: histories that other programs read, each as one viewer may have it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from pokerkit import HandHistory

from doorcard.commands import Leave, SitDown, SitIn, SitOut, VoidHand
from doorcard.fairness.keys import SeatKey
from doorcard.formats.jsonl import parse_line
from doorcard.formats.phh import read_phh
from tests.audit.played import LIMITS, Files, House, ListLog, write_files
from tests.cli.shell import Shell

NEWCOMER = SeatKey(b"\x63" * 32)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Three hands, a void one, two hands after player 2 gave his seat to another, one begun."""
    log = ListLog()
    House("razz", table="p01.empty", seats=2, log=log)
    house = House(table="p00.table", seats=3, seed=7, log=log).play(3)
    house.step()
    house.ask(VoidHand("a card fell"))
    house.ask(Leave(2, "player-2", "bye"))
    house.ask(SitDown(2, "newcomer", 150, "in", NEWCOMER.public))
    house.play(2)
    house.step()
    return write_files(house, tmp_path_factory.mktemp("export"))


def held(record: dict[str, Any], seat: int) -> list[str]:
    cards: list[str] = record["cards"][str(seat)]
    return cards


def seats_that_showed(record: dict[str, Any]) -> set[int]:
    return {action["seat"] for action in record["actions"] if action["a"] == "show"}


def test_all_finished_hands_are_written_as_json_lines(run: Shell, files: Files) -> None:
    done = run("export", "p00.table", "--log", files.log)
    assert done.code == 0
    assert [record["id"] for record in done.objects] == [
        f"p00.table-{hand}" for hand in (1, 2, 3, 5, 6)
    ]
    assert done.err.splitlines() == [
        "doorcard: hand 4 of table p00.table is left out: it was void, and has no result",
        "doorcard: hand 7 of table p00.table is left out: it has not ended",
    ]


def test_a_spectators_history_holds_only_what_was_shown(run: Shell, files: Files) -> None:
    for record in run("export", "p00.table", "--log", files.log).objects:
        for seat in (0, 1, 2):
            assert seat in seats_that_showed(record) or "??" in held(record, seat)[:2]


def test_a_players_history_holds_his_hands_and_his_cards(run: Shell, files: Files) -> None:
    words = ("export", "p00.table", "--log", files.log, "--seat", 2, "--key")
    done = run(*words, files.seat_keys)
    assert [record["id"] for record in done.objects] == [f"p00.table-{hand}" for hand in (1, 2, 3)]
    for record in done.objects:
        assert "??" not in held(record, 2)
        for seat in (0, 1):
            assert seat in seats_that_showed(record) or held(record, seat)[:2] == ["??", "??"]
    reason = "are left out: each was played at seat 2 by somebody with another key"
    assert f"doorcard: hands 5-6 of table p00.table {reason}\n" in done.err


def test_the_next_holder_of_a_seat_gets_the_hands_from_then_on(
    run: Shell, files: Files, tmp_path: Path
) -> None:
    path = tmp_path / "key"
    path.write_text(NEWCOMER.private_bytes.hex())
    done = run("export", "p00.table", "--log", files.log, "--seat", 2, "--key", path)
    assert [record["id"] for record in done.objects] == ["p00.table-5", "p00.table-6"]


def test_an_auditors_history_holds_every_card_and_is_noted(run: Shell, files: Files) -> None:
    done = run(
        "export", "p00.table", 1, 2, "--log", files.log, "--auditor", "--deck-keys",
        files.deck_keys,
    )  # fmt: skip
    assert done.code == 0
    assert len(done.objects) == 2
    assert all("??" not in held(record, seat) for record in done.objects for seat in (0, 1, 2))
    noted = json.loads(done.err)
    assert (noted["command"], noted["hands"]) == ("export", [1, 2])


def test_one_hand_is_a_phh_file_that_pokerkit_reads(run: Shell, files: Files) -> None:
    auditor = ("--auditor", "--deck-keys", files.deck_keys)
    for hand in (1, 2, 3):
        words = ("export", "p00.table", hand, "--format", "phh", "--log", files.log)
        history = HandHistory.loads(run(*words, *auditor).out)
        *_, state = history
        assert state.stacks == history.finishing_stacks


def test_several_hands_are_one_phh_file_with_headings(run: Shell, files: Files) -> None:
    done = run("export", "p00.table", 1, 2, 5, "--format", "phh", "--log", files.log)
    assert [line for line in done.lines if line.startswith("[")] == ["[1]", "[2]", "[5]"]
    histories = list(HandHistory.loads_all(done.out))
    assert [history.hand for history in histories] == [1, 2, 5]


@pytest.mark.parametrize("form", ["jsonl", "phh"])
def test_our_own_audit_agrees_with_what_is_written(run: Shell, files: Files, form: str) -> None:
    words = ("export", "p00.table", "--log", files.log, "--format", form, "--out", f"x.{form}")
    done = run(*words, "--auditor", "--deck-keys", files.deck_keys)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith(f"doorcard: wrote 5 hands to x.{form}\n")
    assert Path(f"x.{form}").stat().st_mode & 0o777 == 0o600, "all cards are in it"
    audited = run("audit", f"x.{form}", "--json")
    assert audited.code == 0
    assert audited.objects[-1] == {"agree": 5, "disagree": 0, "unsupported": 0}


def test_a_dead_ante_is_written_in_both_forms_and_read_back(run: Shell, tmp_path: Path) -> None:
    house = House("razz", seats=3, house=(("missed_ante_policy", "post_one"),))
    house.ask(SitOut(2, "player-2"))
    house.play(1)
    house.ask(SitIn(2, "player-2"))
    house.play(1)
    files = write_files(house, tmp_path)
    told: list[object] = []
    for form in ("jsonl", "phh"):
        path = tmp_path / f"x.{form}"
        done = run("export", house.id, 2, "--format", form, "--log", files.log, "--out", path)
        assert (done.code, done.out) == (0, "")
        assert done.err == f"doorcard: wrote 1 hand to {path}\n"
        text = path.read_text("utf-8")
        told.append((parse_line(text) if form == "jsonl" else read_phh(text))["actions"])
        audited = run("audit", path, "--json")
        assert audited.objects[-1] == {"agree": 1, "disagree": 0, "unsupported": 0}
    assert told[0] == told[1]
    dead_ante = {"a": "dead_ante", "seat": 2, "amount": LIMITS.ante, "all_in": False}
    actions = cast("list[dict[str, object]]", told[0])
    assert [action for action in actions if action["a"] == "dead_ante"] == [dead_ante]


def test_a_log_is_written_as_log_reads_it(run: Shell, files: Files, tmp_path: Path) -> None:
    done = run("export", "p00.table", "--format", "log", "--log", files.log, "--out", "log")
    assert (done.code, done.out) == (0, "")
    assert done.err == f"doorcard: wrote {len(files.house.stored)} commits to log\n"
    assert run("verify", "p00.table", "--log", "log").code == 0
    printed = run("export", "p00.table", "--format", "log", "--log", files.log)
    assert printed.out == (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("p00.nowhere", "there is no table p00.nowhere"),
        ("p00.nowhere --format log", "there is no table p00.nowhere"),
        ("p01.empty", "table p01.empty has not played a hand yet"),
        ("p00.table 8", "has hands 1 to 7, and no 8"),
        ("p00.table 1 0", "has hands 1 to 7, and no 0"),
        ("p00.table 4", "hand 4 of table p00.table was void, and has no result"),
        ("p00.table 7", "hand 7 of table p00.table has not ended"),
        ("p00.table --format csv", "csv"),
        ("p00.table 1 --format log", "a log is exported whole"),
        ("p00.table --seat 1", "--seat and --key belong together"),
        ("p00.table --key SEATS", "--seat and --key belong together"),
        ("p00.table --seat 1 --auditor", "choose one of --seat and --auditor"),
        ("p00.table 1 --seat 9 --key SEATS", "was played without seat 9"),
        ("p00.table 5 --seat 2 --key SEATS", "by somebody with another key"),
        ("p00.table --auditor", "an auditor needs the deck keys"),
        ("p00.table --out nowhere/file", "nowhere/file cannot be written"),
        ("p00.table --out .", ". cannot be written: Is a directory"),
        ("p00.table --format log --out ..", ".. cannot be written: Is a directory"),
        ("p00.table --format log --out nowhere/file", "nowhere/file cannot be written"),
    ],
)
def test_bad_input_is_told_with_exit_code_2(
    run: Shell, files: Files, words: str, sentence: str
) -> None:
    named = {"SEATS": files.seat_keys}
    done = run("export", *(named.get(word, word) for word in words.split()), "--log", files.log)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err.splitlines()[-1]


def test_a_failed_export_leaves_the_old_file(run: Shell, files: Files, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("old")
    assert run("export", "p00.table", 1, 7, "--log", files.log, "--out", old).code == 2
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


def test_help_has_an_example(run: Shell) -> None:
    done = run("export", "--help")
    assert done.code == 0
    assert "Example: doorcard export p00.razz-1 12 13" in done.out
