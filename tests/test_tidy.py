"""Short functions and files, sorted and complete exports, and clean text everywhere."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import doorcard

ROOT: Final = Path(__file__).resolve().parents[1]
FUNCTION_LINES_MAX: Final = 70
FILE_LINES_MAX: Final = 400
NOT_TEXT: Final = frozenset({".aof", ".bin", ".png"})
NOT_OURS: Final = frozenset({"__pycache__", "build", "dist", "secrets"})
LEFT_OVER: Final = {
    "a path of one machine": r"(?<![\w.-])/w[o]rk/",
    "a package registry's host": r"p[y]pi\.org|python[h]osted|npm[j]s\.|deb\.[d]ebian",
    "work put off": r"\b(T[O]DO|FI[X]ME|X[X]X)\b",
    "a test that does not run": r"pytest\.(mark\.)?(sk[i]p|x[f]ail|importor[s]kip)",
}
"""Patterns, written so that they do not find themselves."""


@pytest.mark.parametrize("text", ["pass\n" * 400, "def act():\n" + "    pass\n" * 69])
def test_short_code_is_let_through(text: str) -> None:
    assert list(too_long(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "pass\n" * 401,
        "def act():\n" + "    pass\n" * 70,
        "async def act():\n" + "    pass\n" * 70,
        "class Seat:\n    def act():\n" + "        pass\n" * 70,
    ],
)
def test_long_code_is_found(text: str) -> None:
    assert list(too_long(text))


def test_functions_and_files_are_short() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{flaw}"
        for path in texts()
        if path.suffix == ".py"
        for flaw in too_long(path.read_text("utf-8"))
    ]
    assert not found, "\n".join(found)


def too_long(text: str) -> Iterator[str]:
    """Say what is too long in a Python file."""
    lines = text.count("\n")
    if lines > FILE_LINES_MAX:
        yield f"1: the file has {lines} lines, more than {FILE_LINES_MAX}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                yield f"{node.lineno}: {node.name} has {lines} lines, not {FUNCTION_LINES_MAX}"


@cache
def texts() -> tuple[Path, ...]:
    """Every text file of the project; what is hidden, generated or secret is not part of it."""
    found: list[Path] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name
            for name in folders
            if name == ".ci" or not (name.startswith(".") or name in NOT_OURS)
        ]
        found += [Path(folder, name) for name in names if Path(name).suffix not in NOT_TEXT]
    return tuple(sorted(found))


def test_the_front_door_lists_its_names_sorted_and_completely() -> None:
    listed = doorcard.__all__
    assert sorted(listed, key=_constants_then_classes) == list(listed)
    assert len(set(listed)) == len(listed)
    assert [name for name in listed if not hasattr(doorcard, name)] == []
    assert sorted(_bound_names(ROOT / "shared/doorcard/__init__.py") - set(listed)) == []


def _constants_then_classes(name: str) -> tuple[int, str]:
    """The order that the linter sorts exports in: ``CARDS``, then ``Card``, then ``fold``."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _bound_names(path: Path) -> set[str]:
    """Public names that a module's own statements bind."""
    names: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom | ast.Import) and _module(node) != "__future__":
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return {name for name in names if not name.startswith("_")}


def _module(node: ast.Import | ast.ImportFrom) -> str | None:
    return node.module if isinstance(node, ast.ImportFrom) else None


def flaws(data: bytes) -> list[str]:
    """What is wrong with a text file, whatever it holds."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"is not UTF-8: {error}"]
    found = [f"names {what}" for what, pattern in LEFT_OVER.items() if re.search(pattern, text)]
    if "\r" in text:
        found.append("has carriage returns")
    if re.search(r"[ \t]$", text, re.MULTILINE):
        found.append("has spaces at a line's end")
    if text and not text.endswith("\n"):
        found.append("does not end its last line")
    return found


def test_every_text_is_clean() -> None:
    found = [
        f"{path.relative_to(ROOT)} {flaw}" for path in texts() for flaw in flaws(path.read_bytes())
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe",
        b"a \n",
        b"a\t\nb\n",
        b"a\r\n",
        b"a",
        b"see /wo" + b"rk/notes\n",
        b"index: https://py" + b"pi.org/simple\n",
        b"# TO" + b"DO later\n",
        b"@pytest.mark.sk" + b"ip\n",
    ],
)
def test_unclean_text_is_found(data: bytes) -> None:
    assert flaws(data)
