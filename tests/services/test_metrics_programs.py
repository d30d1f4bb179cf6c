"""Real programs tell of themselves over HTTP while real hands are played."""

from __future__ import annotations

import json
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from services.up_workers import ROLES, Workers, workers_running
from tests.services import aof
from tests.services.harness import settings_for
from tests.services.processes import finish, hands_in, running, services, until

CARD: Final = re.compile(r"\b[2-9TJQKA][cdhs]\b")


class Told(NamedTuple):
    """What every program of one evening told."""

    metrics: dict[str, str]
    ready: dict[str, dict[str, object]]
    tables: list[str]
    probes: list[int]
    code: int
    said: str


def free_ports(count: int) -> int:
    """The first of some ports in a row that nobody listens on."""
    for first in range(20_000, 30_000, count):
        with ExitStack() as stack:
            try:
                for port in range(first, first + count):
                    listener = stack.enter_context(socket.socket())
                    listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise AssertionError("no port is free")


def page(port: int, path: str) -> str:
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        body: bytes = answer.read()
        return body.decode()


def is_served(port: int) -> bool:
    try:
        return bool(page(port, "/healthz"))
    except URLError:
        return False


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    """A few hands by ``up``, which was told to give its workers metrics ports."""
    first = free_ports(len(ROLES))
    ports = {role: first + place for place, role in enumerate(ROLES)}
    with TemporaryDirectory(prefix="doorcard-") as parent:
        data = Path(parent) / "data"
        words = ("up", "--hands", "0", "--games", "razz,baseball", "--data", str(data))
        with running(*words, DOORCARD_METRICS_PORT=str(first)) as process:
            until(lambda: hands_in(data) > 5, process)
            until(lambda: all(map(is_served, ports.values())), process)
            metrics = {role: page(port, "/metrics") for role, port in ports.items()}
            ready = {role: json.loads(page(port, "/readyz")) for role, port in ports.items()}
            probes = [
                services("probe", DOORCARD_METRICS_PORT=str(port)).returncode
                for port in (ports["betting"], ports["clock"])
            ]
            code, said = finish(process, signal.SIGINT)
        yield Told(metrics, ready, list(aof.logs(data)), probes, code, said)


def samples(text: str, name: str) -> dict[str, float]:
    """The values of a metric by role."""
    return {
        sample.labels.get("role", ""): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name
    }


def test_every_program_is_ready_and_says_who_it_is(told: Told) -> None:
    for role, facts in told.ready.items():
        assert (facts["ready"], facts["role"], facts["why"]) == (True, role, [])
        assert samples(told.metrics[role], "doorcard_ready") == {role: 1.0}
    assert told.probes == [0, 0]


def test_the_workers_tell_of_their_commits(told: Told) -> None:
    for role in ("floor", "dealer", "betting", "showdown"):
        (commits,) = samples(told.metrics[role], "doorcard_commits_total").values()
        (ages,) = samples(told.metrics[role], "doorcard_message_age_seconds_count").values()
        assert commits > 0
        assert abs(ages - commits) <= 64, "a scrape may fall into a batch"
        assert samples(told.metrics[role], "process_cpu_seconds_total")[""] > 0


def test_the_clock_alone_tells_of_the_store(told: Told) -> None:
    assert set(samples(told.metrics["clock"], "doorcard_queue_messages")) == set(ROLES) - {"clock"}
    for role in set(ROLES) - {"clock"}:
        assert "doorcard_queue_messages" not in told.metrics[role]


def test_no_program_names_a_card_a_table_or_a_player(told: Told) -> None:
    assert len(told.tables) == 2
    for text in told.metrics.values():
        assert CARD.search(text) is None
        for secret in (*told.tables, "razz", "baseball", "bot-", "up-"):
            assert secret not in text


def test_watching_disturbs_nothing(told: Told) -> None:
    assert told.code == 0, told.said
    assert "problem" not in told.said
    assert "chains verified  2 of 2" in told.said


def test_up_gives_each_program_a_port_of_its_own_if_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, str | None]] = []

    def start(_: Workers, role: str, settings: dict[str, str]) -> None:
        started.append((role, settings.get("DOORCARD_METRICS_PORT")))

    monkeypatch.setattr(Workers, "start", start)
    with workers_running(tmp_path, settings_for(), "unix:///nowhere/s", 1):
        assert started == [(role, None) for role in ROLES]
    started.clear()
    with workers_running(tmp_path, settings_for(metrics_port=9400), "unix:///nowhere/s", 2):
        assert [int(port or 0) for _, port in started] == list(range(9400, 9409))


def test_a_program_whose_port_is_taken_does_not_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = services("floor", DOORCARD_METRICS_PORT=port)
    assert done.returncode == 2
    (line,) = [json.loads(text) for text in done.stderr.splitlines()]
    assert line["event"] == "cannot work"
    assert line["why"].startswith(f"metrics cannot be served on 127.0.0.1 port {port}: ")


def test_a_program_without_a_store_is_alive_but_not_ready() -> None:
    port = free_ports(1)
    settings = {"DOORCARD_METRICS_PORT": str(port), "DOORCARD_REDIS_URL": "unix:///nowhere/s"}
    with running("betting", **settings) as process:
        until(lambda: is_served(port), process)
        done = services("probe", **settings)
        assert done.returncode == 1
        assert "not prepared yet" in json.loads(done.stdout)["why"]
        assert json.loads(page(port, "/healthz"))["alive"] is True
        code, _ = finish(process, signal.SIGTERM)
    assert code == 0
