"""Writes logs as the workers write them: the same engine, codec, hashes, leaves and sealing."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from time import time_ns
from typing import Final

from doorcard.bench.play import draws, granted, opening, sitting_down
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
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.fairness.seed import Seed
from doorcard.streams.codec import encode, next_chain
from doorcard.streams.commit import PREV_BYTES, Commit
from doorcard.streams.log import Append, Stored, Timer
from doorcard.tables import Role

DEEP_CHIPS: Final = 1_000_000
"""Enough for any number of hands that a bench plays."""
REQUEST_DIGEST_BYTES: Final = 16


class Scribe:
    """Plays at one table and keeps what a log would hold, and how it would be appended."""

    def __init__(self, game: str, table_id: str, *, fair: bool = True) -> None:
        """Open a table and seat everybody.

        Args:
            fair: write leaves and sealed cards as the service does; without, neither.
        """
        self.appends: list[Append] = []
        self.table = Table()
        self._fair = fair
        self._ring = bench_ring() if fair else None
        self._now_ms = time_ns() // 1_000_000
        keys = [SeatKey.generate().public for _ in range(6)] if fair else ()
        self._commit(floor.open_table(table_id, opening(game)), "floor", b"")
        for command in sitting_down(DEEP_CHIPS, keys):
            self._commit(floor.decide(self.table, command), "floor", b"")

    @property
    def stored(self) -> list[Stored]:
        """The commits as they lie in the log."""
        return [Stored(append.seq, append.raw) for append in self.appends]

    def play(self, seed: int, policy: Policy, *, seal: bool = True, to_end: bool = True) -> None:
        """Play a numbered hand.

        Args:
            seal: without it nothing is sealed in this hand, which is most of the time it takes.
            to_end: without it the hand stops when its last street is dealt, or its end is near.
        """
        deck_seed = Seed(seed.to_bytes(32, "big"))
        deck = FairDeck(deck_seed)
        draw = draws(seed)
        secrets = self._secrets(deck, deck_seed, seal=seal)
        self._deal(dealer.decide(self.table, deck, secrets), deck, seal=seal)
        while self.table.in_hand:
            table = self.table
            options = legal(table)
            if options is not None:
                self._commit(betting.decide(table, policy(options, draw)), "betting", b"act")
            elif table.awaited == "dealer":
                self._deal(dealer.decide(table, deck), deck, seal=seal)
            elif not to_end:
                self._take_back()
                return
            else:
                self._commit(showdown.decide(table, deck), "showdown", b"")

