from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell, shell


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Shell:
    """The command line, as a user calls it."""
    return shell(capsys, monkeypatch, tmp_path)
