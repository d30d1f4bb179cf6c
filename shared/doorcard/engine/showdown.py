"""Decides the end of a hand: who shows, who wins which pot, rake (R13, R14, R15)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from doorcard.engine.awards import Share, contender, split_pot
from doorcard.engine.dealer import plain_choice
from doorcard.engine.dealer_choices import OpenChoice
from doorcard.engine.decided import Decided, decided
from doorcard.engine.deck import Deck
from doorcard.engine.declaring import open_declarations
from doorcard.engine.pots import Pot, house_rake, pots_of
from doorcard.engine.streets import opened
from doorcard.engine.table import NOBODY, Hand, Table
from doorcard.engine.winners import Contender
from doorcard.errors import Refused
from doorcard.events import Event, HandEnded, HandMucked, HandShown, PotAwarded
from doorcard.rankings import Key


def decide(table: Table, deck: Deck, open_choice: OpenChoice = plain_choice) -> Decided | Refused:
    """Open declarations, or show, muck, award and end the hand; refuse when neither is due."""
    hand = table.hand
    if hand is not None and hand.phase == "open_declare":
        return decided(table, [open_declarations(hand, open_choice)])
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


def share_pot(hand: Hand, amount: int, hands: Mapping[int, Contender]) -> tuple[Share, ...]:
    """Who gets what of one pot, by index, rake already taken (R15, R16.5 to R16.12)."""
    if len(hands) == 1:
        return ((next(iter(hands)), "all", amount),)
    declared = None
    if hand.rules.house.declare != "none":
        declared = {index: hand.players[index].declared for index in hands}
    return split_pot(hand.rules, amount, hands, declared, hand.wild).shares


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
    wild = hand.wild
    cards = deck.cards
    return {
        index: contender(
            hand.rules,
            tuple([cards[place] for place in player.down]),
            player.up,
            hand.community,
            wild,
        )
        for index, player in enumerate(hand.players)
        if not player.folded
    }


def _tabled(
    hand: Hand, order: Sequence[int], pots: Sequence[Pot], contenders: Mapping[int, Contender]
) -> dict[int, Contender]:
    """The hands that are shown: all that win or share a pot against those before (R14.4)."""
    rules = hand.rules
    if not rules.house.auto_muck or rules.house.declare != "none":  # R14.9, R14.6
        return dict(contenders)
    tabled: dict[int, Contender] = {}
    best_highs: dict[int, Key | None] = {}
    best_lows: dict[int, Key | None] = {}
    for index in order:
        mine = contenders[index]
        for number, pot in enumerate(pots):
            if index not in pot.eligible:
                continue
            first = number not in best_highs
            high, low = best_highs.get(number), best_lows.get(number)
            if high is None or (mine.high is not None and mine.high >= high):
                high = mine.high
            if low is None or (mine.low is not None and mine.low <= low):
                low = mine.low
            if first or (high and high == mine.high) or (low and low == mine.low):
                tabled[index] = mine
                best_highs[number], best_lows[number] = high, low
    return tabled


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
        shares = share_pot(hand, pot.amount - rake, hands)
        yield PotAwarded(
            number,
            pot.amount,
            rake,
            tuple([(hand.players[index].seat, part, chips) for index, part, chips in shares]),
        )
