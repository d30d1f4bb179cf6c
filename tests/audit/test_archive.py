"""Old hands moved into files: nothing is lost wherever it stops, and nothing wrong is moved."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from doorcard.audit import archive as archive_module
from doorcard.audit.archive import Kept, Moved, archive_table
from doorcard.audit.replay import Eyes, hands_moved, replay_hand, step_at, told_hands
from doorcard.audit.verify import Report, verify_table
from doorcard.errors import BadInput, BadLog, StoreError
from doorcard.streams.archive_file import ArchiveFile, archive_path, held
from doorcard.streams.codec import decode, encode_like
from doorcard.streams.heads import hand_started, read_commit
from doorcard.streams.joined_log import JoinedLog
from doorcard.streams.log import Head, Stored
from doorcard.streams.log_file import LogFile, export_log
from doorcard.streams.memory_log import MemoryLog
from tests.audit.played import RING, House

KEPT = Kept(hands=2, commits=1)
TABLE = "p00.table"


class Killed(Exception):
    """The program ends here."""


class Fragile(MemoryLog):
    """A log whose reader may be killed when it trims: before, or right after."""

    kill = ""

    def trim(self, table: str, kept: Stored) -> int:
        if self.kill == "before":
            raise Killed
        count = super().trim(table, kept)
        if self.kill == "after":
            raise Killed
        return count


@pytest.fixture(scope="module")
def house() -> House:
    return House(seats=3, chips=2000, seed=5).play(9)


@pytest.fixture
def log(house: House) -> Fragile:
    log = Fragile()
    log.store.logs[TABLE] = list(house.stored)
    return log


@pytest.fixture(autouse=True)
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hands or so are moved at once."""
    monkeypatch.setattr(archive_module, "STRETCH_COMMITS", 50)


def begins(house: House) -> list[Stored]:
    return [s for s in house.stored if hand_started(read_commit(TABLE, s)) is not None]


def move(log: MemoryLog, folder: Path, kept: Kept = KEPT, *, anew: bool = False) -> Moved:
    with held(folder):
        return archive_table(log, TABLE, folder, kept, anew=anew)


def raws(stored: list[Stored]) -> list[tuple[int, bytes]]:
    return [(each.seq, each.raw) for each in stored]


def joined(log: MemoryLog, folder: Path, house: House) -> Report:
    """Both together, which must be the log as it was."""
    both = JoinedLog(log, folder)
    assert raws(both.read(TABLE)) == raws(house.stored)
    assert both.head(TABLE) == house.log.heads[TABLE]
    report = verify_table(both, TABLE, ring=RING, heads=house.heads, whole=True)
    assert (report.problem, report.moved_commits) == (None, 0)
    return report


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


# --- what is refused, and changes nothing --------------------------------------------------------


def refused(
    log: MemoryLog, folder: Path, words: str, kind: type[Exception] = BadLog, *, anew: bool = False
) -> None:
    """A run is refused, and neither log nor file are others afterwards."""
    path = archive_path(folder, TABLE)
    before = log.read(TABLE), path.read_bytes() if path.exists() else None
    with pytest.raises(kind, match=words):
        move(log, folder, anew=anew)
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
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    refused(log, tmp_path, "another program archives into", BadInput)
    os.close(descriptor)
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


OTHER = House(seats=3, chips=2000, seed=6).play(9)


def test_a_log_that_is_another_than_the_file(house: House, log: Fragile, tmp_path: Path) -> None:
    """The store lost what had been archived, and others were played instead."""
    move(log, tmp_path)
    log.store.logs[TABLE] = list(OTHER.stored)
    seq = next(s.seq for s, t in zip(house.stored, OTHER.stored, strict=False) if s.raw != t.raw)
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
    shifted.store.logs[TABLE] = list(OTHER.stored)
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


# --- reading what was moved ----------------------------------------------------------------------


def test_hands_are_replayed_from_the_archive_as_before(
    house: House, log: Fragile, tmp_path: Path
) -> None:

    def eyes() -> Eyes:
        return Eyes("auditor", ring=RING)

    before = {hand: list(replay_hand(log, TABLE, hand, eyes())) for hand in range(1, 10)}
    told = list(told_hands(log, TABLE, Eyes()))
    steps = {seq: step_at(log, TABLE, seq) for seq in (1, 4, begins(house)[3].seq + 2)}
    move(log, tmp_path)
    both = JoinedLog(log, tmp_path)
    for hand, expected in before.items():
        assert list(replay_hand(both, TABLE, hand, eyes())) == expected
    assert [hand[:2] for hand in told_hands(both, TABLE, Eyes())] == [hand[:2] for hand in told]
    assert {seq: step_at(both, TABLE, seq) for seq in steps} == steps
    assert hands_moved(both, TABLE) == 0


