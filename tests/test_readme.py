"""Every Python example in the README runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

README: Final = Path(__file__).resolve().parents[1] / "README.md"
BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS: Final = BLOCK.findall(README.read_text("utf-8"))


def test_the_readme_shows_a_hand() -> None:
    """A whole hand in twelve lines, without a server."""
    (shown,) = [block for block in BLOCKS if "LocalTable" in block]
    assert sum(bool(line) for line in shown.splitlines()) == 12


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0])
def test_the_example_runs(block: str) -> None:
    exec(compile(block, str(README), "exec"), {"__name__": "__main__"})  # noqa: S102  # our own text
