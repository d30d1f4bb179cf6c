"""Every deliberate bug is found within a few seeds."""

from __future__ import annotations

import pytest

from tests.simulation.mutations import MUTATIONS, Mutation
from tests.simulation.runs import run

SEEDS = 40


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_deliberate_bug_is_caught(mutation: Mutation) -> None:
    for seed in range(1, SEEDS + 1):
        if run(seed, mutation.profile, parts=mutation.parts).problem:
            return
    pytest.fail(f"{SEEDS} seeds did not show {mutation.name}")


def test_the_deliberate_bugs_have_names_of_their_own() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 8
