"""``doorcard export``: hand histories for players and auditors, or a table's whole log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from doorcard.cli.output import print_error
from doorcard.cli.replay import note_access, read_seat_keys
from doorcard.cli.where import (
    ArchiveOption,
    DeckKeysOption,
    LogOption,
    RedisOption,
    deck_keys,
    open_log,
)
from doorcard.errors import BadInput
from doorcard.events import HandVoided
from doorcard.views.text import counted

if TYPE_CHECKING:
    from doorcard.audit.replay import Eyes, ToldHand
    from doorcard.formats.history import HandHistory
    from doorcard.streams.log_file import ReadableLog


def register(app: typer.Typer) -> None:
    """Add ``export``."""
    app.command("export")(export)


def export(
    table: str = typer.Argument(help="The table's id."),
    hands: list[int] | None = typer.Argument(
        None, metavar="[HAND]...", help="Hands by number; all finished ones if left out."
    ),
    form: Literal["jsonl", "phh", "log"] = typer.Option(
        "jsonl",
        "--format",
        help="jsonl: an object a hand; phh: the .phh standard, several hands under headings; "
        "log: the log itself, as --log reads it.",
    ),
    out: Path | None = typer.Option(
        None, "--out", metavar="FILE", help="Default: standard output."
    ),
    seat: int | None = typer.Option(
        None, "--seat", min=0, help="With this seat's own cards (--key)."
    ),
    key: Path | None = typer.Option(
        None, "--key", metavar="FILE", help="The seat's private key, as for replay."
    ),
    auditor: bool = typer.Option(
        False, "--auditor", help="All cards, with the deck keys. Each use is logged."
    ),
    deck_key_file: DeckKeysOption = None,
    redis: RedisOption = None,
    log: LogOption = None,
    archive: ArchiveOption = None,
) -> None:
    """Write hand histories, or a table's whole log, to a file or to standard output.

    A spectator's history holds what everybody saw; a seat's its own face-down cards too, and only
    the hands of the player whose key it is. Void hands have no result and are left out.

    Example: `doorcard export p00.razz-1 12 13 --format phh --out hands.phhs`
    """
    if auditor and seat is not None:
        raise typer.BadParameter("choose one of --seat and --auditor")
    if (key is None) != (seat is None):
        raise typer.BadParameter("--seat and --key belong together")
    from doorcard.streams.log_file import write_lines  # noqa: PLC0415  # `--help` needs none of it

    with open_log(redis, log, archive, may_be_cut=form != "log") as opened:
        if form == "log":
            if hands or auditor or seat is not None:
                raise typer.BadParameter("a log is exported whole, as it is: no hands, no viewer")
            _write_log(opened, table, out)
            _note_moved(opened, table)
            return
        eyes = _eyes(seat, key, deck_key_file, auditor=auditor)
        if auditor:
            note_access("export", table, hands or [])
        histories = _histories(opened, table, hands or [], eyes)
        if hands:
            histories = iter([*histories])  # all that were named, or none
        lines = _jsonl(histories) if form == "jsonl" else _phh(histories)
        if out is None:
            for line in lines:
                print(line)
        else:
            count = write_lines(out, lines, private=auditor)
            print_error(f"wrote {counted(count, 'hand')} to {out}")


def _eyes(seat: int | None, key: Path | None, deck_key_file: Path | None, *, auditor: bool) -> Eyes:
    from doorcard.audit.replay import Eyes  # noqa: PLC0415  # `--help` needs none of it
    from doorcard.views import AUDITOR  # noqa: PLC0415

    if auditor:
        return Eyes(AUDITOR, ring=deck_keys(deck_key_file))
    if seat is None or key is None:
        return Eyes()
    return Eyes(seat, seat_keys=read_seat_keys(key))


def _histories(
    log: ReadableLog, table: str, wanted: list[int], eyes: Eyes
) -> Iterator[HandHistory]:
    """The histories of the hands that were named, or of all that there can be one of.

    Raises:
        BadInput: a hand that was named has no history.
    """
    from doorcard.audit.replay import told_hands  # noqa: PLC0415
    from doorcard.formats.history import history_of  # noqa: PLC0415

    told = 0
    if not wanted:
        _note_moved(log, table)
    without: dict[str, list[int]] = {}
    for hand in told_hands(log, table, eyes, wanted):
        left_out = _left_out(hand, eyes)
        if left_out and wanted:
            raise BadInput(f"hand {hand.start.hand} of table {table} {left_out}")
        if left_out:
            without.setdefault(left_out, []).append(hand.start.hand)
            continue
        told += 1
        yield history_of(hand.events, viewer=eyes.viewer, opened=hand.opened)
    for reason, hands in without.items():
        are, each = ("is", "it") if len(hands) == 1 else ("are", "each")
        print_error(f"{_named(hands)} of table {table} {are} left out: {each} {reason}")
    if not told:
        raise BadInput(f"table {table} has no hand to write a history of")


def _note_moved(log: ReadableLog, table: str) -> None:
    """Say which hands a log holds no more."""
    from doorcard.audit.replay import hands_moved  # noqa: PLC0415

    moved = hands_moved(log, table)
    if moved:
        print_error(
            f"{_named(list(range(1, moved + 1)))} of table {table} left out: archived, and read "
            "with --archive FOLDER"
        )


def _named(hands: list[int]) -> str:
    """``hand 4``, ``hands 1-3, 5``."""
    spans: list[tuple[int, int]] = []
    for hand in hands:
        first = spans.pop()[0] if spans and spans[-1][1] == hand - 1 else hand
        spans.append((first, hand))
    words = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
    return f"hand{'' if len(hands) == 1 else 's'} {words}"


def _left_out(hand: ToldHand, eyes: Eyes) -> str:
    """Why a hand has no history for this viewer; empty if it has one."""
    if not hand.over:
        return "has not ended"
    if any(isinstance(event, HandVoided) for event in hand.events):
        return "was void, and has no result"
    if isinstance(eyes.viewer, int) and eyes.viewer not in hand.start.players:
        return f"was played without seat {eyes.viewer}"
    if isinstance(eyes.viewer, int) and eyes.key_in(hand.start) is None:
        return f"was played at seat {eyes.viewer} by somebody with another key"
    return ""


def _jsonl(histories: Iterator[HandHistory]) -> Iterator[str]:
    from doorcard.formats.jsonl import export_jsonl  # noqa: PLC0415

    return (json.dumps(export_jsonl(history), ensure_ascii=False) for history in histories)


def _phh(histories: Iterator[HandHistory]) -> Iterator[str]:
    """One hand as it is; several under headings, each the hand's number."""
    from doorcard.formats.phh import write_phh  # noqa: PLC0415

    texts = ((history.hand, write_phh(history).rstrip("\n")) for history in histories)
    first = [*islice(texts, 2)]
    if len(first) == 1:
        yield first[0][1]
        return
    for hand, text in chain(first, texts):
        yield f"[{hand}]\n{text}\n"


def _write_log(log: ReadableLog, table: str, out: Path | None) -> None:
    from doorcard.streams.log_file import export_log, log_lines  # noqa: PLC0415

    if out is not None:
        written = export_log(log, [table], out)
        print_error(f"wrote {counted(written.commits, 'commit')} to {out}")
        return
    for line in log_lines(log, table):
        print(line)
