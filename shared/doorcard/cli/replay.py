"""``doorcard replay``: a logged hand step by step, as somebody saw it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from doorcard.cli.output import print_error, print_json
from doorcard.cli.where import (
    ArchiveOption,
    DeckKeysOption,
    JsonOption,
    LogOption,
    RedisOption,
    deck_keys,
    open_log,
)
from doorcard.errors import BadInput, BadKey

if TYPE_CHECKING:
    from doorcard.audit.replay import Eyes, Step
    from doorcard.events import HandStarted
    from doorcard.fairness.keys import SeatKey
    from doorcard.streams.log_file import ReadableLog

KEY_FILE_BYTES_MAX = 1 << 20


def register(app: typer.Typer) -> None:
    """Add ``replay``."""
    app.command("replay")(replay)


def replay(
    table: str = typer.Argument(help="The table's id."),
    hand: int | None = typer.Argument(None, help="The hand's number; the last one if left out."),
    seat: int | None = typer.Option(None, "--seat", min=0, help="As this seat saw it."),
    key: Path | None = typer.Option(
        None,
        "--key",
        metavar="FILE",
        help="The seat's private key in hexadecimal, or a JSON object whose values are such keys.",
    ),
    spectator: bool = typer.Option(False, "--spectator", help="As a spectator saw it (default)."),
    auditor: bool = typer.Option(
        False, "--auditor", help="All cards, with the deck keys. Each use is logged."
    ),
    at: int | None = typer.Option(
        None, "--at", metavar="SEQ", help="Only the table at this commit."
    ),
    deck_key_file: DeckKeysOption = None,
    redis: RedisOption = None,
    log: LogOption = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a logged hand step by step, as a seat, a spectator or an auditor saw it.

    Times are UTC. A seat sees its own face-down cards with its key, and not without. Each use of
    `--auditor` is noted in the file that DOORCARD_ACCESS_LOG names, or on standard error.

    Example: `doorcard replay p00.razz-1 12 --seat 3 --key .doorcard/bot-keys.json`
    """
    if auditor + spectator + (seat is not None) > 1:
        raise typer.BadParameter("choose one of --seat, --spectator and --auditor")
    if key is not None and seat is None:
        raise typer.BadParameter("--key belongs to a --seat")
    from doorcard.audit import replay as audit_replay  # noqa: PLC0415  # `--help` needs none of it

    with open_log(redis, log, archive, may_be_cut=True) as opened:
        start = _start(opened, table, hand, at)
        eyes = _eyes(start, seat, key, deck_key_file, auditor=auditor)
        if auditor:
            note_access("replay", table, [] if start is None else [start.hand])
        if at is not None:
            steps = iter([audit_replay.step_at(opened, table, at, eyes)])
        else:
            steps = audit_replay.replay_hand(opened, table, start and start.hand, eyes)
        for place, step in enumerate(steps):
            if as_json:
                print_json(step.to_json())
            else:
                print(step_text(step) if not place else f"\n{step_text(step)}")


def step_text(step: Step) -> str:
    """A step for people: when, who, what, the pot, and the table afterwards."""
    from doorcard.views import render  # noqa: PLC0415

    by = "" if step.who == step.role else f" ({step.role})"
    lines = [f"{step.time}  commit {step.seq}  {step.who}{by}  pot {step.view.pot}"]
    lines += [f"  {sentence}" for sentence in step.words]
    lines += [f"    {line}".rstrip() for line in render(step.view).splitlines()]
    return "\n".join(lines)


def read_seat_keys(path: Path) -> list[SeatKey]:
    """Private keys of seats from a file: one in hexadecimal, or a JSON object of such keys.

    Raises:
        BadInput: the file cannot be read, or holds something else.
    """
    from doorcard.fairness.keys import SeatKey  # noqa: PLC0415  # `--help` needs none of it

    try:
        with path.open("rb") as file:
            text = file.read(KEY_FILE_BYTES_MAX).decode("utf-8", "replace").strip()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None
    keys: list[SeatKey] = []
    for word in _key_texts(text, path):
        try:
            raw = bytes.fromhex(word)
        except ValueError:
            raw = b""
        if len(raw) != 32:
            raise BadInput(f"{path} holds something else than private keys of 64 digits")
        keys.append(SeatKey(raw))
    return keys


def note_access(command: str, table: str, hands: list[int]) -> None:
    """Log the use of an auditor's view before anything is shown."""
    from doorcard.audit.access import record_access  # noqa: PLC0415

    record_access(command, table, hands, time.time_ns() // 1_000_000)


def _key_texts(text: str, path: Path) -> list[str]:
    if not text.startswith("{"):
        return [text]
    try:
        values: object = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{path} is not JSON") from None
    return [str(key) for key in cast("dict[str, object]", values).values()]


def _start(log: ReadableLog, table: str, hand: int | None, at: int | None) -> HandStarted | None:
    """How the hand began that is meant; None at a commit before the first hand."""
    from doorcard.audit.replay import hand_at, hand_start  # noqa: PLC0415

    if at is None:
        return hand_start(log, table, hand)[1]
    found = hand_at(log, table, at)
    if hand is not None and (found is None or found[1].hand != hand):
        raise BadInput(f"commit {at} of table {table} is not in hand {hand}")
    return None if found is None else found[1]


def _eyes(
    start: HandStarted | None,
    seat: int | None,
    key: Path | None,
    deck_key_file: Path | None,
    *,
    auditor: bool,
) -> Eyes:
    from doorcard.audit.replay import Eyes  # noqa: PLC0415
    from doorcard.views import AUDITOR  # noqa: PLC0415

    if auditor:
        return Eyes(AUDITOR, ring=deck_keys(deck_key_file))
    if seat is None or start is None:
        return Eyes()
    eyes = Eyes(seat, seat_keys=() if key is None else read_seat_keys(key))
    held = {held.seat: held.player for held in start.snapshot.seats}
    if seat not in held:
        taken = ", ".join(map(str, held))
        raise BadInput(f"nobody sat at seat {seat} in hand {start.hand}, only at {taken}")
    if key is None:
        print_error(f"without --key the face-down cards of seat {seat} stay closed")
    elif eyes.key_in(start) is None:
        raise BadKey(f"{key} holds no key that {held[seat]} sat down with at seat {seat}")
    return eyes
