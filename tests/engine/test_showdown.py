"""The end of a hand: who shows, who wins, rake (R13, R14, R15)."""

from __future__ import annotations

import pytest

from doorcard.engine import showdown
from doorcard.engine.showdown import hand_pots, show_order
from doorcard.errors import Refused
from doorcard.events import (
    CardsExposed,
    Dealt,
    HandEnded,
    HandMucked,
    HandShown,
    PotAwarded,
    StreetClosed,
)
from doorcard.limits import Scalar
from doorcard.testing import StackedDeck
from tests.engine.play import STUD, Play, letter

BOARDS = ("9s 9d 9h Kc 4s 2h 3d", "Qs Qd 8h 5s Tc Jd 8d", "Ac Kd Kh Qh Jc 7s 2s")
"""A has three nines, B queens and eights, C kings; C leads with its board."""


def played(**house: Scalar) -> Play:
    """Three players to the last street, checked all the way."""
    play = Play((200,) * 3, BOARDS, house=house).start()
    return down_to(play, 5)


def down_to(play: Play, street: int) -> Play:
    while play.hand.street < street:
        options = play.legal
        name = "check" if options.check else "call" if options.call is not None else "bring_in"
        play.do(f"{play.asked} {name}")
    return play


def showing(play: Play) -> str:
    """Seats in the order of showing; a mucked hand is a small letter."""
    return "".join(
        letter(event.seat) if isinstance(event, HandShown) else letter(event.seat).lower()
        for event in play.events
        if isinstance(event, HandShown | HandMucked)
    )


def test_the_last_to_wager_shows_first() -> None:
    """R14.2, R14.4: then clockwise; beaten hands are mucked."""
    play = played().do("C check", "A check", "B bet", "C call", "A call")
    assert showing(play) == "BcA"


def test_checked_through_the_leading_board_shows_first() -> None:
    """R14.2: C is beaten by A, and B was never in front."""
    play = played().do("C check", "A check", "B check")
    assert showing(play) == "CAb"


def test_the_last_wager_is_that_of_the_last_round() -> None:
    """R14.2: a bet on the sixth card does not count any more."""
    play = down_to(Play((200,) * 3, BOARDS).start(), 4)
    play.do("C check", "A check", "B bet", "C call", "A call", "C check", "A check", "B check")
    assert showing(play) == "CAb"


def test_side_pots_are_shown_first() -> None:
    """R14.3: B and C contest the side pot; A, all-in, comes last and wins the main pot."""
    play = down_to(Play((7, 200, 200), BOARDS).start(), 5)
    play.do("C check", "B bet", "C call")
    assert showing(play) == "BcA"
    assert play.shares() == [{"A": 21}, {"B": 40}]
    play = down_to(Play((7, 200, 200), BOARDS).start(), 5).do("C check", "B check")
    assert play.pots() == [21]
    assert showing(play) == "CAb"


def test_a_skipped_round_is_shown_by_the_board() -> None:
    """R14.2, R6.5: both all-in on the third street, the higher board first."""
    play = Play((20, 20), ("? ? Kh 9h 8h 2d", "? ? 2c 3c 3h 3s")).start()
    play.do("B complete", "A raise 18", "B call")
    assert showing(play)[0] == "B"


@pytest.mark.parametrize(
    ("live", "start", "pots", "order"),
    [
        ([0, 2, 4], 4, [[0, 2, 4]], [4, 0, 2]),
        ([0, 1, 3, 4], 3, [[0, 1, 3, 4], [0, 3, 4], [3, 4]], [3, 4, 0, 1]),
        ([0, 1, 2], 1, [[0, 1, 2], [0, 2]], [2, 0, 1]),
        ([1, 3], 2, [[1, 3]], [3, 1]),
    ],
)
def test_show_order(live: list[int], start: int, pots: list[list[int]], order: list[int]) -> None:
    """R14.2, R14.3, R14.8."""
    assert show_order(5, live, start, pots) == order


def test_a_leading_board_that_has_folded_is_followed_by_the_next() -> None:
    """R14.8: possible only where folding is allowed for nothing."""
    play = played(open_fold=True).do("C fold", "A check", "B check")
    assert showing(play) == "Ab"


def test_a_hand_that_shares_or_wins_anything_is_tabled() -> None:
    """R14.4: B is beaten for high and shows for the low half; C has neither."""
    hands = ("Kc Kd Ks 9c 9h Qd Jd", "2h 3c 4d 6s 7h Tc Jh", "2c 3h 5c 6h 9d Td Js")
    play = down_to(Play((200,) * 3, hands, game="stud_high_low_8").start(), 5)
    while play.table.in_hand:
        play.do(f"{play.asked} check")
    assert showing(play) == "ABc"


def test_a_tied_hand_is_tabled() -> None:
    """R14.4: sharing is enough."""
    hands = ("Ac Kd 9h 4h 7h 3c 2c", "Ah Kc 4c 9d 7d 3d 2s")
    play = down_to(Play((200,) * 2, hands).start(), 5)
    while play.table.in_hand:
        play.do(f"{play.asked} check")
    assert showing(play).isupper()
    assert play.shares() == [{"A": 7, "B": 7}]


