"""``python -m services archive``: old hands go into files, which still settle disputes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from doorcard.audit.archive import Kept, Moved, archive_table
from doorcard.errors import BadInput, DoorcardError, StoreError
from doorcard.streams.archive_file import held
from doorcard.streams.connection import connect
from doorcard.streams.keys import partition_names, partition_of
from doorcard.streams.redis_log import RedisLog
from doorcard.views.text import counted
from services.answers import CHIPS_LOOK_BACK
from services.settings import Settings


class Order(NamedTuple):
    """What is to be archived, and where to."""

    tables: Sequence[str]
    """Ids; none means all."""
    folder: Path
    keep_hands: int
    anew: bool
    """Begin files for tables that were archived elsewhere before."""


def archive(settings: Settings, order: Order, say: Callable[[str], None]) -> int:
    """Archive tables, one after another, and say what became of each; the exit code.

    Raises:
        BadInput: the folder cannot be used.
    """
    client = connect(settings.redis_url)
    kept = Kept(order.keep_hands, CHIPS_LOOK_BACK)
    codes = {0}
    with held(order.folder):
        wanted = order.tables
        if not wanted:
            wanted = RedisLog(client, partitions=partition_names(settings.partitions)).tables()
        for table in dict.fromkeys(wanted):
            try:
                log = RedisLog(client, partitions=[partition_of(table)])
                say(_told(archive_table(log, table, order.folder, kept, anew=order.anew)))
            except DoorcardError as reason:
                say(f"not archived: {reason}")
                codes.add(2 if isinstance(reason, BadInput | StoreError) else 1)
    return 1 if 1 in codes else max(codes)


def _told(moved: Moved) -> str:
    if not moved.commits:
        return f"{moved.table}: nothing to move"
    what = f"{counted(moved.commits, 'commit')}, {counted(moved.hands, 'hand')}"
    return (
        f"{moved.table}: {what} moved to {moved.path}, which ends with commit {moved.archived.seq}"
    )
