"""The image, built as ops/Dockerfile says but without a container engine."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
WITHOUT_CACHES: Final = shutil.ignore_patterns("__pycache__", ".*_cache")


class Image(NamedTuple):
    """What the container image would hold."""

    app: Path
    """Its working folder, with the services."""
    wheel: Path
    """The library as it is installed there."""
    environment: dict[str, str]

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command of the image in its working folder, with its library first on the path."""
        return subprocess.run(
            python(command),
            cwd=self.app,
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )


def python(command: list[str]) -> list[str]:
    assert command[0] == "python"
    return [sys.executable, *command[1:]]


@pytest.fixture(scope="session")
def instructions() -> list[tuple[str, str]]:
    """The instructions of ops/Dockerfile with their arguments, continued lines joined."""
    text = (ROOT / "ops/Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    pairs = [line.split(maxsplit=1) for line in joined]
    return [(keyword, " ".join(arguments.split())) for keyword, arguments in pairs]


@pytest.fixture(scope="session")
def image(instructions: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Both stages: the wheel built from the copied files alone, then unpacked beside services."""
    stages = [tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("app")]
    stage = -1
    for keyword, arguments in instructions:
        if keyword == "FROM":
            stage += 1
        elif keyword == "COPY" and not arguments.startswith("--from"):
            _copy(arguments, stages[stage])
        elif keyword == "RUN" and " pip wheel " in arguments:
            subprocess.run(
                python(shlex.split(arguments)), cwd=stages[stage], check=True, capture_output=True
            )
    (wheel,) = stages[0].glob("wheels/*.whl")
    site = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(site)
    return Image(stages[1], wheel, {**os.environ, "PYTHONPATH": str(site)})


def _copy(arguments: str, stage: Path) -> None:
    *names, target = arguments.split()
    for name in names:
        source = ROOT / name
        place = stage / target / source.name if target.endswith("/") else stage / target
        if source.is_dir():
            shutil.copytree(source, place, ignore=WITHOUT_CACHES)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, place)
