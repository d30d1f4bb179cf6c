"""The one worker loop: read, fold, decide, commit, acknowledge.

Messages read together are decided together and their commits go out in one pipeline. Nothing is
acknowledged before its commit is in; what a crash leaves behind is delivered again, and finds
either work to do or nothing left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from doorcard.commands import Act
from doorcard.engine.table import Table
from doorcard.errors import DoorcardError, Refused
from doorcard.streams.codec import decode
from doorcard.streams.delivery import Delivery, MessageQueues
from doorcard.streams.keys import partition_names
from doorcard.streams.log import Log, Outcome, Source
from doorcard.streams.messages import (
    Fired,
    Reply,
    Request,
    Wake,
    encode_reply,
    parse,
    return_address,
)
from services.cache import TableCache
from services.deciders import Decider, Message
from services.logs import Logger
from services.plans import Plan, plan_commit
from services.settings import Settings

ROUNDS_MAX = 8
"""How often a message is decided again after conflicts before it waits for a new delivery."""
LOOK_BACK = 200
"""How many commits back a repeated request is looked for."""
MAYBE_REPEATS = frozenset(
    {
        "betting/late",
        "betting/nobody_asked",
        "betting/not_your_turn",
        "floor/closed",
        "floor/not_seated",
        "floor/seated_already",
        "floor/seat_taken",
        "floor/table_exists",
    }
)
"""Refusals that a repeat of an accepted request would get if the log were not asked first."""
STORE_DOWN = (RedisConnectionError, RedisTimeoutError, OSError)
"""The store cannot be reached: nobody's message is at fault."""


class Job(NamedTuple):
    """A delivered message that has been understood."""

    delivery: Delivery
    message: Message


class Tally:
    """What a worker has done since it started."""

    __slots__ = ("buried", "commits", "conflicts", "refusals")

    def __init__(self) -> None:
        self.commits = self.conflicts = self.refusals = self.buried = 0


