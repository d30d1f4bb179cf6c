"""Lines about what hands and boards are worth: compare, board, award, wild_set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from doorcard.cards import RANKS, Card
from doorcard.engine.awards import contender, split_pot
from doorcard.engine.dealer_position import deal_order
from doorcard.engine.reducer_choices import note_upcard
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.engine.winners import Contender
from doorcard.limits import HighRanking, Limits, LowRanking
from doorcard.rankings import (
    Key,
    Ranking,
    best,
    board_key,
    evaluate,
    evaluator,
    wild_count,
)
from doorcard.tables import GameSpec
from doorcard.testing import table_at
from tests.conformance.schemas import (
    Award,
    AwardedPot,
    AwardGiven,
    BoardGiven,
    Cards,
    CompareGiven,
    PotOf,
    Ranked,
    Switches,
    WildSet,
    WildSetGiven,
)
from tests.conformance.support import (
    STUD,
    Malformed,
    cards_of,
    hand_of,
    house_rules,
    require_game,
    require_split,
)

RANKING_SWITCHES: Final = ("double_ace_flush", "natural_beats_wild", "soko_board_four_card")


def compare(given: CompareGiven) -> Ranked:
    """K1 to K9: keys, and who beats whom."""
    ranking = given["ranking"]
    switches = _flags(given.get("switches", {}))
    wild = frozenset(cards_of(given.get("wild", [])))
    double = switches.get("double_ace_flush", False)
    hands = {
        label: _held(cards, given.get("community", [])) for label, cards in given["hands"].items()
    }
    keys = {
        label: evaluate(ranking, cards, wild=wild, double_ace_flush=double)
        for label, cards in hands.items()
    }
    order = _best_first(ranking, keys)
    if switches.get("natural_beats_wild"):
        fewest = {
            label: wild_count(ranking, cards, wild, double_ace_flush=double)
            for label, cards in hands.items()
        }
        order = [
            [label for label in tied if fewest[label] == count]
            for tied in order
            for count in sorted({fewest[label] for label in tied})
        ]
    return {"keys": _as_lists(keys), "order": order}


def board(given: BoardGiven) -> Ranked:
    """K3, K4, K8.2: what the upcards show, first to act first."""
    switches = _flags(given.get("switches", {}))
    keys: dict[str, Key | None] = {
        label: board_key(
            given["order"],
            cards_of(cards),
            wild=frozenset(cards_of(given.get("wild", []))),
            double_ace_flush=switches.get("double_ace_flush", False),
            soko_four_card=switches.get("soko_board_four_card", True),
        )
        for label, cards in given["boards"].items()
    }
    return {"keys": _as_lists(keys), "order": _best_first(given["order"], keys)}


def award(given: AwardGiven) -> Award:
    """R15: who gets what of each pot."""
    require_split(given["split"])
    rules = _award_rules(given)
    wild = frozenset(cards_of(given.get("wild", [])))
    seats = [seat for seat, hand in enumerate(given["hands"]) if hand is not None]
    places = deal_order(given.get("dealer"), seats)
    shared = cards_of(given.get("community", []))
    hands: dict[int, Contender] = {}
    for index, seat in enumerate(places):
        held = given["hands"][seat]
        if held is not None:
            hands[index] = contender(
                rules, cards_of(held["down"]), cards_of(held["up"]), shared, wild
            )
    said = given.get("declare", [])
    declared: dict[int, str] = {}
    for index, seat in enumerate(places if said else ()):
        direction = said[seat]
        if direction is not None:
            declared[index] = direction
    pots = [
        _award_pot(rules, pot, places, hands, len(given["hands"]), declared or None, wild)
        for pot in given["pots"]
    ]
    totals = [sum(pot["payouts"][seat] for pot in pots) for seat in range(len(given["hands"]))]
    return {"payouts": totals, "per_pot": pots}


def wild_set(given: WildSetGiven) -> WildSet:
    """G10: which ranks are wild."""
    require_game(given["game"])
    house = house_rules(given.get("switches", {}), given["game"])
    limits = Limits("fixed_limit", 1, 0, 5, 10)
    rules = ruleset(GameSpec(given["game"], "", limits, tuple(sorted(house.items()))))
    hand = hand_of(table_at(rules, {0: 100, 1: 100}))
    for card in cards_of(given["upcards"]):
        note_upcard(hand, card)
    follower = [hand.wild_rank] if hand.wild_rank else []
    ranks = [rules.game.follow_rank or 0, *follower]
    return {"wild_ranks": [RANKS[rank - 2] for rank in ranks]}


def _flags(switches: Switches) -> dict[str, bool]:
    """Switches of the rankings, which are arguments there and no house rules yet."""
    flags: dict[str, bool] = {}
    for name, value in switches.items():
        if name not in RANKING_SWITCHES or not isinstance(value, bool):
            raise Malformed(f"{name}={value!r} is no switch of a ranking")
        flags[name] = value
    return flags


def _held(own: Cards, community: Cards) -> tuple[Card, ...]:
    return cards_of(own + community)


def _best_first(ranking: Ranking, keys: dict[str, Key | None]) -> list[list[str]]:
    left = dict(keys)
    order: list[list[str]] = []
    while tied := best(ranking, left):
        order.append(sorted(tied))
        left = {label: key for label, key in left.items() if label not in tied}
    return order


def _as_lists(keys: dict[str, Key | None]) -> dict[str, list[int] | None]:
    return {label: None if key is None else list(key) for label, key in keys.items()}


def _award_rules(given: AwardGiven) -> Ruleset:
    """The rules of a split, of no listed game in particular."""
    split = given["split"]
    high: HighRanking | None = None if split == "low" else given.get("high_ranking", "high")
    low: LowRanking | None = None if split == "high" else given.get("low_ranking", "a5")
    if split in ("high_chicago", "low_chicago"):
        low = None
    house = house_rules(given.get("switches", {}), "award")
    house["declare"] = "simultaneous" if any(given.get("declare", [])) else "none"
    rules = ruleset(STUD)
    return replace(
        rules,
        house=replace(rules.house, **house),  # type: ignore[arg-type]  # from a checked line
        game=replace(rules.game, split=split),
        high=evaluator(high) if high else None,
        low=evaluator(low) if low else None,
        high_ranking=high,
        low_ranking=low,
    )


def _award_pot(
    rules: Ruleset,
    pot: PotOf,
    places: Sequence[int],
    hands: dict[int, Contender],
    seats: int,
    declared: dict[int, str] | None,
    wild: frozenset[Card],
) -> AwardedPot:
    eligible = {index: hand for index, hand in hands.items() if places[index] in pot["eligible"]}
    if len(eligible) != len(pot["eligible"]):
        raise Malformed("a pot's eligible seat has no hand")
    split = split_pot(rules, pot["amount"], eligible, declared, wild)
    payouts = [0] * seats
    for index, _, chips in split.shares:
        payouts[places[index]] += chips
    return {
        "first_half": sorted(places[index] for index in split.high),
        "second_half": sorted(places[index] for index in split.low),
        "payouts": payouts,
    }
