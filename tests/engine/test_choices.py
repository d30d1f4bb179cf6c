"""Choices that are no bets: rolling, buying, paying and declaring (R16, R17, R18.7, R18.9)."""

from __future__ import annotations

import pytest

from doorcard.cards import parse_cards
from doorcard.commands import Choose, TimeOut
from doorcard.engine import betting
from doorcard.engine.awards import contender, split_pot
from doorcard.engine.choices import choices
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.extra_cards import deal_with_extras
from doorcard.engine.legal import legal
from doorcard.engine.ruleset import ruleset
from doorcard.errors import Refused
from doorcard.events import (
    CardBought,
    CardDeclined,
    Dealt,
    DeclarationMade,
    DeclarationsOpened,
    MatchDeclined,
    RollChosen,
    Rolled,
)
from doorcard.limits import Scalar
from doorcard.tables import GameSpec
from doorcard.testing import StackedDeck
from tests.engine.play import NO_BRING_IN, STUD, Play, letter
from tests.engine.random_play import opened_by_bring_in


def dealt(game: str, deck: str = "", stacks: tuple[int, ...] = (200, 200), **house: Scalar) -> Play:
    """A hand from this deck, burns included, just dealt; the last seat deals."""
    limits = NO_BRING_IN if house.get("opening", "high_board_opens") == "high_board_opens" else STUD
    if opened_by_bring_in(game, "") and "opening" not in house:
        limits = STUD
    draw = [*(f"{rank}c" for rank in "23456"[: len(stacks) - 1]), "As"]
    stacked = StackedDeck(deck, button_cards=draw)
    return Play(stacks, game=game, limits=limits, house=house, deck=stacked).start()


def down_to_choice(play: Play) -> Play:
    """Check and call until a choice is due, or the hand is over."""
    while (options := legal(play.table)) is not None:
        name = "check" if options.check else "call" if options.call is not None else "bring_in"
        play.do(f"{letter(options.seat)} {name}")
    return play


def held(seat: int, play: Play) -> list[str]:
    """A seat's downcards, then its upcards."""
    player = play.hand.players[play.hand.index_of(seat)]
    cards = play.deck.cards
    return [str(cards[i]) for i in player.down] + [str(card) for card in player.up]


def test_a_wild_door_card_opens_by_its_printed_rank() -> None:
    """R5.4: the deuce is the lowest card, whatever it may stand for."""
    play = dealt("acey_ducey", "4c 5c 6c 7c Kd 2h", opening="low_card_bring_in")
    assert play.options() == "B: bring_in 5, complete 10"


# --- declaring -------------------------------------------------------------------------------


def test_declarations_are_opened_together() -> None:
    """R16.3: nothing is revealed before all are made, and none can be changed."""
    play = down_to_choice(dealt("five_card_high_low_declare"))
    play.choose("B low")
    assert not play.of(DeclarationsOpened)
    again = betting.decide(play.table, Choose(1, play.due.decision, "declare", sealed=b"high"))
    assert isinstance(again, Refused)
    assert again.code == "choice/made_already"
    play.choose("A high")
    assert play.of(DeclarationsOpened) == [DeclarationsOpened(((0, "high"), (1, "low")))]


def test_who_owes_a_choice_when_the_time_is_up_makes_the_usual_one() -> None:
    """R18.2, R18.7: what was committed stands; the others declare high."""
    play = down_to_choice(dealt("five_card_high_low_declare", stacks=(200, 200, 200)))
    play.choose("B low")
    play.time_out()
    made = {event.seat: event.sealed for event in play.of(DeclarationMade)}
    assert made == {0: b"", 1: b"low", 2: b""}
    assert play.of(DeclarationsOpened) == [
        DeclarationsOpened(((0, "high"), (1, "low"), (2, "high")))
    ]


EIGHT = {0: "Kc Kd 9h 9s 4c Jd Th", 1: "2c 3d 7h 8s 6c Qd Qh", 2: "2h 3h 9c Tc Jc Qc 5d"}
"""Kings and nines without a low; 8-7-6-3-2; a flush of clubs in Q-J-T-9 no more, and no low."""


