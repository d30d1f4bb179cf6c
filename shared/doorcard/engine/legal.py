"""What the seat that is asked may do, with exact amounts. Betting refuses all else."""

from __future__ import annotations

from typing import Final

from doorcard.engine.options import Legal, Wager, WagerKind
from doorcard.engine.reducer_betting import price_for, sizes_for, smallest_size
from doorcard.engine.table import NOBODY, Hand, Player, Table


def legal(table: Table) -> Legal | None:
    """The options of the seat that is asked, or None when no seat is asked."""
    hand = table.hand
    if hand is None:
        return None
    options = hand.options
    if options is None and hand.to_act != NOBODY and hand.phase == "bet":
        options = hand.options = _options(table, hand)
    return options


def _options(table: Table, hand: Hand) -> Legal:
    index = hand.to_act
    player = hand.players[index]
    if hand.bring_in_due:
        posted = min(player.stack, hand.rules.bring_in)
        wager = _opening_wager(hand, player)
        return Legal(player.seat, table.decision, False, False, None, posted, wager)
    # R6.3; with somebody else able to bet, the price is the level itself.
    price = hand.level if hand.able > 1 else price_for(hand, index)
    owed = price - player.bet
    wager = None
    if _may_wager(hand, index, player):
        fixed = hand.rules.structure == "fixed"
        wager = (_fixed_wager if fixed else _free_wager)(hand, index, player)
    if owed <= 0:
        open_fold = hand.rules.house.open_fold
        return _new(Legal, (player.seat, table.decision, open_fold, True, None, None, wager))
    call = min(player.stack, owed)
    return _new(Legal, (player.seat, table.decision, True, False, call, None, wager))


def _opening_wager(hand: Hand, player: Player) -> Wager | None:
    """What the bring-in seat may bet instead of posting the bring-in (R5.5, R5.15, R10.7)."""
    rules = hand.rules
    if player.stack <= rules.bring_in:
        return None
    if rules.structure == "fixed":
        if rules.bring_in >= rules.unit:
            return None
        to = min(rules.unit, player.stack)
        return Wager("complete", (to,), to, to)
    low = max(rules.unit, rules.bring_in + 1)
    if rules.structure == "spread":
        high = rules.limits.spread_max
        if low > high:
            return None  # R10.7: no amount lies above the bring-in and within the spread
    else:
        high = hand.pot if rules.pot_limit else player.stack
    return _range("bet", player, low, high)


def _may_wager(hand: Hand, index: int, player: Player) -> bool:
    """R6.8: somebody could answer, the betting is open to this player, the cap is not reached."""
    level = hand.level
    if hand.able < 2 or player.bet + player.stack <= level:
        return False
    rules = hand.rules
    if (
        hand.capped
        and hand.full
        and hand.raises >= (rules.cap or 0)
        and not (rules.house.heads_up_uncap == "becomes_heads_up" and hand.able <= 2)
    ):
        return False
    if not player.acted:
        return True  # R9.4
    if not player.full_then:
        return hand.full > 0  # R9.5 (a)
    gap = level - player.level_then
    unit = smallest_size(hand, index)
    return 2 * gap >= unit if rules.half_rule else gap >= unit  # R9.5 (b), R9.7


def _free_wager(hand: Hand, index: int, player: Player) -> Wager:
    """Spread, pot and no limit: any total within a range (R10)."""
    rules = hand.rules
    level = hand.level
    full = hand.full
    kind: WagerKind = "raise" if level else "bet"
    if rules.structure == "spread":
        return _range(
            kind, player, full + smallest_size(hand, index), full + rules.limits.spread_max
        )
    only_bring_in = not full and hand.last_wager == NOBODY
    low = rules.unit if only_bring_in else level + smallest_size(hand, index)
    high = player.bet + player.stack
    if rules.pot_limit:
        high = level + hand.pot + (level - player.bet)  # R10.3
    return _range(kind, player, low, high)


def _fixed_wager(hand: Hand, index: int, player: Player) -> Wager:
    """R7.2: F + u for each size, less where the stack is shorter, above L only."""
    level = hand.level
    full = hand.full
    most = player.bet + player.stack
    kind: WagerKind = "complete" if full < level else ("raise" if level else "bet")
    base = full or _unfinished_base(hand)
    sizes = sizes_for(hand, index)
    to = min(base + sizes[0], most)
    if len(sizes) == 1:
        return _new(Wager, (kind, (to,), to, to))
    totals = tuple(sorted({to, min(base + sizes[1], most)}))
    return Wager(kind, totals, to, totals[-1])


def _unfinished_base(hand: Hand) -> int:
    """What a short all-in completion is finished from: nothing (R9.2), or the bring-in."""
    rules = hand.rules
    if rules.house.first_raise_from == "completion" or hand.last_wager == NOBODY:
        return 0
    return rules.bring_in if hand.street == 1 else 0


def _range(kind: WagerKind, player: Player, low: int, high: int) -> Wager:
    """Any total from low to high, within the stack; all-in for less where the stack is short."""
    most = player.bet + player.stack
    high = min(max(low, high), most)
    return Wager(kind, (), min(low, high), high)


_new: Final = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
"""Skips the keyword handling of a record's own constructor: one is made at every turn."""
