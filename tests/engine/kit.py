"""PokerKit, an independent engine, driven with our decks and our actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pokerkit import (
    Automation,
    EightOrBetterLowHand,
    FixedLimitRazz,
    FixedLimitSevenCardStud,
    FixedLimitSevenCardStudHighLowSplitEightOrBetter,
    RegularLowHand,
    StandardHighHand,
    State,
)

from doorcard.cards import Card, format_cards
from doorcard.commands import ActionName
from doorcard.events import Dealt
from doorcard.limits import Limits

GAMES: Final[dict[str, Callable[..., State]]] = {
    "seven_card_stud": FixedLimitSevenCardStud.create_state,
    "razz": FixedLimitRazz.create_state,
    "stud_high_low_8": FixedLimitSevenCardStudHighLowSplitEightOrBetter.create_state,
}
"""Ours and theirs."""
LIKE_KIT: Final = {
    "short_bring_in_price": "actual",
    "pair_option": "none",
    "heads_up_uncap": "never",
    "odd_chip": "position",
}
"""House rules that PokerKit has built in (R5.7, R7.3, R8.3, R15.4)."""
_AUTOMATIC: Final = tuple(
    automation
    for automation in Automation
    if automation
    not in (Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING)
)


def kit_state(game: str, limits: Limits, stacks: Sequence[int]) -> State:
    """A hand before its first card; player 0 is dealt first."""
    return GAMES[game](
        _AUTOMATIC,
        True,
        limits.ante,
        limits.bring_in,
        limits.small_bet,
        limits.big_bet,
        tuple(stacks),
        len(stacks),
    )


def kit_deal(state: State, dealt: Dealt, cards: Sequence[Card]) -> None:
    """Deal the very cards of a street, in the order in which they left the deck."""
    if dealt.burn is not None:
        state.burn_card(str(cards[dealt.burn]))
    down = [(place, seat) for seat, place in dealt.down]
    for place, seat in sorted(down + [(place, seat) for seat, place, _, _ in dealt.up]):
        state.deal_hole(str(cards[place]), seat)


def kit_act(state: State, name: ActionName, to: int | None) -> None:
    """Do what a seat of ours has done."""
    match name:
        case "bring_in":
            state.post_bring_in()
        case "fold":
            state.fold()
        case "check" | "call":
            state.check_or_call()
        case "complete" | "bet" | "raise":
            state.complete_bet_or_raise_to(to)


def kit_wager(state: State) -> tuple[int, ...] | None:
    """The one total that may be wagered to, or None."""
    to = state.min_completion_betting_or_raising_to_amount
    return None if to is None else (to,)


def kit_winners(game: str, hands: Mapping[int, Sequence[Card]]) -> list[set[int]]:
    """Who wins by PokerKit's own ranking of hands: one set a half, without a low only one."""
    kinds = {
        "seven_card_stud": (StandardHighHand,),
        "razz": (RegularLowHand,),
        "stud_high_low_8": (StandardHighHand, EightOrBetterLowHand),
    }[game]
    found: list[set[int]] = []
    for kind in kinds:
        worth = {
            seat: kind.from_game_or_none(format_cards(cards).replace(" ", ""))
            for seat, cards in hands.items()
        }
        held = [hand for hand in worth.values() if hand is not None]
        if held:
            best = max(held)
            found.append({seat for seat, hand in worth.items() if hand == best})
    return found
