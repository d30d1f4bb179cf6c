"""Who opens: the bring-in and the first to act (R5, R11)."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import get_args

import pytest

from doorcard.cards import CARDS, parse_cards
from doorcard.engine.opening import board_leader, bring_in_index, shows_pair
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.engine.table import NOBODY, Player
from doorcard.rankings import BoardOrder, board_key, natural_board_key
from doorcard.tables import GameSpec
from doorcard.testing import table_at
from tests.engine.play import NO_BRING_IN, STUD, Play

GAMES = {
    "stud": ruleset(GameSpec("seven_card_stud", limits=STUD)),
    "razz": ruleset(GameSpec("razz", limits=STUD)),
    "five high": ruleset(GameSpec("five_card_stud", "high_bring_in", STUD)),
    "five low": ruleset(GameSpec("five_card_stud", "low_bring_in", STUD)),
    "eight": ruleset(GameSpec("stud_high_low_8", limits=STUD)),
}


@pytest.mark.parametrize("order", get_args(BoardOrder))
def test_boards_rank_the_same_by_the_short_way(order: BoardOrder) -> None:
    """``natural_board_key`` is ``board_key`` for boards of any length without wild cards."""
    cards = Random(5)
    for _ in range(400):
        board = cards.sample(CARDS, cards.randint(1, 7))
        assert natural_board_key(order, board) == board_key(order, board)


def brings_in(game: str, doors: str) -> int:
    boards = {seat: (card,) for seat, card in enumerate(parse_cards(doors))}
    table = table_at(GAMES[game], dict.fromkeys(boards, 100), boards=boards)
    assert table.hand is not None
    return table.hand.players[bring_in_index(table.hand)].seat


@pytest.mark.parametrize(
    ("game", "doors", "seat"),
    [
        ("stud", "9h 2s 2c 2d", 2),
        ("stud", "As Ah Kd Ac", 2),
        ("five low", "3h 3d 3s Tc", 1),
        ("eight", "Ac 3s Ad 4c", 1),
        ("razz", "Kd Kh As Qs", 1),
        ("razz", "Ac 2c As", 1),
        ("five high", "Kd As Ah Ks", 1),
        ("five high", "9c 9s 9h", 1),
    ],
)
def test_the_bring_in_goes_by_rank_and_then_by_suit(game: str, doors: str, seat: int) -> None:
    """R5.2, R5.3, R1.3, R1.6: only for this do suits count, the ace as the game has it."""
    assert brings_in(game, doors) == seat


def leader(rules: Ruleset, boards: dict[int, str], *, dealer: int, **more: str) -> int:
    """The seat whose board is first in opening order."""
    cards = {seat: parse_cards(board) for seat, board in boards.items()}
    table = table_at(
        replace(rules, bring_in=0),
        dict.fromkeys(boards, 100),
        boards=cards,
        street=2 if max(map(len, cards.values())) > 1 or more else 1,
        community=parse_cards(more.get("community", "")),
        dealer=dealer,
    )
    assert table.hand is not None
    return table.hand.players[board_leader(table.hand)].seat


@pytest.mark.parametrize(("double", "seat"), [(False, 1), (True, 0)])
def test_a_wild_card_in_a_boards_flush_may_be_a_second_ace(double: bool, seat: int) -> None:
    """K3.3, K2.6: from five upcards on a board is a hand, and ranked by the same switch."""
    rules = ruleset(GameSpec("baseball", "", NO_BRING_IN, (("double_ace_flush", double),)))
    boards = {0: "As 9h Qs 7s 5s", 1: "Ah Kh Qh 8h 6h"}
    assert leader(rules, boards, dealer=1) == seat


@pytest.mark.parametrize(
    ("game", "boards", "dealer", "seat"),
    [
        ("stud", {0: "Kc 9d", 1: "5c 5d", 2: "Ac Qd"}, 2, 1),
        ("stud", {0: "9h 8h 7h 6h", 1: "Ac 3d 4s 6d"}, 1, 1),
        ("stud", {0: "Ks 7d", 1: "Kh 7c", 2: "Kd 7h"}, 2, 0),
        ("stud", {0: "Ks 7d", 1: "Kh 7c", 2: "Kd 7h"}, 0, 1),
        ("eight", {0: "Ac 2d", 1: "Kc Kd"}, 1, 1),
        ("razz", {0: "8c 7d", 1: "8d 6h", 2: "2c 2d"}, 2, 1),
        ("razz", {0: "7c 6d", 1: "7d 6h"}, 0, 1),
        ("five low", {0: "Ks 7d", 1: "Kh 7c", 2: "Kd 7h"}, 0, 0),
        ("five low", {0: "6c 6s Jd", 1: "6d 6h Jc"}, 1, 0),
        ("five high", {0: "3s 3h 3d", 1: "Ac Ad Kc"}, 1, 0),
    ],
)
def test_the_best_board_is_first(game: str, boards: dict[int, str], dealer: int, seat: int) -> None:
    """R11.1, R11.2, R11.4, R11.5, R11.7."""
    assert leader(GAMES[game], boards, dealer=dealer) == seat


def low_rules(order: BoardOrder) -> Ruleset:
    rules = GAMES["razz"]
    game = replace(rules.game, board_order=order)
    return replace(rules, game=game, ace_low=order != "27", by_suit=True)


def test_tied_low_boards_are_decided_by_the_lower_of_the_highest_cards() -> None:
    """R11.4: in low games the lowest such card acts first, the ace as the ranking has it."""
    assert leader(low_rules("a5"), {0: "7h Ac", 1: "7d As"}, dealer=1) == 1
    assert leader(low_rules("27"), {0: "Ac 7h", 1: "As 7d"}, dealer=1) == 0


def test_a_shared_card_counts_on_every_board() -> None:
    """R3.8, R3.12, R11.2: five face-up cards are a whole hand."""
    boards = {0: "8c 9d Th Js", 1: "Ac Ad 2h 3s"}
    assert leader(GAMES["stud"], boards, dealer=1, community="Qd") == 0
    assert leader(GAMES["stud"], boards, dealer=1, community="2s") == 1


def test_a_shared_card_does_not_break_ties_by_suit() -> None:
    """R11.4: own upcards only."""
    boards = {0: "Kc 9d", 1: "Kd 9h"}
    assert leader(GAMES["five low"], boards, dealer=0, community="Ks") == 1


def test_the_leader_may_be_all_in_and_the_next_one_acts() -> None:
    """R11.1, R6.2."""
    play = Play((7, 100, 100, 100), ("? ? Ah Ad", "? ? 9d 8d", "? ? 9c 8c", "? ? 2c 3c")).start()
    play.do("D bring_in", "A call", "B call", "C call")
    hand = play.hand
    assert hand.players[hand.leader].seat == 0
    assert play.asked == "B"


def test_the_same_seat_leads_again_when_the_last_card_is_dealt_down() -> None:
    """R11.3: and when it has folded the next best board does."""
    hands = ("? ? Ah Kh 9h 7c", "? ? Qd 8d 4d 5d", "? ? 2c Qc 4c 5c")
    for fold, asked in ((False, "A"), (True, "B")):
        play = Play((200, 200, 200), hands).start().do("C bring_in", "A call", "B call")
        for _ in range(6):
            play.do(f"{play.asked} check")
        assert play.hand.street == 4
        play.do("A check", "B bet", "C call", "A fold" if fold else "A call")
        assert play.hand.street == 5
        assert play.asked == asked


def test_nobody_leads_when_all_have_folded_but_one() -> None:
    """R6.11: the question is not asked any more."""
    play = Play((100, 100), ("? ? Ah", "? ? 2c")).start().do("B bring_in", "A fold")
    assert play.hand.opener != NOBODY
    assert play.asked is None


@pytest.mark.parametrize(
    ("upcards", "pair"), [("8c 8d", True), ("8c 9c", False), ("8c 9c 8h", True), ("8c", False)]
)
def test_a_pair_is_two_equal_ranks(upcards: str, *, pair: bool) -> None:
    """R7.8, R7.9."""
    player = Player(0, 100)
    player.up = parse_cards(upcards)
    assert shows_pair(player) is pair


def test_without_a_bring_in_the_first_may_check() -> None:
    """R5.1, R7.7, G1.2: only full small bets exist then."""
    play = Play((100, 100), ("? Kc", "? Ks"), game="five_card_stud", limits=NO_BRING_IN).start()
    assert play.options() == "B: check, bet 10"
    assert play.do("B check").options() == "A: check, bet 10"


def test_razz_without_a_bring_in_is_opened_by_the_low_board() -> None:
    """R5.1, R11.7, G15."""
    hands = ("? ? Kc", "? ? 3s", "? ? Ad")
    play = Play((100,) * 3, hands, game="razz", variant="no_bring_in", limits=NO_BRING_IN)
    assert play.start().options() == "C: check, bet 10"
