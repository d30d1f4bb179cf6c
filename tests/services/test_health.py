"""Liveness and readiness: what a program says of itself over HTTP."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from threading import Event
from typing import Any, NamedTuple

import pytest
from prometheus_client import CollectorRegistry

from doorcard.errors import BadInput
from services.health import ALIVE_TURN_S, READY_TURN_S, Health, probe
from services.metrics_server import serving
from tests.services.harness import settings_for
from tests.services.metering import clock_collector


class Program(NamedTuple):
    """A program whose loop, and whose time, a test turns."""

    health: Health
    stop: Event
    time: list[float]
    stuck: list[bool]
    port: int

    def ask(self, path: str, method: str = "GET") -> tuple[int, str, bytes]:
        """(status, content type, body) of a page."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path)
        answer = connection.getresponse()
        found = answer.status, answer.getheader("Content-Type") or "", answer.read()
        connection.close()
        return found

    def says(self, path: str) -> tuple[int, dict[str, Any]]:
        """Status and facts of a health page."""
        status, kind, body = self.ask(path)
        assert kind == "application/json"
        return status, json.loads(body)


@pytest.fixture
def program() -> Iterator[Program]:
    time, stuck, stop = [100.0], [False], Event()
    health = Health("betting", stop, lambda: time[0])
    health.stuck = lambda: stuck[0]
    registry = CollectorRegistry()
    registry.register(clock_collector())
    with serving("127.0.0.1", 0, registry, health) as port:
        yield Program(health, stop, time, stuck, port)


def test_it_is_alive_at_once_and_ready_after_a_good_turn(program: Program) -> None:
    assert program.says("/healthz") == (200, {"alive": True, "role": "betting", "turn_age_s": 0})
    status, facts = program.says("/readyz")
    assert (status, facts["why"]) == (503, ["not prepared yet"])
    program.health.turned(None)
    status, facts = program.says("/readyz")
    assert (status, facts.pop("why")) == (200, [])
    assert facts == {"ready": True, "role": "betting", "turn_age_s": 0.0}


def test_it_is_not_ready_while_the_store_is_away_but_alive(program: Program) -> None:
    program.health.turned(None)
    program.health.turned(ConnectionError())
    status, facts = program.says("/readyz")
    assert (status, facts["why"]) == (503, ["the store does not answer as it should"])
    assert program.says("/healthz")[0] == 200
    program.health.turned(None)
    assert program.says("/readyz")[0] == 200
    assert program.health.failures == 1


def test_it_is_not_ready_while_the_store_takes_no_writes(program: Program) -> None:
    program.stuck[0] = True
    program.health.turned(None)
    assert program.says("/readyz")[1]["why"] == ["the store takes no writes"]
    program.stuck[0] = False
    program.health.turned(None)
    assert program.says("/readyz")[1]["ready"] is True


def test_in_the_middle_of_a_batch_it_is_as_it_was(program: Program) -> None:
    """A worker counts as stuck until its batch has gone well; nobody is told so meanwhile."""
    program.health.turned(None)
    program.stuck[0] = True
    assert program.says("/readyz")[0] == 200


def test_a_loop_that_stands_still_is_not_ready_and_after_long_not_alive(program: Program) -> None:
    program.health.turned(None)
    program.time[0] += READY_TURN_S + 0.1
    assert program.says("/readyz")[1]["why"] == ["the last turn was too long ago"]
    assert program.says("/healthz")[0] == 200
    program.time[0] += ALIVE_TURN_S
    status, facts = program.says("/healthz")
    assert (status, facts["alive"]) == (503, False)
    assert facts["turn_age_s"] == pytest.approx(READY_TURN_S + 0.1 + ALIVE_TURN_S)


def test_it_is_not_ready_while_it_stops(program: Program) -> None:
    program.health.turned(None)
    program.stop.set()
    assert program.says("/readyz")[1]["why"] == ["stopping"]


def test_metrics_are_on_a_page_of_their_own(program: Program) -> None:
    status, kind, body = program.ask("/metrics")
    assert status == 200
    assert kind.startswith("text/plain")
    assert b'doorcard_dead_letters{partition="p00"} 1.0' in body


def test_other_pages_say_what_there_is(program: Program) -> None:
    for path in ("/", "/metrics/", "/readyz/x", "/favicon.ico"):
        status, facts = program.says(path)
        assert (status, facts) == (404, {"there are": ["/healthz", "/metrics", "/readyz"]})


def test_a_client_that_says_nothing_holds_up_nobody(program: Program) -> None:
    with (
        socket.create_connection(("127.0.0.1", program.port)),
        socket.create_connection(("127.0.0.1", program.port)) as half,
    ):
        half.sendall(b"GET /rea")
        assert program.says("/healthz")[0] == 200


def test_a_port_that_is_taken_is_said_in_one_sentence(program: Program) -> None:
    with (
        pytest.raises(BadInput, match=r"metrics cannot be served on 127\.0\.0\.1 port"),
        serving("127.0.0.1", program.port, CollectorRegistry(), program.health),
    ):
        raise AssertionError("it listens where somebody else does")


def test_the_port_is_free_again_afterwards() -> None:
    health = Health("floor", Event())
    with serving("127.0.0.1", 0, CollectorRegistry(), health) as port:
        pass
    with serving("127.0.0.1", port, CollectorRegistry(), health) as again:
        assert again == port


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])  # noqa: S104 - as in a container
def test_a_probe_asks_the_program_on_this_machine(address: str) -> None:
    health = Health("floor", Event())
    with serving(address, 0, CollectorRegistry(), health) as port:
        settings = settings_for(metrics_port=port, metrics_address=address)
        said, ready = probe(settings)
        assert (json.loads(said)["why"], ready) == (["not prepared yet"], False)
        health.turned(None)
        said, ready = probe(settings)
        assert (json.loads(said)["ready"], ready) == (True, True)
    said, ready = probe(settings)
    assert said.startswith(f"nobody answers on port {port}")
    assert not ready


def test_a_probe_needs_a_port() -> None:
    with pytest.raises(BadInput, match="DOORCARD_METRICS_PORT"):
        probe(settings_for(metrics_port=0))
