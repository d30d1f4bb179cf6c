"""The file that published heads are appended to, on a disk that may be full for a while."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from doorcard.audit.verify_heads import read_heads
from services.logs import Logger
from services.roles import HeadFile
from tests.audit.played import RING, House
from tests.services.harness import NoteBook


@pytest.fixture(scope="module")
def house() -> House:
    return House(seats=2, seed=4).play(3)


def head_file(path: Path) -> HeadFile:
    return HeadFile(path, RING.head_signer(), cast("Logger", NoteBook()))


def test_a_head_begins_a_line_of_its_own_behind_half_of_another(
    house: House, tmp_path: Path
) -> None:
    path = tmp_path / "heads"
    lines = [head.to_json() for head in house.heads]
    for _ in range(2):
        head_file(path).publish(house.table)
    path.write_text(path.read_text() + lines[0][:50])
    head_file(path)
    for _ in range(2):
        head_file(path).publish(house.table)
    assert path.read_text().split("\n") == [
        lines[-1], lines[-1], lines[0][:50], lines[-1], lines[-1], ""
    ]  # fmt: skip
    notes: list[str] = []
    assert read_heads(path, notes) == [house.heads[-1]] * 4
    assert len(notes) == 1


def test_a_file_that_was_moved_away_is_begun_anew(house: House, tmp_path: Path) -> None:
    path = tmp_path / "heads"
    heads = head_file(path)
    path.rename(tmp_path / "moved")
    heads.publish(house.table)
    assert read_heads(path) == house.heads[-1:]
