"""What is shared in a run, and sealed cheaply, is still bound and compared."""

from __future__ import annotations

import pytest

from doorcard.engine.table import Table
from doorcard.errors import BadKey
from doorcard.fairness import sealing
from doorcard.fairness.keys import SeatKey
from doorcard.fairness.sealing import OVERHEAD_BYTES, Context
from tests.simulation.once import Once, alike
from tests.simulation.runs import run
from tests.simulation.trace import Violation

CONTEXT = Context("p00.a", 1, 2, b"chain", "k1", "card", seat=3)


def test_cheap_sealing_opens_for_its_key_in_its_context_alone() -> None:
    key, other, secret = SeatKey(b"\1" * 32), SeatKey(b"\2" * 32), b"a card and its salt"
    with Once(alone=False).shared():
        sealed = sealing.seal(key.public, CONTEXT, secret)
        assert len(sealed) == len(secret) + OVERHEAD_BYTES
        assert sealed != sealing.seal(key.public, CONTEXT, secret)
        assert not any(secret[place : place + 3] in sealed for place in range(len(secret) - 2))
        assert key.open(CONTEXT, sealed) == secret
        for keys, context, changed in (
            (other, CONTEXT, sealed),
            (key, CONTEXT._replace(seq=3), sealed),
            (key, CONTEXT, sealed[:-1] + bytes([sealed[-1] ^ 1])),
            (key, CONTEXT, b"short"),
        ):
            with pytest.raises(BadKey):
                keys.open(context, changed)
    with pytest.raises(BadKey):
        key.open(CONTEXT, sealed)


def test_a_table_is_exchanged_only_for_one_that_is_equal() -> None:
    mine, same, wrong = Table(), Table(), Table()
    wrong.rake = 1
    once = Once(alone=False)
    once.folded(Table(), b"a commit", mine)
    assert alike(mine, same)
    assert not alike(mine, wrong)
    assert once.own(same) is mine
    with pytest.raises(Violation, match="another table"):
        once.own(wrong)
    alone = Once(alone=True)
    alone.folded(Table(), b"a commit", mine)
    assert alone.own(wrong) is wrong


def test_a_table_that_was_changed_after_it_was_folded_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody else would see it: all of them have the same one."""
    folded = Once.folded

    def spoil(self: Once, before: Table, raw: bytes, after: Table) -> None:
        folded(self, before, raw, after)
        after.hands += 1

    monkeypatch.setattr(Once, "folded", spoil)
    assert run(4, "calm").problem
