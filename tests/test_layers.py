"""Imports run one way, the rules are pure, the reducer alone changes state, games are data.

Each rule reads one file and says what is wrong in it. The rules are tried on small samples too,
so that a rule which no longer sees anything fails.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import pytest

from doorcard.games import GAMES

ROOT: Final = Path(__file__).resolve().parents[1]

LAYERS: Final = (
    "errors", "cards", "rankings", "limits", "games", "tables", "commands",
    "event_types", "events", "engine",
    "fairness", "views", "bots", "local", "formats", "streams", "audit", "client", "testing",
    "bench", "cli",
)  # fmt: skip
"""Packages and modules of doorcard: each imports only what stands to the left of it."""
PURE: Final = LAYERS[: LAYERS.index("engine") + 1]
"""No clock, no randomness, no I/O and no third-party package in these."""
PURE_STDLIB: Final = frozenset({
    "__future__", "abc", "bisect", "collections", "dataclasses", "enum", "fractions", "functools",
    "itertools", "math", "operator", "types", "typing",
})  # fmt: skip
IMPURE_CALLS: Final = frozenset({"open", "input", "print", "breakpoint", "__import__"})

WRITERS: Final = re.compile(r"shared/doorcard/(engine/(reducer\w*|table|hand|player)|testing)\.py")
"""The only files that change a table, a hand or a player; testing makes up tables of its own."""
MEMOS: Final = frozenset({("shared/doorcard/engine/legal.py", "hand.options")})
"""Kept beside the state but no part of it: the answer of a pure function, worked out once."""
STATE_NAMES: Final = frozenset({"table", "hand", "player", "seat", "draft", "players", "seats"})
SETTERS: Final = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
CHANGING_METHODS: Final = frozenset({
    "add", "append", "clear", "discard", "extend", "insert", "pop", "popitem", "remove",
    "reverse", "setdefault", "sort", "update",
})  # fmt: skip


class Source:
    """One Python file, and where it stands in the project."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @property
    def package(self) -> list[str]:
        """The names of the package that relative imports start from."""
        return list(Path(self.path.removeprefix("shared/")).with_suffix("").parts[:-1])

    @property
    def layer(self) -> str | None:
        """Where a module of doorcard belongs: ``engine``. None for the front door and others."""
        parts = Path(self.path.removeprefix("shared/")).with_suffix("").parts
        return parts[1] if parts[0] == "doorcard" and parts[1] != "__init__" else None

    @property
    def is_program(self) -> bool:
        """Whether it is the library or a service: not a test."""
        return self.path.startswith(("shared/", "services/"))

    @cached_property
    def imports(self) -> list[tuple[int, list[str]]]:
        """Line and dotted name of everything imported; a submodule is named like any name."""
        found: list[tuple[int, list[str]]] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found += [(node.lineno, alias.name.split(".")) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = self.package[: len(self.package) + 1 - node.level] if node.level else []
                base = base + (node.module.split(".") if node.module else [])
                found += [(node.lineno, [*base, alias.name]) for alias in node.names]
        return found


Finding = tuple[int, str]
Rule = Callable[[Source], Iterator[Finding]]


def the_library_is_called_doorcard(source: Source) -> Iterator[Finding]:
    for line, name in source.imports:
        if name[0] == "shared":
            yield line, "imports shared: every class would exist twice"


def imports_run_one_way(source: Source) -> Iterator[Finding]:
    if not source.path.startswith("shared/"):
        return
    if source.layer is not None and source.layer not in LAYERS:
        yield 1, f"doorcard.{source.layer} has no place in LAYERS"
        return
    for line, name in source.imports:
        if name[0] == "services":
            yield line, "the library imports services"
        elif name[0] == "doorcard" and source.layer is not None:
            yield from _upward(line, source.layer, name[1] if len(name) > 1 else "")


def _upward(line: int, mine: str, theirs: str) -> Iterator[Finding]:
    if theirs not in LAYERS:
        yield line, f"imports {theirs or 'doorcard'} through the front door, or from nowhere"
    elif LAYERS.index(theirs) > LAYERS.index(mine):
        yield line, f"{mine} imports {theirs}, which stands above it"


def rules_are_pure(source: Source) -> Iterator[Finding]:
    if source.layer not in PURE:
        return
    for line, name in source.imports:
        if name[0] != "doorcard" and name[0] not in PURE_STDLIB:
            yield line, f"imports {name[0]}, which is not on the list of pure modules"
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in IMPURE_CALLS
        ):
            yield node.lineno, f"calls {node.func.id}"


