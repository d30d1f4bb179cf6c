"""Every rule that exists here is cited by a test: by number in its docstring or name, or in a
line of the conformance set."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).resolve().parents[1]
RULES: Final[dict[str, tuple[int, ...]]] = {
    "R1": (1, 2, 3, 4, 5, 6),
    "R2": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
    "R3": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    "R4": (1, 2, 3, 4, 5),
    "R5": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    "R6": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
    "R7": (1, 2, 3, 4, 5, 6, 7, 8, 9),
    "R8": (1, 2, 3, 4, 5, 6, 7),
    "R9": (1, 2, 3, 4, 5, 6, 7, 8),
    "R10": (1, 2, 3, 4, 5, 6, 7),
    "R11": (1, 2, 3, 4, 5, 6, 7),
    "R12": (1, 2, 3, 4, 5, 6, 7, 8, 9),
    "R13": (1, 2, 3, 4, 5),
    "R14": (1, 2, 3, 4, 5, 6, 7, 8, 9),
    "R15": (1, 2, 3, 4, 5, 6, 7, 8),
    "R16": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
    "R17": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    "R18": (1, 2, 3, 4, 5, 6, 7, 8, 9),
    "R19": (1, 2, 3, 4, 5),
}
"""Every numbered rule; R20 lists the switches, which have tests of their own, and R21 explains."""
ALL: Final = [f"{chapter}.{number}" for chapter, numbers in RULES.items() for number in numbers]
CITED: Final = re.compile(r"\bR(\d+)\.(\d+)\b")


def cited(texts: Iterator[str]) -> set[str]:
    """Rule numbers in some texts."""
    return {f"R{match[1]}.{match[2]}" for text in texts for match in CITED.finditer(text)}


@cache
def all_cited() -> frozenset[str]:
    """Every rule number cited."""
    return frozenset(cited(engine_texts()) | cited(core_texts()))


def engine_texts() -> Iterator[str]:
    """Docstrings of the tests of the engine."""
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path.name != Path(__file__).name:
            yield from docstrings(path.read_text("utf-8"))


def docstrings(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield ast.get_docstring(node) or ""


def core_texts() -> Iterator[str]:
    """Rules named by the lines of the conformance set."""
    for path in sorted((TESTS / "conformance" / "core").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield " ".join(json.loads(line)["rules"])


@pytest.mark.parametrize("rule", ALL)
def test_the_rule_is_cited(rule: str) -> None:
    assert rule in all_cited()


def test_only_rules_that_exist_are_cited() -> None:
    numbers = {f"R{chapter}" for chapter in range(1, 22)}
    unknown = {rule for rule in cited(engine_texts()) if rule.split(".")[0] not in numbers}
    assert not unknown


def test_a_missing_rule_would_be_found() -> None:
    assert "R99.1" not in all_cited()
    assert cited(iter(["see R5.15, R12.1 and R3"])) == {"R5.15", "R12.1"}
    assert list(docstrings('def test_a():\n    """R1.1"""\n\ndef b():\n    """R1.2"""\n')) == [
        "R1.1"
    ]
