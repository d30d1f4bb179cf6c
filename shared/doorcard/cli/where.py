"""Where the logs are that a command reads: a store by URL, the one in the data folder, or a file.

Reading changes nothing, not even a derived key that was lost: an auditor's account may not write.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from doorcard.cli.output import print_error
from doorcard.errors import BadInput, BadLog, StoreError

if TYPE_CHECKING:
    from doorcard.fairness.keys import DeckKeyRing
    from doorcard.streams.connection import Client
    from doorcard.streams.log import Head, Stored
    from doorcard.streams.log_file import ReadableLog

URL_VARIABLE: Final = "DOORCARD_REDIS_URL"
DECK_KEYS_VARIABLE: Final = "DOORCARD_DECK_KEYS_FILE"
EMBEDDED: Final = Path(".doorcard/store/server.lock")
"""Where the server of ``python -m services up`` or ``store`` notes its address.

The note stays behind when the server ends; the file's lock is held as long as it runs.
"""

RedisOption = Annotated[
    str | None,
    typer.Option(
        "--redis",
        metavar="URL",
        help=f"The store. Default: {URL_VARIABLE}, then the store running in .doorcard.",
    ),
]
LogOption = Annotated[
    Path | None,
    typer.Option("--log", metavar="FILE", help="Read a file of exported logs, not a store."),
]
ArchiveOption = Annotated[
    Path | None,
    typer.Option(
        "--archive", metavar="FOLDER", help="Read what was archived there too, as one log."
    ),
]
DeckKeysOption = Annotated[
    Path | None,
    typer.Option(
        "--deck-keys",
        metavar="FILE",
        help=f"Key ring of deck keys. Default: {DECK_KEYS_VARIABLE}, then DOORCARD_DECK_KEYS.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON lines instead of text.")]


@contextmanager
def open_log(
    redis: str | None, file: Path | None, archive: Path | None = None, *, may_be_cut: bool = False
) -> Generator[ReadableLog]:
    """The logs that a command was pointed to; an error of the store becomes one sentence.

    Args:
        archive: a folder of archives, read as if nothing had been moved into it.
        may_be_cut: of a file whose last line is cut short all the others are read, and that is
            said; else it is an error.

    Raises:
        BadInput: both were named, or the file, folder or URL makes no sense.
        StoreError: no store was named and none runs here, or it cannot be used.
    """
    if file is not None:
        if redis is not None:
            raise BadInput("name a store by --redis or a file by --log, not both")
        yield _joined(_log_file(file, may_be_cut=may_be_cut), archive)
        return
    from redis.exceptions import RedisError  # noqa: PLC0415

    from doorcard.streams.connection import connect  # noqa: PLC0415

    url = redis or os.environ.get(URL_VARIABLE) or _embedded_url()
    try:
        client = connect(url)
        try:
            client.execute_command("PING")
        except TypeError as error:  # an option in the URL that no connection has
            raise BadInput(f"{_without_password(url)!r} is no Redis URL: {error}") from None
        yield _joined(StoreLog(client), archive)
    except RedisError as error:
        raise StoreError(f"the store at {_without_password(url)} cannot be used: {error}") from None


def deck_keys(path: Path | None) -> DeckKeyRing | None:
    """The deck keys that were named, or that the environment has; None without any.

    Raises:
        BadKey: what is there cannot be used.
    """
    from doorcard.fairness.keys import DeckKeyRing  # noqa: PLC0415  # `--help` needs none of it

    named = path or (Path(found) if (found := os.environ.get(DECK_KEYS_VARIABLE)) else None)
    return DeckKeyRing.load(named) if named else DeckKeyRing.from_environment(os.environ)


class StoreLog:
    """The logs of a server, for reading alone."""

    def __init__(self, client: Client) -> None:
        from doorcard.streams.redis_log import RedisLog  # noqa: PLC0415

        self._client = client
        self._log = RedisLog(client)

    def head(self, table: str) -> Head | None:
        """Where a table's log ends; None if there is no such log.

        Raises:
            BadLog: it cannot be read, is empty, or is gone though the list of tables names it.
        """
        from doorcard.streams.keys import log_key  # noqa: PLC0415

        try:
            head = self._log.head(table)
        except BadInput as error:  # what no table is called
            from doorcard.streams.log_file import NAMING  # noqa: PLC0415

            raise BadInput(f"{error}; {NAMING}") from None
        if head is None and self._client.execute_command("EXISTS", log_key(table)):
            raise BadLog(f"table {table}: its log is empty")
        return head

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        """Commits behind a number, oldest first; all of them without ``count``."""
        return self._log.read(table, after, count)

    def tables(self) -> list[str]:
        """The ids of all tables that have a log or must have one, sorted.

        They come from the logs' own keys and from the partitions' lists, either of which somebody
        may have deleted.
        """
        from doorcard.streams.recover import listed_tables, logged_tables  # noqa: PLC0415

        listed = listed_tables(self._client)
        return sorted({*logged_tables(self._client), *listed})


def _log_file(file: Path, *, may_be_cut: bool) -> ReadableLog:
    from doorcard.streams.log_file import LogFile  # noqa: PLC0415  # `--help` needs none of it

    try:
        return LogFile.open(file)
    except BadLog:
        if not (may_be_cut and file.is_file()):  # a pipe is read once
            raise
    log = LogFile.open(file, growing=True)
    print_error(f"the last line of {file} is cut short, and left out; `doorcard verify` checks it")
    return log


def _joined(log: ReadableLog, archive: Path | None) -> ReadableLog:
    if archive is None:
        return log
    from doorcard.streams.joined_log import JoinedLog  # noqa: PLC0415

    return JoinedLog(log, archive)


def _embedded_url() -> str:
    try:
        with EMBEDDED.open("rb") as note:
            text = note.read().decode("utf-8", "replace") if _is_held(note.fileno()) else ""
    except OSError:
        text = ""
    url = text.partition("\n")[0].strip()
    if not url:
        raise StoreError(
            f"no store is named and none runs in {EMBEDDED.parent.parent}; use --redis URL, "
            f"{URL_VARIABLE} or --log FILE, or start the one there in another terminal: "
            f"{_python()} -m services store"
        )
    return url


def _is_held(descriptor: int) -> bool:
    """Whether a running server holds the lock of an open file. No lock is kept here."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _python() -> str:
    """This Python as one would type it here."""
    program, here = Path(sys.executable), Path.cwd()
    return str(program.relative_to(here) if program.is_relative_to(here) else program)


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    address, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}://{address.rpartition('@')[2]}{slash}{path}"
