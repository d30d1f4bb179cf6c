"""All roles, players, clock and store under one seeded scheduler, with faults at any moment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

import pytest

from doorcard.games import GAMES
from doorcard.streams import complaints
from tests.games.random_hands import STRUCTURES
from tests.ops.test_makefile import planned
from tests.simulation.__main__ import main
from tests.simulation.mutations import MUTATIONS
from tests.simulation.profiles import FAULTS, profile_of
from tests.simulation.runs import Result, run
from tests.simulation.setting import openings

ROOT: Final = Path(__file__).resolve().parents[2]
SEEDS: Final = 200
AT_ONCE: Final = 10
FAULT_SEEDS: Final = 12
"""Seeds in which a fault must come at least once, where it is the only one."""


@pytest.mark.parametrize("first", range(1, SEEDS + 1, AT_ONCE))
def test_no_fault_breaks_anything(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        result = run(seed)
        assert not result.problem, result.story()
        assert result.seen["hands"] or result.seen["commits"]


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_alone_comes_and_breaks_nothing(fault: str) -> None:
    faults = Counter[str]()
    for seed in range(1, FAULT_SEEDS + 1):
        result = run(seed, fault)
        assert not result.problem, result.story()
        faults += result.faults
        if faults[fault]:
            break
    assert faults[fault], f"nothing of {fault} came in {FAULT_SEEDS} seeds"
    assert not set(faults) - {fault} - STAND_INS.get(fault, set())


def test_a_store_forgets_what_was_archived_and_all_are_told() -> None:
    seen = Counter[str]()
    for seed in range(1, ARCHIVE_SEEDS + 1):
        result = run(seed, "archive+forget+interleave")
        assert not result.problem, result.story()
        seen += result.seen
        if all(seen[what] for what in TOLD):
            return
    raise AssertionError(f"not met in {ARCHIVE_SEEDS} seeds: {[w for w in TOLD if not seen[w]]}")


ARCHIVE_SEEDS: Final = 40
TOLD: Final = ("archived commits", "archives of what was forgotten", "not archived")


def test_everything_at_once_reaches_what_it_should() -> None:
    """The answers and the lines of workers that are about faults are all met."""
    seen = Counter[str]()
    for seed, profile in (
        *((s, "everything") for s in range(1, 9)),
        *((s, "full") for s in range(1, 9)),
        *((s, "derived") for s in range(1, 5)),
    ):
        result = run(seed, profile)
        assert not result.problem, result.story()
        seen += result.seen
    for what in REACHED:
        assert seen[what], f"never met: {what}"


REACHED: Final = (
    "archived commits",
    "append conflict",
    "append full",
    "append ok",
    "commits of format 2",
    "forgotten commits",
    "left for a newer worker",
    "put back",
    "refused message/id_reused",
    "repeats",
    "the store forgot commits",
    "the store takes no writes, waiting",
    "time given back",
    "voided after a loss",
)
STAND_INS: Final = {
    "death": {"cut"},
    "partial": {"cut"},
    "wait": {"interleave"},
    "reorder": {"interleave"},
}
"""What comes instead where a fault makes no sense: a player's program cannot be killed."""


def test_without_faults_none_comes() -> None:
    result = run(1, "calm")
    assert (result.problem, result.faults) == ("", Counter())
    assert result.seen["hands"] >= 10


def test_the_same_seed_gives_the_same_trace() -> None:
    first, again, other = [run(seed, hashed=True) for seed in (3, 3, 4)]
    assert first.digest == again.digest
    assert (first.steps, first.faults, first.last) == (again.steps, again.faults, again.last)
    assert first.digest != other.digest


def test_the_same_seed_gives_the_same_trace_however_slow_the_machine_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fast = run(4, "storm", hashed=True)
    monkeypatch.setattr(complaints, "monotonic", map(float, count(1, 60)).__next__)
    assert run(4, "storm", hashed=True).digest == fast.digest


@pytest.mark.parametrize("profile", ["swarm", "storm"])
def test_what_is_worked_out_once_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    """Whether everybody decodes, folds and opens alone is not to be seen from outside."""
    together = [run(seed, profile, hashed=True) for seed in range(1, 7)]
    monkeypatch.setattr("tests.simulation.world.ALONE_EVERY", 1)
    alone = [run(seed, profile, hashed=True) for seed in range(1, 7)]
    assert [result.problem for result in together + alone] == [""] * 12
    assert [result.digest for result in together] == [result.digest for result in alone]


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_same_seed_gives_the_same_trace_in_another_process(hash_seed: str) -> None:
    """However Python orders its sets there."""
    program = (
        "from tests.simulation.runs import run; print(run(5, 'everything', hashed=True).digest)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'shared'}", "PYTHONHASHSEED": hash_seed},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == run(5, "everything", hashed=True).digest


def test_the_seeds_have_every_game_structure_and_profile() -> None:
    tables = [
        opening
        for seed in range(1, SEEDS + 1)
        for _, opening in openings(Random(f"setting {seed}"), ("p00", "p01"))
    ]
    assert {table.game for table in tables} == set(GAMES)
    assert {table.limits.structure for table in tables} == set(STRUCTURES)
    assert len({name for table in tables for name, _ in table.house}) >= 40
    assert {table.seats for table in tables} >= {2, 3, 4, 5, 6}
    assert {table.change for table in tables if table.others} == {"hands", "orbit", "call"}
    rates = [profile_of("swarm", seed).rates for seed in range(1, SEEDS + 1)]
    for fault in FAULTS:
        assert sum(fault in mine for mine in rates) > SEEDS / 4


def test_a_failing_seed_is_printed_with_what_replays_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = MUTATIONS[0]

    def run_broken(seed: int, profile: str) -> Result:
        return run(seed, profile, parts=broken.parts)

    monkeypatch.setattr("tests.simulation.__main__.run", run_broken)
    failed = next(seed for seed in range(1, SEEDS + 1) if run_broken(seed, broken.profile).problem)
    assert main(["--seeds", "2", "--first", str(failed), "--profile", broken.profile]) == 1
    said = capsys.readouterr().out
    assert f"make simulate SEEDS=1 FROM={failed} PROFILE={broken.profile}" in said
    assert "*** death" in said
    assert "who is not told" in said


def test_make_passes_its_arguments_on() -> None:
    program = ".venv/bin/python -m tests.simulation"
    assert planned("simulate")[-1] == f"{program} --seeds {SEEDS} --first 1 --profile swarm"
    assert planned("simulate", "SEEDS=1", "FROM=7", "PROFILE=storm")[-1] == (
        f"{program} --seeds 1 --first 7 --profile storm"
    )
    assert planned("soak")[-1].startswith(f"{program} --seeds 20000 ")


def test_a_profile_that_is_none_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--profile", "nosuch"])
    assert ended.value.code == 2
    assert "there is no profile 'nosuch'; they are swarm, " in capsys.readouterr().err


def test_the_summary_counts_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "2", "--first", "7"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("seeds    2, 0 failed")
    assert all(fault in said for fault in FAULTS)
