"""What the tests of archives begin with."""

from __future__ import annotations

import pytest

from tests.audit.archived import Fragile, log_of, played
from tests.audit.played import House


@pytest.fixture(scope="session")
def house() -> House:
    """A table at which nine hands were played; nobody changes it."""
    return played(5)


@pytest.fixture
def log(house: House) -> Fragile:
    """That table's log in a store of the test's own."""
    return log_of(house)
