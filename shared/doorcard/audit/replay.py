"""A logged hand step by step, as one viewer saw it, and a table as it was after any commit.

Everything that is shown goes through ``doorcard.views``: a seat sees its own face-down cards, with
its key; a spectator none; an auditor all, with the deck key. Nothing is written anywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from doorcard.cards import Card
from doorcard.engine.reducer import stamp
from doorcard.engine.table import Table
from doorcard.errors import BadInput, BadLog
from doorcard.events import (
    BetMade,
    BringInPosted,
    Called,
    CardBought,
    Checked,
    Completed,
    Dealt,
    Event,
    Folded,
    HandEnded,
    HandStarted,
    HandVoided,
    Raised,
)
from doorcard.fairness.dealing import dealt_opener, open_seed
from doorcard.fairness.deck import FairDeck, leaves
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.games.describe import Plain
from doorcard.streams.codec import next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.folding import fold_commits
from doorcard.streams.heads import hand_started, read_commit, require_hand
from doorcard.streams.log import Stored
from doorcard.streams.log_file import ReadableLog, no_table, pages
from doorcard.tables import Role
from doorcard.views import (
    AUDITOR,
    SPECTATOR,
    TableView,
    Viewer,
    event_text,
    redact,
    view,
    view_json,
)
from doorcard.views.text import printable

_LOOK_BACK = 64
"""Commits read at once when the beginning of a hand is looked for."""


class Step(NamedTuple):
    """One commit, as a viewer saw it."""

    seq: int
    time_ms: int
    role: Role
    who: str
    """The player who acted, or the role."""
    words: tuple[str, ...]
    """What happened, a sentence an event."""
    events: tuple[dict[str, Plain], ...]
    """The same as plain data, redacted."""
    view: TableView
    """The table afterwards."""

    @property
    def time(self) -> str:
        """The commit's time, in UTC with the zone, as ISO 8601 writes it."""
        return utc(self.time_ms)

    def to_json(self) -> dict[str, Plain]:
        """The step as plain data."""
        return {
            "seq": self.seq,
            "time": self.time,
            "role": self.role,
            "who": self.who,
            "words": list(self.words),
            "events": list(self.events),
            "pot": self.view.pot,
            "view": view_json(self.view),
        }


class ToldHand(NamedTuple):
    """A hand's events, and what happened behind it until the next."""

    start: HandStarted
    events: tuple[Event, ...]
    opened: Mapping[int, Card]
    """The face-down cards that whoever looks could open, by index in the deck."""

    @property
    def over(self) -> bool:
        """Whether the hand has come to its end."""
        return any(isinstance(event, HandEnded | HandVoided) for event in self.events)


class Eyes:
    """Whose eyes a log is read with, and the keys that open what they may see.

    Args:
        seat_keys: for a seat, the private keys of whoever looks: in each hand the one that its
            player sat down with is used. Without it a seat sees what a spectator sees.
        ring: for the auditor, the deck keys.

    Raises:
        BadInput: the auditor has no deck keys.
    """

    def __init__(
        self,
        viewer: Viewer = SPECTATOR,
        *,
        seat_keys: Sequence[SeatKey] = (),
        ring: DeckKeyRing | None = None,
    ) -> None:
        if viewer == AUDITOR and ring is None:
            raise BadInput("an auditor needs the deck keys")
        self.viewer: Viewer = viewer
        self._seat_keys = {key.public: key for key in seat_keys}
        self._ring = ring if viewer == AUDITOR else None
        self._opened: dict[int, Card] = {}
        self._hand = 0
        self._key: SeatKey | None = None

    @property
    def opened(self) -> Mapping[int, Card]:
        """The face-down cards of the hand that are known so far, by index in the deck."""
        return self._opened

    def key_in(self, started: HandStarted) -> SeatKey | None:
        """The key that opens the viewer's own cards in a hand; None without it."""
        for seat in started.snapshot.seats:
            if seat.seat == self.viewer:
                return self._seat_keys.get(seat.key)
        return None

    def see(self, event: Event, table_id: str, seq: int, chain: bytes) -> None:
        """Open what an event brings; every hand is to be seen from its beginning.

        Args:
            table_id: the table.
            seq: the number of the event's commit.
            chain: the chain hash before it.

        Raises:
            BadKey: a key does not open what it should.
            BadInput: the hand has no sealed seed, so that nobody can open its deck.
            BadLog: the hand's seed is not that of the deck that it commits to.
        """
        if isinstance(event, HandStarted):
            self._hand = event.hand
            self._key = self.key_in(event)
            self._opened = {} if self._ring is None else _whole_deck(self._ring, event, seq)
        elif (
            isinstance(event, Dealt | CardBought)
            and isinstance(self.viewer, int)
            and self._key is not None
        ):
            open_own = dealt_opener(table_id, self.viewer, self._key)
            self._opened.update(open_own(event, self._hand, seq, chain))


