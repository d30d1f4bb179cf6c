"""Lines that hold a whole hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from doorcard.cards import CARDS, Card
from doorcard.commands import OpenTable, SitDown
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.awards import contender, split_pot
from doorcard.engine.choices import choices
from doorcard.engine.decided import Decided
from doorcard.engine.invariants import check
from doorcard.engine.legal import legal
from doorcard.engine.showdown import hand_pots
from doorcard.engine.streets import Mode
from doorcard.engine.table import Hand, Table
from doorcard.engine.winners import Contender
from doorcard.events import Dealt, Event, HandMucked, HandShown, PotAwarded
from doorcard.games import GAMES
from doorcard.limits import BRING_IN_OPENINGS, Limits, Scalar
from doorcard.testing import StackedDeck
from tests.conformance.choice_due import choose
from tests.conformance.kinds_betting import act_of
from tests.conformance.schemas import (
    Action,
    AwardedPot,
    HandCards,
    HandGiven,
    HandResult,
    HandShowdown,
)
from tests.conformance.support import (
    Malformed,
    granted,
    hand_of,
    house_rules,
    require_game,
    require_split,
)

PATTERNS: Final = {
    "5": ("du", "u", "u", "u"),
    "5last": ("du", "u", "u", "d"),
    "7": ("ddu", "u", "u", "u", "d"),
    "miss": ("ddu", "uu", "u", "u"),
    "roll": ("ddd", "d", "d", "d", "d"),
}
"""The deals of G1, G7, G8 and G9."""


def hand(given: HandGiven) -> HandResult:
    """A hand from the deck to the payouts."""
    _require(given)
    deck = StackedDeck(
        given["deck"],
        button_cards=_button_cards(given),
        pools=dict.fromkeys(range(1, 9), given["reshuffle"]) if "reshuffle" in given else {},
    )
    played = _play(_opened(given), deck, given)
    seats = len(given["stacks"])
    ended = hand_of(played.table)
    payouts = [_payouts([award], seats) for award in played.awards]
    result: HandResult = {
        "first_to_act": played.first_to_act,
        "modes": played.modes,
        "pots": [
            {"amount": award.amount, "eligible": _seats(ended, pot.eligible)}
            for award, pot in zip(played.awards, hand_pots(ended), strict=True)
        ],
        "showdown": _showdown(ended, played, payouts, deck) if played.order else None,
        "payouts": _payouts(played.awards, seats),
        "final_stacks": [played.table.stack(seat) for seat in range(seats)],
    }
    if ended.community:
        result["community"] = [str(card) for card in ended.community]
    return result


@dataclass(kw_only=True)
class _Played:
    """What happened in a hand, in the words of a line."""

    table: Table
    first_to_act: list[int | None] = field(default_factory=list[int | None])
    modes: list[Mode] = field(default_factory=list[Mode])
    order: list[int] = field(default_factory=list[int])
    awards: list[PotAwarded] = field(default_factory=list[PotAwarded])


def _require(given: HandGiven) -> None:
    """Go on only if the product has the game; the line must then describe that game."""
    require_game(given["game"])
    require_split(given["split"])
    game = GAMES[given["game"]]
    if given["pattern"] not in PATTERNS and given["pattern"] != "5last":
        raise Malformed(f"nothing is dealt as {given['pattern']}")
    last_down = given["pattern"] == "5last"
    deals = PATTERNS["5" if last_down else given["pattern"]]
    facts = {
        "pattern": (deals, tuple(street.deal for street in game.streets)),
        "order": (given["order"], _board_order(given)),
        "split": (given["split"], game.split),
        "ace": (given.get("ace", "high"), _ace(given)),
    }
    for name, (said, known) in facts.items():
        if said != known:
            raise Malformed(f"{name} of {game.id} is {known}, not {said}")


def _board_order(given: HandGiven) -> str:
    """The order of the game's boards, under the low ranking that the line names."""
    game = GAMES[given["game"]]
    if game.board_order == "low":
        return str(given.get("low_ranking", game.low_ranking))
    return game.board_order


def _ace(given: HandGiven) -> str:
    low = given["opening"] == "high_card_bring_in" and given["order"] in ("a5", "a6")
    return "low" if low else "high"


def _opened(given: HandGiven) -> Table:
    game = GAMES[given["game"]]
    house: dict[str, Scalar] = {"opening": given["opening"], "opener_tie": given["opener_tie"]}
    if given["pattern"] == "5last":
        house["last_card_down"] = True
    if given["dealer"] is None:
        house["dealer_mode"] = "fixed"
    if given.get("low_ranking", game.low_ranking) != game.low_ranking:
        house["low_ranking"] = given.get("low_ranking")
    if "declare" in given:
        house["declare"] = given["declare"]
    if given.get("buy_price"):
        house["buy_price"] = tuple(given.get("buy_price", []))
        house["buy_rounds"] = len(given.get("buy_price", []))
    house.update(house_rules(given.get("switches", {}), game.id))
    seats = len(given["stacks"])
    command = OpenTable(game.id, _limits(given), house=tuple(house.items()), seats=seats)
    table = granted(floor.open_table("p00.example", command)).table
    for seat, stack in enumerate(given["stacks"]):
        sit = SitDown(seat, f"p{seat}", stack, f"r{seat}")
        table = granted(floor.decide(table, sit)).table
    return table


