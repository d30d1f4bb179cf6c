"""Files and records that make no sense: one clear sentence each, and never a traceback."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

import pytest

from doorcard.audit.foreign import audit_file, audit_hand
from doorcard.errors import BadInput
from doorcard.formats.history import history_of
from doorcard.formats.jsonl import export_jsonl
from doorcard.formats.phh import write_phh
from tests.formats.seeded import every_kind, play, play_kind


def record(seed: int = 3) -> Any:
    played = play("seven_card_stud", 4, seed, short=False)
    return json.loads(json.dumps(export_jsonl(history_of(played.events, played.deck))))


def chosen(game: str) -> Any:
    """A record with choices that are no bets."""
    kinds = [kind for kind in every_kind() if kind.game == game]
    played = (play_kind(kinds[-1], seed) for seed in range(100))
    records = (json.loads(json.dumps(export_jsonl(history_of(p.events, p.deck)))) for p in played)
    names = {"roll", "buy", "take"}
    return next(r for r in records if names & {action["a"] for action in r["actions"]})


def _first(record: Any, name: str) -> Any:
    return next(action for action in record["actions"] if action["a"] == name)


def _twice(record: Any) -> None:
    record["cards"]["0"][0] = record["cards"]["1"][0]
    _first(record, "deal")["down"] = ["??", "??"]
    deals = [a for a in record["actions"] if a["a"] == "deal"]
    for deal in deals:
        deal["down"] = ["??"] * len(deal["down"])


MALFORMED: Final[list[tuple[Callable[[Any], object], str]]] = [
    (lambda r: r.clear(), "Field required"),
    (lambda r: r.pop("actions"), "actions"),
    (lambda r: r.update(actions=[]), "no cards are dealt"),
    (lambda r: r.update(colour="red"), "colour"),
    (lambda r: _first(r, "call").update(colour="red"), "colour"),
    (lambda r: r.update(game="five_card_draw"), "no game called 'five_card_draw'"),
    (lambda r: r.update(structure="half_pot"), "structure"),
    (lambda r: r.update(ante=-1), "ante"),
    (lambda r: r.update(ante=0.5), "ante"),
    (lambda r: r.update(ante="1"), "ante"),
    (lambda r: r.update(ante=2**53), "ante"),
    (lambda r: r.update(ante=True), "ante"),
    (lambda r: r.update(bring_in=6), "bring-in"),
    (lambda r: r.update(small_bet=10), "small bet"),
    (lambda r: _first(r, "call").update(amount=-5), "amount"),
    (lambda r: _first(r, "call").update(amount="5"), "amount"),
    (lambda r: _first(r, "call").update(amount=5.0), "amount"),
    (lambda r: _first(r, "call").update(amount=10**30), "amount"),
    (lambda r: _first(r, "call").pop("to"), "to"),
    (lambda r: _first(r, "call").update(a="jump"), "tag"),
    (lambda r: _first(r, "call").update(seat=-1), "seat"),
    (lambda r: _first(r, "call").update(seat="1"), "seat"),
    (lambda r: r["seats"][0].update(stack=0), "stack"),
    (lambda r: r["seats"][1].update(seat=r["seats"][0]["seat"]), "twice"),
    (lambda r: r["seats"].__delitem__(slice(1, None)), "seat"),
    (lambda r: r["cards"].update({"0": ["1x"]}), "cards"),
    (lambda r: r["cards"].update({"77": ["As"]}), "seat 77"),
    (lambda r: r["cards"]["0"].reverse(), "seat 0 holds"),
    (_twice, "occurs twice"),
    (lambda r: _first(r, "deal").update(street=4), "out of order"),
    (lambda r: _first(r, "deal").update(up=[]), "not what this street deals"),
    (lambda r: r["expect"]["final_stacks"].pop("0"), "seats"),
    (lambda r: r["expect"]["final_stacks"].update({"x": 1}), "final_stacks"),
    (lambda r: r["expect"]["collected"][0].update(part="most"), "part"),
    (lambda r: r.update(id=""), "id"),
    (lambda r: r.update(id="\ud800"), "id"),
    (lambda r: r["actions"].extend([dict(r["actions"][0])] * 9000), "actions"),
]


@pytest.mark.parametrize(("change", "reason"), MALFORMED)
def test_a_malformed_record_is_unsupported(change: Callable[[Any], object], reason: str) -> None:
    spoiled = record()
    change(spoiled)
    verdict = audit_hand(spoiled)
    assert verdict.verdict == "unsupported"
    assert reason in verdict.reason


def test_half_a_hand_is_never_agreed_with() -> None:
    whole = record()
    last = max(i for i, a in enumerate(whole["actions"]) if a["a"] not in ("show", "muck"))
    for length in range(last + 1):
        verdict = audit_hand({**whole, "actions": whole["actions"][:length]})
        assert verdict.verdict == "unsupported", verdict


def test_the_record_ends_is_told_with_who_is_to_act() -> None:
    whole = record()
    place = whole["actions"].index(_first(whole, "call"))
    verdict = audit_hand({**whole, "actions": whole["actions"][:place]})
    assert "the record ends while seat" in verdict.reason


def _places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, member in cast("dict[str, object]", value).items():
            yield from _places(member, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(cast("list[object]", value)):
            yield from _places(member, (*path, index))


@pytest.mark.parametrize(
    "game", ["seven_card_stud", "five_card_high_low_buy", "roll_your_own", "baseball"]
)
def test_no_value_anywhere_raises(game: str) -> None:
    values = [None, True, -1, 0, 1, 1.5, 2**53, 10**40, "", "x", "??", "As", [], {}, [1], {"a": 1}]
    whole = record() if game == "seven_card_stud" else chosen(game)
    places = [place for place in _places(whole) if place]
    rng = random.Random(1)
    for _ in range(400):
        spoiled = copy.deepcopy(whole)
        *path, last = rng.choice(places)
        owner = spoiled
        for key in path:
            owner = owner[key]
        owner[last] = rng.choice(values)
        verdict = audit_hand(spoiled)
        assert verdict.verdict in ("agree", "disagree", "unsupported")
        assert len(verdict.reason) < 500


# --- files -----------------------------------------------------------------------------------


def test_a_file_is_audited_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    good = record()
    wrong = {**record(4), "ante": 2}
    lines = [json.dumps(good), "", json.dumps(good)[:100], "[]", json.dumps(wrong), "{}"]
    path.write_text("\n".join(lines), "utf-8")
    verdicts = list(audit_file(path))
    assert [(verdict.id, verdict.verdict) for verdict in verdicts] == [
        ("p00.seeded-1", "agree"),
        ("hands.jsonl:3", "unsupported"),
        ("hands.jsonl:4", "unsupported"),
        ("p00.seeded-1", "disagree"),
        ("hands.jsonl:6", "unsupported"),
    ]


@pytest.mark.parametrize("name", ["hands.jsonl", "hand.phh"])
@pytest.mark.parametrize("data", [b"", b" \n\n", b"\xff\xfe\x00", b"PK\x03\x04\x00\x00", b"{}\0"])
def test_an_empty_or_binary_file_is_refused(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(BadInput, match=r"empty|not a text file"):
        list(audit_file(path))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        list(audit_file(tmp_path / "hands.jsonl"))


def test_phh_files_hold_one_hand_or_many(tmp_path: Path) -> None:
    texts = [
        write_phh(history_of(played.events, played.deck))
        for played in (play("razz", 3, seed) for seed in range(3))
    ]
    one, many = tmp_path / "one.phh", tmp_path / "many.phhs"
    one.write_text(texts[0], "utf-8")
    many.write_text("".join(f"[{i}]\n{text}\n" for i, text in enumerate(texts, 1)), "utf-8")
    assert [verdict.verdict for verdict in audit_file(one)] == ["agree"]
    assert [verdict.verdict for verdict in audit_file(many)] == ["agree"] * 3


@pytest.mark.parametrize(
    "text", ["variant = 'F7S'", "variant = 'NT'", "variant =", "x = 1", "half a hand"]
)
def test_a_phh_file_that_is_no_hand_of_ours_is_unsupported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hand.phh"
    path.write_text(text, "utf-8")
    (verdict,) = audit_file(path)
    assert (verdict.id, verdict.verdict) == ("hand.phh", "unsupported")
