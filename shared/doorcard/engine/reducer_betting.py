"""How a betting round changes a hand: the hot path of the whole product.

``L`` and ``F`` in comments are the levels of R6: what everybody must match, and the last full
bet or raise.
"""

from __future__ import annotations

from doorcard.engine.handlers import on
from doorcard.engine.opening import board_leader, bring_in_index, shows_pair
from doorcard.engine.table import NOBODY, Hand, Player, Table
from doorcard.events import (
    BetMade,
    BringInPosted,
    Called,
    Checked,
    Completed,
    Folded,
    Raised,
    UncalledReturned,
)


def clear_round(hand: Hand) -> None:
    """Forget the last betting round. Afterwards every live player belongs to the draft."""
    for index, player in enumerate(hand.players):
        if not player.folded or player.bet or player.acted:
            player = hand.own(index)  # noqa: PLW2901
            player.bet = player.level_then = player.full_then = 0
            player.acted = False


def start_round(table: Table, hand: Hand) -> None:
    """Open a betting round and ask its first player, or nobody where it is skipped (R6.5)."""
    if hand.step:
        clear_round(hand)  # the deal has done it for a street's first step
    rules = hand.rules
    hand.level = hand.full = hand.raises = hand.raise_size = 0
    hand.last_wager = hand.opener = hand.to_act = NOBODY
    hand.bring_in_due = hand.big_made = False
    hand.capped = rules.cap is not None and (hand.able > 2 or rules.house.heads_up_uncap == "never")
    hand.sizes, hand.pair_holders = _round_sizes(hand)
    if hand.street == 1 and rules.bring_in:
        _await_bring_in(table, hand)
    else:
        _await_leader(table, hand)
    hand.opener = hand.to_act


def _round_sizes(hand: Hand) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """U for everybody, and who else may use the big bet (R7.3, R7.4)."""
    rules = hand.rules
    sizes = rules.sizes[hand.street - 1]
    if rules.pair_option == "none" or hand.street != 2 or rules.structure != "fixed":
        return sizes, ()
    wild = hand.wild_on_board
    holders = tuple(
        [
            index
            for index, player in enumerate(hand.players)
            if not player.folded and shows_pair(player, wild)
        ]
    )
    if not holders:
        return sizes, ()
    if rules.pair_option == "holder":
        return sizes, holders
    return (rules.limits.small_bet, rules.limits.big_bet), ()


def _await_bring_in(table: Table, hand: Hand) -> None:
    rules = hand.rules
    index = hand.leader = bring_in_index(hand)
    if hand.able < 2:
        return  # R5.9
    if not hand.players[index].stack and rules.house.bring_in_all_in_ante == "next_low_card":
        index = hand.leader = bring_in_index(hand, able_only=True)
    if hand.players[index].stack:
        hand.bring_in_due = True
        _ask(table, hand, index)
    else:
        _bring_in_stands(hand, rules.bring_in, posted=0)  # R5.8
        _ask_next(table, hand, index)


def _await_leader(table: Table, hand: Hand) -> None:
    rules = hand.rules
    shared = hand.shared
    kept = hand.leader != NOBODY and not hand.players[hand.leader].folded
    same = shared and rules.house.community_opener == "same_as_previous"  # R3.8
    if not kept or (hand.new_boards and not same):
        hand.leader = board_leader(hand)
        hand.new_boards = False
    if hand.able < 2 or (shared and not rules.house.community_betting):
        return  # R6.5, R3.7
    if hand.players[hand.leader].stack:
        _ask(table, hand, hand.leader)
    else:
        _ask_next(table, hand, hand.leader)  # R6.2


def _bring_in_stands(hand: Hand, price: int, *, posted: int) -> None:
    """Set L and F after a bring-in (R5.7, R5.12, R5.15, R10.7)."""
    rules = hand.rules
    hand.level = price
    if rules.structure == "spread":
        # R8.7: in spread limit the bring-in is the bet, whatever its size.
        hand.full = hand.raise_size = price
    elif rules.bring_in >= rules.unit:
        whole = price == rules.bring_in or _is_full(posted, rules.unit, half_rule=rules.half_rule)
        hand.full = price if whole else 0
        hand.raise_size = rules.unit if whole else 0


@on(BringInPosted)
def _bring_in_posted(table: Table, event: BringInPosted) -> None:
    seat, amount = event
    hand = hand_of(table)
    player = _act(hand, seat, amount)
    rules = hand.rules
    actual = rules.house.short_bring_in_price == "actual"
    hand.bring_in_due = False
    _bring_in_stands(hand, amount if actual else rules.bring_in, posted=amount)
    player.level_then = hand.level
    player.full_then = hand.full
    _ask_next(table, hand, hand.to_act)


@on(Completed, BetMade, Raised)  # type: ignore[arg-type]  # three kinds, one shape
def _wager_made(table: Table, event: Completed | BetMade | Raised) -> None:
    seat, amount, to = event
    hand = hand_of(table)
    player = _act(hand, seat, amount)
    index = hand.last_wager = hand.to_act
    hand.bring_in_due = False
    _measure_wager(hand, index, to)
    player.level_then = hand.level
    player.full_then = hand.full
    _ask_next(table, hand, index)


