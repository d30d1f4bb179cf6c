"""Field reports about pots, uncalled bets and odd chips: S-01 to S-10."""

from __future__ import annotations

import pytest

from doorcard.events import (
    AntesPosted,
    Dealt,
    HandMucked,
    HandShown,
    PotAwarded,
    UncalledReturned,
)
from tests.engine.play import STUD, Play, letter


def returned(play: Play) -> list[tuple[str, int]]:
    """Who got an unmatched part of a bet back."""
    return [(letter(event.seat), event.amount) for event in play.of(UncalledReturned)]


def test_s_01_two_all_in_for_different_amounts_and_a_third_over_bets() -> None:
    """R12.1, R12.3, R6.5."""
    play = Play(
        (25, 60, 200, 200),
        (
            "9s 9d 9h Kc 4s 2h 3d",
            "Qs Qd 8h 5s 8c Jd 6d",
            "Ac Kd Kh Qh Jc 7s 2s",
            "7c 6c 2c 3s 5h",
        ),
    ).start()
    play.do("D bring_in", "A complete", "B call", "C call", "D call")
    assert play.hand.pot == 48
    play.do("C bet", "D call", "A call", "B call")
    assert play.hand.pot == 88
    play.do("B check", "C bet", "D fold", "A call", "B call")
    assert [player.total for player in play.hand.players] == [25, 42, 42, 22]
    assert play.stack("A") == 0
    play.do("B check", "C bet")
    assert play.options() == "B: fold, call 18"
    play.do("B call")
    assert returned(play) == [("C", 2)]
    assert [player.total for player in play.hand.players] == [25, 60, 60, 22]
    assert play.pots() == [97, 70]
    assert play.shares() == [{"A": 97}, {"B": 70}]
    assert play.stacks() == [97, 70, 140, 178]


def test_s_02_a_player_folds_after_the_side_pot_exists() -> None:
    """R12.1, R12.4."""
    play = Play(
        (12, 200, 200),
        ("As Ad 9h 4c 7s 2h 3d", "Qs Qd Kh 8s 8c Jd ?", "Ac Jh 2c Qh Tc 5s 2s"),
    ).start()
    play.do("C bring_in", "A complete", "B call", "C call", "B bet", "C call", "B bet", "C call")
    play.do("B check", "C bet", "B fold")
    assert returned(play) == [("C", 20)]
    assert play.pots() == [36, 60]
    assert play.shares() == [{"A": 36}, {"C": 60}]
    assert play.stacks() == [36, 158, 218]


def test_s_03_everyone_folds_to_a_completion() -> None:
    """R6.11, R12.3: the completion's unmatched part comes back first."""
    play = Play((100, 100, 100), ("? ? 9h", "? ? 8h", "? ? 2c")).start()
    play.do("C bring_in", "A complete", "B fold", "C fold")
    assert returned(play) == [("A", 5)]
    assert play.shares() == [{"A": 16}]
    assert play.stacks() == [109, 98, 93]
    assert not play.of(HandShown)
    assert len(play.of(Dealt)) == 1


def test_s_03_everyone_folds_to_the_bring_in() -> None:
    """R6.11, R12.3: the whole bring-in comes back."""
    play = Play((100, 100, 100, 100), ("? ? 9h", "? ? 8h", "? ? 2c", "? ? 7d")).start()
    play.do("C bring_in", "D fold", "A fold", "B fold")
    assert returned(play) == [("C", 5)]
    assert play.shares() == [{"C": 8}]
    assert play.stacks() == [98, 98, 106, 98]
    assert not play.of(HandShown)
    assert not play.of(HandMucked)
    assert len(play.of(Dealt)) == 1


