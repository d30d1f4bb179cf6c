"""A short run of every way in which a real service is broken; ``make chaos`` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.__main__ import main
from tests.chaos.judge import judge
from tests.chaos.players import Accepted
from tests.chaos.scenarios import SCENARIOS
from tests.chaos.site import Site
from tests.ops.test_makefile import planned

SECONDS = 1.0
GROUPS = (
    ("workers_killed", "worker_asleep", "connections_cut"),
    ("store_killed", "power_failed", "file_cut_short", "hands_voided"),
    ("memory_full", "groups_destroyed", "poison"),
)


@pytest.mark.parametrize("names", GROUPS, ids=["workers", "store", "queues"])
def test_whatever_breaks_every_hand_ends_and_nothing_accepted_is_lost(
    names: tuple[str, ...],
) -> None:
    with Site.open(seed=1) as site:
        for name in names:
            facts = SCENARIOS[name](site, SECONDS)
            assert facts["hands"]


def test_make_passes_its_arguments_on() -> None:
    program = ".venv/bin/python -m tests.chaos"
    assert planned("chaos")[-1] == f"{program} --seconds $((5 * 60)) --seed 1"
    assert planned("chaos", "MINUTES=60", "FROM=7")[-1] == (
        f"{program} --seconds $((60 * 60)) --seed 7"
    )


def test_every_way_is_tried() -> None:
    assert sorted(name for names in GROUPS for name in names) == sorted(SCENARIOS)


def test_the_judge_sees_what_is_lost_and_what_nobody_asked_for() -> None:
    with Site.open(seed=2) as site:
        room = site.room()
        (promised, *_) = room.witness.accepted
        invented = Accepted(promised.table, "never-sent", 3, promised.heard_s, is_action=True)
        room.witness.accepted.append(invented)
        assert judge(site, room).lost == ((promised.table, "never-sent"),)
        room = site.room()
        (table, request_id), _ = room.witness.sent.popitem()
        site.play(room, 0.3)
        with pytest.raises(AssertionError, match=f"{table}: nobody sent {request_id}"):
            judge(site, room)


def test_a_failed_evening_is_told_with_its_seed_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(site: Site, _seconds: float) -> dict[str, object]:
        raise AssertionError(f"{site.folder} is as it must not be")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setitem(SCENARIOS, "poison", fails)
    assert main(["--seed", "7", "--seconds", "0.01", "--only", "poison"]) == 1
    told = capsys.readouterr().out
    assert "seed 7, poison FAILED; kept in " in told
    assert "as it must not be" in told
    assert list(tmp_path.glob("doorcard-chaos-*/store/appendonlydir/*.incr.aof"))
