"""S-56: whatever is done to a finished log is found, and the first bad commit is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from doorcard.audit.verify import Problem, verify_table
from doorcard.cards import CARDS, Card
from doorcard.commands import AddChips, FloorCommand
from doorcard.engine import floor
from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.events import (
    Called,
    Dealt,
    Event,
    Folded,
    HandShown,
    HandStarted,
    PotAwarded,
    SeatTaken,
    StreetClosed,
    TableOpened,
    TablePaused,
)
from doorcard.streams.codec import decode, encode
from doorcard.streams.commit import Commit
from doorcard.streams.folding import fold_commits
from doorcard.streams.log import Stored
from tests.audit.played import LIMITS, RING, House, ListLog, commits_of, renumbered, rewritten


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


def found(house: House, stored: Sequence[Stored], **options: Any) -> Problem | None:
    """What is found in a log that was made of a house's commits."""
    log = ListLog()
    log.commits[house.id] = list(stored)
    log.heads[house.id] = house.log.heads[house.id]
    return verify_table(log, house.id, **options).problem


def found_in_rewritten(
    house: House, commits: Sequence[Commit], *, keep: int | None = None, **options: Any
) -> Problem | None:
    """What is found where the chain was made to fit, and the store's head with it."""
    log = ListLog()
    log.heads[house.id] = house.log.heads[house.id]
    rewritten(log, house.id, commits, keep=keep)
    return verify_table(log, house.id, **options).problem


def places(house: House) -> list[int]:
    """The first places of a log, and a third of the others."""
    return [*range(8), *range(8, len(house.stored), 3)]


def with_event(commits: Sequence[Commit], place: int, number: int, event: Event) -> list[Commit]:
    events = commits[place].events
    changed = (*events[:number], event, *events[number + 1 :])
    return [*commits[:place], commits[place]._replace(events=changed), *commits[place + 1 :]]


def first(house: House, kind: type[Any]) -> tuple[int, int]:
    """Where the first event of a kind is: the commit's place and the event's."""
    return next(
        (place, number)
        for place, commit in enumerate(commits_of(house.log, house.id))
        for number, event in enumerate(commit.events)
        if isinstance(event, kind)
    )


def written_after(house: House, seq: int, command: FloorCommand) -> bytes:
    """The commit that a floor worker would have written after one of a house's."""
    table = fold_commits(Table(), house.stored[:seq])
    decision = floor.decide(table, command)
    assert isinstance(decision, Decided)
    commit = Commit(table.time_ms, "floor", "forged", b"", table.chain[:8], decision.events)
    return encode(commit)


# --- without making the chain fit ---------------------------------------------------------------


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
        assert _seq(found(house, stored)) == place + 1


def test_two_swapped_commits_are_found_wherever_they_stand(house: House) -> None:
    for place in places(house):
        stored = [*house.stored]
        stored[place], stored[place + 1] = stored[place + 1], stored[place]
        assert _seq(found(house, stored)) == place + 1
        assert _seq(found(house, renumbered(stored))) == place + 1


def test_a_commit_taken_out_is_found_wherever_it_stood(house: House) -> None:
    for place in places(house):
        stored = [*house.stored[:place], *house.stored[place + 1 :]]
        assert _seq(found(house, stored)) == place + 1


def test_a_commit_taken_out_is_found_when_the_others_are_renumbered(house: House) -> None:
    for place in places(house):
        stored = renumbered([*house.stored[:place], *house.stored[place + 1 :]])
        # Of players who sit down, one may be missing: then the one before may have been changed.
        allowed = {place + 1} if place > 4 else {place, place + 1}
        assert _seq(found(house, stored)) in allowed


def test_a_commit_put_in_is_found_wherever_it_is(house: House) -> None:
    for source in (1, 30):
        for place in places(house):
            raw = house.stored[source].raw
            stored = renumbered([*house.stored[:place], Stored(0, raw), *house.stored[place:]])
            if place in (source, source + 1):
                assert _seq(found(house, stored)) in (place, place + 1, source + 2)
            else:
                assert _seq(found(house, stored)) == place + 1


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
    for place, (seq, raw) in enumerate(tiny.stored):
        spots = range(len(raw)) if len(raw) < 130 else chance.sample(range(len(raw)), 60)
        for spot in spots:
            flipped = bytearray(raw)
            flipped[spot] ^= 1 << chance.randrange(8)
            stored = [*tiny.stored]
            stored[place] = Stored(seq, bytes(flipped))
            assert _seq(found(tiny, stored)) == seq


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
    assert _seq(found(small, stored)) == 10


def _seq(problem: Problem | None) -> int | None:
    return None if problem is None else problem.seq


