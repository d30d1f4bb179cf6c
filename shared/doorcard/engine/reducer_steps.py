"""What follows the deal of a street, step by step: rolls, buys, bets, declarations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from doorcard.engine.handlers import on
from doorcard.engine.opening import board_leader
from doorcard.engine.reducer_betting import hand_of, start_round
from doorcard.engine.table import NOBODY, Hand, Table
from doorcard.events import StreetClosed, TimeGiven


def next_step(table: Table, hand: Hand) -> None:
    """Go to the next step of this street that asks anybody anything, or to what comes after."""
    steps = hand.rules.steps[hand.street - 1]
    while hand.live > 1:
        hand.step += 1
        if hand.step >= len(steps):
            hand.phase = "show" if hand.street == len(hand.rules.steps) else "deal"
            return
        if _BEGIN[steps[hand.step]](table, hand):
            return
    hand.phase = "show"  # R6.11


@on(TimeGiven)
def _time_given(table: Table, event: TimeGiven) -> None:
    table.deadline_ms += event.ms


@on(StreetClosed)
def _street_closed(table: Table, event: StreetClosed) -> None:
    hand = hand_of(table)
    hand.to_act = NOBODY
    next_step(table, hand)


def _begin_bet(table: Table, hand: Hand) -> bool:
    start_round(table, hand)
    if hand.to_act == NOBODY:
        return False
    hand.phase = "bet"
    return True


def _begin_roll(table: Table, hand: Hand) -> bool:
    """R17.6: everybody who is still in turns a card up; not on a community street (R3.12)."""
    if hand.shared:
        return False
    return ask_choice(table, hand, "roll", _clockwise(hand, 0))


def _begin_buy(table: Table, hand: Hand) -> bool:
    """R17.2, R17.3: who can pay the whole price may buy, as long as there are cards."""
    steps = hand.rules.steps[hand.street - 1]
    hand.price = hand.rules.buy_prices[steps[: hand.step].count("buy")]
    first = 0 if hand.rules.house.buy_order == "deal_order" else board_leader(hand)
    return ask_choice(table, hand, "buy", buyers(hand, _clockwise(hand, first)))


def _begin_declare(table: Table, hand: Hand) -> bool:
    """R16.3, R16.4: all at once, or one after another."""
    order = declaring_order(
        len(hand.players),
        [index for index, player in enumerate(hand.players) if not player.folded],
        start=hand.rules.house.declare_start,
        aggressor_or_leader=hand.leader if hand.last_wager == NOBODY else hand.last_wager,
    )
    return ask_choice(table, hand, "declare", tuple(order))


def declaring_order(
    players: int, live: Sequence[int], *, start: str, aggressor_or_leader: int
) -> list[int]:
    """Who declares after whom, by index in deal order (R16.4, R14.8).

    Args:
        players: how many were dealt in.
        start: ``last_aggressor``, or ``dealer_left`` for deal order.
        aggressor_or_leader: who made the last wager of the final round, or whose board led.
    """
    first = aggressor_or_leader if start == "last_aggressor" else 0
    return [index for step in range(players) if (index := (first + step) % players) in live]


def ask_choice(table: Table, hand: Hand, phase: str, choosing: tuple[int, ...]) -> bool:
    """Ask some players for a choice, in order or all at once; False where there are none."""
    hand.choosing = choosing
    if not choosing:
        return False
    hand.phase = phase
    table.decision += 1
    return True


def buyers(hand: Hand, candidates: tuple[int, ...]) -> tuple[int, ...]:
    """Those who can pay the price, or nobody where no card is left (R17.3, R17.4)."""
    if not hand.stub and not hand.burns:
        return ()
    return tuple([i for i in candidates if hand.players[i].stack >= hand.price])


def _clockwise(hand: Hand, first: int) -> tuple[int, ...]:
    """The live players' indices, clockwise from one of them or from the next live one."""
    count = len(hand.players)
    order = [(first + step) % count for step in range(count)]
    return tuple([index for index in order if not hand.players[index].folded])


_BEGIN: Final[dict[str, Callable[[Table, Hand], bool]]] = {
    "bet": _begin_bet,
    "roll": _begin_roll,
    "buy": _begin_buy,
    "declare": _begin_declare,
}
