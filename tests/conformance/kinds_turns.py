"""Lines about whose turn it is: deal_order, next_dealer, bring_in, first_to_act and showing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from doorcard.cards import Card
from doorcard.engine import dealer
from doorcard.engine.dealer_position import deal_order as deal_order_of
from doorcard.engine.legal import legal
from doorcard.engine.reducer import fold
from doorcard.engine.reducer_steps import declaring_order
from doorcard.engine.ruleset import ruleset
from doorcard.engine.showdown import show_order
from doorcard.engine.streets import deal_street
from doorcard.engine.table import Table
from doorcard.events import (
    Event,
    HandEnded,
    HandStarted,
    HandVoided,
    PotAwarded,
    SeatLeft,
)
from doorcard.limits import Limits
from doorcard.tables import GameSpec
from doorcard.testing import StackedDeck, table_at
from tests.conformance.schemas import (
    BringInGiven,
    DealOrder,
    DealOrderGiven,
    DeclareOrderGiven,
    FirstToAct,
    FirstToActGiven,
    NextDealer,
    NextDealerGiven,
    Order,
    SeatOnly,
    ShowdownOrderGiven,
)
from tests.conformance.support import (
    Malformed,
    board_rules,
    dealing_rules,
    granted,
    hand_of,
)

FIXED = Limits("fixed_limit", 1, 2, 5, 10)


def bring_in(given: BringInGiven) -> SeatOnly:
    """R5.2, R5.3: which door card opens, under the game that has this opening."""
    if given["opening"] == "low_card_bring_in":
        spec = GameSpec("seven_card_stud", "bring_in", FIXED)
    elif given["ace"] == "low":
        spec = GameSpec("razz", "bring_in", FIXED)
    else:
        spec = GameSpec("five_card_stud", "high_bring_in", FIXED)
    boards = {seat: (Card(door),) for seat, door in enumerate(given["doors"]) if door is not None}
    table = table_at(ruleset(spec), dict.fromkeys(boards, 100), boards=boards)
    options = legal(table)
    if options is None or options.bring_in is None:
        raise AssertionError("nobody is asked for the bring-in")
    return {"seat": options.seat}


def first_to_act(given: FirstToActGiven) -> FirstToAct:
    """R11: the leading board, and who really acts first."""
    wild = frozenset(map(Card, given.get("wild", [])))
    if given.get("switches"):
        raise Malformed("switches of first_to_act are about wild cards only")
    boards = {
        seat: tuple(map(Card, cards))
        for seat, cards in enumerate(given["boards"])
        if cards is not None
    }
    community = tuple(map(Card, given.get("community", [])))
    single = max(map(len, boards.values())) == 1 and not community
    table = table_at(
        replace(
            board_rules(given["order"], by_suit=given["opener_tie"] == "suit"),
            wild=wild,
            any_wild=bool(wild),
        ),
        {seat: given["stacks"][seat] for seat in boards},
        boards=boards,
        paid=dict.fromkeys(boards, 1),
        street=1 if single else 2,
        community=community,
        dealer=given["dealer"],
    )
    hand = hand_of(table)
    options = legal(table)
    return {
        "leader": hand.players[hand.leader].seat,
        "first": options.seat if options is not None else None,
    }


def showdown_order(given: ShowdownOrderGiven) -> Order:
    """R14.2, R14.3: the order in which hands are shown."""
    last = given["last_wager"]
    order = show_order(
        given["seats"],
        given["live"],
        given["board_leader"] if last is None else last,
        [pot["eligible"] for pot in given["pots"]],
    )
    return {"order": order}


def declare_order(given: DeclareOrderGiven) -> Order:
    """R16.4: the order in which players declare."""
    deals = deal_order_of(given["dealer"], range(given["seats"]))
    last = given["last_wager"]
    first = given["board_leader"] if last is None else last
    order = declaring_order(
        len(deals),
        [deals.index(seat) for seat in given["live"]],
        start=given["declare_start"],
        aggressor_or_leader=deals.index(first),
    )
    return {"order": [deals[index] for index in order]}


def deal_order(given: DealOrderGiven) -> DealOrder:
    """R2.2, R2.3: every card of the initial deal, one at a time."""
    if (given["dealer"] is None) != (given["dealer_mode"] == "fixed"):
        raise Malformed("only a house dealer has no seat")
    rules = dealing_rules(["".join(given["pattern"])], {"dealer_mode": given["dealer_mode"]})
    players = deal_order_of(given["dealer"], sorted(given["occupied"]))
    table = table_at(rules, dict.fromkeys(players, 100), dealer=players[-1])
    dealt = deal_street(hand_of(table), StackedDeck())
    cards = [(place, seat, "d") for seat, place in dealt.down]
    cards += [(place, seat, "u") for seat, place, _, _ in dealt.up]
    return {"sequence": [[seat, letter] for _, seat, letter in sorted(cards)]}


def next_dealer(given: NextDealerGiven) -> NextDealer:
    """R2.2, R2.10: a hand is played out or voided, seats are left, and the next one starts."""
    dealt_in = given["dealt_in"]
    if not dealt_in or max(dealt_in) >= given["seats"]:
        raise Malformed("a seat that is dealt in is not at the table")
    house = (("dealer_mode", given["dealer_mode"]),)
    spec = GameSpec("seven_card_stud", "", FIXED, house)
    before = set(dealt_in)
    if given["dealer"] is not None:
        before.add(given["dealer"])
    table = table_at(
        ruleset(spec),
        dict.fromkeys(before, 100),
        paid=dict.fromkeys(before, 1),
        dealer=given["dealer"],
    )
    after = fold(table, _to_the_next_hand(table, dealt_in, voided=given["voided"]))
    started = granted(dealer.decide(after, StackedDeck())).events[0]
    assert isinstance(started, HandStarted)
    return {"dealer": started.dealer, "deal_order": list(started.players)}


def _to_the_next_hand(table: Table, dealt_in: list[int], *, voided: bool) -> Iterator[Event]:
    hand = hand_of(table)
    if voided:
        yield HandVoided("", tuple((player.seat, player.total) for player in hand.players))
    else:
        winner = hand.players[0].seat
        yield PotAwarded(0, hand.pot, 0, ((winner, "all", hand.pot),))
        yield HandEnded(1)
    for player in hand.players:
        if player.seat not in dealt_in:
            yield SeatLeft(player.seat, table.seats[player.seat].player, player.stack)
