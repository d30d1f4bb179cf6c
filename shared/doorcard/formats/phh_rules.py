"""Where a hand goes beyond the rules that readers of the .phh standard apply.

The standard's stud variants are those of PokerKit. They have four wagers a street even for two
players, no big bet on the second street, no pair option, raises measured from the largest wager
made, a price that is what was posted of a short bring-in, and odd chips for whoever comes first
in deal order. A hand in which one of these made a difference is another game there: it is
written under our own name for it, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from doorcard.cards import Card
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.formats.history import HandHistory, HistoryPot, Step
from doorcard.rankings import board_key

WAGERS_A_STREET: Final = 4
WAGERS: Final = ("complete", "bet", "raise")


def beyond_standard(history: HandHistory) -> str:
    """Why a reader of the standard's stud variants would not follow a hand; empty if it would."""
    rules = ruleset(history.spec)
    if rules.structure != "fixed" or not rules.bring_in:
        return "another betting structure or opening"
    if rules.any_wild or rules.house.declare != "none":
        return "wild cards or a declaration"
    if any(step.what == "dead_ante" for step in history.steps):
        return "a dead ante"
    betting = _StandardBetting(history, rules)
    for step in history.steps:
        problem = betting.take(step)
        if problem:
            return problem
    return "" if history.rake or _same_payouts(history, rules) else "odd chips"


class _StandardBetting:
    """Follows a hand by the standard's betting rules."""

    def __init__(self, history: HandHistory, rules: Ruleset) -> None:
        self._rules = rules
        self._seats = [seat.seat for seat in history.seats]
        self._stacks = {seat.seat: seat.stack for seat in history.seats}
        self._live = set(self._seats)
        self._boards: dict[int, tuple[Card, ...]] = dict.fromkeys(self._seats, ())
        self._known = all(None not in seat.cards for seat in history.seats)
        self._held = dict.fromkeys(self._seats, 0)
        self._dealt = 0
        self._burned = 0
        self._street = 0
        self._first = False
        self._bring_in_due = self._incomplete = self._shared = False
        self._bets: dict[int, int] = {}
        self._size = self._wagers = 0
        self._acted: set[int] = set()
        self._short: list[int] = []

    def take(self, step: Step) -> str:
        """Why the standard would not let this step happen; empty if it would."""
        if step.street > self._street:
            self._open_street(step)
        if step.what == "ante":
            self._stacks[_seat(step)] -= step.amount
        elif step.what == "deal":
            self._boards[_seat(step)] += step.up
            self._held[_seat(step)] += len(step.up) + len(step.down)
            self._dealt += len(step.up) + len(step.down)
        elif step.what == "community":
            return self._common_card()
        elif step.what in WAGERS:
            return self._opens(step) or self._wager(step)
        elif step.what in ("bring_in", "call", "check", "fold"):
            return self._opens(step) or self._answer(step)
        return ""

    def _open_street(self, step: Step) -> None:
        self._street = step.street
        self._burned += 1 if step.street > 1 else 0
        self._bets = dict.fromkeys(self._seats, 0)
        self._size = self._wagers = 0
        self._acted.clear()
        self._short.clear()
        self._bring_in_due = self._incomplete = step.street == 1
        self._first = True
        self._shared = False

    def _common_card(self) -> str:
        """The standard turns one only if stub, burned and folded cards are too few."""
        self._shared = True
        left = 52 - self._dealt + self._burned - 1
        mucked = sum(self._held[seat] for seat in self._seats if seat not in self._live)
        if not self._known or len(self._live) <= left + mucked:
            return "a common card where the standard deals on"
        return ""

    def _opens(self, step: Step) -> str:
        """On a street with a common card the standard looks at own upcards only."""
        first, self._first = self._first, False
        if not first or not self._shared:
            return ""
        order = [seat for seat in self._seats if seat in self._live]
        sign = -1 if self._rules.low_board_first else 1
        keys = {
            seat: [sign * part for part in board_key(self._rules.board_order, board)]
            for seat, board in self._boards.items()
        }
        lead = max(order, key=lambda seat: (keys[seat], -order.index(seat)))
        place = order.index(lead)
        turns = order[place:] + order[:place]
        able = next((seat for seat in turns if self._stacks[seat]), None)
        return "" if able == step.seat else "who acts first after a common card"

    def _answer(self, step: Step) -> str:
        seat = _seat(step)
        if step.what == "fold":
            self._live.discard(seat)
            return "a fold before the bring-in" if self._bring_in_due else ""
        if step.what == "call" and not self._bring_in_due:
            owed = max(self._bets.values()) - self._bets[seat]
            if step.amount != min(owed, self._stacks[seat]):
                return "the price of a short bring-in"
        self._bring_in_due = False
        self._acted.add(seat)
        self._pay(seat, step.amount)
        return ""

    def _wager(self, step: Step) -> str:
        seat = _seat(step)
        level = max(self._bets.values())
        owed = level - self._bets[seat]
        if min(owed, self._stacks[seat]) < self._size and owed:
            return "a raise over a short all-in"
        if self._wagers == WAGERS_A_STREET:
            return "more than four wagers on a street"
        if self._short and sum(self._short) < self._size and seat in self._acted:
            return "a raise after a short all-in"
        others = self._live - {seat}
        if not any(self._stacks[other] + self._bets[other] > level for other in others):
            return "a raise that nobody can match"
        least = max(self._size, self._rules.sizes[self._street - 1][0])
        least += 0 if self._incomplete else level
        if step.to != min(least, self._stacks[seat] + self._bets[seat]):
            return "the size of a wager"
        self._pay(seat, step.amount)
        self._count_wager(seat, step.to - level)
        return ""

    def _count_wager(self, seat: int, size: int) -> None:
        self._bring_in_due = self._incomplete = False
        self._wagers += 1
        if size >= self._size:
            self._acted = {seat}
        else:
            self._acted.add(seat)
        self._size = max(self._size, size)
        if self._stacks[seat]:
            self._short.clear()
        else:
            self._short.append(size)
        if sum(self._short) >= self._size:
            self._short.clear()

    def _pay(self, seat: int, amount: int) -> None:
        self._bets[seat] += amount
        self._stacks[seat] -= amount


