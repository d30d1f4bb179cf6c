"""Corners of betting: short bring-ins, sizes between two bets, caps, no limit (R5 to R10)."""

from __future__ import annotations

import pytest

from doorcard.limits import Limits, Scalar
from tests.engine.play import STUD, Play

OPENED = ("? ? Kh 9h", "? ? 9d 8d", "? ? 2c 3c")
PAIRED = ("? ? Kh Kd", "? ? 9d 8d", "? ? 2c 3c")
FOUR = ("? ? Kh 9h", "? ? 9d 8d", "? ? 8h 7d", "? ? 2c 3c")
SPREAD = Limits("spread_limit", 2, 5, spread_min=5, spread_max=20)
NO_LIMIT = Limits("no_limit", 2, 5, min_bet=10)


def second_street(stacks: tuple[int, ...], limits: Limits = STUD, **house: Scalar) -> Play:
    """A shows kings and is first; everybody has put in seven, ante included."""
    play = Play(stacks, PAIRED, limits=limits, house=house).start()
    return play.do("C bring_in", "A call", "B call")


def third_street(stacks: tuple[int, ...], **house: Scalar) -> Play:
    """A is first; everybody has put in seven, ante included."""
    play = Play(stacks, OPENED, house=house).start().do("C bring_in", "A call", "B call")
    return play.do("A check", "B check", "C check")


# --- the bring-in ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stack", "price", "options"),
    [
        (7, "full", "A: fold, call 10, raise 20"),
        (5, "full", "A: fold, call 10, raise 20"),
        (7, "actual", "A: fold, call 5, raise 15"),
        (5, "actual", "A: fold, call 3, complete 10"),
    ],
)
def test_a_whole_bet_that_is_posted_short(stack: int, price: str, options: str) -> None:
    """R5.15: the full price makes it a whole bet; the amount posted is judged like an opening."""
    limits = STUD._replace(bring_in=10)
    house = {"short_bring_in_price": price}
    play = Play((200, 200, stack), OPENED, limits=limits, house=house).start()
    assert play.options() == f"C: bring_in {stack - 2}"
    assert play.do("C bring_in").options() == options


@pytest.mark.parametrize(
    ("stack", "price", "options"),
    [
        (200, "full", "A: fold, call 5, raise 10-25"),
        (5, "full", "A: fold, call 5, raise 10-25"),
        (2, "full", "A: fold, call 5, raise 10-25"),
        (200, "actual", "A: fold, call 5, raise 10-25"),
        (5, "actual", "A: fold, call 3, raise 8-23"),
    ],
)
def test_in_spread_limit_a_short_bring_in_is_a_bet_too(
    stack: int, price: str, options: str
) -> None:
    """R10.7: of the full bring-in, posted or not; or of what was posted."""
    house = {"short_bring_in_price": price}
    play = Play((200, 200, stack), OPENED, limits=SPREAD, house=house).start()
    if stack > 2:
        play.do("C bring_in")
    assert play.options() == options


@pytest.mark.parametrize(
    ("limits", "stack", "options"),
    [
        (SPREAD, 9, "C: bring_in 5, bet 6-7"),
        (NO_LIMIT, 9, "C: bring_in 5, bet 7-7"),
        (NO_LIMIT._replace(structure="pot_limit"), 9, "C: bring_in 5, bet 7-7"),
        (NO_LIMIT._replace(structure="pot_limit", ante=6), 200, "C: bring_in 5, bet 10-18"),
        (NO_LIMIT._replace(bring_in=10), 200, "C: bring_in 10, bet 11-198"),
        (NO_LIMIT, 7, "C: bring_in 5"),
    ],
)
def test_the_bring_in_seat_may_bet_all_in_for_less(
    limits: Limits, stack: int, options: str
) -> None:
    """R10.7, R10.3: with more than the bring-in, to more than the bring-in; to the pot at most."""
    assert Play((200, 200, stack), OPENED, limits=limits).start().options() == options


# --- sizes -------------------------------------------------------------------------------------


def test_an_all_in_between_the_sizes_leaves_both() -> None:
    """R7.9: fifteen is no big bet, twenty is one."""
    assert second_street((22, 200, 200)).do("A bet 15").options() == (
        "B: fold, call 15, raise 25 35"
    )
    assert second_street((27, 200, 200)).do("A bet 20").options() == "B: fold, call 20, raise 40"


