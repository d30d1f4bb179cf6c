"""Logs in files: what is written is read, and what is damaged is named."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections import deque
from pathlib import Path

import pytest

from doorcard.audit.verify import verify_table
from doorcard.errors import BadInput, BadLog
from doorcard.streams.joined_log import JoinedLog
from doorcard.streams.log import Head, Stored
from doorcard.streams.log_file import (
    PAGE,
    ChangedFile,
    LogFile,
    commit_line,
    export_log,
    header_line,
    log_lines,
    pages,
    write_lines,
)
from doorcard.streams.memory_log import MemoryLog
from tests.audit.played import RING, House, ListLog


@pytest.fixture(scope="module")
def log() -> ListLog:
    """Two tables."""
    log = ListLog()
    House(table="p00.one", seats=2, log=log).play(2)
    House("razz", table="p01.two", seats=3, log=log).play(1)
    return log


@pytest.fixture
def path(log: ListLog, tmp_path: Path) -> Path:
    path = tmp_path / "logs.jsonl"
    written = export_log(log, log.tables(), path)
    assert written == (2, len(log.commits["p00.one"]) + len(log.commits["p01.two"]))
    return path


def test_what_is_written_is_read(log: ListLog, path: Path) -> None:
    file = LogFile.open(path)
    assert file.tables() == ["p00.one", "p01.two"]
    for table in file.tables():
        assert file.head(table) == log.heads[table]
        assert file.read(table) == log.commits[table]
        assert file.read(table, 5, 3) == log.commits[table][5:8]
        assert file.read(table, 10_000) == []
        assert verify_table(file, table, ring=RING).problem is None
    assert file.head("p00.three") is None
    assert file.read("p00.three") == []


def test_files_can_be_joined(log: ListLog, tmp_path: Path) -> None:
    parts: list[str] = []
    for table in log.tables():
        export_log(log, [table], tmp_path / table)
        parts.append((tmp_path / table).read_text())
    joined = tmp_path / "all"
    joined.write_text("\n".join(parts))
    assert LogFile.open(joined).tables() == log.tables()


def test_a_file_is_written_as_far_as_the_log_had_come(log: ListLog) -> None:
    growing = ListLog()
    growing.commits = log.commits
    head = log.heads["p00.one"]
    growing.heads["p00.one"] = head._replace(seq=5)
    assert len(list(log_lines(growing, "p00.one"))) == 6


def test_long_logs_are_read_page_by_page() -> None:
    house = House(seats=6, chips=5000, seed=2).play(30)
    assert len(house.stored) > PAGE
    assert list(pages(house.log, house.id)) == house.stored
    assert list(pages(house.log, house.id, 7)) == house.stored[7:]


def test_an_unknown_table_writes_no_file(log: ListLog, tmp_path: Path) -> None:
    path = tmp_path / "logs"
    with pytest.raises(BadInput, match=r"there is no table p00\.three"):
        export_log(log, ["p00.one", "p00.three"], path)
    with pytest.raises(BadInput, match="there is no table"):
        export_log(MemoryLog(), ["p00.one"], path)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_export_leaves_the_old_file(log: ListLog, path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(BadInput):
        export_log(log, ["p00.three"], path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_told(log: ListLog, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be written"):
        export_log(log, log.tables(), tmp_path / "nowhere" / "logs")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"hello\n", "is no file of logs"),
        (b"\x00\xff\x00", "is no file of logs"),
        (b'{"seq": 1, "raw": ""}\n', "is no file of logs"),
        (b'{"doorcard_log": 2}\n', "written by a newer version"),
        (b'{"doorcard_log": 1, "table": "p00.x"}\n', "each of its type"),
        (b'{"doorcard_log": true}\n', "each of its type"),
        (
            b'{"doorcard_log": 1, "table": "p00.x", "commits": 0, "chain": "ff", "hand_seq": 0}',
            "64 hexadecimal digits",
        ),
    ],
)
def test_what_is_no_file_of_logs_is_refused(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "logs"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=words):
        LogFile.open(path)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(BadInput, match="cannot be read"):
            LogFile.open(path)


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"seq": 4}', '{"seq": "4", "raw": "AA=="}', '{"seq": 4, "raw": "A?"}']
)
def test_a_damaged_line_names_its_commit(path: Path, line: str) -> None:
    lines = path.read_text().splitlines()
    lines[4] = line
    path.write_text("\n".join(lines))
    with pytest.raises(BadLog, match=r"table p00\.one: commit 4: line 5 of "):
        LogFile.open(path)


def test_a_table_that_is_there_twice_is_refused(path: Path) -> None:
    path.write_text(path.read_text() * 2)
    with pytest.raises(BadInput, match=r"table p00\.one is there twice"):
        LogFile.open(path)


def test_lines_out_of_order_and_cut_files_are_found(path: Path) -> None:
    lines = path.read_text().splitlines()
    swapped = [*lines[:7], lines[8], lines[7], *lines[9:]]
    path.write_text("\n".join(swapped))
    problem = verify_table(LogFile.open(path), "p00.one").problem
    assert problem is not None
    assert (problem.seq, problem.reason) == (7, "is not in its place: commit 8 stands there")
    path.write_text("\n".join(lines[:-3]))
    problem = verify_table(LogFile.open(path), "p01.two").problem
    assert problem is not None
    count = json.loads(next(line for line in lines if "p01.two" in line))["commits"]
    assert problem.seq == count - 2
    assert problem.reason.startswith("is missing: ")


def test_every_flipped_bit_of_a_line_is_found(log: ListLog, path: Path) -> None:
    data = path.read_bytes()
    start = data.index(b'{"seq": 6')
    for place in range(start, data.index(b"\n", start)):
        flipped = bytearray(data)
        flipped[place] ^= 4
        path.write_bytes(flipped)
        try:
            problem = verify_table(LogFile.open(path), "p00.one").problem
        except BadLog as damage:
            assert "commit 6" in str(damage)  # noqa: PT017  # either way will do
        else:
            assert problem is not None
            assert problem.seq == 6


def test_commits_that_are_written_in_another_way_are_the_same(log: ListLog, path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    loose = [json.dumps(dict(reversed(line.items())), indent=None) for line in lines]
    path.write_text("\r\n".join(loose))
    file = LogFile.open(path)
    assert {table: file.read(table) for table in file.tables()} == log.commits


def test_what_comes_out_of_a_pipe_is_read(log: ListLog, path: Path) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, path.read_bytes()[: (1 << 16) - 1])  # no more than a pipe holds
    os.close(write_end)
    file = LogFile.open(Path(f"/dev/fd/{read_end}"), growing=True)
    os.close(read_end)
    assert file.read("p00.one", 3, 2) == log.commits["p00.one"][3:5]


def long_file(path: Path, commits: int, bytes_each: int) -> None:
    """A file of one table, of whose commits nobody could make sense."""
    with path.open("w") as file:
        file.write(header_line("p00.long", Head(commits, bytes(32), 0)) + "\n")
        for seq in range(1, commits + 1):
            file.write(commit_line(Stored(seq, seq.to_bytes(4) * (bytes_each // 4))) + "\n")


def test_commits_are_found_wherever_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "long"
    long_file(path, 700, 400)
    file = LogFile.open(path)
    for after in (0, 1, 100, 127, 350, 698, 699):
        for count in (1, 2, 200, None):
            seqs = [stored.seq for stored in file.read("p00.long", after, count)]
            assert seqs == [*range(after + 1, 701)][:count]
    assert file.read("p00.long", 700) == file.read("p00.long", 0, 0) == []
    assert file.read("p00.long", 500, 1)[0].raw == (501).to_bytes(4) * 100


def test_of_a_long_file_only_places_are_kept(tmp_path: Path) -> None:
    """Joined with what is left in the store it is read by pages, too."""
    path, log = tmp_path / "p00.long.jsonl", ListLog()
    long_file(path, 10_000, 1_000)
    log.commits["p00.long"] = [Stored(10_001, b"last")]
    tracemalloc.start()
    try:
        file = LogFile.open(path)
        assert tracemalloc.get_traced_memory()[0] < 100_000 < path.stat().st_size / 100
        assert sum(1 for _ in pages(file, "p00.long")) == 10_000
        assert sum(1 for _ in pages(JoinedLog(log, tmp_path), "p00.long")) == 10_001
        assert tracemalloc.get_traced_memory()[1] < 5 * PAGE * 1_000 < path.stat().st_size / 2
    finally:
        tracemalloc.stop()


def test_a_file_that_is_written_anew_while_it_is_read_is_told(path: Path) -> None:
    file = LogFile.open(path)
    path.write_bytes(b"\n" + path.read_bytes())
    with pytest.raises(ChangedFile, match="was changed while it was read"):
        file.read("p00.one")
    path.write_bytes(b"")
    with pytest.raises(ChangedFile):
        file.read("p00.one")


def test_a_file_whose_order_is_wrong_comes_to_an_end(path: Path) -> None:
    """What stands behind the last number was read for ever."""
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[9], *lines[1:8]]))
    read = pages(LogFile.open(path), "p00.one")
    with pytest.raises(BadLog, match="commit 7 stands behind commit 7"):
        deque(read, maxlen=0)


def test_what_is_no_plain_file_is_written_to_as_it_is(tmp_path: Path) -> None:
    nowhere = Path(os.devnull)
    assert write_lines(nowhere, ["one", "two"]) == 2
    assert nowhere.is_char_device()
    linked, link = tmp_path / "linked", tmp_path / "link"
    linked.write_text("old")
    link.symlink_to(linked)
    assert write_lines(link, ["new"]) == 1
    assert link.is_symlink()
    assert linked.read_text() == "new\n"
