"""``doorcard verify`` over a file and over a store, good and bad."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from fakeredis import FakeRedis

from doorcard.fairness.keys import DeckKeyRing
from doorcard.fairness.ring_text import RingKeys
from doorcard.games import GAMES
from doorcard.streams import connection
from doorcard.streams.connection import Client
from doorcard.streams.keys import log_key, tables_key
from tests.audit.played import LIMITS, OTHER_RING, Files, House, ListLog, write_files
from tests.cli.shell import Shell


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    log = ListLog()
    House("razz", table="p01.other", seats=2, log=log).play(1)
    house = House(table="p00.table", seats=3, log=log, limits=LIMITS).play(2)
    return write_files(house, tmp_path_factory.mktemp("verify"))


def with_line(files: Files, number: int, text: str, tmp_path: Path) -> Path:
    """The log file with another text in a line of the first table."""
    lines = files.log.read_text().splitlines()
    lines[number - 1] = text
    path = tmp_path / "changed"
    path.write_text("\n".join(lines))
    return path


def test_good_logs_are_told_so_with_what_was_checked(run: Shell, files: Files) -> None:
    done = run(
        "verify", "p00.table", "--log", files.log, "--heads", files.heads, "--deck-keys",
        files.deck_keys,
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert done.lines[0].startswith("table p00.table: good, ")
    assert "heads, signatures, decks" in done.lines[0]


def test_all_tables_of_a_file_are_checked(run: Shell, files: Files) -> None:
    done = run("verify", "--all", "--log", files.log, "--json")
    assert done.code == 0
    assert [entry["table"] for entry in done.objects] == ["p00.table", "p01.other"]
    assert [entry["good"] for entry in done.objects] == [True, True]
    assert done.objects[0]["hands"] == 2
    assert "decks" not in done.objects[0]["checked"]
    assert any("deck key" in note for note in done.objects[0]["notes"])


def test_head_keys_may_come_from_a_file_of_their_own(run: Shell, files: Files) -> None:
    words = ("verify", "p00.table", "--log", files.log, "--heads", files.heads)
    done = run(*words, "--head-keys", files.head_keys, "--json")
    assert done.code == 0
    assert "signatures" in done.objects[0]["checked"]


def test_deck_keys_may_come_from_the_environment(
    run: Shell, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOORCARD_DECK_KEYS_FILE", str(files.deck_keys))
    done = run("verify", "p00.table", "--log", files.log, "--json")
    assert "decks" in done.objects[0]["checked"]
    monkeypatch.delenv("DOORCARD_DECK_KEYS_FILE")
    monkeypatch.setenv("DOORCARD_DECK_KEYS", files.deck_keys.read_text())
    done = run("verify", "p00.table", "--log", files.log, "--json")
    assert "decks" in done.objects[0]["checked"]


def test_the_first_bad_commit_is_named_with_exit_code_1(
    run: Shell, files: Files, tmp_path: Path
) -> None:
    other = files.log.read_text().splitlines()[9]
    path = with_line(files, 9, other.replace('"seq": 9', '"seq": 8'), tmp_path)
    done = run("verify", "--all", "--log", path)
    assert done.code == 1
    assert done.lines[0].startswith("table p00.table: commit 8: ")
    assert done.lines[1].startswith("table p01.other: good, ")
    done = run("verify", "--all", "--log", path, "--json")
    assert done.code == 1
    assert done.objects[0]["good"] is False
    assert done.objects[0]["problem"]["seq"] == 8
    assert done.objects[0]["commits"] == 7


def test_a_damaged_line_is_a_bad_commit(run: Shell, files: Files, tmp_path: Path) -> None:
    path = with_line(files, 6, '{"seq": 5, "raw": "?"}', tmp_path)
    done = run("verify", "--all", "--log", path)
    assert (done.code, done.err) == (1, "")
    assert done.out == f"table p00.table: commit 5: line 6 of {path} is not base64\n"


def test_a_cut_tail_is_found_by_heads(run: Shell, files: Files, tmp_path: Path) -> None:
    lines = files.log.read_text().splitlines()
    count = len(files.house.stored)
    header = json.loads(lines[0]) | {"commits": count - 5, "chain": "00" * 32}
    path = tmp_path / "cut"
    path.write_text("\n".join([json.dumps(header), *lines[1 : count - 4]]))
    done = run("verify", "--all", "--log", path, "--heads", files.heads)
    assert done.code == 1
    assert f"table p00.table: commit {count - 4}: is missing" in done.out


def test_heads_of_tables_that_are_not_in_a_file_are_no_concern_of_it(
    run: Shell, files: Files, tmp_path: Path
) -> None:
    """Unless such a table is asked for."""
    lines = files.log.read_text().splitlines()
    path = tmp_path / "one"
    path.write_text("\n".join(lines[len(files.house.stored) + 1 :]))
    words = ("verify", "--log", path, "--heads", files.heads)
    done = run(*words, "--all")
    assert done.code == 0
    assert done.lines[0].startswith("table p01.other: good")
    assert done.err.startswith("doorcard: there are heads of 1 table that ")
    done = run(*words, "p00.table")
    assert done.code == 1
    assert done.lines[0].startswith("table p00.table: commit 1: is missing")


def test_a_game_that_is_not_there_makes_no_table_bad(
    run: Shell, files: Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And the others are checked."""
    games = {name: game for name, game in GAMES.items() if name != "seven_card_stud"}
    monkeypatch.setattr("doorcard.audit.verify_start.GAMES", games)
    words = ("verify", "--all", "--heads", files.heads, "--log")
    done = run(*words, files.log)
    assert done.code == 2
    assert done.err.startswith("doorcard: table p00.table cannot be checked: this program has no ")
    assert done.lines[0].startswith("table p01.other: good, ")
    lines = files.log.read_text().splitlines()
    done = run(*words, with_line(files, 5, lines[4].replace("A", "B", 1), tmp_path))
    assert done.code == 1, "its chain is looked at all the same"


