"""From bytes that were delivered to jobs that can be decided."""

from __future__ import annotations

from collections.abc import Iterable

from doorcard.errors import Refused
from doorcard.streams.delivery import Delivery
from doorcard.streams.keys import partition_of_queue
from doorcard.streams.messages import Reply, parse, return_address
from services.jobs import Job, Tally
from services.outbox import Outbox
from services.unfinished import Unfinished


class Intake:
    """Understands messages; refuses those that make no sense, and buries what never ends."""

    def __init__(
        self, unfinished: Unfinished, outbox: Outbox, tally: Tally, deliveries_max: int
    ) -> None:
        self._unfinished = unfinished
        self._outbox = outbox
        self._tally = tally
        self._deliveries_max = deliveries_max

    def understood(self, deliveries: Iterable[Delivery]) -> list[Job]:
        """The messages that are to be decided."""
        jobs: list[Job] = []
        for delivery in deliveries:
            message = parse(delivery.raw)
            if isinstance(message, Refused):
                self._refuse(delivery, message)
            elif delivery.count > self._deliveries_max:
                job = Job(delivery, message)
                self._unfinished.bury(job, f"delivered {delivery.count - 1} times without an end")
            else:
                jobs.append(Job(delivery, message))
        return jobs

    def _refuse(self, delivery: Delivery, refused: Refused) -> None:
        """Answer a message that makes no sense, if it says whom to answer."""
        if self._unfinished.leave(delivery, refused):
            return
        code, sentence, seat = refused
        self._tally.refuse(code)
        self._unfinished.refuse(delivery, code, sentence)
        address = return_address(delivery.raw)
        if address is not None:
            sender, request_id = address
            reply = Reply(request_id, "", False, None, code, sentence, seat)
            self._outbox.reply(partition_of_queue(delivery.queue), sender, reply)
        self._outbox.handled(delivery)
