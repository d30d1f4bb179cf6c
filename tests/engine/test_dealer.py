"""Starting hands and dealing streets: dealer position, antes, order of the cards (R2, R4)."""

from __future__ import annotations

import pytest

from doorcard.cards import CARDS, Card
from doorcard.commands import AddChips, Leave, PauseTable, SitDown, SitIn, SitOut, VoidHand
from doorcard.engine import dealer
from doorcard.engine.dealer import HandSecrets
from doorcard.engine.dealer_position import deal_order, next_dealer
from doorcard.engine.decided import Decided
from doorcard.engine.ruleset import RULES_VERSION
from doorcard.errors import Refused
from doorcard.events import AntesPosted, DealerDrawn, Dealt, HandStarted
from doorcard.testing import StackedDeck
from tests.engine.play import NO_BRING_IN, STUD, Play

HANDS = ("? ? Kh", "? ? 9d", "? ? 2c")


def refusal(play: Play) -> str:
    outcome = dealer.decide(play.table, StackedDeck())
    assert isinstance(outcome, Refused)
    return outcome.code


def test_a_hand_starts_with_everything_that_a_rebuild_needs() -> None:
    """R1.2: the whole deck is fixed before the first card."""
    play = Play((100, 200), ("? ? Kh", "? ? 2c"))
    before = play.table
    secrets = HandSecrets("key-1", b"sealed", (b"leaf",) * 52)
    outcome = dealer.decide(before, StackedDeck(button_cards="2c As"), secrets)
    assert isinstance(outcome, Decided)
    started, drawn, antes, dealt = outcome.events
    assert isinstance(started, HandStarted)
    assert (started.hand, started.table, started.rules) == (1, "p00.test", RULES_VERSION)
    assert (started.dealer, started.players) == (1, (0, 1))
    assert (
        started.key_id,
        started.sealed_seed,
        started.leaves,
        started.deck_public,
    ) == secrets
    assert started.snapshot.seats == tuple(before.seats.values())
    assert started.snapshot.dealer is None
    assert started.chain == before.chain
    assert drawn == DealerDrawn(((0, Card("2c")), (1, Card("As"))))
    assert antes == AntesPosted(((0, 2), (1, 2)))
    assert isinstance(dealt, Dealt)


@pytest.mark.parametrize(
    ("cards", "first"),
    [("2c 9d 9h", 2), ("As Kd Ah", 0), ("9h 9d 9c", 0), ("Qs Kc 2d", 1)],
)
def test_the_highest_card_deals_first(cards: str, first: int) -> None:
    """R2.9, R1.3: by rank, then by suit; that deck is not used for the hand."""
    play = Play((100,) * 3, HANDS)
    outcome = dealer.decide(play.table, StackedDeck(button_cards=cards))
    assert isinstance(outcome, Decided)
    started = outcome.events[0]
    assert isinstance(started, HandStarted)
    assert started.dealer == first
    dealt = outcome.events[-1]
    assert isinstance(dealt, Dealt)
    assert [place for _, place in dealt.down] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("before", "dealt_in", "voided", "after"),
    [
        (None, [0, 1], False, None),
        (0, [0, 1, 2], False, 1),
        (2, [0, 1, 2], False, 0),
        (1, [0, 4], False, 4),
        (4, [0, 1], False, 0),
        (2, [0, 1, 2], True, 2),
        (2, [0, 1], True, 0),
        (0, [0, 1], False, 1),
    ],
)
def test_the_position_moves_to_the_next_seat_dealt_in(
    before: int | None, dealt_in: list[int], voided: bool, after: int | None
) -> None:
    """R2.2, R2.10, R19.2: from the old seat number, even if that seat is empty now."""
    assert next_dealer(before, dealt_in, voided=voided) == after


@pytest.mark.parametrize(
    ("position", "order"), [(0, (2, 5, 0)), (2, (5, 0, 2)), (5, (0, 2, 5)), (None, (0, 2, 5))]
)
def test_deal_order_ends_with_the_dealer(position: int | None, order: tuple[int, ...]) -> None:
    """R2.2, R2.3: a house dealer sits before the lowest seat."""
    assert deal_order(position, [0, 2, 5]) == order


