"""Checked evaluation, the five cards played, and comparing keys (K1, R15.4, R15.8, S-25)."""

from __future__ import annotations

from functools import partial

import pytest

from doorcard.cards import CARDS, BadCard, Card, format_cards, parse_cards, require_distinct
from doorcard.rankings import (
    Ranking,
    best,
    best_five,
    better,
    card_order,
    evaluate,
    evaluator,
    hand_key,
)

RANKINGS: tuple[Ranking, ...] = ("high", "a5", "a6", "27", "8ob", "soko")


@pytest.mark.parametrize(
    ("cards", "named"),
    [
        ("As Kd 10c 4d 3h", "10"),
        ("As Kd 1c 4d 3h", "1c"),
        ("As Kd tc 4d 3h", "tc"),
        ("As Kd Xx 4d 3h", "Xx"),
        ("As Kd AS 4d 3h", "AS"),
        ("As Kd Qd 4d 3", "not a list"),
        ("", "not 0"),
        ("7h Kd 7h 4d 3h", "7h"),
        ("As Kd Qd 4d", "not 4"),
    ],
)
def test_bad_cards_are_refused_and_named(cards: str, named: str) -> None:
    """S-25, K1.4."""
    for ranking in RANKINGS:
        with pytest.raises(BadCard, match=named):
            evaluate(ranking, cards)


def test_a_card_twice_is_refused_even_if_it_was_read_elsewhere() -> None:
    with pytest.raises(BadCard, match="7h occurs twice"):
        evaluate("high", [Card("7h"), *parse_cards("7h Kd Qs 4d")])


def test_more_cards_than_the_game_gives_are_refused() -> None:
    """S-25: eight cards in seven-card stud; other games allow more."""
    cards = "As Kd Qh Jc 9s 8d 7h 5c"
    with pytest.raises(BadCard, match="at most 7 cards, not 8"):
        evaluate("high", cards, cards_max=7)
    assert evaluate("high", cards, cards_max=8) == evaluate("high", cards) == (0, 14, 13, 12, 11, 9)


def test_a_card_held_by_two_players_is_refused() -> None:
    """S-25."""
    one, other = parse_cards("As Kd Qh Jc 9s"), parse_cards("Ad Kd 8h 7c 6s")
    with pytest.raises(BadCard, match="Kd occurs twice"):
        require_distinct([*one, *other])


def test_good_cards_are_ranked_in_every_ranking() -> None:
    cards = parse_cards("8s 6d 5h 4c 2s Qd Qc")
    for ranking in RANKINGS:
        key = evaluate(ranking, cards)
        assert key is not None
        assert key == hand_key(ranking, cards) == evaluator(ranking)(cards)
        assert key == evaluate(ranking, format_cards(cards))


@pytest.mark.parametrize(
    ("ranking", "cards", "played"),
    [
        ("high", "9c As 2d 8d 7h 6s 5c", "9c 8d 7h 6s 5c"),
        ("high", "9d 9h 8c 7d 6s 5h 2c", "9h 8c 7d 6s 5h"),
        ("high", "As Ac Kd Qh Js Ts 3c", "As Kd Qh Js Ts"),
        ("high", "As 2d 3h 4c 5s 5d Kc", "As 5s 4c 3h 2d"),
        ("high", "Jh Jd Jc 6d 6c Ts Th", "Jh Jd Jc Ts Th"),
        ("high", "Kh Kd 9s 9c 4h 4d 4s", "Kh Kd 4s 4h 4d"),
        ("a5", "Ac 2h Qd 3d 4s 5h Kc", "5h 4s 3d 2h Ac"),
        ("a5", "Ac As 2h 2s 3d 4s 5h", "5h 4s 3d 2s As"),
        ("a5", "Kh Kc Qd Qs Jh Jc Td", "Kh Qs Jh Jc Td"),
        ("a6", "2h 3h 4h 5h 7h 7s Kd", "7s 5h 4h 3h 2h"),
        ("27", "Ac 5d 4h 3s 2c 2d Kc", "Kc 5d 4h 3s 2d"),
        ("8ob", "8c 7d 6h 5s Ac As Ah", "8c 7d 6h 5s As"),
        ("8ob", "9c 4d 3h 2s Ac Kd Kh", ""),
        ("soko", "Kh 9h 6h 2h Qd", "Kh Qd 9h 6h 2h"),
    ],
)
def test_the_five_cards_played_are_the_highest_choice(
    ranking: Ranking, cards: str, played: str
) -> None:
    """R15.4 and R15.8: highest card first, by rank as in the ranking and then by suit."""
    assert format_cards(best_five(ranking, parse_cards(cards))) == played


