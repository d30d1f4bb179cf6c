"""The switches that any game has change what they should, each hand played under all settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from doorcard.commands import SitIn, SitOut
from doorcard.events import (
    AntesPosted,
    CardsExposed,
    Dealt,
    HandMucked,
    HandShown,
    HandStarted,
    PotAwarded,
)
from doorcard.limits import Limits, Scalar
from tests.engine.play import NO_BRING_IN, STUD, Play, letter

THREE: Final = ("? ? Kh 9h", "? ? 9d 8d", "? ? 2c 3c")
BIG: Final = STUD._replace(small_bet=20, big_bet=40)
EIGHT: Final = (
    "2c 3c 4c 6c 7c 8c", "2d 3d 4d 6d 7d 8d", "2h 3h 4h 6h 7h 8h", "2s 3s 4s 6s 7s 8s",
    "9c Tc Jc Qc Kd Ah", "9d Td Jd Qd Kh As", "9h Th Jh Qh Ks Ac", "9s Ts Js Qs Kc Ad",
)  # fmt: skip
STRAIGHTS: Final = ("9c Ks 5h 6c 7d 8s 2s", "9d Qh 5s 6h 7c 8d 2h", "? ? 2c")
"""A and B tie with nine-high straights; A holds the highest card, B plays the higher nine."""


def three(stacks: tuple[int, ...] = (200, 200, 200), **house: Scalar) -> Play:
    """C brings in; A has the best board on the second street."""
    return Play(stacks, THREE, house=house).start()


def play_down(play: Play, *, until: int = 9) -> Play:
    """Everybody posts, calls and checks until a street is reached or the hand is over."""
    while play.table.in_hand and play.hand.street < until:
        options = play.legal
        name = "check" if options.check else "call" if options.call is not None else "bring_in"
        play.do(f"{letter(options.seat)} {name}")
    return play


def test_switch_dealer_mode() -> None:
    """R2.2: the position moves on, or a house dealer never moves."""
    orders: dict[str, list[tuple[int | None, tuple[int, ...]]]] = {}
    for mode in ("rotating", "fixed"):
        play = three(dealer_mode=mode)
        started = play.of(HandStarted)
        play_down(play).next_hand(THREE)
        started += play.of(HandStarted)
        orders[mode] = [(event.dealer, event.players) for event in started]
    assert orders["rotating"] == [(2, (0, 1, 2)), (0, (1, 2, 0))]
    assert orders["fixed"] == [(None, (0, 1, 2)), (None, (0, 1, 2))]


def test_switch_burn() -> None:
    """R2.5."""
    burns = [
        [dealt.burn for dealt in play_down(three(burn=burn)).of(Dealt)] for burn in (True, False)
    ]
    assert burns == [[None, 9, 13, 17, 21], [None] * 5]


def test_switch_exhaustion() -> None:
    """R3.2, R3.9: seven players to the end."""
    last: dict[str, Dealt] = {}
    for way in ("reuse_burns_then_community", "community_only"):
        last[way] = play_down(Play([200] * 7, house={"exhaustion": way}).start()).of(Dealt)[-1]
    assert len(last["reuse_burns_then_community"].down) == 7
    assert len(last["reuse_burns_then_community"].reshuffled) == 5
    assert len(last["community_only"].community) == 1


def test_switch_community_betting() -> None:
    """R3.7: the round after a community card is played or skipped."""
    play = play_down(Play([200] * 8, EIGHT, community="5s").start(), until=5)
    assert play.asked == "D"
    skipped = Play([200] * 8, EIGHT, community="5s", house={"community_betting": False}).start()
    play_down(skipped, until=5)
    assert not skipped.table.in_hand
    assert skipped.shares() == [{"D": 56}]
    assert skipped.of(HandShown)[0].seat == 3  # R14.2: the board with the card leads


def test_switch_community_opener() -> None:
    """R3.8: the shared five makes a straight flush on D's board, or E stays first."""
    asked: list[str | None] = []
    for way in ("recompute", "same_as_previous"):
        play = Play([200] * 8, EIGHT, community="5s", house={"community_opener": way}).start()
        asked.append(play_down(play, until=5).asked)
    assert asked == ["D", "E"]