def test_the_position_is_a_seat_and_not_a_person() -> None:
    """R2.10: the dealer leaves, a newcomer sits down; nobody is skipped or served twice."""
    play = Play((100,) * 3, HANDS, seats=5).start()
    assert play.of(HandStarted)[0].dealer == 2
    play.floor(Leave(2, "p2", "go"))
    play.floor(SitDown(3, "dan", 100, "sit"))
    play.do("C bring_in", "A fold", "B fold")
    play.settle()
    play.next_hand(("? ? Kh", "? ? 9d", "", "? ? 2c"))
    (started,) = play.of(HandStarted)
    assert (started.dealer, started.players) == (3, (0, 1, 3))
    assert not play.of(DealerDrawn)


def test_the_position_stays_after_a_void_hand() -> None:
    """R19.2, R2.10."""
    play = Play((100,) * 3, HANDS).start()
    play.floor(VoidHand("test"))
    play.next_hand(HANDS)
    assert play.of(HandStarted)[0].dealer == 2
    play.do("C bring_in", "A fold", "B fold")
    play.next_hand(HANDS)
    assert play.of(HandStarted)[0].dealer == 0


def test_cards_are_dealt_one_at_a_time_in_deal_order() -> None:
    """R2.3, R2.4, R2.5: every down pass, then the up pass; later one burn a street."""
    play = Play((100,) * 3, HANDS).start()
    (first,) = play.of(Dealt)
    assert first.down == ((0, 0), (1, 1), (2, 2), (0, 3), (1, 4), (2, 5))
    assert [(seat, place) for seat, place, _, _ in first.up] == [(0, 6), (1, 7), (2, 8)]
    assert first.burn is None
    play.do("C bring_in", "A call", "B fold")
    second = play.of(Dealt)[1]
    assert (second.burn, second.down) == (9, ())
    assert [(seat, place) for seat, place, _, _ in second.up] == [(0, 10), (2, 11)]


def test_downcards_and_burns_are_logged_by_place_alone() -> None:
    """R2.6, R2.7: no event names a burn card, a folded downcard or an undealt card."""
    play = Play((100,) * 3, HANDS).start().do("C bring_in", "A complete", "B fold", "C fold")
    upcards = {card for dealt in play.of(Dealt) for _, _, card, _ in dealt.up}
    named: set[Card] = set()
    for event in play.events:
        if not isinstance(event, DealerDrawn):
            cards_in(event, named)
    assert named == upcards


def cards_in(value: object, found: set[Card]) -> None:
    if isinstance(value, Card):
        found.add(value)
    elif isinstance(value, tuple):
        for part in value:  # pyright: ignore[reportUnknownVariableType]
            cards_in(part, found)  # pyright: ignore[reportUnknownArgumentType]


def test_upcards_keep_the_order_received() -> None:
    """R2.8."""
    play = Play((100,) * 2, ("? ? Kh 3d 9c Ah", "? ? 2c 2d 2h 4s")).start()
    play.do("B bring_in", "A call")
    for _ in range(4):
        play.do(f"{play.asked} check")
    assert [str(card) for card in play.hand.players[0].up] == ["Kh", "3d", "9c", "Ah"]


def test_all_in_players_are_dealt_to_and_folded_ones_are_not() -> None:
    """R2.4, R2.7."""
    play = Play((12, 100, 100), HANDS).start()
    play.do("C bring_in", "A complete", "B call", "C fold")
    second, *_, last = play.of(Dealt)[1:]
    assert [seat for seat, *_ in second.up] == [0, 1]
    assert [seat for seat, _ in last.down] == [0, 1]


@pytest.mark.parametrize(
    ("stacks", "antes"),
    [((100, 1, 2), ((0, 2), (1, 1), (2, 2))), ((3, 2, 1), ((0, 2), (1, 2), (2, 1)))],
)
def test_everybody_posts_what_the_stack_allows(
    stacks: tuple[int, ...], antes: tuple[tuple[int, int], ...]
) -> None:
    """R4.1, R4.2."""
    play = Play(stacks, HANDS).start()
    assert play.of(AntesPosted)[0].antes == antes
    assert play.hand.chips == sum(stacks)


def test_antes_are_no_street_contribution() -> None:
    """R4.3."""
    play = Play((100,) * 3, HANDS).start()
    assert [(player.bet, player.total) for player in play.hand.players] == [(0, 2)] * 3
    assert play.hand.pot == 6


def test_there_may_be_no_ante() -> None:
    """R4.1, R4.5."""
    play = Play((100,) * 3, HANDS, limits=STUD._replace(ante=0)).start()
    assert play.of(AntesPosted)[0].antes == ((0, 0), (1, 0), (2, 0))
    assert play.hand.pot == 0


