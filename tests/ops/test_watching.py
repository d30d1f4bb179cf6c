"""ops/prometheus and ops/grafana: they can be read, and ask for nothing that is not exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any, Final

import promql_parser as promql
import pytest
import yaml

from services.health import Health
from services.metrics import Meters
from services.metrics_export import WorkerCollector, registry_of
from tests.services.harness import House
from tests.services.metering import clock_collector
from tests.services.shops import ROLES, MemoryShop

OPS: Final = Path(__file__).resolve().parents[2] / "ops"
OF_PROMETHEUS: Final = frozenset({"up"})
"""Metrics that Prometheus makes itself."""
GRAFANAS: Final = {"$__rate_interval": "1m"}
"""What Grafana puts in place of its variables."""
WITH_LABELS: Final = frozenset({"instance", "job", "le"})
"""Labels that Prometheus adds, and that histograms have."""


@cache
def exported() -> Mapping[str, frozenset[str]]:
    """Every sample that a program exports, each with its labels."""
    house = House(MemoryShop())
    collectors = [
        WorkerCollector(house.workers[role], Meters(), Health(role, Event())) for role in ROLES
    ]
    found: dict[str, frozenset[str]] = {}
    for collector in (*collectors, clock_collector()):
        for family in registry_of(collector).collect():
            for sample in family.samples:
                found[sample.name] = frozenset(sample.labels) | found.get(sample.name, frozenset())
    return found


@cache
def alerts() -> list[dict[str, Any]]:
    """The alert rules."""
    groups = yaml.safe_load((OPS / "prometheus/alerts.yml").read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


@cache
def panels() -> list[dict[str, Any]]:
    """The panels of the dashboard that show something."""
    dashboard = json.loads((OPS / "grafana/doorcard.json").read_text("utf-8"))
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def asked_by_panels() -> list[str]:
    return [plain(target["expr"]) for panel in panels() for target in panel["targets"]]


def plain(expression: str) -> str:
    """An expression of the dashboard as Prometheus gets it."""
    for variable, value in GRAFANAS.items():
        expression = expression.replace(variable, value)
    return expression


def selectors(expression: str) -> list[tuple[str, frozenset[str]]]:
    """The metrics that an expression reads, each with the labels that it chooses by."""
    found: list[tuple[str, frozenset[str]]] = []

    def look(node: promql.Expr) -> bool:
        if isinstance(node, promql.VectorSelector):
            found.append((node.name or "", frozenset(m.name for m in node.matchers.matchers)))
        return True

    promql.walk(promql.parse(expression), look)
    return found


def labels_named(expression: str) -> set[str]:
    """The labels that an expression groups by or joins on."""
    lists = re.findall(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)", expression)
    return {name.strip() for names in lists for name in names.split(",") if name.strip()}


EXPRESSIONS: Final = [*(rule["expr"] for rule in alerts()), *asked_by_panels()]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_expression_is_promql_and_asks_for_what_there_is(expression: str) -> None:
    read = selectors(expression)
    assert read
    for name, chosen in read:
        assert name in exported().keys() | OF_PROMETHEUS
        assert chosen <= exported().get(name, frozenset()) | WITH_LABELS
    known = {label for name, _ in read for label in exported().get(name, ())}
    assert labels_named(expression) <= known | WITH_LABELS


@pytest.mark.parametrize(
    "broken", ["sum(doorcard_ready", "rate(doorcard_commits_total)", "sum by role (x) >", ""]
)
def test_a_broken_expression_is_found(broken: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        promql.parse(broken)


def test_the_reader_of_expressions_finds_every_metric_and_label() -> None:
    text = 'sum by (role) (rate(a_total{code="x"}[5m])) / on (role) b offset 1m > 0 or absent(c)'
    assert selectors(text) == [
        ("a_total", frozenset({"code"})),
        ("b", frozenset()),
        ("c", frozenset()),
    ]
    assert labels_named(text) == {"role"}


def test_every_metric_is_shown_or_watched() -> None:
    """What nobody looks at need not be exported. A histogram is shown by its buckets."""
    used = {name for expression in EXPRESSIONS for name, _ in selectors(expression)}
    ours = {name for name in exported() if name.startswith("doorcard_")}
    derived = {name for name in ours if name.endswith(("_sum", "_count"))}
    assert sorted(ours - derived - used) == []


def test_every_alert_says_what_it_must() -> None:
    names = [rule["alert"] for rule in alerts()]
    assert len(set(names)) == len(names)
    for rule in alerts():
        assert re.fullmatch(r"Doorcard([A-Z][a-z]+)+", rule["alert"])
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert re.fullmatch(r"[0-9]+m", rule.get("for", "1m"))
        summary = rule["annotations"]["summary"]
        assert summary.endswith(".")
        fields = set(re.findall(r"\$labels\.(\w+)", summary))
        assert fields <= labels_kept(rule["expr"]), rule["alert"]


def labels_kept(expression: str) -> set[str]:
    """Labels that an alert's result may have: those it is grouped by, or all of a plain one."""
    if "(" in expression:
        return labels_named(expression)
    return {label for name, _ in selectors(expression) for label in exported().get(name, ())} | {
        "instance"
    }


