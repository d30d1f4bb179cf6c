"""OpenTelemetry spans from a command to its commit to whoever views it.

Nothing about traces is ever sent with a message or written into a log: everybody works out the
same numbers from what the log says anyhow. A hand at a table is a trace. In it a command is a
span named by the request's id, a commit one named by its number, under the command or the commit
that caused it; and what a viewer's program reads is a span under the commit.

Spans name tables and requests, as log lines do, and never a card.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from threading import Thread
from typing import Any, Final, NamedTuple, cast

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator

from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import HandStarted
from doorcard.streams.codec import decode
from doorcard.streams.commit import Commit
from doorcard.streams.delivery import MessageQueues
from doorcard.streams.log import Append, Log, Outcome, Stored
from doorcard.streams.messages import Request, Wake, parse
from doorcard.tables import Role
from services.decider import Decider
from services.jobs import Message, cause_of
from services.metrics import kept

CLOSE_WAIT_S: Final = 2.0
MS: Final = 1_000_000
"""Nanoseconds."""

Facts = Mapping[str, str | int]


class Span(NamedTuple):
    """One span, as anybody who has read the log can name it."""

    trace_id: int
    span_id: int


def trace_of(table: str, hand_seq: int) -> int:
    """The trace of the hand whose first commit this is; 0 before the first hand."""
    return _number(16, "hand", table, hand_seq)


def commit_span(table: str, seq: int) -> int:
    """The span of a commit."""
    return _number(8, "commit", table, seq)


def command_span(table: str, request_id: str) -> int:
    """The span of a request, from its sending on."""
    return _number(8, "command", table, request_id)


class Spans:
    """Makes spans of given numbers and times."""

    def __init__(self, processor: SpanProcessor, role: str) -> None:
        self._ids = _GivenIds()
        resource = Resource.create({"service.name": f"doorcard-{role}"})
        self._provider = TracerProvider(
            id_generator=self._ids, resource=resource, shutdown_on_exit=False
        )
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("doorcard")

    def add(
        self,
        name: str,
        own: Span,
        parent_id: int,
        times_ns: tuple[int, int],
        facts: Facts,
    ) -> None:
        """Add one span; a parent of 0 is none."""
        self._ids.trace_id, self._ids.span_id = own
        context = Context()
        if parent_id:
            flags = trace.TraceFlags(trace.TraceFlags.SAMPLED)
            above = trace.SpanContext(own.trace_id, parent_id, is_remote=True, trace_flags=flags)
            context = trace.set_span_in_context(trace.NonRecordingSpan(above), context)
        named = {f"doorcard.{key}": value for key, value in facts.items()}
        span = self._tracer.start_span(name, context, attributes=named, start_time=times_ns[0])
        span.end(max(times_ns))

    def worker(self) -> TracedWorker:
        """What turns a worker's doings into spans."""
        return TracedWorker(self)

    def viewer(self) -> TracedViewer:
        """What turns the doings of a player's program into spans."""
        return TracedViewer(self)

    def close(self) -> None:
        """Send what is left, unless the collector takes its time: then it is lost."""
        last = Thread(target=self._provider.shutdown, name="last spans", daemon=True)
        last.start()
        last.join(CLOSE_WAIT_S)


class _GivenIds(IdGenerator):
    trace_id = span_id = 1

    def generate_span_id(self) -> int:
        return self.span_id

    def generate_trace_id(self) -> int:
        return self.trace_id


# --- workers -------------------------------------------------------------------------------------


class _Decision(NamedTuple):
    cause: str
    hand_seq: int
    """The first commit of the hand that it belongs to."""
    parent_id: int
    times_ns: tuple[int, int]