def _limits(given: HandGiven) -> Limits:
    forced = given["opening"] in BRING_IN_OPENINGS
    return Limits(
        given.get("structure", "fixed_limit"),
        ante=given.get("ante", 0),
        bring_in=given.get("bring_in", 0) if forced else 0,
        small_bet=given.get("small_bet", 0),
        big_bet=given.get("big_bet", 0),
        min_bet=given.get("min_bet", 0),
        spread_min=given.get("spread_min", 0),
        spread_max=given.get("spread_max", 0),
    )


def _button_cards(given: HandGiven) -> list[str]:
    """A draw that the named dealer wins."""
    return [
        str(CARDS[51 if seat == given["dealer"] else seat]) for seat in range(len(given["stacks"]))
    ]


def _play(table: Table, deck: StackedDeck, given: HandGiven) -> _Played:
    played = _Played(table=table)
    actions = list(given["actions"])
    while not played.awards:
        decided = _step(played.table, deck, actions)
        before = played.table.hand
        played.table = decided.table
        _note_round(played, before)
        check(decided.table)
        for event in decided.events:
            _note(played, event)
    if actions:
        raise Malformed(f"the hand is over before {actions[0]!r}")
    return played


def _step(table: Table, deck: StackedDeck, actions: list[Action]) -> Decided:
    """One decision of whoever is awaited."""
    choice = choices(table)
    if choice is not None:
        if not actions:
            raise Malformed("the hand is not over after the last action")
        return choose(table, choice, actions.pop(0), deck)
    match table.awaited:
        case "dealer":
            return granted(dealer.decide(table, deck))
        case "betting":
            if not actions:
                raise Malformed("the hand is not over after the last action")
            return granted(betting.decide(table, act_of(actions.pop(0), legal(table))))
        case "showdown":
            return granted(showdown.decide(table, deck))
        case awaited:
            raise AssertionError(f"a hand in progress awaits {awaited}")


def _note_round(played: _Played, before: Hand | None) -> None:
    """Who is first in a betting round that has just been opened, or nobody if it is skipped."""
    hand = hand_of(played.table)
    start = (0, 0) if before is None else (before.street, before.step)
    here = (hand.street, hand.step)
    for street in range(1, hand.street + 1):
        for step, kind in enumerate(hand.rules.steps[street - 1]):
            if kind == "bet" and start < (street, step) <= here:
                asked = (street, step) == here and hand.phase == "bet"
                played.first_to_act.append(hand.players[hand.opener].seat if asked else None)


def _note(played: _Played, event: Event) -> None:
    if isinstance(event, Dealt):
        if event.street > 1:
            shuffled: Mode = "reuse" if event.reshuffled else "individual"
            played.modes.append("community" if event.community else shuffled)
    elif isinstance(event, HandShown | HandMucked):
        played.order.append(event.seat)
    elif isinstance(event, PotAwarded):
        played.awards.append(event)


def _showdown(
    ended: Hand, played: _Played, payouts: list[list[int]], deck: StackedDeck
) -> HandShowdown:
    hands: dict[str, HandCards] = {}
    contenders: dict[int, Contender] = {}
    for index, player in enumerate(ended.players):
        if not player.folded:
            down = tuple(deck.cards[place] for place in player.down)
            hands[str(player.seat)] = {"down": _texts(down), "up": _texts(player.up)}
            contenders[index] = contender(ended.rules, down, player.up, ended.community, ended.wild)
    per_pot: list[AwardedPot] = []
    for pot, paid in zip(hand_pots(ended), payouts, strict=True):
        eligible = {index: contenders[index] for index in pot.eligible}
        declared = {index: ended.players[index].declared for index in pot.eligible}
        said = declared if ended.rules.house.declare != "none" else None
        split = split_pot(ended.rules, pot.amount, eligible, said, ended.wild)
        per_pot.append({
            "first_half": _seats(ended, split.high),
            "second_half": _seats(ended, split.low),
            "payouts": paid,
        })  # fmt: skip
    return {"hands": hands, "order": played.order, "per_pot": per_pot}


def _payouts(awards: list[PotAwarded], seats: int) -> list[int]:
    paid = [0] * seats
    for award in awards:
        for seat, _, chips in award.shares:
            paid[seat] += chips
    return paid


def _seats(hand: Hand, indices: Iterable[int]) -> list[int]:
    return sorted(hand.players[index].seat for index in indices)


def _texts(cards: Iterable[Card]) -> list[str]:
    return [str(card) for card in cards]
