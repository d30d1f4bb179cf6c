"""Every line of the core set, or of the files named on the command line."""

from __future__ import annotations

from tests.conformance.lines import Line, try_line


def test_line(line: Line) -> None:
    try_line(line)
