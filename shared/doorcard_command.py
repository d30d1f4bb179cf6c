"""The installed ``doorcard`` command. It stands beside the package, which takes a while to load."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

INTERRUPTED = 130


def main() -> int:
    """Run the command; returns its exit code. Ctrl-C is answered from the first moment on."""
    if callable(signal.getsignal(signal.SIGINT)):  # else it is ignored, as in the background
        signal.signal(signal.SIGINT, _leave)
    from doorcard.cli import main as run  # noqa: PLC0415 - only now

    return run()


def _leave(*_: object) -> NoReturn:
    """End at once: what is raised in an import may be taken for the import's own trouble."""
    os._exit(INTERRUPTED)
