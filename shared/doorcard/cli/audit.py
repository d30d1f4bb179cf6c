"""``doorcard audit``: does the engine agree with hands that were played elsewhere?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

from doorcard.cli.output import print_error, print_json
from doorcard.cli.where import JsonOption
from doorcard.errors import BadInput

if TYPE_CHECKING:
    from doorcard.audit.foreign import Verdict

NOT_READ: Final = 2
STANDARD: Final = (".phh", ".phhs")
OBJECTS: Final = (".json", ".jsonl", ".ndjson")


def register(app: typer.Typer) -> None:
    """Add ``audit``."""
    app.command("audit")(audit)


class Entry(NamedTuple):
    """One hand of a file, or why it cannot be read."""

    place: str
    """The file, and the line or heading."""
    record: Mapping[str, object] | None
    problem: str = ""


def audit(
    files: list[Path] = typer.Argument(metavar="FILE...", help="JSON lines or .phh."),
    as_json: JsonOption = False,
) -> None:
    """Replay hands that were played elsewhere, and say whether the engine agrees.

    `agree` may name house rules that were needed; `disagree` gives the first difference;
    `unsupported` the reason why the hand cannot be judged. Exit code 0: no disagreement; 1: some
    hand disagrees; 2: a file or line is no hand. With `--json` there is one object a hand, then
    one with the counts.

    Example: `doorcard audit hands.jsonl --json`
    """
    from doorcard.audit.foreign import audit_hand  # noqa: PLC0415  # `--help` needs none of it

    counts = {"agree": 0, "disagree": 0, "unsupported": 0}
    unread = 0
    for entry in _entries(files):
        if entry.record is None:
            unread += 1
            print_error(f"{entry.place}: {entry.problem}")
            continue
        verdict = audit_hand(entry.record)
        counts[verdict.verdict] += 1
        if as_json:
            print_json(verdict_json(verdict))
        else:
            print(verdict_text(verdict))
    if as_json:
        print_json(counts)
    elif any(counts.values()):
        print(", ".join(f"{count} {name}" for name, count in counts.items()))
    if counts["disagree"]:
        raise typer.Exit(1)
    if unread:
        raise typer.Exit(NOT_READ)


def verdict_json(verdict: Verdict) -> dict[str, object]:
    """A verdict for programs."""
    return {
        "id": verdict.id,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
        "house": dict(verdict.house),
    }


def verdict_text(verdict: Verdict) -> str:
    """A verdict for people, in one line."""
    house = ", ".join(f"{name}={value}" for name, value in verdict.house)
    remarks = [verdict.reason] if verdict.reason else []
    if house:
        remarks.append(f"house rules {house}")
    return f"{verdict.verdict:<12} {verdict.id}{': ' if remarks else ''}{'; '.join(remarks)}"


def _entries(files: list[Path]) -> Iterator[Entry]:
    for path in files:
        try:
            yield from _standard(path) if _is_standard(path) else _json_lines(path)
        except BadInput as error:
            sentence = str(error)
            yield Entry(str(path), None, sentence.removeprefix(f"{path}: "))


def _is_standard(path: Path) -> bool:
    """Whether a file is to be read as .phh: by its name, or else because no line is an object."""
    if path.suffix in STANDARD:
        return True
    return path.suffix not in OBJECTS and not _has_objects(path)


def _has_objects(path: Path) -> bool:
    from doorcard.formats.jsonl import text_lines  # noqa: PLC0415

    return any(line.lstrip().startswith("{") for _, line in text_lines(path))


def _json_lines(path: Path) -> Iterator[Entry]:
    from doorcard.formats.jsonl import read_jsonl  # noqa: PLC0415

    if not _has_objects(path):
        yield Entry(
            str(path),
            None,
            f"no line of it is a JSON object, and {', '.join(OBJECTS)} stand for JSON lines, a "
            f"hand an object; {' and '.join(STANDARD)} stand for the .phh standard; under any "
            "other suffix what is inside decides",
        )
        return
    for place, line in enumerate(read_jsonl(path)):
        if not place and (other := _no_hands(line.record or {})):
            yield Entry(str(path), None, other)
            return
        yield _checked(f"{path}, line {line.number}", line.record, line.problem)


def _no_hands(first: Mapping[str, object]) -> str:
    """What a file of our own is that holds no hands; empty for any other."""
    if "doorcard_log" in first:
        return (
            "this is the log of a table, and no hands: doorcard verify --all --log FILE checks it"
        )
    if first.keys() >= {"table", "seq", "chain", "signature"}:
        return (
            "these are published heads, and no hands: doorcard verify --all --heads FILE reads them"
        )
    return ""


def _standard(path: Path) -> Iterator[Entry]:
    from doorcard.formats.jsonl import text_lines  # noqa: PLC0415
    from doorcard.formats.phh import read_all_phh  # noqa: PLC0415

    numbered = dict(text_lines(path))
    text = "\n".join(numbered.get(number, "") for number in range(1, max(numbered) + 1))
    for number, record in enumerate(read_all_phh(text), start=1):
        yield _checked(f"{path}, hand {number}", record, "")


def _checked(place: str, record: Mapping[str, object] | None, problem: str) -> Entry:
    """What is not even the form of a hand is told apart from hands that cannot be judged."""
    from doorcard.formats.record import parse_record  # noqa: PLC0415

    if record is None:
        return Entry(place, None, problem)
    try:
        parse_record(record)
    except BadInput as error:
        return Entry(place, None, str(error))
    return Entry(place, record)
