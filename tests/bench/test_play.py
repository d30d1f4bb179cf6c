from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

import pytest

from doorcard.bench.play import (
    CHIPS,
    POKERKIT_GAMES,
    SEATS,
    draws,
    only_bets,
    opening,
    opening_any,
    play_hand,
    pokerkit_hand,
    ready_deck,
    running_table,
)
from doorcard.bench.policies import POLICIES, any_choice, calling, uniform
from doorcard.engine import dealer
from doorcard.engine.choices import Choices
from doorcard.engine.decided import Decided
from doorcard.engine.options import Legal, Wager
from doorcard.engine.table import Table
from doorcard.errors import BadInput
from doorcard.games import GAMES

DRAWS = [number / 1000 for number in range(1000)]


def chance(value: float) -> Callable[[], float]:
    return lambda: value


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("game", GAMES)
def test_our_hands_end_with_all_chips_on_the_table(game: str, policy: str) -> None:
    table = running_table(game)
    for seed in range(20):
        after = play_hand(table, ready_deck(seed), POLICIES[policy].ours, draws(seed))
        assert after.hands == table.hands + 1
        assert sum(seat.stack for seat in after.seats.values()) == SEATS * CHIPS


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("game", POKERKIT_GAMES)
def test_pokerkits_hands_end_with_all_chips_on_the_table(game: str, policy: str) -> None:
    play = pokerkit_hand(game)
    for seed in range(3):
        state = play(POLICIES[policy].pokerkits, draws(seed))
        assert not state.status
        assert sum(state.stacks) == SEATS * CHIPS


def test_both_engines_play_hands_of_the_same_length() -> None:
    """The policies mean the same: over many hands both see as many decisions."""
    table, play = running_table("seven_card_stud"), pokerkit_hand("seven_card_stud")
    for policy in POLICIES.values():
        ours = sum(
            play_hand(table, ready_deck(seed), policy.ours, draws(seed)).decision
            for seed in range(300)
        )
        theirs = 0
        for seed in range(300):
            state = play(policy.pokerkits, draws(seed))
            theirs += sum(type(one).__name__ in PLAYER_OPERATIONS for one in state.operations)
        ours -= 300 * table.decision
        assert ours == pytest.approx(theirs, rel=0.12)


PLAYER_OPERATIONS = {
    "BringInPosting",
    "CheckingOrCalling",
    "CompletionBettingOrRaisingTo",
    "Folding",
}


def test_uniform_does_everything_legal_equally_often() -> None:
    options = Legal(3, 9, True, False, 5, None, Wager("raise", (10,), 10, 10))
    done = Counter(uniform(options, chance(value)).action for value in DRAWS)
    assert done.keys() == {"fold", "call", "raise"}
    assert max(done.values()) - min(done.values()) <= 1
    assert uniform(options, chance(0.99)).to == 10


def test_calling_folds_one_time_in_ten_and_raises_one_in_five() -> None:
    options = Legal(3, 9, True, False, 5, None, Wager("raise", (10,), 10, 10))
    done = Counter(calling(options, chance(value)).action for value in DRAWS)
    assert done == {"fold": 100, "raise": 200, "call": 700}
    free = options._replace(fold=False, check=True, call=None, wager=None)
    assert {calling(free, chance(value)).action for value in DRAWS} == {"check"}
    first = options._replace(fold=False, call=None, bring_in=2, wager=None)
    assert {calling(first, chance(value)).action for value in DRAWS} == {"bring_in"}


@pytest.mark.parametrize("game", ["whist", "roll_your_own", "baseball"])
def test_games_that_are_more_than_bets_are_refused(game: str) -> None:
    with pytest.raises(BadInput, match=game):
        opening(game)


def test_games_that_nobody_knows_are_refused() -> None:
    with pytest.raises(BadInput, match="whist"):
        opening_any("whist")


def test_games_with_choices_are_more_than_bets() -> None:
    assert {game for game in GAMES if not only_bets(game)} == {
        "roll_your_own",
        "five_card_high_low_declare",
        "five_card_high_low_buy",
        "baseball",
    }


SECRET_ROLL = Choices("roll", (4, 5), 7, ("roll",), True, 0, ())
OPEN_DECLARATION = Choices("declare", (4,), 7, ("declare",), False, 0, ("high", "low", "both"))
PURCHASE = Choices("buy", (4,), 7, ("buy", "decline"), False, 10, ())


@pytest.mark.parametrize(
    ("due", "expected"),
    [
        (SECRET_ROLL, {(None, "", str(place).encode()) for place in (8, 9, 14)}),
        (OPEN_DECLARATION, {(None, way, b"") for way in ("high", "low", "both")}),
        (
            OPEN_DECLARATION._replace(secret=True),
            {(None, "", way) for way in (b"high", b"low", b"both")},
        ),
        (PURCHASE, {(place, "", b"") for place in (8, 9, 14, 2)} | {(None, "", b"")}),
        (SECRET_ROLL._replace(secret=False), {(place, "", b"") for place in (8, 9, 14)}),
        (PURCHASE._replace(kind="match", answers=("match", "fold")), {(None, "", b"")}),
    ],
)
def test_choices_are_drawn_from_all_that_are_legal(
    due: Choices, expected: set[tuple[int | None, str, bytes]]
) -> None:
    table = table_with(4, down=(8, 9, 14), up=(2,))
    counted: Counter[tuple[int | None, str, bytes]] = Counter()
    random = draws(1)
    for _ in range(1000):
        command = any_choice(table, due, random)
        assert (command.seat, command.decision) == (4, 7)
        assert command.choice in due.answers
        counted[command.place, command.direction, command.sealed] += 1
    assert counted.keys() == expected
    assert min(counted.values()) > 80


def table_with(seat: int, down: tuple[int, ...], up: tuple[int, ...]) -> Table:
    """A table at which one player has been dealt these places."""
    table = play_street(running_table("seven_card_stud"))
    assert table.hand is not None
    player = table.hand.players[table.hand.index_of(seat)]
    player.down, player.up_places = down, up
    return table


def play_street(table: Table) -> Table:
    outcome = dealer.decide(table, ready_deck(1))
    assert isinstance(outcome, Decided)
    return outcome.table


def test_pokerkit_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="soko"):
        pokerkit_hand("soko")
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    with pytest.raises(BadInput, match="not installed"):
        pokerkit_hand("razz")
