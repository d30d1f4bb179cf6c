"""The commands of the README: make and its targets, and what CI runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
TARGETS: Final = (
    "help", "install", "run", "test", "soak-games", "check", "format", "bench", "clean",
)  # fmt: skip
PYTEST: Final = "pytest --numprocesses"


def make(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run make as from a fresh shell, not as a part of the make that runs the tests."""
    environment = {name: text for name, text in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )


def planned(*arguments: str) -> list[str]:
    """The lines that make would run."""
    done = make("--dry-run", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_make_alone_lists_the_targets() -> None:
    listed = re.findall(r"^  make ([\w-]+) +\S", make().stdout, re.MULTILINE)
    assert set(TARGETS) <= set(listed)
    declared = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert declared is not None
    assert listed == declared[1].split()


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_can_be_planned(target: str) -> None:
    assert planned(target)


def test_run_plays_twenty_hands_of_everything_unless_told_otherwise() -> None:
    up = ".venv/bin/python -m services up"
    assert planned("run")[-1] == f"{up} --hands 20"
    assert planned("run", "HANDS=", "GAMES= ")[-1] == f"{up} --hands 20"
    assert planned("run", "HANDS=3", "GAMES=razz")[-1] == f"{up} --hands 3 --games 'razz'"
    assert planned("run", "HANDS=0", "GAMES=razz, soko")[-1] == (
        f"{up} --hands 0 --games 'razz, soko'"
    )


def test_check_runs_format_lint_types_and_tests() -> None:
    lines = [line.split(" -m ")[1] for line in planned("check") if " -m " in line]
    tools = [line for line in lines if not line.startswith(("pip ", "venv "))]
    first_words = [" ".join(tool.split()[:2]) for tool in tools]
    assert first_words == ["ruff format", "ruff check", "mypy", "pyright --project", PYTEST]
    assert tools[0] == "ruff format --check"


def test_the_soak_of_the_games_plays_ten_thousand_hands_of_each_unless_told_otherwise() -> None:
    lines = "\n".join(planned("soak-games"))
    assert "DOORCARD_GAME_HANDS=10000 DOORCARD_DIFFERENTIAL_HANDS=2000" in lines
    assert "faulthandler_timeout=0" in lines
    for word in re.findall(r"\S+\.py", lines):
        assert (ROOT / word).is_file() or word.startswith(".venv")
    assert "DOORCARD_GAME_HANDS=30 " in "\n".join(planned("soak-games", "SOAK_HANDS=30"))


def test_bench_passes_its_arguments_on() -> None:
    assert planned("bench", "BENCH=engine --json")[-1] == ".venv/bin/doorcard bench engine --json"


def test_clean_keeps_the_hands_that_were_played() -> None:
    assert not [line for line in planned("clean") if ".doorcard" in line]


@pytest.mark.parametrize(
    ("script", "version"),
    [("echo Python 3.8.18; exit 1", "Python 3.8.18"), (None, "not found")],
)
def test_a_missing_or_too_old_python_is_said_to_be_so(
    tmp_path: Path, script: str | None, version: str
) -> None:
    for name in ("Makefile", "pyproject.toml", "requirements"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    python = tmp_path / "python"
    if script is not None:
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
    done = make("run", f"PYTHON={python}", folder=tmp_path)
    assert done.returncode != 0
    assert "Doorcard needs Python 3.11 or newer" in done.stdout
    assert version in done.stdout
    assert "make PYTHON=python3.12 run" in done.stdout
    assert not (tmp_path / ".venv").exists()


def test_ci_runs_what_a_newcomer_runs() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    lines = script.read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith(("#", "set ", "cd "))] == ["make test"]