def replay_hand(
    log: ReadableLog, table_id: str, hand: int | None = None, eyes: Eyes | None = None
) -> Iterator[Step]:
    """The steps of a hand, from its start to its end, or as far as it has come.

    Args:
        hand: its number; the table's last hand if not given.
        eyes: who looks; a spectator if not given.

    Raises:
        BadInput: there is no such table or hand.
        BadLog: the log cannot be read or does not fold there.
        BadKey: a key does not open what it should.
    """
    first, _ = hand_start(log, table_id, hand)
    return _steps(log, table_id, first, eyes or Eyes(), whole_hand=True)


def step_at(log: ReadableLog, table_id: str, seq: int, eyes: Eyes | None = None) -> Step:
    """The commit with a number, and the table after it; raises as ``replay_hand``."""
    found = hand_at(log, table_id, seq)
    first = 1 if found is None else found[0]
    for step in _steps(log, table_id, first, eyes or Eyes(), whole_hand=False):
        if step.seq == seq:
            return step
    raise BadLog(f"table {table_id}: commit {seq} is missing")


def hand_at(log: ReadableLog, table_id: str, seq: int) -> tuple[int, HandStarted] | None:
    """The hand in progress at a commit, or the last one before it: where and how it began.

    None before the table's first hand.

    Raises:
        BadInput: there is no such table or commit.
        BadLog: the log cannot be read there.
    """
    first, last = first_commit(log, table_id), _last(log, table_id)
    if not 1 <= seq <= last:
        raise BadInput(f"table {table_id} has commits 1 to {last}, and no {seq}")
    if seq < first.seq:
        raise _archived(table_id, f"commit {seq}", first)
    return _hand_before(log, table_id, seq)


def first_commit(log: ReadableLog, table_id: str) -> Stored:
    """The commit that a log begins with; raises ``BadInput`` if there is no such table."""
    found = log.read(table_id, 0, 1)
    if not found:
        raise no_table(table_id)
    return found[0]


def hands_moved(log: ReadableLog, table_id: str) -> int:
    """How many hands were moved out of a log; raises as ``replay_hand``."""
    first = first_commit(log, table_id)
    return 0 if first.seq == 1 else require_hand(table_id, first).snapshot.hands


def hand_start(log: ReadableLog, table_id: str, hand: int | None = None) -> tuple[int, HandStarted]:
    """Where and how a hand, or the table's last one, began: the commit's number and the event.

    Only a few pages of the log are read, however long it is. Raises as ``replay_hand``.
    """
    first = first_commit(log, table_id)
    low, high = first.seq, _last(log, table_id)
    newest = _hand_before(log, table_id, high)
    if newest is None:
        raise BadInput(f"table {table_id} has not played a hand yet")
    if hand is None:
        return newest
    if not 1 <= hand <= newest[1].hand:
        raise BadInput(f"table {table_id} has hands 1 to {newest[1].hand}, and no {hand}")
    if hand <= hands_moved(log, table_id):
        raise _archived(table_id, f"hand {hand}", first)
    while low < high:
        middle = (low + high) // 2
        found = _hand_before(log, table_id, middle)
        if found is None or found[1].hand < hand:
            low = middle + 1
        else:
            high = middle
    found = _hand_before(log, table_id, low)
    if found is None or found[1].hand != hand:
        raise BadLog(f"table {table_id}: hand {hand} is not where it should be")
    return found


