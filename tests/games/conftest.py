"""``pytest tests/games/test_counts.py --rewrite-counts`` counts the files of counts anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-counts",
        action="store_true",
        help="count the sequences of the files in counts/ and write them down",
    )
