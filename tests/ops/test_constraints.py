"""requirements/constraints.txt: whatever is installed has one version, this year and next."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parents[2]
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS: Final[dict[str, list[str]]] = PROJECT["project"]["optional-dependencies"]


def lines() -> list[str]:
    text = (ROOT / "requirements/constraints.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def pins() -> dict[str, str]:
    """The version of each package, by its canonical name."""
    pairs = [line.split("==") for line in lines()]
    return {canonicalize_name(name): version for name, version in pairs}


def direct() -> list[Requirement]:
    """What the extras and the build name themselves."""
    named = [
        *PROJECT["build-system"]["requires"],
        *(text for some in EXTRAS.values() for text in some),
    ]
    return [Requirement(text) for text in named]


def test_each_line_is_a_name_and_an_exact_version() -> None:
    assert [line for line in lines() if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    assert len(pins()) == len(lines())


def test_everything_that_the_project_names_is_constrained_within_its_bounds() -> None:
    found = pins()
    for requirement in direct():
        assert requirement.specifier.contains(found[canonicalize_name(requirement.name)])


def test_everything_that_comes_with_it_is_constrained() -> None:
    waiting = direct()
    seen: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        seen.add(name)
        waiting += [
            needed for needed in _needs(requirement) if canonicalize_name(needed.name) not in seen
        ]
    assert sorted(seen - set(pins())) == []
    assert {"pydantic-core", "lupa", "packaging"} <= seen


def _needs(requirement: Requirement) -> list[Requirement]:
    """What a package needs on this Python; nothing is known of checkers that are not installed."""
    try:
        texts = metadata.requires(requirement.name) or []
    except metadata.PackageNotFoundError:
        return []
    extras = ["", *requirement.extras]
    found = [Requirement(text) for text in texts]
    return [
        needed
        for needed in found
        if needed.marker is None
        or any(needed.marker.evaluate({"extra": extra}) for extra in extras)
    ]


def test_the_library_itself_needs_nothing() -> None:
    assert PROJECT["project"]["dependencies"] == []