# --- with a chain that fits ---------------------------------------------------------------------


def test_every_changed_field_of_every_event_is_found_though_the_chain_fits(small: House) -> None:
    commits = commits_of(small.log, small.id)
    missed: set[str] = set()
    for place, number, path, event in _mutants(commits):
        changed = with_event(commits, place, number, event)
        problem = found_in_rewritten(small, changed, keep=place, ring=RING)
        if problem is None:
            missed.add(path)
        else:
            assert problem.seq >= place + 1, path
    # What is sealed to a seat, that seat alone can check; published heads show it to all.
    assert missed == {"Dealt.sealed.#.#"}


def test_without_the_deck_key_only_secrets_pass_unseen(small: House) -> None:
    commits = commits_of(small.log, small.id)
    missed = {
        path
        for place, number, path, event in _mutants(commits)
        if not found_in_rewritten(small, with_event(commits, place, number, event), keep=place)
    }
    assert missed <= {
        "DealerDrawn.cards.#.#",
        "Dealt.sealed.#.#",
        "HandStarted.key_id",
        "HandStarted.leaves.#",
        "HandStarted.sealed_seed",
    }


def test_whatever_fits_is_found_by_published_heads(small: House) -> None:
    commits = commits_of(small.log, small.id)
    changed = [*commits[:8], commits[8]._replace(cause="another"), *commits[9:]]
    assert found_in_rewritten(small, changed) is None
    problem = found_in_rewritten(small, changed, heads=small.heads)
    assert problem is not None
    assert problem.seq == small.heads[0].seq
    assert "the log was written anew somewhere behind commit 0" in problem.reason


@pytest.mark.parametrize("role", ["floor", "dealer", "betting", "showdown"])
def test_another_author_than_the_events_own_is_found(small: House, role: Any) -> None:
    commits = commits_of(small.log, small.id)
    for place, commit in enumerate(commits):
        if commit.role != role:
            changed = [*commits[:place], commit._replace(role=role), *commits[place + 1 :]]
            problem = found_in_rewritten(small, changed)
            assert problem is not None
            assert problem.seq == place + 1
            assert problem.reason.startswith(f"is the {role}'s and holds ")


def test_an_event_of_another_role_among_its_own_is_found(small: House) -> None:
    place, _ = first(small, Called)
    commits = commits_of(small.log, small.id)
    events = (*commits[place].events, TablePaused("by betting"))
    changed = [*commits[:place], commits[place]._replace(events=events), *commits[place + 1 :]]
    problem = found_in_rewritten(small, changed)
    assert problem == Problem(
        small.id, place + 1, "is the betting's and holds TablePaused, which is not theirs"
    )


def test_a_time_before_the_one_before_is_found(small: House) -> None:
    commits = commits_of(small.log, small.id)
    early = commits[12]._replace(time_ms=commits[11].time_ms - 1)
    problem = found_in_rewritten(small, [*commits[:12], early, *commits[13:]])
    assert problem == Problem(small.id, 13, "has an earlier time than the commit before it")


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (Folded(0), "holds Folded, which is refused: Seat"),
        (StreetClosed(1), "begins with StreetClosed, which is no action"),
    ],
)
def test_an_action_that_was_not_legal_is_found(small: House, event: Event, reason: str) -> None:
    place, _ = first(small, Called)
    commits = commits_of(small.log, small.id)
    asked = commits[place].events[0]
    assert isinstance(asked, Called)
    if isinstance(event, Folded):
        event = Folded((asked.seat + 1) % 3)
    problem = found_in_rewritten(small, with_event(commits, place, 0, event))
    assert problem is not None
    assert problem.seq == place + 1
    assert problem.reason.startswith(reason)


def test_a_request_that_would_have_been_refused_is_found(small: House) -> None:
    commits = commits_of(small.log, small.id)
    again = [*commits[:3], commits[2]._replace(time_ms=commits[3].time_ms), *commits[3:]]
    problem = found_in_rewritten(small, again)
    assert problem is not None
    assert problem.seq == 4


def test_a_table_that_is_opened_twice_is_found(small: House) -> None:
    commits = commits_of(small.log, small.id)
    problem = found_in_rewritten(small, [commits[0], *commits])
    assert problem is not None
    assert problem.seq == 2
    assert "is open already" in problem.reason


def test_the_first_wrong_field_of_a_snapshot_is_named(small: House) -> None:
    place, number = first(small, HandStarted)
    commits = commits_of(small.log, small.id)
    started = commits[place].events[number]
    assert isinstance(started, HandStarted)
    seats = started.snapshot.seats
    richer = (*seats[:1], seats[1]._replace(stack=seats[1].stack + 5), *seats[2:])
    snapshot = started.snapshot._replace(seats=richer, chips_in=185)
    problem = found_in_rewritten(
        small, with_event(commits, place, number, started._replace(snapshot=snapshot))
    )
    assert problem == Problem(
        small.id, place + 1, "HandStarted.snapshot.seats[1].stack is 65, and 60 follows"
    )


