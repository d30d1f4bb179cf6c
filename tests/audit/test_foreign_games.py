"""Every game in the audit: own hands agree for every viewer, and one wrong choice is found."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import pytest

from doorcard.audit.foreign import audit_hand
from doorcard.commands import Act, ActionName, OpenTable, SitDown, SitIn, SitOut, VoidHand
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import Event
from doorcard.formats.history import hands_of, history_of
from doorcard.formats.phh import read_phh, write_phh
from doorcard.games import GAMES
from doorcard.limits import Scalar
from doorcard.testing import StackedDeck
from tests.formats.seeded import LIMITS, Played, every_kind, exported, hands, play_kind

Change = Callable[[Any], object]


@pytest.mark.parametrize("game", GAMES)
def test_every_view_of_an_own_hand_agrees(game: str) -> None:
    for kind, played in hands()[game]:
        for viewer in ("auditor", "spectator", 1):
            verdict = audit_hand(exported(played, viewer))
            assert verdict.verdict == "agree", (kind, viewer, verdict.reason)
            again = read_phh(write_phh(history_of(played.events, played.deck, viewer)))
            assert audit_hand(again).verdict == "agree", (kind, viewer, audit_hand(again).reason)


@pytest.mark.parametrize(
    ("game", "variant", "rule"),
    [
        ("five_card_high_low_buy", "two_buys", ("buy_rounds", 2)),
        ("five_card_lowball", "27", ("low_ranking", "27")),
    ],
)
def test_house_rules_that_are_not_told_are_found(
    game: str, variant: str, rule: tuple[str, Scalar]
) -> None:
    kind = next(kind for kind in every_kind() if (kind.game, kind.variant) == (game, variant))
    found = 0
    for seed in range(20):
        record = exported(play_kind(kind, seed), "auditor")
        verdict = audit_hand({**record, "house": None, "variant": ""})
        assert verdict.verdict == "agree", verdict.reason
        found += rule in verdict.house
    assert found


# --- changes ---------------------------------------------------------------------------------


@cache
def _records() -> dict[str, list[dict[str, Any]]]:
    """Records as the auditor sees them, by the names of the actions that they hold."""
    found: dict[str, list[dict[str, Any]]] = {}
    for game in hands().values():
        for _, played in game:
            record = exported(played, "auditor")
            for name in {action["a"] for action in record["actions"]}:
                found.setdefault(name, []).append(record)
    return found


def _first(record: Any, name: str) -> Any:
    return next(action for action in record["actions"] if action["a"] == name)


def _remove(record: Any, name: str) -> None:
    record["actions"].remove(_first(record, name))


def _other_seat(record: Any, name: str) -> None:
    action = _first(record, name)
    action["seat"] = next(
        seat["seat"] for seat in record["seats"] if seat["seat"] != action["seat"]
    )


CHANGES: Final[list[tuple[str, Change]]] = [
    ("roll", lambda r: _remove(r, "roll")),
    ("roll", lambda r: _other_seat(r, "roll")),
    ("roll", lambda r: _first(r, "roll").update(place=9)),
    ("roll", lambda r: r["actions"].append(dict(_first(r, "roll")))),
    ("roll", lambda r: _first(r, "roll").update(a="decline", place=None)),
    ("declare", lambda r: _remove(r, "declare")),
    ("declare", lambda r: _other_seat(r, "declare")),
    ("declare", lambda r: r["actions"].append(dict(_first(r, "declare")))),
    ("buy", lambda r: _remove(r, "buy")),
    ("buy", lambda r: _other_seat(r, "buy")),
    ("buy", lambda r: _first(r, "buy").update(amount=_first(r, "buy")["amount"] + 1)),
    ("buy", lambda r: _first(r, "buy").update(all_in=not _first(r, "buy")["all_in"])),
    ("buy", lambda r: _first(r, "buy").update(face="sideways")),
    (
        "buy",
        lambda r: _first(r, "buy").update(
            face={"up": "down", "down": "up"}[_first(r, "buy")["face"]]
        ),
    ),
    ("take", lambda r: _remove(r, "take")),
    ("take", lambda r: _first(r, "take").update(amount=_first(r, "take")["amount"] + 1)),
    ("take", lambda r: _first(r, "take").update(a="match")),
    ("match", lambda r: _remove(r, "match")),
    ("match", lambda r: _first(r, "match").update(amount=_first(r, "match")["amount"] + 1)),
    ("match", lambda r: _first(r, "match").update(all_in=not _first(r, "match")["all_in"])),
    ("decline", lambda r: _remove(r, "decline")),
    ("decline", lambda r: _other_seat(r, "decline")),
]


@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_one_wrong_choice_is_never_agreed_with(name: str, change: Change) -> None:
    records = _records()[name][:24]
    assert records
    for record in records:
        changed = copy.deepcopy(record)
        change(changed)
        assert audit_hand(changed).verdict != "agree", changed


def test_other_wild_cards_are_found() -> None:
    tried = 0
    for game in ("acey_ducey", "queens_and_after"):
        for _, played in hands()[game]:
            record = exported(played, "auditor")
            verdict = audit_hand({**record, "wild": record["wild"][1:]})
            assert verdict.reason == "other cards are wild at the end than the record says"
            tried += 1
    assert tried


@pytest.mark.parametrize("game", ["high_chicago", "low_chicago", "stud_high_low"])
def test_another_part_of_the_pot_is_found(game: str) -> None:
    tried = 0
    for _, played in hands()[game]:
        record = exported(played, "auditor")
        for entry in record["expect"]["collected"]:
            if entry["part"] == "high" and len(record["expect"]["collected"]) == 2:
                other = next(e for e in record["expect"]["collected"] if e is not entry)
                entry["seat"], other["seat"] = other["seat"], entry["seat"]
                assert audit_hand(record).verdict != "agree"
                tried += 1
                break
    assert tried


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"variant": "no_such"}, "variant"),
        ({"house": {"no_such": 1}}, "no house rule called 'no_such'"),
        ({"house": {"roll_order": 7}}, "roll_order cannot be 7"),
        ({"house": {"four_extra": "up"}}, "no use for four_extra"),
        ({"house": [1]}, "house"),
        ({"house": {"roll_order": {}}}, "house"),
        ({"dealer": 99}, "dealer: seat 99 was not dealt in"),
        ({"wild": ["??"]}, "wild"),
    ],
)
def test_rules_that_make_no_sense_are_unsupported(change: dict[str, Any], reason: str) -> None:
    _, played = hands()["roll_your_own"][0]
    verdict = audit_hand({**exported(played, "auditor"), **change})
    assert verdict.verdict == "unsupported"
    assert reason in verdict.reason


# --- dead antes ------------------------------------------------------------------------------


def _granted(decided: Decided | Refused) -> Decided:
    assert not isinstance(decided, Refused), decided
    return decided


def returned(stack: int) -> Played:
    """A hand in which seat 2 is back from sitting out and owes an ante (R18.5, R18.8)."""
    house = (("missed_ante_policy", "post_one"),)
    table = _granted(floor.open_table("p00.dead", OpenTable("razz", LIMITS, "", house, 3))).table
    events: list[Event] = []

    def go(decided: Decided | Refused) -> None:
        nonlocal table
        events.extend(_granted(decided).events)
        table = _granted(decided).table

    for seat, chips in enumerate((200, 200, stack)):
        go(floor.decide(table, SitDown(seat, f"p{seat}", chips, f"r{seat}")))
    deck = StackedDeck("")
    go(floor.decide(table, SitOut(2, "p2")))
    go(dealer.decide(table, deck))
    go(floor.decide(table, VoidHand("power cut")))
    go(floor.decide(table, SitIn(2, "p2")))
    go(dealer.decide(table, deck))
    while table.in_hand:
        go(_next(table, deck))
    _, played = hands_of(events)
    return Played(tuple(played), deck)


def _next(table: Table, deck: StackedDeck) -> Decided | Refused:
    options = legal(table)
    if options is None:
        by_dealer = table.awaited == "dealer"
        return dealer.decide(table, deck) if by_dealer else showdown.decide(table, deck)
    if options.bring_in is not None:
        return betting.decide(table, Act(options.seat, options.decision, "bring_in"))
    name: ActionName = "check" if options.check else "call"
    return betting.decide(table, Act(options.seat, options.decision, name))


@pytest.mark.parametrize("stack", [1, 2, 200])
def test_a_dead_ante_is_told_and_audited(stack: int) -> None:
    played = returned(stack)
    record = exported(played, "spectator")
    dead = [action for action in record["actions"] if action["a"] == "dead_ante"]
    assert dead == [{"a": "dead_ante", "seat": 2, "amount": 1, "all_in": stack == 2}] * (stack > 1)
    assert audit_hand(record).verdict == "agree", audit_hand(record).reason
    again = read_phh(write_phh(history_of(played.events)))
    assert again["actions"] == record["actions"]
    assert audit_hand(again).verdict == "agree"
    for action in dead:
        record["actions"].remove(action)
        assert audit_hand(record).verdict != "agree"
