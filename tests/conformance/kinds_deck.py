"""Lines about running out of cards: exhaustion."""

from __future__ import annotations

from doorcard.engine.reducer import apply, fold
from doorcard.engine.streets import Mode, deal_street, street_mode
from doorcard.engine.table import Hand
from doorcard.events import Dealt, Folded
from doorcard.testing import StackedDeck, table_at
from tests.conformance.schemas import Exhaustion, ExhaustionGiven, StreetDealt
from tests.conformance.support import Malformed, dealing_rules, hand_of


def exhaustion(given: ExhaustionGiven) -> Exhaustion:
    """R3: how every street after the first is dealt, card by card."""
    later = given["cards_per_later_street"]
    live = given["live_per_street"]
    if len(live) != len(later) + 1 or sorted(live, reverse=True) != live:
        raise Malformed("live_per_street needs one number a street, none larger than before")
    rules = dealing_rules(
        ["d" * given["initial_cards_per_player"], *("u" * each for each in later)],
        {"burn": given["burn"], "exhaustion": given["exhaustion"]},
    )
    deck = StackedDeck()
    table = table_at(rules, dict.fromkeys(range(live[0]), 100))
    table = apply(table, deal_street(hand_of(table), deck))
    streets: list[StreetDealt] = []
    for staying in live[1:]:
        leaving = range(staying, hand_of(table).live)
        table = fold(table, [Folded(seat) for seat in leaving])
        before = hand_of(table)
        dealt = deal_street(before, deck)
        table = apply(table, dealt)
        streets.append(_street(before, street_mode(before), dealt, hand_of(table)))
    return {"streets": streets}


def _street(before: Hand, mode: Mode, dealt: Dealt, after: Hand) -> StreetDealt:
    own = [place for _, place in dealt.down] + [place for _, place, _, _ in dealt.up]
    from_pool = sum(place in dealt.reshuffled for place in own)
    return {
        "live": before.live,
        "stub_before": len(before.stub),
        "burns_before": len(before.burns),
        "mode": mode,
        "burn_first": int(dealt.burn is not None),
        "dealt_from_stub": len(own) - from_pool,
        "pool": len(dealt.reshuffled),
        "burn_second": int(dealt.burn_again is not None),
        "dealt_after_reshuffle": from_pool,
        "community": len(dealt.community),
        "stub_after": len(after.stub),
        "burns_after": len(after.burns),
    }
