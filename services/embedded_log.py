"""What the embedded server's own log says about a start, in words for the person who started it."""

from __future__ import annotations

import re
from pathlib import Path

LAST_LINES = 6

_CUT_SHORT = re.compile(r"Unexpected end of file reading the append only file ([\w.-]+)")
_CUT_AT = re.compile(r"Truncating the AOF \S+ at offset (\d+)")
_DAMAGED = re.compile(
    r"(Bad file format|Error|Unknown command .*) reading the append only file"
    r"|the truncated file is not the last file|Internal error in RDB"
    r"|AOF MANIFEST FILE ERROR|Unable to obtain the AOF file"
)
_PORT_TAKEN = re.compile(r"Address already in use")


def explain_failure(log: Path, start: int, what: str) -> str:
    """One sentence for what happened, one for why if the log tells, and the log's last lines.

    ``start`` is where in the log, in bytes, this start of the server begins.
    """
    text = _read_from(log, start)
    why = ""
    if _DAMAGED.search(text):
        why = (
            " Its append-only file is damaged, and not only cut short at its end: put back a "
            "backup of the folder, or repair a copy of it with valkey-check-aof --fix, which "
            "drops all that follows the damage."
        )
    elif _PORT_TAKEN.search(text):
        why = " Another program listens on that port."
    lines = [line for line in text.splitlines() if line.strip()][-LAST_LINES:]
    quoted = "".join(f"\n    {line}" for line in lines) or " nothing"
    return f"The server in {log.parent} {what}.{why} The last lines of {log.name}:{quoted}"


def file_cut_short(log: Path, start: int) -> str | None:
    """The name of the append-only file that ends too early, if that is why the start failed."""
    found = _CUT_SHORT.search(_read_from(log, start))
    return found.group(1).rstrip(".") if found else None


def cut_offset_bytes(log: Path, start: int) -> int | None:
    """Where the server cut its append-only file, if it did."""
    found = _CUT_AT.search(_read_from(log, start))
    return int(found.group(1)) if found else None


def _read_from(log: Path, start: int) -> str:
    with log.open("rb") as file:
        file.seek(start)
        return file.read().decode(errors="replace")