def test_tabling_shows_every_downcard() -> None:
    """R14.5: three of them on the seventh street, with their places in the deck."""
    play = played().do("C check", "A check", "B check")
    first = play.of(HandShown)[0]
    assert [str(card) for _, card, _ in first.cards] == ["Ac", "Kd", "2s"]
    assert [place for place, _, _ in first.cards] == list(play.hand.players[2].down)


def test_a_mucked_hand_stays_closed_and_wins_nothing() -> None:
    """R14.5, R2.7."""
    play = played().do("C check", "A check", "B check")
    assert play.of(HandMucked) == [HandMucked(1)]
    assert play.hand.players[1].shown == ()
    assert play.shares() == [{"A": 21}]


def test_everything_is_tabled_where_nobody_mucks() -> None:
    """R14.9."""
    play = played(auto_muck=False).do("C check", "A check", "B check")
    assert showing(play) == "CAB"


def test_nobody_shows_when_all_others_have_folded() -> None:
    """R6.11, R14.7: no card is turned and none is dealt any more."""
    play = played().do("C bet", "A fold", "B fold")
    assert showing(play) == ""
    assert isinstance(play.events[-1], HandEnded)
    assert play.shares() == [{"C": 21}]
    assert play.events[-3] == StreetClosed(5)


def test_downcards_stay_hidden_until_the_showdown() -> None:
    """R14.6: all-in on the third street, and still nothing is shown before the end."""
    play = Play((20, 20), ("? ? Kh", "? ? 2c")).start().do("B complete", "A raise 18", "B call")
    kinds = [type(event) for event in play.events]
    assert kinds.index(HandShown) > len(kinds) - 1 - kinds[::-1].index(Dealt)
    assert not play.of(CardsExposed)


def test_or_are_exposed_as_soon_as_nobody_can_wager() -> None:
    """R14.6: the folded player's never; the last card when it is dealt."""
    hands = ("As Ad Kh 9h 8h 2d 4c", "7s 7d 2c 3c 3h 3s 4d", "? ? Qd")
    play = Play((20, 20, 100), hands, house={"expose_all_in": True}).start()
    play.do("B complete", "C fold", "A raise 18", "B call")
    exposed = [
        (event.seat, [str(card) for _, card, _ in event.cards]) for event in play.of(CardsExposed)
    ]
    assert exposed[:2] == [(0, ["As", "Ad"]), (1, ["7s", "7d"])]
    assert exposed[2:] == [(0, ["As", "Ad", "4c"]), (1, ["7s", "7d", "4d"])]
    assert [dealt.street for dealt in play.of(Dealt)] == [1, 2, 3, 4, 5]
    assert {event.seat for event in play.of(HandShown)} >= {1}


def test_rake_comes_off_before_the_split() -> None:
    """R13.1, R13.4, R12.6: 21 less one, shared by two."""
    hands = ("Ac Kd 9h 4h 7h 3c 2c", "Ah Kc 4c 9d 7d 3d 2s", "? ? 3s")
    play = Play((200,) * 3, hands, house={"rake_bps": 500}).start()
    play.do("C bring_in", "A complete", "B call", "C fold")
    while play.table.in_hand:
        play.do(f"{play.asked} check")
    (award,) = play.of(PotAwarded)
    assert (award.amount, award.rake) == (31, 1)
    assert sum(chips for _, _, chips in award.shares) == 30
    assert play.table.rake == 1
    assert sum(play.stacks()) == 599


def test_the_returned_bet_is_not_raked() -> None:
    """R13.2, R12.3."""
    play = played(rake_bps=1000).do("C bet", "A fold", "B fold")
    (award,) = play.of(PotAwarded)
    assert (award.amount, award.rake) == (21, 2)


def test_rake_of_every_pot() -> None:
    """R13.2: floored on the running sum."""
    play = down_to(Play((7, 200, 200), BOARDS, house={"rake_bps": 500}).start(), 5)
    play.do("C check", "B bet", "C call")
    assert [(award.amount, award.rake) for award in play.of(PotAwarded)] == [(21, 1), (40, 2)]


def test_pots_as_they_stand() -> None:
    """R12.1, R12.9."""
    play = down_to(Play((7, 200, 200), BOARDS, limits=STUD._replace(ante=0)).start(), 2)
    assert [(pot.amount, pot.eligible) for pot in hand_pots(play.hand)] == [(15, (0, 1, 2))]


def test_a_pot_of_nothing_is_shown_down() -> None:
    """R12.9: no ante, no bring-in, every round checked."""
    limits = STUD._replace(ante=0, bring_in=0)
    play = Play((50, 50), ("As Ad Kh", "Qs Qd 9h"), variant="no_bring_in", limits=limits).start()
    while play.table.in_hand:
        play.do(f"{play.asked} check")
    assert play.pots() == [0]
    assert play.stacks() == [50, 50]
    assert showing(play)[0] == "A"


def test_pots_are_paid_from_the_main_pot_up() -> None:
    """R15.1."""
    play = down_to(Play((7, 200, 200), BOARDS).start(), 5).do("C check", "B bet", "C call")
    assert [award.pot for award in play.of(PotAwarded)] == [0, 1]


def test_nothing_is_shown_before_it_is_time() -> None:
    play = Play((100, 100), ("? ? Kh", "? ? 2c")).start()
    outcome = showdown.decide(play.table, StackedDeck())
    assert isinstance(outcome, Refused)
    assert outcome.code == "showdown/nothing_due"
