"""What is not moved, and why: then neither the log nor the file is another than before."""

from __future__ import annotations

from pathlib import Path

import pytest

from doorcard.audit.archive import Kept
from doorcard.audit.verify import verify_table
from doorcard.errors import BadInput, BadLog, StoreError
from doorcard.streams.archive_file import LOCK, ArchiveFile, archive_path, held
from doorcard.streams.heads import hand_started, read_commit
from doorcard.streams.joined_log import JoinedLog
from doorcard.streams.log import Head, Stored
from doorcard.streams.log_file import LogFile, export_log
from doorcard.streams.memory_log import MemoryLog
from tests.audit.archived import (
    TABLE,
    Fragile,
    begins,
    joined,
    move,
    other_house,
    raws,
)
from tests.audit.played import House


def refused(log: MemoryLog, folder: Path, words: str, kind: type[Exception] = BadLog) -> None:
    """A run is refused, and neither log nor file are others afterwards."""
    path = archive_path(folder, TABLE)
    before = log.read(TABLE), path.read_bytes() if path.exists() else None
    with pytest.raises(kind, match=words):
        move(log, folder)
    assert before == (log.read(TABLE), path.read_bytes() if path.exists() else None)


def test_a_damaged_log_is_not_trimmed(house: House, log: Fragile, tmp_path: Path) -> None:
    commits = log.store.logs[TABLE]
    place = begins(house)[0].seq + 3
    log.store.logs[TABLE] = commits[: place - 1] + commits[place:]
    refused(log, tmp_path, rf"commit {place}: is not in its place")
    changed = commits[place - 1]._replace(raw=commits[place - 1].raw[:-1] + b"\x7f")
    log.store.logs[TABLE] = [*commits[: place - 1], changed, *commits[place:]]
    refused(log, tmp_path, rf"commit {place}|commit {place + 1}")


def test_a_paused_table_is_left_alone(log: Fragile, tmp_path: Path) -> None:
    log.pause(TABLE, "a dispute about hand 2")
    refused(log, tmp_path, "is paused: a dispute about hand 2", BadInput)


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    refused(MemoryLog(), tmp_path, f"there is no table {TABLE}", BadInput)


def test_folders_that_cannot_be_used(log: Fragile, tmp_path: Path) -> None:
    refused(log, tmp_path / "none", "there is no folder", BadInput)
    with held(tmp_path):
        refused(log, tmp_path, "another program archives into", BadInput)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / LOCK).mkdir()
    refused(log, tmp_path / "other", "nothing can be written into .*: Is a directory", BadInput)
    archive_path(tmp_path, TABLE).mkdir()
    with pytest.raises(BadInput, match="cannot be read: Is a directory"):
        move(log, tmp_path)


