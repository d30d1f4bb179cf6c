"""How both command lines end: output that cannot be written, readers that go away, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Final

import pytest

from doorcard.cli.program import sentence_of
from tests.services.processes import environment, finish, until

PROGRAM: Final = "import sys; from doorcard.cli import main; sys.exit(main())"
DOORCARD: Final = (sys.executable, "-c", PROGRAM)
SERVICES: Final = (sys.executable, "-m", "services")
SAYING: Final = [
    (*DOORCARD, "--help"),
    (*DOORCARD, "--version"),
    (*DOORCARD, "games"),
    (*DOORCARD, "games", "--json"),
    (*DOORCARD, "rules", "razz"),
    (*DOORCARD, "play", "razz", "--hands", "1"),
    (*DOORCARD, "verify", "--help"),
    (*SERVICES, "--help"),
    (*SERVICES, "up", "--help"),
    (*SERVICES, "keys", "list", "--help"),
    (*SERVICES, "probe"),
]
"""Programs that say something and need nothing."""
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
NO_SPACE: Final = "standard output cannot be written: No space left on device"


def surroundings(changes: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """An environment in which Python keeps what is said until it is much, as it does by itself."""
    found = environment(DOORCARD_METRICS_PORT="1")
    found.pop("PYTHONUNBUFFERED", None)
    return {**found, **changes}


def run(
    command: tuple[str | bytes, ...],
    out: IO[bytes] | int = subprocess.PIPE,
    err: IO[bytes] | int = subprocess.PIPE,
    changes: Mapping[str, str] = NOTHING,
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command,
        env=surroundings(changes),
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        timeout=60,
    )


def shown(command: tuple[str, ...]) -> str:
    return " ".join(command[2:]).replace(PROGRAM, "doorcard")


def name_of(command: tuple[str, ...]) -> str:
    return "services" if "services" in command else "doorcard"


@pytest.mark.parametrize("changes", [{}, {"PYTHONUNBUFFERED": "1"}])
@pytest.mark.parametrize("command", SAYING, ids=shown)
def test_output_that_cannot_be_written_is_one_sentence(
    command: tuple[str, ...], changes: Mapping[str, str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(command, full, changes=changes)
    assert (done.returncode, done.stderr.decode()) == (2, f"{name_of(command)}: {NO_SPACE}\n")


@pytest.mark.parametrize("changes", [{}, {"PYTHONUNBUFFERED": "1"}])
@pytest.mark.parametrize("command", SAYING, ids=shown)
def test_a_reader_that_goes_away_ends_a_program_quietly_with_141(
    command: tuple[str, ...], changes: Mapping[str, str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = run(command, pipe, changes=changes)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("base", [DOORCARD, SERVICES], ids=name_of)
def test_a_sentence_about_trouble_that_cannot_be_written_changes_no_meaning(
    base: tuple[str, ...],
) -> None:
    with Path("/dev/full").open("wb") as full:
        assert run((*base, "nonsense"), err=full).returncode == 2
        assert run((*base, "--help"), full, full).returncode == 2


@pytest.mark.parametrize("base", [DOORCARD, SERVICES], ids=name_of)
def test_standard_output_that_is_closed_is_one_sentence(base: tuple[str, ...]) -> None:
    closed = ("/bin/sh", "-c", 'exec "$@" >&-', "sh", *base, "--help")
    done = run(closed)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b": standard output cannot be written: " in done.stderr


def test_standard_input_that_is_closed_is_one_sentence() -> None:
    closed = ("/bin/sh", "-c", 'exec "$@" <&-', "sh", *DOORCARD, "play", "razz")
    done = run(closed)
    assert done.returncode == 2
    assert done.stderr == b"doorcard: play reads standard input, and that is closed\n"


NARROW: Final[list[Mapping[str, str]]] = [
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.mark.parametrize("changes", NARROW)
@pytest.mark.parametrize("command", [(*SERVICES, "--help"), (*DOORCARD, "--help")], ids=name_of)
def test_what_an_encoding_lacks_is_written_as_escapes(
    command: tuple[str, ...], changes: Mapping[str, str]
) -> None:
    done = run(command, changes=changes)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Usage: " in done.stdout
    assert b"141 whoever reads" in done.stdout
    assert (b"DOORCARD_\\u2026" in done.stdout) == (name_of(command) == "services")


@pytest.mark.parametrize("module", ["doorcard", "doorcard.local", "doorcard.cli.program", "typer"])
def test_ctrl_c_while_the_command_is_loaded_ends_it_without_a_word(module: str) -> None:
    program = f"""
