"""Lines about chips: pots, uncalled, rake, void."""

from __future__ import annotations

from dataclasses import replace

from doorcard.cards import CARDS
from doorcard.commands import VoidHand
from doorcard.engine import floor
from doorcard.engine.betting import uncalled_bet
from doorcard.engine.pots import house_rake, pots_of
from doorcard.limits import HouseRules
from doorcard.testing import table_at
from tests.conformance.schemas import (
    Pots,
    PotsGiven,
    Rake,
    RakeGiven,
    Uncalled,
    UncalledGiven,
    Void,
    VoidGiven,
)
from tests.conformance.support import Malformed, dealing_rules, granted


def pots(given: PotsGiven) -> Pots:
    """R12.1, R12.2: the pots that contributions make."""
    totals = given["contributions"]
    made = pots_of(totals, [seat in given["folded"] for seat in range(len(totals))])
    return {"pots": [{"amount": pot.amount, "eligible": list(pot.eligible)} for pot in made]}


def uncalled(given: UncalledGiven) -> Uncalled:
    """R12.3: the unmatched part of the last wager."""
    seat, amount = uncalled_bet(given["street_contributions"]) or (None, 0)
    return {"seat": seat, "amount": amount}


def rake(given: RakeGiven) -> Rake:
    """R13: what the house takes from each pot."""
    house = replace(
        HouseRules(),
        rake_bps=given["rake_bps"],
        rake_cap=given["rake_cap"],
        no_fourth_street_no_drop=given["no_fourth_street_no_drop"],
    )
    taken = house_rake(house, given["pots"], second_street_dealt=given["second_street_dealt"])
    return {"rake": taken}


def void(given: VoidGiven) -> Void:
    """R19.2: everything that was put in goes back."""
    seats = range(len(given["stacks"]))
    bought = given.get("bought", [0] * len(seats))
    if not len(given["stacks"]) == len(given["contributions"]) == len(bought):
        raise Malformed("the lists by seat are not of the same length")
    table = table_at(
        dealing_rules(["ddu"], {}),
        dict(enumerate(given["stacks"])),
        boards={seat: CARDS[seat : seat + 1] for seat in seats},
        paid=dict(enumerate(given["contributions"])),
        dead=dict(enumerate(bought)),
        folded=given["folded"],
    )
    after = granted(floor.decide(table, VoidHand("a card was exposed"))).table
    return {"stacks": [after.stack(seat) for seat in seats], "rake": after.rake}