def test_the_home_style_allows_both_until_somebody_bets_big() -> None:
    """R7.6, R7.5: on a late street."""
    play = third_street((200,) * 3, late_streets="either").do("A bet 10")
    assert play.options() == "B: fold, call 10, raise 20 30"
    assert play.do("B raise 30").options() == "C: fold, call 30, raise 50"


@pytest.mark.parametrize(
    ("bet", "stack", "options"),
    [
        (20, 36, "C: fold, call 29, complete 40"),
        (20, 37, "C: fold, call 30, raise 50"),
        (10, 21, "C: fold, call 14, complete 20 30"),
        (10, 22, "C: fold, call 15, raise 25 35"),
    ],
)
def test_half_of_which_bet(bet: int, stack: int, options: str) -> None:
    """R9.1, R7.5: of the smallest one allowed, which is the big one after a big bet."""
    play = third_street((200, stack, 200), late_streets="either")
    assert play.do(f"A bet {bet}", f"B raise {stack - 7}").options() == options


def test_two_short_completions_make_a_full_bet() -> None:
    """R9.3, R9.5 (a), R9.6: who had only called the bring-in may raise, be it by less than half."""
    big = STUD._replace(small_bet=20, big_bet=40)
    play = Play((200, 10, 12, 200), FOUR, limits=big).start()
    play.do("D bring_in", "A call", "B complete 8", "C complete 10")
    assert play.options() == "D: fold, call 5, raise 30"
    assert play.do("D call").options() == "A: fold, call 5, raise 30"


def test_fifteen_of_twenty_opens_for_fifteen() -> None:
    """R9.2: and is raised to 35."""
    play = third_street((200, 22, 200)).do("A check", "B bet 15")
    assert play.options() == "C: fold, call 15, raise 35"


@pytest.mark.parametrize(
    ("stack", "after_b", "after_c"),
    [
        (21, "C: fold, call 14, complete 20", "A: fold, call 4"),
        (22, "C: fold, call 15, raise 25", "A: fold, call 5, raise 25 35"),
    ],
)
def test_each_player_has_a_unit_of_his_own(stack: int, after_b: str, after_c: str) -> None:
    """R9.8: A holds the pair and may bet big as the first; half a small bet reopens for all."""
    play = second_street((200, stack, 200), pair_option="holder")
    assert play.do("A bet 10", f"B raise {stack - 7}").options() == after_b
    assert play.do("C call").options() == after_c


# --- caps --------------------------------------------------------------------------------------


def test_who_is_all_in_by_the_bring_in_was_able_at_the_start() -> None:
    """R8.3: three begin the round, so it stays capped; with C all-in from the ante it is not."""
    play = Play((500, 500, 4), OPENED).start().do("C bring_in")
    play.do("A complete", "B raise", "A raise", "B raise")
    assert play.options() == "A: fold, call 10"
    play = Play((500, 500, 2), OPENED).start()
    play.do("A complete", "B raise", "A raise", "B raise")
    assert play.options() == "A: fold, call 10, raise 50"


@pytest.mark.parametrize("structure", ["pot_limit", "no_limit"])
def test_big_bet_games_have_no_cap(structure: str) -> None:
    """R8.6: six raises in a round of three players, and room for more."""
    limits = NO_LIMIT._replace(structure="pot_limit" if structure == "pot_limit" else "no_limit")
    play = Play((500,) * 3, OPENED, limits=limits).start().do("C bring_in")
    for to in range(10, 80, 10):
        play.do(f"{play.asked} raise {to}")
    assert play.legal.wager is not None


# --- no-limit ----------------------------------------------------------------------------------


def test_over_a_short_bet_the_smallest_raise_is_a_whole_bet_more() -> None:
    """R10.2, R10.5, R10.6: over an opening of four, and over eight above the bring-in."""
    play = second_street((11, 200, 200), NO_LIMIT).do("A bet 4")
    assert play.options() == "B: fold, call 4, raise 14-193"
    play = Play((10, 200, 200), OPENED, limits=NO_LIMIT).start().do("C bring_in", "A raise 8")
    assert play.options() == "B: fold, call 8, raise 18-198"


def test_the_smallest_raise_never_shrinks() -> None:
    """R10.6, R9.3: twenty and fifteen more are a full raise together, and thirty stays the size."""
    play = Play((500, 57, 72, 500), FOUR, limits=NO_LIMIT).start()
    play.do("D bring_in", "A call", "B call", "C call")
    play.do("A bet 30", "B raise 50", "C raise 65")
    assert play.options() == "D: fold, call 65, raise 95-493"
    assert play.do("D call").options() == "A: fold, call 35, raise 95-493"
