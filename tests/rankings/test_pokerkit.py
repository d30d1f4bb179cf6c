"""Random seven-card hands against an independent evaluator, PokerKit's."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pokerkit
import pytest

from doorcard.cards import CARDS, format_cards
from doorcard.rankings import Key, Ranking, better, hand_key

HANDS = 2500


@pytest.mark.parametrize(
    ("ranking", "their_hand"),
    [
        ("high", pokerkit.StandardHighHand),
        ("a5", pokerkit.RegularLowHand),
        ("27", pokerkit.StandardLowHand),
        ("8ob", pokerkit.EightOrBetterLowHand),
    ],
)
def test_both_put_the_same_hands_in_the_same_order(
    ranking: Ranking, their_hand: type[pokerkit.CombinationHand]
) -> None:
    """Neighbours in our order, tied or not, must compare the same in theirs: so do all pairs."""
    random = Random(7)
    ranked: list[tuple[Key, pokerkit.Hand, str]] = []
    for _ in range(HANDS):
        cards = random.sample(CARDS, 7)
        text = format_cards(cards)
        key, theirs = hand_key(ranking, cards), their_hand.from_game_or_none(text.replace(" ", ""))
        assert (key is None) == (theirs is None), text
        if key is not None and theirs is not None:
            ranked.append((key, theirs, text))
    ranked.sort(key=lambda hand: hand[0])
    outcomes = {better(ranking, other[0], one[0]) for one, other in pairwise(ranked)}
    assert outcomes == {0, 1 if ranking == "high" else -1}
    for (key, theirs, text), (next_key, next_theirs, next_text) in pairwise(ranked):
        outcome = (next_theirs > theirs) - (next_theirs < theirs)
        assert better(ranking, next_key, key) == outcome, f"{next_text} against {text}"