class TracedWorker:
    """What a worker decides and commits, as spans: its decider and its log are wrapped."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._decisions: dict[tuple[str, int], _Decision] = {}
        """Of the commits to be sent next, by table and number."""

    def decider(self, decider: Decider) -> Decider:
        """A decider whose decisions are noted."""
        return _TracedDecider(decider, self._decisions)

    def log(self, log: Log) -> Log:
        """A log whose commits become spans."""
        return cast("Log", _TracedLog(log, self))

    def appended(
        self, appends: Sequence[Append], outcomes: Sequence[Outcome], times_ns: tuple[int, int]
    ) -> None:
        """Make the spans of what was committed in one call."""
        for append, outcome in zip(appends, outcomes, strict=True):
            decision = self._decisions.get((append.table, append.seq))
            if outcome.code == "ok" and decision is not None:
                self._committed(append, decision, times_ns)
        self._decisions.clear()

    def _committed(self, append: Append, decision: _Decision, times_ns: tuple[int, int]) -> None:
        trace_id = trace_of(append.table, decision.hand_seq)
        own = Span(trace_id, commit_span(append.table, append.seq))
        sent_ns = decision.times_ns[0]
        if append.source is not None:
            sent_ns = min(sent_ns, int(append.source.id.partition("-")[0]) * MS)
        facts: Facts = {"table": append.table, "seq": append.seq, "cause": decision.cause}
        name = f"{append.role} commit"
        starts = decision.hand_seq == append.seq  # what woke it belongs to the hand before
        parent_id = 0 if starts else decision.parent_id
        self._spans.add(name, own, parent_id, (sent_ns, times_ns[1]), facts)
        for part, times in (("decide", decision.times_ns), ("append", times_ns)):
            inner = Span(trace_id, _number(8, part, append.table, append.seq))
            self._spans.add(part, inner, own.span_id, times, {})


class _TracedDecider:
    def __init__(self, decider: Decider, decisions: dict[tuple[str, int], _Decision]) -> None:
        self.role: Role = decider.role
        self._decide = decider.decide
        self._decisions = decisions

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        started_ns = time.time_ns()
        decision = self._decide(table, message, now_ms)
        if isinstance(decision, Decided):
            times_ns = (started_ns, time.time_ns())
            self._decisions[message.table, table.seq + 1] = _Decision(
                cause_of(message),
                decision.table.hand_seq,
                _parent_of(message, message.table),
                times_ns,
            )
        return decision


def _parent_of(message: Message, table: str) -> int:
    if isinstance(message, Request):
        return command_span(table, message.id)
    return commit_span(table, message.seq) if isinstance(message, Wake) else 0


class _TracedLog:
    def __init__(self, log: Log, worker: TracedWorker) -> None:
        self._log = log
        self._worker = worker

    def append(self, appends: Sequence[Append]) -> list[Outcome]:
        started_ns = time.time_ns()
        outcomes = self._log.append(appends)
        self._worker.appended(appends, outcomes, (started_ns, time.time_ns()))
        return outcomes

    def __getattr__(self, name: str) -> Any:
        return kept(self.__dict__, self._log, name)


# --- players' programs ---------------------------------------------------------------------------


class TracedViewer:
    """What a player's program sends and reads, as spans: a client's log and queues are wrapped."""

    def __init__(self, spans: Spans) -> None:
        self.hand_seqs: dict[str, int] = {}
        """The first commit of the hand that each table is seen in, 0 before the first hand."""
        self._spans = spans

    def log(self, log: Log) -> Log:
        """A log whose new commits become spans when they are read."""
        return cast("Log", _ViewedLog(log, self))

    def queues(self, queues: MessageQueues) -> MessageQueues:
        """Queues whose requests become spans when they are sent."""
        return cast("MessageQueues", _TracedQueues(queues, self))

    def sent(self, raw: bytes, times_ns: tuple[int, int]) -> None:
        """Make the span of a request that was sent to a table that is seen."""
        request = parse(raw)
        if isinstance(request, Request) and request.table in self.hand_seqs:
            table = request.table
            trace_id = trace_of(table, self.hand_seqs[table])
            own = Span(trace_id, command_span(table, request.id))
            facts = {"table": table, "cause": request.id}
            self._spans.add(type(request.command).__name__, own, 0, times_ns, facts)

    def learnt(self, table: str, stored: Stored) -> Commit:
        """Note which hand a table is in after a commit; the commit."""
        commit = decode(stored.raw)
        started = any(isinstance(event, HandStarted) for event in commit.events)
        before = self.hand_seqs.get(table, 0)
        self.hand_seqs[table] = max(before, stored.seq) if started else before
        return commit

    def saw(self, table: str, stored: Stored) -> None:
        """Make the span of a commit that was read."""
        now_ns, commit = time.time_ns(), self.learnt(table, stored)
        trace_id = trace_of(table, self.hand_seqs[table])
        own = Span(trace_id, _number(8, "view", table, stored.seq))
        facts: Facts = {"table": table, "seq": stored.seq, "cause": commit.cause}
        times_ns = (min(commit.time_ms * MS, now_ns), now_ns)  # the store's clock may be ahead
        self._spans.add("view", own, commit_span(table, stored.seq), times_ns, facts)


class _ViewedLog:
    def __init__(self, log: Log, viewer: TracedViewer) -> None:
        self._log = log
        self._viewer = viewer

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        return self._learnt(table, self._log.read(table, after, count))

    def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
        return self._learnt(table, self._log.read_back(table, before, count))

    def read_many(self, wanted: Sequence[tuple[str, int]]) -> list[list[Stored]]:
        found = self._log.read_many(wanted)
        for (table, _), stored in zip(wanted, found, strict=True):
            for commit in stored:
                self._viewer.saw(table, commit)
        return found

    def _learnt(self, table: str, found: list[Stored]) -> list[Stored]:
        for stored in found:  # of a table that is rebuilt or compared, nobody looks at commits
            self._viewer.learnt(table, stored)
        return found

    def __getattr__(self, name: str) -> Any:
        return kept(self.__dict__, self._log, name)


class _TracedQueues:
    def __init__(self, queues: MessageQueues, viewer: TracedViewer) -> None:
        self._queues = queues
        self._viewer = viewer

    def send_many(self, messages: Sequence[tuple[Role, str, bytes]]) -> list[str | Refused]:
        started_ns = time.time_ns()
        answers = self._queues.send_many(messages)
        times_ns = (started_ns, time.time_ns())
        for (_, _, raw), answer in zip(messages, answers, strict=True):
            if isinstance(answer, str):
                self._viewer.sent(raw, times_ns)
        return answers

    def __getattr__(self, name: str) -> Any:
        return kept(self.__dict__, self._queues, name)


def _number(length_bytes: int, *parts: str | int) -> int:
    """A number that is the same wherever it is worked out, and never 0."""
    digest = sha256("\n".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:length_bytes], "big") or 1
