"""Who opens: the bring-in, and the board that is first to act (R5, R11)."""

from __future__ import annotations

from doorcard.cards import Card, ace_low
from doorcard.engine.table import NOBODY, Hand, Player
from doorcard.rankings import board_key, natural_board_key
from doorcard.rankings.hands import NO_WILD


def bring_in_index(hand: Hand, *, able_only: bool = False) -> int:
    """Index of the player who owes the bring-in by the first street's upcards (R5.2, R5.3).

    With ``able_only`` players without chips are passed over (``next_low_card``, R5.8).
    """
    rules = hand.rules
    candidates = [
        (card, index)
        for index, player in enumerate(hand.players)
        if not player.folded and (player.stack or not able_only)
        for card in player.up
    ]
    if rules.opening == "low_card_bring_in":
        return min(candidates)[1]
    if rules.ace_low:
        return max(candidates, key=lambda candidate: ace_low(candidate[0]))[1]
    return max(candidates)[1]


def board_leader(hand: Hand) -> int:
    """Index of the live player whose board is first in opening order, ties decided (R11).

    Players without chips take part; who really acts first is another question (R6.2).
    """
    rules = hand.rules
    order, house, wild = rules.board_order, rules.house, hand.wild_on_board
    community = hand.community
    best: list[int] = []
    best_key = None
    for index, player in enumerate(hand.players):
        if player.folded:
            continue
        board = player.up + community if community else player.up
        if wild or order == "soko":
            key = board_key(
                order,
                board,
                wild=wild,
                double_ace_flush=house.double_ace_flush,
                soko_four_card=house.soko_board_four_card,
            )
        else:
            key = natural_board_key(order, board)
        if best_key is None or (key < best_key if rules.low_board_first else key > best_key):
            best, best_key = [index], key
        elif key == best_key:
            best.append(index)
    if not best:
        return NOBODY
    if len(best) == 1 or not rules.by_suit:
        return best[0]
    return _by_suit(hand, best)


def _by_suit(hand: Hand, tied: list[int]) -> int:
    """R11.4: the highest card of each tied board decides by rank and suit, own upcards only."""
    rules = hand.rules

    def highest(index: int) -> tuple[int, int]:
        return max(_rank_suit(card, low=rules.ace_low) for card in hand.players[index].up)

    return min(tied, key=highest) if rules.low_board_first else max(tied, key=highest)


def _rank_suit(card: Card, *, low: bool) -> tuple[int, int]:
    return ace_low(card) if low else (card.rank, card.suit)


def shows_pair(player: Player, wild: frozenset[Card] = NO_WILD) -> bool:
    """Whether any two upcards make a pair (R7.8, R7.9).

    Args:
        wild: cards that count as wild on the board; beside another upcard they make a pair.
    """
    up = player.up
    if wild and len(up) > 1 and not wild.isdisjoint(up):
        return True
    if len(up) == 2:
        return up[0] >> 2 == up[1] >> 2
    return len({card >> 2 for card in up}) < len(up)
