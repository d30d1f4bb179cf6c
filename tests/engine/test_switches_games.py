"""The switches that some games have: declaring, buying, rolling, wild cards, extra cards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from doorcard.cards import Card, parse_cards
from doorcard.engine.awards import contender, split_pot
from doorcard.engine.legal import legal
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.events import Dealt
from doorcard.limits import SWITCHES, Scalar
from doorcard.tables import GameSpec
from doorcard.testing import StackedDeck
from tests.engine.play import NO_BRING_IN, STUD, Play, letter
from tests.engine.random_play import opened_by_bring_in

QUEENS: Final = frozenset(parse_cards("Qc Qd Qh Qs"))


def test_every_switch_has_its_test() -> None:
    texts = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_sw*.py"))
    assert [name for name in SWITCHES if f"def test_switch_{name}()" not in texts] == []


def rules_of(game: str, **house: Scalar) -> Ruleset:
    limits = STUD if opened_by_bring_in(game, "") else NO_BRING_IN
    return ruleset(GameSpec(game, "", limits, tuple(sorted(house.items()))))


def dealt(game: str, deck: str, players: int = 2, **house: Scalar) -> Play:
    """A hand from this deck, burns included, just dealt."""
    limits = STUD if opened_by_bring_in(game, "") else NO_BRING_IN
    draw = [*(f"{rank}c" for rank in "23456"[: players - 1]), "As"]
    stacked = StackedDeck(deck, button_cards=draw)
    return Play((200,) * players, game=game, limits=limits, house=house, deck=stacked).start()


def down_to_choice(play: Play) -> Play:
    """Check and call until a choice is due, or the hand is over."""
    while (options := legal(play.table)) is not None:
        name = "check" if options.check else "call" if options.call is not None else "bring_in"
        play.do(f"{letter(options.seat)} {name}")
    return play


def winners(game: str, hands: Mapping[int, str], **house: Scalar) -> tuple[int, ...]:
    rules = rules_of(game, **house)
    contenders = {i: contender(rules, (), parse_cards(hand)) for i, hand in hands.items()}
    split = split_pot(rules, 100, contenders)
    return split.low


def test_switch_low_ranking() -> None:
    """G2, K5, K6, K7: the same three hands, three winners."""
    hands = {0: "Ah 2c 3d 4s 5h", 1: "6c 4d 3h 2s Ac", 2: "7c 5d 4c 3c 2h"}
    won = [winners("five_card_lowball", hands, low_ranking=way) for way in ("a5", "a6", "27")]
    assert won == [(0,), (1,), (2,)]


def test_switch_declare() -> None:
    """R16.1: cards speak in high-low, or all declare after the last round."""
    kinds: list[str | None] = []
    for way in ("none", "simultaneous", "sequential"):
        play = down_to_choice(dealt("stud_high_low", "", declare=way))
        kinds.append(f"{play.due.kind} {play.due.secret}" if play.table.in_hand else None)
    assert kinds == [None, "declare True", "declare False"]


def test_switch_declare_both() -> None:
    """R16.2."""
    offered = [
        down_to_choice(dealt("five_card_high_low_declare", "", declare_both=way)).due.directions
        for way in (False, True)
    ]
    assert offered == [("high", "low"), ("high", "low", "both")]


def test_switch_declare_both_ties() -> None:
    """R16.7, R16.8: A is alone for high and ties low with B."""
    shares: list[dict[int, int]] = []
    for way in ("lose", "share"):
        rules = rules_of("five_card_high_low_declare", declare_both=True, declare_both_ties=way)
        hands = {0: "7d 6h 4s 3h As", 1: "7s 6c 4d 3d Ac", 2: "8c 8d 5h 4c 2s"}
        held = {i: contender(rules, (), parse_cards(hand)) for i, hand in hands.items()}
        split = split_pot(rules, 100, held, {0: "both", 1: "low", 2: "low"})
        got: dict[int, int] = {}
        for index, _, chips in split.shares:
            got[index] = got.get(index, 0) + chips
        shares.append(got)
    assert shares == [{1: 100}, {0: 75, 1: 25}]


def test_switch_declare_start() -> None:
    """R16.4: B made the last wager; A sits left of the dealer."""
    first: list[tuple[int, ...]] = []
    for way in ("last_aggressor", "dealer_left"):
        play = dealt(
            "five_card_high_low_declare",
            "",
            declare="sequential",
            declare_start=way,
        )
        while play.hand.street < 4:
            play.do(f"{play.asked} check")
        other = "B" if play.asked == "A" else "A"
        if other == "B":
            play.do("A check", "B bet", "A call")
        else:
            play.do("B bet", "A call")
        first.append(play.due.seats)
    assert first == [(1,), (0,)]


def test_switch_bet_after_declare() -> None:
    """R16.9, R16.13: one more round, with the sizes of the last street."""
    said: list[str | None] = []
    for way in (False, True):
        play = down_to_choice(dealt("five_card_high_low_declare", "", bet_after_declare=way))
        play.choose("A high", "B low")
        said.append(play.options()[2:] if play.table.in_hand else None)
    assert said == [None, " check, bet 20"]


def test_switch_buy_rounds() -> None:
    """G5: declining once, and being asked again."""
    due: list[str] = []
    for rounds in (1, 2):
        play = down_to_choice(dealt("five_card_high_low_buy", "", buy_rounds=rounds))
        play.choose("A decline", "B decline")
        due.append("bet" if legal(play.table) is not None else play.due.kind)
    assert due == ["bet", "buy"]


def test_switch_buy_price() -> None:
    """G5: one big bet unless the house says otherwise."""
    prices: list[int] = []
    for price in ((), (7,)):
        play = down_to_choice(dealt("five_card_high_low_buy", "", buy_price=price))
        prices.append(play.due.price)
        before = play.stack("A")
        play.choose(f"A buy {play.deck.cards[play.hand.players[0].down[0]]}")
        assert before - play.stack("A") == prices[-1]
    assert prices == [20, 7]


def test_switch_buy_order() -> None:
    """R17.2, R17.9: the first in deal order, or whoever leads before any buying."""
    deck = "2c 3c 4d Kd 2d 5h 9h 2h 6h 8h 2s 7h Jh"
    seats = [
        down_to_choice(dealt("five_card_high_low_buy", deck, buy_order=way)).due.seats
        for way in ("deal_order", "opener")
    ]
    assert seats[0] == (0,)
    assert seats[1] == (1,)


def test_switch_bet_before_buy() -> None:
    """G5.1: after the last card a round of betting, or the buying at once."""
    asked: list[str] = []
    for way in (False, True):
        play = dealt("five_card_high_low_buy", "", bet_before_buy=way)
        while play.hand.street < 4:
            play.do(f"{play.asked} check")
        asked.append("bet" if legal(play.table) is not None else play.due.kind)
    assert asked == ["buy", "bet"]


def test_switch_bet_between_buys() -> None:
    """G5.1."""
    asked: list[str] = []
    for way in (False, True):
        play = down_to_choice(
            dealt("five_card_high_low_buy", "", buy_rounds=2, bet_between_buys=way)
        )
        play.choose("A decline", "B decline")
        asked.append("bet" if legal(play.table) is not None else play.due.kind)
    assert asked == ["buy", "bet"]


def test_switch_roll_order() -> None:
    """R17.6: all at once and in secret, or one after another and openly."""
    due = [dealt("roll_your_own", "", roll_order=way).due for way in ("simultaneous", "in_turn")]
    assert [(choice.seats, choice.secret) for choice in due] == [((0, 1), True), ((0,), False)]


def test_switch_roll_deal() -> None:
    """G9.2: three cards at first, or two on each of four streets."""
    downs = [
        len(dealt("roll_your_own", "", roll_deal=way).of(Dealt)[0].down)
        for way in ("seven", "four_by_two")
    ]
    assert downs == [6, 4]
    assert len(rules_of("roll_your_own", roll_deal="four_by_two").streets) == 4


def test_switch_wild_cards() -> None:
    """G14: jacks may be wild in any high game."""
    wild = [dealt("seven_card_stud", "", wild_cards=text).hand.wild for text in ("", "Jh Js")]
    assert wild == [frozenset(), frozenset({Card("Jh"), Card("Js")})]


def test_switch_wild_on_board() -> None:
    """R11.6, G13: a lone deuce counts as an ace in acey ducey, or as a deuce."""
    deck = "4c 5c 6c 7c 2h Kd"
    asked = [dealt("acey_ducey", deck, wild_on_board=way).asked for way in (True, False)]
    assert asked == ["A", "B"]


def test_switch_double_ace_flush() -> None:
    """K2.6."""
    flush = parse_cards("As Qd 9s 5s 2s")
    keys = [
        contender(rules_of("queens_and_after", double_ace_flush=way), (), flush, (), QUEENS).high
        for way in (False, True)
    ]
    assert keys == [(5, 14, 13, 9, 5, 2), (5, 14, 14, 9, 5, 2)]


def test_switch_natural_beats_wild() -> None:
    """K2.7: three kings with and without a queen's help."""
    won: list[tuple[int, ...]] = []
    for way in (False, True):
        rules = rules_of("queens_and_after", natural_beats_wild=way)
        hands = {0: "Kc Kh Qs 7c 3d", 1: "Kd Ks Kc 7d 3s"}
        held = {i: contender(rules, (), parse_cards(hand), (), QUEENS) for i, hand in hands.items()}
        won.append(split_pot(rules, 100, held, wild=QUEENS).high)
    assert won == [(0, 1), (1,)]


