"""Old hands moved into files: nothing is lost wherever it stops, and play goes on."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from doorcard.audit.archive import Kept
from doorcard.audit.verify import verify_table
from doorcard.streams.archive_file import ArchiveFile, archive_path
from doorcard.streams.heads import hand_started, read_commit
from doorcard.streams.joined_log import JoinedLog
from doorcard.streams.log_file import LogFile
from tests.audit.archived import (
    TABLE,
    Fragile,
    Killed,
    begins,
    joined,
    move,
    raws,
)
from tests.audit.played import RING, House


def test_old_hands_are_moved_and_both_together_are_the_log(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    whole = verify_table(log, TABLE, ring=RING, heads=house.heads)
    moved = move(log, tmp_path)
    stays = begins(house)[-2]
    path = archive_path(tmp_path, TABLE)
    assert moved == (TABLE, stays.seq - 1, 7, LogFile.open(path).head(TABLE), path)
    assert log.read(TABLE) == house.stored[stays.seq - 1 :]
    assert raws(LogFile.open(path).read(TABLE)) == raws(house.stored[: stays.seq - 1])
    assert joined(log, tmp_path, house) == whole
    assert path.read_text().count("doorcard_log") > 2
    assert verify_table(LogFile.open(path), TABLE, ring=RING).problem is None


def test_what_is_left_is_verified_from_its_first_hand(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path)
    report = verify_table(log, TABLE, ring=RING, heads=house.heads)
    assert (report.problem, report.hands, report.moved_hands) == (None, 2, 7)
    assert report.commits + report.moved_commits == len(house.stored)
    assert report.notes[0] == (
        f"hands 1 to 7, commits 1 to {report.moved_commits}, are not in this log, archived or "
        "deleted: verified from hand 8 on; a published head knows where it begins"
    )
    assert "not compared: 6 published heads of commits before" in report.notes


def test_a_second_run_moves_nothing_and_later_ones_go_on(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    log.store.logs[TABLE] = house.stored[: begins(house)[5].seq]
    assert move(log, tmp_path).hands == 3
    assert move(log, tmp_path)[1:3] == (0, 0)
    log.store.logs[TABLE] += house.stored[begins(house)[5].seq :]
    assert move(log, tmp_path).hands == 4
    joined(log, tmp_path, house)


@pytest.mark.parametrize(
    ("kept", "hands"), [(Kept(9, 1), 0), (Kept(8, 1), 1), (Kept(1, 1), 8), (Kept(1, 10_000), 0)]
)
def test_the_newest_hands_stay(
    house: House, log: Fragile, tmp_path: Path, kept: Kept, hands: int
) -> None:
    moved = move(log, tmp_path, kept)
    assert moved.hands == hands
    assert moved.commits == (begins(house)[hands].seq - 1 if hands or kept == Kept(9, 1) else 0)
    joined(log, tmp_path, house)


def test_commits_that_a_repeat_is_looked_for_in_stay(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path, Kept(1, 60))
    left = log.read(TABLE)
    second = next(s for s in left[1:] if hand_started(read_commit(TABLE, s)) is not None)
    assert len(left) >= 60 > len(house.stored) - second.seq + 1


def test_a_hand_in_progress_is_none_of_those_that_stay(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    log.store.logs[TABLE] = house.stored[: begins(house)[6].seq + 2]
    move(log, tmp_path)
    assert log.read(TABLE)[0] == begins(house)[4]


@pytest.mark.parametrize("where", ["before", "after"])
def test_whoever_is_killed_at_the_trim_goes_on(
    house: House, log: Fragile, tmp_path: Path, where: str
) -> None:
    log.kill = where
    for _ in range(10):
        with pytest.raises(Killed):
            move(log, tmp_path)
        assert raws(JoinedLog(log, tmp_path).read(TABLE)) == raws(house.stored)
        if where == "before" or log.read(TABLE)[0] == begins(house)[-2]:
            break
    log.kill = ""
    move(log, tmp_path)
    assert log.read(TABLE)[0] == begins(house)[-2]
    joined(log, tmp_path, house)


def test_a_file_that_was_written_to_any_place_is_written_to_its_end(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    """A program that is killed while it writes has trimmed nothing of what it was writing."""
    log.kill = "before"
    with pytest.raises(Killed):
        move(log, tmp_path)
    path = archive_path(tmp_path, TABLE)
    first = path.read_bytes()
    log.kill = ""
    chance = Random(1)
    ends = {0, 1, 5, 20, 40, 60, len(first) - 1, first.index(b"\n"), first.index(b"\n") + 1}
    for end in sorted(ends | {chance.randrange(len(first)) for _ in range(12)}):
        log.store.logs[TABLE] = list(house.stored)
        path.write_bytes(first[:end])
        move(log, tmp_path)
        joined(log, tmp_path, house)
    whole = path.read_bytes()
    start = whole.index(b'\n{"doorcard_log"') + 1
    third = whole.index(b'\n{"doorcard_log"', start) + 1
    ends = {start, start + 1, start + 14, start + 70, third - 1, chance.randrange(start, third)}
    for end in sorted(ends):
        path.write_bytes(whole[:end])
        log.store.logs[TABLE] = house.stored[first.count(b'"seq"') :]
        move(log, tmp_path)
        joined(log, tmp_path, house)
        assert path.read_bytes() == whole


def test_zeros_that_a_power_failure_left_are_no_damage(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path, Kept(5, 1))
    path = archive_path(tmp_path, TABLE)
    with path.open("ab") as file:
        file.write(bytes(5000))
    move(log, tmp_path)
    joined(log, tmp_path, house)


@pytest.mark.parametrize("seed", range(6))
def test_archived_at_any_points_and_joined_it_is_the_log(
    house: House, tmp_path: Path, seed: int
) -> None:
    """Play goes on between the runs, and some are killed."""
    chance, log = Random(seed), Fragile()
    log.store.logs[TABLE] = house.stored[:1]
    length = 1
    while length < len(house.stored):
        more = min(chance.randrange(1, 60), len(house.stored) - length)
        log.store.logs[TABLE] += house.stored[length : length + more]
        length += more
        log.kill = chance.choice(["", "", "before", "after"])
        try:
            move(log, tmp_path, Kept(chance.randrange(1, 4), chance.choice([1, 40])))
        except Killed:
            path = archive_path(tmp_path, TABLE)
            if log.kill == "before" and chance.random() < 0.5:
                last = ArchiveFile(tmp_path, TABLE).last
                assert last is not None
                data = path.read_bytes()
                path.write_bytes(data[: chance.randrange(last.start, len(data))])
        both = JoinedLog(log, tmp_path)
        assert raws(both.read(TABLE)) == raws(house.stored[:length])
        assert verify_table(both, TABLE, ring=RING, whole=True).problem is None
        assert verify_table(log, TABLE, ring=RING).problem is None
    log.kill = ""
    move(log, tmp_path, Kept(1, 1))
    joined(log, tmp_path, house)
