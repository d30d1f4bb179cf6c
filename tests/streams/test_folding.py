"""From stored commits to a table, whole, in parts and from the last hand."""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.engine.table import NO_CHAIN, Table
from doorcard.errors import BadCommit, BadLog
from doorcard.events import Called, HandStarted
from doorcard.streams.codec import decode, encode, next_chain
from doorcard.streams.commit import Commit
from doorcard.streams.folding import DECODED_AT_ONCE, fold_commits, missed, rebuild
from doorcard.streams.heads import PAGE, scan_head
from doorcard.streams.log import NO_HEAD, Head, Stored
from doorcard.streams.memory_log import MemoryLog
from doorcard.streams.memory_store import MemoryStore

ID = "p00.game"


def stored_in(stored: list[Stored]) -> MemoryLog:
    """A log with these commits, as if they had been appended."""
    store = MemoryStore()
    store.logs[ID] = list(stored)
    return MemoryLog(store)


def catch_up(log: MemoryLog, table: Table) -> Table:
    """A kept table with what it lacks, or the one that is there instead."""
    behind = missed(log.read(ID, after=max(table.seq - 1, 0)), table)
    if behind is None:
        return rebuild(log, ID)
    return fold_commits(table, behind) if behind else table


def swapped(raw: bytes, **changes: Any) -> bytes:
    return encode(decode(raw)._replace(**changes))


def test_any_prefix_and_the_rest_are_all(game: Any) -> None:
    played = game().play(2)
    whole = fold_commits(Table(), played.stored)
    assert whole == played.table
    for cut in range(0, len(played.stored), 3):
        table = fold_commits(Table(), played.stored[:cut])
        before = fold_commits(Table(), played.stored[:cut])
        assert fold_commits(table, played.stored[cut:]) == whole
        assert table == before, "the table given was changed"


def test_a_table_knows_where_its_log_is(game: Any) -> None:
    played = game().play()
    chain = NO_CHAIN
    for each in played.stored:
        chain = next_chain(chain, each.raw)
    table = fold_commits(Table(), played.stored)
    assert (table.seq, table.chain) == (len(played.stored), chain)
    assert table.time_ms == decode(played.stored[-1].raw).time_ms


def test_a_rebuild_is_the_fold_of_everything(game: Any) -> None:
    """At every commit, also in the middle of a hand."""
    played = game(seats=3).play(3)
    table = Table()
    for number, each in enumerate(played.stored, start=1):
        table = fold_commits(table, [each])
        log = stored_in(played.stored[:number])
        assert rebuild(log, ID) == table
        assert log.head(ID) == Head(table.seq, table.chain, table.hand_seq)


def test_a_rebuild_reads_one_hand_however_long_the_log(game: Any) -> None:
    reads: list[int] = []

    class Counting(MemoryLog):
        def read_back(self, table: str, before: int | None, count: int) -> list[Stored]:
            found = super().read_back(table, before, count)
            reads.append(len(found))
            return found

    played = game(seats=2)
    for hands in (1, 12):
        played.play(hands)
        assert len(played.stored) - played.hand_seq < 60
        log = Counting(stored_in(played.stored).store)
        reads.clear()
        assert rebuild(log, ID) == played.table
        assert len(reads) == 1
        assert reads[0] <= PAGE


def test_a_log_trimmed_at_a_hand_is_still_a_table(game: Any) -> None:
    played = game().play(2)
    log = stored_in(played.stored[played.hand_seq - 1 :])
    assert log.head(ID) == Head(len(played.stored), played.chain, played.hand_seq)
    assert rebuild(log, ID) == played.table


def test_a_table_that_was_never_opened_is_empty() -> None:
    assert rebuild(MemoryLog(), "p00.none") == Table()
    assert scan_head(MemoryLog(), "p00.none") == NO_HEAD


def test_the_id_of_a_request_is_kept_for_its_hand(game: Any) -> None:
    played = game().play(2)
    hand, first = played.table.hand, played.table.hand_seq
    causes = {seq: cause for seq, raw, _ in played.stored if (cause := decode(raw).cause)}
    assert [seq for seq in causes if hand.accepted(causes[seq])] == [s for s in causes if s > first]
    assert not any(hand.accepted(cause[:-1]) for cause in ("x", *causes.values()))


# --- broken logs ----------------------------------------------------------------------------------


def test_every_break_of_the_chain_names_its_commit(game: Any) -> None:
    """S-56: a change, a swap, a cut in the middle, an insertion."""
    stored = game().play().stored
    changed = [*stored]
    changed[9] = Stored(10, swapped(stored[9].raw, cause="another"))
    exchanged = [*stored]
    exchanged[9], exchanged[10] = Stored(10, stored[10].raw), Stored(11, stored[9].raw)
    cut = [*stored[:9], *(Stored(each.seq - 1, each.raw) for each in stored[10:])]
    inserted = [*stored[:9], Stored(10, stored[8].raw)]
    for log, commit in ((changed, 11), (exchanged, 10), (cut, 10), (inserted, 10)):
        message = rf"table p00\.game: commit {commit} does not follow the commit before it"
        with pytest.raises(BadLog, match=message):
            fold_commits(Table(), log)


def test_a_commit_out_of_its_place_is_named(game: Any) -> None:
    stored = game().stored
    with pytest.raises(BadLog, match=r"table p00\.game: commit 4 stands where 3 should"):
        fold_commits(Table(), [*stored[:2], stored[3]])