def test_switch_community_opener_after_a_fold() -> None:
    """R3.8: if the first of the street before has folded, the boards are compared again."""
    house = {"community_opener": "same_as_previous"}
    play = play_down(Play([200] * 8, EIGHT, community="5s", house=house).start(), until=4)
    play.do("E check", "F check", "G check", "H bet", "A call", "B call", "C call", "D call")
    play.do("E fold", "F call", "G call")
    assert play.of(Dealt)[-1].community
    assert play.asked == "D"


def test_switch_opening() -> None:
    """R5.1: five-card stud by the high board, or by a low-card bring-in."""
    hands = ("? Kh", "? 9d", "? 2c")
    plain = Play((200,) * 3, hands, game="five_card_stud", limits=NO_BRING_IN).start()
    assert plain.options() == "A: check, bet 10"
    house = {"opening": "low_card_bring_in"}
    assert Play((200,) * 3, hands, game="five_card_stud", house=house).start().options() == (
        "C: bring_in 5, complete 10"
    )


def test_switch_short_bring_in_price() -> None:
    """R5.7: three of five posted."""
    said = [
        three((200, 200, 5), short_bring_in_price=price).do("C bring_in").options()
        for price in ("full", "actual")
    ]
    assert said == ["A: fold, call 5, complete 10", "A: fold, call 3, complete 10"]


def test_switch_bring_in_all_in_ante() -> None:
    """R5.8: B opens as he stands next to A, or C brings in with the lowest card left."""
    said = [
        Play((2, 200, 200), ("? ? 2c", "? ? Kh", "? ? 5h"), house={"bring_in_all_in_ante": way})
        .start()
        .options()
        for way in ("next_clockwise", "next_low_card")
    ]
    assert said == ["B: fold, call 5, complete 10", "C: bring_in 5, complete 10"]


def test_switch_bring_in_all_in_ante_by_the_high_card() -> None:
    """R5.8, R5.3: in razz the duty goes to the highest card among those who can pay."""
    house = {"bring_in_all_in_ante": "next_low_card"}
    hands = ("? ? Ks", "? ? 4h", "? ? Jh")
    play = Play((2, 200, 200), hands, game="razz", house=house).start()
    assert play.options() == "C: bring_in 5, complete 10"


def test_switch_open_fold() -> None:
    """R6.6: folding where checking is free."""
    said = [play_down(three(open_fold=way), until=2).options() for way in (False, True)]
    assert said == ["A: check, bet 10", "A: fold, check, bet 10"]


def paired(house: Mapping[str, Scalar]) -> Play:
    """A shows a pair on the second street and has checked."""
    hands = ("? ? Kh Kd", "? ? 9d 8d", "? ? 2c 3c")
    return play_down(Play((200,) * 3, hands, house=house).start(), until=2).do("A check")


def test_switch_pair_option() -> None:
    """R7.3, R7.4: what B may bet when A shows kings."""
    said = [paired({"pair_option": way}).options() for way in ("any", "holder", "none")]
    assert said == ["B: check, bet 10 20", "B: check, bet 10", "B: check, bet 10"]


def test_switch_pair_option_in_high_low() -> None:
    """R7.4, R21.9: off in high-low unless the house wants it."""
    hands = ("? ? Kh Kd", "? ? 9d 8d", "? ? 2c 3c")
    game = "stud_high_low_8"
    plain = play_down(Play((200,) * 3, hands, game=game).start(), until=2)
    house = play_down(
        Play((200,) * 3, hands, game=game, house={"pair_option": "any"}).start(), until=2
    )
    assert (plain.options(), house.options()) == ("A: check, bet 10", "A: check, bet 10 20")


def test_switch_small_raise_after_big() -> None:
    """R7.5."""
    said = [
        paired({"small_raise_after_big": way}).do("B bet 20").options() for way in (False, True)
    ]
    assert said == ["C: fold, call 20, raise 40", "C: fold, call 20, raise 30 40"]


def test_switch_late_streets() -> None:
    """R7.6."""
    said = [
        play_down(three(late_streets=way), until=3).legal.wager for way in ("big_only", "either")
    ]
    assert [wager.totals for wager in said if wager is not None] == [(20,), (10, 20)]


def raised(play: Play) -> int:
    """How many raises are possible after a bet of A on the third street."""
    play_down(play, until=3).do(f"{play.asked} bet")
    raises = 0
    while play.legal.wager is not None and raises < 8:
        play.do(f"{play.asked} raise")
        raises += 1
    return raises