def _measure_wager(hand: Hand, index: int, to: int) -> None:
    """Decide whether a wager is full, and move L, F, the raise count and the sizes (R9)."""
    rules = hand.rules
    full = hand.full
    unit = smallest_size(hand, index)
    size = to - full
    whole = _is_full(size, unit, half_rule=rules.half_rule)
    if rules.structure == "fixed":
        if size >= rules.limits.big_bet:
            hand.big_made = True
    elif rules.structure == "big_bet":
        size = to - hand.level
        whole = whole or size >= unit  # R9.7
    if whole:
        if full:
            hand.raises += 1
        hand.full = to
        hand.raise_size = max(hand.raise_size, size)
    hand.level = to


def _is_full(size: int, unit: int, *, half_rule: bool) -> bool:
    return 2 * size >= unit if half_rule else size >= unit


def smallest_size(hand: Hand, index: int) -> int:
    """U of R9: the smallest size of a full wager that the player may make now, in chips."""
    rules = hand.rules
    if rules.structure == "fixed":
        return sizes_for(hand, index)[0]
    return max(rules.unit, hand.raise_size)


def sizes_for(hand: Hand, index: int) -> tuple[int, ...]:
    """U of R7.2 for one player, smallest first: fixed limit only."""
    sizes = hand.sizes
    if len(sizes) == 1 and not hand.pair_holders:
        return sizes
    rules = hand.rules
    if hand.big_made and not rules.house.small_raise_after_big:
        return sizes[-1:] if len(sizes) > 1 or not hand.pair_holders else (rules.limits.big_bet,)
    if hand.pair_holders and (hand.big_made or index in hand.pair_holders):
        return (rules.limits.small_bet, rules.limits.big_bet)
    return sizes


@on(Called)
def _called(table: Table, event: Called) -> None:
    seat, amount = event
    hand = hand_of(table)
    _act(hand, seat, amount)
    _ask_next(table, hand, hand.to_act)


@on(Checked)
def _checked(table: Table, event: Checked) -> None:
    (seat,) = event
    hand = hand_of(table)
    _act(hand, seat, 0)
    _ask_next(table, hand, hand.to_act)


@on(Folded)
def _folded(table: Table, event: Folded) -> None:
    (seat,) = event
    hand = hand_of(table)
    fold_player(hand, _act(hand, seat, 0))
    _ask_next(table, hand, hand.to_act)


def _act(hand: Hand, seat: int, amount: int) -> Player:
    """Let a player act, nearly always the one that was asked, and put chips in."""
    index = hand.to_act
    player = hand.players[index]
    if player.seat != seat:
        index = hand.to_act = hand.index_of(seat)
        player = hand.own(index)
    elif not hand.owned >> index & 1:
        player = hand.own(index)
    player.acted = True
    player.level_then = hand.level
    player.full_then = hand.full
    if amount:
        player.stack -= amount
        player.bet += amount
        player.total += amount
        hand.pot += amount
        if not player.stack:
            hand.able -= 1
    return player


def _ask(table: Table, hand: Hand, index: int) -> None:
    hand.to_act = index
    table.decision += 1


def _ask_next(table: Table, hand: Hand, index: int) -> None:
    """Ask the next player clockwise who must act (R6.4), or nobody."""
    hand.to_act = NOBODY
    if hand.able < 2:
        if hand.able and hand.live > 1:
            _ask_last(table, hand, index)
        return
    players = hand.players
    count = len(players)
    level = hand.level
    # Places below 0 count from the list's end, so this walk goes round the table by itself.
    for place in range(index + 1 - count, index):
        player = players[place]
        if not player.folded and player.stack and (player.bet < level or not player.acted):
            hand.to_act = place % count
            table.decision += 1
            return


def _ask_last(table: Table, hand: Hand, index: int) -> None:
    """Ask the only player with chips behind, if that is another who has not matched the price."""
    for other, player in enumerate(hand.players):
        if other != index and not player.folded and player.stack:
            if player.bet < price_for(hand, other):
                _ask(table, hand, other)
            return


def price_for(hand: Hand, index: int) -> int:
    """What a player's street contribution must reach to stay in, in chips (R6.3)."""
    player = hand.players[index]
    if hand.able > (1 if player.stack else 0):
        return hand.level
    most = max(
        (
            other.bet
            for place, other in enumerate(hand.players)
            if place != index and not other.folded
        ),
        default=0,
    )
    return min(hand.level, most)


@on(UncalledReturned)
def _uncalled_returned(table: Table, event: UncalledReturned) -> None:
    hand = hand_of(table)
    player = hand.own(hand.index_of(event.seat))
    if not player.stack and not player.folded:
        hand.able += 1
    player.stack += event.amount
    player.bet -= event.amount
    player.total -= event.amount
    hand.pot -= event.amount


def hand_of(table: Table) -> Hand:
    """The hand that an event belongs to."""
    hand = table.hand
    assert hand is not None, "an event of a hand before any hand started"
    return hand


def fold_player(hand: Hand, player: Player) -> None:
    """Take a player out of the hand."""
    player.folded = True
    hand.live -= 1
    if player.stack:
        hand.able -= 1


def pay(hand: Hand, player: Player, amount: int) -> None:
    """Move chips from a stack to the middle without counting them as a contribution."""
    if amount:
        player.stack -= amount
        hand.pot += amount
        if not player.stack:
            hand.able -= 1
