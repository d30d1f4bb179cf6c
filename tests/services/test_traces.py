"""Spans from a command to its commit to its view, put together by programs that share no word."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Final, NamedTuple

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from doorcard.client import Client, Follower
from doorcard.errors import BadInput
from doorcard.streams.codec import decode
from doorcard.streams.redis_log import RedisLog
from doorcard.tables import Role
from services.embedded import EmbeddedServer
from services.traces import (
    CLOSE_WAIT_S,
    Span,
    Spans,
    TracedWorker,
    command_span,
    commit_span,
    trace_of,
)
from services.traces_export import open_spans, player_client
from tests.services.harness import TABLE, House, calm, decider_for, settings_for
from tests.services.processes import environment, finish, hands_in, running, until
from tests.services.shops import ROLES, MemoryShop

CARD: Final = re.compile(r"\b[2-9TJQKA][cdhs]\b")


class TracedHouse:
    """A house whose workers, and whose players' program, are traced into one heap."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.house = House(MemoryShop())
        self.traced: dict[Role, TracedWorker] = {role: self._spans(role).worker() for role in ROLES}
        self.house.wrap = self._wrap
        for role in ROLES:
            self.house.hire(role, self.traced[role].decider(decider_for(role)))
        viewer = self._spans("player").viewer()
        log, queues = viewer.log(self.house.shop.log()), viewer.queues(self.house.shop.queues())
        self.client = Client(log, queues, "player", self.house.shop.partitions)
        self.follower = Follower(self.client)

    def act(self) -> None:
        """Let whoever is asked act, and everybody see what follows."""
        self.client.send(TABLE, calm(self.follower.tables[TABLE]))
        self.house.settle()
        self.follower.poll(0)

    def spans(self, name: str = "") -> list[ReadableSpan]:
        """All spans whose name ends in a word."""
        return [span for span in self.exporter.get_finished_spans() if span.name.endswith(name)]

    def _spans(self, role: str) -> Spans:
        return Spans(SimpleSpanProcessor(self.exporter), role)

    def _wrap(self, role: Role, adapter: Any) -> Any:
        return self.traced[role].log(adapter) if hasattr(adapter, "append") else adapter


@pytest.fixture
def played() -> TracedHouse:
    """A hand, seen from its first decision on, and the beginning of the next."""
    found = TracedHouse()
    found.house.open()
    found.follower.follow([TABLE])
    while found.follower.tables[TABLE].hands < 2:
        found.act()
    return found


def ids(span: ReadableSpan) -> tuple[int, int]:
    assert span.context is not None
    return span.context.trace_id, span.context.span_id


def parent(span: ReadableSpan) -> int:
    return span.parent.span_id if span.parent is not None else 0


