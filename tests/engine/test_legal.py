"""What a seat may do, with exact amounts (R5 to R10)."""

from __future__ import annotations

import pytest

from doorcard.cards import Card
from doorcard.engine.legal import legal
from doorcard.engine.options import Wager
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.engine.table import Table
from doorcard.limits import Limits
from doorcard.tables import GameSpec
from doorcard.testing import table_at
from tests.engine.play import STUD, Play, words

OPENED = ("? ? Kh 9h", "? ? 9d 8d", "? ? 2c 3c")


def third_street(stacks: tuple[int, ...]) -> Play:
    """A opens the third street, five each in beside the ante."""
    play = Play(stacks, OPENED).start().do("C bring_in", "A call", "B call")
    return play.do("A check", "B check", "C check")


def said(play: Play, *actions: str) -> str:
    return play.do(*actions).options()


@pytest.mark.parametrize(
    ("stack", "options"),
    [
        (202, "C: bring_in 5, complete 10"),
        (11, "C: bring_in 5, complete 9"),
        (8, "C: bring_in 5, complete 6"),
        (7, "C: bring_in 5"),
        (6, "C: bring_in 4"),
        (3, "C: bring_in 1"),
    ],
)
def test_the_bring_in_seat(stack: int, options: str) -> None:
    """R5.5: with no more than the bring-in there is no choice."""
    assert Play((200, 200, stack), OPENED).start().options() == options


@pytest.mark.parametrize("stack", [202, 5])
def test_the_price_is_the_full_bring_in(stack: int) -> None:
    """R5.7, R5.10: also over a short one; only a completion to the small bet is open."""
    play = Play((200, 200, stack), OPENED).start()
    assert said(play, "C bring_in") == "A: fold, call 5, complete 10"


def test_nothing_was_posted_but_the_price_stands() -> None:
    """R5.8: no checking, for whoever is next either."""
    play = Play((200, 200, 2), OPENED).start()
    assert play.options() == "A: fold, call 5, complete 10"
    assert said(play, "A call") == "B: fold, call 5, complete 10"
    play = Play((200, 200, 200, 2), ("? ? Kh", "? ? 9d", "? ? 8d", "? ? 2c")).start()
    assert said(play, "A fold") == "B: fold, call 5, complete 10"


def test_a_short_bring_in_heads_up_costs_what_was_posted() -> None:
    """R5.14, R6.3, R6.8: and there is nobody to raise."""
    play = Play((200, 5), ("? ? Kh", "? ? 2c")).start()
    assert said(play, "B bring_in") == "A: fold, call 3"


@pytest.mark.parametrize(("able", "asked"), [(1, None), (2, "A")])
def test_with_fewer_than_two_able_nobody_is_asked(able: int, asked: str | None) -> None:
    """R5.9, R5.14, R6.5."""
    stacks = (100, 100 if able == 2 else 2, 2)
    assert Play(stacks, OPENED).start().asked == asked


def test_the_bring_in_that_is_a_whole_bet() -> None:
    """R5.12, R5.15, R8.2: not to be completed, and raises count over it."""
    play = Play((200,) * 3, OPENED, limits=STUD._replace(bring_in=10)).start()
    assert play.options() == "C: bring_in 10"
    assert said(play, "C bring_in") == "A: fold, call 10, raise 20"
    assert said(play, "A raise", "B raise", "C raise") == "A: fold, call 20"


def test_posting_counts_as_having_acted() -> None:
    """R5.5, R5.13: nobody completed, so the round is over when action returns."""
    play = Play((200,) * 3, OPENED).start().do("C bring_in", "A call", "B call")
    assert play.hand.street == 2


def test_completing_is_the_bet() -> None:
    """R5.11, R8.1, R8.2: three raises may follow it, from the bring-in seat too."""
    for script in (["C complete"], ["C bring_in", "A complete"]):
        play = Play((200,) * 3, OPENED).start().do(*script)
        raises = 0
        while play.legal.wager is not None:
            play.do(f"{play.asked} raise")
            raises += 1
        assert raises == 3


@pytest.mark.parametrize(
    ("stack_of_b", "after_b", "after_c"),
    [
        (36, "C: fold, call 29, complete 40", "A: fold, call 9"),
        (37, "C: fold, call 30, raise 50", "A: fold, call 10, raise 50"),
        (46, "C: fold, call 39, raise 59", "A: fold, call 19, raise 59"),
        (47, "C: fold, call 40, raise 60", "A: fold, call 20, raise 60"),
    ],
)
def test_half_a_bet_is_a_raise(stack_of_b: int, after_b: str, after_c: str) -> None:
    """R9.1, R9.2, R9.4, R9.5."""
    play = third_street((200, stack_of_b, 200)).do("A bet", f"B raise {stack_of_b - 7}")
    assert play.options() == after_b
    assert said(play, "C call") == after_c


