"""PokerKit's own reader plays our .phh files to the same stacks, or the file says why it cannot."""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import Final

import pytest
from pokerkit import HandHistory

from doorcard.formats.history import history_of
from doorcard.formats.phh import write_phh
from doorcard.formats.phh_write import CODES
from doorcard.views.model import Viewer
from tests.formats.seeded import play

SEATS: Final = (2, 3, 4, 6, 7, 8)


def read(text: str) -> tuple[list[int], bool]:
    """Final stacks as PokerKit plays them, and whether the hand is over."""
    state = list(HandHistory.loads(text))[-1]
    return list(state.stacks), not state.status


@pytest.mark.filterwarnings("ignore:Returning reserved:UserWarning")
@pytest.mark.parametrize("game", CODES)
@pytest.mark.parametrize("seats", SEATS)
def test_pokerkit_reaches_the_same_stacks(game: str, seats: int) -> None:
    followed = 0
    for seed in range(16):
        played = play(game, seats, seed, short=seed % 2 == 0, wild=seed % 4 == 1)
        viewers: tuple[Viewer, ...] = ("auditor", "spectator", 0)
        for viewer in viewers:
            text = write_phh(history_of(played.events, played.deck, viewer))
            fields = tomllib.loads(text)
            if "_beyond_standard" in fields:
                assert fields["variant"] == game
                continue
            assert fields["variant"] == CODES[game]
            assert read(text) == (fields["finishing_stacks"], True), text
            followed += 1
    assert followed >= 16


def beyond(game: str, seats: int, seed: int) -> str:
    """Why the standard cannot follow a hand; empty if it can."""
    played = play(game, seats, seed, short=seed % 3 > 0, wild=seed % 2 == 0)
    fields = tomllib.loads(write_phh(history_of(played.events, played.deck)))
    reason = fields.get("_beyond_standard", "")
    assert isinstance(reason, str)
    return reason


def test_the_reasons_why_pokerkit_cannot_follow_are_named() -> None:
    """What PokerKit plays differently; each of these comes up in ordinary play."""
    reasons = Counter(
        beyond(game, seats, seed) for game in CODES for seats in (2, 5, 8) for seed in range(90)
    )
    assert {
        "the size of a wager",
        "the price of a short bring-in",
        "odd chips",
        "a fold before the bring-in",
    } <= set(reasons)
    assert reasons[""] > sum(reasons.values()) * 3 // 4


def test_pokerkit_indeed_refuses_or_pays_otherwise() -> None:
    refused = 0
    for seed in range(200):
        played = play("seven_card_stud", 2, seed, short=False, wild=True)
        text = write_phh(history_of(played.events, played.deck))
        fields = tomllib.loads(text)
        if fields.get("_beyond_standard") != "more than four wagers on a street":
            continue
        forced = text.replace('variant = "seven_card_stud"', 'variant = "F7S"')
        with pytest.raises(ValueError, match="Unable to repair"):
            read(forced)
        refused += 1
    assert refused
