"""The file of a key ring: read only if nobody else can, written whole or not at all."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from doorcard.errors import BadKey

OWNER_ALONE: Final = 0o600
_FORBIDDEN: Final = 0o037
"""Anything for others, and writing for the group. A group may read: mounted secrets need it."""
_MAXIMUM_BYTES: Final = 1 << 20


def read_private(path: Path) -> str:
    """Read a key file.

    Raises:
        BadKey: it is not there, is no plain file, is not text, or others can read it.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            _require_private(path, status.st_mode)
            return file.read(_MAXIMUM_BYTES).decode()
    except FileNotFoundError:
        raise BadKey(f"there is no key ring at {path}") from None
    except OSError as problem:
        raise BadKey(f"the key ring {path} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise BadKey(f"the key ring {path} is not a text file") from None


def write_private(path: Path, text: str) -> None:
    """Replace a key file in one step, readable by its owner alone, and on the disk on return.

    The caller holds ``locked(path)``.

    Raises:
        BadKey: it cannot be written.
    """
    unfinished = path.with_name(path.name + ".new")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    try:
        with os.fdopen(os.open(unfinished, flags, OWNER_ALONE), "wb") as file:
            os.fchmod(file.fileno(), OWNER_ALONE)
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        _sync_folder(path.parent)
    except OSError as problem:
        raise BadKey(f"the key ring {path} cannot be written: {problem.strerror}") from None


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Keep every other process from changing this key file meanwhile.

    The lock is on a file beside it, because the key file itself is replaced.

    Raises:
        BadKey: the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, OWNER_ALONE)
    except OSError as problem:
        raise BadKey(f"the key ring {path} cannot be locked: {problem.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _require_private(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise BadKey(f"the key ring {path} is not a plain file")
    if mode & _FORBIDDEN:
        raise BadKey(
            f"the key ring {path} has mode {stat.S_IMODE(mode):04o}, so that others than its owner "
            f"can read or change it; run: chmod 600 {path}"
        )


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
