"""A worker's folded tables: bounded, and never trusted beyond what the store confirms."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress

from redis.exceptions import ResponseError

from doorcard.engine.table import Table
from doorcard.errors import BadLog, DoorcardError, NewerFormat
from doorcard.streams.folding import fold_commits, is_trimmed_behind, missed, rebuild
from doorcard.streams.log import Log, Stored
from services.jobs import Tally
from services.logs import Logger
from services.losses import Policy, resume


class TableCache:
    """Tables by id as their logs gave them; the one that changed longest ago is dropped first."""

    def __init__(
        self, log: Log, capacity: int, logger: Logger, tally: Tally, after_loss: Policy = resume
    ) -> None:
        self._log = log
        self._after_loss = after_loss
        self._capacity = capacity
        self._logger = logger
        self._tally = tally
        self._tables: OrderedDict[str, Table] = OrderedDict()
        tally.tables = self._tables

    def __len__(self) -> int:
        return len(self._tables)

    def peek(self, table_id: str) -> Table | None:
        """The table if it is here."""
        return self._tables.get(table_id)

    def get(self, table_id: str) -> Table:
        """The table as last seen; loaded from the log if it is not here.

        One that was never opened is an empty table, and is not kept.

        Raises:
            BadLog: its log cannot be read, or does not fold.
            StoreError: the store holds something else than a log.
        """
        table = self._tables.get(table_id)
        if table is not None:
            self._tally.cache_hits += 1
            return table
        self._tally.cache_misses += 1
        table = rebuild(self._log, table_id)
        if table.seq:
            self.put(table_id, table)
        return table

    def put(self, table_id: str, table: Table) -> None:
        """Keep a table whose last commit is in the log."""
        self._tables[table_id] = table
        self._tables.move_to_end(table_id)
        if len(self._tables) > self._capacity:
            self._tables.popitem(last=False)

    def drop(self, table_id: str) -> None:
        """Forget a table; it is loaded again when next needed."""
        self._tables.pop(table_id, None)

    def read_ahead(self, table_ids: Iterable[str]) -> None:
        """Fold what others committed to some tables since, read in one call.

        A table that cannot be read must not stop the others: it is met alone later.
        """
        known = {name: table for name in table_ids if (table := self._tables.get(name))}
        wanted = [(name, table.seq) for name, table in known.items()]
        try:
            found = self._log.read_many(wanted)
        except (DoorcardError, ResponseError) as error:
            self._logger.warning("tables could not be read together", why=type(error).__name__)
            for name in known:
                self.drop(name)
            return
        for table, stored in zip(known.values(), found, strict=True):
            with suppress(DoorcardError):  # it stays as it is, and fails alone
                self._go_on(table, stored)

    def catch_up(self, table_id: str) -> Table:
        """Compare a table with its log's end, and fold what is missing; the table as it is now.

        A table that holds commits which the store has lost is loaded anew, and said so: nothing
        is ever built on a history that is gone.

        Raises:
            BadLog: its log cannot be read, or does not fold.
            StoreError: the store holds something else than a log.
        """
        table = self._tables.get(table_id)
        if table is not None:
            behind = missed(self._log.read(table_id, table.seq - 1), table)
            if behind is None:
                self._reload(table)
            elif behind:
                self._go_on(table, behind)
        return self._tables.get(table_id) or self.get(table_id)

    def _go_on(self, table: Table, stored: Sequence[Stored]) -> None:
        """Fold commits, unless they are those of another history."""
        self._tally.missed_commits += len(stored)
        try:
            self.put(table.id, fold_commits(table, stored) if stored else table)
        except NewerFormat:  # unless a hand was begun since that can be read
            self.drop(table.id)
            self.get(table.id)
        except BadLog:
            self._reload(table)

    def _reload(self, table: Table) -> None:
        """Load a table anew. It stays until that is done: whoever fails here notices it again.

        Where what it lacks was archived nothing is lost: the log begins with a whole table.
        """
        trimmed = is_trimmed_behind(self._log, table.id, table)
        left = rebuild(self._log, table.id)
        if trimmed:
            self.put(table.id, left)
            return
        facts = self._after_loss(table, left)
        self.drop(table.id)
        self._tally.forgotten += 1
        if left.seq:
            self.put(table.id, left)
        facts |= {"table": table.id, "seen": table.seq, "left": left.seq}
        self._logger.error("the store forgot commits", **facts)