def test_switch_max_raises() -> None:
    """R8.1."""
    assert [raised(three((1000,) * 3, max_raises=most)) for most in (3, 4, 1, 0, None)] == [
        3, 4, 1, 0, 8,
    ]  # fmt: skip


def test_switch_heads_up_uncap() -> None:
    """R8.3: two players from the start of the street, and three who become two."""
    two = ("? ? Kh", "? ? 2c")
    ways = ("start_of_round", "becomes_heads_up", "never")
    assert [
        raised(Play((1000, 1000), two, house={"heads_up_uncap": way}).start()) for way in ways
    ] == [8, 8, 3]
    became: list[int] = []
    for way in ways:
        play = play_down(three((1000,) * 3, heads_up_uncap=way), until=3)
        play.do("A bet", "B raise", "C fold")
        count = 1
        while play.legal.wager is not None and count < 8:
            play.do(f"{play.asked} raise")
            count += 1
        became.append(count)
    assert became == [3, 8, 3]


def test_switch_short_wager_rule() -> None:
    """R9.1, R9.7: fifteen of twenty more is enough for one rule and short for the other."""
    said: list[str] = []
    for rule in ("half", "full"):
        play = play_down(three((200, 42, 200), short_wager_rule=rule), until=3)
        said.append(play.do("A bet", "B raise 35").options())
    assert said == ["C: fold, call 35, raise 55", "C: fold, call 35, complete 40"]


def test_switch_first_raise_from() -> None:
    """R9.2: finishing an all-in completion of eight, from nothing or from the bring-in of five."""
    said: list[str] = []
    for way in ("completion", "bring_in"):
        house = {"first_raise_from": way}
        play = Play((10, 200, 200), THREE, limits=BIG, house=house).start()
        said.append(play.do("C bring_in", "A complete").options())
    assert said == ["B: fold, call 8, complete 20", "B: fold, call 8, complete 25"]


def test_switch_opener_tie() -> None:
    """R11.4, R11.5: two boards of K-7; the spade, or who was dealt first."""
    hands = ("? ? Kh 7d", "? ? Ks 7h", "? ? 2c 3c")
    asked = [
        play_down(Play((200,) * 3, hands, house={"opener_tie": way}).start(), until=2).asked
        for way in ("position", "suit")
    ]
    assert asked == ["A", "B"]


def raked(play: Play) -> list[tuple[int, int]]:
    """Amount and rake of every pot."""
    return [(award.amount, award.rake) for award in play.of(PotAwarded)]


def test_switch_rake_bps() -> None:
    """R13.1, R13.2: off, and five percent of 21, rounded down."""
    assert raked(play_down(three())) == [(21, 0)]
    play = play_down(three(rake_bps=500))
    assert raked(play) == [(21, 1)]
    assert sum(play.stacks()) == 599
    assert play.table.rake == 1


def test_switch_rake_cap() -> None:
    """R13.2."""
    assert raked(play_down(three(rake_bps=5000))) == [(21, 10)]
    assert raked(play_down(three(rake_bps=5000, rake_cap=4))) == [(21, 4)]


def test_switch_no_fourth_street_no_drop() -> None:
    """R13.3: everybody folds to the completion; sixteen in the middle."""
    taken: list[list[tuple[int, int]]] = []
    for way in (True, False):
        play = three(rake_bps=1000, no_fourth_street_no_drop=way)
        taken.append(raked(play.do("C bring_in", "A complete", "B fold", "C fold")))
    assert taken == [[(16, 0)], [(16, 1)]]


def test_switch_auto_muck() -> None:
    """R14.4, R14.9: the beaten hand is mucked, or everything is tabled."""
    hands = ("As Ah Kh 9h 2d 3d 5c", "7s 6s 9d 8d 2h 4c Jc", "? ? 2c")
    seen: list[tuple[list[int], list[int]]] = []
    for way in (True, False):
        play = Play((200,) * 3, hands, house={"auto_muck": way}).start()
        play.do("C bring_in", "A complete", "B call", "C fold")
        play_down(play)
        shown = [event.seat for event in play.of(HandShown)]
        seen.append((shown, [event.seat for event in play.of(HandMucked)]))
    assert seen == [([0], [1]), ([0, 1], [])]