@pytest.mark.parametrize(
    ("declared", "high", "low"),
    [
        ({0: "high", 1: "low", 2: "low"}, (0,), (1,)),
        ({0: "high", 1: "high", 2: "low"}, (0,), ()),
        ({0: "low", 2: "low"}, (0,), ()),
    ],
)
def test_a_low_without_a_qualifying_hand_is_none(
    declared: dict[int, str], high: tuple[int, ...], low: tuple[int, ...]
) -> None:
    """R16.10, R16.11: where nobody has a hand in a declared direction the best high one wins."""
    rules = ruleset(GameSpec("stud_high_low_8", "", STUD))
    hands = {index: contender(rules, (), parse_cards(EIGHT[index])) for index in declared}
    split = split_pot(rules, 60, hands, declared)
    assert (split.high, split.low) == (high, low)


# --- buying ----------------------------------------------------------------------------------

BUY_DECK = "7c Qs Kd Qd 2c 6s 9h 3c 4h 9c 4c 2h 3d Ah Jc"
"""A holds 7c | Kd 6s 4h 2h and B Qs | Qd 9h 9c 3d; then come Ah and Jc."""


def test_a_bought_card_lies_as_the_old_one_lay() -> None:
    """R17.1, R17.5, G5: up for up and down for down, in its place, from the stub, unburned."""
    play = down_to_choice(dealt("five_card_high_low_buy", BUY_DECK))
    before = play.hand.burns
    play.choose("A buy Kd", "B buy Qs")
    assert held(0, play) == ["7c", "Ah", "6s", "4h", "2h"]
    assert held(1, play) == ["Jc", "Qd", "9h", "9c", "3d"]
    first, second = play.of(CardBought)
    assert [str(card) for _, card, _ in first.shown] == ["Ah"]
    assert second.shown == ()
    assert play.hand.burns == before
    assert play.stacks() == [200 - 2 - 20, 200 - 2 - 20]
    # R17.5, G5.2: a pair of nines leads now; before, the king did.
    assert play.asked == "B"


def test_a_turn_to_buy_comes_once() -> None:
    """R17.1, G5.3: bought or declined, it is over for this round."""
    play = down_to_choice(dealt("five_card_high_low_buy", BUY_DECK))
    play.choose("A decline")
    assert play.due.seats == (1,)
    again = decide_choice(play.table, Choose(0, play.due.decision, "decline"), play.deck)
    assert isinstance(again, Refused)
    assert again.code == "choice/not_your_turn"
    play.choose("B decline")
    assert choices(play.table) is None


def test_who_cannot_pay_the_whole_price_is_not_asked() -> None:
    """R17.3, R17.10: all-in players neither, but they declare."""
    play = down_to_choice(dealt("five_card_high_low_buy", BUY_DECK, stacks=(21, 200, 2)))
    assert play.due.kind == "buy"
    assert play.due.seats == (1,)
    play.choose("B decline")
    down_to_choice(play)
    assert play.due.kind == "declare"
    assert sorted(play.due.seats) == [0, 1, 2]


def test_a_card_may_take_the_last_chips() -> None:
    """R17.3, R17.10, R12.7: dead money; the buyer competes for what the antes matched."""
    play = down_to_choice(dealt("five_card_high_low_buy", BUY_DECK, stacks=(22, 200, 200)))
    play.choose(f"A buy {held(0, play)[0]}", "B decline", "C decline")
    assert play.stack("A") == 0
    assert play.hand.pot == 6 + 20
    assert play.hand.dead == ((0, 20, 2),)
    play.do(f"{play.asked} bet").do(f"{play.asked} call")
    for seat in "ABC":
        play.choose(f"{seat} high")
    assert play.pots() == [6 + 20, 40]
    assert sum(play.stacks()) == 422


