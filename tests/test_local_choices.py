"""Choices that are no bets, at a table in one process: rolls, purchases, declarations."""

from __future__ import annotations

import pytest

from doorcard.cards import Card
from doorcard.commands import Leave
from doorcard.errors import NotAllowed
from doorcard.events import CardBought, CardDeclined, RollChosen, Rolled
from doorcard.limits import Scalar
from doorcard.local import LocalTable
from doorcard.testing import stacked_table


def refusal(caught: pytest.ExceptionInfo[NotAllowed]) -> str:
    return caught.value.refused.code


def two_seated(game: str, deck: str, **house: Scalar) -> LocalTable:
    table = stacked_table(game, deck, house={"dealer_mode": "fixed", **house}, seats=2)
    table.sit("ann", 100)
    table.sit("bob", 100)
    table.deal()
    return table


def test_cards_are_chosen_by_name_or_by_place_and_turned_up_together() -> None:
    """R17.6."""
    table = two_seated("roll_your_own", "As Qc Ad Qd 7c 9h")
    due = table.choices
    assert due is not None
    assert (due.kind, due.seats, due.secret) == ("roll", (0, 1), True)
    assert table.legal is None
    assert table.choose("roll", "9h", seat=1) == (RollChosen(1, b"5"),)
    assert table.view().seats[1].up == ()
    events = table.choose("roll", 4)
    assert events[-1] == Rolled(((0, 4, Card("7c"), b""), (1, 5, Card("9h"), b"")))
    assert table.legal is not None


def test_a_card_is_bought_in_place_of_ones_own() -> None:
    """G5: nobody can buy with a card of somebody else's."""
    table = two_seated("five_card_high_low_buy", "7c Qs Kd Qd 2h 6s 9h 3h 4h 9c 4s 2c 3d Ah")
    while table.legal is not None:
        table.act("check")
    with pytest.raises(NotAllowed) as caught:
        table.choose("buy", "Qd")
    assert refusal(caught) == "dealer/not_your_card"
    (bought,) = table.choose("buy", "Kd")
    assert isinstance(bought, CardBought)
    assert table.view().seats[0].up[0] == Card("Ah")
    assert table.stacks[0] == 88
    assert table.choose("decline")[0] == CardDeclined(1)


def test_a_secret_answer_is_looked_at_before_it_is_hidden() -> None:
    """R16.3: whatever a seal hides cannot be refused later, so it is refused here."""
    table = two_seated("five_card_high_low_declare", "7c Qs Kd Qd 2h 6s 9h 3h 4h 9c 4s 2c 3d")
    while table.legal is not None:
        table.act("check")
    for direction in ("both", "", "sideways"):
        with pytest.raises(NotAllowed) as caught:
            table.choose("declare", direction=direction, seat=1)
        assert refusal(caught) == "choice/bad_direction"
    table.choose("declare", direction="low", seat=1)
    with pytest.raises(NotAllowed) as caught:
        table.choose("declare", direction="high", seat=1)
    assert refusal(caught) == "choice/made_already"
    table.choose("declare", direction="high", seat=0)
    assert [seat.declared for seat in table.view().seats] == ["high", "low"]


def test_an_upcard_cannot_be_turned_up_again() -> None:
    table = two_seated("roll_your_own", "As Qc Ad Qd 7c 9h")
    table.choose("roll", "7c", seat=0)
    table.choose("roll", "9h", seat=1)
    while table.legal is not None:
        table.act("check")
    with pytest.raises(NotAllowed) as caught:
        table.choose("roll", "7c", seat=0)
    assert refusal(caught) == "dealer/not_your_card"


def test_a_choice_is_no_bet_and_a_bet_no_choice() -> None:
    table = two_seated("roll_your_own", "As Qc Ad Qd 7c 9h")
    with pytest.raises(NotAllowed) as caught:
        table.act("check")
    assert refusal(caught) == "betting/nobody_asked"
    table.time_out()
    with pytest.raises(NotAllowed) as caught:
        table.choose("roll", "As")
    assert refusal(caught) == "choice/nobody_asked"


def test_who_leaves_chooses_at_once_as_a_time_out_would() -> None:
    """R18.4, R18.7: only the absent player's choice is made."""
    table = two_seated("roll_your_own", "As Qc Ad Qd 7c 9h")
    table.do(Leave(1, "bob", "bye"))
    assert RollChosen(1, b"") in table.events
    assert table.table.asked == (0,)
