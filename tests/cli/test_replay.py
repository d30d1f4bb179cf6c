"""``doorcard replay``: a hand for a seat, a spectator and an auditor, and a table at a commit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.audit.played import OTHER_RING, Files, House, write_files
from tests.cli.shell import Shell


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    house = House("razz", table="p00.table", seats=3, seed=2).play(3)
    house.step()
    return write_files(house, tmp_path_factory.mktemp("replay"))


def test_a_hand_is_shown_step_by_step(run: Shell, files: Files) -> None:
    done = run("replay", "p00.table", 1, "--log", files.log)
    assert (done.code, done.err) == (0, "")
    assert done.lines[:3] == [
        "2025-10-09T08:53:20.035Z  commit 5  dealer  pot 3",
        "  hand 1: player-1 deals",
        "  drawn for the deal: player-0 2d, player-1 As, player-2 Qd",
    ]
    assert "    hand 1, third street, pot 3" in done.lines
    assert any("  player-" in line and "(betting)" in line for line in done.lines)
    assert "    hand 1 is over" in done.lines
    assert run("replay", "p00.table", 1, "--spectator", "--log", files.log) == done


def test_the_last_hand_is_shown_where_none_is_named(run: Shell, files: Files) -> None:
    done = run("replay", "p00.table", "--log", files.log, "--json")
    assert {step["view"]["hand"] for step in done.objects} == {4}
    assert done.objects[-1]["view"]["in_hand"] is True


def test_a_seat_sees_its_own_cards(run: Shell, files: Files) -> None:
    words = ("replay", "p00.table", 2, "--seat", 1, "--log", files.log, "--json")
    done = run(*words, "--key", files.seat_keys)
    assert (done.code, done.err) == (0, "")
    first = done.objects[0]["view"]["seats"]
    assert [None in seat["down"] for seat in first] == [True, False, True]
    closed = run(*words)
    assert closed.err == "doorcard: without --key the face-down cards of seat 1 stay closed\n"
    assert all(seat["down"] == [None, None] for seat in closed.objects[0]["view"]["seats"])


def test_a_key_may_stand_alone_in_its_file(run: Shell, files: Files, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(files.house.keys[1].private_bytes.hex() + "\n")
    done = run("replay", "p00.table", 2, "--seat", 1, "--key", path, "--log", files.log, "--json")
    assert done.code == 0
    assert None not in done.objects[0]["view"]["seats"][1]["down"]


def test_an_auditor_sees_all_and_is_noted(
    run: Shell, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("replay", "p00.table", 2, "--auditor", "--deck-keys", files.deck_keys, "--json")
    done = run(*words, "--log", files.log)
    assert done.code == 0
    assert all(None not in seat["down"] for seat in done.objects[0]["view"]["seats"])
    noted = json.loads(done.err)
    assert (noted["command"], noted["table"], noted["hands"]) == ("replay", "p00.table", [2])
    monkeypatch.setenv("DOORCARD_ACCESS_LOG", str(tmp_path / "access"))
    done = run(*words, "--log", files.log)
    assert done.err == ""
    assert json.loads((tmp_path / "access").read_text())["hands"] == [2]


def test_nothing_is_shown_to_an_auditor_who_cannot_be_noted(
    run: Shell, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOORCARD_ACCESS_LOG", str(tmp_path))
    words = ("replay", "p00.table", 2, "--auditor", "--deck-keys", files.deck_keys)
    done = run(*words, "--log", files.log)
    assert (done.code, done.out) == (2, "")
    assert "the access log" in done.err


def test_the_table_is_shown_at_a_commit(run: Shell, files: Files) -> None:
    done = run("replay", "p00.table", 1, "--at", 6, "--log", files.log)
    assert done.code == 0
    assert done.lines[0].split("  ")[1] == "commit 6"
    assert sum("commit" in line for line in done.lines) == 1
    assert run("replay", "p00.table", "--at", 6, "--log", files.log) == done
    before = run("replay", "p00.table", "--at", 2, "--seat", 0, "--log", files.log)
    assert before.code == 0
    assert "  player-0 sits down at seat 0 with 200" in before.lines


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("p00.nowhere 1", "there is no table p00.nowhere"),
        ("p00.table 9", "table p00.table has hands 1 to 4, and no 9"),
        ("p00.table 0", "has hands 1 to 4, and no 0"),
        ("p00.table one", "a whole number is needed, not 'one'"),
        ("p00.table --at 0", "has commits 1 to "),
        ("p00.table --at 100000", "and no 100000"),
        ("p00.table 1 --at 1", "commit 1 of table p00.table is not in hand 1"),
        ("p00.table 1 --seat 7", "nobody sat at seat 7 in hand 1, only at 0, 1, 2"),
        ("p00.table 1 --seat -1", "--seat"),
        ("p00.table 1 --seat 1 --auditor", "choose one of --seat, --spectator and --auditor"),
        ("p00.table 1 --key SEATS", "--key belongs to a --seat"),
        ("p00.table 1 --seat 1 --key nothing", "nothing cannot be read"),
        ("p00.table 1 --seat 1 --key LOG", "is not JSON"),
        ("p00.table 1 --seat 1 --key DECK", "something else than private keys"),
        ("p00.table 1 --seat 1 --key STRANGER", "holds no key that player-1 sat down with"),
        ("p00.table 1 --auditor", "an auditor needs the deck keys"),
        ("p00.table 1 --auditor --deck-keys OTHER", "does not open"),
        ("p00.table 1 --auditor --deck-keys nothing", "no key ring at"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    run: Shell, files: Files, tmp_path: Path, words: str, sentence: str
) -> None:
    stranger, other = tmp_path / "stranger", tmp_path / "other"
    stranger.write_text("7" * 64)
    other.write_text(OTHER_RING.to_json())
    other.chmod(0o600)
    named = {
        "LOG": files.log,
        "SEATS": files.seat_keys,
        "DECK": files.deck_keys,
        "STRANGER": stranger,
        "OTHER": other,
    }
    done = run("replay", *(named.get(word, word) for word in words.split()), "--log", files.log)
    assert (done.code, done.out) == (2, "")
    sentences = [line for line in done.err.splitlines() if line.startswith("doorcard: ")]
    assert len(sentences) == 1
    assert sentence in sentences[0]


def test_a_damaged_log_is_one_sentence(run: Shell, files: Files, tmp_path: Path) -> None:
    lines = files.log.read_text().splitlines()
    lines[7] = json.dumps({"seq": 7, "raw": "AAAA"})
    path = tmp_path / "damaged"
    path.write_text("\n".join(lines))
    done = run("replay", "p00.table", 1, "--log", path)
    assert done.code == 2
    assert done.err.startswith("doorcard: table p00.table: commit 7 cannot be read: ")


def test_help_has_an_example(run: Shell) -> None:
    done = run("replay", "--help")
    assert done.code == 0
    assert "Example: doorcard replay p00.razz-1 12 --seat 3" in done.out
