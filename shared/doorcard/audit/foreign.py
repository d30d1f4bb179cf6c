"""Audits hands played elsewhere: does the engine agree with what happened and what was paid?

A hand agrees if the engine asks the same seats in the same order, allows every recorded amount,
gives back the same uncalled bets, forms the same pots and pays the same seats the same chips.
It is tried under the defaults first. Where they differ, the house rules that could explain that
very difference are tried one after another, and small combinations of them. Where a record tells
its house rules and dealer position, as our own do, nothing else is tried::

    >>> audit_hand({"id": "x"}).verdict
    'unsupported'
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple

from doorcard.audit.foreign_hand import ForeignHand, foreign_hand
from doorcard.audit.foreign_house import explanations
from doorcard.audit.foreign_replay import replay
from doorcard.audit.foreign_result import Difference
from doorcard.audit.foreign_setup import Setup
from doorcard.errors import BadInput
from doorcard.formats.jsonl import read_jsonl, text_lines
from doorcard.formats.phh import read_all_phh
from doorcard.formats.record import parse_record
from doorcard.limits import Scalar

OPTIONS_MAX: Final = 4
"""Most house rules assumed at once."""
ATTEMPTS_MAX: Final = 120
"""Most replays of one hand."""
NO_ID: Final = "?"
"""What a hand without an id of its own is called."""


Word = Literal["agree", "disagree", "unsupported"]


class Verdict(NamedTuple):
    """What the engine says to one recorded hand."""

    id: str
    """The record's id; ``?``, or where it was read, if it has none."""
    verdict: Word
    reason: str
    """The first difference, or why the hand cannot be judged; for ``agree`` what was assumed."""
    house: tuple[tuple[str, Scalar], ...] = ()
    """House rules needed beside the defaults, and the record's own where it tells them."""


def audit_hand(record: Mapping[str, object]) -> Verdict:
    """Replay one hand in its JSON form. Never raises for what a record holds."""
    named = record.get("id")
    name = named[:200] if isinstance(named, str) and named else NO_ID
    try:
        hand = foreign_hand(parse_record(record))
        return _judge(hand)
    except BadInput as error:
        return Verdict(name, "unsupported", str(error))


def audit_file(path: Path) -> Iterator[Verdict]:
    """Audit every hand of a file: JSON lines, or .phh by its name. A bad hand is one verdict.

    Raises:
        BadInput: the file cannot be read, is not text, or is empty.
    """
    if path.suffix in (".phh", ".phhs"):
        text = "\n".join(line for _, line in text_lines(path))
        try:
            records = read_all_phh(text)
        except BadInput as error:
            yield Verdict(path.name, "unsupported", str(error))
            return
        for record in records:
            yield audit_hand(record)
        return
    for line in read_jsonl(path):
        if line.record is None:
            yield Verdict(f"{path.name}:{line.number}", "unsupported", line.problem)
            continue
        verdict = audit_hand(line.record)
        named = verdict.id != NO_ID
        yield verdict if named else verdict._replace(id=f"{path.name}:{line.number}")


def _judge(hand: ForeignHand) -> Verdict:
    """Try setups, fewest assumptions first, until the engine agrees."""
    first = Setup((), hand.dealer)
    waiting = deque([(first, -1)])
    tried = {_key(first)}
    furthest: tuple[Difference, Setup] | None = None
    soft: Setup | None = None
    attempts = 0
    while waiting and attempts < ATTEMPTS_MAX:
        setup, before = waiting.popleft()
        attempts += 1
        try:
            difference = replay(hand, setup)
        except BadInput:
            if setup == first:
                raise
            continue
        if difference is None:
            return _agreed(hand, setup, "")
        if difference.soft and soft is None:
            soft = setup
        if furthest is None or difference.at > furthest[0].at:
            furthest = (difference, setup)
        if difference.at <= before or len(setup.house) >= OPTIONS_MAX:
            continue  # what was assumed last explains nothing
        for other in explanations(difference, hand, setup):
            if _key(other) not in tried:
                tried.add(_key(other))
                waiting.append((other, difference.at))
    if soft is not None:
        return _agreed(hand, soft, "the rake is spread in the house's own way")
    assert furthest is not None, "the first setup was tried"
    difference, setup = furthest
    word: Word = "unsupported" if difference.cut else "disagree"
    return Verdict(hand.id, word, difference.sentence, hand.house + setup.house)


def _key(setup: Setup) -> object:
    return (frozenset(setup.house), setup.dealer)


def _agreed(hand: ForeignHand, setup: Setup, note: str) -> Verdict:
    notes = [note] if note else []
    if setup.dealer is not None and hand.dealer is None:
        notes.append(f"seat {hand.seats[setup.dealer]} has the deal")
    if hand.expect is None:
        notes.append("the record tells no result")
    elif hand.expect.collected is None:
        notes.append("the record tells final stacks, not pots")
    return Verdict(hand.id, "agree", "; ".join(notes), hand.house + setup.house)