def test_an_upcard_that_is_not_the_committed_one_is_found_without_a_key(small: House) -> None:
    place, number = first(small, Dealt)
    commits = commits_of(small.log, small.id)
    dealt = commits[place].events[number]
    assert isinstance(dealt, Dealt)
    seat, index, card, salt = dealt.up[0]
    other = CARDS[(card + 1) % 52]
    changed = dealt._replace(up=((seat, index, other, salt), *dealt.up[1:]))
    problem = found_in_rewritten(small, with_event(commits, place, number, changed))
    assert problem is not None
    assert problem.seq == place + 1
    assert str(card) not in problem.reason


def test_no_finding_repeats_a_card(house: House) -> None:
    place, number = first(house, HandShown)
    commits = commits_of(house.log, house.id)
    shown = commits[place].events[number]
    assert isinstance(shown, HandShown)
    index, card, salt = shown.cards[0]
    other = CARDS[(card + 7) % 52]
    changed = shown._replace(cards=((index, other, salt), *shown.cards[1:]))
    problem = found_in_rewritten(house, with_event(commits, place, number, changed), ring=RING)
    assert problem is not None
    assert problem.reason == "HandShown.cards[0][1] is another card than follows"


def test_a_pot_that_went_to_another_seat_is_found(house: House) -> None:
    place, number = first(house, PotAwarded)
    commits = commits_of(house.log, house.id)
    award = commits[place].events[number]
    assert isinstance(award, PotAwarded)
    seat, part, chips = award.shares[0]
    changed = award._replace(shares=(((seat + 1) % 4, part, chips), *award.shares[1:]))
    problem = found_in_rewritten(house, with_event(commits, place, number, changed))
    assert problem is not None
    assert problem.seq == place + 1


def _mutants(commits: Sequence[Commit]) -> Iterator[tuple[int, int, str, Event]]:
    """Every event with one field changed: commit, event, field, event. Long lists are sampled."""
    for place, commit in enumerate(commits):
        for number, event in enumerate(commit.events):
            seen: dict[str, int] = {}
            for path, changed in _changed(event, type(event).__name__):
                seen[path] = seen.get(path, 0) + 1
                if seen[path] <= 3 and _can_be_written(commit, changed):
                    yield place, number, path, changed


def _can_be_written(commit: Commit, event: Event) -> bool:
    try:
        decode(encode(commit._replace(events=(event,))))
    except Exception:  # noqa: BLE001  # no commit can hold it, so nobody can log it
        return False
    return True


def _changed(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Card):
        yield path, CARDS[(value + 1) % 52]
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int):
        yield path, value + 1
        yield path, value - 1
    elif isinstance(value, str):
        yield path, value + "x"
    elif value is None:
        yield path, 0
    elif isinstance(value, bytes):
        yield path, bytes((value[0] ^ 1,)) + value[1:] if value else b"x"
    elif isinstance(value, tuple):
        yield from _changed_inside(value, path)


def _changed_inside(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    make: Any = getattr(value, "_make", tuple)
    names: tuple[str, ...] | None = getattr(value, "_fields", None)
    for place, item in enumerate(value):
        inner = f"{path}.{names[place] if names else '#'}"
        for name, changed in _changed(item, inner):
            yield name, make((*value[:place], changed, *value[place + 1 :]))
    if names is None and value:
        yield f"{path} cut", value[:-1]
        yield f"{path} longer", value + value[-1:]


def test_the_samples_are_as_large_as_they_should_be(house: House, small: House) -> None:
    assert len(house.stored) >= 200
    mutants = list(_mutants(commits_of(small.log, small.id)))
    assert len(mutants) > 500
    assert {type(event) for _, _, _, event in mutants} >= {HandStarted, Dealt, PotAwarded}


def test_limits_in_the_config_are_part_of_what_is_decided_again() -> None:
    house = House(seats=2, limits=LIMITS).play(1)
    commits = commits_of(house.log, house.id)
    opened = commits[0].events[0]
    assert isinstance(opened, TableOpened)
    spec = opened.config.spec._replace(game="no_such_game")
    changed = opened._replace(config=opened.config._replace(spec=spec))
    problem = found_in_rewritten(house, with_event(commits, 0, 0, changed))
    assert problem is not None
    assert problem.seq == 1
    assert "no game called" in problem.reason