import os, signal, sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from doorcard_command import main
sys.exit(main())
"""
    done = run((sys.executable, "-c", program, "--version"))
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_ctrl_c_that_is_ignored_stays_so() -> None:
    """As where a shell's script runs a command in the background."""
    program = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "from doorcard_command import main; code = main(); "
        "os.kill(os.getpid(), signal.SIGINT); sys.exit(code)"
    )
    assert run((sys.executable, "-c", program, "--version")).returncode == 0


def test_ctrl_c_while_the_commands_are_loaded_ends_a_program_without_a_word() -> None:
    with subprocess.Popen(
        (*DOORCARD, "bench", "fold"),
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        until(lambda: "pydantic" in Path(f"/proc/{process.pid}/maps").read_text(), process)
        assert finish(process, signal.SIGINT) == (130, "")


ODD: Final = b"bad \xff byte"


@pytest.mark.parametrize(
    "command",
    [
        (*SERVICES, "pause", "p00.a", ODD),
        (*SERVICES, "pause", ODD, "why"),
        (*SERVICES, "void", "p00.a", ODD),
        (*SERVICES, "close", ODD),
        (*SERVICES, "up", "--games", ODD),
        (*SERVICES, "up", "--hands", ODD),
        (*SERVICES, "archive", ODD, "--folder", "x"),
        (*SERVICES, "dead", "retry", ODD),
        (*SERVICES, "keys", "add", ODD),
        (*SERVICES, ODD),
        (*DOORCARD, "rules", ODD),
        (*DOORCARD, "play", "razz", "--bots", ODD),
        (*DOORCARD, "replay", ODD),
        (*DOORCARD, "verify", "p00.a", ODD),
        (*DOORCARD, "verify", "p00.a", "--log", ODD),
        (*DOORCARD, "verify", "p00.a", "--redis", ODD),
        (*DOORCARD, "export", "p00.a", ODD),
        (*DOORCARD, "audit", ODD),
        (*DOORCARD, "bench", ODD),
        (*DOORCARD, "--", ODD),
    ],
    ids=lambda command: ascii(command[2:]),
)
def test_arguments_that_are_no_text_are_one_sentence(
    command: tuple[str | bytes, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(command)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert b"bad \\udcff byte" in done.stderr


def test_what_the_machine_refuses_is_said_in_plain_words() -> None:
    done = run((*SERVICES, "probe"))
    assert (done.returncode, done.stdout) == (
        1,
        b"nobody answers on port 1: Connection refused\n",
    )
    told = PermissionError(13, "Permission denied", "/root/x")
    assert sentence_of(told) == "/root/x cannot be used: Permission denied"
    assert sentence_of(OSError(28, "No space left on device")) == (
        "the machine does not let it: No space left on device"
    )


def test_json_stays_json_in_an_encoding_that_lacks_its_characters() -> None:
    text = "Jos\u00e9 \u2192 \U0001f0a1"
    program = (
        "from doorcard.cli.output import print_json; from doorcard.cli.program import run_program; "
        f"run_program('a', lambda: print_json({text!a}) or 0)"
    )
    done = run((sys.executable, "-c", program), changes={"PYTHONIOENCODING": "ascii"})
    assert done.stdout.isascii()
    assert json.loads(done.stdout) == text