def test_switch_queen_cancels_previous() -> None:
    """G10.3: a queen, a five, another queen: are fives still wild?"""
    ranks: list[set[int]] = []
    for way in (True, False):
        play = dealt("queens_and_after", "2c 3c 4c 6c Qd 5c 7c 8c Qh", queen_cancels_previous=way)
        play.do(f"{play.asked} check").do(f"{play.asked} check")
        # The second street's other upcard follows the new queen: look before it counts.
        ups = [card for event in play.of(Dealt) for _, _, card, _ in event.up]
        assert [str(card) for card in ups] == ["Qd", "5c", "8c", "Qh"]
        ranks.append({card.rank for card in play.hand.wild})
    assert ranks == [{12}, {12, 5}]


FOUR_UP: Final = "2c 2d 6c 6d 4h Kd 7s"


def test_switch_four_extra() -> None:
    """G11.2: the extra card lies face down, or face up."""
    counts: list[tuple[int, int]] = []
    for way in ("down", "up"):
        player = dealt("baseball", FOUR_UP, four_extra=way).hand.players[0]
        counts.append((len(player.down), len(player.up)))
    assert counts == [(3, 1), (2, 2)]


def test_switch_four_extra_price() -> None:
    """G11.3: the card is given, or offered at a price."""
    assert legal(dealt("baseball", FOUR_UP).table) is not None
    play = dealt("baseball", FOUR_UP, four_extra_price=3)
    assert (play.due.kind, play.due.seats, play.due.price) == ("extra", (0,), 3)
    play.choose("A decline")
    assert len(play.hand.players[0].down) == 2


