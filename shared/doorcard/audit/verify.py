"""Is a table's log the truth? Everything that can be checked about it, from its first commit on.

``verify_table`` reads a log from any store or file. It folds it again and decides every decision
again, and stops at the first commit that is not what it must be. A log that was trimmed begins
with a hand, and is checked from there; ``doorcard.streams.joined_log`` puts the rest before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from doorcard.audit.verify_chain import chain_fault
from doorcard.audit.verify_chips import Ledger
from doorcard.audit.verify_decisions import check_decision, with_own_words
from doorcard.audit.verify_deck import Decks
from doorcard.audit.verify_heads import HeadCheck, read_heads
from doorcard.audit.verify_start import Strange, hand_begun, table_at
from doorcard.engine import invariants
from doorcard.engine.reducer import apply_to, stamp
from doorcard.engine.table import NO_CHAIN, Table
from doorcard.errors import BadCommit, BadInput, BadLog, BrokenInvariant
from doorcard.event_types import AUTHORS
from doorcard.events import HandStarted, TableOpened
from doorcard.fairness.heads import PublishedHead
from doorcard.fairness.keys import DeckKeyRing
from doorcard.streams.codec import decode, encode_like, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.log import DamagedFile, Head, Stored
from doorcard.streams.log_file import ReadableLog, no_table, pages
from doorcard.streams.strict import check_types
from doorcard.views.text import counted

ALWAYS_CHECKED: Final = (
    "sequence", "types", "chain", "times", "authors", "decisions", "chips", "snapshots",
)  # fmt: skip
"""What is checked of every log; other checks depend on what it holds and on what is given."""


class Problem(NamedTuple):
    """The first commit that is not what it must be."""

    table: str
    seq: int
    reason: str

    def __str__(self) -> str:
        return f"table {self.table}: commit {self.seq}: {self.reason}"


class Report(NamedTuple):
    """What an audit of one table found."""

    table: str
    commits: int
    """Commits found good, from the first one there on."""
    hands: int
    """Hands started in them."""
    problem: Problem | None
    notes: tuple[str, ...]
    """What could not be checked, and why."""
    checked: tuple[str, ...]
    """The names of the checks that ran."""
    unchecked: tuple[str, ...] = ()
    """What was asked for and could not be checked, with the reason: decks without their key."""
    moved_commits: int = 0
    """Commits before the first one that is there: the log was trimmed."""
    moved_hands: int = 0
    """Hands in them."""


def verify_table(
    log: ReadableLog,
    table_id: str,
    *,
    ring: DeckKeyRing | None = None,
    heads: Path | Sequence[PublishedHead] | None = None,
    head_publics: Mapping[str, bytes] | None = None,
    whole: bool = False,
) -> Report:
    """Check a table's log, as much as there is of it.

    Args:
        ring: deck keys; with them the decks are opened, and every dealt card is compared.
        heads: published heads, of any tables, or the file that holds them. A file that is not
            there counts as none, and is noted.
        head_publics: the keys that may sign heads, by id; if not given, the ring's own.
        whole: the log must begin with its first commit; else it may begin with any hand, as one
            that was trimmed does.

    Raises:
        BadInput: there is no such table, its game is none that this program has, or the file of
            heads cannot be read.
        StoreError: the store cannot be used.
    """
    notes: list[str] = []
    published = _published(heads, notes)
    if head_publics is None and ring is not None:
        head_publics = ring.head_publics()
    while True:
        heads_check = HeadCheck(table_id, published, head_publics)
        audit = _Audit(log, table_id, ring, heads_check, whole=whole)
        try:
            problem = audit.run()
            break
        except _TrimmedMeanwhile:
            continue
    if problem is None and not audit.seq:
        raise no_table(table_id)
    if problem is None and audit.unknown_game:
        raise BadInput(
            f"table {table_id} cannot be checked: this program has no game "
            f"{audit.unknown_game!r}; only its chain of "
            f"{counted(audit.seq - audit.moved_commits, 'commit')} was, and holds"
        )
    notes += audit.notes(heads_given=heads is not None, keys_known=head_publics is not None)
    return Report(
        table_id,
        audit.seq - audit.moved_commits,
        audit.table.hands - audit.moved_hands,
        problem,
        tuple(notes),
        audit.checked(head_publics),
        audit.unchecked(),
        audit.moved_commits,
        audit.moved_hands,
    )


def _published(
    heads: Path | Sequence[PublishedHead] | None, notes: list[str]
) -> Sequence[PublishedHead]:
    if not isinstance(heads, Path):
        return heads or ()
    if heads.exists():
        return read_heads(heads, notes)
    notes.append(f"there is no file {heads}, so no head was published yet")
    return ()


class _Audit:
    """One pass over one log."""

    def __init__(
        self,
        log: ReadableLog,
        table_id: str,
        ring: DeckKeyRing | None,
        heads: HeadCheck,
        *,
        whole: bool,
    ) -> None:
        self._log = log
        self._whole = whole
        self.moved_commits = self.moved_hands = 0
        """What the log does not begin with any more."""
        self._id = table_id
        self._heads = heads
        self._ring = ring
        self._decks = Decks(ring)
        self._ledger = Ledger()
        self._chains = [NO_CHAIN]
        self._raw = b""
        self.table = Table()
        self._strange = Strange()

    @property
    def unknown_game(self) -> str:
        """A game of the table that this program does not have: nothing is folded then."""
        return self._strange.game

    @property
    def seq(self) -> int:
        """Number of the last good commit."""
        return self.moved_commits + len(self._chains) - 1

    def run(self) -> Problem | None:
        """Look at every commit; the first problem ends it."""
        head, lost = self._stored_head()
        try:
            for stored in pages(self._log, self._id):
                self._take(stored)
            self._heads.ends(self.seq)
        except _Elsewhere as found:
            return Problem(self._id, found.seq, str(found))
        except DamagedFile as found:
            return Problem(self._id, found.seq, found.reason)
        except BadLog as found:
            return Problem(self._id, self.seq + 1, str(found))
        if lost and not self.seq:
            return Problem(self._id, 1, f"is not there, nor any other: {lost}")
        if lost:
            return Problem(self._id, self.seq, f"the log's end is not to be found: {lost}")
        return self._beside_head(head)

    def notes(self, *, heads_given: bool, keys_known: bool) -> list[str]:
        """What was left unchecked."""
        notes = [self._moved_note()] if self.moved_commits else []
        notes += self._heads.notes(given=heads_given, keys_known=keys_known)
        return notes + self._decks.notes(any_hand=self.table.hands > 0)

    def _moved_note(self) -> str:
        last, commits = self.moved_hands, f"commits 1 to {self.moved_commits}"
        hands = f"hands 1 to {last}, {commits}," if last > 1 else f"hand 1, {commits},"
        proof = "; a published head knows where it begins" if self._heads.proven else ""
        return (
            f"{hands if last else commits} are not in this log, archived or deleted: verified from "
            f"hand {last + 1} on{proof}"
        )

    def checked(self, publics: Mapping[str, bytes] | None) -> tuple[str, ...]:
        """The names of the checks that ran."""
        decks = self._decks
        more = {
            "leaves": self.table.hands - self.moved_hands > decks.uncommitted,
            "heads": self._heads.count > 0,
            "signatures": self._heads.count > 0 and publics is not None,
            "decks": decks.opened > 0,
        }
        return (*ALWAYS_CHECKED, *(name for name, ran in more.items() if ran))

    def unchecked(self) -> tuple[str, ...]:
        """What the ring was given for and could not open."""
        return tuple(
            f"the decks of {counted(hands, 'hand')}: the key ring has no deck key {key_id!r}"
            for key_id, hands in self._decks.lacked.items()
        )

    def _stored_head(self) -> tuple[Head | None, str]:
        """What the store says of the log's end, and what is wrong if it cannot say it."""
        try:
            return self._log.head(self._id), ""
        except BadLog as error:
            return None, str(error).removeprefix(f"table {self._id}: ")

    def _beside_head(self, head: Head | None) -> Problem | None:
        """Compare the end of the log with the store's head, as read before or read again."""
        if head is not None and head.seq < self.seq:
            head = self._log.head(self._id)  # commits came in meanwhile, or stand behind the head
            if [stored.seq for stored in self._log.read(self._id, self.seq, 1)] == [self.seq + 1]:
                return None  # and more of them since what was read last
        if head is None:
            return None
        if head.seq > self.seq:
            reason = f"is missing: the log ends with commit {self.seq}, and its head names "
            return Problem(self._id, self.seq + 1, f"{reason}commit {head.seq}")
        if head.seq < self.seq:
            return Problem(self._id, head.seq + 1, "stands behind the end that the head names")
        if head.chain != self._chains[head.seq - self.moved_commits]:
            return Problem(self._id, head.seq, "is not the one that the log's head names")
        return None

    def _take(self, stored: Stored) -> None:
        """Check one commit and fold it.

        Raises:
            BadLog: it is not what it must be; ``_Elsewhere`` if another one is at fault.
        """
        if stored.seq > self.seq + 1:
            self._take_gap(stored)
        seq = self.seq + 1
        if stored.seq != seq:
            raise BadLog(f"is not in its place: commit {stored.seq} stands there")
        try:
            commit = decode(stored.raw)
        except BadCommit as error:
            raise BadLog(f"cannot be read: {error}") from None
        if commit.prev != self._chains[-1][:PREV_BYTES]:
            self._find_fault(stored, commit)
        self._check_words(stored, commit)
        self._strange.take(commit.events)
        if commit.time_ms < self.table.time_ms:
            raise BadLog("has an earlier time than the commit before it")
        draft = self.table.draft() if self.unknown_game else self._folded(seq, commit)
        chain = next_chain(self._chains[-1], stored.raw)
        if stored.mark and stored.mark != chain[:PREV_BYTES]:
            raise BadLog("is not the one that was appended")
        stamp(
            draft,
            asked_before=self.table.decision,
            seq=seq,
            chain=chain,
            time_ms=commit.time_ms,
            cause=commit.cause,
        )
        self._heads.passes(seq, chain, None if self.unknown_game else draft.hands)
        self.table, self._raw = draft, stored.raw
        self._chains.append(chain)

    def _take_gap(self, stored: Stored) -> None:
        """Begin with a commit that begins a hand, where a trimmed log begins with it."""
        started = hand_begun(stored)
        if started is None:
            return
        if self.seq:
            first = self._log.read(self._id, 0, 1)
            if first and first[0].seq == stored.seq:
                raise _TrimmedMeanwhile
            return
        if self._whole:
            last = stored.seq - 1
            reason = f"is not there, nor any other up to commit {last}: neither here nor archived"
            raise _Elsewhere(1, reason)
        self.moved_commits, self.moved_hands = stored.seq - 1, started.snapshot.hands
        self.table = table_at(started, stored.seq)
        self._chains = [started.chain]
        self._ledger.begin(started.snapshot)
        self._strange.begin(started.snapshot.config)
        try:
            self._heads.begins(self.seq, started.chain, self.moved_hands)
        except BadLog as error:
            raise _Elsewhere(self.seq, str(error)) from None

    def _find_fault(self, stored: Stored, commit: Commit) -> NoReturn:
        """Raise ``_Elsewhere`` for the commit that broke the chain."""
        decks, self._decks = self._decks, self._decks.without_key()
        try:
            self._check_words(stored, commit)
            self._folded(stored.seq, with_own_words(self.table, commit))
            fits = True
        except BadLog:
            fits = False
        self._decks = decks
        behind = self._log.read(self._id, stored.seq, 1)
        raise _Elsewhere(
            *chain_fault(
                stored,
                commit,
                self._chains,
                self._raw,
                behind,
                fits=fits,
                start=self.moved_commits + 1,
            )
        )

    def _check_words(self, stored: Stored, commit: Commit) -> None:
        """Check what needs no table: the types, the form, and the authors."""
        try:
            check_types(commit)
        except BadCommit as error:
            raise BadLog(f"cannot be read: {error}") from None
        if encode_like(commit, stored.raw) != stored.raw:
            raise BadLog("is not written the way that commits are written")
        for event in commit.events:
            if commit.role not in AUTHORS[type(event)]:
                name = type(event).__name__
                raise BadLog(f"is the {commit.role}'s and holds {name}, which is not theirs")

    def _folded(self, seq: int, commit: Commit) -> Table:
        """The table after a commit whose events are those that had to be decided."""
        try:
            self._decide(seq, commit)
            draft = self.table.draft()
            for event in commit.events:
                apply_to(draft, event)
                self._ledger.take(event)
                invariants.check(draft, (event,))
            self._ledger.compare(draft)
            self._decks.check(commit.events, draft)
        except BrokenInvariant as error:
            raise BadLog(f"breaks an invariant: {error}") from None
        except BadLog:
            raise
        except Exception as error:  # whatever a decider or a reducer trips over
            raise BadLog(f"does not fold ({type(error).__name__}: {error})") from error
        return draft

    def _decide(self, seq: int, commit: Commit) -> None:
        first, decks = commit.events[0], self._decks
        if isinstance(first, TableOpened) and first.table != self._id:
            raise BadLog(f"opens table {first.table}")
        if isinstance(first, HandStarted):
            check_decision(self.table, commit, None, None)
            decks.start(first, seq)
            if decks.deck is None:
                return
        check_decision(self.table, commit, decks.deck, decks.opener(self.table))


class _TrimmedMeanwhile(Exception):
    """Commits that were to be read next have been moved out of the log."""


class _Elsewhere(BadLog):
    """A commit is at fault, but not the one that is being looked at."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(reason)
        self.seq = seq
