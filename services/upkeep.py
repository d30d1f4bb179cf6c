"""The operator's commands: look at a service's health, dead letters and pauses, and mend it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from redis.exceptions import AuthenticationError, NoPermissionError, RedisError

from doorcard.errors import BadInput, StoreError
from doorcard.fairness.keys import DeckKeyRing
from doorcard.streams.commit import ROLES
from doorcard.streams.connection import Client, connect
from doorcard.streams.delivery import DeadLetter
from doorcard.streams.folding import rebuild
from doorcard.streams.keys import partition_names, read_queue_key
from doorcard.streams.queues import Queues
from doorcard.streams.recover import restore_derived, restore_table
from doorcard.streams.redis_log import RedisLog
from services.durability import why_unkept
from services.embedded import EmbeddedServer, Fsync
from services.embedded_cluster import EmbeddedCluster
from services.failures import unset_hint
from services.fullness import used_up, why_full
from services.letters import line_of, text_of
from services.reasons import escaped, require_reason
from services.run import stop_sign
from services.settings import Settings

CURE: Final = (
    "where it does not mend by itself, DEL the key, then `python -m services recover`; senders ask "
    "again"
)


def health(settings: Settings) -> tuple[str, bool]:
    """Whether the store takes writes and keeps them, and what waits in it; and if all is well.

    Raises:
        StoreError: it does not answer, or not to this user.
    """
    client, partitions = connect(settings.redis_url), partition_names(settings.partitions)
    queues = Queues(client)
    try:
        waiting = {role: sum(queues.length(role, name) for name in partitions) for role in ROLES}
        why = why_full(client, partitions)
        spent = used_up(client, partitions)
        unkept = why_unkept(client)
    except (RedisError, OSError) as error:
        raise StoreError(_no_answer(error)) from error
    if why:
        said = {"store": "the store takes no writes", "why": why, "waiting": waiting}
        return json.dumps(said), False
    if spent:
        why = f"somebody used up the ids of {', '.join(spent)}: {CURE}"
        said = {"store": "the store takes no messages", "why": why, "waiting": waiting}
        return json.dumps(said), False
    if unkept:
        said = {"store": unkept.partition(":")[0], "why": unkept, "waiting": waiting}
        return json.dumps(said), False
    return json.dumps({"store": "ok", "waiting": waiting}), True


def recover(settings: Settings) -> tuple[str, bool]:
    """Make everything that is derived from the logs anew; a report, and whether all went well."""
    client = connect(settings.redis_url)
    restored = restore_derived(client, partition_names(settings.partitions))
    counts = (
        f"logs {restored.logs}, put back: tables {restored.tables}, "
        f"timers {restored.timers}, wake-ups {restored.wakes}, feed entries {restored.feed}"
    )
    lines = [counts]
    lines.extend(f"problem: {problem}" for problem in restored.problems)
    return "\n".join(lines), not restored.problems


def pause(settings: Settings, table: str, reason: str) -> None:
    """Let nobody but the floor commit to a table.

    Raises:
        BadInput: there is no such table, it is paused already, or the reason is empty or too long.
    """
    require_reason(reason)
    _, log = _store(settings)
    _require_table(log, table)
    present = log.paused().get(table)
    if present is not None:
        raise BadInput(f"table {table} is paused already: {escaped(present)}")
    log.pause(table, reason)


def paused(settings: Settings) -> dict[str, str]:
    """The paused tables, each with its reason, as they may be shown."""
    found = _store(settings)[1].paused()
    return {escaped(table): escaped(reason) for table, reason in found.items()}


def resume(settings: Settings, table: str) -> None:
    """Let a paused table go on, with whatever wake-up or timer came to nothing meanwhile.

    Raises:
        BadInput: the table is not paused.
        BadLog: its log cannot be read or does not fold, so it stays paused.
    """
    client, log = _store(settings)
    if table not in log.paused():
        _require_table(log, table)
        stopped = rebuild(log, table).paused
        what = "; it deals no new hands, and `start-dealing` lets it" if stopped else ""
        raise BadInput(f"table {table} is not paused{what}")
    _go_on(client, log, table)


def dead_letters(settings: Settings) -> list[tuple[str, DeadLetter]]:
    """(partition, letter) of every dead letter, oldest first in each partition, as to be shown."""
    return [
        (name, letter._replace(table=escaped(letter.table), reason=escaped(letter.reason)))
        for name, letter in _letters(settings)
    ]


def letter_lines(settings: Settings) -> list[str]:
    """A line for each dead letter."""
    return [line_of(partition, letter) for partition, letter in dead_letters(settings)]


def letter_text(settings: Settings, letter_id: str) -> str:
    """All that a dead letter says; ``BadInput`` if there is none of that id."""
    return text_of(*_find(settings, letter_id))


def _letters(settings: Settings) -> list[tuple[str, DeadLetter]]:
    queues = Queues(connect(settings.redis_url))
    return [
        (name, letter)
        for name in partition_names(settings.partitions)
        for letter in queues.dead(name)
    ]


def retry_dead(settings: Settings, letter_id: str) -> DeadLetter:
    """Put a dead letter back into its queue; its table goes on, if it was paused for this.

    Raises:
        BadInput: there is no such letter, or it is none that a worker wrote.
        BadLog: the table's log cannot be read or does not fold; nothing was done.
    """
    partition, letter = _find(settings, letter_id)
    if read_queue_key(letter.queue) is None:
        raise BadInput(f"{letter_id} has no queue to go back to; drop it")
    client, log = _store(settings)
    if log.paused().get(letter.table) == letter.reason:
        _go_on(client, log, letter.table)  # first: workers refuse what comes to a paused table
    Queues(client).revive(partition, letter)
    return letter


def drop_dead(settings: Settings, letter_id: str) -> DeadLetter:
    """Delete a dead letter for good; its table stays paused until it is resumed."""
    partition, letter = _find(settings, letter_id)
    Queues(connect(settings.redis_url)).drop_dead(partition, letter)
    return letter


def key_ids(settings: Settings) -> list[str]:
    """The keys of the ring, a line each, the current one of each kind marked."""
    ring = settings.deck_keys()
    lines = [f"deck {name}{_mark(name == ring.current_id)}" for name in sorted(ring.public_only())]
    signers = sorted(ring.head_publics())
    current = ring.head_signer().key_id if signers else ""
    return lines + [f"head {name}{_mark(name == current)}" for name in signers]


def change_keys(settings: Settings, change: Callable[[DeckKeyRing], DeckKeyRing]) -> None:
    """Change the key-ring file.

    Raises:
        BadInput: the ring is not in a file.
        BadKey: the file cannot be used, or the change makes no sense; it is then as before.
    """
    if settings.deck_keys_file is None:
        raise BadInput("name the key-ring file: DOORCARD_DECK_KEYS_FILE")
    DeckKeyRing.update(settings.deck_keys_file, change)


def run_store(data: Path, *, fsync: bool, primaries: int) -> None:
    """Run a data folder's store alone in the foreground until SIGTERM; its URL is said first."""
    stop: threading.Event = stop_sign()
    when: Fsync = "always" if fsync else "everysec"
    folder = _store_folder(data)
    with (
        EmbeddedServer.start(folder, fsync=when)
        if primaries == 1
        else EmbeddedCluster.start(folder, primaries, fsync=when)
    ) as server:
        print(f"url {server.url}", flush=True)
        for notice in server.notices:
            print(notice, flush=True)
        while not stop.wait(0.5):
            server.check()