def only_the_reducer_changes_state(source: Source) -> Iterator[Finding]:
    if not source.is_program or WRITERS.fullmatch(source.path):
        return
    for line, names in _changes(source.tree):
        owners = names[:-1]
        if (source.path, ".".join(names)) in MEMOS:
            continue
        if source.layer == "engine" and owners != ["self"]:
            yield line, "changes a record; in the engine only the reducer may"
        elif STATE_NAMES.intersection(owners):
            yield line, f"changes {'.'.join(names)}; only the reducer may"


def _changes(tree: ast.Module) -> Iterator[tuple[int, list[str]]]:
    """Line and names of each attribute that is set, or whose contents are changed in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.lineno, _names(node)
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            names = _names(node.value)
            if len(names) > 1:
                yield node.lineno, names
        elif isinstance(node, ast.Call):
            called = _names(node.func)
            if called[-1] in SETTERS and node.args:
                yield node.lineno, [*_names(node.args[0]), "?"]
            elif called[-1] in CHANGING_METHODS and len(called) > 2:
                yield node.lineno, called[:-1]


def _names(node: ast.expr) -> list[str]:
    """``table.hand.players[0].bet`` as its names; what is not a name is ``?``."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [*_names(node.value), node.attr]
    if isinstance(node, ast.Subscript):
        return _names(node.value)
    return ["?"]


SHARED_NAMES: Final = frozenset({"soko", "high_chicago", "low_chicago"})
"""Names of rankings and splits too, which the rules do speak of; as games they are still found
wherever a game stands on the other side."""


def games_are_data(source: Source) -> Iterator[Finding]:
    if not source.is_program or source.layer == "games":
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            values = [value for side in sides for value in _members(side)]
            about_game = any(map(_is_game, sides))
            if any(_is_game_id(value) or (about_game and _is_fixed(value)) for value in values):
                yield node.lineno, "asks which game it is; ask the game's value instead"
        elif isinstance(node, ast.MatchValue) and _is_game_id(node.value):
            yield node.lineno, "matches on which game it is; ask the game's value instead"


def _members(node: ast.expr) -> list[ast.expr]:
    """What a display holds; anything else is itself, so ``GAMES`` stays one name."""
    return node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]


def _is_game(node: ast.expr) -> bool:
    names = _names(node)
    return names[-1] in {"game", "game_id"} or (names[-1] in {"id", "name"} and "game" in names)


def _is_game_id(node: ast.expr) -> bool:
    """The id of a game, or the name of its constant: ``"razz"``, ``RAZZ``, ``games.RAZZ``."""
    ids = GAMES.keys() - SHARED_NAMES
    if isinstance(node, ast.Constant):
        return node.value in ids
    return _names(node)[-1] in {game_id.upper() for game_id in ids}


