"""Reading queues in a consumer group: what is new, and what was given up and is handed out again.

Groups that are missing are made. A queue's key that holds something else stops nobody but the
messages of its own partition.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

from redis.exceptions import ResponseError

from doorcard.errors import StoreError
from doorcard.streams.complaints import Complaint
from doorcard.streams.connection import Client, Word, exchange, exchange_one
from doorcard.streams.functions import CLAIM, Call, call_each
from doorcard.streams.keys import CONSUMER, GROUP, given_key
from doorcard.streams.present import Present
from doorcard.streams.spread import SpreadReader

NO_GROUP: Final = ("NOGROUP", "requires the key to exist")
"""What servers say where a group is missing; the second one is fakeredis, of a missing stream."""
WRONG_TYPE: Final = "WRONGTYPE"
STREAM_OR_NONE: Final = (b"stream", b"none")
_LOGGER: Final = logging.getLogger(__name__)

Entries = list[Any]
"""Raw entries of one queue."""


class GroupReader:
    """Reads the queues of a server or a cluster for one group."""

    def __init__(self, client: Client, spread: SpreadReader | None) -> None:
        """Make a reader.

        Args:
            spread: how a cluster's streams are read; none for a single server.
        """
        self._client = client
        self._spread = spread
        self._present = Present(client)
        self._groupless = Complaint(_LOGGER, "a group is missing and is made again: %s")
        self._unmended = Complaint(_LOGGER, "new messages are handed out late: %s")
        self._misfit = Complaint(_LOGGER, "%s is no queue: it is left out, the others go on")

    def ensure_groups(self, keys: Sequence[str]) -> None:
        """Make the consumer groups that are missing, from the beginning of each queue.

        Raises:
            StoreError: none of the keys is a queue.
            ResponseError: a server refused.
        """
        sound = self._fit(keys)
        commands = [("XGROUP", "CREATE", key, GROUP, "0", "MKSTREAM") for key in sound]
        for answer in self._present(exchange(self._client, commands)):
            if isinstance(answer, Exception) and not str(answer).startswith("BUSYGROUP"):
                raise answer

    def read(self, keys: Sequence[str], count: int, block_ms: int) -> Sequence[tuple[Any, Entries]]:
        """New messages, at most ``count`` of each queue; waits for the first one if told.

        Raises:
            StoreError: none of the keys is a queue.
            ResponseError: a server refused.
        """
        try:
            found = self._healing(keys, lambda: self._read(keys, count, block_ms))
        except ResponseError as error:
            if not str(error).startswith(WRONG_TYPE):
                raise
            sound = self._fit(keys)
            found = self._healing(sound, lambda: self._read(sound, count, block_ms))
        return found or ()

    def claim(self, keys: Sequence[str], idle_ms: int, count: int) -> list[Entries]:
        """Of each queue what was handed out a while ago, is still there, and is handed out again.

        Raises:
            StoreError: a key is no queue, and nothing was found elsewhere.
            ResponseError: a server refused, and nothing was found elsewhere.
        """
        calls = [Call(CLAIM, (key, given_key(key)), (GROUP, idle_ms, count)) for key in keys]
        found: list[Entries] = self._healing(keys, lambda: self._claimed(calls))
        return found

    def _fit(self, keys: Sequence[str]) -> list[str]:
        """The keys that hold a queue, or nothing yet; the others are named."""
        kinds = self._present(exchange(self._client, [("TYPE", key) for key in keys]))
        misfits = [
            key
            for key, kind in zip(keys, kinds, strict=True)
            if isinstance(kind, bytes) and kind not in STREAM_OR_NONE
        ]
        if misfits and len(misfits) == len(keys):
            raise StoreError(f"{misfits[0]} is no queue: the key holds another kind of value")
        if misfits:
            self._misfit.say(", ".join(misfits))
        return [key for key in keys if key not in misfits]

    def _healing(self, keys: Sequence[str], ask: Callable[[], Any]) -> Any:
        """The answer to what needs the groups, which are made where they are missing."""
        try:
            return ask()
        except ResponseError as error:
            if not any(text in str(error) for text in NO_GROUP):
                raise
            self._groupless.say(error)
        self.ensure_groups(keys)
        return ask()

    def _claimed(self, calls: Sequence[Call]) -> list[Entries]:
        """What each call hands out again; nothing where a node is away.

        A refusal is raised only where nothing was found elsewhere: what was handed out is counted
        as delivered.
        """
        found: list[Entries] = []
        refusals: list[Exception] = []
        for answer in self._present(call_each(self._client, calls, patient=False)):
            entries, refusal = ([], None) if answer is None else self._claim_of(answer)
            found.append(entries)
            if refusal is not None:
                refusals.append(refusal)
        if refusals and not any(found):
            raise refusals[0]
        return found

    def _claim_of(self, answer: Any) -> tuple[Entries, Exception | None]:
        """What a call handed out again, or why it did not."""
        if isinstance(answer, Exception):
            return [], answer
        code, detail, *unmended = answer
        if code == b"ok":
            if any(unmended):
                self._unmended.say(unmended[0].decode("utf-8", "replace"))
            return detail, None
        why: str = detail.decode()
        return [], ResponseError(f"NOGROUP {why}") if code == b"no_group" else StoreError(why)

    def _read(self, keys: Sequence[str], count: int, block_ms: int) -> Any:
        if self._spread is not None:
            return self._spread.read_group(keys, count, block_ms)
        # Without lists of who has what, which cost a write for each message.
        words: list[Word] = ["XREADGROUP", "GROUP", GROUP, CONSUMER, "COUNT", count, "NOACK"]
        if block_ms:
            words += ["BLOCK", block_ms]
        return exchange_one(self._client, [*words, "STREAMS", *keys, *(">" for _ in keys)])
