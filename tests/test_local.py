"""A table in one process: what notebooks and the terminal game are built on."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from doorcard.bots import BOTS, calling, choice_of
from doorcard.cards import BadCard, Card
from doorcard.commands import ActionName, AddChips, Leave, PauseTable, SitIn, SitOut
from doorcard.engine.reducer import fold
from doorcard.engine.table import Table
from doorcard.errors import BadInput, NotAllowed
from doorcard.events import (
    BringInPosted,
    Checked,
    DealerDrawn,
    Dealt,
    Folded,
    HandEnded,
    HandStarted,
    SeatLeft,
)
from doorcard.fairness.deck import check_leaf
from doorcard.games import GAMES
from doorcard.limits import BRING_IN_OPENINGS, Limits, Scalar
from doorcard.local import LocalTable, usual_limits
from doorcard.testing import StackedDeck, stacked_table


def seated(game: str = "razz", players: int = 3) -> LocalTable:
    table = LocalTable.open(game)
    for name in ("ann", "bob", "cas")[:players]:
        table.sit(name, 100)
    return table


def play_out(table: LocalTable) -> None:
    chance = Random(1)
    while table.table.asked:
        if (options := table.legal) is not None:
            table.do(calling(options, chance))
            continue
        due = table.choices
        hand = table.table.hand
        assert due is not None
        assert hand is not None
        player = hand.players[hand.index_of(due.seats[0])]
        table.choose(*choice_of(due, player.seat, player.down, player.up_places, chance))


def refusal(caught: pytest.ExceptionInfo[NotAllowed]) -> str:
    assert str(caught.value) == caught.value.refused.sentence
    return caught.value.refused.code


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_hand_of_every_game_and_variant(game: str) -> None:
    for variant in GAMES[game].variants:
        table = LocalTable.open(game, variant=variant)
        table.sit("ann", 100)
        table.sit("bob", 100)
        assert any(isinstance(event, HandStarted) for event in table.deal())
        play_out(table)
        assert isinstance(table.events[-1], HandEnded)
        assert sum(table.stacks.values()) == 200


@pytest.mark.parametrize("game", GAMES)
def test_the_usual_stakes_fit_every_variant(game: str) -> None:
    usual: dict[str, Mapping[str, Scalar]] = {"": {}, **GAMES[game].variants}
    for variant, settings in usual.items():
        limits = usual_limits(game, variant)
        opening = settings.get("opening", GAMES[game].opening)
        assert (limits.bring_in > 0) == (opening in BRING_IN_OPENINGS)


def test_the_log_folds_to_the_table() -> None:
    table = seated()
    for _ in range(3):
        table.deal()
        play_out(table)
    assert tuple(event for commit in table.commits for event in commit) == table.events
    folded = fold(Table(), table.events)
    assert folded.seats == table.table.seats
    assert table.table.seq == len(table.commits)


def test_each_hand_has_a_deck_of_its_own_with_commitments() -> None:
    table = seated()
    starts: list[HandStarted] = []
    for _ in range(3):
        events = table.deal()
        start = next(event for event in events if isinstance(event, HandStarted))
        dealt = next(event for event in events if isinstance(event, Dealt))
        assert all(check_leaf(start.leaves, index, card, salt) for _, index, card, salt in dealt.up)
        starts.append(start)
        play_out(table)
    assert len({start.leaves for start in starts}) == 3


def test_players_sit_on_the_first_free_seat_or_where_they_say() -> None:
    table = LocalTable.open("razz", seats=3)
    assert table.sit("ann", 100, seat=1) == 1
    assert table.sit("bob", 100) == 0
    assert table.sit("cas", 100) == 2
    with pytest.raises(NotAllowed) as caught:
        table.sit("dee", 100)
    assert refusal(caught) == "floor/table_full"


@pytest.mark.parametrize(
    ("player", "chips", "seat", "code"),
    [
        ("ann", 100, 5, "floor/seated_already"),
        ("dee", 100, 0, "floor/seat_taken"),
        ("dee", 100, 8, "floor/unknown_seat"),
        ("dee", 0, 5, "floor/bad_buy_in"),
        ("dee", -5, 5, "floor/bad_buy_in"),
        ("", 100, 5, "floor/bad_request"),
    ],
)
def test_seats_that_are_refused_change_nothing(
    player: str, chips: int, seat: int, code: str
) -> None:
    table = seated()
    before = table.table
    with pytest.raises(NotAllowed) as caught:
        table.sit(player, chips, seat)
    assert refusal(caught) == code
    assert table.table is before


def test_actions_that_are_not_legal_change_nothing() -> None:
    table = seated()
    table.deal()
    before = table.table
    wrong: tuple[tuple[ActionName, int | None], ...] = (
        *(("check", None), ("fold", None), ("complete", 6), ("bring_in", 3)),
    )
    for action, to in wrong:
        with pytest.raises(NotAllowed) as caught:
            table.act(action, to)
        assert refusal(caught) == "betting/illegal_action"
    assert table.table is before


def test_nobody_can_act_between_hands() -> None:
    table = seated()
    with pytest.raises(NotAllowed) as caught:
        table.act("fold")
    assert refusal(caught) == "betting/nobody_asked"
    with pytest.raises(NotAllowed) as caught:
        table.time_out()
    assert refusal(caught) == "betting/nobody_asked"


def test_a_hand_needs_two_players_and_an_open_table() -> None:
    table = seated(players=1)
    with pytest.raises(NotAllowed) as caught:
        table.deal()
    assert refusal(caught) == "dealer/not_ready"
    table.sit("bob", 100)
    table.do(PauseTable())
    with pytest.raises(NotAllowed) as caught:
        table.deal()
    assert refusal(caught) == "dealer/not_ready"


def test_a_hand_in_progress_is_not_dealt_again() -> None:
    table = seated()
    table.deal()
    with pytest.raises(NotAllowed) as caught:
        table.deal()
    assert refusal(caught) == "dealer/hand_running"


@pytest.mark.parametrize(
    ("game", "variant", "code"),
    [
        ("canasta", "", "floor/unknown_game"),
        ("razz", "wild", "floor/unknown_variant"),
    ],
)
def test_tables_that_make_no_sense_are_not_opened(game: str, variant: str, code: str) -> None:
    with pytest.raises(NotAllowed) as caught:
        LocalTable.open(game, variant=variant)
    assert refusal(caught) == code


def test_settings_that_make_no_sense_are_refused_too() -> None:
    with pytest.raises(NotAllowed) as caught:
        LocalTable.open("razz", seats=99)
    assert refusal(caught) == "floor/bad_seats"
    with pytest.raises(NotAllowed) as caught:
        LocalTable.open("razz", house={"jokers": 2})
    assert refusal(caught) == "house/unknown_switch"
    with pytest.raises(NotAllowed) as caught:
        LocalTable.open("razz", limits=Limits(small_bet=5, big_bet=10))
    assert refusal(caught) == "limits/bad_bring_in"


def test_time_that_runs_out_posts_the_bring_in_then_folds() -> None:
    """R18.1."""
    table = seated()
    table.deal()
    assert isinstance(table.time_out()[0], BringInPosted)
    assert isinstance(table.time_out()[0], Folded)


def test_who_leaves_during_a_hand_is_timed_out_at_once_and_paid_afterwards() -> None:
    """R18.4, R18.6: the bring-in player leaves and folds when the action comes round."""
    table = seated()
    table.deal()
    assert table.legal is not None
    seat = table.legal.seat
    name = table.table.seats[seat].player
    table.act("bring_in")
    table.do(Leave(seat, name, "bye"))
    table.act("complete")
    events = table.act("call")
    assert Folded(seat) in events
    play_out(table)
    left = next(event for event in table.events if isinstance(event, SeatLeft))
    assert (left.seat, left.player) == (seat, name)
    assert seat not in table.stacks


def test_who_sits_out_is_dealt_in_again_when_back() -> None:
    table = seated()
    table.do(SitOut(1, "bob"))
    start = next(event for event in table.deal() if isinstance(event, HandStarted))
    assert 1 not in start.players
    play_out(table)
    table.do(SitIn(1, "bob"))
    start = next(event for event in table.deal() if isinstance(event, HandStarted))
    assert 1 in start.players


def test_more_chips_count_from_the_next_hand_on() -> None:
    """R18.6."""
    table = seated()
    table.deal()
    table.do(AddChips(0, "ann", 50, "more"))
    assert table.stacks[0] <= 100
    play_out(table)
    assert sum(table.stacks.values()) == 350


def test_a_repeated_request_is_granted_once() -> None:
    table = seated()
    assert table.do(AddChips(0, "ann", 50, "more"))
    assert table.do(AddChips(0, "ann", 50, "more")) == ()
    assert table.stacks[0] == 150


# --- stacked decks ---------------------------------------------------------------------------


def test_a_stacked_deck_is_dealt_from_the_top() -> None:
    table = stacked_table("razz", "2c Kd 7h Qs Th 4c", house={"dealer_mode": "fixed"})
    table.sit("ann", 100)
    table.sit("bob", 100)
    table.deal()
    assert table.view(0).seats[0].down == (Card("2c"), Card("7h"))
    assert table.view(0).seats[0].up == (Card("Th"),)


def test_decks_are_dealt_one_after_another_and_the_last_one_again() -> None:
    first, second = "Ac Ad Ah As Kc Kd", "2c 2d 2h 2s 3c 3d"
    table = stacked_table("razz", first, second, house={"dealer_mode": "fixed"})
    table.sit("ann", 100)
    table.sit("bob", 100)
    seen: list[tuple[Card, ...]] = []
    for _ in range(3):
        table.deal()
        seen.append(table.view().seats[0].up)
        play_out(table)
    assert seen == [(Card("Kc"),), (Card("3c"),), (Card("3c"),)]


def test_the_draw_for_the_deal_can_be_stacked_too() -> None:
    table = stacked_table("razz", StackedDeck(button_cards="2c As 3c"))
    for name in ("ann", "bob", "cas"):
        table.sit(name, 100)
    drawn = [event for event in table.deal() if isinstance(event, DealerDrawn)]
    assert drawn == [DealerDrawn(((0, Card("2c")), (1, Card("As")), (2, Card("3c"))))]
    assert table.table.dealer == 1


def test_a_stacked_deck_has_no_card_twice() -> None:
    with pytest.raises(BadCard):
        stacked_table("razz", "Ac Ac")


def test_a_hand_is_the_same_with_the_same_deck_and_the_same_bots() -> None:
    def play() -> list[object]:
        table = stacked_table("seven_card_stud", "Ah 2h 9c", house={"dealer_mode": "fixed"})
        for name in ("ann", "bob", "cas"):
            table.sit(name, 100)
        chance = Random(4)
        table.deal()
        while (options := table.legal) is not None:
            table.do(BOTS["uniform"](options, chance))
        return list(table.events)

    assert play() == play()


def test_checks_are_reported_as_they_happen() -> None:
    table = stacked_table("five_card_stud", house={"dealer_mode": "fixed"})
    table.sit("ann", 100)
    table.sit("bob", 100)
    table.deal()
    assert table.legal is not None
    assert table.act("check") == (Checked(1),)


@pytest.mark.parametrize("number", [200.25, 1.0, "2", True, b"2"])
def test_chips_and_seats_are_integers(number: Any) -> None:
    """Anything else is told, by every method that takes them, and changes nothing."""
    table = seated(players=2)
    with pytest.raises(BadInput, match="must be an integer"):
        LocalTable.open("razz", seats=number)
    with pytest.raises(BadInput, match="chips must be an integer"):
        table.sit("dee", number)
    with pytest.raises(BadInput, match="seat must be an integer"):
        table.sit("dee", 100, number)
    with pytest.raises(BadInput, match="chips must be an integer"):
        table.do(AddChips(0, "ann", number, "more"))
    table.deal()
    with pytest.raises(BadInput, match="to must be an integer"):
        table.act("complete", number)
    if not isinstance(number, str):  # which names a spectator, say
        with pytest.raises(BadInput, match="seat must be an integer"):
            table.view(number)
    assert all(type(chips) is int for chips in table.stacks.values())


@pytest.mark.parametrize("number", [0.0, "0", False])
def test_who_chooses_and_what_place_are_integers(number: Any) -> None:
    table = seated("roll_your_own", players=2)
    table.deal()
    assert table.choices is not None
    with pytest.raises(BadInput, match="seat must be an integer"):
        table.choose("roll", 0, seat=number)
    if not isinstance(number, str):  # which names a card
        with pytest.raises(BadInput, match="place must be an integer"):
            table.choose("roll", number)
