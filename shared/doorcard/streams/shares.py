"""Which partitions each of several workers of a role reads.

A worker keeps the tables folded that it commits to. One that meets a table only now and then has
to read and fold first what others committed to it, which costs more than the commit. So while
several workers of a role are there, each prefers partitions of its own.

It is a preference and nothing else: no right to read, or not to, follows from it, and two workers
that see it differently do each other no harm. Whoever is there is known from the server itself,
which remembers when each member of a group last asked for something: a worker calls there once a
second under a name of its own, and asks when the others did. That writes nothing.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Sequence
from typing import Any, Final

from doorcard.streams.cluster_node import is_away
from doorcard.streams.complaints import Complaint
from doorcard.streams.connection import Client, exchange, fields_of
from doorcard.streams.keys import CONSUMER, GROUP, queue_key
from doorcard.streams.spread import order_of
from doorcard.streams.understood import understands
from doorcard.tables import Role

CALL_EVERY_S: Final = 1.0
"""How often a worker says that it is there, and asks who else is."""
THERE_MS: Final = 2_000
"""Who has not called for longer than this is not there."""
FORGET_MS: Final = 600_000
"""Who has not called for longer than this is struck off the group's list."""
_LOGGER: Final = logging.getLogger(__name__)

_READ: Final = ("XREADGROUP", "GROUP", GROUP)

EntryId = tuple[int, int]
NOTHING: Final[EntryId] = (0, 0)
"""Before the id of any entry."""


class Shares:
    """What one worker knows of its role's workers. Until it knows anything, it reads everything."""

    def __init__(self, client: Client, role: Role, partitions: Sequence[str]) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        """What this worker is called among its role's."""
        self.workers = 1
        """How many there are, this one included."""
        self.own = tuple(partitions)
        """The partitions that this worker prefers."""
        self._helped: tuple[str, ...] = ()
        self._client = client
        self._partitions = tuple(partitions)
        self._keys = {partition: queue_key(role, partition) for partition in partitions}
        self._call_key = self._keys[partitions[0]]
        self._call_s = 0.0
        """When to call next."""
        self._newest: dict[str, EntryId] = {}
        """The newest message that lay in each of the others' queues at the last look."""
        self._complaint = Complaint(_LOGGER, "it is not known how many workers are there: %s")

    def partitions(self) -> Sequence[str]:
        """What to read now: the own partitions, and where others leave messages lying."""
        return self.own + self._helped

    @understands
    def look(self) -> None:
        """See who is there, if it is time to, and what the others leave lying.

        To be called several times a second: where a message lies in another's queue that lay there
        the last time, that other is dead, stopped, or has too much to do, and is helped until the
        next look.

        Raises:
            RedisError: as the client raises it; a part of a cluster that is away is none.
        """
        if time.monotonic() >= self._call_s:
            self._call()
            self._call_s = time.monotonic() + CALL_EVERY_S
        self._helped = self._left_lying()

    def leave(self) -> None:
        """Say that this worker is there no more, so that the others need not find out."""
        self._strike([self.name])

    def _call(self) -> None:
        """Call, and share out anew. Where the answer does not come, all stays as it is."""
        called, listed = exchange(
            self._client,
            [
                # What was handed out to this name before, which is nothing: it takes no message.
                (*_READ, self.name, "COUNT", 1, "NOACK", "STREAMS", self._call_key, "0"),
                ("XINFO", "CONSUMERS", self._call_key, GROUP),
            ],
            patient=False,
        )
        for answer in (called, listed):
            if isinstance(answer, Exception):
                if not is_away(answer):
                    self._complaint.say(answer)
                return
        idle_ms = _idle_ms(listed)
        there = sorted(name for name, ms in idle_ms.items() if ms <= THERE_MS)
        if self.name not in there:
            return
        self.workers = len(there)
        self.own = self._share(there.index(self.name))
        if there[0] == self.name:
            self._strike([name for name, ms in idle_ms.items() if ms > FORGET_MS])

    def _share(self, place: int) -> tuple[str, ...]:
        """The partitions of the worker at a place. More workers than partitions share some."""
        share = self._partitions[place :: self.workers]
        return share or (self._partitions[place % len(self._partitions)],)

    def _strike(self, names: Sequence[str]) -> None:
        """Strike names off the list, best effort."""
        words = ("XGROUP", "DELCONSUMER", self._call_key, GROUP)
        exchange(self._client, [(*words, name) for name in names], patient=False)

    def _left_lying(self) -> tuple[str, ...]:
        """The others' partitions in which something lies that lay there at the last look."""
        others = [partition for partition in self._partitions if partition not in self.own]
        keys = [self._keys[partition] for partition in others]
        commands = [("XRANGE", key, "-", "+", "COUNT", 1) for key in keys]
        commands += [("XREVRANGE", key, "+", "-", "COUNT", 1) for key in keys]
        answers = exchange(self._client, commands, patient=False)
        oldest = _ids(others, answers[: len(others)])
        before, self._newest = self._newest, _ids(others, answers[len(others) :])
        return tuple(name for name, found in oldest.items() if found <= before.get(name, NOTHING))


def _idle_ms(listed: Sequence[Any]) -> dict[str, int]:
    """How long each worker that ever called has not done so, from what a group's list says."""
    members = [fields_of(member) for member in listed]
    idle_ms = {member[b"name"].decode(): int(member[b"idle"]) for member in members}
    idle_ms.pop(CONSUMER, None)
    return idle_ms


def _ids(partitions: Sequence[str], answers: Sequence[Any]) -> dict[str, EntryId]:
    """The id of the one entry in each answer, if there is one."""
    return {
        partition: order_of(answer[0][0].decode())
        for partition, answer in zip(partitions, answers, strict=True)
        if answer and not isinstance(answer, Exception)
    }
