"""Design guarantee 4 for views: over random hands nobody is shown a card that is not theirs.

Every view gets all cards of the deck handed in, and must leave out what its viewer may not see.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doorcard.cards import Card
from doorcard.commands import Choose
from doorcard.engine import betting
from doorcard.engine.choices import choices
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.games.describe import wild_texts
from doorcard.limits import Scalar
from doorcard.local import answer
from doorcard.testing import StackedDeck
from doorcard.views import (
    AUDITOR,
    SPECTATOR,
    TableView,
    Viewer,
    event_text,
    redact,
    render,
    view,
    view_json,
)
from tests.views.played import KINDS, NAMES, Moment, card_texts, moments

CARD_FIELDS: Final = frozenset({"card", "cards", "up", "down", "community"})
HOUSES: Final[tuple[dict[str, Scalar], ...]] = (
    {},
    {"expose_all_in": True},
    {"auto_muck": False, "dealer_mode": "fixed"},
    {"exhaustion": "community_only", "burn": False},
)
hands = st.builds(
    moments,
    seed=st.integers(0, 2**32),
    kind=st.sampled_from(KINDS),
    seats=st.integers(2, len(NAMES)),
    house=st.sampled_from(HOUSES),
    hands=st.just(2),
)


def viewers(moment: Moment) -> list[Viewer]:
    """Every seat, one that nobody holds, and those who have no seat."""
    return [*moment.table.seats, 99, SPECTATOR, AUDITOR]


def seen_by(viewer: Viewer, moment: Moment) -> TableView:
    """A view without the cards that it names because they are wild, whoever holds them."""
    seen = view(moment.table, viewer, moment.opened, moment.events)
    hand = moment.table.hand
    assert seen.wild == (() if hand is None else wild_texts(hand.wild))
    return seen._replace(wild=())


@settings(max_examples=40)
@given(hands)
def test_no_view_shows_a_card_that_is_not_its_viewers(hand: Iterator[Moment]) -> None:
    for moment in hand:
        for viewer in viewers(moment):
            seen = seen_by(viewer, moment)
            allowed = moment.account.may_see(viewer)
            assert set(cards_in(seen)) <= allowed
            assert card_texts(render(seen)) <= allowed
            data = view_json(seen)
            assert card_texts(json.dumps(data)) <= allowed
            check_card_fields(data)


@settings(max_examples=40)
@given(hands)
def test_no_event_shows_a_card_that_is_not_its_viewers(hand: Iterator[Moment]) -> None:
    for moment in hand:
        for viewer in viewers(moment):
            allowed = moment.account.may_be_told(viewer)
            for event in moment.tellable:
                data = redact(event, viewer, moment.opened)
                assert card_texts(json.dumps(data)) <= allowed
                assert card_texts(event_text(event, viewer, moment.opened)) <= allowed
                check_card_fields(data)


@settings(max_examples=20)
@given(hands)
def test_everybody_is_shown_what_they_may_see(hand: Iterator[Moment]) -> None:
    """Hiding all would keep every secret too."""
    for moment in hand:
        if moment.table.hand is None:
            continue
        for viewer in viewers(moment):
            seen = seen_by(viewer, moment)
            assert set(cards_in(seen)) == moment.account.may_see(viewer)
            assert card_texts(render(seen)) == moment.account.may_see(viewer)
        for seat in view(moment.table, AUDITOR, moment.opened).seats:
            assert None not in seat.down


@settings(max_examples=20)
@given(hands)
def test_without_opened_cards_only_the_public_ones_are_known(hand: Iterator[Moment]) -> None:
    for moment in hand:
        for viewer in viewers(moment):
            assert set(cards_in(view(moment.table, viewer))) <= moment.account.public
            for event in moment.tellable:
                told = event_text(event, viewer) + json.dumps(redact(event, viewer))
                assert card_texts(told) <= moment.account.may_be_told(SPECTATOR)


# --- choices made in secret ------------------------------------------------------------------

SECRET: Final = (
    ("roll_your_own", "seven"),
    ("roll_your_own", "four_by_two"),
    ("five_card_high_low_declare", "simultaneous"),
    ("five_card_high_low_buy", "one_buy"),
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", SECRET)
def test_nobody_sees_a_difference_between_two_secret_choices(
    kind: tuple[str, str], seed: int
) -> None:
    """R16.3, R17.6: until the last one is made, not even the chooser's own view tells which."""
    compared = 0
    for moment in moments(seed, kind, 4, {}):
        due = choices(moment.table)
        if due is None or not due.secret or len(due.seats) < 2:
            continue
        for seat in due.seats:
            told = [told_after(moment, command) for command in all_choices(moment.table, seat)]
            assert len(told) > 1
            assert len(set(told)) == 1
            compared += len(told)
    assert compared


def all_choices(table: Table, seat: int) -> list[Choose]:
    due, hand = choices(table), table.hand
    assert due is not None
    assert hand is not None
    if due.kind == "declare":
        return [answer(table, seat, "declare", None, way) for way in due.directions]
    places = hand.players[hand.index_of(seat)].down
    return [answer(table, seat, "roll", place) for place in places]


def told_after(moment: Moment, command: Choose) -> str:
    """Everything that anybody sees and is told of a table after a choice."""
    if moment.table.awaited == "dealer":
        deck = StackedDeck(str(moment.opened[place]) for place in range(52))
        decided = decide_choice(moment.table, command, deck)
    else:
        decided = betting.decide(moment.table, command)
    assert isinstance(decided, Decided)
    lines: list[str] = []
    for viewer in viewers(moment):
        seen = view(decided.table, viewer, moment.opened, decided.events)
        lines += [json.dumps(view_json(seen)), render(seen)]
        for event in decided.events:
            lines.append(json.dumps(redact(event, viewer, moment.opened)))
            lines.append(event_text(event, viewer, moment.opened))
    assert any('"chosen": true' in line for line in lines)
    return "\n".join(lines)


def test_only_who_is_asked_sees_what_may_be_answered() -> None:
    for kind in SECRET:
        for moment in moments(1, kind, 3, {}):
            for viewer in viewers(moment):
                choice = view(moment.table, viewer, moment.opened).choice
                if choice is not None:
                    asked = viewer in choice.seats
                    assert bool(choice.answers) == asked
                    assert not choice.own or asked
                    assert not choice.directions or asked


def cards_in(value: object) -> Iterator[Card]:
    """Every card anywhere in a record, as the object that it is."""
    if isinstance(value, Card):
        yield value
    elif isinstance(value, tuple):
        for item in cast("tuple[object, ...]", value):
            yield from cards_in(item)


def check_card_fields(data: object, *, of_cards: bool = False) -> None:
    """What stands where cards belong is text or nothing: no card hides as a number."""
    if isinstance(data, dict):
        for name, value in cast("dict[str, object]", data).items():
            check_card_fields(value, of_cards=name in CARD_FIELDS)
    elif isinstance(data, list):
        for item in cast("list[object]", data):
            check_card_fields(item, of_cards=of_cards)
    elif of_cards:
        assert data is None or isinstance(data, str)
