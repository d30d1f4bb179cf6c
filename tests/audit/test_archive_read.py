"""Reading a log whose old hands were moved, with their archive and without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from doorcard.audit.archive import Kept
from doorcard.audit.replay import Eyes, hands_moved, replay_hand, step_at, told_hands
from doorcard.audit.verify import verify_table
from doorcard.commands import Leave, SitIn, SitOut
from doorcard.errors import BadInput
from doorcard.streams.archive_file import archive_path
from doorcard.streams.codec import decode, encode_like
from doorcard.streams.joined_log import JoinedLog
from doorcard.streams.log import Head, Stored
from doorcard.streams.log_file import ChangedFile, LogFile, ReadableLog
from tests.audit.archived import (
    TABLE,
    Fragile,
    Killed,
    begins,
    move,
    other_house,
    raws,
)
from tests.audit.played import LIMITS, RING, House


def test_hands_are_replayed_from_the_archive_as_before(
    house: House, log: Fragile, tmp_path: Path
) -> None:

    def eyes() -> Eyes:
        return Eyes("auditor", ring=RING)

    before = {hand: list(replay_hand(log, TABLE, hand, eyes())) for hand in range(1, 10)}
    told = list(told_hands(log, TABLE, Eyes()))
    steps = {seq: step_at(log, TABLE, seq) for seq in (1, 4, begins(house)[3].seq + 2)}
    move(log, tmp_path)
    both = JoinedLog(log, tmp_path)
    for hand, expected in before.items():
        assert list(replay_hand(both, TABLE, hand, eyes())) == expected
    assert [hand[:2] for hand in told_hands(both, TABLE, Eyes())] == [hand[:2] for hand in told]
    assert {seq: step_at(both, TABLE, seq) for seq in steps} == steps
    assert hands_moved(both, TABLE) == 0


def test_without_the_archive_it_is_said_where_they_are(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    told = list(told_hands(log, TABLE, Eyes()))
    last = list(replay_hand(log, TABLE, 8))
    move(log, tmp_path)
    first = begins(house)[-2].seq
    begins_with = f"was archived: its log begins with hand 8, commit {first}; with --archive"
    with pytest.raises(BadInput, match=f"hand 7 of table {TABLE} {begins_with}"):
        list(replay_hand(log, TABLE, 7))
    with pytest.raises(BadInput, match=f"commit {first - 1} of table {TABLE} {begins_with}"):
        step_at(log, TABLE, first - 1)
    with pytest.raises(BadInput, match="hand 3 of table"):
        list(told_hands(log, TABLE, Eyes(), [3, 8]))
    assert list(replay_hand(log, TABLE, 8)) == last
    assert step_at(log, TABLE, first) == last[0]
    assert [hand[:2] for hand in told_hands(log, TABLE, Eyes())] == [hand[:2] for hand in told[7:]]
    assert hands_moved(log, TABLE) == 7


def test_a_log_that_is_trimmed_while_it_is_read_is_read_on(
    house: House, log: Fragile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("doorcard.streams.log_file.PAGE", 10)
    for joins in (False, True):
        log.store.logs[TABLE] = list(house.stored)
        archive_path(tmp_path, TABLE).unlink(missing_ok=True)
        reading = JoinedLog(log, tmp_path) if joins else log
        report = verify_table(Interrupted(reading, lambda: move(log, tmp_path)), TABLE, ring=RING)
        assert report.problem is None
        assert report.moved_commits + report.commits == len(house.stored)


def test_a_file_whose_end_is_written_anew_while_it_is_read_is_read_again(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    """Somebody was killed while he wrote it, and the next one puts all a few bytes further on."""
    move(log, tmp_path, Kept(6, 1))
    after, path = log.read(TABLE)[0].seq - 1, archive_path(tmp_path, TABLE)
    whole = path.read_bytes()
    log.kill = "before"
    with pytest.raises(Killed):
        move(log, tmp_path)
    path.write_bytes(whole + path.read_bytes()[len(whole) : -9].replace(b": ", b":"))
    both, file = JoinedLog(log, tmp_path), LogFile.open(path, growing=True)
    before = raws(both.read(TABLE, after, 30))
    log.kill = ""
    move(log, tmp_path)
    with pytest.raises(ChangedFile):
        file.read(TABLE, after, 30)
    assert raws(both.read(TABLE, after, 30)) == before == raws(house.stored[after : after + 30])


class Interrupted:
    """A log that something happens to before it is read for the third time."""

    def __init__(self, log: ReadableLog, happens: Callable[[], object]) -> None:
        self._log = log
        self._happens = happens
        self._reads = 0

    def head(self, table: str) -> Head | None:
        return self._log.head(table)

    def read(self, table: str, after: int = 0, count: int | None = None) -> list[Stored]:
        self._reads += 1
        if self._reads == 3:
            self._happens()
        return self._log.read(table, after, count)

    def tables(self) -> list[str]:
        return self._log.tables()


def test_a_beginning_that_no_archive_left_is_damage(house: House, log: Fragile) -> None:
    for cut in (1, begins(house)[0].seq, begins(house)[3].seq + 4, begins(house)[3].seq - 2):
        log.store.logs[TABLE] = house.stored[cut:]
        problem = verify_table(log, TABLE, ring=RING).problem
        assert problem is not None
        assert problem.reason == f"is not in its place: commit {cut + 1} stands there"


def test_a_hand_that_was_taken_out_of_the_middle_is_damage(house: House, log: Fragile) -> None:
    first, second = begins(house)[3].seq, begins(house)[4].seq
    log.store.logs[TABLE] = house.stored[: first - 1] + house.stored[second - 1 :]
    problem = verify_table(log, TABLE, ring=RING).problem
    assert problem is not None
    assert problem.seq == first


def test_hands_that_were_trimmed_and_not_archived_are_missed(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path, Kept(6, 1))
    log.trim(TABLE, begins(house)[6])
    assert verify_table(log, TABLE, ring=RING, heads=house.heads).problem is None
    problem = verify_table(JoinedLog(log, tmp_path), TABLE, whole=True).problem
    assert problem is not None
    assert problem.seq == begins(house)[3].seq


def test_a_beginning_that_was_made_up_disagrees_with_the_published_heads(
    house: House, log: Fragile
) -> None:
    """Of another history: it verifies by itself, and its recorded chain is nobody's."""
    place = begins(other_house())[7].seq
    log.store.logs[TABLE] = other_house().stored[place - 1 :]
    assert verify_table(log, TABLE, ring=RING).problem is None
    heads = [house.heads[6]._replace(seq=place - 1)]
    problem = verify_table(log, TABLE, heads=heads).problem
    assert problem is not None
    assert (problem.seq, problem.reason[:41]) == (
        place - 1,
        "is not the one whose head was published: ",
    )