class Worker:
    """One process's share of one role's work."""

    def __init__(
        self,
        decider: Decider,
        log: Log,
        queues: MessageQueues,
        now_ms: Callable[[], int],
        settings: Settings,
        logger: Logger,
        *,
        consumer: str,
        committed: Callable[[Table], None] | None = None,
    ) -> None:
        """Wire a worker.

        Args:
            now_ms: the store's time, in milliseconds since 1970.
            committed: called with the table after each commit that is in.
        """
        self.tally = Tally()
        self._decider = decider
        self._log = log
        self._queues = queues
        self._now_ms = now_ms
        self._settings = settings
        self._logger = logger
        self._consumer = consumer
        self._partitions = partition_names(settings.partitions)
        self._committed = committed
        self._cache = TableCache(log, settings.cache_tables, logger)
        self._backlog: list[Job] = []
        self._replies: list[tuple[str, bytes]] = []
        self._acks: list[Delivery] = []

    @property
    def stalled(self) -> bool:
        """Whether work waits because the store refused writes."""
        return bool(self._backlog)

    def step(self, block_ms: int) -> int:
        """Read one batch, handle all of it, and return how many messages there were."""
        backlog, self._backlog = self._backlog, []
        deliveries = self._queues.read(
            self._decider.role,
            self._partitions,
            self._consumer,
            self._settings.batch,
            0 if backlog else block_ms,
        )
        jobs = backlog + self._understood(deliveries)
        self._handle(jobs)
        return len(deliveries) + len(backlog)

    def claim(self) -> int:
        """Take over what other workers left unfinished; return how many messages."""
        deliveries = self._queues.claim(
            self._decider.role,
            self._partitions,
            self._consumer,
            self._settings.claim_idle_ms,
            self._settings.batch,
        )
        jobs = []
        for job in self._understood(deliveries):
            if job.delivery.count > self._settings.deliveries_max:
                self._bury(job, f"delivered {job.delivery.count} times without an end")
            else:
                jobs.append(job)
        self._handle(jobs)
        return len(deliveries)

    # --- reading -----------------------------------------------------------------------------

    def _understood(self, deliveries: Iterable[Delivery]) -> list[Job]:
        jobs: list[Job] = []
        for delivery in deliveries:
            message = parse(delivery.raw)
            if isinstance(message, Refused):
                address = return_address(delivery.raw)
                if address is not None:
                    sender, request_id = address
                    reply = Reply(
                        request_id, "", ok=False, code=message.code, sentence=message.sentence
                    )
                    self._replies.append((sender, encode_reply(reply)))
                self._logger.warning(
                    "message refused", id=delivery.id, code=message.code, why=message.sentence
                )
                self._acks.append(delivery)
            else:
                jobs.append(Job(delivery, message))
        return jobs

    def _handle(self, jobs: list[Job]) -> None:
        try:
            self._refresh_if_behind(jobs)
            for _ in range(ROUNDS_MAX):
                if not jobs:
                    break
                jobs = self._round(jobs)
            for job in jobs:
                self._logger.warning("gave up after conflicts", table=job.message.table)
            self._send_answers()
        except STORE_DOWN:
            # Unknown what is in and what is not: forget these tables, the store knows.
            for job in jobs:
                self._cache.drop(job.message.table)
            self._backlog.extend(jobs)
            raise

    def _refresh_if_behind(self, jobs: Sequence[Job]) -> None:
        """Read ahead, in one call, for the tables whose messages name what is not folded yet."""
        behind: dict[str, None] = {}
        for job in jobs:
            message = job.message
            table = self._cache.peek(message.table)
            if table is None or _names_the_future(message, table):
                behind[message.table] = None
        if not behind:
            return
        try:
            self._cache.refresh(list(behind))
        except DoorcardError:
            # One table that does not fold must not stop the others: each is met alone below.
            self._logger.warning("some tables could not be read", tables=len(behind))

    # --- deciding ----------------------------------------------------------------------------

    def _round(self, jobs: Sequence[Job]) -> list[Job]:
        """Decide all jobs once and send the commits; return those to be decided again."""
        planned: list[tuple[Job, Plan]] = []
        done: list[tuple[Job, Refused | int]] = []
        for job in jobs:
            try:
                outcome = self._plan(job)
            except STORE_DOWN:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, the other tables go on
                self._failed(job, error)
                continue
            if isinstance(outcome, Plan):
                self._cache.put(job.message.table, outcome.table)
                planned.append((job, outcome))
            else:
                done.append((job, outcome))
        again = self._send(planned, done)
        self._finish(done)
        return again

    def _plan(self, job: Job) -> Plan | Refused | int:
        """A commit to be sent; or the answer when there is nothing to commit."""
        message = job.message
        table = self._cache.get(message.table)
        if isinstance(message, Request) and message.id in _causes(table):
            return self._answered_before(table, message) or _reused(message)
        now_ms = self._now_ms()
        decision = self._decider.decide(table, message, now_ms)
        if isinstance(decision, Refused):
            if self._cache.refresh([message.table]):
                table = self._cache.get(message.table)
                decision = self._decider.decide(table, message, now_ms)
            if isinstance(decision, Refused):
                return self._refused(table, message, decision)
        if not decision.events:
            return table.seq
        source = Source(job.delivery.queue, job.delivery.id)
        return plan_commit(
            table,
            decision,
            role=self._decider.role,
            message=message,
            source=source,
            now_ms=now_ms,
        )

    def _refused(self, table: Table, message: Message, refused: Refused) -> Refused | int:
        if not isinstance(message, Request) or refused.code not in MAYBE_REPEATS:
            return refused
        before = self._answered_before(table, message)
        return refused if before is None else before

    def _answered_before(self, table: Table, request: Request) -> Refused | int | None:
        """The answer that an accepted request got the first time, from the log (None: never)."""
        for stored in self._log.read_back(table.id, None, LOOK_BACK):
            commit = decode(stored.raw)
            if commit.cause == request.id:
                return stored.seq if commit.digest == request.digest else _reused(request)
        return None

    # --- committing --------------------------------------------------------------------------

    def _send(
        self, planned: Sequence[tuple[Job, Plan]], done: list[tuple[Job, Refused | int]]
    ) -> list[Job]:
        if not planned:
            return []
        outcomes = self._log.append([plan.append for _, plan in planned])
        again: list[Job] = []
        for (job, plan), outcome in zip(planned, outcomes, strict=True):
            self._settle(job, plan, outcome, done, again)
        if again:
            self._catch_up([(job, plan) for job, plan in planned if job in again])
        return again

    def _catch_up(self, refused: Sequence[tuple[Job, Plan]]) -> None:
        """Load what the store has; say so where it has less than was seen there before."""
        built_on: dict[str, int] = {}
        for job, plan in refused:
            built_on.setdefault(job.message.table, plan.append.seq - 1)
        self._cache.refresh(list(built_on))
        for table_id, seq in built_on.items():
            if self._cache.get(table_id).seq < seq:
                self._logger.error(
                    "the store forgot commits",
                    table=table_id,
                    seen=seq,
                    left=self._cache.get(table_id).seq,
                )

    def _settle(
        self,
        job: Job,
        plan: Plan,
        outcome: Outcome,
        done: list[tuple[Job, Refused | int]],
        again: list[Job],
    ) -> None:
        table_id = job.message.table
        if outcome.code == "ok":
            self.tally.commits += 1
            self._reply(job, plan.append.seq)
            if self._committed is not None:
                self._committed(plan.table)
            return
        # What was folded ahead of the store is not so: start again from what the store has.
        self._cache.drop(table_id)
        if outcome.code == "conflict":
            self.tally.conflicts += 1
            again.append(job)
        elif outcome.code == "paused":
            done.append((job, Refused("table/paused", "The table is paused by the operator.")))
        elif outcome.code in ("full", "time", "no_head"):
            self._logger.warning("store refused a commit", table=table_id, code=outcome.code)
            self._backlog.append(job)
        else:
            self._failed(job, DoorcardError(f"store says {outcome.code}: {outcome.detail}"))

    def _finish(self, done: Sequence[tuple[Job, Refused | int]]) -> None:
        """Answer and acknowledge what needed no commit."""
        for job, answer in done:
            if isinstance(answer, Refused):
                self.tally.refusals += 1
            self._reply(job, answer)
            self._acks.append(job.delivery)

    def _reply(self, job: Job, answer: Refused | int) -> None:
        message = job.message
        if isinstance(message, Request) and message.sender:
            self._replies.append((message.sender, encode_reply(_reply_to(message, answer))))

    def _send_answers(self) -> None:
        """Replies after their commits, then the acknowledgements, all in one call."""
        if self._replies or self._acks:
            replies, acks = self._replies, self._acks
            self._replies, self._acks = [], []
            self._queues.finish(replies, acks)

    # --- trouble -----------------------------------------------------------------------------

    def _failed(self, job: Job, error: Exception) -> None:
        """Leave the message for another delivery; bury it after too many."""
        self._cache.drop(job.message.table)
        self._logger.error(
            "message failed",
            table=job.message.table,
            id=job.delivery.id,
            deliveries=job.delivery.count,
            error=f"{type(error).__name__}: {error}",
        )
        if job.delivery.count >= self._settings.deliveries_max:
            self._bury(job, f"{type(error).__name__}: {error}")

    def _bury(self, job: Job, reason: str) -> None:
        self.tally.buried += 1
        self._logger.error("message buried, table paused", table=job.message.table, why=reason)
        self._queues.bury(job.delivery, job.message.table, reason)


def _reply_to(request: Request, answer: Refused | int) -> Reply:
    if isinstance(answer, Refused):
        return Reply(
            request.id,
            request.table,
            ok=False,
            code=answer.code,
            sentence=answer.sentence,
            seat=answer.seat,
        )
    return Reply(request.id, request.table, ok=True, seq=answer)


def _causes(table: Table) -> tuple[str, ...]:
    return () if table.hand is None else table.hand.causes


def _reused(request: Request) -> Refused:
    return Refused("message/id_reused", "That id was used for another request.")


def _names_the_future(message: Message, table: Table) -> bool:
    """Whether a message was sent by somebody who knew more of the table than this cache."""
    if isinstance(message, Wake):
        return message.seq > table.seq
    if isinstance(message, Fired):
        return message.decision > table.decision
    return isinstance(message.command, Act) and message.command.decision > table.decision
