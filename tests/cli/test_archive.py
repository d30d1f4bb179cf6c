"""``verify``, ``replay`` and ``export`` of a log whose old hands lie in an archive."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from doorcard.audit.archive import Kept, archive_table
from doorcard.streams.archive_file import archive_path
from doorcard.streams.log_file import export_log
from doorcard.streams.memory_log import MemoryLog
from tests.audit.played import House, write_files
from tests.cli.shell import Shell

TABLE = "p00.table"


class Place(NamedTuple):
    """The log as it was, what is left of it, and the folder that the rest is in."""

    whole: Path
    left: Path
    folder: Path
    heads: Path
    last_moved: int


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    house = House(table=TABLE, seats=3).play(5)
    home = tmp_path_factory.mktemp("archived")
    files = write_files(house, home)
    folder = home / "archive"
    folder.mkdir()
    log = MemoryLog()
    log.store.logs[TABLE] = list(house.stored)
    moved = archive_table(log, TABLE, folder, Kept(2, 1))
    export_log(log, [TABLE], home / "left")
    return Place(files.log, home / "left", folder, files.heads, moved.archived.seq)


def test_verify_says_from_where_on_it_looked(run: Shell, place: Place) -> None:
    done = run("verify", TABLE, "--log", place.left, "--heads", place.heads)
    assert (done.code, done.err) == (0, "")
    assert done.lines[0].startswith(f"table {TABLE}: good, ")
    assert ", 2 hands (" in done.lines[0]
    assert done.lines[1] == (
        f"  hands 1 to 3, commits 1 to {place.last_moved}, are not in this log, archived or "
        "deleted: verified from hand 4 on; a published head knows where it begins"
    )
    assert done.lines[-1] == "  with --archive FOLDER what was archived is checked too"
    (entry,) = run("verify", "--all", "--log", place.left, "--json").objects
    assert entry["moved"] == {"commits": place.last_moved, "hands": 3}
    assert (entry["good"], entry["hands"]) == (True, 2)


def test_verify_reads_both_as_one(run: Shell, place: Place) -> None:
    whole = run("verify", TABLE, "--log", place.whole, "--heads", place.heads)
    both = ("--log", place.left, "--archive", place.folder)
    assert run("verify", "--all", *both, "--heads", place.heads) == whole
    assert run("verify", TABLE, *both, "--heads", place.heads) == whole


def test_verify_misses_what_is_in_neither(run: Shell, place: Place, tmp_path: Path) -> None:
    done = run("verify", TABLE, "--log", place.left, "--archive", tmp_path)
    assert done.code == 1
    (line,) = done.lines
    assert line == (
        f"table {TABLE}: commit 1: is not there, nor any other up to commit {place.last_moved}: "
        "neither here nor archived"
    )
    nowhere = run("verify", TABLE, "--log", place.left, "--archive", tmp_path / "none")
    assert (nowhere.code, nowhere.out) == (2, "")
    assert "there is no folder" in nowhere.err


def test_verify_names_a_wrong_seam(run: Shell, place: Place, tmp_path: Path) -> None:
    """The archive of another evening at the same table."""
    other = House(table=TABLE, seats=3, seed=9).play(5)
    log = MemoryLog()
    log.store.logs[TABLE] = list(other.stored)
    archive_table(log, TABLE, tmp_path, Kept(2, 1))
    done = run("verify", TABLE, "--log", place.left, "--archive", tmp_path)
    assert done.code == 1
    assert "commit" in done.lines[0]


def test_an_archive_alone_is_checked_like_any_file(run: Shell, place: Place) -> None:
    done = run("verify", TABLE, "--log", archive_path(place.folder, TABLE))
    assert done.code == 0
    assert f"good, {place.last_moved} commits, 3 hands" in done.lines[0]


@pytest.mark.parametrize("hand", range(1, 6))
def test_replay_shows_an_archived_hand_as_before(run: Shell, place: Place, hand: int) -> None:
    before = run("replay", TABLE, hand, "--log", place.whole)
    assert before.code == 0
    both = ("--log", place.left, "--archive", place.folder)
    assert run("replay", TABLE, hand, *both) == before
    alone = run("replay", TABLE, hand, "--log", place.left)
    if hand > 3:
        assert alone == before
    else:
        assert (alone.code, alone.out) == (2, "")
        assert f"hand {hand} of table {TABLE} was archived" in alone.err
        assert "with --archive FOLDER" in alone.err


def test_replay_at_a_commit_that_was_archived(run: Shell, place: Place) -> None:
    both = ("--log", place.left, "--archive", place.folder)
    words = ("replay", TABLE, "--at", 9)
    assert run(*words, *both) == run(*words, "--log", place.whole)
    alone = run(*words, "--log", place.left)
    assert alone.code == 2
    assert "commit 9 of table" in alone.err


@pytest.mark.parametrize("form", ["jsonl", "phh", "log"])
def test_export_reads_both_as_one_and_says_what_it_left_out(
    run: Shell, place: Place, form: str
) -> None:
    words = ("export", TABLE, "--format", form)
    both = ("--log", place.left, "--archive", place.folder)
    assert run(*words, *both) == run(*words, "--log", place.whole)
    alone = run(*words, "--log", place.left)
    assert alone.code == 0
    assert (
        f"hands 1-3 of table {TABLE} left out: archived, and read with --archive FOLDER"
        in alone.err
    )
    if form == "jsonl":
        assert len(alone.lines) == 2


def test_a_hand_that_is_archived_is_exported_with_its_archive(run: Shell, place: Place) -> None:
    words = ("export", TABLE, 2)
    both = ("--log", place.left, "--archive", place.folder)
    assert run(*words, *both) == run(*words, "--log", place.whole)
    alone = run(*words, "--log", place.left)
    assert (alone.code, alone.out) == (2, "")
    assert "hand 2 of table" in alone.err
