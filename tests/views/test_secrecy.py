"""Design guarantee 4 for views: over random hands nobody is shown a card that is not theirs.

Every view gets all cards of the deck handed in, and must leave out what its viewer may not see.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from doorcard.cards import Card
from doorcard.limits import Scalar
from doorcard.views import AUDITOR, SPECTATOR, Viewer, event_text, redact, render, view, view_json
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


@settings(max_examples=40)
@given(hands)
def test_no_view_shows_a_card_that_is_not_its_viewers(hand: Iterator[Moment]) -> None:
    for moment in hand:
        for viewer in viewers(moment):
            seen = view(moment.table, viewer, moment.opened, moment.events)
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
            allowed = moment.account.may_see(viewer)
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
            seen = view(moment.table, viewer, moment.opened)
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
                assert card_texts(told) <= moment.account.public


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