def test_burns_are_shuffled_in_when_the_stub_is_empty() -> None:
    """R17.4: and nothing can be bought once they are gone too."""
    play = down_to_choice(dealt("five_card_high_low_buy", BUY_DECK))
    table = play.table.draft()
    assert table.hand is not None
    table.hand.stub = ()
    burns = table.hand.burns
    own = table.hand.players[0].down[0]
    outcome = decide_choice(table, Choose(0, play.due.decision, "buy", own), play.deck)
    assert isinstance(outcome, Decided)
    (bought,) = outcome.events
    assert isinstance(bought, CardBought)
    assert sorted(bought.reshuffled) == sorted(burns)
    hand = outcome.table.hand
    assert hand is not None
    assert len(hand.stub) == len(burns) - 1
    assert own not in hand.stub  # R17.4: discards are not used again


# --- rolling ---------------------------------------------------------------------------------


def test_cards_are_rolled_together() -> None:
    """R17.6, R18.7: secret until the last one is chosen; the time-out rolls the last card."""
    play = dealt("roll_your_own", "2c 3c 4c 5c 6c 7c")
    play.choose("A roll 4c")
    assert not play.of(Rolled)
    play.time_out()
    assert play.of(RollChosen)[-1] == RollChosen(1, b"")
    (rolled,) = play.of(Rolled)
    assert [(seat, str(card)) for seat, _, card, _ in rolled.cards] == [(0, "4c"), (1, "7c")]
    assert held(0, play) == ["2c", "6c", "4c"]


# --- extra cards and payments ----------------------------------------------------------------

FOUR_UP = "2c 2d 6c 6d 4h Kd 7s"


def test_an_extra_card_comes_before_the_next_players() -> None:
    """R17.7, G11.2: from the stub, without a burn."""
    play = dealt("baseball", "2c 2d 6c 6d 4h 7s Kd")
    (street,) = play.of(Dealt)
    assert street.burn is None
    assert [place for _, place, _, _ in street.up] == [4, 6]
    assert street.down[-1] == (0, 5)
    assert held(0, play) == ["2c", "6c", "7s", "4h"]


@pytest.mark.parametrize(
    ("stub", "burns", "extra"),
    [(3, 0, False), (3, 2, False), (4, 0, False), (4, 1, True), (5, 0, True)],
)
def test_no_extra_card_where_others_would_lack_one(stub: int, burns: int, *, extra: bool) -> None:
    """R17.7: three upcards are due, a four first, and one card is kept for the last street."""
    table = dealt("baseball", "2c 2d 2h 2s 4h 5c 5d 5h 6c", (200, 200, 200)).table.draft()
    assert table.hand is not None
    table.hand.stub = tuple(range(4, 4 + stub))
    table.hand.burns = tuple(range(40, 40 + burns))
    deck = StackedDeck("2c 2d 2h 2s 4h 5c 5d 5h 6c")
    due = [(0, "u"), (1, "u"), (2, "u")]
    street = deal_with_extras(table.hand, deck, 4, None, due)
    assert bool(street.down) is extra
    assert len(street.up) == 3


def test_payments_are_declined_when_the_time_is_up() -> None:
    """R18.9: the extra card is not taken, and who must match the pot folds."""
    offered = dealt("baseball", FOUR_UP, four_extra_price=3)
    demanded = dealt("baseball", "2c 2d 6c 6d 3h Kd", three_up_match_pot=True)
    for play, event in ((offered, CardDeclined(0)), (demanded, MatchDeclined(0))):
        outcome = decide_choice(play.table, TimeOut(play.due.decision), play.deck)
        assert isinstance(outcome, Decided)
        assert outcome.events == (event,)


def test_the_last_wild_set_decides() -> None:
    """R17.8, G10.3: fives are wild from the first street on, until the last upcard is a queen."""
    deck = "5h Ah 9c Ad Qd 5c 2c 9s Ac 2d Kh 7s 2h 4c Qs"
    play = dealt("queens_and_after", deck)
    assert {card.rank for card in play.hand.wild} == {12, 5}
    while play.hand.street < 4:
        play.do(f"{play.asked} check")
    assert {card.rank for card in play.hand.wild} == {12}