def test_a_folder_without_the_file_is_another_folder(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    last = move(log, old, Kept(6, 1)).archived.seq
    refused(log, new, rf"commits 1 to {last} are neither in its log nor in .*--anew")
    move(log, new, anew=True)
    problem = verify_table(JoinedLog(log, new), TABLE, whole=True).problem
    assert problem is not None
    assert str(problem) == (
        f"table {TABLE}: commit 1: is not there, nor any other up to commit {last}: neither here "
        "nor archived"
    )
    both = tmp_path / "both"
    both.mkdir()
    files = [archive_path(folder, TABLE).read_bytes() for folder in (old, new)]
    archive_path(both, TABLE).write_bytes(b"".join(files))
    joined(log, both, house)
    archive_path(old, TABLE).rename(tmp_path / "lost")
    refused(log, old, "are neither in its log nor in")


def test_a_file_with_a_gap_behind_it(house: House, log: Fragile, tmp_path: Path) -> None:
    move(log, tmp_path, Kept(6, 1))
    end = LogFile.open(archive_path(tmp_path, TABLE)).head(TABLE)
    assert end is not None
    log.store.logs[TABLE] = house.stored[begins(house)[5].seq - 1 :]
    gap = rf"commits {end.seq + 1} to {begins(house)[5].seq - 1} are neither"
    refused(log, tmp_path, gap)
    problem = verify_table(JoinedLog(log, tmp_path), TABLE, whole=True).problem
    assert problem is not None
    assert problem.seq == end.seq + 1


@pytest.mark.parametrize("hand", [4, 5, 8])
def test_a_log_that_somebody_else_trims_meanwhile(
    house: House, log: Fragile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hand: int
) -> None:
    """Into another folder: what was taken is in the file there, and no gap is in this one."""
    trim = log.trim
    further = begins(house)[hand]

    def trim_further(table: str, kept: Stored) -> int:
        return trim(table, kept) + trim(table, further)

    monkeypatch.setattr(log, "trim", trim_further)
    with pytest.raises(BadLog, match=r"commit \d+ is not in the log any more: somebody else"):
        move(log, tmp_path)
    assert log.read(TABLE) == house.stored[further.seq - 1 :]
    moved = LogFile.open(archive_path(tmp_path, TABLE)).read(TABLE)
    assert raws(moved) == raws(house.stored[: len(moved)])


def test_no_file_begins_with_what_somebody_else_left(
    house: House, log: Fragile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who moved the first hands elsewhere meanwhile has them; here nobody said ``anew``."""
    read_back = log.read_back

    def trim_first(table: str, before: int | None, count: int) -> list[Stored]:
        if before is None and log.read(table)[0].seq == 1:
            log.trim(table, begins(house)[3])
        return read_back(table, before, count)

    ended = log.head(TABLE)

    def end_before(_: str) -> Head | None:
        return ended

    monkeypatch.setattr(log, "head", end_before)
    monkeypatch.setattr(log, "read_back", trim_first)
    with pytest.raises(BadLog, match="commit 1 is not in the log any more: somebody else"):
        move(log, tmp_path)
    assert not archive_path(tmp_path, TABLE).exists()
    assert log.read(TABLE) == house.stored[begins(house)[3].seq - 1 :]


def test_no_stretch_is_written_behind_a_file_that_it_does_not_follow(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path, Kept(6, 1))
    fourth, sixth = (begins(house)[place].seq for place in (3, 5))
    file = ArchiveFile(tmp_path, TABLE)
    with pytest.raises(BadLog, match=rf"commit {fourth + 1} does not follow commit {fourth - 1}"):
        file.append(house.stored[fourth : sixth - 1])
    other = other_house().stored
    moved = other[begins(other_house())[3].seq - 1 :]
    renumbered = [Stored(fourth + place, raw) for place, (_, raw, _) in enumerate(moved)]
    with pytest.raises(BadLog, match=rf"commit {fourth} does not follow commit {fourth - 1}"):
        file.append(renumbered)


def test_a_log_that_is_another_than_the_file(house: House, log: Fragile, tmp_path: Path) -> None:
    """The store lost what had been archived, and others were played instead."""
    move(log, tmp_path)
    log.store.logs[TABLE] = list(other_house().stored)
    seq = next(
        s.seq for s, t in zip(house.stored, other_house().stored, strict=False) if s.raw != t.raw
    )
    refused(log, tmp_path, rf"commit {seq} is another one there than in .*left as it is")
    both = JoinedLog(log, tmp_path)
    problem = verify_table(both, TABLE, whole=True).problem
    assert problem is not None
    assert problem.seq == seq
    assert "in the archive is another one than in the log" in problem.reason


def test_another_log_that_begins_behind_the_file(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    end = move(log, tmp_path).archived.seq
    start = log.read(TABLE)[0]
    started = hand_started(read_commit(TABLE, start))
    assert started is not None
    path = archive_path(tmp_path, TABLE)
    other = tmp_path / "other"
    other.mkdir()
    shifted = Fragile()
    shifted.store.logs[TABLE] = list(other_house().stored)
    move(shifted, other, Kept(1, 1))
    path.write_bytes(archive_path(other, TABLE).read_bytes())
    last = LogFile.open(path).head(TABLE)
    assert last is not None
    assert last.seq >= end, "the other file overlaps"
    refused(log, tmp_path, r"is another one there than in|does not follow commit")


@pytest.mark.parametrize("left", [0, 1, 20])
def test_a_store_that_lost_what_was_archived(
    house: House, log: Fragile, tmp_path: Path, left: int
) -> None:
    end = move(log, tmp_path).archived.seq
    log.store.logs[TABLE] = house.stored[: end - left]
    words = f"commit {end + 1} is not in the log, and .* ends with commit {end}"
    refused(
        log, tmp_path, words if not left else rf"commit {end - left + 1} is not in the log, but"
    )
    both = JoinedLog(log, tmp_path)
    report = verify_table(both, TABLE, whole=True)
    if left:
        assert report.problem is not None
        assert report.problem.seq == end - left
        assert f"its archive holds commits up to {end}" in report.problem.reason
    else:
        assert report.problem is None


def test_files_that_are_something_else(house: House, log: Fragile, tmp_path: Path) -> None:
    path = archive_path(tmp_path, TABLE)
    path.write_text("my notes\n")
    refused(log, tmp_path, "is no file of logs: it is left as it is", BadInput)
    path.write_text("my notes")
    refused(log, tmp_path, "is no file of logs", BadInput)
    other = House("razz", table="p00.other", seats=2).play(3)
    export_log(other.log, ["p00.other"], path)
    refused(log, tmp_path, r"holds table p00\.other", BadInput)
    inside = MemoryLog()
    inside.store.logs[TABLE] = house.stored[: begins(house)[2].seq + 3]
    export_log(inside, [TABLE], path)
    refused(log, tmp_path, "in the middle of a hand: it is no archive")
    export_log(house.log, [TABLE], path)
    refused(log, tmp_path, "the store has lost what followed")
    path.write_bytes(path.read_bytes() + b"more\n")
    refused(log, tmp_path, "is damaged: something stands behind its last commit")


def test_a_damaged_file_is_not_gone_on_with(house: House, log: Fragile, tmp_path: Path) -> None:
    move(log, tmp_path, Kept(4, 1))
    path = archive_path(tmp_path, TABLE)
    lines = path.read_bytes().splitlines(keepends=True)
    for spoiled in (
        [*lines[:-3], lines[-2], lines[-3], lines[-1]],
        lines[:-2] + lines[-1:],
        lines[:-1],
        [*lines[:-4], lines[-4][:30] + b"AAAA" + lines[-4][34:], *lines[-3:]],
    ):
        path.write_bytes(b"".join(spoiled))
        refused(log, tmp_path, "is damaged|is not in the log, but|is another one there|breaks")


@pytest.mark.parametrize("stretches", [1, 3])
def test_a_file_that_was_cut_short_is_named_with_the_line(
    house: House, log: Fragile, tmp_path: Path, stretches: int
) -> None:
    """By who archives and by who verifies: nobody is told that the store went back."""
    for keep in (8, 5, 2)[:stretches]:
        move(log, tmp_path, Kept(keep, 1))
    path = archive_path(tmp_path, TABLE)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    first = log.read(TABLE)[0].seq
    changed = b"X" + lines[3][1:]
    for spoiled, line, seq in (
        (b"".join(lines[:4]), 5, 4),
        (whole[:-20], len(lines), first - 1),
        (whole[:-1], len(lines), first - 1),
        (lines[0], 2, 1),
        (b"".join([*lines[:3], changed, *(lines[4:] if stretches == 1 else ())]), 4, 3),
    ):
        path.write_bytes(spoiled)
        refused(log, tmp_path, f"is damaged or was cut short: line {line} is not there, or not")
        problem = verify_table(JoinedLog(log, tmp_path), TABLE, whole=True).problem
        assert problem is not None
        assert problem.seq == seq
        assert str(path) in problem.reason
        assert "commit 1:" not in problem.reason
        is_changed = changed in spoiled
        said = f"line {line} of {path} is not JSON" if is_changed else "it was cut short"
        assert said in problem.reason


def test_a_file_that_was_cut_between_two_runs_is_named(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path, Kept(8, 1))
    path = archive_path(tmp_path, TABLE)
    kept, end = path.read_bytes(), log.read(TABLE)[0].seq
    move(log, tmp_path, Kept(2, 1))
    path.write_bytes(kept)
    refused(log, tmp_path, f"commits {end} to [0-9]+ are neither in its log nor in {path}")
    problem = verify_table(JoinedLog(log, tmp_path), TABLE, whole=True).problem
    assert problem is not None
    reason = f"is neither in its log nor in {path}, which ends with commit {end - 1}"
    assert (problem.seq, problem.reason) == (end, reason)


def test_a_folder_that_is_full_is_told(
    log: Fragile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("doorcard.streams.archive_file.os.fsync", full)
    with pytest.raises(BadInput, match="cannot be written: No space left on device"):
        move(log, tmp_path)
    assert log.read(TABLE)[0].seq == 1


def test_what_the_disk_did_not_keep_is_noticed(
    house: House, log: Fragile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is read back before anything is removed."""
    path = archive_path(tmp_path, TABLE)

    def spoil(_: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[:-200] + bytes((data[-200] ^ 1,)) + data[-199:])

    monkeypatch.setattr("doorcard.streams.archive_file._sync_folder", spoil)
    with pytest.raises(BadLog, match="does not hold what was just written"):
        move(log, tmp_path)
    assert log.read(TABLE) == house.stored


def test_errors_of_the_store_come_through(log: Fragile, tmp_path: Path) -> None:
    def away(table: str) -> Head | None:
        raise StoreError(f"no {table} today")

    log.head = away  # type: ignore[method-assign]
    with pytest.raises(StoreError):
        move(log, tmp_path)
