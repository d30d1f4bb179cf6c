"""What a worker works on: messages that were delivered and understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from typing import NamedTuple

from doorcard.commands import Act, Choose
from doorcard.engine.table import Table
from doorcard.streams.delivery import Delivery
from doorcard.streams.messages import Fired, Request, Wake

Message = Wake | Fired | Request


class Job(NamedTuple):
    """A delivered message that has been understood."""

    delivery: Delivery
    message: Message


class Tally:
    """What a worker has done since it started."""

    __slots__ = (
        "buried",
        "cache_hits",
        "cache_misses",
        "commits",
        "conflicts",
        "forgotten",
        "missed_commits",
        "refusals",
        "refused",
        "tables",
    )

    def __init__(self) -> None:
        self.commits = self.conflicts = self.refusals = self.buried = 0
        self.cache_hits = self.cache_misses = 0
        self.missed_commits = 0
        """Commits of others that were read and folded."""
        self.forgotten = 0
        """Times that the store had lost commits which were seen before."""
        self.refused: dict[str, int] = {}
        """Refusals by code."""
        self.tables: Sized = ()
        """The folded tables that the worker keeps."""

    def refuse(self, code: str) -> None:
        """Note a refusal."""
        self.refusals += 1
        self.refused[code] = self.refused.get(code, 0) + 1


def cause_of(message: Message) -> str:
    """What a commit says about why it was made: a request's own id, or which notice it was."""
    if isinstance(message, Request):
        return message.id
    if isinstance(message, Fired):
        return f"timer-{message.deadline_ms}"
    return f"wake-{message.seq}"


def tables_behind(jobs: Iterable[Job], peek: Callable[[str], Table | None]) -> list[str]:
    """The tables of which messages name what is not folded yet, each once.

    Args:
        peek: a table as it is held here; None if it is not.
    """
    behind: dict[str, None] = {}
    for _, message in jobs:
        table = peek(message.table)
        if table is not None and names_the_future(message, table):
            behind[message.table] = None
    return list(behind)


def names_the_future(message: Message, table: Table) -> bool:
    """Whether a message was sent by somebody who knew more of the table than this."""
    if isinstance(message, Wake):
        return message.seq > table.seq
    if isinstance(message, Fired):
        return message.deadline_ms > table.deadline_ms
    command = message.command
    return isinstance(command, Act | Choose) and command.decision > table.decision


def log_facts(job: Job, table: Table | None) -> dict[str, object]:
    """What every log line about a message says. Nothing here is anybody's secret."""
    facts: dict[str, object] = {
        "table": job.message.table,
        "cause": cause_of(job.message),
        "message": job.delivery.id,
        "deliveries": job.delivery.count,
    }
    if table is not None:
        facts |= {"hand": table.hands, "seq": table.seq}
    return facts
