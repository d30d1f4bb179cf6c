"""Every Python example in the README runs, and what it prints is what it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Final

import pytest

README: Final = Path(__file__).resolve().parents[1] / "README.md"
BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS: Final = BLOCK.findall(README.read_text("utf-8"))


def test_the_readme_shows_a_hand() -> None:
    """A whole hand in about twelve lines, without a server."""
    shown = [block.strip() for block in BLOCKS if "LocalTable" in block]
    assert shown
    assert len(shown[0].splitlines()) <= 16


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0])
def test_the_example_runs(block: str) -> None:
    if ">>>" in block:
        examples = doctest.DocTestParser().get_doctest(block, {}, "README", str(README), 0)
        assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples).failed == 0
    else:
        exec(compile(block, str(README), "exec"), {"__name__": "__main__"})  # noqa: S102  # our own text
