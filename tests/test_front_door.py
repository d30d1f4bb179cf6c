"""``import doorcard``: about thirty names, nothing but the standard library, and fast."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

import pytest

import doorcard

SLOW: Final = frozenset(
    {"asyncio", "concurrent", "email", "http", "json", "multiprocessing", "ssl"}
)
"""Parts of the standard library that cost more than the whole of doorcard."""


def test_the_front_door_has_about_thirty_names() -> None:
    assert 25 <= len(doorcard.__all__) <= 40


def test_importing_it_loads_nothing_slow() -> None:
    program = "import sys, doorcard; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert not SLOW.intersection(done.stdout.split())


def test_importing_it_is_fast() -> None:
    """Below 80 ms on the machine that it was measured on; the bound leaves room for a busy one."""
    program = (
        "import time; began = time.process_time(); import doorcard; "
        "print(time.process_time() - began)"
    )
    seconds = [
        float(
            subprocess.run(
                [sys.executable, "-c", program], check=True, capture_output=True, text=True
            ).stdout
        )
        for _ in range(3)
    ]
    assert min(seconds) < 0.5


def test_the_example_in_its_description_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert doorcard.__doc__ is not None
    lines = doorcard.__doc__.splitlines()
    example = "\n".join(line[4:] for line in lines if line.startswith("    "))
    assert "LocalTable" in example
    exec(example, {})  # noqa: S102  # our own text
    assert "hand 1, third street" in capsys.readouterr().out
