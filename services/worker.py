"""The one worker loop: read, fold, decide, commit, answer.

Messages read together are decided together and their commits go out in one pipeline; of two for
one table, the second is decided on what the first will make of it. No message is deleted before
its commit is in. What a crash leaves behind is delivered again, and finds either work to do or
nothing left to do.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from redis.exceptions import RedisError, ResponseError

from doorcard.commands import Act, Choose
from doorcard.engine.table import Table
from doorcard.errors import DoorcardError, Refused, StoreError
from doorcard.streams.delivery import Delivery, MessageQueues
from doorcard.streams.keys import partition_names, partition_of
from doorcard.streams.log import Log, Outcome
from doorcard.streams.messages import Request
from doorcard.tables import Role
from services.answers import (
    MAYBE_REPEATS,
    Answer,
    LookedBack,
    first_answer,
    id_reused,
    reply_to,
    was_accepted,
)
from services.cache import TableCache
from services.clocks import Clock, is_early
from services.contests import Contests
from services.decider import Decider
from services.intake import Intake
from services.jobs import Job, Tally, log_facts, tables_behind
from services.logs import Logger, describe
from services.losses import policy_for
from services.outbox import Outbox
from services.plans import Plan, plan_commit
from services.settings import Settings
from services.unfinished import Unfinished

ROUNDS_MAX: Final = 16
"""How often a message is decided again after conflicts before it waits for a new delivery."""
TROUBLE: Final = (RedisError, OSError, MemoryError)
"""Of the store, or of this process: nobody's message is at fault, and what is in and what is not is
unknown."""


class Worker:
    """One process's share of one role's work."""

    def __init__(
        self,
        decider: Decider,
        log: Log,
        queues: MessageQueues,
        clock: Clock,
        settings: Settings,
        logger: Logger,
        *,
        committed: Callable[[Table], None] | None = None,
        preferred: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        """Wire a worker.

        Args:
            committed: called with the table after each commit that is in.
            preferred: the partitions to read now; all, unless told.
        """
        self.tally = Tally()
        self.read_s = 0.0
        """When it last read, by ``time.monotonic``."""
        self.stuck = False
        """The store takes no writes, or failed: nothing new is read before the old is done."""
        self.written = settings.write_format
        """The format of its commits."""
        self._decider = decider
        self._log = log
        self._queues = queues
        self._clock = clock
        self._settings = settings
        self._logger = logger
        self._debug = logger.isEnabledFor(logging.DEBUG)
        self._partitions = partition_names(settings.partitions)
        self._committed = committed
        self._preferred = preferred or (lambda: self._partitions)
        self._answers_at_once = settings.durability != "replicated"
        """A commit that is in is as durable as configured: its reply goes out with it."""
        policy = policy_for(settings.after_loss, log, queues)
        self._cache = TableCache(log, settings.cache_tables, logger, self.tally, policy)
        self._looked_back = LookedBack(log)
        self._unfinished = Unfinished(queues, clock, self.tally, logger)
        self._outbox = Outbox(queues)
        self._intake = Intake(self._unfinished, self._outbox, self.tally, settings.deliveries_max)
        self._later: list[Job] = []
        self._current: set[str] = set()
        """Tables whose log's end this batch has seen: nothing need be read to refuse there."""
        self._contests = Contests()
        self._full = ""

    @property
    def role(self) -> Role:
        """Whose messages it handles."""
        return self._decider.role

    @property
    def waiting(self) -> int:
        """Messages that were read and wait for another try."""
        return len(self._later)

    def step(self, block_ms: int) -> int:
        """Handle what waits for another try and one batch of new messages; how many they were."""
        read: list[Delivery] = []
        if not self.stuck:
            read = self._queues.read(
                self._decider.role,
                self._preferred(),
                self._settings.batch,
                0 if self._later else block_ms,
            )
            self.read_s = time.monotonic()
        jobs, self._later = self._later, []
        count = len(jobs) + len(read)
        if count or self.stuck:
            self._handle(jobs, read)
        return count

    def claim(self) -> int:
        """Take over what other workers left unfinished; return how many messages.

        What waits here for another try is held instead, so that it does not look given up.
        """
        if self._later:
            self._queues.hold([job.delivery for job in self._later])
        if self.stuck:
            return 0
        held = {job.delivery[:2] for job in self._later}
        role, idle_ms = self._decider.role, self._settings.claim_idle_ms
        claimed = self._queues.claim(role, self._partitions, idle_ms, self._settings.batch)
        if claimed:
            self._handle([], [delivery for delivery in claimed if delivery[:2] not in held])
        return len(claimed)

    # --- a batch -----------------------------------------------------------------------------

    def _handle(self, jobs: list[Job], deliveries: Sequence[Delivery]) -> None:
        """Handle messages to their end, or keep them for another try if the store fails."""
        self.stuck, self._full = True, ""  # until all has gone well
        self._current.clear()
        self._contests.forget()
        self._looked_back.forget()
        try:
            jobs = jobs + self._intake.understood(deliveries)
            if behind := tables_behind(jobs, self._cache.peek):
                self._cache.read_ahead(behind)  # what is missing is read in one call
            fruitless = 0
            while jobs and fruitless < ROUNDS_MAX:
                before, jobs = len(jobs), self._round(jobs)
                fruitless = 0 if len(jobs) < before else fruitless + 1
                self._outbox.send()  # nobody's answer waits for the messages that are left
            if jobs:  # somebody else was faster each time; its sender may ask again meanwhile
                self._unfinished.put_back(jobs)
                jobs = []
            self._outbox.send()
        except ResponseError:  # the store answers, and refuses: no message is at fault
            self._unfinished.excuse([*deliveries, *(job.delivery for job in jobs)])
            raise
        finally:  # where it failed half-way, what is answered or waits already is not taken again
            known = self._outbox.ids | {job.delivery[:2] for job in self._later}
            self._later.extend([job for job in jobs if job.delivery[:2] not in known])
        self.stuck = bool(self._full)
        if self._unfinished.held != self.stuck:
            self._unfinished.hold(self._full, self.waiting)

    # --- deciding ----------------------------------------------------------------------------

    def _round(self, jobs: Sequence[Job]) -> list[Job]:
        """Decide all jobs once and send the commits; return those to be decided again."""
        planned: list[tuple[Job, Plan]] = []
        others: list[tuple[Job, Table, Refused | None]] = []
        ahead: dict[str, Table] = {}
        self._looked_back.compare()
        due: list[Job] = []
        waiting: list[Job] = []
        for job in jobs:
            if is_early(job.message, self._clock):
                self._later.append(job)
            else:
                (due if self._contests.admits(job.message.table) else waiting).append(job)
        now_ms = self._clock.now_ms()  # only now: the store may just have been asked for its time
        for job in due:
            name = job.message.table
            try:
                table = ahead.get(name)  # the same for a whole round, whatever the cache drops
                if table is None:
                    table = ahead[name] = self._cache.get(name)
                outcome = self._decide(job, table, planned, now_ms)
            except TROUBLE:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, the other tables go on
                self._failed(job, error)
                continue
            if isinstance(outcome, Plan):
                ahead[name] = outcome.table
                planned.append((job, outcome))
            else:
                others.append((job, table, outcome))
        again, unsettled = self._commit(planned)
        again += self._answer(others, unsettled)
        self._contests.end(unsettled)
        return again + waiting

    def _decide(
        self, job: Job, table: Table, planned: Sequence[tuple[Job, Plan]], now_ms: int
    ) -> Plan | Refused | None:
        """A commit to be sent; a refusal; or None for a request that was granted before."""
        message = job.message
        if isinstance(message, Request) and self._knows(table, message, planned):
            return None
        decision = self._decider.decide(table, message, now_ms)
        if isinstance(decision, Refused):
            return decision
        if not decision.events:
            return None
        role, answered = self._decider.role, self._answers_at_once
        return plan_commit(
            table, decision, role, message, job.delivery, now_ms, self.written, answered=answered
        )

    def _knows(self, table: Table, request: Request, planned: Sequence[tuple[Job, Plan]]) -> bool:
        """Whether a request's id was used before.

        An action is bound to its decision, so the hand's own list is enough. The rest is rare,
        and looked for in the log.
        """
        if was_accepted(table, request):
            return True
        if isinstance(request.command, Act | Choose) or not table.seq:
            return False
        if any(request.id == plan.cause for job, plan in planned if job.message.table == table.id):
            return True
        return first_answer(self._looked_back, table, request) is not None

    # --- committing --------------------------------------------------------------------------

    def _commit(self, planned: Sequence[tuple[Job, Plan]]) -> tuple[list[Job], set[str]]:
        """Send commits at once; the jobs that met a conflict, and tables with commits not in."""
        if not planned:
            return [], set()
        outcomes = self._log.append([plan.append for _, plan in planned])
        again: list[Job] = []
        unsettled: set[str] = set()
        for (job, plan), outcome in zip(planned, outcomes, strict=True):
            if outcome.code == "ok":
                self._accepted(job, plan, outcome.detail)
                continue
            unsettled.add(job.message.table)
            if outcome.code == "conflict":
                self.tally.conflicts += 1
                again.append(job)
            elif outcome.code == "paused" and not self._held_back(job):
                again.append(job)
            elif outcome.code != "paused":
                self._not_taken(job, outcome)
        for name in dict.fromkeys(job.message.table for job in again):
            self._catch_up(name)
        return again, unsettled

    def _accepted(self, job: Job, plan: Plan, shortfall: str) -> None:
        table, seq = plan.table, plan.append.seq
        self.tally.commits += 1
        self._cache.put(table.id, table)
        self._current.add(table.id)
        if shortfall:  # in the log, but not durable as configured: whoever asks again is told
            self._logger.warning("not replicated", **log_facts(job, table), why=shortfall)
        elif not self._answers_at_once:
            self._reply(job, seq)
        if self._debug:
            self._logger.debug("committed", **log_facts(job, table))
        if self._committed is not None:
            self._committed(table)

    def _not_taken(self, job: Job, outcome: Outcome) -> None:
        """What to do about a commit that the store refused, neither in a conflict nor paused."""
        if outcome.code == "full":
            self._full = outcome.detail
            self._later.append(job)
        elif outcome.code == "time":
            self._clock.compare()
            self._unfinished.mistime(job, outcome.detail)
            self._later.append(job)
        else:
            self._failed(job, StoreError(f"the store says {outcome.code}: {outcome.detail}"))

    def _held_back(self, job: Job) -> bool:
        """Put a message to a paused table away; not a notice whose table goes on by now."""
        if not isinstance(job.message, Request):
            return self._unfinished.shelve(job)
        self._finish(job, Refused("table/paused", "The table is paused by the operator."))
        return True

    def _catch_up(self, name: str) -> None:
        self._current.add(name)
        try:
            self._cache.catch_up(name)
        except DoorcardError:
            self._cache.drop(name)  # the error is met again, with its message, when deciding

    # --- answering ---------------------------------------------------------------------------

    def _answer(
        self, others: Sequence[tuple[Job, Table, Refused | None]], unsettled: set[str]
    ) -> list[Job]:
        """Answer what needs no commit; return those that were decided on what is not so."""
        again: list[Job] = []
        self._looked_back.compare()  # this round's own commits are among the first answers
        for job, table, answer in others:
            try:
                if not self._is_done(job, table, answer, unsettled):
                    again.append(job)
            except TROUBLE:
                raise
            except Exception as error:  # noqa: BLE001 - as when deciding
                self._failed(job, error)
        return again

    def _is_done(self, job: Job, table: Table, answer: Refused | None, unsettled: set[str]) -> bool:
        message = job.message
        if not isinstance(message, Request):
            return message.table not in unsettled and self._settle(job, table, answer, unsettled)
        if self._moved_on(message.table, table, unsettled):
            return False
        self._finish(job, self._final(message, answer))
        return True

    def _moved_on(self, name: str, decided_on: Table, unsettled: set[str]) -> bool:
        """Whether a table is not what this round's decisions were made on; it is noted then."""
        if name not in unsettled and name not in self._current:
            self._current.add(name)
            unsettled.add(name)
            if self._cache.catch_up(name).chain == decided_on.chain:
                unsettled.remove(name)
        return name in unsettled

    def _settle(self, job: Job, table: Table, answer: Refused | None, unsettled: set[str]) -> bool:
        """Put a notice away that came to nothing, unless its table is another by now."""
        if not self._unfinished.settle(job, table, self._decider.role):
            unsettled.add(job.message.table)
            self._catch_up(job.message.table)
            return False
        if answer is not None:
            self.tally.refuse(answer.code)
        return True

    def _final(self, request: Request, answer: Refused | None) -> Answer:
        """The answer to give: to a repeat, what was answered the first time."""
        if answer is not None and answer.code not in MAYBE_REPEATS:
            return answer
        table = self._cache.get(request.table)
        before = first_answer(self._looked_back, table, request)
        if before is None and answer is None and was_accepted(table, request):
            return id_reused()
        return answer if before is None else before

    def _finish(self, job: Job, answer: Answer) -> None:
        """Answer what needed no commit, which is then finished."""
        if isinstance(answer, Refused):
            self.tally.refuse(answer.code)
            if self._debug:
                table = self._cache.peek(job.message.table)
                self._logger.debug("refused", **log_facts(job, table), code=answer.code)
        self._reply(job, answer)
        self._outbox.handled(job.delivery)

    def _reply(self, job: Job, answer: Answer) -> None:
        message = job.message
        if isinstance(message, Request):
            partition = partition_of(message.table)
            self._outbox.reply(partition, message.sender, reply_to(message, answer))

    # --- trouble -----------------------------------------------------------------------------

    def _failed(self, job: Job, error: Exception) -> None:
        """Leave the message for another delivery; bury it after too many."""
        table = self._cache.peek(job.message.table)
        self._cache.drop(job.message.table)
        if self._unfinished.leave(job.delivery, error):
            return
        if job.message.table in self._log.paused() and self._held_back(job):
            return
        why = describe(error)
        self._logger.error("message failed", **log_facts(job, table), error=why)
        if job.delivery.count >= self._settings.deliveries_max:
            self._unfinished.bury(job, why)
