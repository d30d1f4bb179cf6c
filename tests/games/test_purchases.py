"""Cards that players buy: the price, where it goes, who may buy, what is refused (R17, G5)."""

from __future__ import annotations

import pytest

from doorcard.cards import parse_cards
from doorcard.commands import Choose, VoidHand
from doorcard.engine.choices import choices
from doorcard.engine.decided import Decided
from doorcard.engine.pots import pots_of
from doorcard.engine.showdown import hand_pots
from doorcard.events import (
    CardBought,
    CardDeclined,
    CardsExposed,
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

BUY_DECK = "7c Qs Kd Qd 2c 6s 9h 3c 4h 9c 4c 2h 3d Ah Jc"
"""A holds 7c | Kd 6s 4h 2h and B Qs | Qd 9h 9c 3d; then come Ah and Jc."""


def test_what_is_bought_goes_to_the_pot_of_the_largest_contribution() -> None:
    """R12.5, R12.7, R17.3: who is all-in for less has no part in it."""
    play = dealt("five_card_high_low_buy", "", (1, 100, 100))
    play.do(f"{play.asked} bet").do(f"{play.asked} call")
    quietly(play)
    assert due(play) == ("buy", "B")
    play.choose(f"B buy {held(play, 'B').split()[0]}")
    main, side = hand_pots(play.hand)
    assert (main.amount, side.amount) == (3, 10 + 10)
    assert side.eligible == (1, 2)


def test_money_paid_before_any_contribution_can_be_won_by_its_payer() -> None:
    """R12.7, R17.10: level 0 is a level, and who bought with the last chips is in its pot."""
    assert [tuple(pot) for pot in pots_of([0, 5, 5], [False] * 3, [(7, 0)])] == [
        (7, (0, 1, 2)),
        (10, (1, 2)),
    ]
    assert [tuple(pot) for pot in pots_of([0, 5, 5], [False] * 3)] == [(10, (1, 2))]


def test_buying_is_offered_when_nobody_can_bet() -> None:
    """R17.9: B has all chips in; A has some left and may buy."""
    play = quietly(dealt("five_card_high_low_buy", BUY_DECK, (100, 1)))
    assert due(play) == ("buy", "A")
    play.choose("A buy 7c")
    assert due(play) == ("declare", "BA")
    assert play.stack("A") == 100 - 1 - 10


def test_a_bought_card_is_exposed_where_all_cards_are() -> None:
    """R14.6, R17.1."""
    play = quietly(dealt("five_card_high_low_buy", BUY_DECK, (100, 1), expose_all_in=True))
    play.choose("A buy 7c")
    assert [str(card) for _, card, _ in play.of(CardsExposed)[-1].cards] == ["Ah"]


def test_without_a_card_left_nobody_can_buy() -> None:
    """R17.4: neither stub nor burns; the second buy round is passed over."""
    play = dealt("five_card_high_low_buy", BUY_DECK, variant="two_buys")
    quietly(play, street=3)
    run_out(play, left=3)
    quietly(play, street=4)
    assert play.hand.stub == ()
    assert len(play.hand.burns) == 3
    # One burn is left when A has bought; so B may buy as well.
    play.choose(f"A buy {held(play, 'A').split()[0]}")
    assert due(play) == ("buy", "B")
    hand = play.hand
    hand.discards, hand.stub = (*hand.discards, *hand.stub), ()
    play.choose("B decline")
    assert choices(play.table) is None
    assert play.asked is not None


def test_the_second_round_has_its_own_price() -> None:
    """G5: one big bet, then two; each round asks everybody again (R17.1)."""
    play = quietly(dealt("five_card_high_low_buy", BUY_DECK, variant="two_buys"))
    prices: list[int] = []
    for seat in "ABAB":
        assert due(play) == ("buy", seat)
        prices.append(play.due.price)
        play.choose(f"{seat} decline")
    assert prices == [10, 10, 20, 20]


def test_the_time_out_declines_to_buy() -> None:
    """R18.2."""
    play = quietly(dealt("five_card_high_low_buy", BUY_DECK))
    play.time_out()
    assert play.of(CardDeclined) == [CardDeclined(0)]
    assert due(play) == ("buy", "B")


@pytest.mark.parametrize("card", ["Qs", "Qd", "2c", None])
def test_a_purchase_names_an_own_card(card: str | None) -> None:
    """R17.1: B's cards and burns are not A's."""
    play = quietly(dealt("five_card_high_low_buy", BUY_DECK))
    place = None if card is None else place_of(play, card)
    assert refused(play, Choose(0, play.due.decision, "buy", place)) == "dealer/not_your_card"


def test_buying_is_refused_out_of_turn_and_twice() -> None:
    """R17.1, R17.2."""
    play = quietly(dealt("five_card_high_low_buy", BUY_DECK))
    number = play.due.decision
    assert refused(play, Choose(1, number, "buy", 1)) == "choice/not_your_turn"
    assert refused(play, Choose(0, number, "roll", 0)) == "choice/illegal"
    assert refused(play, Choose(0, number, "buy", 0, sealed=b"0")) == "choice/not_sealed"
    play.choose("A buy Kd")
    assert refused(play, Choose(0, play.due.decision, "buy", 0)) == "choice/not_your_turn"
    assert refused(play, Choose(0, number, "buy", 0)) == "choice/late"


def test_a_bought_downcard_is_not_named() -> None:
    """R17.1: a downcard that is bought is not told to anybody."""
    play = quietly(dealt("five_card_high_low_buy", BUY_DECK)).choose("A buy 7c")
    (bought,) = play.of(CardBought)
    assert bought.shown == ()
    assert (bought.discard, bought.place) == (0, 13)
    assert parse_cards("7c")[0] == play.deck.cards[bought.discard]


def test_a_round_before_the_buy_has_a_cap_of_its_own() -> None:
    """G5.1: the last street's size, the same leader, and three raises again after the buying."""
    play = dealt("five_card_high_low_buy", "", (500,) * 3, bet_before_buy=True)
    quietly(play, street=4)
    leader = play.asked
    for _ in range(2):
        assert play.options() == f"{leader}: check, bet 10"
        play.do(f"{play.asked} bet")
        for _ in range(3):
            play.do(f"{play.asked} raise")
        assert play.legal.wager is None
        play.do(f"{play.asked} call").do(f"{play.asked} call")
        if play.due.kind == "buy":
            play.choose("A decline", "B decline", "C decline")
    assert play.due.kind == "declare"


def test_voiding_returns_the_price_of_a_card() -> None:
    """R19.2: to the buyer, who may have folded since."""
    play = quietly(dealt("five_card_high_low_buy", BUY_DECK))
    play.choose("A buy Kd", "B decline")
    assert play.stacks() == [100 - 1 - 10, 99]
    assert isinstance(play.floor(VoidHand("test")), Decided)
    assert play.stacks() == [100, 100]
