"""The ``doorcard`` command as a user meets it: words in, two streams and an exit code out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from doorcard.cli.app import main


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def objects(self) -> list[Any]:
        """The output as JSON lines."""
        return [json.loads(line) for line in self.lines]


Shell = Callable[..., Done]
SETTINGS = ("REDIS_URL", "DECK_KEYS", "DECK_KEYS_FILE", "ACCESS_LOG")


def shell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> Shell:
    """Run commands in this process, in a folder and without settings from the environment.

    Whatever they raise beside what becomes an exit code comes through: a traceback cannot hide.
    """
    for name in SETTINGS:
        monkeypatch.delenv(f"DOORCARD_{name}", raising=False)
    monkeypatch.chdir(folder)

    def run(*words: object) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        written = capsys.readouterr()
        return Done(code, written.out, written.err)

    return run
