from __future__ import annotations

import tracemalloc
from typing import Final

from doorcard.bench.logs import Scribe
from doorcard.bench.policies import calling
from doorcard.engine.table import Hand, Table
from doorcard.events import HandStarted
from doorcard.streams.codec import decode
from doorcard.streams.folding import fold_commits

TABLES: Final = 50
BYTES_MAX: Final = 9_000


def test_a_folded_table_is_small() -> None:
    """Six players in the middle of a hand: a worker keeps 10,000 of these."""
    scribe = Scribe("seven_card_stud", "p00.written")
    scribe.play(5, calling)
    stored = scribe.stored[: scribe.table.hand_seq + 26]
    fold_commits(Table(), stored)  # what all tables share
    tracemalloc.start()
    tables = [fold_commits(Table(), stored) for _ in range(TABLES)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    hand = tables[-1].hand
    assert hand is not None
    assert (len(hand.players), hand.phase, hand.street) == (6, "bet", 3)
    assert size / TABLES < BYTES_MAX


def test_a_hand_keeps_its_beginning_without_the_leaves() -> None:
    scribe = Scribe("razz", "p00.written")
    scribe.play(5, calling)
    hand = scribe.table.hand
    assert hand is not None
    (started,) = [
        event
        for _, raw, _ in scribe.stored
        for event in decode(raw).events
        if isinstance(event, HandStarted)
    ]
    assert len(started.leaves) == 52
    assert hand.start == started._replace(leaves=())


def test_tables_that_were_opened_alike_share_what_is_alike() -> None:
    hands: list[Hand] = []
    for name in ("p00.one", "p01.two"):
        scribe = Scribe("razz", name)
        scribe.play(5, calling, seal=False)
        table = fold_commits(Table(), scribe.stored)
        hand = table.hand
        assert hand is not None
        assert table.config is hand.start.snapshot.config
        assert hand.start.spec is hand.rules.spec
        hands.append(hand)
    one, two = hands
    assert one.start.snapshot.config is two.start.snapshot.config
    assert one.rules is two.rules
    assert one.seat_index is two.seat_index
