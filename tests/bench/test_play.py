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
    opening,
    play_hand,
    pokerkit_hand,
    ready_deck,
    running_table,
)
from doorcard.bench.policies import POLICIES, calling, uniform
from doorcard.engine.options import Legal, Wager
from doorcard.errors import BadInput

DRAWS = [number / 1000 for number in range(1000)]


def chance(value: float) -> Callable[[], float]:
    return lambda: value


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("game", ["seven_card_stud", "razz", "five_card_stud", "soko"])
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
def test_games_that_no_bench_can_play_are_refused(game: str) -> None:
    with pytest.raises(BadInput, match=game):
        opening(game)


def test_pokerkit_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="soko"):
        pokerkit_hand("soko")
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    with pytest.raises(BadInput, match="not installed"):
        pokerkit_hand("razz")
