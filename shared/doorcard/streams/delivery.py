"""What queues are asked, whichever store they live in, and what they hand out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from doorcard.errors import Refused
from doorcard.tables import Role

QUEUE_MAX: Final = 10_000
"""Messages that a queue takes from outside before it is called busy."""
REPLIES_MAX: Final = 1_000
"""About how many replies of each partition are kept for one sender."""
REPLIES_KEPT_S: Final = 24 * 3600
"""A sender's replies go after this long without a new one."""
POSTPONE_MS: Final = 1_000
"""How much later the timer of a paused table is looked at again."""
SILENCE_MS: Final = 2_000
"""When no clock could write for longer than this, time that players lost is given back."""
OUTAGES_MAX: Final = 16
"""How many outages a partition remembers."""
BEGINNING: Final = "0-0"
"""The position before the first entry of a stream."""


class Delivery(NamedTuple):
    """One message as it was handed to a worker."""

    queue: str
    id: str
    raw: bytes
    count: int  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]
    """How often it has been handed out, this time included. Kept by the store, so it also counts
    the workers that died over it."""


class DeadLetter(NamedTuple):
    """A message that nobody could handle."""

    id: str
    """Its place among the dead letters."""
    queue: str
    message_id: str
    """What it was called in its queue."""
    raw: bytes
    table: str
    """Empty where even that could not be read."""
    reason: str
    count: int  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]


class Settled(NamedTuple):
    """What a message that came to nothing was decided on."""

    table: str
    seq: int
    mark: bytes
    """Number and mark of the table's newest commit, as ``streams.log`` has them."""
    timer: tuple[Role, int] | None = None
    """Whose timer must run, until when at the latest: there may be no other for the decision."""


class FeedEntry(NamedTuple):
    """One commit as the feed of its partition names it."""

    partition: str
    id: str
    table: str
    seq: int


class Outgoing(NamedTuple):
    """A reply to be sent."""

    partition: str
    """Of the table that it is about."""
    sender: str
    """Of the request: who is answered."""
    raw: bytes


class Reply(NamedTuple):
    """One reply as it lies in its sender's stream in a partition."""

    partition: str
    id: str
    raw: bytes


class MessageQueues(Protocol):
    """Queues, timers, feeds and replies. Both adapters behave the same, and pass the same tests."""

    def send(self, role: Role, table: str, raw: bytes) -> str | Refused:
        """Put a message into the queue of a table's partition; its id, or why not.

        ``queue/busy`` where too much waits already; ``queue/full`` where the store takes no writes
        for now. The length is read just before, so senders that come at the same moment may go
        over it by one message each.
        """
        ...

    def send_many(self, messages: Sequence[tuple[Role, str, bytes]]) -> list[str | Refused]:
        """``send`` for many (role, table, message) at once."""
        ...

    def read(
        self, role: Role, partitions: Sequence[str], count: int, block_ms: int = 0
    ) -> list[Delivery]:
        """New messages, at most ``count`` of each partition; waits for the first one if told."""
        ...

    def claim(
        self, role: Role, partitions: Sequence[str], idle_ms: int, count: int
    ) -> list[Delivery]:
        """Hand out again what was handed out a while ago and is still there.

        Oldest first, at most ``count`` of each partition. The while is at least ``idle_ms``, and
        on a server up to twice that: it keeps no list of who has what.
        """
        ...

    def hold(self, deliveries: Sequence[Delivery]) -> None:
        """Say that messages are still worked at: ``claim`` leaves them alone for another while.

        This counts as no new delivery.
        """
        ...

    def ack(self, delivery: Delivery) -> None:
        """Delete a message that needed no commit."""
        ...

    def finish(self, replies: Sequence[Outgoing], handled: Sequence[Delivery]) -> None:
        """Send replies, best effort, and then ``ack`` messages, in one call."""
        ...

    def bury(self, delivery: Delivery, table: str | None, reason: str) -> None:
        """Move a message to the dead letters, and pause its table, at once.

        Does nothing if the message is there no more: somebody else handled it, or buried it.
        """
        ...

    def dead(self, partition: str) -> list[DeadLetter]:
        """The dead letters of a partition, oldest first."""
        ...

    def revive(self, partition: str, letter: DeadLetter) -> None:
        """Put a dead letter back into its queue. Its table stays paused until it is resumed."""
        ...

    def drop_dead(self, partition: str, letter: DeadLetter) -> None:
        """Delete a dead letter for good."""
        ...

    def length(self, role: Role, partition: str) -> int:
        """Messages that are not finished: waiting, or handed out."""
        ...

    def fire(self, partition: str, count: int) -> int:
        """Turn up to ``count`` timers that ran out into messages; how many it were.

        A timer leaves the set and its message enters the queue in one step. The timer of a paused
        table is put off by ``POSTPONE_MS``. A partition remembers when this was called last, and
        the last times when it was not for longer than ``SILENCE_MS``: the messages name them.
        """
        ...

    def fire_many(self, partitions: Sequence[str], count: int) -> int:
        """``fire`` for many partitions, each up to ``count`` timers, in one call."""
        ...

    def settle(self, delivery: Delivery, settled: Settled) -> bool:
        """Delete a message that came to nothing, and see to its table's timer, in one step.

        Does neither, and says so with False, if the table is not any more what was decided on.
        """
        ...

    def shelve(self, delivery: Delivery, table: str) -> bool:
        """Delete a message to a paused table; not, and False, if the table is paused no more.

        Whoever resumes a table finds the message, and puts no other into its place.
        """
        ...

    def replies(
        self, sender: str, positions: Mapping[str, str], count: int = 100, block_ms: int = 0
    ) -> list[Reply]:
        """Replies behind a position in each partition, at most ``count`` of each, oldest first."""
        ...

    def feed(
        self, positions: Mapping[str, str], count: int = 100, block_ms: int = 0
    ) -> list[FeedEntry]:
        """Feed entries behind a position in each partition, at most ``count`` of each."""
        ...

    def feed_end(self, partition: str) -> str:
        """The position of a feed's newest entry: from here on only what is new is read."""
        ...


def busy(role: Role) -> Refused:
    """The refusal of a queue that has as much waiting as it takes."""
    return Refused("queue/busy", f"Too much waits for {role} at the moment; try again later.")


def full() -> Refused:
    """The refusal of a store that takes no writes for now."""
    return Refused("queue/full", "The store takes no writes at the moment; try again later.")