def test_without_the_archive_it_is_said_where_they_are(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    told = list(told_hands(log, TABLE, Eyes()))
    last = list(replay_hand(log, TABLE, 8))
    move(log, tmp_path)
    first = begins(house)[-2].seq
    begins_with = f"was archived: its log begins with hand 8, commit {first}; with --archive"
    with pytest.raises(BadInput, match=f"hand 7 of table {TABLE} {begins_with}"):
        list(replay_hand(log, TABLE, 7))
    with pytest.raises(BadInput, match=f"commit {first - 1} of table {TABLE} {begins_with}"):
        step_at(log, TABLE, first - 1)
    with pytest.raises(BadInput, match="hand 3 of table"):
        list(told_hands(log, TABLE, Eyes(), [3, 8]))
    assert list(replay_hand(log, TABLE, 8)) == last
    assert step_at(log, TABLE, first) == last[0]
    assert [hand[:2] for hand in told_hands(log, TABLE, Eyes())] == [hand[:2] for hand in told[7:]]
    assert hands_moved(log, TABLE) == 7


def test_a_log_that_is_trimmed_while_it_is_read_is_read_on(
    house: House, log: Fragile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doorcard.streams.log_file.PAGE", 10)
    for wrap in (lambda: log, lambda: JoinedLog(log, tmp_path)):
        log.store.logs[TABLE] = list(house.stored)
        archive_path(tmp_path, TABLE).unlink(missing_ok=True)
        reading = wrap()
        read, reads = reading.read, list[int]()

        def busy(
            table: str,
            after: int = 0,
            count: int | None = None,
            read: Callable[..., list[Stored]] = read,
            reads: list[int] = reads,
        ) -> list[Stored]:
            reads.append(after)
            if len(reads) == 3:
                move(log, tmp_path)
            return read(table, after, count)

        spied = Spied(busy, reading.head)
        report = verify_table(spied, TABLE, ring=RING)
        assert report.problem is None
        assert report.moved_commits + report.commits == len(house.stored)


class Spied:
    """A log whose reading is watched."""

    def __init__(
        self, read: Callable[..., list[Stored]], head: Callable[[str], Head | None]
    ) -> None:
        self.read = read
        self.head = head

    def tables(self) -> list[str]:
        return [TABLE]


# --- what was done to a log by other hands -------------------------------------------------------


def test_a_beginning_that_no_archive_left_is_damage(house: House, log: Fragile) -> None:
    for cut in (1, begins(house)[0].seq, begins(house)[3].seq + 4, begins(house)[3].seq - 2):
        log.store.logs[TABLE] = house.stored[cut:]
        problem = verify_table(log, TABLE, ring=RING).problem
        assert problem is not None
        assert problem.reason == f"is not in its place: commit {cut + 1} stands there"


def test_a_hand_that_was_taken_out_of_the_middle_is_damage(house: House, log: Fragile) -> None:
    first, second = begins(house)[3].seq, begins(house)[4].seq
    log.store.logs[TABLE] = house.stored[: first - 1] + house.stored[second - 1 :]
    problem = verify_table(log, TABLE, ring=RING).problem
    assert problem is not None
    assert problem.seq == first


def test_hands_that_were_trimmed_and_not_archived_are_missed(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path, Kept(6, 1))
    log.trim(TABLE, begins(house)[6])
    assert verify_table(log, TABLE, ring=RING, heads=house.heads).problem is None
    problem = verify_table(JoinedLog(log, tmp_path), TABLE, whole=True).problem
    assert problem is not None
    assert problem.seq == begins(house)[3].seq


def test_a_beginning_that_was_made_up_disagrees_with_the_published_heads(
    house: House, log: Fragile
) -> None:
    """Of another history: it verifies by itself, and its recorded chain is nobody's."""
    place = begins(OTHER)[7].seq
    log.store.logs[TABLE] = OTHER.stored[place - 1 :]
    assert verify_table(log, TABLE, ring=RING).problem is None
    heads = [house.heads[6]._replace(seq=place - 1)]
    problem = verify_table(log, TABLE, heads=heads).problem
    assert problem is not None
    assert (problem.seq, problem.reason[:41]) == (
        place - 1,
        "is not the one whose head was published: ",
    )


def test_a_changed_commit_in_the_archive_is_named(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path)
    path = archive_path(tmp_path, TABLE)
    seq = begins(house)[2].seq + 1
    lines = path.read_text().splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith(f'{{"seq": {seq},'))
    lines[place] = lines[place + 1].replace(str(seq + 1), str(seq), 1)
    path.write_text("\n".join(lines))
    problem = verify_table(JoinedLog(log, tmp_path), TABLE, ring=RING, whole=True).problem
    assert problem is not None
    assert problem.seq == seq


def test_a_first_hand_whose_words_disagree_is_named(house: House, log: Fragile) -> None:
    """The hash that it repeats and the one in its snapshot are one."""
    first = begins(house)[4]
    commit = decode(first.raw)
    wrong = encode_like(commit._replace(prev=bytes(8)), first.raw)
    log.store.logs[TABLE] = [Stored(first.seq, wrong), *house.stored[first.seq :]]
    problem = verify_table(log, TABLE, ring=RING).problem
    assert problem is not None
    assert problem.seq == first.seq


def test_errors_of_the_store_come_through(log: Fragile, tmp_path: Path) -> None:
    def away(table: str) -> Head | None:
        raise StoreError(f"no {table} today")

    log.head = away  # type: ignore[method-assign]
    with pytest.raises(StoreError):
        move(log, tmp_path)
