"""The simple players do only what is legal, and do it as often as they say."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final

import pytest

from doorcard.bots import BOTS, Bot, bold, calling, choice_of, uniform
from doorcard.commands import Act
from doorcard.engine.options import Legal, Wager
from doorcard.games import GAMES
from doorcard.limits import BRING_IN_OPENINGS, Limits
from doorcard.local import LocalTable

FACING: Final = Legal(
    2, 9, fold=True, check=False, call=5, bring_in=None, wager=Wager("raise", (10, 15), 10, 15)
)
FREE: Final = FACING._replace(fold=False, check=True, call=None)
CAPPED: Final = FACING._replace(wager=None)
OPENING: Final = Legal(
    2, 9, fold=False, check=False, call=None, bring_in=2, wager=Wager("bet", (), 5, 20)
)
TIMES: Final = 4000
STAKES: Final = (
    Limits(ante=1, bring_in=2, small_bet=5, big_bet=10),
    Limits("spread_limit", ante=1, bring_in=2, spread_min=2, spread_max=9),
    Limits("pot_limit", ante=1, bring_in=2, min_bet=5),
    Limits("no_limit", ante=1, bring_in=2, min_bet=5),
)


def counted(bot: Bot, options: Legal) -> Counter[str]:
    chance = Random(7)
    return Counter(bot(options, chance).action for _ in range(TIMES))


def bot_acts(table: LocalTable, bot: Bot, chance: Random) -> None:
    """Answer whatever is asked: a decision of the betting, or a choice."""
    options = table.legal
    if options is not None:
        table.do(bot(options, chance))
        return
    due = table.choices
    assert due is not None
    seat = chance.choice(due.seats)
    hand = table.table.hand
    assert hand is not None
    player = hand.players[hand.index_of(seat)]
    table.choose(*choice_of(due, seat, player.down, player.up_places, chance), seat=seat)


def share(counts: Counter[str], action: str) -> float:
    return counts[action] / TIMES


@pytest.mark.parametrize("stakes", STAKES, ids=lambda stakes: stakes.structure)
@pytest.mark.parametrize("name", BOTS)
def test_a_bot_never_does_what_is_not_legal(name: str, stakes: Limits) -> None:
    """A table refuses, with an exception, whatever its options do not offer."""
    chance = Random(3)
    for game in GAMES.values():
        forced = game.opening in BRING_IN_OPENINGS
        limits = stakes if forced else stakes._replace(bring_in=0)
        table = LocalTable.open(game.id, limits=limits, seats=5)
        for player in ("ann", "bob", "cas", "dee", "eve"):
            table.sit(player, chance.randint(1, 120))
        for _ in range(4):
            if not table.table.ready_to_deal:
                break
            table.deal()
            while table.table.asked:
                bot_acts(table, BOTS[name], chance)
        assert sum(table.stacks.values()) == table.table.chips_in


def test_uniform_does_each_action_as_often_as_any_other() -> None:
    counts = counted(uniform, FACING)
    assert set(counts) == {"fold", "call", "raise"}
    assert all(abs(share(counts, action) - 1 / 3) < 0.03 for action in counts)
    chance = Random(5)
    amounts = Counter(uniform(FACING, chance).to for _ in range(TIMES))
    assert abs(amounts[10] - amounts[15]) < 0.05 * TIMES
    opened = {uniform(OPENING, chance).to for _ in range(TIMES)}
    assert opened == {None, *range(5, 21)}


def test_calling_folds_one_in_ten_and_raises_one_in_five() -> None:
    counts = counted(calling, FACING)
    assert abs(share(counts, "fold") - 0.1) < 0.02
    assert abs(share(counts, "raise") - 0.9 * 0.2) < 0.02
    assert counts["fold"] + counts["raise"] + counts["call"] == TIMES
    assert set(counted(calling, CAPPED)) == {"fold", "call"}
    assert set(counted(calling, FREE)) == {"check", "raise"}
    assert set(counted(calling, OPENING)) == {"bring_in", "bet"}


def test_bold_always_raises_the_most_and_never_folds() -> None:
    chance = Random(1)
    assert bold(FACING, chance) == Act(2, 9, "raise", 15)
    assert bold(CAPPED, chance) == Act(2, 9, "call", None)
    assert bold(OPENING, chance) == Act(2, 9, "bet", 20)


@pytest.mark.parametrize("name", BOTS)
def test_the_same_chance_plays_the_same(name: str) -> None:
    one, other = Random(11), Random(11)
    options = [FACING, FREE, CAPPED, OPENING] * 20
    assert [BOTS[name](legal, one) for legal in options] == [
        BOTS[name](legal, other) for legal in options
    ]
