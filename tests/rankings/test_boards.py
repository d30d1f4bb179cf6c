"""Upcards and who acts first (K3, K4, K8.2, R11.2, R11.6)."""

from __future__ import annotations

from itertools import combinations

import pytest

from doorcard.cards import CARDS, Card, parse_cards
from doorcard.errors import BadInput
from doorcard.rankings import BoardOrder, Key, better, board_key


def key_of(order: BoardOrder, upcards: str) -> Key:
    return board_key(order, parse_cards(upcards))


@pytest.mark.parametrize(
    ("upcards", "key"),
    [
        ("Ac", (0, 14)),
        ("Kd 9s", (0, 13, 9)),
        ("2d 2s", (1, 2)),
        ("7c 7d 8h", (1, 7, 8)),
        ("8h 7c 7d", (1, 7, 8)),
        ("3c 3d 3h", (3, 3)),
        ("Kc Kd 4h 4s", (2, 13, 4)),
        ("Ac Ad Ah Ks", (3, 14, 13)),
        ("2c 2d 2h 2s", (7, 2)),
        ("Ah Kh Qh Jh", (0, 14, 13, 12, 11)),
        ("5c 4d 3h 2s", (0, 5, 4, 3, 2)),
    ],
)
def test_up_to_four_upcards_only_groups_count(upcards: str, key: Key) -> None:
    """K3.1, R11.2."""
    assert key_of("high", upcards) == key


def test_three_threes_beat_a_pair_beats_ace_king_queen() -> None:
    assert key_of("high", "3c 3d 3h") > key_of("high", "7c 7d 8h") > key_of("high", "Ac Kd Qh")


def test_boards_of_different_length() -> None:
    """K3.2."""
    assert key_of("high", "8h 8s 6c 2d") > key_of("high", "8c 8d 6h")
    assert key_of("high", "8c 8d Kh") > key_of("high", "8h 8s 6c 2d")


def test_no_upcards_are_the_lowest_high_board() -> None:
    assert board_key("high", ()) < key_of("high", "2c")


@pytest.mark.parametrize(
    ("order", "upcards", "key"),
    [
        ("high", "5h 6h 7h 8h 9h", (8, 9)),
        ("high", "Ts Jd Qc Kh Ah", (4, 14)),
        ("high", "9s 9d 9c Ad 2h Kc", (3, 9, 14, 13)),
        ("a5", "Ac 2d 3h 4s 5c", (0, 5, 4, 3, 2, 1)),
        ("a6", "Ac 2d 3h 4s 5c", (4, 5, 4, 3, 2, 1)),
        ("27", "Ac 2d 3h 4s 5c", (0, 14, 5, 4, 3, 2)),
        ("soko", "Kh 9h 6h 2h Qd", (3, 13, 9, 6, 2, 12)),
    ],
)
def test_from_five_upcards_on_the_ranking_itself_counts(
    order: BoardOrder, upcards: str, key: Key
) -> None:
    """K3.3, K4.2."""
    assert key_of(order, upcards) == key


def test_the_fifth_upcard_of_mississippi_can_make_a_straight_flush() -> None:
    """G8."""
    two_pair = key_of("high", "Ah Ad 3c 3s 4d")
    assert key_of("high", "9s 8s 7s 6s 2d") < two_pair < key_of("high", "9s 8s 7s 6s 5s")


@pytest.mark.parametrize(
    ("upcards", "key"),
    [
        ("3c", (0, 14)),
        ("3c 7d", (1, 7)),
        ("3c 7d 5h", (1, 7, 5)),
        ("7c 3c 7d", (3, 7)),
        ("3c 3d 7c 5d", (3, 7, 5)),
        ("3c 3d", (1, 14)),
        ("3c 3d 9c", (3, 14)),
        ("3c 3d 9c 9d", (7, 14)),
        ("3c 3d 9c 7d", (7, 7)),
        ("3c 7c 7d Kd", (3, 7, 13)),
        ("3c 7c 7d 7h", (7, 7)),
        ("7c Kd", (0, 13, 7)),
        ("3c Kd Kh Ks Kc", (9, 13)),
    ],
)
def test_wild_cards_on_a_board_make_it_the_best_it_can_be(upcards: str, key: Key) -> None:
    """K3.4, R11.6; threes and nines are wild."""
    wild = frozenset(card for card in CARDS if card.rank in {3, 9})
    assert board_key("high", parse_cards(upcards), wild=wild) == key


def test_five_wild_upcards_may_make_a_double_ace_flush() -> None:
    """K2.6 on a board of five."""
    wild = frozenset(parse_cards("3c"))
    upcards = parse_cards("3c As 9s 6s 5s")
    assert board_key("high", upcards, wild=wild) == (5, 14, 13, 9, 6, 5)
    assert board_key("high", upcards, wild=wild, double_ace_flush=True) == (5, 14, 14, 9, 6, 5)