def test_two_short_wagers_add_up() -> None:
    """R9.3: six and six more are twelve of twenty."""
    hands = ("? ? Kh 9h", "? ? 9d 8d", "? ? 8h 7d", "? ? 2c 3c")
    play = Play((200, 33, 39, 200), hands).start().do("D bring_in", "A call", "B call", "C call")
    play.do("A check", "B check", "C check", "D check", "A bet", "B raise 26", "C complete 32")
    assert play.options() == "D: fold, call 32, raise 52"
    assert said(play, "D call") == "A: fold, call 12, raise 52"


def test_who_has_acted_may_not_complete_a_short_wager() -> None:
    """R9.6: checked, or called the bring-in, before less than half a bet."""
    play = third_street((200, 16, 200)).do("A check", "B bet 9")
    assert play.options() == "C: fold, call 9, complete 20"
    assert said(play, "C call") == "A: fold, call 9"
    big = STUD._replace(small_bet=20, big_bet=40)
    hands = ("? ? Kh", "? ? 9d", "? ? 8h", "? ? 2c")
    play = Play((200, 10, 200, 200), hands, limits=big).start()
    play.do("D bring_in", "A call", "B complete 8", "C call")
    assert play.options() == "D: fold, call 3"
    assert said(play, "D call") == "A: fold, call 3"


def test_but_may_raise_once_somebody_has_completed_it() -> None:
    """R9.5, R9.6."""
    big = STUD._replace(small_bet=20, big_bet=40)
    hands = ("? ? Kh", "? ? 9d", "? ? 8h", "? ? 2c")
    play = Play((200, 10, 200, 200), hands, limits=big).start()
    play.do("D bring_in", "A call", "B complete 8", "C complete 20")
    assert play.options() == "D: fold, call 15, raise 40"


def test_a_short_wager_does_not_use_up_a_raise() -> None:
    """R8.4: completing it does."""
    play = third_street((300, 76, 300)).do("A bet", "B raise 40", "C raise 60", "A call")
    assert play.options() == "B: fold, call 20, raise 69"
    play.do("B raise 69")
    assert play.options() == "C: fold, call 9"
    hands = ("? ? Kh 9h", "? ? 9d 8d", "? ? 8h 7d", "? ? 2c 3c")
    play = Play((300, 300, 56, 300), hands).start().do("D bring_in", "A call", "B call", "C call")
    play.do("A check", "B check", "C check", "D check", "A bet", "B raise", "C raise 49")
    assert said(play, "D complete 60") == "A: fold, call 40, raise 80"
    assert said(play, "A raise") == "B: fold, call 40"


def test_at_the_cap_not_even_a_shorter_all_in_is_a_raise() -> None:
    """R8.5: 85 would be five more."""
    play = third_street((300, 92, 300)).do("A bet", "B raise", "C raise", "A raise")
    assert play.stack("B") == 45
    assert play.options() == "B: fold, call 40"


def test_folded_and_all_in_players_are_passed_over() -> None:
    """R6.1, R6.2."""
    hands = ("? ? Kh 9h", "? ? 9d 8d", "? ? 8h 7d", "? ? 2c 3c")
    play = Play((200, 7, 200, 200), hands).start()
    play.do("D bring_in", "A call", "B call", "C fold", "A bet")
    assert play.asked == "D"


def test_a_wager_needs_somebody_who_can_answer() -> None:
    """R6.3, R6.8: B is all-in for 30, C alone has chips."""
    play = Play((7, 37, 200), OPENED).start().do("C bring_in", "A call", "B call", "B check")
    play.do("C check", "B check", "C bet", "B raise 30")
    assert play.options() == "C: fold, call 10"


def test_a_player_must_answer_though_nobody_else_has_chips() -> None:
    """R6.4."""
    play = Play((27, 200), ("? ? Kh 9h", "? ? 2c 3c")).start().do("B bring_in", "A call")
    assert said(play, "A check", "B check", "A bet") == "B: fold, call 20"


def at(rules: Ruleset, *, pairs: tuple[int, ...], street: int = 2, stack: int = 200) -> Table:
    """Three players at a street; seat 0 leads."""
    ups = {0: "AsKs", 1: "9d8d", 2: "7c6c"}
    twins = {0: "AsAd", 1: "9d9h", 2: "7c7h"}
    boards = {
        seat: tuple(Card(text[i : i + 2]) for i in (0, 2))
        for seat, text in {s: (twins if s in pairs else ups)[s] for s in ups}.items()
    }
    return table_at(rules, {0: stack, 1: 200, 2: 200}, boards=boards, street=street)


def rules_of(game: str = "seven_card_stud", **house: str | bool) -> Ruleset:
    return ruleset(GameSpec(game, "no_bring_in", STUD._replace(bring_in=0), tuple(house.items())))


def wager(table: Table) -> tuple[int, ...]:
    options = legal(table)
    assert options is not None
    assert options.wager is not None
    return options.wager.totals


def test_an_open_pair_allows_the_big_bet() -> None:
    """R7.3: on the second street only, for everybody, whoever holds it."""
    assert wager(at(rules_of(), pairs=())) == (10,)
    assert wager(at(rules_of(), pairs=(0,))) == (10, 20)
    assert wager(at(rules_of(), pairs=(0,), street=3)) == (20,)
    assert wager(at(rules_of(game="stud_high_low_8"), pairs=(0,))) == (10,)