def facts(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


# --- numbers -------------------------------------------------------------------------------------


def test_numbers_are_the_same_everywhere_and_of_the_right_length() -> None:
    assert trace_of(TABLE, 7) == trace_of(TABLE, 7) < 1 << 128
    assert 0 < commit_span(TABLE, 7) < 1 << 64
    different = {
        commit_span(TABLE, 7),
        commit_span(TABLE, 8),
        commit_span("p00.other", 7),
        command_span(TABLE, "7"),
    }
    assert len(different) == 4


# --- one hand ------------------------------------------------------------------------------------


def test_every_commit_is_one_span_in_the_trace_of_its_hand(played: TracedHouse) -> None:
    commits = {facts(span)["doorcard.seq"]: span for span in played.spans(" commit")}
    log = played.house.log.read(TABLE)
    assert sorted(commits) == [stored.seq for stored in log]
    assert len(commits) == len(played.spans(" commit"))
    hand_seq = 0
    for seq, raw, _ in log:
        commit = decode(raw)
        if "HandStarted" in {type(event).__name__ for event in commit.events}:
            hand_seq = seq
        span = commits[seq]
        assert ids(span) == (trace_of(TABLE, hand_seq), commit_span(TABLE, seq))
        assert span.name == f"{commit.role} commit"
        assert facts(span)["doorcard.cause"] == commit.cause


def test_a_commit_hangs_under_the_command_or_the_commit_that_caused_it(
    played: TracedHouse,
) -> None:
    sent = {facts(span)["doorcard.cause"]: span for span in played.spans("Act")}
    assert len(sent) > 5
    caused = {facts(span)["doorcard.cause"]: span for span in played.spans("betting commit")}
    for cause, command in sent.items():
        assert parent(command) == 0
        assert parent(caused[cause]) == ids(command)[1]
        assert ids(caused[cause])[0] == ids(command)[0]
    woken = [
        span
        for span in played.spans(" commit")
        if facts(span)["doorcard.cause"].startswith("wake-") and parent(span)
    ]
    assert woken
    for span in woken:
        assert parent(span) == commit_span(TABLE, int(facts(span)["doorcard.cause"][5:]))


def test_what_a_viewer_read_hangs_under_its_commit(played: TracedHouse) -> None:
    commits = {ids(span) for span in played.spans(" commit")}
    views = played.spans("view")
    assert len(views) == len({ids(span) for span in views}) > 10
    for view in views:
        assert (ids(view)[0], parent(view)) in commits


def test_deciding_and_appending_lie_within_their_commit(played: TracedHouse) -> None:
    commits = {ids(span)[1]: span for span in played.spans(" commit")}
    for part in ("decide", "append"):
        inner = played.spans(part)
        assert len(inner) == len(commits)
        for span in inner:
            outer = commits[parent(span)]
            assert outer.start_time is not None
            assert outer.end_time is not None
            assert outer.start_time <= (span.start_time or 0) <= (span.end_time or 0)
            assert (span.end_time or 0) <= outer.end_time


def test_no_span_names_a_card_or_a_player(played: TracedHouse) -> None:
    for span in played.spans():
        text = span.to_json()
        assert CARD.search(text) is None
        assert "player-" not in text


def test_a_refused_command_makes_no_commit(played: TracedHouse) -> None:
    before = len(played.spans(" commit"))
    table = played.follower.tables[TABLE]
    act = calm(table)
    played.client.send(TABLE, type(act)(1 - act.seat if act.seat < 2 else 0, act.decision, "call"))
    played.house.settle()
    assert len(played.spans(" commit")) == before


# --- on and off ----------------------------------------------------------------------------------


def test_without_traces_what_makes_spans_is_not_loaded() -> None:
    program = "import sys, services.roles, services.up; print('services.traces' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(), check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "False\n"


def test_without_traces_a_player_has_a_plain_client(server: EmbeddedServer) -> None:
    with player_client(server.url, "somebody", settings_for()) as client:
        assert type(client.log) is RedisLog


def test_without_the_extra_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(BadInput, match="the extra `traces`"):
        open_spans("betting")


class Sent(NamedTuple):
    """A span as a collector gets it."""

    service: str
    name: str
    trace_id: bytes
    span_id: bytes
    parent_id: bytes


@contextmanager
def collector() -> Generator[tuple[int, list[Sent]]]:
    """A collector of spans: its port, and what it got."""
    found: list[Sent] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            body: Any = self.rfile.read(int(self.headers["Content-Length"]))
            found.extend(_read(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as its base has it
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port, found
    server.shutdown()
    thread.join()
    server.server_close()


def _read(body: bytes) -> Iterator[Sent]:
    request: Any = ExportTraceServiceRequest.FromString(body)
    for resource in request.resource_spans:
        names = {fact.key: fact.value.string_value for fact in resource.resource.attributes}
        for scope in resource.scope_spans:
            for span in scope.spans:
                own = (span.trace_id, span.span_id, span.parent_span_id)
                yield Sent(names["service.name"], span.name, *own)


def test_real_programs_send_one_chain_from_command_to_view() -> None:
    with collector() as (port, found), TemporaryDirectory(prefix="doorcard-") as parent_folder:
        data = Path(parent_folder) / "data"
        words = ("up", "--hands", "0", "--games", "razz", "--data", str(data))
        endpoint = f"http://127.0.0.1:{port}"
        settings = {"DOORCARD_TRACES": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
        with running(*words, **settings, OTEL_EXPORTER_OTLP_COMPRESSION="none") as process:
            until(lambda: hands_in(data) > 2, process)
            code, said = finish(process, signal.SIGINT)
    assert code == 0, said
    by_id = {(span.trace_id, span.span_id): span for span in found}
    chains: set[tuple[str, ...]] = set()
    for view in (span for span in found if span.name == "view"):
        commit = by_id.get((view.trace_id, view.parent_id))
        command = by_id.get((commit.trace_id, commit.parent_id)) if commit else None
        if commit and command:
            chains.add((command.name, commit.name, view.name))
    assert ("Act", "betting commit", "view") in chains
    assert ("betting commit", "dealer commit", "view") in chains
    services_seen = {span.service for span in found}
    assert services_seen == {"doorcard-player", *(f"doorcard-{role}" for role in ROLES)}


def test_a_collector_that_is_away_holds_up_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    spans = open_spans("betting")
    for number in range(10):
        spans.add("commit", Span(1, number + 1), 0, (1, 2), {"table": TABLE})
    started_s = time.monotonic()
    spans.close()
    assert time.monotonic() - started_s < CLOSE_WAIT_S + 1
