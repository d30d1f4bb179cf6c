"""A showdown judged by what everybody saw: who showed in which order, and who was paid.

With mucked hands unseen the showdown cannot be decided again. What can be checked without them
is: the order, that whoever had to show did, that nobody showed a beaten hand unasked, and every
chip of every pot, which only hands that were shown can win (R14, R15).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from doorcard.audit.differences import first_difference
from doorcard.engine.awards import contender
from doorcard.engine.pots import Pot, house_rake
from doorcard.engine.showdown import hand_pots, share_pot, show_order
from doorcard.engine.table import NOBODY, Hand
from doorcard.engine.winners import Contender
from doorcard.errors import BadLog
from doorcard.events import Event, HandEnded, HandMucked, HandShown, PotAwarded
from doorcard.rankings import Key


def check_showdown(hand: Hand, events: Sequence[Event]) -> None:
    """Check the end of a hand without its deck.

    Raises:
        BadLog: says what differs from what the rules ask for.
    """
    pots = hand_pots(hand)
    if hand.live == 1:
        winner = next(i for i, player in enumerate(hand.players) if not player.folded)
        tabled = {winner: Contender((), (), (0,), None)}
        shows: list[Event] = []
    else:
        shows = [event for event in events if isinstance(event, HandShown | HandMucked)]
        tabled = _tabled(hand, shows, pots)
    expected = [*shows, *_awards(hand, pots, tabled), HandEnded(hand.start.hand)]
    difference = first_difference(events, expected)
    if difference:
        raise BadLog(difference)


def _tabled(hand: Hand, shows: Sequence[Event], pots: Sequence[Pot]) -> dict[int, Contender]:
    live = [index for index, player in enumerate(hand.players) if not player.folded]
    start = hand.leader if hand.last_wager == NOBODY else hand.last_wager
    order = show_order(len(hand.players), live, start, [pot.eligible for pot in pots])
    if len(shows) != len(order):
        raise BadLog(f"shows or mucks {len(shows)} hands, and {len(order)} are still in")
    tabled: dict[int, Contender] = {}
    for index, event in zip(order, shows, strict=True):
        player = hand.players[index]
        if not isinstance(event, HandShown | HandMucked) or event.seat != player.seat:
            raise BadLog(f"does not let seat {player.seat} show in its turn")
        if isinstance(event, HandShown):
            if tuple(place for place, _, _ in event.cards) != player.down:
                raise BadLog(f"shows other cards than seat {player.seat} was dealt")
            down = tuple(card for _, card, _ in event.cards)
            tabled[index] = contender(hand.rules, down, player.up, hand.community, hand.wild)
    _check_mucks(hand, order, pots, tabled)
    return tabled


def _check_mucks(
    hand: Hand, order: Sequence[int], pots: Sequence[Pot], tabled: Mapping[int, Contender]
) -> None:
    """R14.4: the first to show for a pot shows, and so does whoever is not beaten before."""
    rules = hand.rules
    if not rules.house.auto_muck or rules.house.declare != "none":  # R14.9, R14.6
        if len(tabled) != len(order):
            raise BadLog("mucks a hand where every hand is shown")
        return
    needed: set[int] = set()
    for pot in pots:
        high: Key | None = None
        low: Key | None = None
        claimants = [index for index in order if index in pot.eligible]
        needed.add(claimants[0])
        for index in claimants:
            mine = tabled.get(index)
            if mine is None:
                continue
            if mine.high is not None and (high is None or mine.high >= high):
                high = mine.high
                needed.add(index)
            if mine.low is not None and (low is None or mine.low <= low):
                low = mine.low
                needed.add(index)
    for index in order:
        if (index in needed) != (index in tabled):
            does, ought = ("shows", "muck") if index in tabled else ("mucks", "show")
            raise BadLog(f"seat {hand.players[index].seat} {does} and had to {ought}")


def _awards(hand: Hand, pots: Sequence[Pot], tabled: Mapping[int, Contender]) -> list[PotAwarded]:
    rakes = house_rake(
        hand.rules.house, [pot.amount for pot in pots], second_street_dealt=hand.street >= 2
    )
    awards: list[PotAwarded] = []
    for number, (pot, rake) in enumerate(zip(pots, rakes, strict=True)):
        hands = {index: tabled[index] for index in pot.eligible if index in tabled}
        paid = share_pot(hand, pot.amount - rake, hands)
        shares = tuple((hand.players[index].seat, part, chips) for index, part, chips in paid)
        awards.append(PotAwarded(number, pot.amount, rake, shares))
    return awards