def test_decks_whose_key_the_ring_lacks_are_left_and_nothing_else_is(
    run: Shell, files: Files, tmp_path: Path
) -> None:
    ring = tmp_path / "ring"
    ring.write_text(DeckKeyRing(RingKeys({"k9": b"\1" * 32}, "k9", {}, None)).to_json())
    ring.chmod(0o600)
    words = ("verify", "p00.table", "--log", files.log, "--deck-keys", ring)
    done = run(*words)
    assert done.code == 2
    assert done.lines[0].startswith("table p00.table: good as far as it could be checked, ")
    reason = "the decks of 2 hands: the key ring has no deck key 'k1'"
    assert done.lines[1] == f"  not checked: {reason}"
    (found,) = run(*words, "--json").objects
    assert (found["problem"], found["unchecked"]) == (None, [reason])
    assert "decks" not in found["checked"]


def test_a_wrong_deck_key_is_named(run: Shell, files: Files, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text(OTHER_RING.to_json())
    wrong.chmod(0o600)
    done = run("verify", "p00.table", "--log", files.log, "--deck-keys", wrong)
    assert done.code == 1
    assert "has a seed that does not open" in done.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["verify"], "name the tables to check, or use --all"),
        (["verify", "p00.table", "--all", "--log", "LOG"], "name the tables to check"),
        (["verify", "p00.nowhere", "--log", "LOG"], "there is no table p00.nowhere"),
        (["verify", "--all", "--log", "nothing"], "nothing cannot be read: No such file"),
        (["verify", "--all", "--log", "."], "cannot be read: Is a directory"),
        (["verify", "--all", "--log", "HEADS"], "is no file of logs"),
        (["verify", "--all", "--log", "LOG", "--redis", "redis://x"], "not both"),
        (["verify", "--all", "--log", "LOG", "--heads", "nothing"], "nothing cannot be read"),
        (["verify", "--all", "--log", "LOG", "--heads", "LOG"], "line 1: "),
        (
            ["verify", "--all", "--log", "LOG", "--heads", "BYTES"],
            "line 1: no published head, not even",
        ),
        (["verify", "--all", "--log", "LOG", "--head-keys", "LOG"], "no JSON object of head keys"),
        (["verify", "--all", "--log", "LOG", "--deck-keys", "nothing"], "no key ring at"),
        (["verify", "--all", "--log", "LOG", "--deck-keys", "LOG"], "others than its owner"),
        (["verify", "--all"], "no store is named and none runs in .doorcard"),
        (["verify", "--all", "--redis", "http://x"], "is no Redis URL"),
        (["verify", "--all", "--redis", "redis://127.0.0.1:1/0?x=1"], "is no Redis URL"),
        (["verify", "--all", "--nonsense"], "--nonsense"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    run: Shell, files: Files, words: list[str], sentence: str
) -> None:
    Path("bytes").write_bytes(b"\xff\xfe")
    named = {"LOG": str(files.log), "HEADS": str(files.heads), "BYTES": "bytes"}
    files.log.chmod(0o644)
    done = run(*(named.get(word, word) for word in words))
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("doorcard: ")
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_a_store_that_is_down_is_one_sentence_without_its_password(
    run: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "RETRIES", 0)
    done = run("verify", "--all", "--redis", "redis://ann:secret@127.0.0.1:1/0")
    assert done.code == 2
    assert done.err.startswith("doorcard: the store at redis://127.0.0.1:1/0 cannot be used: ")
    assert "secret" not in done.err


