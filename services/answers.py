"""What a request was answered the first time, found in the log."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from doorcard.commands import AddChips, SitDown
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.streams.codec import decode
from doorcard.streams.log import Log, Stored
from doorcard.streams.messages import Reply, Request

LOOK_BACK: Final = 200
"""How many commits back a request's id is looked for; the hand in progress is always included."""
CHIPS_LOOK_BACK: Final = 2_000
"""The same for a request that brings chips, about an hour of play. As long as the seat is held the
table itself remembers it; this is for one that comes again when the player has left, and would
bring his chips a second time."""
PAGE: Final = 200
CAUSE_WITHIN_BYTES: Final = 24
"""A commit's cause stands near its beginning: behind its format, its time and its role."""
MAYBE_REPEATS: Final = frozenset(
    {
        "betting/late",
        "betting/nobody_asked",
        "betting/not_your_seat",
        "betting/not_your_turn",
        "betting/unknown_seat",
        "choice/late",
        "choice/made_already",
        "choice/not_your_seat",
        "choice/not_your_turn",
        "choice/unknown_seat",
        "dealer/nobody_asked",
        "floor/closed",
        "floor/leaving",
        "floor/not_seated",
        "floor/not_your_seat",
        "floor/seat_taken",
        "floor/seated_already",
        "floor/table_exists",
    }
)
"""Refusals that a repeat of an accepted request would get if the log were not asked first."""

Answer = Refused | int | None
"""A refusal; or the number of the commit that a granted request is in, None if it is in none."""


class LookedBack:
    """The ends of logs as they were read for a batch: what many requests are looked for in.

    To read thousands of commits takes far longer than to decide. So they are kept for the batch,
    and followed by what was committed since. Each commit's mark speaks for all before it.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._ends: dict[str, deque[Stored]] = {}
        """The commits of a table, newest first."""
        self._whole: set[str] = set()
        """Tables whose logs hold nothing before that."""
        self._compared: set[str] = set()

    def forget(self) -> None:
        """Begin anew."""
        self._ends.clear()
        self._whole.clear()
        self._compared.clear()

    def compare(self) -> None:
        """Look at each log's end before it is used again: others may have committed since."""
        self._compared.clear()

    def newest_first(self, table: str) -> Iterator[Stored]:
        """A log's commits, of which no more are read than are asked for."""
        end = self._end_of(table)
        yield from tuple(end)
        while table not in self._whole:
            page = self._log.read_back(table, end[-1].seq if end else None, PAGE)
            if len(page) < PAGE:
                self._whole.add(table)
            end.extend(page)
            yield from page

    def _end_of(self, table: str) -> deque[Stored]:
        """What is kept of a log that ends so now; nothing if it is another log."""
        end = self._ends.setdefault(table, deque())
        if end and table not in self._compared:
            seq, _, mark = end[0]
            known, *newer = self._log.read(table, seq - 1) or (None,)
            if known is None or (known.seq, known.mark) != (seq, mark):
                end.clear()
                self._whole.discard(table)
            end.extendleft(newer if end else ())
        self._compared.add(table)
        return end


def was_accepted(table: Table, request: Request) -> bool:
    """Whether something with this id was accepted in the last hand that the table remembers."""
    return table.hand is not None and table.hand.accepted(request.id)


def first_answer(looked_back: LookedBack, table: Table, request: Request) -> Answer:
    """The commit that an accepted request is in, a refusal if its id named another; else None."""
    name = request.id.encode()
    end = len(name) + CAUSE_WITHIN_BYTES
    brings_chips = isinstance(request.command, SitDown | AddChips)
    least = CHIPS_LOOK_BACK if brings_chips else LOOK_BACK
    count = max(least, table.seq - table.hand_seq + 1)
    for seq, raw, _ in islice(looked_back.newest_first(request.table), count):
        if name in raw[:end]:  # most commits need not be decoded
            commit = decode(raw)
            if commit.cause == request.id:
                return seq if commit.digest == request.digest else id_reused()
    return None


def id_reused() -> Refused:
    """The refusal of an id that was used for something else."""
    return Refused("message/id_reused", "That id was used for another request.")


def reply_to(request: Request, answer: Answer) -> Reply:
    """The reply that tells a request's sender the answer."""
    if isinstance(answer, Refused):
        code, sentence, seat = answer
        return Reply(request.id, request.table, False, None, code, sentence, seat)
    return Reply(request.id, request.table, ok=True, seq=answer)
