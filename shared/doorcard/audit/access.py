"""Who looked at everybody's cards: a line for each use of an auditor's view (S-29)."""

from __future__ import annotations

import getpass
import json
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from doorcard.audit.replay import utc
from doorcard.errors import BadInput

VARIABLE: Final = "DOORCARD_ACCESS_LOG"
"""Names the file that the lines are appended to; standard error without it."""


def record_access(command: str, table: str, hands: Sequence[int], time_ms: int) -> None:
    """Write down that somebody is about to see all cards of some hands; no hands: of all.

    Raises:
        BadInput: the line cannot be written, so nothing may be shown.
    """
    line = json.dumps(
        {
            "event": "auditor_view",
            "time": utc(time_ms),
            "user": _user(),
            "host": socket.gethostname(),
            "process": os.getpid(),
            "command": command,
            "table": table,
            "hands": list(hands) or "all",
        }
    )
    path = os.environ.get(VARIABLE)
    if not path:
        print(line, file=sys.stderr, flush=True)  # noqa: T201  # the log of last resort
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(descriptor)
    except OSError as error:
        reason = error.strerror or error
        raise BadInput(f"the access log {Path(path)} cannot be written: {reason}") from None


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as in containers
        return str(os.getuid())
