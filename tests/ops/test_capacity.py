"""ops/capacity.md: whatever it names is there, and its example is reckoned from its own figures."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from typer.main import get_command

from doorcard.bench.runs import BENCHES
from doorcard.cli.app import make_app
from services.__main__ import app as services_app
from services.metrics_export import HELP
from services.settings import Settings

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "ops/capacity.md").read_text("utf-8")
CODE: Final = re.findall(r"`([^`\n]+)`", PAGE)
MAKERS: Final = {"Figure", "_p99"}
"""What makes a figure in the benches; its name is among the first words that it is given."""
PROGRAMS: Final = {"doorcard": make_app(), "python -m services": services_app}


def _commands() -> list[str]:
    """Every command: a line of a shell block, or one in the middle of a sentence."""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    lines = [re.sub(r"\s+#.*", "", line) for block in blocks for line in block.splitlines()]
    spoken = [text for text in CODE if text.startswith(tuple(f"{name} " for name in PROGRAMS))]
    return list(dict.fromkeys(lines + spoken))


def _rows() -> list[list[str]]:
    """The cells of every row of every table."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@cache
def _measured() -> tuple[re.Pattern[str], ...]:
    """The names of all figures of the benches, as patterns: some are put together."""
    names: list[ast.expr] = []
    for path in (ROOT / "shared/doorcard/bench").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and ast.unparse(node.func) in MAKERS:
                names += [
                    each for each in node.args if isinstance(each, ast.Constant | ast.JoinedStr)
                ]
    return tuple(re.compile("".join(_pattern(name))) for name in names)


def _pattern(name: ast.expr) -> Iterator[str]:
    for part in name.values if isinstance(name, ast.JoinedStr) else [name]:
        if isinstance(part, ast.Constant):
            yield re.escape(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            yield "[a-z]+"


@pytest.mark.parametrize("command", _commands())
def test_every_command_and_each_of_its_options_exists(command: str) -> None:
    (name,) = [name for name in PROGRAMS if command.startswith(f"{name} ")]
    word, *words = shlex.split(command.removeprefix(name))
    group: Any = get_command(PROGRAMS[name])
    options = {option for parameter in group.commands[word].params for option in parameter.opts}
    assert {each for each in words if each.startswith("--")} <= options
    if word == "bench" and not words[0].startswith("--"):
        assert words[0] in BENCHES


def test_every_bench_that_measures_the_service_is_named() -> None:
    named = {shlex.split(each)[2] for each in _commands() if each.startswith("doorcard bench ")}
    assert named >= {"service", "store", "load", "fold"}


def test_every_figure_is_one_that_a_bench_measures() -> None:
    cells = [cell for row in _rows() for cell in row if re.fullmatch(r"(`[a-z0-9_]+`(, )?)+", cell)]
    figures = re.findall(r"`([a-z0-9_]+)`", " ".join(cells))
    assert len(figures) > 20
    for name in (*figures, "pokerkit_operations_per_s", "p50_ms", "p99_ms", "top_p99_ms"):
        assert any(pattern.fullmatch(name) for pattern in _measured()), name


def test_every_setting_exists_with_the_default_that_is_told() -> None:
    named = set(re.findall(r"DOORCARD_([A-Z_]+)", PAGE))
    assert {name.lower() for name in named} <= Settings.model_fields.keys()
    assert "partitions" in {name.lower() for name in named}
    told = re.findall(r"`DOORCARD_([A-Z_]+)` \(([0-9,]+)\)", PAGE)
    settings = Settings(redis_url="redis://store:6379/0")
    defaults = {
        "LINGER_MS": settings.linger_of("betting"),
        "DEAL_LINGER_MS": settings.linger_of("dealer"),
        "CACHE_TABLES": settings.cache_tables,
    }
    assert {name: int(text.replace(",", "")) for name, text in told} == defaults


def test_every_metric_and_every_file_exists() -> None:
    metrics = set(re.findall(r"`doorcard_([a-z_]+)`", PAGE))
    assert metrics
    assert metrics <= HELP.keys()
    files = {text for text in CODE if re.fullmatch(r"(ops|tests)/[a-z/_.]+", text)}
    assert files
    assert all((ROOT / name).is_file() for name in files)
    assert "auto-aof-rewrite-percentage" in (ROOT / "ops/redis.conf").read_text("utf-8")


def test_the_example_is_reckoned_from_the_figures_above_it() -> None:
    cells = {row[0]: row for row in _rows()}
    share_us = {name: _number(cells[name][1]) for name in ("store", "betting", "dealer")}
    for name, value in share_us.items():
        assert _number(cells[name][3]) == pytest.approx(1e6 / value, rel=0.03)
    hands = 2_000 * 30
    actions_s = hands / 3600 * 41
    assert _number(cells["actions"][2]) == pytest.approx(actions_s, rel=0.03)
    few_us = _number(cells["600 actions a second, 48 tables"][1])
    assert _number(cells["CPU"][2]) == pytest.approx(actions_s * few_us / 1e6, rel=0.05)
    a_hand = cells["a hand in the store, for as long as its log is kept"][1]
    bytes_a_hand = float(a_hand.split()[-1].replace(",", ""))
    gigabytes = _number(cells["memory of the store"][2])
    assert gigabytes == pytest.approx(hands * bytes_a_hand / 1e9, rel=0.05)
    file_kb = float(cells["a hand in the append-only file, until it is rewritten"][1].split()[-2])
    assert _number(cells["append-only file"][2]) == pytest.approx(hands * file_kb / 1e6, rel=0.05)


@pytest.mark.parametrize(("column", "players"), [(1, 1_000), (2, 100_000), (3, 1_000_000)])
def test_the_three_sizes_are_reckoned_from_the_figures_above_them(
    column: int, players: int
) -> None:
    cells = {row[0]: row for row in _rows()}
    assert int(cells["players at once"][column].replace(",", "")) == players
    tables, hands_s = players / 6, players / 6 * 30 / 3600
    reckoned = {
        "tables": tables,
        "hands a second": hands_s,
        "actions a second": hands_s * 41,
        "memory of the store that stays": tables * (47 * 6.8 + 6.2) / 1e6,
        "memory of the store an hour": hands_s * 3600 * 6.8 / 1e6,
        "append-only file grows by": hands_s * 28 / 1e3,
        "archiving takes": hands_s * 3.4 / 1e3,
        "network of the store, each way": hands_s * 41 * 1.1 / 1e3,
    }
    if players > 1_000:
        reckoned["cores for everything"] = hands_s * 41 * 265 * 1.4 / 1e6
        reckoned["cores of them for the store"] = hands_s * 41 * 81 * 1.4 / 1e6
    for name, value in reckoned.items():
        assert _number(cells[name][column]) == pytest.approx(value, rel=0.15 if value < 1 else 0.05)


def _number(cell: str) -> float:
    """The first number of a cell."""
    found = re.search(r"[0-9][0-9,.]*", cell)
    assert found is not None, cell
    return float(found[0].replace(",", ""))