def _is_fixed(node: ast.expr) -> bool:
    """Any other text, which a game could be compared with before it is in ``GAMES``."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != ""


RULES: Final[tuple[Rule, ...]] = (
    the_library_is_called_doorcard,
    imports_run_one_way,
    rules_are_pure,
    only_the_reducer_changes_state,
    games_are_data,
)


@cache
def sources() -> tuple[Source, ...]:
    """Every Python file of the library, the services and the tests."""
    paths = [path for top in ("shared", "services", "tests") for path in (ROOT / top).rglob("*.py")]
    return tuple(
        Source(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in sorted(paths)
    )


@pytest.mark.parametrize("rule", RULES)
def test_every_file_keeps_the_rule(rule: Rule) -> None:
    found = [f"{source.path}:{line}: {what}" for source in sources() for line, what in rule(source)]
    assert not found, "\n".join(found)


ENGINE = "shared/doorcard/engine/legal.py"
REDUCER = "shared/doorcard/engine/reducer_hand.py"
VIEWS = "shared/doorcard/views/seat.py"


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (the_library_is_called_doorcard, "services/a.py", "from shared.doorcard import cards"),
        (the_library_is_called_doorcard, "tests/test_a.py", "import shared"),
        (imports_run_one_way, ENGINE, "from doorcard.views import seat"),
        (imports_run_one_way, ENGINE, "from doorcard import views"),
        (imports_run_one_way, ENGINE, "from .. import fairness"),
        (imports_run_one_way, ENGINE, "def late():\n    import doorcard.streams.codec"),
        (imports_run_one_way, ENGINE, "from doorcard import Card"),
        (imports_run_one_way, VIEWS, "from services import settings"),
        (imports_run_one_way, "shared/doorcard/__init__.py", "import services.settings"),
        (imports_run_one_way, "shared/doorcard/novelty.py", ""),
        (rules_are_pure, ENGINE, "import time"),
        (rules_are_pure, ENGINE, "from os import path"),
        (rules_are_pure, "shared/doorcard/cards.py", "def late():\n    import redis"),
        (rules_are_pure, ENGINE, "open('log')"),
        (only_the_reducer_changes_state, ENGINE, "anything.stack = 3"),
        (only_the_reducer_changes_state, ENGINE, "anything.stack += 3"),
        (only_the_reducer_changes_state, ENGINE, "first, anything.stack = 1, 2"),
        (only_the_reducer_changes_state, ENGINE, "del anything.stack"),
        (only_the_reducer_changes_state, ENGINE, "anything.up[0] = 3"),
        (only_the_reducer_changes_state, ENGINE, "anything.players.append(3)"),
        (only_the_reducer_changes_state, ENGINE, "object.__setattr__(anything, 'bet', 3)"),
        (only_the_reducer_changes_state, VIEWS, "table.hand.pot = 3"),
        (only_the_reducer_changes_state, VIEWS, "hand.players[0].bet = 3"),
        (only_the_reducer_changes_state, "services/a.py", "setattr(table, 'seq', 3)"),
        (games_are_data, ENGINE, "game.id == 'razz_of_tomorrow'"),
        (games_are_data, ENGINE, "spec.game in ('one', 'other')"),
        (games_are_data, ENGINE, "what != 'razz'"),
        (games_are_data, ENGINE, "what is games.RAZZ"),
        (games_are_data, VIEWS, "RAZZ == what"),
        (games_are_data, "services/a.py", "match what:\n    case 'razz':\n        pass"),
    ],
)
def test_the_rule_finds_what_it_forbids(rule: Rule, path: str, text: str) -> None:
    assert list(rule(Source(path, text)))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (REDUCER, "hand.players[0].bet = 3\nhand.players.append(3)"),
        (ENGINE, "self.work = 3\nevents.append(3)\ncounts['a'] = 3"),
        (VIEWS, "self.table = fold(self.table)\nself.seat = seat\nwindow.width = 3"),
        (ENGINE, "game in GAMES\ngame is None\ngame.id == other.id\nkind == 'low'"),
        (ENGINE, "from . import reducer\nfrom doorcard.engine.table import Table\nimport math"),
        ("services/a.py", "import time\nfrom doorcard import Card, views"),
    ],
)
def test_the_rules_allow_what_is_right(path: str, text: str) -> None:
    assert [list(rule(Source(path, text))) for rule in RULES] == [[]] * len(RULES)


def test_importing_the_library_loads_the_standard_library_alone() -> None:
    program = (
        "import sys; before = set(sys.modules); import doorcard; "
        "print(*{name.split('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT / "shared",
        check=True,
        capture_output=True,
        text=True,
    )
    loaded = set(done.stdout.split())
    assert "doorcard" in loaded
    assert loaded - sys.stdlib_module_names == {"doorcard"}


def test_what_seals_and_opens_is_loaded_by_nobody_who_has_no_key() -> None:
    """It would take seven megabytes of every betting worker and clock; rich takes four, and
    OpenTelemetry two and a half, which is loaded for traces alone."""
    dear = ("cryptography.hazmat", "rich", "opentelemetry")
    program = "import sys, services.__main__, services.logs, services.roles; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "shared")},
        check=True,
        capture_output=True,
        text=True,
    )
    loaded = set(done.stdout.split())
    assert "doorcard.engine.betting" in loaded
    assert "doorcard.fairness.sealing" not in loaded
    assert not [name for name in loaded if name.startswith(dear)]
