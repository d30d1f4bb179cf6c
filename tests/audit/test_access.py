"""Each use of an auditor's view leaves a line behind (S-29)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doorcard.audit.access import VARIABLE, record_access
from doorcard.errors import BadInput


def test_a_use_is_one_line_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    record_access("replay", "p00.x", [3], 1_760_000_000_000)
    out, err = capsys.readouterr()
    assert out == ""
    line = json.loads(err)
    assert line["event"] == "auditor_view"
    assert (line["command"], line["table"], line["hands"]) == ("replay", "p00.x", [3])
    assert line["time"] == "2025-10-09T08:53:20.000Z"
    assert line["user"]


def test_uses_are_appended_to_the_file_that_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "access.log"
    monkeypatch.setenv(VARIABLE, str(path))
    record_access("replay", "p00.x", [3], 0)
    record_access("export", "p00.x", [], 0)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["hands"] for line in lines] == [[3], "all"]
    assert path.stat().st_mode & 0o077 == 0
    assert capsys.readouterr().err == ""


def test_what_cannot_be_noted_must_not_be_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere" / "access.log"))
    with pytest.raises(BadInput, match="cannot be written"):
        record_access("replay", "p00.x", [3], 0)
