"""Dealing a street: burns, the short deck, community cards (R2.5, R3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doorcard.cards import BadCard, Card
from doorcard.engine.reducer import apply, fold
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.engine.streets import deal_street, street_mode
from doorcard.engine.table import Hand, Table
from doorcard.events import Dealt, Folded
from doorcard.games import FIVE_CARD_STUD, SEVEN_CARD_STUD
from doorcard.limits import Scalar
from doorcard.tables import GameSpec
from doorcard.testing import StackedDeck, table_at
from tests.engine.play import NO_BRING_IN, Play

DECK = StackedDeck()


def rules_of(game: str = "seven_card_stud", **house: Scalar) -> Ruleset:
    variant = "no_bring_in" if game == "seven_card_stud" else ""
    return ruleset(GameSpec(game, variant, NO_BRING_IN, tuple(house.items())))


def hand_of(table: Table) -> Hand:
    assert table.hand is not None
    return table.hand


def dealt_to(rules: Ruleset, live: list[int]) -> tuple[Table, list[Dealt]]:
    """Deal streets to so many live players each, the first entry being the initial deal."""
    table = table_at(rules, dict.fromkeys(range(live[0]), 100))
    streets: list[Dealt] = []
    for staying in live:
        table = fold(table, [Folded(seat) for seat in range(staying, hand_of(table).live)])
        street = deal_street(hand_of(table), DECK)
        streets.append(street)
        table = apply(table, street)
        assert cards_out(table) == 52
    return table, streets


def cards_out(table: Table) -> int:
    hand = hand_of(table)
    held = sum(len(player.up) + len(player.down) for player in hand.players)
    return held + len(hand.stub) + len(hand.burns) + len(hand.community)


def own_cards(street: Dealt) -> int:
    return len(street.down) + len(street.up)


@pytest.mark.parametrize("players", [2, 5, 6])
def test_up_to_six_players_never_run_out(players: int) -> None:
    """R3.1, R2.5: one burn before each street after the first."""
    table, streets = dealt_to(rules_of(), [players] * 5)
    assert [street.burn is None for street in streets] == [True, False, False, False, False]
    assert all(not street.reshuffled and not street.community for street in streets)
    assert len(hand_of(table).burns) == 4


def test_seven_players_use_the_burns_again() -> None:
    """R3.2: burn 1, deal 5, pool of 5, burn 1, deal 2; two cards are left."""
    table, streets = dealt_to(rules_of(), [7] * 5)
    last = streets[-1]
    assert own_cards(last) == 7
    assert len(last.reshuffled) == 5
    assert last.burn == 45
    assert last.burn_again == last.reshuffled[0]
    assert [place for _, place in last.down][:5] == [46, 47, 48, 49, 50]
    assert [place for _, place in last.down][5:] == list(last.reshuffled[1:3])
    assert (len(hand_of(table).stub), len(hand_of(table).burns)) == (2, 1)


def test_the_pool_is_the_last_card_and_every_burn() -> None:
    """R3.2, R3.4: recorded with its result."""
    table, streets = dealt_to(rules_of(), [7] * 4)
    burned = {street.burn for street in streets if street.burn is not None}
    last = deal_street(hand_of(table), DECK)
    assert last.burn is not None
    assert set(last.reshuffled) == burned | {last.burn, 51}


def test_eight_players_share_the_last_card() -> None:
    """R3.3: one card in the stub, three burns, eight wanted: no burn."""
    table, streets = dealt_to(rules_of(), [8] * 5)
    last = streets[-1]
    assert (own_cards(last), last.burn, last.reshuffled) == (0, None, ())
    assert [place for place, _, _ in last.community] == [51]
    assert hand_of(table).community == (last.community[0][1],)
    assert hand_of(table).stub == ()


def test_nine_players_share_two_cards() -> None:
    """R3.5, R3.12: each street is judged on its own and keeps its number."""
    table, streets = dealt_to(rules_of(), [9] * 5)
    assert [len(street.community) for street in streets] == [0, 0, 0, 1, 1]
    assert [street.street for street in streets] == [1, 2, 3, 4, 5]
    assert streets[3].burn is not None
    assert len(hand_of(table).community) == 2


def test_enough_is_kept_for_the_streets_to_come() -> None:
    """R3.11: eight cards would be there for the sixth, but then none for the seventh."""
    _, streets = dealt_to(rules_of(), [9, 9, 8, 8, 8])
    assert [len(street.community) for street in streets] == [0, 0, 0, 1, 1]


def test_just_enough_cards_are_all_dealt() -> None:
    """R3.2: one in the stub and three burns for four players, nothing burned."""
    table, streets = dealt_to(rules_of(), [8, 8, 8, 8, 4])
    last = streets[-1]
    assert (own_cards(last), last.burn, last.burn_again) == (4, None, None)
    assert len(last.reshuffled) == 4
    assert hand_of(table).stub == hand_of(table).burns == ()


def test_a_burn_card_may_be_the_shared_one() -> None:
    """R3.3: nothing is left in the stub, one burn card is."""
    table, streets = dealt_to(rules_of(), [9, 8, 8, 8, 3])
    last = streets[-1]
    assert len(last.community) == len(last.reshuffled) == 1
    assert (own_cards(last), last.burn) == (0, None)
    assert hand_of(table).stub == hand_of(table).burns == ()


def test_the_initial_deal_is_always_individual() -> None:
    """R2.3, R2.5: nine times three cards, no burn before and none between passes."""
    _, (first,) = dealt_to(rules_of(), [9])
    places = [place for _, place in first.down] + [place for _, place, _, _ in first.up]
    assert places == list(range(27))


def test_without_burning() -> None:
    """R2.5, R3.1: seven players have enough then."""
    _, streets = dealt_to(rules_of(burn=False), [7] * 5)
    assert all(street.burn is None and not street.community for street in streets)
    _, streets = dealt_to(rules_of(burn=False), [8] * 5)
    assert len(streets[-1].community) == 1


def test_burns_are_not_used_again_where_the_house_says_so() -> None:
    """R3.9."""
    _, streets = dealt_to(rules_of(exhaustion="community_only"), [7] * 5)
    assert len(streets[-1].community) == 1
    assert streets[-1].burn is not None


def test_ten_players_in_five_card_stud() -> None:
    """R3.2, G1: burn 1, deal 8, pool of 4, burn 1, deal 2."""
    _, streets = dealt_to(rules_of("five_card_stud"), [10] * 4)
    assert (own_cards(streets[-1]), len(streets[-1].reshuffled)) == (10, 4)


@pytest.mark.parametrize(("players", "mode"), [(8, "individual"), (9, "community")])
def test_the_mode_is_known_before_the_street(players: int, mode: str) -> None:
    """R3.10: nobody has to fold."""
    table, _ = dealt_to(rules_of(), [players] * 3)
    assert street_mode(hand_of(table)) == mode


def test_every_street_can_be_dealt_whoever_folds() -> None:
    """R3.10, R3.11: for every number of players and every way of folding two of them."""
    for rules in (rules_of(), rules_of(burn=False), rules_of("five_card_stud")):
        most = rules.seats_max
        for players in range(2, most + 1):
            count = len(rules.streets)
            for first in range(1, count + 1):
                for second in range(first, count + 1):
                    live = [
                        max(2, players - int(i >= first) - int(i >= second)) for i in range(count)
                    ]
                    _, streets = dealt_to(rules, live)
                    for street, staying in zip(streets[1:], live[1:], strict=True):
                        assert own_cards(street) == staying or len(street.community) == 1


def test_several_passes_of_one_street_have_one_burn() -> None:
    """R2.4, R2.5: two upcards each on the second street."""
    streets = (SEVEN_CARD_STUD.streets[0], replace(SEVEN_CARD_STUD.streets[1], deal="uu"))
    rules = replace(rules_of(), streets=streets, sizes=rules_of().sizes[:2])
    _, (_, second) = dealt_to(rules, [3, 2])
    assert second.burn == 9
    assert [(seat, place) for seat, place, _, _ in second.up] == [
        (0, 10),
        (1, 11),
        (0, 12),
        (1, 13),
    ]


def test_a_given_pool_must_hold_the_cards_left() -> None:
    """R3.4."""
    table, _ = dealt_to(rules_of(), [7] * 4)
    with pytest.raises(BadCard, match="pool of street 5"):
        deal_street(hand_of(table), StackedDeck(pools={5: ["2c", "3c"]}))


def test_a_shared_card_is_everybodys_upcard_and_nobodys_hole_card() -> None:
    """R3.6: it counts at the showdown and belongs to no player."""
    play = Play([200] * 8, community="As").start()
    while play.hand.street < 5:
        options = play.legal
        name = "check" if options.check else "call" if options.call is not None else "bring_in"
        play.do(f"{play.asked} {name}")
    assert play.hand.community == (Card("As"),)
    assert all(len(player.down) == 2 and len(player.up) == 4 for player in play.hand.players)


def test_five_card_games_may_run_out_on_the_last_street_only() -> None:
    """R3.1, G1."""
    assert sum(len(street.deal) for street in FIVE_CARD_STUD.streets) == 5
    _, streets = dealt_to(rules_of("five_card_stud"), [9] * 4)
    assert all(not street.reshuffled for street in streets)


@pytest.mark.parametrize(
    ("live", "burn", "left"),
    [([7, 7, 7, 7, 6], True, 0), ([8, 8, 8, 8, 4], False, 0), ([8, 8, 8, 8, 3], False, 1)],
)
def test_exactly_enough_is_enough(live: list[int], burn: bool, left: int) -> None:
    """R3.1: one more than the players need, or just as many where nothing is burned."""
    table, streets = dealt_to(rules_of(burn=burn), live)
    last = streets[-1]
    assert (own_cards(last), last.reshuffled, last.community) == (live[-1], (), ())
    assert (last.burn is not None) is burn
    assert len(hand_of(table).stub) == left
