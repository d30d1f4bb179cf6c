"""Every numbered rule of the game is cited by the number in a test that tries it.

The numbers are typed here once more, so that a rule cannot be lost together with its last test.
R20 lists the switches, which have tests by name, and R21 explains; neither asks for anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).resolve().parents[1]
LAST: Final = {
    "R1": 6, "R2": 11, "R3": 12, "R4": 5, "R5": 15, "R6": 11, "R7": 9, "R8": 7, "R9": 8,
    "R10": 7, "R11": 7, "R12": 9, "R13": 5, "R14": 9, "R15": 8, "R16": 13, "R17": 10,
    "R18": 9, "R19": 5,
    "G1": 3, "G5": 3, "G6": 3, "G8": 1, "G9": 2, "G10": 8, "G11": 6, "G12": 5,
    "K1": 5, "K2": 9, "K3": 5, "K4": 2, "K5": 3, "K6": 3, "K7": 3, "K8": 2, "K9": 2,
}  # fmt: skip
"""The last number of every chapter; each begins with 1 and leaves none out."""
EXPLAINED: Final = {"R21": 15}
"""Chapters that may be cited and need not be."""
RULES: Final = [f"{chapter}.{n}" for chapter, last in LAST.items() for n in range(1, last + 1)]
CITED: Final = re.compile(r"(?<![A-Za-z0-9])([RGK])(\d+)[._](\d+)(?!\d)", re.IGNORECASE)
"""``R2.3`` in words, ``r2_3`` in names."""


def cited(text: str) -> set[str]:
    """The rule numbers in a text."""
    return {f"{kind.upper()}{chapter}.{n}" for kind, chapter, n in CITED.findall(text)}


def bodies(source: str) -> Iterator[str]:
    """The text of each test of a file: decorators, name, docstring, body."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            node.name.startswith("test_")
        ):
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
            yield "\n".join(lines[first - 1 : node.end_lineno])


@cache
def citations(folder: Path) -> Mapping[str, frozenset[str]]:
    """For every rule the files whose tests cite it; the files that list the rules do not count."""
    found: dict[str, frozenset[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        if path.name == Path(__file__).name:
            continue
        for rule in cited("\n".join(bodies(path.read_text("utf-8")))):
            found[rule] = found.get(rule, frozenset()) | {path.name}
    return found


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_is_cited_by_a_test(rule: str) -> None:
    assert rule in citations(TESTS), f"no test cites {rule}"


def test_no_rule_is_cited_that_does_not_exist() -> None:
    explained = {
        f"{chapter}.{n}" for chapter, last in EXPLAINED.items() for n in range(1, last + 1)
    }
    known = explained.union(RULES)
    assert not {rule: files for rule, files in citations(TESTS).items() if rule not in known}


def test_every_number_is_listed_once() -> None:
    assert len(set(RULES)) == len(RULES) == 231


def test_numbers_are_found_in_words_and_names() -> None:
    text = "R2.3, see g10_8 and test_r5_15_bring_in (K1.2); not R20, xR1.1, S-02 or 1.2.3"
    assert cited(text) == {"R2.3", "G10.8", "R5.15", "K1.2"}
    assert cited("def test_it(): ...  # R15.7") == {"R15.7"}
    assert cited("R1.12") == {"R1.12"}


def test_only_what_stands_in_a_test_counts() -> None:
    source = '"""R1.1"""\n# R1.2\ndef kit():\n    """R1.3"""\n\n@mark("R1.4")\ndef test_x():\n'
    source += '    """R1.5."""\n    pass  # R1.6\n'
    assert set[str]().union(*map(cited, bodies(source))) == {"R1.4", "R1.5", "R1.6"}


@pytest.mark.parametrize("rule", ["R1.1", "R5.15", "G12.4", "K9.2"])
def test_a_rule_without_a_citation_is_missed(rule: str, tmp_path: Path) -> None:
    """Tests that cite all rules, then all but one; the lists of rules make up for nothing."""
    whole, lacking = tmp_path / "whole", tmp_path / "lacking"
    for folder, rules in ((whole, RULES), (lacking, [one for one in RULES if one != rule])):
        folder.mkdir()
        text = f'def test_them():\n    """{", ".join(rules)}."""\n'
        (folder / "test_them.py").write_text(text, "utf-8")
        (folder / Path(__file__).name).write_text(f'def test_it():\n    """{rule}."""\n', "utf-8")
    assert set(RULES) == set(citations(whole))
    assert set(RULES) - set(citations(lacking)) == {rule}
