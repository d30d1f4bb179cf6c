"""S-56: whatever is done to a finished log is found, and the first bad commit is named."""

from __future__ import annotations

from random import Random

import pytest

from doorcard.commands import AddChips
from doorcard.events import (
    Called,
    SeatTaken,
)
from doorcard.streams.codec import decode, encode
from doorcard.streams.log import Stored
from tests.audit.played import House, commits_of, renumbered
from tests.audit.spoiled import (
    first,
    found,
    places,
    seq_of,
    written_after,
)


@pytest.fixture(scope="module")
def tiny() -> House:
    """One hand of two players."""
    return House(seats=2, chips=60, seed=5).play(1)


@pytest.fixture(scope="module")
def house() -> House:
    """Some 200 commits: ten hands at a table of four."""
    return House("stud_high_low_8", seats=4, chips=300, seed=11).play(8)


@pytest.fixture(scope="module")
def small() -> House:
    """Two hands at a table of three, with rake."""
    return House(seats=3, chips=60, seed=5, house=(("rake_bps", 500),)).play(2)


def test_a_changed_amount_is_found(house: House) -> None:
    place, number = first(house, Called)
    call = commits_of(house.log, house.id)[place].events[number]
    assert isinstance(call, Called)
    commit = decode(house.stored[place].raw)
    changed = commit._replace(events=(call._replace(amount=call.amount + 1), *commit.events[1:]))
    stored = [*house.stored]
    stored[place] = Stored(place + 1, encode(changed))
    problem = found(house, stored)
    assert problem is not None
    assert problem.seq == place + 1
    assert problem.reason == f"Called.amount is {call.amount + 1}, and {call.amount} follows"


def test_changed_buy_ins_are_found_though_they_could_have_been_so(house: House) -> None:
    for place in range(1, 5):
        commit = decode(house.stored[place].raw)
        taken = commit.events[0]
        assert isinstance(taken, SeatTaken)
        stored = [*house.stored]
        raw = encode(commit._replace(events=(taken._replace(chips=taken.chips + 1000),)))
        stored[place] = Stored(place + 1, raw)
        problem = found(house, stored)
        assert problem is not None
        assert problem.seq == place + 1
        assert problem.reason.startswith("was changed, or one behind it was taken out: ")


def test_a_changed_time_is_found_in_its_commit(house: House) -> None:
    for place in range(0, 40, 3):
        commit = decode(house.stored[place].raw)
        stored = [*house.stored]
        later = commit._replace(time_ms=commit.time_ms + 1_000_000)
        stored[place] = Stored(place + 1, encode(later))
        assert seq_of(found(house, stored)) == place + 1


def test_two_swapped_commits_are_found_wherever_they_stand(house: House) -> None:
    for place in places(house):
        stored = [*house.stored]
        stored[place], stored[place + 1] = stored[place + 1], stored[place]
        assert seq_of(found(house, stored)) == place + 1
        assert seq_of(found(house, renumbered(stored))) == place + 1


def test_a_commit_taken_out_is_found_wherever_it_stood(house: House) -> None:
    for place in places(house):
        stored = [*house.stored[:place], *house.stored[place + 1 :]]
        assert seq_of(found(house, stored)) == place + 1


def test_a_commit_taken_out_is_found_when_the_others_are_renumbered(house: House) -> None:
    for place in places(house):
        stored = renumbered([*house.stored[:place], *house.stored[place + 1 :]])
        # Of players who sit down, one may be missing: then the one before may have been changed.
        allowed = {place + 1} if place > 4 else {place, place + 1}
        assert seq_of(found(house, stored)) in allowed


def test_a_commit_put_in_is_found_wherever_it_is(house: House) -> None:
    for source in (1, 30):
        for place in places(house):
            raw = house.stored[source].raw
            stored = renumbered([*house.stored[:place], Stored(0, raw), *house.stored[place:]])
            if place in (source, source + 1):
                assert seq_of(found(house, stored)) in (place, place + 1, source + 2)
            else:
                assert seq_of(found(house, stored)) == place + 1


def test_a_commit_written_for_its_place_is_found_by_what_follows(house: House) -> None:
    forged = Stored(41, written_after(house, 40, AddChips(0, "player-0", 500, "gift")))
    stored = renumbered([*house.stored[:40], forged, *house.stored[40:]])
    problem = found(house, stored)
    assert problem is not None
    assert (problem.seq, problem.reason) == (
        41,
        "was put in: commit 42 was written after 40",
    )


def test_the_last_five_taken_out_are_found_by_a_published_head(house: House) -> None:
    last = len(house.stored)
    problem = found(house, house.stored[:-5], heads=house.heads)
    assert problem is not None
    assert problem.seq == last - 4
    assert problem.reason == (
        f"is missing: the log ends with commit {last - 5}, "
        f"and a head was published for commit {last}"
    )


def test_a_cut_tail_is_found_by_the_stores_own_head(house: House) -> None:
    problem = found(house, house.stored[:-5])
    assert problem is not None
    assert problem.seq == len(house.stored) - 4


def test_every_flipped_bit_of_a_small_log_is_found_in_its_commit(tiny: House) -> None:
    chance = Random(8)
    for place, (seq, raw, _) in enumerate(tiny.stored):
        spots = range(len(raw)) if len(raw) < 130 else chance.sample(range(len(raw)), 60)
        for spot in spots:
            flipped = bytearray(raw)
            flipped[spot] ^= 1 << chance.randrange(8)
            stored = [*tiny.stored]
            stored[place] = Stored(seq, bytes(flipped))
            assert seq_of(found(tiny, stored)) == seq


@pytest.mark.parametrize(
    "raw", [b"", b"\xc1", b"text", b"\x97\x02\x00\x00\xa0\xc4\x00\xc4\x00\x90", b"\x93\x01\x02\x03"]
)
def test_bytes_that_are_no_commit_are_found(small: House, raw: bytes) -> None:
    stored = [*small.stored]
    stored[9] = Stored(10, raw)
    problem = found(small, stored)
    assert problem is not None
    assert problem.seq == 10
    assert problem.reason.startswith("cannot be read: ")


def test_bytes_behind_a_commit_are_found(small: House) -> None:
    stored = [*small.stored]
    stored[9] = Stored(10, stored[9].raw + b"\x00")
    assert seq_of(found(small, stored)) == 10