MUST: Final = (
    "dead_letters",
    "paused_tables",
    "oldest_age",
    "conflicts",
    "store_full",
    "ready",
    "message_age",
)


@pytest.mark.parametrize("what", MUST)
def test_what_must_be_watched_is_watched(what: str) -> None:
    assert [rule for rule in alerts() if what in rule["expr"]]


def test_every_alert_has_its_row_in_the_runbook_and_every_row_its_alert() -> None:
    section = (OPS / "runbook.md").read_text("utf-8").partition("## Alerts\n")[2]
    section = section.partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    assert [name for name, _, _ in rows] == [rule["alert"] for rule in alerts()]


def test_every_alert_is_tried_by_the_rule_tests() -> None:
    """``promtool test rules`` runs them; here, that they read the rules and expect each alert."""
    tests = yaml.safe_load((OPS / "prometheus/alerts_test.yml").read_text("utf-8"))
    assert tests["rule_files"] == ["alerts.yml"]
    quiet, loud = tests["tests"]
    assert quiet["promql_expr_test"][0]["exp_samples"] == []
    (expected,) = loud["promql_expr_test"]
    fired = {re.findall(r'"(\w+)"', sample["labels"])[0] for sample in expected["exp_samples"]}
    assert fired == {rule["alert"] for rule in alerts()}
    for series in [*quiet["input_series"], *loud["input_series"]]:
        for name, chosen in selectors(series["series"]):
            assert name in exported().keys() | OF_PROMETHEUS
            assert chosen <= exported().get(name, frozenset()) | WITH_LABELS


def test_prometheus_loads_the_alerts_and_names_every_role() -> None:
    settings = yaml.safe_load((OPS / "prometheus/prometheus.yml").read_text("utf-8"))
    assert settings["rule_files"] == ["alerts.yml"]
    jobs = [job["job_name"] for job in settings["scrape_configs"]]
    named = set(re.findall(r'job="(\w+)"', " ".join(EXPRESSIONS)))
    assert named == set(jobs) == {"doorcard"}
    missing = next(rule for rule in alerts() if rule["alert"] == "DoorcardRoleMissing")
    assert set(re.findall(r'role="(\w+)"', missing["expr"])) == {*ROLES, "clock"}


def test_the_dashboard_is_laid_out_without_gaps_and_overlaps() -> None:
    dashboard = json.loads((OPS / "grafana/doorcard.json").read_text("utf-8"))
    everything = dashboard["panels"]
    ids = [panel["id"] for panel in everything]
    assert len(set(ids)) == len(ids)
    cells = [cell for panel in everything for cell in _cells(panel["gridPos"])]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) == 23
    for panel in panels():
        assert panel["title"]
        assert panel["description"].endswith(".")
        assert {target["datasource"]["uid"] for target in panel["targets"]} == {"${datasource}"}


def _cells(place: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    for x in range(place["x"], place["x"] + place["w"]):
        for y in range(place["y"], place["y"] + place["h"]):
            yield x, y


def test_no_text_names_a_metric_that_is_not_exported() -> None:
    """A name in a description is as easily forgotten as one in an expression."""
    network = "doorcard_store"
    for path in (OPS / "prometheus/alerts.yml", OPS / "grafana/doorcard.json", OPS / "runbook.md"):
        named = set(re.findall(r"\bdoorcard_[a-z]\w+", path.read_text("utf-8")))
        assert named - {network} <= exported().keys()
