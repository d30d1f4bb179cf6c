"""Tables at which players choose: how they get there, and what a test asks of them."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from doorcard.audit.verify import verify_table
from doorcard.bots import choice_of
from doorcard.client import seal_choice_for
from doorcard.commands import Choose
from doorcard.engine.choices import choices
from doorcard.engine.table import Table
from doorcard.events import (
    HandEnded,
)
from doorcard.local import usual_limits
from tests.services.harness import (
    LIMITS,
    RING,
    TABLE,
    House,
    assert_all_is_done,
    calm,
)

NO_BRING_IN: Final = LIMITS._replace(bring_in=0, ante=2)
ROLL: Final[dict[str, Any]] = {"game": "roll_your_own"}
DECLARE: Final[dict[str, Any]] = {"game": "five_card_high_low_declare"}
BUY: Final[dict[str, Any]] = {"game": "five_card_high_low_buy"}


def opened(house: House, game: dict[str, Any], phase: str, **house_rules: Any) -> Table:
    """A table whose hand has come to a choice."""
    house.open(limits=usual_limits(game["game"]), house=tuple(house_rules.items()), **game)
    return played_to(house, phase)


def played_to(house: House, phase: str) -> Table:
    """Bets called and other choices made until a choice of this kind is due."""
    for _ in range(200):
        table = house.table()
        hand = table.hand
        assert hand is not None
        if hand.phase == phase:
            return table
        if hand.phase == "bet":
            assert house.act(calm).ok
        else:
            for seat in table.asked:
                assert house.ask(answer(table, seat, Random(seat))).ok
    raise AssertionError(f"nobody was ever asked to {phase}")


def answer(table: Table, seat: int, chance: Random) -> Choose:
    """A legal choice of a seat, sealed where it is secret."""
    options, hand = choices(table), table.hand
    assert options is not None
    assert hand is not None
    player = hand.players[hand.index_of(seat)]
    choice, place, direction = choice_of(options, seat, player.down, player.up_places, chance)
    name = table.seats[seat].player
    if not options.secret:
        return Choose(seat, options.decision, choice, place, direction, player=name)
    text = direction if options.kind == "declare" else str(place)
    return secret(table, seat, text)


def secret(table: Table, seat: int, text: str) -> Choose:
    """A choice sealed to the deck key."""
    options = choices(table)
    assert options is not None
    sealed = seal_choice_for(table, seat, text)
    choice: Any = options.kind
    return Choose(seat, table.decision, choice, sealed=sealed, player=table.seats[seat].player)


def downcards(table: Table, seat: int) -> tuple[int, ...]:
    hand = table.hand
    assert hand is not None
    return hand.players[hand.index_of(seat)].down


def upcards(table: Table, seat: int) -> tuple[int, ...]:
    hand = table.hand
    assert hand is not None
    return hand.players[hand.index_of(seat)].up_places


def of_kind(house: House, *kinds: type) -> list[Any]:
    return [event for event in house.events() if isinstance(event, kinds)]


def settled_hand(house: House) -> None:
    """Play to the end of the hand, and see that the log can be audited."""
    for _ in range(300):
        table = house.table()
        if table.hands > 1 or not table.in_hand:
            break
        if table.hand is not None and table.hand.phase == "bet":
            house.act(calm)
            continue
        for seat in table.asked:
            house.ask(answer(table, seat, Random(seat)))
    assert of_kind(house, HandEnded)
    with_key = verify_table(house.log, TABLE, ring=RING)
    without = verify_table(house.log, TABLE)
    assert (with_key.problem, without.problem) == (None, None)
    assert_all_is_done(house)
