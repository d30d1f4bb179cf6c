"""Random hands of every game, variant, structure and house rule hold what every hand must.

``DOORCARD_GAME_HANDS`` is the number of hands of each game in each structure; ``make soak-games``
sets it to 10,000.
"""

from __future__ import annotations

import os
import random
from typing import Final, cast

import pytest

from doorcard.engine.reducer import apply_to, fold
from doorcard.engine.ruleset import ruleset
from doorcard.engine.table import Table, facts
from doorcard.events import ChipsAdded, DealerDrawn, Event, HandStarted, SeatLeft, SeatTaken
from doorcard.games import GAMES
from doorcard.limits import Structure
from doorcard.rankings.hands import NO_WILD
from doorcard.streams.codec import decode, encode
from doorcard.streams.commit import Commit
from doorcard.tables import Role
from doorcard.views import AUDITOR, SPECTATOR, Viewer, redact, view
from tests.games.random_hands import STRUCTURES, Played, play_table, random_spec, switches
from tests.views.played import Account, card_texts

HANDS: Final = int(os.environ.get("DOORCARD_GAME_HANDS", "20"))
"""Random hands of every game in every structure; more for a soak."""
EXPECTED: Final = {
    "roll_your_own": {"RollChosen", "Rolled"},
    "five_card_high_low_buy": {"CardBought", "CardDeclined", "DeclarationsOpened"},
    "five_card_high_low_declare": {"DeclarationMade", "DeclarationsOpened", "Declared"},
    "baseball": {"ExtraCardPaid", "CardDeclined", "PotMatched", "MatchDeclined"},
}
"""What comes up in one game alone; the rest comes up in every game."""
EVERYWHERE: Final = {
    "Called", "Checked", "Folded", "HandShown", "HandVoided", "LeaveAsked",
    "PotAwarded", "Raised", "SatIn", "SatOut", "SeatLeft", "SeatTaken", "UncalledReturned",
}  # fmt: skip


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("game", sorted(GAMES))
def test_random_hands_hold_what_every_hand_must(game: str, structure: Structure) -> None:
    """R1.5, R2.7, R6.4, R12.6, R18.4: every hand ends, and all of it holds.

    What is counted after every commit stands in ``random_hands``.
    """
    count = seed = 0
    while count < HANDS:
        rng = random.Random(f"{game} {structure} {seed}")
        spec = random_spec(game, structure, rng)
        try:
            for played in play_table(spec, rng, hands=1 + seed % 3):
                chips_are_kept(played)
                folds_in_parts(played, rng)
                is_encoded_exactly(played)
                if count % 10 == 0:
                    nobody_sees_too_much(played)
                count += 1
        except AssertionError as error:
            error.add_note(f"{spec}, seed {seed}, hand {count}")
            raise
        seed += 1


@pytest.mark.parametrize("game", sorted(GAMES))
def test_everything_comes_up_that_may(game: str) -> None:
    """Otherwise the hands would not be random enough."""
    missing = EVERYWHERE | EXPECTED.get(game, set())
    for seed in range(1000):
        if not missing:
            break
        rng = random.Random(f"{game} {seed}")
        for played in play_table(random_spec(game, STRUCTURES[seed % 4], rng), rng, hands=2):
            missing -= played.kinds
    assert not missing


def chips_are_kept(played: Played) -> None:
    """R12.6, after every single event: all chips brought in are behind, in the pot or gone."""
    draft = played.before.draft()
    brought = draft.chips_in
    for event in played.events:
        apply_to(draft, event)
        if isinstance(event, SeatTaken | ChipsAdded):
            brought += event.chips
        held = sum(draft.stack(seat.seat) + seat.waiting for seat in draft.seats.values())
        pot = draft.hand.pot if draft.hand is not None else 0
        assert held + pot + draft.rake + draft.chips_out == brought == draft.chips_in
    assert draft == played.table
    assert played.table.awaited in (None, "dealer")
    assert played.table.hand is not None
    assert played.table.hand.pot == 0


def folds_in_parts(played: Played, rng: random.Random) -> None:
    """Folding everything, or first the one part and then the other, is the same."""
    events = played.events
    cut = rng.randrange(len(events) + 1)
    assert fold(played.before, events) == played.table
    assert fold(fold(played.before, events[:cut]), events[cut:]) == played.table


def is_encoded_exactly(played: Played) -> None:
    """What is read from a log is what was written."""
    for role, events, _ in played.commits:
        commit = Commit(1, cast("Role", role), "cause", b"", bytes(8), events)
        assert decode(encode(commit)) == commit


def nobody_sees_too_much(played: Played) -> None:
    """R2.6, R2.7: no view and no told event holds a card that its viewer was not shown."""
    account = Account(played.deck.cards)
    opened = dict(enumerate(played.deck.cards))
    wild = ruleset(played.spec).wild
    for _, events, table in played.commits:
        for event in events:
            account.note(event)
            if isinstance(event, SeatLeft):  # whoever takes the seat next has seen nothing
                account.own.pop(event.seat, None)
                account.gone.pop(event.seat, None)
        viewers: tuple[Viewer, ...] = (*table.seats, 99, SPECTATOR, AUDITOR)
        for viewer in viewers:
            seen = view(table, viewer, opened, events)._replace(wild=(), house=())
            assert card_texts(repr(seen)) <= account.may_see(viewer)
            for event in events:
                if isinstance(event, DealerDrawn):
                    continue  # from another deck, and public (R2.9)
                told = card_texts(repr(redact(event, viewer, opened)))
                # The start of a hand says which cards are wild, whoever holds them.
                named = wild if isinstance(event, HandStarted) else NO_WILD
                assert told <= account.may_be_told(viewer) | named


def test_every_house_rule_is_met() -> None:
    """Each value that is not the usual one is played, in some game."""
    met: set[tuple[str, object]] = set()
    for game in GAMES:
        for seed in range(200):
            rng = random.Random(f"{game} {seed}")
            met.update(random_spec(game, STRUCTURES[seed % 4], rng).house)
    assert {(name, v) for game in GAMES for name, vs in switches(game).items() for v in vs} <= met


def test_a_hand_starts_from_its_snapshot() -> None:
    """Whatever was folded before: a hand's first event holds the whole table."""
    for game in GAMES:
        rng = random.Random(game)
        (played,) = play_table(random_spec(game, "fixed_limit", rng), rng, rough=False)
        events: list[Event] = played.events
        assert isinstance(events[0], HandStarted)
        assert facts(fold(Table(), events).hand) == facts(played.table.hand)
