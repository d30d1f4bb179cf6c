"""Messages that a worker cannot bring to an end: held, left to newer workers, or buried."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from redis.exceptions import RedisError

from doorcard.engine.table import Table
from doorcard.errors import NewerFormat, Refused, StoreError
from doorcard.streams.commit import PREV_BYTES
from doorcard.streams.complaints import Seldom
from doorcard.streams.delivery import Delivery, MessageQueues, Settled
from doorcard.streams.keys import partition_of, partition_of_queue
from doorcard.streams.messages import NEWER_FORMAT, return_address
from doorcard.tables import Role
from services.clocks import Clock
from services.jobs import Job, Tally, log_facts
from services.logs import Logger, describe

REQUEST_LEFT_MS: Final = 60_000
"""How long a request of a newer format waits for somebody who understands it."""


class Unfinished:
    """What becomes of the messages that one worker holds or gives up."""

    def __init__(self, queues: MessageQueues, clock: Clock, tally: Tally, logger: Logger) -> None:
        self.held = False
        """Messages wait here because the store takes no writes, and that was said."""
        self._queues = queues
        self._clock = clock
        self._tally = tally
        self._logger = logger
        self._seldom, self._mistimed, self._refused = Seldom(), Seldom(), Seldom()
        self._untold = 0

    def settle(self, job: Job, table: Table, role: Role) -> bool:
        """Put a notice away that came to nothing, unless its table is another by now.

        A timer that ran out early is set again: there may be no other for the decision.
        """
        delivery, name = job.delivery, job.message.table
        if self._is_astray(job):
            self._queues.ack(delivery)
            return True
        timer = (role, table.deadline_ms) if table.awaited == role and table.asked else None
        mark = table.chain[:PREV_BYTES]
        return self._queues.settle(delivery, Settled(name, table.seq, mark, timer))

    def shelve(self, job: Job) -> bool:
        """Put a notice to a paused table away, unless the table goes on by now.

        Whoever resumed it may have found the notice, and then puts no other into its place.
        """
        if self._is_astray(job):
            self._queues.ack(job.delivery)
            return True
        return self._queues.shelve(job.delivery, job.message.table)

    @staticmethod
    def _is_astray(job: Job) -> bool:
        """Whether a message lies in another partition than its table: no worker put it there."""
        return partition_of(job.message.table) != partition_of_queue(job.delivery.queue)

    def leave(self, delivery: Delivery, problem: Refused | Exception) -> bool:
        """Leave a message to newer workers if that is all it needs; whether it was.

        It stays in its queue and is handed out again after the usual while, to whoever asks
        first. This delivery does not count, so it never becomes a dead letter for its format. A
        request has somebody who waits, so after ``REQUEST_LEFT_MS`` it is refused.
        """
        if isinstance(problem, Refused):
            if problem.code != NEWER_FORMAT or self._waited_too_long(delivery):
                return False
            why = problem.sentence
        elif isinstance(problem, NewerFormat):
            why = str(problem)
        else:
            return False
        self._uncount([delivery])
        if self._seldom.is_due():
            self._logger.warning(
                "left for a newer worker", message=delivery.id, queue=delivery.queue, why=why
            )
        return True

    def _waited_too_long(self, delivery: Delivery) -> bool:
        sent_ms = int(delivery.id.split("-")[0])
        is_old = self._clock.now_ms() - sent_ms > REQUEST_LEFT_MS
        return is_old and return_address(delivery.raw) is not None

    def hold(self, why: str, messages: int) -> None:
        """Say that the store takes no writes, or without a reason that it does again."""
        self.held = bool(why)
        if self.held:
            self._logger.error("the store takes no writes, waiting", messages=messages, why=why)
        else:
            self._logger.info("the store takes writes again")

    def refuse(self, delivery: Delivery, code: str, why: str) -> None:
        """Say that a message was none; of many, which whoever sends them could go on with, one."""
        self._untold += 1
        if self._refused.is_due():
            self._logger.warning(
                "message refused", message=delivery.id, code=code, why=why, count=self._untold
            )
            self._untold = 0

    def mistime(self, job: Job, why: str) -> None:
        """Say that a message waits because its commit's time is not the store's."""
        if self._mistimed.is_due():  # all of them wait, and all are tried again soon
            self._logger.warning("not the store's time", **log_facts(job, None), why=why)

    def put_back(self, jobs: Sequence[Job]) -> None:
        """Leave messages for another delivery that others were faster than each time.

        This delivery does not count: nothing is wrong with them.
        """
        self._uncount([job.delivery for job in jobs])
        self._logger.warning(
            "many conflicts, left for another delivery",
            **log_facts(jobs[0], None),
            messages=len(jobs),
        )

    def excuse(self, deliveries: Sequence[Delivery]) -> None:
        """Count this delivery of messages as none: the store refused what they needed.

        As far as it takes that; where it does not, it hands them out to nobody else either.
        """
        with suppress(RedisError, OSError, StoreError):
            self._uncount(deliveries)

    def _uncount(self, deliveries: Sequence[Delivery]) -> None:
        """Leave messages alone for a while; what they were delivered now does not count."""
        self._queues.hold([each._replace(count=each.count - 1) for each in deliveries])

    def bury(self, job: Job, reason: str) -> None:
        """Put a message among the dead letters, which pauses its table."""
        try:
            self._queues.bury(job.delivery, job.message.table, reason)
        except StoreError as error:  # the message stays, and is delivered again
            self._logger.error(  # noqa: TRY400 - a traceback tells no more
                "message not buried", **log_facts(job, None), error=describe(error)
            )
            return
        self._tally.buried += 1
        self._logger.error("message buried, table paused", **log_facts(job, None), why=reason)