def test_switch_expose_all_in() -> None:
    """R14.6: downcards are shown as soon as nobody can wager any more, later ones when dealt."""
    counts: list[list[tuple[int, int]]] = []
    for way in (False, True):
        play = Play((20, 20), ("? ? Kh", "? ? 2c"), house={"expose_all_in": way}).start()
        play.do("B complete", "A raise 18", "B call")
        counts.append([(event.seat, len(event.cards)) for event in play.of(CardsExposed)])
    assert counts == [[], [(0, 2), (1, 2), (0, 3), (1, 3)]]


def test_switch_odd_chip() -> None:
    """R15.4: the king in hand, the nine of diamonds played, the first in deal order."""
    shares: dict[str, dict[str, int]] = {}
    for way in ("robert", "tda", "position"):
        play = Play((200,) * 3, STRAIGHTS, house={"odd_chip": way}).start()
        play.do("C bring_in", "A complete", "B call", "C fold")
        shares[way] = play_down(play).shares()[0]
    assert shares == {
        "robert": {"A": 16, "B": 15},
        "tda": {"A": 15, "B": 16},
        "position": {"A": 16, "B": 15},
    }


def test_switch_odd_half_chip() -> None:
    """R15.2: the odd chip of 31 goes to the high half, or to the low one."""
    hands = ("Kc Kd Ks 9c 9h Qd Jd", "2h 3c 4d 6s 7h Tc Jh", "? ? 2c")
    shares: list[dict[str, int]] = []
    for way in ("high", "low"):
        play = Play((200,) * 3, hands, game="stud_high_low_8", house={"odd_half_chip": way})
        play.start().do("C bring_in", "A complete", "B call", "C fold")
        shares.append(play_down(play).shares()[0])
    assert shares == [{"A": 16, "B": 15}, {"A": 15, "B": 16}]


def test_switch_chip_unit() -> None:
    """R15.2, R15.3: 31 in chips of one, of five, of ten and of a hundred."""
    shares: list[dict[str, int]] = []
    for unit in (1, 5, 10, 100):
        play = Play((200,) * 3, STRAIGHTS, house={"chip_unit": unit}).start()
        play.do("C bring_in", "A complete", "B call", "C fold")
        shares.append(play_down(play).shares()[0])
    assert shares == [
        {"A": 16, "B": 15},
        {"A": 16, "B": 15},
        {"A": 21, "B": 10},
        {"A": 31, "B": 0},
    ]


def test_switch_last_card_down() -> None:
    """G1.1, R11.3: the last card is dealt down, and the same seat is first again."""
    hands = ("? Kh 9h 8h Ah", "? Qd 9d 7d As")
    dealt: list[tuple[int, int]] = []
    asked: list[str | None] = []
    for way in (False, True):
        play = Play(
            (200, 200),
            hands,
            game="five_card_stud",
            limits=Limits("fixed_limit", 2, 0, 10, 20),
            house={"last_card_down": way},
        ).start()
        play_down(play, until=4)
        last = play.of(Dealt)[-1]
        dealt.append((len(last.up), len(last.down)))
        asked.append(play.asked)
    assert dealt == [(2, 0), (0, 2)]
    assert asked == ["A", "A"]


def test_switch_missed_ante_policy() -> None:
    """R18.5, R18.8: nothing is owed, one dead ante is owed, or the absent are dealt in."""
    posted: dict[str, list[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]] = {}
    for way in ("none", "post_one", "dealt_in"):
        play = Play((200,) * 3, THREE, house={"missed_ante_policy": way})
        play.floor(SitOut(1, "p1"))
        play.start()
        antes = play.of(AntesPosted)
        while play.table.in_hand:
            play.time_out()
        play.floor(SitIn(1, "p1"))
        play.next_hand(THREE)
        antes += play.of(AntesPosted)
        posted[way] = [
            (tuple(sorted(seat for seat, _ in event.antes)), event.dead) for event in antes
        ]
    assert posted == {
        "none": [((0, 2), ()), ((0, 1, 2), ())],
        "post_one": [((0, 2), ()), ((0, 1, 2), ((1, 2),))],
        "dealt_in": [((0, 1, 2), ()), ((0, 1, 2), ())],
    }
