"""A worker's folded tables: bounded, and never trusted beyond what the store confirms."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from doorcard.engine.table import Table
from doorcard.errors import BadLog
from doorcard.streams.folding import fold_commits, rebuild
from doorcard.streams.log import Log
from services.logs import Logger


class TableCache:
    """Tables by id, the longest unused dropped first."""

    def __init__(self, log: Log, capacity: int, logger: Logger) -> None:
        self._log = log
        self._capacity = capacity
        self._logger = logger
        self._tables: OrderedDict[str, Table] = OrderedDict()

    def __len__(self) -> int:
        return len(self._tables)

    def get(self, table_id: str) -> Table:
        """The table as last known; loaded from the log if it is not here.

        A table that does not exist is an empty one.
        """
        table = self._tables.get(table_id)
        if table is None:
            table = rebuild(self._log, table_id)
            self.put(table_id, table)
        return table

    def peek(self, table_id: str) -> Table | None:
        """The table if it is here."""
        return self._tables.get(table_id)

    def put(self, table_id: str, table: Table) -> None:
        """Keep a table, dropping the longest unused one when there are too many."""
        self._tables[table_id] = table
        self._tables.move_to_end(table_id)
        if len(self._tables) > self._capacity:
            self._tables.popitem(last=False)

    def drop(self, table_id: str) -> None:
        """Forget a table; it is loaded again when next needed."""
        self._tables.pop(table_id, None)

    def load(self, table_ids: Iterable[str]) -> None:
        """Load those tables that are not here."""
        for table_id in table_ids:
            self.get(table_id)

    def refresh(self, table_ids: Sequence[str]) -> set[str]:
        """Fold what others committed since; return the tables that changed.

        A table that holds commits which the store has lost is loaded anew, and said so: nothing
        is ever built on a history that is gone.
        """
        known = [table_id for table_id in table_ids if table_id in self._tables]
        changed = {table_id for table_id in table_ids if table_id not in self._tables}
        self.load(changed)
        missed = self._log.read_many([(table_id, self._tables[table_id].seq) for table_id in known])
        for table_id, stored in zip(known, missed, strict=True):
            if not stored:
                continue
            try:
                self.put(table_id, fold_commits(self._tables[table_id], stored))
            except BadLog:
                self.reload(table_id)
            changed.add(table_id)
        return changed

    def reload(self, table_id: str) -> None:
        """Load a table anew after the store turned out not to hold what this cache does."""
        had = self._tables[table_id].seq
        self.drop(table_id)
        table = self.get(table_id)
        self._logger.warning(
            "the store holds another history than this worker",
            table=table_id,
            had=had,
            seq=table.seq,
        )