def test_switch_three_up_match_pot() -> None:
    """G11.3, G11.6: a face-up three costs the pot, or nothing."""
    deck = "2c 2d 6c 6d 3h Kd"
    assert legal(dealt("baseball", deck).table) is not None
    play = dealt("baseball", deck, three_up_match_pot=True)
    assert (play.due.kind, play.due.seats, play.due.price) == ("match", (0,), 4)
    play.choose("A match")
    assert play.stack("A") == 200 - 2 - 4


def test_switch_low_chicago_ace() -> None:
    """G12.3: the ace of spades in the hole is the highest spade, or the lowest."""
    won: list[tuple[int, ...]] = []
    for way in ("high", "low"):
        rules = rules_of("low_chicago", low_chicago_ace=way)
        held = {
            0: contender(rules, parse_cards("As Tc"), parse_cards("6d 5s 8c 9h Jd")),
            1: contender(rules, parse_cards("2s Jh"), parse_cards("9d Th 5d 4c 6h")),
        }
        won.append(split_pot(rules, 100, held).low)
    assert won == [(1,), (0,)]


def test_switch_soko_board_four_card() -> None:
    """G6.3, K8.2: four hearts on the board act before a pair of kings, or after it."""
    asked: list[str | None] = []
    for way in (True, False):
        deck = "2c 3c 2h Kd 4c 5h Ks 5c 8h 9s 6c Jh 4s"
        play = dealt("soko", deck, soko_board_four_card=way)
        while play.hand.street < 4:
            play.do(f"{play.asked} check")
        asked.append(play.asked)
    assert asked == ["A", "B"]