@pytest.mark.parametrize(
    ("first", "second", "short_gets", "long_gets"),
    [
        ("As Ad 9h 4c 7s 2h 3d", "Kc Kd 5c Qh 8c 6d 2s", 196, 4),
        ("Jd Td 9h 4c 7s 2h 3d", "Kc Kd 5c Qh 8c 6d 2s", 0, 200),
        ("Ac Kd 9h 4h 7h 3c 2c", "Ah Kc 4c 9d 7d 3d 2s", 98, 102),
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_s_04_heads_up_98_against_102(
    first: str, second: str, short_gets: int, long_gets: int, *, swapped: bool
) -> None:
    """R12.3, R2.10: A is the shorter stack and wins, loses, ties; in both seats."""
    order = (1, 0) if swapped else (0, 1)
    stacks, hands = (98, 102), (first, second)
    play = Play([stacks[i] for i in order], [hands[i] for i in order]).start()
    short, long = ("B", "A") if swapped else ("A", "B")
    play.do(f"{long} bring_in", f"{short} complete", f"{long} raise", f"{short} raise")
    play.do(f"{long} raise", f"{short} call")
    lead = play.asked
    for name in ("bet", "raise", "raise", "raise"):
        play.do(f"{lead} {name}")
        lead = play.asked
    play.do(f"{lead} call")
    while play.asked == short:
        play.do(f"{short} check")
    play.do(f"{long} bet", f"{short} call")
    assert returned(play) == [(long, 4)]
    assert play.pots() == [196]
    assert play.stack(short) == short_gets
    assert play.stack(long) == long_gets
    assert len(play.table.seats) == 2


STRAIGHTS = (
    "6c 7d 8h 9s Tc 2d 3d",
    "6d 7h 8s 9c Td 2h 3h",
    "6h 7s 2s 8c 9d 3s Th",
    "? ? Kd",
    "? ? Kh",
)


@pytest.mark.parametrize("turn", range(5))
def test_s_05_three_tie_and_one_chip_is_left_over(turn: int) -> None:
    """R15.3, R15.4: the odd chip follows the ten of hearts, whatever the seats."""
    seats = [(seat - turn) % 5 for seat in range(5)]
    play = Play([200] * 5, [STRAIGHTS[was] for was in seats]).start()
    at = {was: letter(seat) for seat, was in enumerate(seats)}
    play.do(
        f"{at[2]} bring_in", f"{at[3]} fold", f"{at[4]} fold", f"{at[0]} complete",
        f"{at[1]} call", f"{at[2]} call",
    )  # fmt: skip
    check_round(play, 3)
    bet_round(play, 3)
    check_round(play, 3)
    check_round(play, 3)
    assert play.pots() == [100]
    assert play.shares() == [{at[0]: 33, at[1]: 33, at[2]: 34}]
    assert [play.stack(at[was]) for was in range(5)] == [201, 201, 202, 198, 198]


def check_round(play: Play, players: int) -> None:
    for _ in range(players):
        play.do(f"{play.asked} check")


def bet_round(play: Play, players: int) -> None:
    play.do(f"{play.asked} bet")
    for _ in range(players - 1):
        play.do(f"{play.asked} call")


def test_s_06_layers_are_merged_before_the_split() -> None:
    """R12.2: one pot of sixty, thirty each."""
    play = Play(
        [200] * 5,
        (
            "6c 7d 8h 9s Tc 2d 3d",
            "6d 7h 8s 9c Td 2h 3h",
            "? ? 9h 4c",
            "? ? 2s",
            "? ? 9d",
        ),
        limits=STUD._replace(ante=1),
    ).start()
    play.do("D bring_in", "E fold", "A complete", "B call", "C call", "D fold")
    play.do("A bet", "B call", "C fold")
    for _ in range(3):
        check_round(play, 2)
    assert [player.total for player in play.hand.players] == [21, 21, 11, 6, 1]
    assert play.pots() == [60]
    assert play.shares() == [{"A": 30, "B": 30}]


def test_s_07_the_low_half_is_quartered() -> None:
    """R15.2, R15.4, R15.6."""
    play = Play(
        [200] * 4,
        (
            "Kc Kd Ks 9c 9h Qd Jd",
            "2h 3c 4d 6s 7h Tc Jh",
            "2c 3h 4c 6h 7d Td Js",
            "? ? 2s",
        ),
        game="stud_high_low_8",
    ).start()
    play.do("D bring_in", "A complete", "B call", "C call", "D fold")
    check_round(play, 3)
    bet_round(play, 3)
    check_round(play, 3)
    check_round(play, 3)
    (award,) = play.of(PotAwarded)
    assert award.amount == 103
    assert award.shares == ((0, "high", 52), (1, "low", 25), (2, "low", 26))
    assert play.stacks() == [220, 193, 194, 193]


def test_s_08_nobody_has_a_low() -> None:
    """R15.2, G16: no half is held back and no low is spoken of."""
    play = Play(
        [200] * 3,
        ("Kc Kd 9s 9c 4h Qd Jd", "Ah 2c 4d 5s 9h Tc Jh", "Ad 3h 2d 6h Th Td Js"),
        game="stud_high_low_8",
    ).start()
    play.do("C bring_in", "A complete", "B call", "C call")
    check_round(play, 3)
    bet_round(play, 3)
    check_round(play, 3)
    check_round(play, 3)
    (award,) = play.of(PotAwarded)
    assert (award.amount, award.shares) == (96, ((0, "all", 96),))


def test_s_09_winners_are_decided_pot_by_pot() -> None:
    """R15.1: a low that loses the main pot wins half of the side pot."""
    play = Play(
        (22, 200, 200),
        ("Ah 2c 3d 5s 6h Tc Jh", "Ad 2h 4c 7s 8d Td Ts", "Kc Kd 9s 9c Kh Qd Jd"),
        game="stud_high_low_8",
    ).start()
    play.do("A bring_in", "B complete", "C call", "A call")
    play.do("C bet", "A call", "B call", "C bet", "B call")
    check_round(play, 2)
    check_round(play, 2)
    assert [award.shares for award in play.of(PotAwarded)] == [
        ((2, "high", 33), (0, "low", 33)),
        ((2, "high", 20), (1, "low", 20)),
    ]
    assert play.pots() == [66, 40]
    assert play.stacks() == [33, 178, 211]


def test_s_10_one_chip_against_an_ante_of_two() -> None:
    """R4.1, R4.2, R12.8."""
    play = Play(
        (1, 100, 100, 100),
        ("As Ad Ah 4c 7s 2h 3d", "Qs Qd Kh 8s 8c Jd 6d", "Ac Jh 2c Qh Tc 5s 2s", "? ? 9d"),
    ).start()
    assert play.of(AntesPosted)[0].antes == ((0, 1), (1, 2), (2, 2), (3, 2))
    play.do("C bring_in", "D fold", "B complete", "C call")
    check_round(play, 2)
    bet_round(play, 2)
    check_round(play, 2)
    check_round(play, 2)
    assert play.pots() == [4, 63]
    assert play.shares() == [{"A": 4}, {"B": 63}]
    assert play.stacks() == [4, 131, 68, 98]
