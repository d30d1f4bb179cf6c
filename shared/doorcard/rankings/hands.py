"""One entry for every ranking: the best five of the cards held, and which five they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import Final, overload

from doorcard.cards import BadCard, Card, parse_cards, require_distinct
from doorcard.errors import BadInput
from doorcard.rankings.high import high_key
from doorcard.rankings.low import (
    ace_to_five_key,
    ace_to_six_key,
    deuce_to_seven_key,
    eight_or_better_key,
)
from doorcard.rankings.model import BoardOrder, Key, Ranking, card_order
from doorcard.rankings.soko import soko_key
from doorcard.rankings.wild import wild_key

NO_WILD: Final[frozenset[Card]] = frozenset()

_EVALUATORS: Final[dict[Ranking, Callable[[Sequence[Card]], Key | None]]] = {
    "high": high_key,
    "a5": ace_to_five_key,
    "a6": ace_to_six_key,
    "27": deuce_to_seven_key,
    "8ob": eight_or_better_key,
    "soko": soko_key,
}


def evaluate(
    ranking: Ranking,
    cards: str | Sequence[Card],
    *,
    wild: AbstractSet[Card] = NO_WILD,
    double_ace_flush: bool = False,
    cards_max: int = 52,
) -> Key | None:
    """Check the cards, then return ``hand_key``. Text is read as in ``"As Kd Qh Jc 9s"``.

    Raises:
        BadCard: text that names no card, a card twice, fewer than five cards (K1.4), or more
            than ``cards_max``, the most that the game can give one player.
        BadInput: wild cards in a ranking that has none (K1.5).
    """
    hand = parse_cards(cards) if isinstance(cards, str) else cards
    require_distinct(hand)
    if len(hand) < 5:
        raise BadCard(f"a hand needs at least 5 cards, not {len(hand)}")
    if len(hand) > cards_max:
        raise BadCard(f"a hand of this game has at most {cards_max} cards, not {len(hand)}")
    return hand_key(ranking, hand, wild=wild, double_ace_flush=double_ace_flush)


@overload
def hand_key(
    ranking: BoardOrder,
    cards: Sequence[Card],
    *,
    wild: AbstractSet[Card] = ...,
    double_ace_flush: bool = ...,
) -> Key: ...
@overload
def hand_key(
    ranking: Ranking,
    cards: Sequence[Card],
    *,
    wild: AbstractSet[Card] = ...,
    double_ace_flush: bool = ...,
) -> Key | None: ...
def hand_key(
    ranking: Ranking,
    cards: Sequence[Card],
    *,
    wild: AbstractSet[Card] = NO_WILD,
    double_ace_flush: bool = False,
) -> Key | None:
    """Return the key of the best five of five or more different cards (K1.1).

    The cards are trusted: see ``evaluate`` for cards from outside. None means that no low
    qualifies, which only eight or better knows (K9.1).

    Raises:
        BadInput: wild cards in a ranking other than high, which defines none (K1.5).
    """
    if wild:
        if ranking != "high":
            raise BadInput(f"wild cards have no meaning in the {ranking} ranking, only in high")
        return wild_key(cards, wild, double_ace_flush=double_ace_flush)
    return _EVALUATORS[ranking](cards)


@overload
def evaluator(ranking: BoardOrder) -> Callable[[Sequence[Card]], Key]: ...
@overload
def evaluator(ranking: Ranking) -> Callable[[Sequence[Card]], Key | None]: ...
def evaluator(ranking: Ranking) -> Callable[[Sequence[Card]], Key | None]:
    """Return the function that ranks natural cards, for callers that rank many hands."""
    return _EVALUATORS[ranking]


def best_five(
    ranking: Ranking,
    cards: Sequence[Card],
    *,
    wild: AbstractSet[Card] = NO_WILD,
    double_ace_flush: bool = False,
) -> tuple[Card, ...]:
    """Return the five cards played, highest first by ``card_order``; empty without a low.

    Among choices of the same worth the one with the highest card counts, then the one with the
    next highest, and so on; wild cards count as printed (R15.4 ``tda``, R15.8).
    """
    key = hand_key(ranking, cards, wild=wild, double_ace_flush=double_ace_flush)
    if key is None:
        return ()
    ordered = sorted(cards, key=lambda card: card_order(ranking, card), reverse=True)
    # Combinations keep the order, so the choice that is highest card by card comes first.
    return next(
        five
        for five in combinations(ordered, 5)
        if hand_key(ranking, five, wild=wild, double_ace_flush=double_ace_flush) == key
    )


def wild_count(
    ranking: Ranking,
    cards: Sequence[Card],
    wild: AbstractSet[Card],
    *,
    double_ace_flush: bool = False,
) -> int:
    """Return the fewest wild cards among five cards that make the best key (K2.7, K2.9).

    Raises:
        BadInput: as ``hand_key``.
    """
    key = hand_key(ranking, cards, wild=wild, double_ace_flush=double_ace_flush)
    naturals = [card for card in cards if card not in wild]
    wilds = [card for card in cards if card in wild]
    # Which of the wild cards are played makes no difference, only how many.
    return next(
        count
        for count in range(max(0, 5 - len(naturals)), len(wilds) + 1)
        if key
        == hand_key(ranking, naturals + wilds[:count], wild=wild, double_ace_flush=double_ace_flush)
    )