def test_a_changed_commit_in_the_archive_is_named(
    house: House, log: Fragile, tmp_path: Path
) -> None:
    move(log, tmp_path)
    path = archive_path(tmp_path, TABLE)
    seq = begins(house)[2].seq + 1
    lines = path.read_text().splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith(f'{{"seq": {seq},'))
    lines[place] = lines[place + 1].replace(str(seq + 1), str(seq), 1)
    path.write_text("\n".join(lines))
    problem = verify_table(JoinedLog(log, tmp_path), TABLE, ring=RING, whole=True).problem
    assert problem is not None
    assert problem.seq == seq


def test_a_first_hand_whose_words_disagree_is_named(house: House, log: Fragile) -> None:
    """The hash that it repeats and the one in its snapshot are one."""
    first = begins(house)[4]
    commit = decode(first.raw)
    wrong = encode_like(commit._replace(prev=bytes(8)), first.raw)
    log.store.logs[TABLE] = [Stored(first.seq, wrong), *house.stored[first.seq :]]
    problem = verify_table(log, TABLE, ring=RING).problem
    assert problem is not None
    assert problem.seq == first.seq


@pytest.mark.parametrize(
    ("game", "bring_in"),
    [("razz", 2), ("five_card_stud", 0), ("roll_your_own", 0), ("baseball", 0), ("low_chicago", 2)],
)
def test_every_hand_may_be_the_first_that_is_there(game: str, bring_in: int) -> None:
    """With players who sit out, come back and leave."""
    limits = LIMITS._replace(bring_in=bring_in)
    switch = ("missed_ante_policy", "post_one")
    house = House(game, seats=4, chips=300, seed=3, limits=limits, house=(switch,))
    house.play(2)
    house.ask(SitOut(1, "player-1"))
    house.play(2)
    house.ask(Leave(2, "player-2", "leave"))
    house.ask(SitIn(1, "player-1"))
    house.play(2)
    starts = [stored.seq for stored in begins(house)]
    assert len(starts) == 6
    whole = list(house.stored)
    for hand, start in enumerate(starts, start=1):
        house.log.commits[TABLE] = whole[start - 1 :]
        report = verify_table(house.log, TABLE, ring=RING, heads=house.heads)
        assert report.problem is None
        assert (report.moved_commits, report.moved_hands) == (start - 1, hand - 1)
