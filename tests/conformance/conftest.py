"""``--vectors FILE`` and ``--hands FILE``: try lines from outside instead of the core set.

Both options may be repeated. A line that needs something which the product does not have yet is
reported as unsupported, by name and with the reason, in a section of its own at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.lines import Line, Source, read_lines
from tests.conformance.support import Unsupported

CORE: Final = Path(__file__).parent / "core"
OPTIONS: Final[tuple[Source, Source]] = ("vector", "hand")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    for source in OPTIONS:
        group.addoption(
            f"--{source}s",
            action="append",
            default=[],
            metavar="FILE",
            help=f"try the {source}s in this file, one JSON object a line; may be repeated",
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "line" in metafunc.fixturenames:
        lines = _lines(metafunc.config)
        metafunc.parametrize("line", lines, ids=[line.id for line in lines])


def _lines(config: pytest.Config) -> list[Line]:
    files = _named_files(config) or [(path, "vector") for path in sorted(CORE.glob("*.jsonl"))]
    return [line for path, source in files for line in read_lines(path, source)]


def _named_files(config: pytest.Config) -> list[tuple[Path, Source]]:
    """The files named on the command line, or none: then the core set is tried."""
    here = config.invocation_params.dir
    # A run of the whole suite finds this file too late for its options, and has none then.
    found: list[tuple[Path, Source]] = []
    for source in OPTIONS:
        names: list[str] = config.getoption(f"{source}s", []) or []
        found.extend((here / name, source) for name in names)
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    error = call.excinfo.value if call.excinfo is not None else None
    if isinstance(error, Unsupported) and _is_line_from_outside(item):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"unsupported: {error.reason}")
        report.user_properties.append(("unsupported", f"{error.topic}: {error.reason}"))
    return report


def _is_line_from_outside(item: pytest.Item) -> bool:
    """Only there may anything be unsupported; in the core set it is a failure."""
    return (
        isinstance(item, pytest.Function)
        and "line" in item.fixturenames
        and bool(_named_files(item.config))
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    found = Counter(
        str(value)
        for report in terminalreporter.getreports("skipped")
        for name, value in report.user_properties
        if name == "unsupported"
    )
    if found:
        terminalreporter.section(f"unsupported: {found.total()} lines")
        for reason, count in sorted(found.items()):
            terminalreporter.line(f"unsupported {count:4} x {reason}")
