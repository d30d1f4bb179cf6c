"""Decides the end of a hand: who shows, who wins which pot, rake (R13, R14, R15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from doorcard.engine.awards import Contender, Share, contender, split_pot
from doorcard.engine.decided import Decided, decided
from doorcard.engine.deck import Deck
from doorcard.engine.pots import Pot, house_rake, pots_of
from doorcard.engine.streets import opened
from doorcard.engine.table import NOBODY, Hand, Table
from doorcard.errors import Refused
from doorcard.events import Event, HandEnded, HandMucked, HandShown, PotAwarded
from doorcard.rankings import Key, Ranking, better


def decide(table: Table, deck: Deck) -> Decided | Refused:
    """Show, muck, award and end the hand whose betting is over; refuse when none is."""
    hand = table.hand
    if hand is None or hand.phase != "show":
        return Refused("showdown/nothing_due", "No hand at this table is ready to be shown.")
    return decided(table, _events(hand, deck))


def hand_pots(hand: Hand) -> list[Pot]:
    """The pots of a hand as they stand, before rake (R12)."""
    players = hand.players
    return pots_of(
        [player.total for player in players],
        [player.folded for player in players],
        [(chips, level) for _, chips, level in hand.dead],
    )


def show_order(
    players: int, live: Sequence[int], start: int, pots: Sequence[Sequence[int]]
) -> list[int]:
    """The order in which live players show: last pot first, each clockwise (R14.2, R14.3).

    Args:
        players: how many were dealt in; players are named by index in deal order.
        start: who made the last wager, or whose board leads; need not be live (R14.8).
        pots: the eligible players of each pot, main pot first.
    """
    clockwise = [(start + step) % players for step in range(players)]
    clockwise = [index for index in clockwise if index in live]
    order: list[int] = []
    for eligible in reversed(pots):
        order.extend(index for index in clockwise if index in eligible and index not in order)
    return order


def _events(hand: Hand, deck: Deck) -> Iterator[Event]:
    if hand.live == 1:
        yield _last_takes_all(hand)
        yield HandEnded(hand.start.hand)
        return
    pots = hand_pots(hand)
    contenders = _contenders(hand, deck)
    order = show_order(
        len(hand.players),
        list(contenders),
        hand.leader if hand.last_wager == NOBODY else hand.last_wager,
        [pot.eligible for pot in pots],
    )
    tabled = _tabled(hand, order, pots, contenders)
    for index in order:
        player = hand.players[index]
        if index in tabled:
            yield HandShown(player.seat, opened(deck, player.down))
        else:
            yield HandMucked(player.seat)
    yield from _awards(hand, pots, tabled)
    yield HandEnded(hand.start.hand)


def _last_takes_all(hand: Hand) -> PotAwarded:
    """R6.11: whoever is left takes everything without showing."""
    (winner,) = [player.seat for player in hand.players if not player.folded]
    (rake,) = house_rake(hand.rules.house, [hand.pot], second_street_dealt=hand.street >= 2)
    return PotAwarded(0, hand.pot, rake, ((winner, "all", hand.pot - rake),))


def _contenders(hand: Hand, deck: Deck) -> dict[int, Contender]:
    cards = deck.cards
    return {
        index: contender(
            hand.rules,
            tuple([cards[place] for place in player.down]) + player.up,
            hand.community,
        )
        for index, player in enumerate(hand.players)
        if not player.folded
    }


def _tabled(
    hand: Hand, order: Sequence[int], pots: Sequence[Pot], contenders: Mapping[int, Contender]
) -> dict[int, Contender]:
    """The hands that are shown: all that win or share a pot against those before (R14.4)."""
    rules = hand.rules
    if not rules.house.auto_muck:
        return dict(contenders)
    tabled: dict[int, Contender] = {}
    best_high: dict[int, Key | None] = {}
    best_low: dict[int, Key | None] = {}
    for index in order:
        mine = contenders[index]
        for number, pot in enumerate(pots):
            if index not in pot.eligible:
                continue
            first = number not in best_high
            high = _best_so_far(rules.high_ranking, mine.high, best_high.get(number))
            low = _best_so_far(rules.low_ranking, mine.low, best_low.get(number))
            if first or (high and high == mine.high) or (low and low == mine.low):
                tabled[index] = mine
                best_high[number], best_low[number] = high, low
    return tabled


def _best_so_far(ranking: Ranking | None, mine: Key | None, shown: Key | None) -> Key | None:
    """The better of two keys in a ranking; None where neither hand has one."""
    if ranking is None or mine is None or shown is None:
        return shown if mine is None else mine
    return mine if better(ranking, mine, shown) >= 0 else shown


def _awards(
    hand: Hand, pots: Sequence[Pot], tabled: Mapping[int, Contender]
) -> Iterator[PotAwarded]:
    rakes = house_rake(
        hand.rules.house,
        [pot.amount for pot in pots],
        second_street_dealt=hand.street >= 2,
    )
    for number, (pot, rake) in enumerate(zip(pots, rakes, strict=True)):
        hands = {index: tabled[index] for index in pot.eligible if index in tabled}
        if len(hands) == 1:
            shares: tuple[Share, ...] = ((next(iter(hands)), "all", pot.amount - rake),)
        else:
            shares = split_pot(hand.rules, pot.amount - rake, hands).shares
        yield PotAwarded(
            number,
            pot.amount,
            rake,
            tuple([(hand.players[index].seat, part, chips) for index, part, chips in shares]),
        )
