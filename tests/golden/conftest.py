"""``pytest tests/golden --rewrite-golden`` writes the golden hands anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="replay the golden hands and write down what happens now",
    )