def told_hands(
    log: ReadableLog, table_id: str, eyes: Eyes, wanted: Collection[int] = ()
) -> Iterator[ToldHand]:
    """The events of some hands, or of all, each with the cards that these eyes saw.

    Raises:
        BadInput: there is no such table or hand.
        BadLog: the log cannot be read there, or breaks its chain.
        BadKey: a key does not open what it should.
    """
    last = max(wanted, default=hand_start(log, table_id)[1].hand)
    hand_start(log, table_id, last)
    first, _ = hand_start(log, table_id, min(wanted, default=hands_moved(log, table_id) + 1))
    started: HandStarted | None = None
    events: list[Event] = []
    chain = b""
    for stored in pages(log, table_id, first - 1):
        commit = read_commit(table_id, stored)
        begun = hand_started(commit)
        if begun is not None:
            if started is not None and (not wanted or started.hand in wanted):
                yield ToldHand(started, tuple(events), dict(eyes.opened))
            if begun.hand > last:
                return
            started, events, chain = begun, [], begun.chain
        if commit.prev != chain[:PREV_BYTES]:
            raise BadLog(f"table {table_id}: commit {stored.seq} does not follow the one before")
        if started is not None and (not wanted or started.hand in wanted):
            for event in commit.events:
                eyes.see(event, table_id, stored.seq, chain)
        events += commit.events
        chain = next_chain(chain, stored.raw)
    if started is not None and (not wanted or started.hand in wanted):
        yield ToldHand(started, tuple(events), dict(eyes.opened))


def utc(time_ms: int) -> str:
    """Milliseconds since 1970 as ISO 8601 in UTC."""
    seconds, rest = divmod(time_ms, 1000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"


def _archived(table_id: str, what: str, first: Stored) -> BadInput:
    started = require_hand(table_id, first)
    return BadInput(
        f"{what} of table {table_id} was archived: its log begins with hand {started.hand}, commit "
        f"{first.seq}; with --archive FOLDER what was moved there is read too"
    )


def _steps(
    log: ReadableLog, table_id: str, first: int, eyes: Eyes, *, whole_hand: bool
) -> Iterator[Step]:
    table = Table()
    for stored in pages(log, table_id, first - 1):
        commit = read_commit(table_id, stored)
        if stored.seq == first:
            table = _before(stored, commit)
        for event in commit.events:
            eyes.see(event, table_id, stored.seq, table.chain)
        before, table = table, fold_commits(table, (stored,))
        yield _step(before, table, commit, eyes)
        if whole_hand and not table.in_hand:
            return


def _before(first: Stored, commit: Commit) -> Table:
    """The table to begin with: a hand's first commit holds all the rest itself."""
    table = Table()
    started = hand_started(commit)
    if started is not None:
        stamp(table, asked_before=0, seq=first.seq - 1, chain=started.chain, time_ms=0)
    return table


def _step(before: Table, table: Table, commit: Commit, eyes: Eyes) -> Step:
    names = {number: seat.player for number, seat in {**before.seats, **table.seats}.items()}
    words = [event_text(event, eyes.viewer, eyes.opened, names) for event in commit.events]
    return Step(
        table.seq,
        table.time_ms,
        commit.role,
        _who(commit, names),
        tuple(filter(None, words)),
        tuple(redact(event, eyes.viewer, eyes.opened) for event in commit.events),
        view(table, eyes.viewer, eyes.opened, commit.events),
    )


def _who(commit: Commit, names: Mapping[int, str]) -> str:
    first = commit.events[0]
    if isinstance(first, BringInPosted | Completed | BetMade | Raised | Called | Checked | Folded):
        return printable(names.get(first.seat, f"seat {first.seat}"))
    return commit.role


def _whole_deck(ring: DeckKeyRing, started: HandStarted, seq: int) -> dict[int, Card]:
    if not started.sealed_seed:
        raise BadInput(f"hand {started.hand} has no sealed seed, so nobody can open its deck")
    deck = FairDeck(open_seed(ring, started, started.table, seq))
    if leaves(deck) != started.leaves:
        raise BadLog(f"table {started.table}: commit {seq} commits to another deck than its seed's")
    return dict(enumerate(deck.cards))


def _last(log: ReadableLog, table_id: str) -> int:
    head = log.head(table_id)
    if head is None:
        raise no_table(table_id)
    return head.seq


def _hand_before(log: ReadableLog, table_id: str, seq: int) -> tuple[int, HandStarted] | None:
    while seq > 0:
        after = max(seq - _LOOK_BACK, 0)
        for stored in reversed(log.read(table_id, after, seq - after)):
            if stored.seq > seq:
                continue  # the log begins in between
            started = hand_started(read_commit(table_id, stored))
            if started is not None:
                return stored.seq, started
        seq = after
    return None