def test_a_commit_that_cannot_be_read_is_named(game: Any) -> None:
    stored = game().stored
    broken = [*stored[:3], Stored(4, stored[3].raw[:-1])]
    message = r"table p00\.game: commit 4 cannot be read: its bytes are not msgpack"
    with pytest.raises(BadCommit, match=message):
        fold_commits(Table(), broken)


def test_the_first_of_two_broken_commits_is_named(game: Any) -> None:
    """Although later ones have been decoded by then."""
    stored = game().play().stored
    broken = [*stored]
    broken[5] = Stored(6, stored[5].raw[:-1])
    broken[3] = Stored(4, stored[2].raw)
    with pytest.raises(BadLog, match=r"table p00\.game: commit 4 does not follow"):
        fold_commits(Table(), broken)


def test_a_log_of_any_length_is_folded_whole(game: Any) -> None:
    """Longer than what is decoded at once, and exactly as long; from a list or as it comes."""
    stored = game().play(4).stored
    assert len(stored) > DECODED_AT_ONCE
    for end in (DECODED_AT_ONCE - 1, DECODED_AT_ONCE, DECODED_AT_ONCE + 1, len(stored)):
        table = Table()
        for each in stored[:end]:
            table = fold_commits(table, [each])
        assert fold_commits(Table(), iter(stored[:end])) == table
        assert table.seq == end


def test_a_commit_that_does_not_fold_is_named(game: Any) -> None:
    played = game()
    raw = encode(Commit(1, "betting", "", b"", played.chain[:8], (Called(0, 5),)))
    message = rf"table p00\.game: commit {len(played.stored) + 1} does not fold \("
    with pytest.raises(BadLog, match=message):
        fold_commits(played.table, [Stored(len(played.stored) + 1, raw)])


def test_a_missing_commit_is_named_when_a_log_is_read_from_its_end(game: Any) -> None:
    stored = game().play().stored
    log = stored_in([*stored[:-2], stored[-1]])
    with pytest.raises(BadLog, match=rf"commit {len(stored) - 1} is missing"):
        log.head(ID)


def test_a_log_that_begins_in_the_middle_of_a_hand_has_no_head(game: Any) -> None:
    played = game().play()
    log = stored_in(played.stored[played.hand_seq + 2 :])
    with pytest.raises(BadLog, match=rf"begins at commit {played.hand_seq + 3}, not with a hand"):
        log.head(ID)


def test_a_snapshot_is_folded_as_it_stands(game: Any) -> None:
    """A hand's first commit needs nothing before it, and follows the chain that it names."""
    played = game().play()
    first = played.stored[played.hand_seq - 1]
    (started,) = [event for event in decode(first.raw).events if isinstance(event, HandStarted)]
    assert started.chain[:8] == decode(first.raw).prev
    elsewhere = swapped(
        first.raw, events=(started._replace(chain=bytes(32)), *decode(first.raw).events[1:])
    )
    log = stored_in([first._replace(raw=elsewhere)])
    with pytest.raises(BadLog, match="does not follow the commit before it"):
        rebuild(log, ID)


def test_a_commit_that_is_not_what_was_appended_is_named(game: Any) -> None:
    """The last one too, which nothing follows yet: its mark is noted beside it."""
    stored = game().play().stored
    for place in (4, len(stored) - 1):
        changed = [*stored]
        changed[place] = stored[place]._replace(raw=swapped(stored[place].raw, cause="another"))
        message = rf"table p00\.game: commit {place + 1} is not the one that was appended"
        with pytest.raises(BadLog, match=message):
            fold_commits(Table(), changed)
        with pytest.raises(BadLog, match=message):
            rebuild(stored_in(changed[: place + 1]), ID)
        with pytest.raises(BadLog, match=message):
            stored_in(changed[: place + 1]).head(ID)


# --- catching up ----------------------------------------------------------------------------------


def test_a_kept_table_reads_only_what_it_missed(game: Any) -> None:
    played = game().play()
    log = stored_in(played.stored)
    for kept in (5, len(played.stored) - 1, len(played.stored)):
        table = fold_commits(Table(), played.stored[:kept])
        assert catch_up(log, table) == played.table


def test_a_table_up_to_date_is_kept_itself(game: Any) -> None:
    played = game()
    assert catch_up(stored_in(played.stored), played.table) is played.table


@pytest.mark.parametrize("seen", [1, 2, 3])
def test_what_the_store_lost_is_forgotten(game: Any, seen: int) -> None:
    """The log went another way, behind, level with or ahead of what the worker had seen."""
    played = game()
    kept = played.stored[:-1]
    log = stored_in([*kept, *_other_way(kept, 2)])
    stale = fold_commits(Table(), [*kept, *_other_way(kept, seen, cause="lost")])
    assert catch_up(log, stale) == fold_commits(Table(), log.read(ID))


def test_a_log_that_vanished_is_an_empty_table(game: Any) -> None:
    assert catch_up(MemoryLog(), game().table) == Table()


def _other_way(kept: list[Stored], count: int, cause: str = "kept") -> list[Stored]:
    """More commits on the same beginning: somebody sits down and up again."""
    from doorcard.events import SatIn, SatOut

    chain = NO_CHAIN
    for each in kept:
        chain = next_chain(chain, each.raw)
    found: list[Stored] = []
    for number in range(count):
        event = SatIn(0) if number % 2 else SatOut(0)
        raw = encode(Commit(1, "floor", cause, b"", chain[:8], (event,)))
        chain = next_chain(chain, raw)
        found.append(Stored(len(kept) + number + 1, raw, chain[:8]))
    return found