def test_help_has_an_example(run: Shell) -> None:
    done = run("verify", "--help")
    assert done.code == 0
    assert "Example: doorcard verify --all" in done.out


# --- over a store ---------------------------------------------------------------------------------


@pytest.fixture
def store(files: Files, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A store that holds the same logs, and that every address leads to."""
    client = cast("Client", FakeRedis(protocol=2))
    for table, stored in files.house.log.commits.items():
        for seq, raw, mark in stored:
            client.execute_command("XADD", log_key(table), f"{seq}-0", "c", raw, "h", mark)

    def to_fake(_url: str) -> Client:
        return client

    monkeypatch.setattr(connection, "connect", to_fake)
    return client


def contents(store: Client) -> dict[bytes, object]:
    """Every key of a store, with its value."""
    return {key: store.execute_command("DUMP", key) for key in store.execute_command("KEYS", "*")}


@pytest.mark.usefixtures("store")
def test_a_store_is_checked_as_a_file_is(run: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("verify", "--all", "--redis", "redis://somewhere", "--json")
    assert done.code == 0
    assert [entry["table"] for entry in done.objects] == ["p00.table", "p01.other"]
    monkeypatch.setenv("DOORCARD_REDIS_URL", "redis://somewhere")
    assert run("verify", "p01.other").code == 0
    assert run("verify", "p00.nowhere").code == 2
    told = run("verify", "nonsense").err
    assert "is no table id" in told
    assert told.endswith("; `doorcard verify --all` names those that have a log\n")


@pytest.mark.usefixtures("store")
def test_the_store_running_in_the_data_folder_is_found(run: Shell, tmp_path: Path) -> None:
    note = tmp_path / ".doorcard/store/server.lock"
    note.parent.mkdir(parents=True)
    note.write_text(f"unix://{note.parent}/server.sock\n123\n")
    with note.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert run("verify", "--all").code == 0


def test_a_note_that_a_store_left_behind_is_no_store(
    run: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Told at once, and how to start it again, in the words that work here."""
    monkeypatch.setattr("sys.executable", str(tmp_path / ".venv/bin/python"))
    note = tmp_path / ".doorcard/store/server.lock"
    note.parent.mkdir(parents=True)
    for text in ("", f"unix://{note.parent}/server.sock\n\n"):
        note.write_text(text)
        done = run("verify", "--all")
        assert done.code == 2
        assert "none runs in .doorcard" in done.err
        assert done.err.endswith(": .venv/bin/python -m services store\n")


def test_reading_a_store_changes_nothing(run: Shell, store: Client) -> None:
    before = contents(store)
    assert run("verify", "--all", "--redis", "redis://somewhere").code == 0
    assert run("replay", "p00.table", 1, "--redis", "redis://somewhere").code == 0
    assert run("export", "p00.table", "--redis", "redis://somewhere").code == 0
    assert contents(store) == before


def test_a_commit_taken_out_of_a_store_is_found(run: Shell, store: Client) -> None:
    store.execute_command("XDEL", log_key("p00.table"), "12-0")
    done = run("verify", "p00.table", "--redis", "redis://somewhere")
    assert done.code == 1
    assert done.out.startswith("table p00.table: commit 12: is not in its place")


def test_an_entry_that_is_no_commit_is_found(run: Shell, store: Client) -> None:
    store.execute_command("XADD", log_key("p00.table"), "9000-1", "d", "x")
    done = run("verify", "p00.table", "--redis", "redis://somewhere")
    assert done.code == 1
    assert "holds an entry" in done.out


def test_a_key_of_another_kind_is_one_sentence(run: Shell, store: Client) -> None:
    store.execute_command("DEL", log_key("p00.table"))
    store.execute_command("SET", log_key("p00.table"), "x")
    done = run("verify", "p00.table", "--redis", "redis://somewhere")
    assert done.code == 2
    assert "holds another kind of value" in done.err


def test_a_table_that_only_its_heads_remember_is_bad(
    run: Shell, store: Client, files: Files
) -> None:
    store.execute_command("DEL", log_key("p00.table"))
    done = run("verify", "--all", "--redis", "redis://somewhere", "--heads", files.heads)
    assert done.code == 1
    assert done.lines[0].startswith("table p00.table: commit 1: is missing")


@pytest.mark.parametrize("how", ["deleted", "emptied", "emptied and not listed"])
def test_a_log_that_is_gone_is_named_without_any_head(run: Shell, store: Client, how: str) -> None:
    """The list of tables remembers it, or its empty key."""
    store.execute_command("SADD", tables_key("p00"), "p00.table", "no table", "p01.other")
    if how == "deleted":
        store.execute_command("DEL", log_key("p00.table"))
    else:
        store.execute_command("XTRIM", log_key("p00.table"), "MAXLEN", 0)
    if how == "emptied and not listed":
        store.execute_command("DEL", tables_key("p00"))
    said = "its log is empty" if "not listed" in how else "its log is gone"
    for words in (("--all",), ("p00.table",)):
        done = run("verify", *words, "--redis", "redis://somewhere")
        assert (done.code, done.err) == (1, "")
        assert done.lines[0] == f"table p00.table: commit 1: is not there, nor any other: {said}"
    assert run("verify", "p01.other", "--redis", "redis://somewhere").code == 0


def test_an_empty_store_has_no_tables(run: Shell, store: Client) -> None:
    store.execute_command("FLUSHALL")
    done = run("verify", "--all", "--redis", "redis://somewhere")
    assert (done.code, done.err) == (2, "doorcard: there are no tables\n")


def test_the_exit_code_reaches_the_shell(files: Files, tmp_path: Path) -> None:
    path = with_line(files, 6, "{", tmp_path)
    command = "import sys; from doorcard.cli import main; sys.exit(main())"
    for log, code in ((files.log, 0), (path, 1), (tmp_path / "nothing", 2)):
        done = subprocess.run(
            [sys.executable, "-c", command, "verify", "--all", "--log", str(log)],
            cwd=Path(__file__).parents[2] / "shared",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert "Traceback" not in done.stderr
