"""Hands typed by hand: what the audit agrees with, under which house rules, and what it finds."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from doorcard.audit.foreign import Verdict, audit_hand
from tests.audit.foreign_records import Record, recorded

CORPUS: Final = Path(__file__).resolve().parents[2].parent / "shared" / "corpus" / "hands.jsonl"
"""Real hands that may stand beside the project."""


def split_pot(antes: int, high: int, low: int, stakes: tuple[int, int, int, int]) -> Record:
    """Eight or better: seat 1 wins high, seat 2 low; others pay antes and the bring-in."""
    folded = {4: "7c 7d Qc", 5: "8c 8d Jd", 6: "4c 4s Td"}
    seats = [1, 2, 3, *list(folded)[: antes - 3]]
    cards = {
        1: "Ks Kd Kh 9c 9d 2c 2d",
        2: "Ah 2h 3h 5s 6c Jc Js",
        3: "Tc Th 2s",
        **folded,
    }
    bring_in, small = stakes[1], stakes[2]
    others = "".join(f"{seat} fold, " for seat in seats[3:])
    return recorded(
        "stud_high_low_8",
        dict.fromkeys(seats, 50 * small),
        {seat: cards[seat] for seat in seats},
        [
            f"3 bring {bring_in}, {others}1 complete {small}, 2 call {small}, 3 fold",
            "1 check, 2 check",
            "1 check, 2 check",
            "1 check, 2 check",
            "1 check, 2 check, 1 show, 2 show",
        ],
        [(1, high, "main", "high"), (2, low, "main", "low")],
        stakes=stakes,
    )


def three_handed(*streets: str, winner: int = 1, pot: int = 0, **more: Any) -> Record:
    """Seven-card stud: seat 2 brings in with 2c, seat 1 has the best hand, then seat 3."""
    cards = {
        1: "As Ad Kh 9c 4d Ac Js",
        2: "7s 7d 2c 5h 8c 3d 3s",
        3: "Qs Qd Ks 9d 3c 6h Jd",
    }
    cards.update(more.pop("cards", {}))
    stacks = more.pop("stacks", {1: 200, 2: 200, 3: 200})
    paid = more.pop("paid", [(winner, pot, "main", "all")])
    return recorded("seven_card_stud", stacks, cards, streets, paid, **more)


OPENED = "2 bring 2, 3 complete 5, 1 call 5, 2 call 5"
CHECKED = "1 check, 2 check, 3 check"


def plain() -> Record:
    """A hand with nothing special in it."""
    return three_handed(
        OPENED,
        CHECKED,
        "1 bet 10, 2 call 10, 3 call 10",
        "1 check, 2 check, 3 bet 10, 1 raise 20, 2 fold, 3 call 20",
        "1 bet 10, 3 call 10, 1 show, 3 muck",
        pot=108,
    )


def short_completion(raised_to: int) -> Record:
    """Razz: seat 3 completes all-in for less than half a bet, seat 4 goes on."""
    opened = "2 bring 10, 3 complete 17"
    return recorded(
        "razz",
        {1: 400, 2: 400, 3: 22, 4: 400},
        {
            1: "Jd Td Qs",
            2: "9d 8d Kd",
            3: "Ac 2c 5c 3d 4h Ks Kh",
            4: "Ad 2d 7h 6s 9s Jh Jc",
        },
        [
            f"{opened}, 4 raise {raised_to}, 1 fold, 2 fold, 4 uncalled {raised_to - 17}",
            "",
            "",
            "",
            "3 show, 4 show",
        ],
        [(3, 64, "main", "all")],
        stakes=(5, 10, 40, 80),
    )


def four_raises() -> Record:
    return three_handed(
        OPENED,
        "1 bet 5, 2 call 5, 3 raise 10, 1 raise 15, 2 call 15, 3 raise 20, 1 raise 25, "
        "2 call 25, 3 call 25",
        CHECKED,
        CHECKED,
        f"{CHECKED}, 1 show, 2 muck, 3 muck",
        pot=93,
    )


def short_bring_in(price: int) -> Record:
    """Seat 2 has one chip for a bring-in of two; the others pay its price and check down."""
    side = [(1, 2 * price - 2, "side1", "all")] if price > 1 else []
    return three_handed(
        f"2 bring 1, 3 call {price}, 1 call {price}",
        "1 check, 3 check",
        "1 check, 3 check",
        "1 check, 3 check",
        "1 check, 3 check, 1 show, 2 muck, 3 muck",
        stacks={1: 200, 2: 2, 3: 200},
        paid=[(1, 6, "main", "all"), *side],
    )


def tied_boards(first: int) -> Record:
    """Fourth street shows K9 twice, so that the place of the deal decides who acts first."""
    order = {1: "1 check, 2 check, 3 bet 5, 1 fold, 2 fold, 3 uncalled 5",
             3: "3 check, 1 bet 5, 2 fold, 3 fold, 1 uncalled 5"}  # fmt: skip
    return three_handed(OPENED, order[first], winner=3 if first == 1 else 1, pot=18)


def unseen_upcards(opener: int) -> Record:
    """Seats 1 and 3 have upcards that nobody wrote down."""
    order = [opener % 3 + 1, (opener + 1) % 3 + 1]
    return three_handed(
        OPENED,
        f"{opener} bet 5, {order[0]} fold, {order[1]} fold, {opener} uncalled 5",
        winner=opener,
        pot=18,
        cards={1: "?? ?? ?? ??", 2: "7s 7d 2c 5h", 3: "?? ?? ?? ??"},
    )


def ante_returned() -> Record:
    """Seat 2 cannot be matched to the whole ante, and the record shows the rest as returned."""
    return recorded(
        "seven_card_stud",
        {1: 3, 2: 100},
        {1: "As Ad Kh 9c 4d Ac Js", 2: "7s 7d 2c 5h 8c 3d 3s"},
        ["2 uncalled 2, 1 show, 2 show", "", "", "", ""],
        [(1, 6, "main", "all")],
        stakes=(5, 5, 10, 20),
    )


@pytest.mark.parametrize(
    ("record", "house"),
    [
        (plain(), ()),
        (short_completion(40), ()),
        (short_completion(50), (("first_raise_from", "bring_in"),)),
        (split_pot(5, 9, 8, (1, 2, 5, 10)), ()),
        (split_pot(5, 8, 9, (1, 2, 5, 10)), (("odd_half_chip", "low"),)),
        (split_pot(4, 800, 700, (100, 100, 500, 1000)), (("chip_unit", 100),)),
        (four_raises(), (("max_raises", 4),)),
        (short_bring_in(2), ()),
        (short_bring_in(1), (("short_bring_in_price", "actual"),)),
        (tied_boards(1), ()),
        (tied_boards(3), ()),
        (unseen_upcards(1), ()),
        (unseen_upcards(2), ()),
        (unseen_upcards(3), ()),
        (ante_returned(), ()),
    ],
)
def test_the_engine_agrees_under_the_defaults_or_says_what_it_needed(
    record: Record, house: tuple[tuple[str, object], ...]
) -> None:
    verdict = audit_hand(record)
    assert verdict.verdict == "agree", verdict.reason
    assert verdict.house == house


def test_a_fold_in_place_of_a_free_check_needs_a_house_rule() -> None:
    record = three_handed(OPENED, "1 fold, 2 bet 5, 3 fold, 2 uncalled 5", winner=2, pot=18)
    assert audit_hand(record) == Verdict("typed", "agree", "", (("open_fold", True),))


def test_two_house_rules_can_be_needed_together() -> None:
    record = three_handed(
        OPENED,
        "1 fold, 2 bet 5, 3 raise 10, 2 raise 15, 3 raise 20, 2 raise 25, 3 call 25",
        "3 check, 2 check",
        "3 check, 2 check",
        "3 check, 2 check, 3 muck, 2 show",
        winner=2,
        pot=68,
    )
    verdict = audit_hand(record)
    assert (verdict.verdict, dict(verdict.house)) == ("agree", {"max_raises": 4, "open_fold": True})


def test_the_place_of_the_deal_is_inferred_and_told() -> None:
    assert audit_hand(tied_boards(1)).reason == ""
    assert "has the deal" in audit_hand(tied_boards(3)).reason


def edit(record: Record, change: Callable[[Any], object]) -> Record:
    changed = copy.deepcopy(record)
    change(changed)
    return changed


def action(record: Any, name: str, seat: int) -> Any:
    return next(a for a in record["actions"] if a["a"] == name and a.get("seat") == seat)


def _other_winner(record: Any) -> None:
    record["expect"]["collected"][0]["seat"] = 3
    finals = record["expect"]["final_stacks"]
    finals["1"], finals["3"] = finals["1"] - 108, finals["3"] + 108


def _pay_one_more(record: Any) -> None:
    finals = record["expect"]["final_stacks"]
    finals["1"], finals["2"] = finals["1"] + 1, finals["2"] - 1


WRONG: Final[list[tuple[Callable[[Any], object], str]]] = [
    (lambda r: action(r, "complete", 3).update(seat=1), "seat 3 is to act"),
    (lambda r: action(r, "complete", 3).update(seat=9), "seat 3 is to act"),
    (lambda r: action(r, "bring_in", 2).update(seat=3), "seat 2 is to act"),
    (lambda r: action(r, "complete", 3).update(amount=6, to=6), "complete to 5"),
    (lambda r: action(r, "call", 1).update(amount=4), "adds 5"),
    (lambda r: action(r, "bet", 1).update(to=11), "bet to 10"),
    (lambda r: action(r, "raise", 1).update(a="bet"), "raise to 20"),
    (lambda r: action(r, "fold", 2).update(a="check"), "fold, call 20"),
    (lambda r: action(r, "call", 2).update(all_in=True), "not all-in"),
    (lambda r: r["actions"].remove(action(r, "check", 2)), "seat 2 is to act"),
    (lambda r: r["actions"].insert(4, dict(r["actions"][3])), "out of order"),
    (lambda r: action(r, "ante", 1).update(amount=2), "seat 1 antes 1, not 2"),
    (lambda r: r["seats"][1].update(stack=201), "chips"),
    (lambda r: r["expect"]["final_stacks"].update({"3": 1}), "another sum"),
    (_pay_one_more, "seat 1 ends with"),
    (_other_winner, "main pot"),
    (lambda r: r["expect"].update(pot=107), "the pots hold 108"),
    (lambda r: r["expect"].update(rake=1), "rake of 1"),
    (lambda r: r["expect"]["collected"][0].update(amount=109), "109 paid"),
    (lambda r: r["expect"]["collected"][0].update(pot="side1"), "side1"),
    (lambda r: r.update(small_bet=4), "complete to 4"),
    (lambda r: r.update(ante=2), "antes 2"),
]


@pytest.mark.parametrize(("change", "reason"), WRONG)
def test_one_wrong_fact_is_found(change: Callable[[Any], object], reason: str) -> None:
    verdict = audit_hand(edit(plain(), change))
    assert verdict.verdict != "agree"
    assert reason in verdict.reason


def test_a_seat_that_mucked_wins_nothing_even_with_unseen_cards() -> None:
    record = edit(plain(), lambda r: r["cards"].update({"3": ["??"] * 7}))
    actions: Any = record["actions"]
    for deal in actions:
        if deal["a"] == "deal" and deal["seat"] == 3:
            deal["down"] = ["??"] * len(deal["down"])
    assert audit_hand(record).verdict == "agree"
    verdict = audit_hand(edit(record, _other_winner))
    assert verdict.verdict == "disagree"
    assert "which mucked" in verdict.reason


def test_unseen_cards_must_be_able_to_lose() -> None:
    """Seat 3 has four sixes in view: no downcards could make it lose to three aces."""
    checked = "3 check, 1 check, 2 check"
    record = three_handed(
        OPENED,
        checked,
        checked,
        checked,
        f"{checked}, 1 show",
        pot=18,
        cards={3: "?? ?? 6s 6d 6c 6h ??"},
    )
    verdict = audit_hand(record)
    assert verdict.verdict == "disagree"
    assert "no cards" in verdict.reason


def test_a_rake_is_taken_as_recorded_and_may_fall_on_the_halves_as_the_house_likes() -> None:
    def rake(record: Any, high: int, low: int) -> None:
        paid = record["expect"]["collected"]
        finals = record["expect"]["final_stacks"]
        for entry, chips in zip(paid, (high, low), strict=True):
            finals[str(entry["seat"])] += chips - entry["amount"]
            entry["amount"] = chips
        record["expect"]["rake"] = 17 - high - low

    base = split_pot(5, 9, 8, (1, 2, 5, 10))
    even = audit_hand(edit(base, lambda r: rake(r, 8, 7)))
    assert even == Verdict("typed", "agree", "", ())
    spread = audit_hand(edit(base, lambda r: rake(r, 9, 6)))
    assert spread.verdict == "agree"
    assert "rake" in spread.reason
    assert audit_hand(edit(base, lambda r: rake(r, 5, 10))).verdict == "disagree"


def test_a_hand_without_result_or_pots_says_so() -> None:
    assert "no result" in audit_hand(edit(plain(), lambda r: r.update(expect=None))).reason
    record = edit(plain(), lambda r: r["expect"].update(collected=None))
    assert audit_hand(record).verdict == "agree"
    assert audit_hand(edit(record, _pay_one_more)).verdict == "disagree"


if CORPUS.exists():

    @pytest.mark.parametrize(
        "record",
        [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()],
        ids=lambda record: record["id"],
    )
    def test_real_hands_agree(record: Record) -> None:
        verdict = audit_hand(record)
        assert verdict.verdict == "agree", verdict.reason
