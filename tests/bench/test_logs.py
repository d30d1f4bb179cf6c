from __future__ import annotations

from doorcard.bench.logs import Scribe
from doorcard.bench.policies import calling, uniform
from doorcard.engine.table import Table
from doorcard.events import Dealt, HandStarted
from doorcard.fairness.deck import check_leaf
from doorcard.streams.codec import decode
from doorcard.streams.folding import fold_commits, rebuild
from doorcard.streams.memory_log import MemoryLog

TABLE = "p00.written"


def test_a_written_log_folds_to_the_table_that_was_played() -> None:
    scribe = Scribe("seven_card_stud", TABLE)
    for seed in range(3):
        scribe.play(seed, calling)
    assert fold_commits(Table(), scribe.stored) == scribe.table
    assert scribe.table.hands == 3


def test_a_store_takes_a_written_log() -> None:
    scribe, log = Scribe("razz", TABLE), MemoryLog()
    scribe.play(1, uniform, seal=False)
    appends = scribe.drain()
    assert {outcome.code for outcome in log.append(appends)} == {"ok"}
    assert rebuild(log, TABLE) == scribe.table
    assert scribe.drain() == []


def test_leaves_and_sealed_cards_are_there_as_in_real_play() -> None:
    scribe = Scribe("seven_card_stud", TABLE)
    scribe.play(5, calling)
    events = [event for _, raw, _ in scribe.stored for event in decode(raw).events]
    (started,) = [event for event in events if isinstance(event, HandStarted)]
    dealt = [event for event in events if isinstance(event, Dealt)]
    assert len(started.sealed_seed) > 32
    assert [seat for seat, _ in dealt[0].sealed] == list(started.players)
    for _, place, card, salt in dealt[0].up:
        assert check_leaf(started.leaves, place, card, salt)


def test_a_bare_log_has_neither() -> None:
    scribe = Scribe("seven_card_stud", TABLE, fair=False)
    scribe.play(5, calling)
    events = [event for _, raw, _ in scribe.stored for event in decode(raw).events]
    assert not any(event.leaves for event in events if isinstance(event, HandStarted))
    assert not any(event.sealed for event in events if isinstance(event, Dealt))
