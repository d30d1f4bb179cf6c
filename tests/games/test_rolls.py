"""Cards that players turn up: in secret or in turn, by whom, and what is refused (R17.6, G9)."""

from __future__ import annotations

import pytest

from doorcard.commands import Act, Choose, SitOut, TimeOut
from doorcard.engine import betting
from doorcard.engine.choices import choices, time_out_due
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.errors import Refused
from doorcard.events import (
    CardsExposed,
    Dealt,
    RollChosen,
    Rolled,
)
from tests.games.tables import (
    dealt,
    due,
    held,
    place_of,
    quietly,
    refused,
    run_out,
)

ROLL_DECK = "As Qc Ad Qd 7c 9h 2s Ah Qs"
"""G9: A holds As Ad 7c and B Qc Qd 9h; after a burn come Ah and Qs."""


def test_rolled_in_turn_each_card_is_seen_at_once() -> None:
    """R17.6: in deal order; the next player knows what the one before has turned up."""
    play = dealt("roll_your_own", ROLL_DECK, roll_order="in_turn")
    assert due(play) == ("roll", "A")
    assert refused(play, Choose(1, play.due.decision, "roll", 1)) == "choice/not_your_turn"
    play.choose("A roll 7c")
    assert held(play, "A") == "As Ad | 7c"
    assert due(play) == ("roll", "B")
    play.choose("B roll 9h")
    assert play.asked == "B"


def test_rolled_in_turn_the_time_out_rolls_the_last_card() -> None:
    """R18.2: the downcard received last."""
    play = dealt("roll_your_own", ROLL_DECK, roll_order="in_turn")
    play.time_out()
    assert held(play, "A") == "As Ad | 7c"
    assert due(play) == ("roll", "B")


def test_an_old_card_may_be_rolled_later() -> None:
    """G9.1: any downcard, new or old; what was received last is then another."""
    play = dealt("roll_your_own", ROLL_DECK)
    play.choose("B roll 9h", "A roll 7c")
    quietly(play)
    play.choose("A roll As").time_out()
    assert held(play, "A") == "Ad Ah | 7c As"
    assert held(play, "B") == "Qc Qd | 9h Qs"


def test_all_in_players_roll() -> None:
    """R17.9, R17.10: also when nobody can bet any more."""
    play = dealt("roll_your_own", ROLL_DECK, (1, 1))
    for _ in range(4):
        assert due(play) == ("roll", "AB")
        play.time_out()
    assert not play.table.in_hand
    assert len(play.of(Rolled)) == 4


@pytest.mark.parametrize("text", ["", "77", "1", "high", "-1", "0x2"])
def test_a_sealed_roll_of_nonsense_rolls_the_last_card(text: str) -> None:
    """R18.2: a place that is not one's own downcard, or none at all."""
    play = dealt("roll_your_own", ROLL_DECK)
    sealed = text.encode() or b"\xff"
    outcome = decide_choice(
        play.table, Choose(0, play.due.decision, "roll", sealed=sealed), play.deck
    )
    assert isinstance(outcome, Decided)
    play.table = outcome.table
    play.choose("B roll 9h")
    assert held(play, "A") == "As Ad | 7c"


def test_an_absent_player_rolls_at_once_and_alone() -> None:
    """R18.4, R18.7: the others keep their time; what is committed stands."""
    play = dealt("roll_your_own", ROLL_DECK, (100, 100, 100))
    play.floor(SitOut(1, "p1"))
    play.table.deadline_ms = 1000
    command = time_out_due(play.table, 0)
    assert command == TimeOut(play.due.decision, absent_only=True)
    assert isinstance(command, TimeOut)
    outcome = decide_choice(play.table, command, play.deck)
    assert isinstance(outcome, Decided)
    assert outcome.events == (RollChosen(1, b""),)
    assert outcome.table.asked == (0, 2)


@pytest.mark.parametrize(
    ("choice", "code"),
    [
        (Choose(0, 1, "roll", 0), "choice/not_sealed"),
        (Choose(0, 1, "buy", sealed=b"0"), "choice/illegal"),
        (Choose(0, 1, "declare", sealed=b"high"), "choice/illegal"),
        (Choose(0, 2, "roll", sealed=b"0"), "choice/late"),
        (Choose(0, 0, "roll", sealed=b"0"), "choice/late"),
        (Choose(5, 1, "roll", sealed=b"0"), "choice/unknown_seat"),
        (Choose(0, 1, "roll", sealed=b"0", player="p1"), "choice/not_your_seat"),
        (TimeOut(7), "dealer/late"),
        (TimeOut(1, absent_only=True), "dealer/not_due"),
    ],
)
def test_a_secret_roll_is_refused(choice: Choose | TimeOut, code: str) -> None:
    """R17.6, R18.7."""
    assert refused(dealt("roll_your_own", ROLL_DECK), choice) == code


def test_a_committed_roll_is_not_changed() -> None:
    """R16.3, R17.6."""
    play = dealt("roll_your_own", ROLL_DECK)
    play.choose("A roll 7c")
    again = Choose(0, play.due.decision, "roll", sealed=b"0")
    assert refused(play, again) == "choice/made_already"


@pytest.mark.parametrize("card", ["7c", "Qc", "Ks", None])
def test_an_open_roll_names_an_own_downcard(card: str | None) -> None:
    """R17.6: no upcard, nobody else's card, none that was not dealt."""
    play = dealt("roll_your_own", ROLL_DECK, roll_order="in_turn").choose("A roll 7c", "B roll 9h")
    quietly(play)
    place = None if card is None else place_of(play, card)
    assert due(play) == ("roll", "A")
    choice = Choose(0, play.due.decision, "roll", place)
    assert refused(play, choice) == "dealer/not_your_card"
    sealed = Choose(0, play.due.decision, "roll", sealed=b"0")
    assert refused(play, sealed) == "choice/not_sealed"


def test_nobody_rolls_a_community_card() -> None:
    """R3.12: a street without own cards has none to roll."""
    play = dealt("roll_your_own", ROLL_DECK).choose("A roll 7c", "B roll 9h")
    run_out(play, left=4)
    quietly(play, street=2)
    assert len(play.of(Dealt)[-1].community) == 1
    assert choices(play.table) is None
    assert play.asked is not None


def test_rolled_cards_are_shown_once_and_new_ones_too() -> None:
    """R14.6: what is dealt after the last bet lies open at once, whatever was rolled before."""
    play = dealt("roll_your_own", ROLL_DECK, (1, 1), expose_all_in=True)
    for _ in range(4):
        shown = {p for event in play.of(CardsExposed) for p, _, _ in event.cards}
        assert all(shown.issuperset(player.down) for player in play.hand.players)
        play.time_out()


def test_choices_are_no_bets() -> None:
    """R6.10: nobody bets while cards are chosen, nor chooses while bets are made."""
    play = dealt("roll_your_own", ROLL_DECK)
    act = betting.decide(play.table, Act(0, play.table.decision, "check"))
    assert isinstance(act, Refused)
    play.choose("A roll 7c", "B roll 9h")
    choose = decide_choice(play.table, Choose(1, play.table.decision, "roll", 1), play.deck)
    assert isinstance(choose, Refused)
    assert choose.code == "dealer/nobody_asked"
