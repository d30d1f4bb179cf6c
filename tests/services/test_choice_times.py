"""Time for rolls, purchases and declarations, and for players who are away, through the service."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from doorcard.commands import Leave, SitOut
from doorcard.engine.table import Table
from doorcard.events import (
    CardBought,
    DeclarationMade,
    DeclarationsOpened,
    RollChosen,
    Rolled,
)
from doorcard.local import usual_limits
from doorcard.streams.wakes import encode_fired
from doorcard.tables import Role
from tests.services.choosing import (
    BUY,
    DECLARE,
    ROLL,
    answer,
    downcards,
    of_kind,
    opened,
    secret,
    settled_hand,
)
from tests.services.harness import (
    ACTION_MS,
    TABLE,
    House,
    calm,
)
from tests.services.shops import MemoryShop


@pytest.mark.parametrize(
    ("game", "phase", "kind"), [(ROLL, "roll", "card"), (DECLARE, "declare", "act")], ids=str
)
def test_r18_7_at_the_deadline_everybody_who_owes_a_choice_gets_the_usual_one(
    house: House, game: dict[str, Any], phase: str, kind: str
) -> None:
    table = opened(house, game, phase)
    assert isinstance(house.shop, MemoryShop)
    timers = house.shop.store.timers["p00"]
    assert timers == {f"{TABLE}|{kind}": table.time_ms + ACTION_MS}
    seat, *others = table.asked
    wish = "low" if phase == "declare" else str(downcards(table, seat)[0])
    assert house.ask(secret(table, seat, wish)).ok
    assert timers == {f"{TABLE}|{kind}": table.time_ms + ACTION_MS}
    role: Role = "betting" if kind == "act" else "dealer"
    house.queues.send(role, TABLE, encode_fired(TABLE, table.deadline_ms))
    house.settle()
    assert house.table().asked == tuple(others), "it fired too early"
    house.shop.pass_ms(ACTION_MS)
    assert house.fire() == 1
    house.settle()
    made = of_kind(house, RollChosen, DeclarationMade)
    assert [(event.seat, bool(event.sealed)) for event in made] == [
        (seat, True),
        *((other, False) for other in others),
    ]
    if phase == "declare":
        (event,) = of_kind(house, DeclarationsOpened)
        assert dict(event.declarations) == {seat: "low"} | dict.fromkeys(others, "high")
    else:
        (event,) = of_kind(house, Rolled)
        places = {number: place for number, place, _, _ in event.cards}
        assert places == {seat: downcards(table, seat)[0]} | {
            other: downcards(table, other)[-1] for other in others
        }
    settled_hand(house)


@pytest.mark.parametrize("before", [True, False], ids=["gone before", "goes now"])
@pytest.mark.parametrize(("game", "phase"), [(ROLL, "roll"), (DECLARE, "declare")], ids=str)
def test_r18_7_a_player_who_left_chooses_at_once_and_the_others_keep_their_time(
    house: House, game: dict[str, Any], phase: str, before: bool
) -> None:
    house.open(limits=usual_limits(game["game"]), **game)
    leaver = 1
    gone: Callable[[], Any] = lambda: house.ask(Leave(leaver, f"player-{leaver}", "leave"))  # noqa: E731
    table = _played_with_leaver(house, phase, leaver, gone if before else None)
    if not before:
        assert leaver in table.asked
        assert gone().ok
    table = house.table()
    *_, made = of_kind(house, RollChosen, DeclarationMade)
    assert (made.seat, made.sealed) == (leaver, b"")
    assert set(table.asked) == {0, 2}
    assert table.deadline_ms >= table.time_ms + ACTION_MS
    for seat in table.asked:
        assert house.ask(answer(house.table(), seat, Random(seat))).ok
    settled_hand(house)


@pytest.mark.parametrize(("game", "phase"), [(ROLL, "roll"), (DECLARE, "declare")], ids=str)
def test_r18_7_who_leaves_when_time_is_up_chooses_before_the_timer_says_so(
    house: House, game: dict[str, Any], phase: str
) -> None:
    """What the others lost to a store that took no writes, only the timer's message tells."""
    table = opened(house, game, phase)
    leaver, *others = table.asked
    house.shop.pass_ms(ACTION_MS)
    assert house.ask(Leave(leaver, f"player-{leaver}", "leave")).ok
    *_, made = of_kind(house, RollChosen, DeclarationMade)
    assert (made.seat, made.sealed) == (leaver, b"")
    assert house.table().asked == tuple(others)


def _played_with_leaver(
    house: House, phase: str, leaver: int, gone: Callable[[], Any] | None
) -> Table:
    """Played to a choice; the leaver's last bet of the round before may be followed by leaving."""
    for _ in range(100):
        table = house.table()
        hand = table.hand
        assert hand is not None
        if hand.phase == phase:
            if gone is None or phase == "declare":
                return table
            for seat in table.asked:
                assert house.ask(answer(table, seat, Random(seat))).ok
            continue
        options_left = [player for player in hand.players if not player.acted]
        last_round = phase == "roll" or hand.street == len(hand.rules.streets)
        acted = hand.players[hand.index_of(leaver)].acted
        if gone is not None and last_round and acted and options_left:
            assert gone().ok
            gone = None
        if house.table().asked and hand.phase == "bet":
            assert house.act(calm).ok
    raise AssertionError("the choice never came")


def test_r18_2_who_sits_out_declines_to_buy_at_once(house: House) -> None:
    table = opened(house, BUY, "buy")
    (seat,) = table.asked
    assert house.ask(SitOut(seat, f"player-{seat}")).ok
    assert house.table().asked != (seat,)
    assert not of_kind(house, CardBought)
    settled_hand(house)
