"""Seat keys and the ring of deck keys: files, the environment, rotation, many processes at once."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from doorcard.cards import CARDS
from doorcard.errors import BadKey
from doorcard.fairness.heads import verify_head
from doorcard.fairness.keys import ENVIRONMENT_NAME, DeckKeyRing, SeatKey, fingerprint
from doorcard.fairness.sealing import Context, seal, seal_cards, seal_choice

CONTEXT = Context("p07.x4f", 12, 345, bytes(32), "first", "seed")
FIRST, SECOND, HEAD = bytes(range(32)), bytes(range(1, 33)), bytes(range(2, 34))


def in_base64(key: bytes) -> str:
    return base64.b64encode(key).decode()


def ring_values() -> dict[str, object]:
    return {
        "format": 1,
        "current": "second",
        "deck_keys": {"first": in_base64(FIRST), "second": in_base64(SECOND)},
        "current_head": "h",
        "head_keys": {"h": in_base64(HEAD)},
    }


def ring_of(text: str) -> DeckKeyRing:
    ring = DeckKeyRing.from_environment({ENVIRONMENT_NAME: text})
    assert ring is not None
    return ring


def ring_at(path: Path, mode: int = 0o600) -> Path:
    path.write_text(json.dumps(ring_values()))
    path.chmod(mode)
    return path


def test_a_seat_key_is_32_bytes_on_either_side_and_comes_back_from_them() -> None:
    key = SeatKey.generate()
    again = SeatKey(key.private_bytes)
    assert again.public == key.public != SeatKey.generate().public
    assert (len(key.public), len(key.private_bytes)) == (32, 32)
    assert key.key_id == again.key_id == fingerprint(key.public)
    with pytest.raises(BadKey, match="31 bytes, not 32"):
        SeatKey(bytes(31))


def test_a_seat_key_opens_its_own_and_no_others() -> None:
    mine, other = SeatKey.generate(), SeatKey.generate()
    cards = [(0, CARDS[0], bytes(16))]
    assert mine.open(CONTEXT, seal(mine.public, CONTEXT, b"x")) == b"x"
    assert mine.open_cards(CONTEXT, seal_cards(mine.public, CONTEXT, cards)) == tuple(cards)
    with pytest.raises(BadKey):
        other.open(CONTEXT, seal(mine.public, CONTEXT, b"x"))


def test_the_ring_opens_with_the_key_that_the_context_names() -> None:
    ring = ring_of(json.dumps(ring_values()))
    assert ring.current_id == "second"
    assert ring.public() == ring.public("second") == SeatKey(SECOND).public
    assert ring.public_only() == {"first": SeatKey(FIRST).public, "second": SeatKey(SECOND).public}
    for key_id in ("first", "second"):
        context = CONTEXT._replace(key_id=key_id)
        assert ring.open(context, seal(ring.public(key_id), context, b"seed")) == b"seed"
        sealed = seal_choice(ring.public(key_id), context, "both")
        assert ring.open_choice(context, sealed) == "both"


def test_a_wrong_and_a_missing_key_are_told_apart() -> None:
    ring = ring_of(json.dumps(ring_values()))
    sealed = seal(ring.public("second"), CONTEXT, b"seed")
    with pytest.raises(BadKey, match="does not open"):
        ring.open(CONTEXT, sealed)
    missing = CONTEXT._replace(key_id="of last year")
    for work in (
        lambda: ring.open(missing, sealed),
        lambda: ring.open_choice(missing, sealed),
        lambda: ring.public("of last year"),
        lambda: ring.make_current("of last year"),
    ):
        with pytest.raises(BadKey, match="no deck key 'of last year'"):
            work()


def test_the_one_line_form_holds_the_same() -> None:
    line = f"second:{in_base64(SECOND)}, first:{in_base64(FIRST)},head/h:{in_base64(HEAD)}\n"
    ring, same = ring_of(line), ring_of(json.dumps(ring_values()))
    assert ring.current_id == same.current_id
    assert ring.public_only() == same.public_only()
    assert ring.head_publics() == same.head_publics()
    assert ring.head_signer().key_id == "h"


def test_what_is_written_is_read_back() -> None:
    ring = ring_of(json.dumps(ring_values()))
    assert json.loads(ring.to_json()) == ring_values()
    assert ring_of(ring.to_json()).to_json() == ring.to_json()


def test_no_environment_value_is_no_ring() -> None:
    assert DeckKeyRing.from_environment({}) is None
    assert DeckKeyRing.from_environment({ENVIRONMENT_NAME: ""}) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 1"),
        ({"current": "third"}, "current deck key 'third' is not in the ring"),
        ({"current": None}, "name keys"),
        ({"deck_keys": {}}, "'second' is not in the ring"),
        ({"deck_keys": []}, "'deck_keys' is not a JSON object"),
        ({"deck_keys": {"second": "@"}}, "'second' is not written in base64"),
        ({"deck_keys": {"second": 7}}, "'second' is not written in base64"),
        ({"deck_keys": {"second": in_base64(bytes(31))}}, "'second' has 31 bytes, not 32"),
        ({"deck_keys": {"second": in_base64(SECOND), "": in_base64(FIRST)}}, "'' is no key id"),
        ({"deck_keys": {"second": in_base64(SECOND), "a b": in_base64(FIRST)}}, "no key id"),
        ({"current_head": "i"}, "current head key 'i' is not in the ring"),
        ({"current_head": None}, "current head key None is not in the ring"),
        ({"current_head": 1}, "name keys"),
        ({"head_keys": {}}, "current head key 'h' is not in the ring"),
    ],
    ids=str,
)
def test_json_that_is_no_ring_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(BadKey, match=f"^{ENVIRONMENT_NAME} is no key ring: .*{message}"):
        ring_of(json.dumps(ring_values() | change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ('{"format": 1, "format": 1}', "a name is there twice"),
        ("[]", "entry 1 is not of the form id:base64"),
        (" ", "entry 1 is not of the form"),
        (f"a:{in_base64(FIRST)},", "entry 2 is not of the form"),
        (f"a:{in_base64(FIRST)},a:{in_base64(SECOND)}", "'a' is there twice"),
        (f"a:{in_base64(FIRST)}=", "base64"),
        (f"head/a:{in_base64(FIRST)}", "it has no deck key"),
        (f"tail/a:{in_base64(FIRST)}", "no key id"),
    ],
)
def test_text_that_is_no_ring_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadKey, match=message):
        ring_of(text)


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640, 0o440, 0o700])
def test_a_file_that_others_cannot_read_is_loaded(tmp_path: Path, mode: int) -> None:
    assert DeckKeyRing.load(ring_at(tmp_path / "keys", mode)).current_id == "second"


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o602, 0o601, 0o620, 0o660, 0o777])
def test_a_file_that_others_can_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    path = ring_at(tmp_path / "keys", mode)
    for use in (DeckKeyRing.load, DeckKeyRing.create):
        with pytest.raises(BadKey, match=rf"has mode {mode:04o}.*run: chmod 600 {path}"):
            use(path)


def test_files_that_hold_no_ring_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    empty = tmp_path / "empty"
    empty.touch()
    for path in (binary, empty):
        path.chmod(0o600)
    for path, message in (
        (tmp_path / "nowhere", "there is no key ring at"),
        (tmp_path, "directory"),
        (Path("/dev/null"), "not a plain file"),
        (binary, "not a text file"),
        (empty, "is no key ring"),
    ):
        with pytest.raises(BadKey, match=message):
            DeckKeyRing.load(path)


def test_a_ring_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadKey, match="cannot be locked"):
        DeckKeyRing.create(tmp_path / "file" / "keys")
    (tmp_path / "keys.new").mkdir()
    with pytest.raises(BadKey, match="cannot be written"):
        DeckKeyRing.create(tmp_path / "keys")


def test_a_first_start_makes_a_ring_and_later_ones_keep_it(tmp_path: Path) -> None:
    path = tmp_path / "data" / "keys.json"
    before = os.umask(0)
    try:
        made = DeckKeyRing.create(path)
    finally:
        os.umask(before)
    assert made.is_new
    assert made.current_id.startswith("dev-")
    assert made.head_signer().key_id.startswith("dev-")
    assert path.stat().st_mode & 0o777 == 0o600
    again = DeckKeyRing.create(path)
    assert not again.is_new
    assert again.to_json() == made.to_json() == DeckKeyRing.load(path).to_json()
    assert sorted(file.name for file in path.parent.iterdir()) == ["keys.json", "keys.json.lock"]


def test_what_a_killed_process_left_half_written_is_replaced(tmp_path: Path) -> None:
    unfinished = tmp_path / "keys.new"
    unfinished.write_text("half a r")
    unfinished.chmod(0o666)
    assert DeckKeyRing.create(tmp_path / "keys").is_new
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o600
    assert not unfinished.exists()


def together(path: Path, code: str, processes: int) -> list[str]:
    """Run a program several times at once, all let go at the same moment; give their outputs."""
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from doorcard.fairness.keys import DeckKeyRing\n"
        "path, number = Path(sys.argv[1]), sys.argv[2]\n"
        "print('ready', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program + code, str(path), str(number)],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=30)[0] for process in running]
    assert [process.returncode for process in running] == [0] * processes
    return outputs


def test_processes_that_start_together_end_with_the_same_key(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    code = "ring = DeckKeyRing.create(path); print(ring.is_new, ring.public().hex())"
    outputs = [output.split() for output in together(path, code, 6)]
    assert {public for _, public in outputs} == {DeckKeyRing.load(path).public().hex()}
    assert sorted(made for made, _ in outputs) == ["False"] * 5 + ["True"]


def test_keys_added_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    path = ring_at(tmp_path / "keys")
    code = "DeckKeyRing.update(path, lambda ring: ring.add('added-' + number))"
    together(path, code, 4)
    added = {f"added-{number}" for number in range(4)}
    assert set(DeckKeyRing.load(path).public_only()) == added | {"first", "second"}


def test_rotation_keeps_what_was_sealed_before(tmp_path: Path) -> None:
    path = ring_at(tmp_path / "keys")
    old = DeckKeyRing.load(path)
    context = CONTEXT._replace(key_id=old.current_id)
    sealed = seal(old.public(), context, b"seed")
    added = DeckKeyRing.update(path, lambda ring: ring.add("third"))
    assert added.current_id == "second"
    rotated = DeckKeyRing.update(path, lambda ring: ring.make_current("third"))
    assert rotated.current_id == DeckKeyRing.load(path).current_id == "third"
    assert rotated.public() == added.public("third") != old.public()
    assert rotated.open(context, sealed) == b"seed"
    assert path.stat().st_mode & 0o777 == 0o600
    assert set(old.public_only()) == {"first", "second"}


def test_a_change_that_is_refused_leaves_the_file_alone(tmp_path: Path) -> None:
    path = ring_at(tmp_path / "keys")
    before = path.read_bytes()
    for key_id, message in (("second", "already"), ("", "no key id"), ("x" * 65, "no key id")):
        with pytest.raises(BadKey, match=message):
            DeckKeyRing.update(path, partial(DeckKeyRing.add, key_id=key_id))
    with pytest.raises(BadKey, match="'h' already"):
        DeckKeyRing.update(path, lambda ring: ring.add_head_key("h"))
    assert path.read_bytes() == before


def test_head_keys_rotate_and_old_heads_still_verify() -> None:
    ring = ring_of(f"a:{in_base64(FIRST)}")
    with pytest.raises(BadKey, match="no head key"):
        ring.head_signer()
    first = ring.add_head_key("h1")
    second = first.add_head_key("h2")
    old = first.head_signer().sign("p07.x4f", 1, 2, bytes(32))
    new = second.head_signer().sign("p07.x4f", 1, 2, bytes(32))
    assert (old.key_id, new.key_id) == ("h1", "h2")
    publics = second.head_publics()
    assert verify_head(publics[old.key_id], old)
    assert verify_head(publics[new.key_id], new)
    assert not verify_head(publics["h2"], old)
    assert set(ring.head_publics()) == set()