def _seat(step: Step) -> int:
    assert step.seat is not None, "only a common card belongs to no seat"
    return step.seat


# --- payouts ---------------------------------------------------------------------------------


def _same_payouts(history: HandHistory, rules: Ruleset) -> bool:
    """Whether splitting by the standard gives every seat what it got here."""
    totals = _put_in(history)
    live = set(totals) - {step.seat for step in history.steps if step.what == "fold"}
    levels = sorted({totals[seat] for seat in live} - {0}) or [0]
    winners = {seat for pot in history.pots for seat, _, _ in pot.shares}
    lows = {seat for seat in winners if _has_low(history, rules, seat)}
    merged: list[tuple[int, tuple[int, ...], HistoryPot]] = []
    below = 0
    for level in sorted(set(totals.values())):
        amount = sum(min(total, level) - min(total, below) for total in totals.values())
        below = level
        place = next((i for i, top in enumerate(levels) if top >= level), len(levels) - 1)
        eligible = tuple(
            seat.seat for seat in history.seats
            if seat.seat in winners and totals[seat.seat] >= level
        )  # fmt: skip
        pot = history.pots[place]
        if merged and merged[-1][1] == eligible:
            amount += merged.pop()[0]
        merged.append((amount, eligible, pot))
    won = dict.fromkeys(totals, 0)
    for amount, eligible, pot in merged:
        for takers, chips in _parts(pot, amount, eligible, lows):
            each, rest = divmod(chips, len(takers))
            for place, seat in enumerate(takers):
                won[seat] += each + (0 if place else rest)
    return all(
        seat.final == seat.stack - totals[seat.seat] + won[seat.seat] for seat in history.seats
    )


def _put_in(history: HandHistory) -> Mapping[int, int]:
    totals = {seat.seat: 0 for seat in history.seats}
    for step in history.steps:
        if step.seat is not None:
            totals[step.seat] += -step.amount if step.what == "uncalled" else step.amount
    return totals


def _parts(
    pot: HistoryPot, amount: int, eligible: Sequence[int], lows: set[int]
) -> Iterator[tuple[list[int], int]]:
    """The halves of a pot with those who share them, the first with the odd chip; or the whole.

    As soon as anybody won with a low hand at all, the standard's reader halves every pot; where
    nobody in it has a low one, all in it share the low half.
    """
    by_part: dict[str, set[int]] = {}
    for seat, part, _ in pot.shares:
        by_part.setdefault(part, set()).add(seat)
    high = by_part.get("high") or by_part.get("all") or set()
    high_takers = [seat for seat in eligible if seat in high]
    if not lows:
        yield high_takers, amount
        return
    low = by_part.get("low") or high & lows or set(eligible)
    yield high_takers, amount - amount // 2
    yield [seat for seat in eligible if seat in low], amount // 2


def _has_low(history: HandHistory, rules: Ruleset, seat: int) -> bool:
    """Whether a seat that showed has a hand for the low half."""
    if not rules.high or not rules.low:
        return False
    own = next(held.cards for held in history.seats if held.seat == seat)
    cards = [card for card in own if card is not None]
    return len(cards) == len(own) >= 5 and rules.low((*cards, *history.community)) is not None
