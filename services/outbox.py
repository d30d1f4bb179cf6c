"""What a batch has come to, until it is sent: replies, and the messages that were handled."""

from __future__ import annotations

from doorcard.streams.delivery import Delivery, MessageQueues, Outgoing
from doorcard.streams.messages import Reply, encode_reply


class Outbox:
    """Replies, and messages that may be deleted."""

    def __init__(self, queues: MessageQueues) -> None:
        self._queues = queues
        self._replies: list[Outgoing] = []
        self._handled: list[Delivery] = []

    def reply(self, partition: str, sender: str, reply: Reply) -> None:
        """Answer somebody."""
        self._replies.append(Outgoing(partition, sender, encode_reply(reply)))

    def handled(self, delivery: Delivery) -> None:
        """Nothing is left to do about a message but to delete it."""
        self._handled.append(delivery)

    @property
    def ids(self) -> set[tuple[str, str]]:
        """Queue and id of each message that is handled, and was not deleted yet."""
        return {delivery[:2] for delivery in self._handled}

    def send(self) -> None:
        """Send everything in one call; where that fails, everything is kept."""
        if self._replies or self._handled:
            self._queues.finish(self._replies, self._handled)
            self._replies, self._handled = [], []
