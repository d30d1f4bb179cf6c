"""Logs as the services write them, in memory, and ways to spoil them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from doorcard.bots import calling, choice_of
from doorcard.commands import Act, Choose, FloorCommand, OpenTable, SitDown, TimeOut
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.choices import choices
from doorcard.engine.dealer import HandSecrets, plain_choice
from doorcard.engine.dealer_choices import OpenChoice, decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.deck import Deck
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal
from doorcard.engine.reducer import stamp
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import CardBought, Dealt, HandEnded, HandStarted
from doorcard.fairness.dealing import (
    choice_opener,
    seal_bought,
    seal_choice_for,
    seal_dealt,
    seal_seed,
)
from doorcard.fairness.deck import FairDeck, leaves
from doorcard.fairness.heads import PublishedHead
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.fairness.ring_text import RingKeys
from doorcard.limits import Limits, Scalar
from doorcard.streams.codec import decode, encode, next_chain
from doorcard.streams.commit import Commit
from doorcard.streams.log import NO_HEAD, Head, Stored
from doorcard.streams.log_file import export_log
from doorcard.tables import Role

RING = DeckKeyRing(RingKeys({"k1": b"\1" * 32}, "k1", {"h1": b"\2" * 32}, "h1"))
OTHER_RING = DeckKeyRing(RingKeys({"k1": b"\3" * 32}, "k1", {}, None))
LIMITS = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
DIGEST = b"\7" * 32
START_MS = 1_760_000_000_000
Bot = Callable[[Legal, Random], Act]


class ListLog:
    """Logs that a test may do anything to."""

    def __init__(self) -> None:
        self.commits: dict[str, list[Stored]] = {}
        self.heads: dict[str, Head] = {}

    def head(self, table: str) -> Head | None:
        return self.heads.get(table)

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        later = [stored for stored in self.commits.get(table, []) if stored.seq > after]
        return later[:count]

    def tables(self) -> list[str]:
        return sorted(self.commits)


class House:
    """One table that is played at, its log and its published heads."""

    def __init__(
        self,
        game: str = "seven_card_stud",
        *,
        table: str = "p00.table",
        seats: int = 4,
        chips: int = 200,
        seed: int = 1,
        limits: Limits = LIMITS,
        variant: str = "",
        house: tuple[tuple[str, Scalar], ...] = (),
        log: ListLog | None = None,
        next_deck: Callable[[], Deck] | None = None,
    ) -> None:
        self.log = ListLog() if log is None else log
        self.chance = Random(seed)
        self.heads: list[PublishedHead] = []
        self.keys = {seat: SeatKey(bytes((seat + 1,)) * 32) for seat in range(seats)}
        self.table = Table()
        self.id = table
        self._next_deck = next_deck
        self.deck: Deck | None = None
        """The deck of the last hand."""
        self._ms = START_MS
        self.log.commits[table] = []
        self.log.heads[table] = NO_HEAD
        opened = floor.open_table(table, OpenTable(game, limits, variant, house, max(seats, 2)))
        self.commit("floor", opened, "open")
        for seat in range(seats):
            self.ask(SitDown(seat, f"player-{seat}", chips, f"in-{seat}", self.keys[seat].public))

    @property
    def stored(self) -> list[Stored]:
        return self.log.commits[self.id]

    def ask(self, command: FloorCommand) -> None:
        """Let the floor decide a request."""
        self.commit("floor", floor.decide(self.table, command), f"request-{len(self.stored)}")

    @property
    def options(self) -> Legal:
        """What the seat that is asked may do."""
        options = legal(self.table)
        assert options is not None
        return options

    def act(self, command: Act, *, cause: str = "", digest: bytes = DIGEST) -> None:
        """Let a player act."""
        decided = betting.decide(self.table, command)
        self.commit("betting", decided, cause or f"c-{self._ms}", digest)

    def wait(self, more_ms: int = 0) -> None:
        """Let the time of the seat that is asked go by."""
        self._ms = max(self._ms, self.table.deadline_ms + more_ms)

    def time_out(self) -> None:
        """Let the time of the seat that is asked run out."""
        self.wait()
        decided = betting.decide(self.table, TimeOut(self.table.decision))
        self.commit("betting", decided, f"timer-{self.table.deadline_ms}", b"")

    def step(self, bot: Bot = calling) -> bool:
        """Do whatever is due; False where nothing is."""
        awaited = self.table.awaited
        if choices(self.table) is not None:
            self.choose()
        elif awaited == "dealer":
            self._deal()
        elif awaited == "showdown":
            assert self.deck is not None
            decided = showdown.decide(self.table, self.deck, self._opener())
            self.commit("showdown", decided, "wake-1", b"")
        elif awaited == "floor":
            self.commit("floor", floor.settle_leavers(self.table), "wake-1", b"")
        elif awaited == "betting":
            self.act(bot(self.options, self.chance))
        return awaited is not None

    def choose(self) -> None:
        """Let a seat that is asked make any choice that is no bet (R16, R17)."""
        asked, hand = choices(self.table), self.table.hand
        assert asked is not None
        assert hand is not None
        seat = self.chance.choice(asked.seats)
        player = hand.players[hand.index_of(seat)]
        what, place, direction = choice_of(asked, seat, player.down, player.up_places, self.chance)
        sealed = b""
        if asked.secret:
            text = direction if place is None else str(place)
            sealed, place, direction = seal_choice_for(self.table, seat, text), None, ""
        command = Choose(seat, asked.decision, what, place, direction, sealed)
        if asked.kind == "declare":
            self.commit("betting", betting.decide(self.table, command), f"c-{self._ms}")
        else:
            assert self.deck is not None
            decided = decide_choice(self.table, command, self.deck)
            self.commit("dealer", self._sealed(decided), f"c-{self._ms}")

    def play(self, hands: int, bot: Bot = calling) -> House:
        """Play some hands to their ends."""
        until = self.table.hands + hands
        while (self.table.hands < until or self.table.in_hand) and self.step(bot):
            pass
        return self

    def commit(
        self, role: Role, decision: Decided | Refused, cause: str, digest: bytes = DIGEST
    ) -> None:
        """Append a decision."""
        assert isinstance(decision, Decided), decision
        events, after = decision
        self._ms += 7
        before = self.table
        raw = encode(Commit(self._ms, role, cause, digest, before.chain[:8], events))
        seq, chain = before.seq + 1, next_chain(before.chain, raw)
        stamp(
            after,
            asked_before=before.decision,
            seq=seq,
            chain=chain,
            time_ms=self._ms,
            cause=cause if digest else "",
        )
        self.table = after
        self.stored.append(Stored(seq, raw))
        self.log.heads[self.id] = Head(seq, chain, after.hand_seq)
        if isinstance(events[-1], HandEnded):
            self.heads.append(RING.head_signer().sign(self.id, after.hands, seq, chain))

    def _deal(self) -> None:
        table = self.table
        secrets = HandSecrets()
        if not table.in_hand:
            if self._next_deck is None:
                seed = self.chance.randbytes(32)
                self.deck = FairDeck(seed)
                key_id, sealed = seal_seed(
                    seed, RING, self.id, table.hands + 1, table.seq + 1, table.chain
                )
                secrets = HandSecrets(key_id, sealed, leaves(self.deck), RING.public(key_id))
            else:
                self.deck = self._next_deck()
        assert self.deck is not None
        decided = dealer.decide(table, self.deck, secrets, self._opener())
        self.commit("dealer", self._sealed(decided), "wake-1", b"")

    def _opener(self) -> OpenChoice:
        hand = self.table.hand
        sealed = hand is not None and hand.start.deck_public
        return choice_opener(RING, self.table) if sealed else plain_choice

    def _sealed(self, decision: Decided | Refused) -> Decided:
        """Face-down cards sealed to their owners, where the deck is a secret."""
        assert isinstance(decision, Decided), decision
        deck, after = self.deck, decision.table
        if self._next_deck is not None or deck is None:
            return decision
        where = (deck, self.table.seq + 1, self.table.chain, after.hands)
        events = tuple(
            seal_dealt(event, after, *where)
            if isinstance(event, Dealt)
            else seal_bought(event, after, *where)
            if isinstance(event, CardBought)
            else event
            for event in decision.events
        )
        return decision._replace(events=events)


def rewritten(
    log: ListLog, table: str, commits: Sequence[Commit], *, keep: int | None = None
) -> None:
    """Replace a log by these commits, numbered and chained as if they had been written so.

    Hands repeat the new hashes too, but for a hand that begins in the commit at ``keep``.
    """
    chain = NO_HEAD.chain
    stored: list[Stored] = []
    for place, commit in enumerate(commits):
        started = commit.events[0]
        events = commit.events
        if isinstance(started, HandStarted) and place != keep:
            events = (started._replace(chain=chain), *events[1:])
        raw = encode(commit._replace(prev=chain[:8], events=events))
        chain = next_chain(chain, raw)
        stored.append(Stored(place + 1, raw))
    log.commits[table] = stored
    log.heads[table] = Head(len(stored), chain, log.heads[table].hand_seq)


def commits_of(log: ListLog, table: str) -> list[Commit]:
    """The commits of a log."""
    return [decode(raw) for _, raw, _ in log.commits[table]]


def renumbered(stored: Sequence[Stored]) -> list[Stored]:
    """The same commits, numbered from 1 without gaps."""
    return [Stored(seq, raw) for seq, (_, raw, _) in enumerate(stored, start=1)]


class Files(NamedTuple):
    """What an auditor may be given, in a folder."""

    house: House
    log: Path
    heads: Path
    head_keys: Path
    deck_keys: Path
    seat_keys: Path

    @property
    def table(self) -> str:
        return self.house.id


def write_files(house: House, folder: Path) -> Files:
    """Write a house's log, published heads and keys into files."""
    files = Files(house, *(folder / name for name in ("log", "heads", "signers", "deck", "seats")))
    export_log(house.log, house.log.tables(), files.log)
    files.heads.write_text("".join(f"{head.to_json()}\n" for head in house.heads))
    signers = {key_id: public.hex() for key_id, public in RING.head_publics().items()}
    files.head_keys.write_text(json.dumps(signers))
    files.deck_keys.write_text(RING.to_json())
    files.deck_keys.chmod(0o600)
    keys = {f"player-{seat}": key.private_bytes.hex() for seat, key in house.keys.items()}
    files.seat_keys.write_text(json.dumps(keys))
    return files
