"""How a program begins and ends: its streams, Ctrl-C, and what it exits with."""

from __future__ import annotations

import codecs
import errno
import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Final

EXIT_CODES: Final = (
    "Exit codes: 0 done; 1 done, and the answer is no; 2 not done; 130 stopped by Ctrl-C; "
    "141 whoever reads the output has gone."
)
"""1: a check failed, a request was refused. 2: bad words or settings, a store or file that cannot
be used, output that cannot be written. 141: as in ``… | head -1``."""
NOT_DONE: Final = 2
INTERRUPTED: Final = 130
UNREAD: Final = 141
"""What a shell says of a program that SIGPIPE has ended."""
ESCAPED: Final = "doorcard.escaped"
"""How characters are written that the output's encoding lacks."""
OUTPUT: Final = ("standard output", 1)
ERRORS: Final = ("standard error", 2)


class OutputLost(OSError):
    """What a program says can be written no more.

    It has no ``errno``: whoever looks for a closed pipe of its own leaves this one alone.
    """

    def __init__(self, stream: str, error: OSError) -> None:
        super().__init__(f"{stream} cannot be written: {error.strerror or error}")
        self.unread = error.errno == errno.EPIPE
        """Whoever read it has gone."""


def run_program(name: str, main: Callable[[], int]) -> int:
    """Run a whole program; returns its exit code when all that it said is written.

    What a program says comes out in any encoding: characters that it lacks are written as escapes.
    An error that is a fault of the program's own is raised.

    Args:
        name: what a sentence about trouble begins with.
        main: does the work, and returns or raises an exit code.
    """
    interrupts = _note_interrupts()
    try:
        sys.stdout, sys.stderr = _watched(sys.stdout, *OUTPUT), _watched(sys.stderr, *ERRORS)
        code = _code_of(main)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OutputLost as lost:
        code = UNREAD if lost.unread else NOT_DONE
        if not lost.unread:
            with suppress(OutputLost):  # both may be lost
                say(name, str(lost))
    except Exception:  # an import that is interrupted may raise anything
        if not interrupts:
            raise
        code = INTERRUPTED
    if signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, signal.SIG_DFL):
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own ending is no place for it
    _let_go()
    return INTERRUPTED if interrupts else code


def say(name: str, sentence: str) -> None:
    """Say on standard error what is wrong."""
    print(f"{name}: {sentence}", file=sys.stderr)


def sentence_of(error: OSError) -> str:
    """What the machine does not let a program do, in one sentence."""
    if isinstance(error, OutputLost):
        return str(error)
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"the machine does not let it: {reason}"
    return f"{os.fsdecode(error.filename)} cannot be used: {reason}"


class _Output(io.FileIO):
    """A standard stream that tells its own trouble from any other."""

    def __init__(self, stream: str, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._stream = stream

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        except OSError as error:
            raise OutputLost(self._stream, error) from None


def _watched(stream: object, called: str, descriptor: int) -> io.TextIOWrapper:
    """A stream to use in place of one of Python's, which is None where it was closed."""
    encoding, at_once = "utf-8", True
    if isinstance(stream, io.TextIOWrapper):
        encoding, at_once = stream.encoding, stream.line_buffering or stream.write_through
    if stream is None:  # whatever is opened next would get its number
        nothing = os.open(os.devnull, os.O_RDONLY)
        if nothing != descriptor:
            os.dup2(nothing, descriptor)
            os.close(nothing)
    buffered = io.BufferedWriter(_Output(called, descriptor))
    return io.TextIOWrapper(buffered, encoding, ESCAPED, line_buffering=at_once)


def _escape(error: UnicodeError) -> tuple[str, int]:
    """As JSON writes what it escapes, so that a line of JSON stays one."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)
    ), error.end


codecs.register_error(ESCAPED, _escape)


def _code_of(main: Callable[[], int]) -> int:
    try:
        return main()
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)


def _note_interrupts() -> list[int]:
    """From here on Ctrl-C raises, and is in the list even if nobody hears of it, as in an import.

    Where it is ignored, or ends the program without asking, it stays so.
    """
    heard: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    if callable(signal.getsignal(signal.SIGINT)):
        with suppress(ValueError):  # in another thread than the first
            signal.signal(signal.SIGINT, interrupt)
    return heard


def _let_go() -> None:
    """Write what is left in a lost stream nowhere, else Python tries again and exits with 120."""
    for stream, (_, descriptor) in ((sys.stdout, OUTPUT), (sys.stderr, ERRORS)):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), descriptor)
