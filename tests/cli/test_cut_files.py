"""A file of logs whose last line was cut in its middle, as by a full disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.played import House, write_files
from tests.cli.shell import Shell

TABLE = "p00.table"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, int]:
    """A whole file of two hands, one that ends in the middle of a line, and that line's commit."""
    whole = write_files(House(table=TABLE, seats=3, seed=7).play(2), tmp_path).log
    lines = whole.read_bytes().splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(lines[:-5]) + lines[-5][:30])
    return whole, cut, len(lines) - 5


@pytest.mark.parametrize(
    "words",
    [
        ("replay", TABLE, "1"),
        ("replay", TABLE, "--at", "12"),
        ("replay", TABLE, "1", "--json"),
        ("export", TABLE, "1"),
        ("export", TABLE, "1", "--format", "phh"),
    ],
)
def test_what_is_whole_is_told_with_a_warning(
    run: Shell, files: tuple[Path, Path, int], words: tuple[str, ...]
) -> None:
    whole, cut, _ = files
    told = run(*words, "--log", cut)
    assert (told.code, told.out) == (0, run(*words, "--log", whole).out)
    warning = f"doorcard: the last line of {cut} is cut short, and left out; "
    assert told.err == f"{warning}`doorcard verify` checks it\n"


def test_all_hands_are_those_that_are_whole(run: Shell, files: tuple[Path, Path, int]) -> None:
    done = run("export", TABLE, "--log", files[1])
    assert [record["id"] for record in done.objects] == [f"{TABLE}-1"]
    assert "hand 2 of table p00.table is left out: it has not ended" in done.err


def test_verify_and_the_log_itself_name_the_commit(
    run: Shell, files: tuple[Path, Path, int]
) -> None:
    _, cut, seq = files
    named = f"table {TABLE}: commit {seq}: line {seq + 1} of {cut} is not JSON"
    done = run("verify", TABLE, "--log", cut)
    assert (done.code, done.out) == (1, f"{named}\n")
    assert named in run("export", TABLE, "--format", "log", "--log", cut).err


def test_damage_within_a_file_is_no_cut(run: Shell, files: tuple[Path, Path, int]) -> None:
    whole, _, _ = files
    lines = whole.read_bytes().splitlines(keepends=True)
    whole.write_bytes(b"".join([*lines[:9], lines[9][:30] + b"\n", *lines[10:]]))
    done = run("replay", TABLE, "1", "--log", whole)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"line 10 of {whole} is not JSON\n")
