"""Writes logs as the workers write them: the same engine, codec, hashes, leaves and sealing."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from time import time_ns
from typing import Final

from doorcard.bench.play import (
    SEATS,
    draws,
    granted,
    opening,
    ready_deck,
    seed_of,
    sitting_down,
)
from doorcard.bench.policies import Policy
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.dealer import NO_SECRETS, HandSecrets
from doorcard.engine.decided import Decided
from doorcard.engine.invariants import check
from doorcard.engine.legal import legal
from doorcard.engine.reducer import stamp
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import Dealt
from doorcard.fairness.dealing import seal_dealt, seal_seed
from doorcard.fairness.deck import FairDeck, leaves
from doorcard.fairness.keys import ENVIRONMENT_NAME, DeckKeyRing, SeatKey
from doorcard.streams.codec import encode, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.log import Append, Stored, Timer
from doorcard.streams.messages import DIGEST_BYTES
from doorcard.tables import Role

DEEP_CHIPS: Final = 1_000_000
"""Enough for any number of hands that a bench plays."""


class Scribe:
    """Plays at one table and keeps what is to be appended to its log."""

    def __init__(self, game: str, table_id: str, *, fair: bool = True) -> None:
        """Open a table and seat everybody.

        Args:
            fair: write leaves and sealed cards as the service does; without, neither.
        """
        self.appends: list[Append] = []
        self.table = Table()
        self._ring = bench_ring() if fair else None
        self._now_ms = time_ns() // 1_000_000
        keys = [SeatKey.generate().public for _ in range(SEATS)] if fair else []
        self._commit(floor.open_table(table_id, opening(game)), "floor")
        for command in sitting_down(DEEP_CHIPS, keys):
            self._commit(floor.decide(self.table, command), "floor")

    @property
    def stored(self) -> list[Stored]:
        """The commits as they lie in the log."""
        return [Stored(append.seq, append.raw) for append in self.appends]

    def drain(self) -> list[Append]:
        """Hand out what was kept, and keep on from here."""
        appends, self.appends = self.appends, []
        return appends

    def play(self, seed: int, policy: Policy, *, seal: bool = True) -> None:
        """Play a numbered hand. Sealing is most of the time, so a long log may do without."""
        deck, draw = ready_deck(seed), draws(seed)
        secrets = self._secrets(deck, seed_of(seed), seal=seal)
        self._deal(dealer.decide(self.table, deck, secrets), deck, seal=seal)
        while self.table.in_hand:
            table = self.table
            options = legal(table)
            if options is not None:
                self._commit(betting.decide(table, policy(options, draw)), "betting")
            elif table.awaited == "dealer":
                self._deal(dealer.decide(table, deck), deck, seal=seal)
            else:
                self._commit(showdown.decide(table, deck), "showdown")

    def _secrets(self, deck: FairDeck, seed: bytes, *, seal: bool) -> HandSecrets:
        if self._ring is None:
            return NO_SECRETS
        if not seal:
            return HandSecrets("", b"", leaves(deck))
        table = self.table
        key_id, sealed = seal_seed(
            seed, self._ring, table.id, table.hands + 1, table.seq + 1, table.chain
        )
        return HandSecrets(key_id, sealed, leaves(deck))

    def _deal(self, outcome: Decided | Refused, deck: FairDeck, *, seal: bool) -> None:
        decided = granted(outcome)
        if self._ring is not None and seal:
            events, after = decided
            before = self.table
            decided = Decided(
                tuple(
                    [
                        seal_dealt(event, after, deck, before.seq + 1, before.chain, after.hands)
                        if isinstance(event, Dealt)
                        else event
                        for event in events
                    ]
                ),
                after,
            )
        self._commit(decided, "dealer")

    def _commit(self, outcome: Decided | Refused, role: Role) -> None:
        events, after = granted(outcome)
        check(after, events)
        before = self.table
        seq = before.seq + 1
        asked = role in {"betting", "floor"}
        # As long as the ids and digests of real requests and wake-ups are.
        cause = f"{seq:016x}" if asked else f"wake-{before.seq}"
        digest = sha256(cause.encode()).digest()[:DIGEST_BYTES] if asked else b""
        raw = encode(Commit(self._now_ms, role, cause, digest, before.chain[:PREV_BYTES], events))
        stamp(
            after,
            asked_before=before.decision,
            seq=seq,
            chain=next_chain(before.chain, raw),
            time_ms=self._now_ms,
            cause=cause,
        )
        timer = Timer(after.deadline_ms) if legal(after) else None
        ended: Role | None = "betting" if legal(before) and timer is None else None
        self.appends.append(
            Append(
                after.id,
                seq,
                before.chain,
                after.chain,
                raw,
                role,
                self._now_ms,
                timer=timer,
                ended=ended,
            )
        )
        self.table = after


def bench_ring() -> DeckKeyRing:
    """A key ring of its own for a bench; its keys open nothing else."""
    key = b64encode(SeatKey.generate().private_bytes).decode()
    ring = DeckKeyRing.from_environment({ENVIRONMENT_NAME: f"bench:{key}"})
    assert ring is not None, "a key was given"
    return ring