@pytest.mark.parametrize("order", ["a5", "a6", "27", "soko"])
@pytest.mark.parametrize("upcards", ["3c 7d", "3c 7d 5h Kd Qc"])
def test_only_high_boards_have_wild_cards(order: BoardOrder, upcards: str) -> None:
    """K1.5."""
    with pytest.raises(BadInput, match=order):
        board_key(order, parse_cards(upcards), wild=frozenset(parse_cards("3c")))


@pytest.mark.parametrize(
    ("order", "boards"),
    [
        ("a5", ["7c 5d", "8c Ad", "Kc Qd", "Ac Ad", "2c 2d"]),
        ("a5", ["7c 5d 2h", "8c Ad 2c", "Ac Ad 2h", "Ah As 3c", "Kc Kd Ah", "Ac Ad Ah"]),
        ("a5", ["Ac Kd Qh Js", "Ac Ad 2h 3s", "Ac Ad 2h 2s", "Ac Ad Ah 2c", "Ac Ad Ah As"]),
        ("a6", ["Ac 2d", "Ac 3d", "2c 3d", "Kc Qd", "Ac Ad"]),
        ("27", ["2c 3d 4h 5s", "2c 3d 4h 6s", "2h 3h 4h 7h", "Ac 2d 3h 4s", "2c 2d 3h 4s"]),
        ("27", ["2c", "Kd", "As"]),
        ("a5", ["As", "2c", "Kd"]),
    ],
)
def test_low_boards_from_lowest_to_highest(order: BoardOrder, boards: list[str]) -> None:
    """K4.1: no pair before pair before two pair and so on, then lower ranks."""
    keys = [key_of(order, upcards) for upcards in boards]
    assert keys == sorted(set(keys))
    assert better(order, keys[0], keys[-1]) == 1


@pytest.mark.parametrize(
    ("upcards", "key"),
    [
        ("7c 5d", (0, 7, 5)),
        ("8c Ad", (0, 8, 1)),
        ("Ac Ad", (1, 1)),
        ("Kc Qd", (0, 13, 12)),
        ("Ac Ad 2h 2s", (2, 2, 1)),
    ],
)
def test_low_boards_count_the_ace_as_one(upcards: str, key: Key) -> None:
    """K4.1."""
    assert key_of("a5", upcards) == key_of("a6", upcards) == key


def test_suits_and_sequences_do_not_matter_on_low_boards() -> None:
    """K4.2."""
    assert key_of("a5", "2h 4h 6h 8h") == key_of("a5", "2c 4d 6s 8c") == (0, 8, 6, 4, 2)
    assert key_of("27", "2c 3d 4h 5s") == (0, 5, 4, 3, 2)


@pytest.mark.parametrize(
    ("upcards", "key"),
    [
        ("9s 8s 7s 5s", (3, 9, 8, 7, 5)),
        ("9h 8h 7h 6h", (3, 9, 8, 7, 6)),
        ("Kc Qd Jh Ts", (2, 13)),
        ("Ac Kd Qh Js", (2, 14)),
        ("4c 3d 2h As", (2, 4)),
        ("2c 2d 2h 2s", (9, 2)),
        ("2c 2d 2h As", (5, 2, 14)),
        ("2c 2d Ah As", (4, 14, 2)),
        ("Ac Ad 4h 3s", (1, 14, 4, 3)),
        ("Ac Kd Qh 2s", (0, 14, 13, 12, 2)),
        ("Ac Kc Qc", (0, 14, 13, 12)),
        ("3c 3d 3h", (3, 3)),
        ("Ac", (0, 14)),
    ],
)
def test_soko_boards(upcards: str, key: Key) -> None:
    """K8.2: four-card hands only on boards of four."""
    assert key_of("soko", upcards) == key


def test_soko_boards_without_four_card_hands_rank_as_high_boards() -> None:
    """G6.3."""
    for upcards in ("9s 8s 7s 5s", "Kc Qd Jh Ts", "2c 2d Ah As", "Kh 9h 6h 2h Qd"):
        cards = parse_cards(upcards)
        assert board_key("soko", cards, soko_four_card=False) == board_key("high", cards)


@pytest.mark.parametrize("order", ["high", "a5", "a6", "27"])
def test_how_many_different_boards_there_are(order: BoardOrder) -> None:
    """K3.5."""

    def distinct(count: int) -> int:
        return len({board_key(order, upcards) for upcards in combinations(CARDS, count)})

    assert [distinct(count) for count in (1, 2, 3, 4)] == [13, 91, 455, 1820]


def test_a_wild_board_is_the_best_of_all_that_it_may_stand_for() -> None:
    """K3.4, against trying every meaning of every wild card."""
    wild = frozenset(parse_cards("2c 2d"))
    naturals: list[Card] = [card for card in CARDS if card.rank > 9 and card.suit < 2]
    for wilds in ([Card("2c")], [Card("2c"), Card("2d")]):
        for count in range(5 - len(wilds)):
            for held in combinations(naturals, count):
                meanings = combinations([card for card in CARDS if card not in held], len(wilds))
                best = max(board_key("high", [*held, *meaning]) for meaning in meanings)
                assert board_key("high", [*held, *wilds], wild=wild) == best