def test_only_the_holder_may_be_the_first_to_bet_big() -> None:
    """R7.4."""
    assert wager(at(rules_of(pair_option="holder"), pairs=(0,))) == (10, 20)
    hands = ("? ? Kh Kd", "? ? 9d 8d", "? ? 2c 3c")
    play = Play((200,) * 3, hands, house={"pair_option": "holder"}).start()
    play.do("C bring_in", "A call", "B call", "A check")
    assert play.options() == "B: check, bet 10"
    assert said(play, "B bet") == "C: fold, call 10, raise 20"
    assert said(play, "C call") == "A: fold, call 10, raise 20 30"
    assert said(play, "A raise 30") == "B: fold, call 20, raise 50"


def test_the_pair_may_fold_and_the_option_stays() -> None:
    """R7.3, R7.5."""
    hands = ("? ? Kh Kd", "? ? 9d 8d", "? ? 2c 3c")
    play = Play((200,) * 3, hands, house={"open_fold": True}).start()
    play.do("C bring_in", "A call", "B call", "A fold")
    assert play.options() == "B: fold, check, bet 10 20"
    assert said(play, "B bet 20") == "C: fold, call 20, raise 40"


@pytest.mark.parametrize(
    ("stack", "totals"), [(200, (10, 20)), (15, (10, 15)), (10, (10,)), (8, (8,))]
)
def test_both_sizes_are_cut_to_the_stack(stack: int, totals: tuple[int, ...]) -> None:
    """R7.2."""
    assert wager(at(rules_of(), pairs=(0,), stack=stack)) == totals


@pytest.mark.parametrize(
    ("limits", "script", "options"),
    [
        (Limits("spread_limit", 2, 5, spread_min=5, spread_max=20), [], "C: bring_in 5, bet 6-20"),
        (Limits("spread_limit", 2, 5, spread_min=5, spread_max=20), ["C bring_in"],
         "A: fold, call 5, raise 10-25"),
        (Limits("spread_limit", 2, 5, spread_min=5, spread_max=20), ["C bring_in", "A raise 20"],
         "B: fold, call 20, raise 35-40"),
        (Limits("spread_limit", 2, 5, spread_min=5, spread_max=20),
         ["C bring_in", "A raise 10", "B raise 15", "C raise 20"], "A: fold, call 10"),
        (Limits("pot_limit", 2, 5, min_bet=10), [], "C: bring_in 5, bet 10-10"),
        (Limits("pot_limit", 2, 5, min_bet=10), ["C bring_in"], "A: fold, call 5, raise 10-21"),
        (Limits("pot_limit", 2, 5, min_bet=10), ["C bring_in", "A raise 21"],
         "B: fold, call 21, raise 37-74"),
        (Limits("no_limit", 2, 5, min_bet=10), [], "C: bring_in 5, bet 10-198"),
        (Limits("no_limit", 2, 5, min_bet=10), ["C bring_in", "A raise 30"],
         "B: fold, call 30, raise 55-198"),
        (Limits("no_limit", 2, 10, min_bet=10), ["C bring_in"], "A: fold, call 10, raise 20-198"),
    ],
)  # fmt: skip
def test_other_structures(limits: Limits, script: list[str], options: str) -> None:
    """R10.1, R10.2, R10.3, R10.4, R10.5, R10.6, R10.7, R8.7."""
    play = Play((200,) * 3, OPENED, limits=limits).start().do(*script)
    assert words(play.legal) == options


def test_a_bring_in_of_the_largest_wager_leaves_no_other_opening() -> None:
    """R10.1, R10.7: nothing above it lies within the spread."""
    limits = Limits("spread_limit", 2, 20, spread_min=5, spread_max=20)
    play = Play((200,) * 3, OPENED, limits=limits).start()
    assert play.options() == "C: bring_in 20"
    assert said(play, "C bring_in") == "A: fold, call 20, raise 40-40"


def test_no_limit_over_a_short_all_in() -> None:
    """R10.2, R10.5, R9.7: to what stands and the last full raise; nothing is opened again."""
    limits = Limits("no_limit", 2, 5, min_bet=10)
    play = Play((200, 37, 200), OPENED, limits=limits).start()
    play.do("C bring_in", "A raise 25", "B raise 35")
    assert play.options() == "C: fold, call 30, raise 55-198"
    assert said(play, "C call") == "A: fold, call 10"


@pytest.mark.parametrize(
    ("asked", "allowed"), [(9, False), (10, True), (14, True), (20, True), (21, False)]
)
def test_a_range_allows_both_its_ends(asked: int, *, allowed: bool) -> None:
    """R10.1."""
    assert Wager("bet", (), 10, 20).allows(asked) is allowed


def test_chips_from_elsewhere_do_not_count() -> None:
    """R6.9: a call takes the stack and no more."""
    play = third_street((200, 20, 200)).do("A bet")
    assert play.options() == "B: fold, call 13"
    play.do("B call")
    assert play.stack("B") == 0
