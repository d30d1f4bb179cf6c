"""What a request was answered the first time, found in the log."""

from __future__ import annotations

from collections.abc import Iterator
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
    """A log's end as it was read a moment ago, for many requests of one round."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._pages: dict[tuple[str, int | None, int], list[Stored]] = {}

    def forget(self) -> None:
        """Begin anew: others may have committed since."""
        self._pages.clear()

    def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
        """As the log has it."""
        place = (table, before, count)
        if place not in self._pages:
            self._pages[place] = self._log.read_back(table, before, count)
        return self._pages[place]


def was_accepted(table: Table, request: Request) -> bool:
    """Whether something with this id was accepted in the last hand that the table remembers."""
    return table.hand is not None and table.hand.accepted(request.id)


def first_answer(log: Log | LookedBack, table: Table, request: Request) -> Answer:
    """The commit that an accepted request is in, a refusal if its id named another; else None."""
    name = request.id.encode()
    end = len(name) + CAUSE_WITHIN_BYTES
    for seq, raw, _ in _looked_back(log, table, request):
        if name in raw[:end]:  # most commits need not be decoded
            commit = decode(raw)
            if commit.cause == request.id:
                return seq if commit.digest == request.digest else id_reused()
    return None


def _looked_back(log: Log | LookedBack, table: Table, request: Request) -> Iterator[Stored]:
    """The commits in which a request's id is looked for, newest first."""
    brings_chips = isinstance(request.command, SitDown | AddChips)
    least = CHIPS_LOOK_BACK if brings_chips else LOOK_BACK
    left, before = max(least, table.seq - table.hand_seq + 1), None
    while left > 0:
        page = log.read_back(request.table, before, min(left, PAGE))
        yield from page
        if len(page) < min(left, PAGE):
            return
        left, before = left - len(page), page[-1].seq


def id_reused() -> Refused:
    """The refusal of an id that was used for something else."""
    return Refused("message/id_reused", "That id was used for another request.")


def reply_to(request: Request, answer: Answer) -> Reply:
    """The reply that tells a request's sender the answer."""
    if isinstance(answer, Refused):
        code, sentence, seat = answer
        return Reply(request.id, request.table, False, None, code, sentence, seat)
    return Reply(request.id, request.table, ok=True, seq=answer)
