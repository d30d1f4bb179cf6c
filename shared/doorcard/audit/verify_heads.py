"""Published heads against a log: what finds cut tails and recomputed chains."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from doorcard.errors import BadInput, BadLog
from doorcard.fairness.heads import PublishedHead, verify_head
from doorcard.views.text import counted

_HEAD_START: Final = b'{"format": '
_LOGGER: Final = logging.getLogger(__name__)


def read_heads(path: Path, notes: list[str] | None = None) -> list[PublishedHead]:
    """Read a file of published heads, one a line.

    A line that was not written to its end, by a power failure or on a full disk, is no damage: what
    follows is read, even behind it on the same line.

    Args:
        notes: where such lines are named; not given, each is logged as a warning.

    Raises:
        BadInput: it cannot be read, or a line is something else; names the line.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None
    heads: list[PublishedHead] = []
    for number, line in enumerate(lines, start=1):
        torn, whole = _parted(line.strip(b"\0 \t"))
        if torn:
            note = f"{path}, line {number}: a published head was not written to its end"
            if notes is None:
                _LOGGER.warning(note)
            else:
                notes.append(note)
        if whole:
            try:
                heads.append(PublishedHead.from_json(whole.decode()))
            except UnicodeDecodeError:
                raise BadInput(f"{path}, line {number}: no published head, not even text") from None
            except BadInput as error:
                raise BadInput(f"{path}, line {number}: {error}") from None
    return heads


def _parted(line: bytes) -> tuple[bytes, bytes]:
    """What of a line is left of a head that was not written to its end, and what is not."""
    begins = line.rfind(_HEAD_START)
    if begins > 0 and _is_torn(line[:begins]):
        torn, rest = line[:begins], line[begins:]
        return (line, b"") if _is_torn(rest) else (torn, rest)
    return (line, b"") if _is_torn(line) else (b"", line)


def _is_torn(part: bytes) -> bool:
    """Whether it is how a head's line begins, and no more."""
    if not part or not part.startswith(_HEAD_START[: len(part)]):
        return False
    try:
        json.loads(part)
    except ValueError:
        return True
    return False


def read_head_keys(path: Path) -> dict[str, bytes]:
    """Read the public keys that may sign heads: a JSON object, id to 64 hexadecimal digits.

    Raises:
        BadInput: the file cannot be read, or holds something else.
    """
    try:
        values: object = json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise BadInput(f"{path} is no JSON object of head keys")
    keys: dict[str, bytes] = {}
    for key_id, text in cast("dict[str, object]", values).items():
        try:
            keys[key_id] = bytes.fromhex(str(text))
        except ValueError:
            keys[key_id] = b""
        if len(keys[key_id]) != 32:
            raise BadInput(f"{path}: key {key_id!r} is not 64 hexadecimal digits")
    return keys


class HeadCheck:
    """One table's published heads, looked at as the log comes past them.

    Args:
        publics: the keys that may sign, by id; None leaves signatures unchecked.
    """

    def __init__(
        self, table: str, heads: Sequence[PublishedHead], publics: Mapping[str, bytes] | None
    ) -> None:
        self._publics = publics
        self._ahead: defaultdict[int, list[PublishedHead]] = defaultdict(list)
        self._agreed = 0
        for head in heads:
            if head.table == table:
                self._ahead[head.seq].append(head)
        self.count = sum(map(len, self._ahead.values()))
        self.before = 0
        """How many are of commits that are not in the log."""
        self.proven = False
        """Whether one is of the last commit that is not in it."""

    def begins(self, seq: int, chain: bytes, hands: int) -> None:
        """Begin behind a commit that is not in the log; raises as ``passes``."""
        self.before = sum(len(self._ahead.pop(n)) for n in sorted(self._ahead) if n < seq)
        self.proven = seq in self._ahead
        self.passes(seq, chain, hands)

    def passes(self, seq: int, chain: bytes, hands: int | None) -> None:
        """Compare the heads published for a commit with the log; ``hands`` is None if not known.

        Raises:
            BadLog: a head is not rightly signed, or speaks of another log.
        """
        for head in self._ahead.pop(seq, ()):
            self._require_signed(head)
            if head.chain != chain:
                raise BadLog(
                    "is not the one whose head was published: the log was written anew "
                    f"somewhere behind commit {self._agreed}"
                )
            if hands is not None and head.hand != hands:
                raise BadLog(f"ends hand {hands}, and its published head says hand {head.hand}")
            self._agreed = seq

    def notes(self, *, given: bool, keys_known: bool) -> list[str]:
        """What was left unchecked."""
        notes: list[str] = []
        if given and not self.count:
            notes.append("no head was published for this table: a cut tail would not show")
        elif not given:
            notes.append("no published heads were given: a log written anew would not show")
        elif not keys_known:
            notes.append("the signatures of the published heads were not checked: no keys given")
        if self.before:
            notes.append(
                f"not compared: {counted(self.before, 'published head')} of commits before"
            )
        return notes

    def ends(self, last: int) -> None:
        """Say so, with ``BadLog``, when a head was published for a commit behind the last."""
        if not self._ahead:
            return
        furthest = max(self._ahead)
        for head in self._ahead[furthest]:
            self._require_signed(head)
        raise BadLog(
            f"is missing: the log ends with commit {last}, and a head was published for "
            f"commit {furthest}"
        )

    def _require_signed(self, head: PublishedHead) -> None:
        if self._publics is None:
            return
        public = self._publics.get(head.key_id)
        if public is None:
            raise BadLog(f"has a published head signed by a key {head.key_id!r} that is not known")
        if not verify_head(public, head):
            raise BadLog(f"has a published head whose signature by {head.key_id!r} is wrong")