def test_a_broke_player_is_not_dealt_in_and_two_are_needed() -> None:
    """R4.4, R2.1, R2.11."""
    play = Play((7, 200), ("7c 2d 3h 4s 9c Jd Qd", "As Ad Kh Ks 5c 6d 8h")).start()
    play.do("A bring_in", "B call")
    assert play.stacks() == [0, 207]
    assert play.table.awaited is None
    assert refusal(play) == "dealer/nothing_due"
    play.floor(AddChips(0, "p0", 50, "more"))
    play.next_hand(("? ? 2c", "? ? Kh"))
    assert sorted(play.of(HandStarted)[0].players) == [0, 1]


def test_who_sits_out_is_passed_over_and_comes_back() -> None:
    """R2.11, R18.5: no ante and no cards."""
    play = Play((100,) * 3, HANDS)
    play.floor(SitOut(1, "p1"))
    play.start()
    assert play.of(HandStarted)[0].players == (0, 2)
    assert play.stack("B") == 100
    play.do("C bring_in", "A fold")
    play.floor(SitIn(1, "p1"))
    play.next_hand(HANDS)
    assert play.of(HandStarted)[0].players == (1, 2, 0)


@pytest.mark.parametrize("reason", ["too few", "paused", "betting", "showdown is next"])
def test_nothing_is_dealt_when_nothing_is_due(reason: str) -> None:
    """R2.1."""
    play = Play((100, 100), ("? ? Kh", "? ? 2c"))
    if reason == "too few":
        play.floor(SitOut(0, "p0"))
    elif reason == "paused":
        play.floor(PauseTable("maintenance"))
    elif reason == "betting":
        play.start()
    else:
        play.floor(Leave(0, "p0", "go"))
    assert refusal(play) == "dealer/nothing_due"


def test_a_paused_table_plays_its_hand_to_the_end() -> None:
    play = Play((100,) * 3, HANDS).start()
    play.floor(PauseTable("maintenance"))
    play.do("C bring_in", "A call", "B call")
    assert play.hand.street == 2


def test_the_dead_ante_comes_after_the_normal_one() -> None:
    """R18.5, R18.8: as far as the stack goes; it is dead money and owed once."""
    for stack, dead in ((100, ((1, 2),)), (3, ((1, 1),)), (2, ((1, 0),))):
        play = Play((100, stack, 100), HANDS, house={"missed_ante_policy": "post_one"})
        play.floor(SitOut(1, "p1"))
        play.start().do("C bring_in", "A fold")
        play.floor(SitIn(1, "p1"))
        play.next_hand(HANDS)
        (antes,) = play.of(AntesPosted)
        assert antes.dead == dead
        assert not play.table.seats[1].owes_ante
        player = next(player for player in play.hand.players if player.seat == 1)
        assert (player.total, player.bet) == (2, 0)
        assert play.hand.pot == 6 + dead[0][1]


def test_the_dead_ante_belongs_to_the_main_pot() -> None:
    """R12.5, R12.7, R18.8."""
    hands = ("As Ad Kh", "Qs Qd 9d", "? ? 2c")
    play = Play((12, 100, 100), hands, house={"missed_ante_policy": "post_one"}, drawn=1)
    play.floor(SitOut(1, "p1"))
    play.start().do("C bring_in", "A fold")
    assert play.stacks() == [10, 100, 102]
    play.floor(SitIn(1, "p1"))
    play.next_hand(hands).do("C bring_in", "A complete", "B call", "C call")
    play.do("B bet 10", "C call")
    while play.table.in_hand:
        play.do(f"{play.asked} check")
    assert play.pots() == [3 * 10 + 2, 20]


def test_five_card_games_deal_one_down_and_one_up() -> None:
    """R2.3, G1."""
    play = Play((100,) * 2, ("? Kh", "? 2c"), game="five_card_stud", limits=NO_BRING_IN).start()
    (dealt,) = play.of(Dealt)
    assert dealt.down == ((0, 0), (1, 1))
    assert [seat for seat, *_ in dealt.up] == [0, 1]


def test_the_next_hand_starts_from_fifty_two_cards() -> None:
    """R1.1, R1.2: whatever the last one used."""
    play = Play((100,) * 3, HANDS).start().do("C bring_in", "A fold", "B fold")
    assert len(play.hand.stub) == 52 - 9
    play.next_hand(HANDS)
    assert len(play.hand.stub) == 52 - 9
    assert sorted(play.deck.cards) == list(CARDS)
