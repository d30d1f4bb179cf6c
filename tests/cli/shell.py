"""The ``doorcard`` command as a user meets it: words in, two streams and an exit code out."""

from __future__ import annotations

import json
from collections.abc import Callable
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


def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    """Run commands in this process; whatever they raise comes through, so no traceback hides."""

    def run(*words: object) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Done(code, *capsys.readouterr())

    return run