def test_wild_cards_played_count_as_printed() -> None:
    """R15.8: the three of spades plays rather than the wild three of clubs."""
    wild = frozenset(card for card in CARDS if card.rank == 3)
    cards = parse_cards("3c 3s Kd Kh 9s 8s 2c")
    assert evaluate("high", cards, wild=wild) == (7, 13, 9)
    assert format_cards(best_five("high", cards, wild=wild)) == "Kh Kd 9s 3s 3c"
    assert format_cards(best_five("high", parse_cards("3c 3s Kd Kh Ks Kc 8s"), wild=wild)) == (
        "Ks Kh Kd Kc 3s"
    )


def test_the_cards_of_a_double_ace_flush() -> None:
    """K2.6: the key differs, the five cards do not."""
    wild = frozenset(parse_cards("3c"))
    cards = parse_cards("3c As Ks Qs 9s 6s 5s")
    for double, key in ((False, (5, 14, 13, 12, 11, 9)), (True, (5, 14, 14, 13, 12, 9))):
        assert evaluate("high", cards, wild=wild, double_ace_flush=double) == key
        played = best_five("high", cards, wild=wild, double_ace_flush=double)
        assert format_cards(played) == "As Ks Qs 9s 3c"


def test_cards_are_ordered_by_rank_then_suit_with_the_ace_as_the_ranking_has_it() -> None:
    cards = parse_cards("As Kd Kh 2c Ac")

    def order(ranking: Ranking) -> str:
        return format_cards(sorted(cards, key=partial(card_order, ranking)))

    assert order("high") == order("27") == order("soko") == "2c Kd Kh Ac As"
    assert order("a5") == order("a6") == order("8ob") == "Ac As 2c Kd Kh"


@pytest.mark.parametrize("ranking", RANKINGS)
def test_the_larger_key_wins_in_high_and_soko_only(ranking: Ranking) -> None:
    outcome = 1 if ranking in {"high", "soko"} else -1
    assert better(ranking, (0, 8), (0, 7)) == outcome
    assert better(ranking, (0, 7), (0, 8)) == -outcome
    assert better(ranking, (0, 8, 8, 6, 2), (0, 8, 8, 6)) == outcome
    assert better(ranking, (0, 8), (0, 8)) == 0


def test_the_best_of_several_hands_is_shared_by_those_who_tie() -> None:
    """R1.4: suits never matter."""
    hands = {"Ann": "Ac Ad Kh Qs Jc", "Ben": "Kc Kd Ah Qd Jd", "Cat": "Ah As Kd Qc Jd"}
    keys = {name: evaluate("high", cards) for name, cards in hands.items()}
    assert best("high", keys) == ("Ann", "Cat")
    assert best("a5", {name: evaluate("a5", cards) for name, cards in hands.items()}) == (
        "Ann",
        "Cat",
    )


def test_without_a_qualifying_low_nobody_is_best() -> None:
    assert best("8ob", {1: None, 2: (0, 8, 7, 6, 5, 4), 3: None}) == (2,)
    assert best("8ob", {1: None, 3: None}) == ()
    assert best("high", dict[int, tuple[int, ...]]()) == ()
