"""ops/Dockerfile: what it copies exists, what it makes works, and nobody in it is root."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.ops.conftest import Image

ROOT: Final = Path(__file__).resolve().parents[2]
Instructions = list[tuple[str, str]]


def arguments_of(instructions: Instructions, keyword: str) -> list[str]:
    return [arguments for found, arguments in instructions if found == keyword]


def test_it_has_two_stages_on_one_base_that_the_project_supports(
    instructions: Instructions,
) -> None:
    first, last = arguments_of(instructions, "FROM")
    assert first == f"{last} AS build"
    version = last.removeprefix("python:").removesuffix("-slim")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_every_copied_file_exists_and_gets_into_the_build(instructions: Instructions) -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert "*" in ignored
    copies = arguments_of(instructions, "COPY")
    names = [name for copy in copies if "--from" not in copy for name in copy.split()[:-1]]
    assert "shared" in names
    assert "services" in names
    assert [name for name in names if not (ROOT / name).exists()] == []
    assert [name for name in names if f"!{name.split('/')[0]}" not in ignored] == []
    admitted = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert admitted == {name.split("/")[0] for name in names}


def test_what_the_last_stage_takes_is_made_in_the_first(instructions: Instructions) -> None:
    (taken,) = (copy for copy in arguments_of(instructions, "COPY") if "--from" in copy)
    origin, source, target = taken.split()
    assert origin == "--from=build"
    assert source == target
    made = [run for run in arguments_of(instructions, "RUN") if f"venv {source}" in run]
    assert len(made) == 1
    assert f"{source}/bin/python -m pip install" in made[0]
    assert any(f"PATH={source}/bin:$PATH" in env for env in arguments_of(instructions, "ENV"))


def test_every_installation_is_constrained(instructions: Instructions) -> None:
    runs = arguments_of(instructions, "RUN")
    installs = [run for run in runs if "pip install" in run]
    assert len(installs) == 2
    assert all("--constraint requirements/constraints.txt" in run for run in installs)


def test_it_does_not_run_as_root(instructions: Instructions) -> None:
    last_stage = instructions[
        max(i for i, (word, _) in enumerate(instructions) if word == "FROM") :
    ]
    user = arguments_of(last_stage, "USER")[-1]
    name, group = user.split(":")
    assert int(name) > 0
    assert int(group) > 0
    added = [run for run in arguments_of(last_stage, "RUN") if run.startswith("useradd")]
    assert [f"--uid {name} " in run for run in added] == [True]
    assert last_stage[-2:] == [("USER", user), last_stage[-1]]


def test_its_own_command_runs(instructions: Instructions, image: Image) -> None:
    (command,) = arguments_of(instructions, "CMD")
    done = image.run(json.loads(command))
    assert done.returncode == 0, done.stderr
    assert "dealer" in done.stdout


def test_the_wheel_holds_the_library_and_its_command_and_nothing_else(image: Image) -> None:
    names = zipfile.ZipFile(image.wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    (info,) = tops - {"doorcard", "doorcard_command.py"}
    assert info.endswith(".dist-info")
    assert "doorcard/py.typed" in names
    sources = {path.relative_to(ROOT / "shared").as_posix() for path in _library_files()}
    assert sources == {name for name in names if name.startswith("doorcard/")}
    script = zipfile.ZipFile(image.wheel).read(f"{info}/entry_points.txt").decode()
    assert "doorcard = doorcard_command:main" in script


def _library_files() -> list[Path]:
    found = (ROOT / "shared/doorcard").rglob("*")
    return [path for path in found if path.is_file() and path.suffix != ".pyc"]


def test_a_wheel_from_the_checkout_would_hold_the_same() -> None:
    """The image is built without services at hand; a wheel made elsewhere must not take them."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert tool["hatch"]["build"]["targets"]["wheel"] == {
        "only-include": ["shared/doorcard", "shared/doorcard_command.py"],
        "sources": ["shared"],
    }


def test_the_wheel_needs_nothing_without_an_extra(image: Image) -> None:
    with zipfile.ZipFile(image.wheel) as wheel:
        (metadata,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        needed = message_from_bytes(wheel.read(metadata)).get_all("Requires-Dist") or []
    assert needed
    assert [requirement for requirement in needed if "extra ==" not in requirement] == []


def test_the_library_is_imported_from_the_wheel_alone(image: Image, tmp_path: Path) -> None:
    """``-I -S``: no site-packages, no PYTHONPATH, not this checkout."""
    program = f"import sys; sys.path.insert(0, {str(image.wheel)!r}); import doorcard; "
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program + "print(doorcard.__file__, doorcard.__all__)"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(image.wheel))
