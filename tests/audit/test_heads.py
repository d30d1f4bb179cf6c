"""Published heads: what they find, and what is said of heads that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doorcard.audit.verify import Report, verify_table
from doorcard.audit.verify_heads import read_head_keys, read_heads
from doorcard.errors import BadInput
from doorcard.fairness.heads import HeadSigner, PublishedHead
from tests.audit.played import RING, House, ListLog, write_files


@pytest.fixture(scope="module")
def house() -> House:
    return House(seats=2, seed=4).play(3)


def report(house: House, heads: list[PublishedHead]) -> Report:
    return verify_table(house.log, house.id, heads=heads, head_publics=RING.head_publics())


def test_heads_are_read_from_a_file(house: House, tmp_path: Path) -> None:
    files = write_files(house, tmp_path)
    assert read_heads(files.heads) == house.heads
    found = verify_table(house.log, house.id, ring=RING, heads=files.heads)
    assert found.problem is None
    assert "signatures" in found.checked


def test_a_file_that_is_not_there_yet_holds_no_heads(house: House, tmp_path: Path) -> None:
    found = verify_table(house.log, house.id, heads=tmp_path / "heads")
    assert found.problem is None
    assert "so no head was published yet" in found.notes[0]
    assert "heads" not in found.checked


@pytest.mark.parametrize("length", [1, 5, 20, 60, 200])
def test_a_line_that_was_not_written_to_its_end_is_a_note(
    house: House, tmp_path: Path, caplog: pytest.LogCaptureFixture, length: int
) -> None:
    """The next head may stand on the same line, and all that follow are read."""
    path = tmp_path / "heads"
    first, second, third = (head.to_json() for head in house.heads)
    assert length < len(first)
    note = f"{path}, line 1: a published head was not written to its end"
    for text, lines in (
        (f"{first[:length]}{second}\n{third}\n", [1]),
        (f"{first[:length]}\n{second}\n{third}\n", [1]),
        (f"{first[:30]}{first[: length + 10]}\n{second}\n{third}\n", [1]),
        (f"{second}\n{third}\n\0\0{first[:length]}", [3]),
    ):
        path.write_text(text)
        notes: list[str] = []
        assert read_heads(path, notes) == house.heads[1:]
        assert notes == [note.replace("line 1", f"line {line}") for line in lines]
        found = verify_table(house.log, house.id, heads=path)
        assert (found.problem, found.notes[0]) == (None, notes[0])
        assert read_heads(path) == house.heads[1:]
        assert caplog.messages[-1] == notes[0]


def test_a_whole_head_behind_a_torn_one_is_checked_as_any(house: House, tmp_path: Path) -> None:
    path = tmp_path / "heads"
    wrong = house.heads[1]._replace(signature=bytes(64))
    path.write_text(f"{house.heads[0].to_json()[:90]}{wrong.to_json()}\n")
    found = verify_table(house.log, house.id, ring=RING, heads=path).problem
    assert found is not None
    assert found.seq == wrong.seq


@pytest.mark.parametrize("line", ["[]", "{}", '{"format": 2}', "\xff"])
def test_a_line_that_is_no_head_is_named(tmp_path: Path, house: House, line: str) -> None:
    path = tmp_path / "heads"
    path.write_bytes(f"{house.heads[0].to_json()}\n\n".encode() + line.encode("latin-1") + b"\n")
    with pytest.raises(BadInput, match=r"heads, line 3: "):
        read_heads(path)


def test_heads_of_other_tables_are_no_concern_of_this_one(house: House) -> None:
    other = [head._replace(table="p00.other") for head in house.heads]
    found = report(house, other)
    assert found.problem is None
    assert "no head was published for this table: a cut tail would not show" in found.notes


def test_a_head_with_a_wrong_signature_is_found(house: House) -> None:
    wrong = house.heads[1]._replace(signature=bytes(64))
    found = report(house, [house.heads[0], wrong]).problem
    assert found is not None
    assert (found.seq, found.reason) == (
        wrong.seq,
        "has a published head whose signature by 'h1' is wrong",
    )


def test_a_head_by_an_unknown_signer_is_found(house: House) -> None:
    last = house.heads[-1]
    stranger = HeadSigner("h9", b"\5" * 32).sign(last.table, last.hand, last.seq, last.chain)
    found = report(house, [stranger]).problem
    assert found is not None
    assert "signed by a key 'h9' that is not known" in found.reason


def test_a_head_of_another_hand_is_found(house: House) -> None:
    last = house.heads[-1]
    wrong = RING.head_signer().sign(last.table, last.hand + 1, last.seq, last.chain)
    found = report(house, [wrong]).problem
    assert found is not None
    assert found.reason == "ends hand 3, and its published head says hand 4"


def test_a_head_behind_the_end_must_be_signed_too(house: House) -> None:
    last = house.heads[-1]
    forged = last._replace(seq=last.seq + 10)
    found = report(house, [forged]).problem
    assert found is not None
    assert "signature" in found.reason


def test_a_log_that_is_gone_is_found(house: House) -> None:
    found = verify_table(ListLog(), house.id, heads=house.heads).problem
    assert found is not None
    assert found.seq == 1
    assert found.reason.startswith("is missing: the log ends with commit 0, and a head was")


def test_the_same_head_published_twice_is_fine(house: House) -> None:
    assert report(house, [*house.heads, *house.heads]).problem is None


@pytest.mark.parametrize("text", ["", "[]", "{", '{"h1": "zz"}', '{"h1": 3}', '{"h1": "aabb"}'])
def test_a_file_of_signers_must_be_one(tmp_path: Path, text: str) -> None:
    path = tmp_path / "signers"
    path.write_text(text)
    with pytest.raises(BadInput, match="signers"):
        read_head_keys(path)


def test_signers_are_read_by_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "signers"
    path.write_text(json.dumps({key: raw.hex() for key, raw in RING.head_publics().items()}))
    assert read_head_keys(path) == RING.head_publics()
    with pytest.raises(BadInput, match="cannot be read"):
        read_head_keys(tmp_path / "nothing")
