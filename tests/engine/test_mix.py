"""Mixed tables: rotation by hands, by orbit, and dealer's choice."""

from __future__ import annotations

from typing import Literal

import pytest

from doorcard.commands import Act, CallGame, OpenTable, SitDown, TimeOut, VoidHand
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.decided import Decided
from doorcard.engine.mix import orbits_with
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import HandStarted
from doorcard.limits import Limits
from doorcard.tables import GameSpec
from doorcard.testing import StackedDeck

Change = Literal["hands", "orbit", "call"]
LIMITS = Limits("fixed_limit", 1, 2, 5, 10)
HORSE = ("razz", "seven_card_stud", "stud_high_low_8")
OTHERS = tuple(GameSpec(game, "", LIMITS) for game in HORSE[1:])
DECK = StackedDeck()


def granted(outcome: Decided | Refused) -> Table:
    assert not isinstance(outcome, Refused), outcome
    return outcome.table


def opened(change: Change, hands: int = 1, seats: int = 3) -> Table:
    command = OpenTable(
        HORSE[0],
        LIMITS,
        others=OTHERS,
        change=change,
        change_hands=hands,
    )
    table = granted(floor.open_table("p00.mix", command))
    for seat in range(seats):
        table = granted(floor.decide(table, SitDown(seat, f"p{seat}", 1000, f"r{seat}")))
    return table


def dealt(table: Table) -> Table:
    return granted(dealer.decide(table, DECK))


def folded_out(table: Table) -> Table:
    """The hand in progress, everybody folding as soon as they may."""
    while table.awaited == "betting":
        table = granted(betting.decide(table, TimeOut(table.decision)))
    return granted(showdown.decide(table, DECK))


def game(table: Table) -> str:
    assert table.hand is not None
    return table.hand.start.spec.game


def played(table: Table, hands: int) -> list[str]:
    games: list[str] = []
    for _ in range(hands):
        table = dealt(table)
        games.append(game(table))
        table = folded_out(table)
    return games


def test_games_change_after_a_number_of_hands() -> None:
    assert played(opened("hands", 2), 7) == [
        "razz", "razz", "seven_card_stud", "seven_card_stud", "stud_high_low_8",
        "stud_high_low_8", "razz",
    ]  # fmt: skip


def test_games_change_when_the_dealer_position_has_gone_round() -> None:
    games = played(opened("orbit"), 9)
    # The first dealer is drawn (R2.9): the last seat here, so the first orbit is one hand long.
    assert games == [HORSE[0]] + [HORSE[1]] * 3 + [HORSE[2]] * 3 + [HORSE[0]] * 2


def test_a_void_hand_is_no_orbit() -> None:
    table = dealt(opened("orbit"))
    table = granted(floor.decide(table, VoidHand("a card was exposed")))
    again = dealt(table)
    assert again.dealer == table.dealer
    assert game(again) == "razz"
    assert orbits_with(4, 2, 2, voided=True) == 4
    assert orbits_with(4, 2, 2, voided=False) == 5


def test_the_next_dealer_calls_the_game_of_that_hand() -> None:
    table = dealt(opened("call"))
    assert game(table) == "razz"
    seat = (table.dealer or 0) + 1 if (table.dealer or 0) < 2 else 0
    table = granted(floor.decide(table, CallGame(seat, f"p{seat}", 2)))
    table = dealt(folded_out(table))
    assert table.dealer == seat
    assert game(table) == "stud_high_low_8"
    # Nobody called: the game goes on as it was.
    assert game(dealt(folded_out(table))) == "stud_high_low_8"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (CallGame(0, "p1", 1), "floor/not_your_seat"),
        (CallGame(2, "p2", 1), "floor/not_your_deal"),
        (CallGame(0, "p0", 3), "floor/unknown_game"),
        (CallGame(7, "p7", 1), "floor/not_your_seat"),
    ],
)
def test_calls_that_are_refused(command: CallGame, code: str) -> None:
    table = dealt(opened("call"))
    assert table.dealer == 2
    refused = floor.decide(table, command)
    assert isinstance(refused, Refused)
    assert refused.code == code


def test_a_table_in_rotation_takes_no_calls() -> None:
    refused = floor.decide(dealt(opened("hands")), CallGame(0, "p0", 1))
    assert isinstance(refused, Refused)
    assert refused.code == "floor/no_call"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (OpenTable("razz", LIMITS, others=(GameSpec("chess"),)), "floor/unknown_game"),
        (OpenTable("razz", LIMITS, others=OTHERS, change_hands=0), "floor/bad_change"),
        (
            OpenTable("razz", LIMITS, others=OTHERS, change="orbit",
                      house=(("dealer_mode", "fixed"),)),
            "house/contradiction",
        ),
        (OpenTable("razz", LIMITS, others=(GameSpec("baseball", "", LIMITS._replace(bring_in=0)),),
                   seats=8), "floor/bad_seats"),
    ],
)  # fmt: skip
def test_mixes_that_make_no_sense_are_refused(command: OpenTable, code: str) -> None:
    refused = floor.open_table("p00.mix", command)
    assert isinstance(refused, Refused)
    assert refused.code == code


def test_the_game_in_force_is_part_of_the_hands_start() -> None:
    outcome = dealer.decide(opened("hands"), DECK)
    assert not isinstance(outcome, Refused)
    started = outcome.events[0]
    assert isinstance(started, HandStarted)
    assert started.spec == GameSpec("razz", "", LIMITS)
    act = Act(0, 0, "fold")
    assert isinstance(betting.decide(outcome.table, act), Refused)
