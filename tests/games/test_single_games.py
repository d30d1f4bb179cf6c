"""Single games: what is dealt, which cards are wild, and boards of all kinds (G1, G8 to G11)."""

from __future__ import annotations

import pytest

from doorcard.engine.choices import choices
from doorcard.events import Dealt
from tests.games.tables import OPEN, dealt, held, payouts, quietly, rules_for


def test_queens_are_always_wild() -> None:
    """G10.1: in the hole and on the board, for everybody, whatever has been turned."""
    rules = rules_for("queens_and_after")
    down, up = "Qc Kd | Kh 7s 5d 4c | 2h", "Jc Jd | Qh 8d 6c 4d | 2s"
    assert payouts(rules, 100, [down, "Ac As | Th 9d 7c 5s | 3c"]) == [100, 0]
    assert payouts(rules, 100, [up, "Ac As | Th 9d 7c 5s | 3c"]) == [100, 0]
    assert payouts(rules, 100, [down, up]) == [100, 0]
    play = dealt("queens_and_after", "Qc 2d 3c 3d 8h 9s")
    assert {card.rank for card in play.hand.wild} == {12}


def test_the_queen_of_a_player_who_folds_is_followed() -> None:
    """G10.2, G10.5: the first card of the next street, though C and the queen are out."""
    deck = "2c 2d 2h 3c 3d 3h 8c 9s Qh 4c 7s Kd"
    play = dealt("queens_and_after", deck, (100,) * 3)
    assert play.asked == "C"
    play.do("C check", "A bet", "B call", "C fold")
    assert {card.rank for card in play.hand.wild} == {12, 7}


def test_a_queen_dealt_face_down_is_not_followed() -> None:
    """G10.5: neither on the first street nor on the last one."""
    deck = "2c 2d Qc Qd 8c 9s 4c 7s Kd 4d Th Jc 4h 6h 5d 4s Qh Qs"
    play = dealt("queens_and_after", deck)
    quietly(play, street=5)
    assert held(play, "A") == "2c Qc Qh | 8c 7s Th 6h"
    assert {card.rank for card in play.hand.wild} == {12}


@pytest.mark.parametrize(("wild_on_board", "asked"), [(True, "A"), (False, "B")])
def test_boards_are_compared_when_the_street_is_dealt(*, wild_on_board: bool, asked: str) -> None:
    """G10.7: the last door makes sevens wild, so A's seven is an ace like the other two."""
    deck = "2c 2d 2h 3c 3d 3h 7c Qd 7s"
    play = dealt("queens_and_after", deck, (100,) * 3, wild_on_board=wild_on_board)
    assert {card.rank for card in play.hand.wild} == {12, 7}
    assert play.asked == asked


def test_threes_and_nines_are_wild_up_and_down() -> None:
    """G11.1."""
    rules = rules_for("baseball")
    assert sorted(map(str, rules.wild)) == sorted(
        f"{rank}{suit}" for rank in "39" for suit in "cdhs"
    )
    aces = "Ac As | Jh Td 8c 7s | 5h"
    for hand in (
        "3c Kd | Kh 7d 6s 4c | 2h",
        "Kd Jc | Kh 9d 6s 4c | 2h",
        "Kd Jc | Kh 8d 6s 4c | 9s",
    ):
        assert payouts(rules, 100, [hand, aces]) == [100, 0]


def test_all_cards_held_count() -> None:
    """G11.4: the eighth card is the third king; five of a kind beats the royal flush."""
    rules = rules_for("baseball")
    aces = "Ac As | Jh Td 8c 7s | 5h"
    assert payouts(rules, 100, ["Kc 2d | Kh 4d 6c 8s | Tc", aces]) == [0, 100]
    assert payouts(rules, 100, ["Kc 2d | Kh 4d 6c 8s | Tc Kd", aces]) == [100, 0]
    five, royal = "Kc Kd | Kh 4d 4c 2s | 3c 9d", "As Ks | Qs Js Ts 2c | 2d"
    assert payouts(rules, 100, [five, royal]) == [100, 0]


def test_five_upcards_are_a_whole_hand() -> None:
    """G11.5, R11.2: the four brings a fifth upcard, and on the fourth street a straight flush."""
    deck = "2c 2d 6c 6d 4h 5h Ad Tc 6h Ac Td 7h Ks Th 8h Jd"
    play = dealt("baseball", deck, four_extra="up")
    first = [quietly(play, street=street).asked for street in (2, 3, 4)]
    assert held(play, "A") == "2c 6c | 4h 5h 6h 7h 8h"
    assert first == ["B", "B", "A"]


def test_wild_upcards_count_for_first_to_act() -> None:
    """G11.5: the nine beside a seven is a pair; the king is not, unless ranks count as printed."""
    deck = "2c 2d 6c 6d 7h Kd Tc 9h Js"
    for way, asked in ((True, "A"), (False, "B")):
        play = dealt("baseball", deck, wild_on_board=way)
        assert quietly(play, street=2).asked == asked


def test_who_folds_a_three_is_dealt_no_more() -> None:
    """G11.6: the others go on; their cards come as if A had never been there."""
    deck = "2c 2d 5c 6c 6d 7c 3h Ks Kd 5h Th Td"
    play = dealt("baseball", deck, (100,) * 3, three_up_match_pot=True)
    assert held(play, "B") == "2d 6d | "
    play.choose("A fold")
    assert choices(play.table) is None
    assert (held(play, "B"), held(play, "C")) == ("2d 6d | Ks", "5c 7c | Kd")
    quietly(play, street=2)
    assert held(play, "A") == "2c 6c | 3h"
    assert [seat for seat, *_ in play.of(Dealt)[-1].up] == [1, 2]


def test_mississippi_deals_two_at_once_and_the_last_one_up() -> None:
    """G8.1: no betting between the fourth and the fifth card."""
    play = quietly(dealt("mississippi", ""), street=4)
    streets = [(len(dealt.down) // 2, len(dealt.up) // 2) for dealt in play.of(Dealt)]
    assert streets == [(2, 1), (0, 2), (0, 1), (0, 1)]
    assert [len(part.split()) for part in held(play, "A").split("|")] == [2, 5]
    assert not quietly(play).table.in_hand


def test_a_bring_in_needs_no_ante() -> None:
    """G1.3: the best card opens for nothing but its own bring-in; or everybody antes as well."""
    deck = "Ah 9c Kd Kc Ks 7d"
    limits = OPEN._replace(ante=0, bring_in=2)
    play = dealt("five_card_stud", deck, (100,) * 3, "high_bring_in", limits)
    assert (play.hand.pot, play.stacks()) == (0, [100] * 3)
    assert play.options() == "B: bring_in 2, complete 5"
    assert play.do("B bring_in").options() == "C: fold, call 2, complete 5"
    casino = dealt("five_card_stud", deck, (100,) * 3, "low_bring_in")
    assert casino.hand.pot == 3
    assert casino.options() == "C: bring_in 2, complete 5"


def test_four_by_two_ends_with_four_down_and_four_up() -> None:
    """G9.2: four rounds, two of them at the small size."""
    play = dealt("roll_your_own", "", variant="four_by_two")
    sizes = [size for (size,) in play.hand.rules.sizes]
    assert sizes == [5, 5, 10, 10]
    for street in (2, 3, 4):
        play.time_out()
        quietly(play, street=street)
    play.time_out()
    assert [len(part.split()) for part in held(play, "A").split("|")] == [4, 4]
    assert not quietly(play).table.in_hand