def _store_folder(data: Path) -> Path:
    """Where a data folder's store lies: where ``up`` has it, unless the folder is a store's own."""
    is_store = any((data / name).exists() for name in ("appendonlydir", "node-0"))
    return data if is_store and not (data / "store").exists() else data / "store"


def _no_answer(error: Exception) -> str:
    """What is wrong where the store gave none of the answers that were asked for."""
    if isinstance(error, NoPermissionError | AuthenticationError):
        return f"the store refuses this user: {error}"
    return f"the store does not answer: {error}{unset_hint()}"


def _find(settings: Settings, letter_id: str) -> tuple[str, DeadLetter]:
    for partition, letter in _letters(settings):
        if letter.id == letter_id:
            return partition, letter
    raise BadInput(f"there is no dead letter {letter_id}")


def _require_table(log: RedisLog, table: str) -> None:
    """Raise ``BadInput`` unless there is such a table."""
    if not log.read(table, count=1):
        raise BadInput(f"there is no table {table}")


def _go_on(client: Client, log: RedisLog, table: str) -> None:
    """Let a paused table go on; raises ``BadLog`` unless its log is there to its end, and folds."""
    log.head(table)
    rebuild(log, table)
    log.resume(table)
    restore_table(client, table)


def _mark(current: bool) -> str:  # noqa: FBT001 - a mark or none
    return " current" if current else ""


def _store(settings: Settings) -> tuple[Client, RedisLog]:
    client = connect(settings.redis_url)
    return client, RedisLog(client, partitions=partition_names(settings.partitions))
