"""Reading streams that are spread over the nodes of a cluster, each in a slot of its own.

Everything due is asked for in one exchange. What was found empty is watched by a standing read,
and asked for again when that ends. A node that is away stops nobody but its own streams.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from random import uniform
from typing import Any, Final

from doorcard.streams.cluster_node import is_away
from doorcard.streams.complaints import Complaint
from doorcard.streams.connection import RoutingClient, Word
from doorcard.streams.keys import CONSUMER, GROUP
from doorcard.streams.standing import Arrived, StandingReads

SWEEP_EVERY_S: Final = 1.0
"""A stream that is watched is asked for after so long all the same: a group made anew hands out
what lay there before, which no watch would show."""
AWAY_PAUSE_S_MIN: Final = 0.05
AWAY_PAUSE_S_MAX: Final = 0.5
"""How long a stream is left alone whose node is away; doubled from the least to the most."""
PATIENCE_S: Final = 3.0
"""While all nodes are away, so long is waited for them before that is an error."""
AWAY: Final = "a part of the cluster does not answer, the others go on: %s"
_LOGGER: Final = logging.getLogger(__name__)

Found = list[tuple[str, Any]]
"""Streams, each with its raw new entries."""


class SpreadReader:
    """Reads many streams of a cluster, and waits for the first that has something.

    Not for several threads at once.
    """

    def __init__(self, client: RoutingClient) -> None:
        self._client = client
        self._standing = StandingReads(client)
        self._handed: dict[str, str] = {}
        """For a queue, the id up to which every message was handed out to somebody."""
        self._arrived: dict[str, Arrived] = {}
        """What a standing read has brought, and nobody has looked at yet."""
        self._due_s: dict[str, float] = {}
        """When a stream is to be asked for again, whatever its standing read says."""
        self._away: dict[str, Exception] = {}
        self._pause_s: dict[str, float] = {}
        """How long a stream is left alone when its node is away next time."""
        self._all_away_s = float("inf")
        """Since when all nodes have been away."""
        self._complaint = Complaint(_LOGGER, AWAY)

    def read_group(self, keys: Sequence[str], count: int, block_ms: int) -> Found:
        """New messages of queues, without lists of who has what; waits for the first if told.

        Raises:
            ResponseError: a server refused, and nothing was found elsewhere.
            RedisError: all nodes are away.
        """
        head: tuple[Word, ...] = ("XREADGROUP", "GROUP", GROUP, CONSUMER, "COUNT", count, "NOACK")

        def ask(due: Sequence[str]) -> Found:
            unknown = [key for key in due if key not in self._handed]
            commands: list[Sequence[Word]] = [
                ("XREVRANGE", key, "+", "-", "COUNT", 1) for key in unknown
            ]
            commands += [(*head, "STREAMS", key, ">") for key in due]
            answers = self._client.exchange(commands, patient=False)
            newest = dict(zip(unknown, answers, strict=False))
            found = self._sorted_out(due, answers[len(unknown) :])
            for key in self._away:
                self._handed.pop(key, None)
            for key, entries in found:
                self._handed[key] = entries[-1][0].decode()
            for key in set(due).difference(self._away, dict(found)):
                so_far = self._handed.get(key) or _end_of(newest[key])
                self._handed[key] = max(so_far, _end_of(self._seen(key)), key=order_of)
            return found

        return self._gather(keys, ask, self._handed, 1, block_ms)

    def follow(self, positions: Mapping[str, str], count: int, block_ms: int) -> Found:
        """Entries behind an id in each stream; waits for the first if told.

        Raises:
            ResponseError: a server refused, and nothing was found elsewhere.
            RedisError: all nodes are away.
        """

        def ask(due: Sequence[str]) -> Found:
            seen = {key: self._seen(key, after) for key, after in positions.items()}
            found = [(key, entries) for key, entries in seen.items() if entries]
            asked = [key for key in due if not seen[key]]
            commands = [("XREAD", "COUNT", count, "STREAMS", key, positions[key]) for key in asked]
            return found + self._sorted_out(asked, self._client.exchange(commands, patient=False))

        return self._gather(list(positions), ask, positions, count, block_ms)

    def close(self) -> None:
        """Give up the standing reads."""
        self._standing.close()

    def _gather(
        self,
        keys: Sequence[str],
        ask: Callable[[Sequence[str]], Found],
        positions: Mapping[str, str],
        count: int,
        block_ms: int,
    ) -> Found:
        """Ask for what is due until something is found, or the time is over.

        Args:
            count: how many entries are of use that a standing read brings.
        """
        give_up_s = time.monotonic() + block_ms / 1000
        left_s = 0.0
        while True:
            self._arrived.update(self._standing.wait(left_s))
            found = ask(self._due(keys, positions))
            now_s = time.monotonic()
            if found or (now_s >= give_up_s and not self._are_all_away(keys, now_s)):
                return found
            self._watch({key: positions[key] for key in keys if key not in self._away}, count)
            next_s = min(self._due_s.get(key, 0.0) for key in keys)
            left_s = max(0.0, min(next_s, max(give_up_s, now_s + AWAY_PAUSE_S_MIN)) - now_s)

    def _watch(self, positions: Mapping[str, str], count: int) -> None:
        for key, error in self._standing.begin(positions, count).items():
            self._set_away(key, error)

    def _seen(self, key: str, after: str | None = None) -> list[Any]:
        """What a standing read has brought of a stream, behind an id if told; each thing once."""
        arrived = self._arrived.pop(key, None)
        return arrived.entries if arrived and after in {None, arrived.after} else []

    def _due(self, keys: Sequence[str], positions: Mapping[str, str]) -> list[str]:
        """What nothing is known of: not watched, nor asked for a moment ago in vain."""
        now_s = time.monotonic()
        due: list[str] = []
        for key in keys:
            watched = key in positions and self._standing.after(key) == positions[key]
            if now_s >= self._due_s.get(key, 0.0) or not (watched or key in self._away):
                due.append(key)
        return due

    def _sorted_out(self, due: Sequence[str], answers: Sequence[Any]) -> Found:
        """What was found, and what was not noted."""
        found: Found = []
        refusal: Exception | None = None
        # All together, not each at a time of its own: so many streams cost one exchange.
        due_s = (time.monotonic() // SWEEP_EVERY_S + 1) * SWEEP_EVERY_S
        for key, answer in zip(due, answers, strict=True):
            if is_away(answer):
                self._set_away(key, answer)
                continue
            self._away.pop(key, None)
            self._pause_s.pop(key, None)
            if isinstance(answer, Exception):
                refusal = answer
                continue
            self._due_s[key] = due_s
            if answer:
                found.append((key, answer[0][1]))
        if refusal is not None and not found:
            raise refusal
        return found

    def _set_away(self, key: str, error: Exception) -> None:
        pause_s = self._pause_s.get(key, AWAY_PAUSE_S_MIN)
        self._away[key] = error
        self._pause_s[key] = min(2 * pause_s, AWAY_PAUSE_S_MAX)
        self._due_s[key] = time.monotonic() + pause_s * uniform(0.5, 1.0)  # noqa: S311 - jitter, not a secret
        self._complaint.say(error)

    def _are_all_away(self, keys: Sequence[str], now_s: float) -> bool:
        """Whether no node is there, and the patience not over yet; then that is raised."""
        if not all(key in self._away for key in keys):
            self._all_away_s = float("inf")
            return False
        self._all_away_s = min(self._all_away_s, now_s)
        if now_s - self._all_away_s >= PATIENCE_S:
            raise self._away[keys[0]]
        return True


def _end_of(newest: Any) -> str:
    """The id of the first entry of an answer; of one that tells none, the beginning."""
    return newest[0][0].decode() if isinstance(newest, list) and newest else "0-0"  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def order_of(entry_id: str) -> tuple[int, int]:
    """An entry's id as numbers that can be compared."""
    left, _, right = entry_id.partition("-")
    return int(left or 0), int(right or 0)
