"""The log as a viewer may see it: which fields of each event are shown, and in which words."""

from __future__ import annotations

import json
from typing import Final

import pytest

from doorcard.cards import Card, parse_cards
from doorcard.event_types import EVENT_TYPES
from doorcard.events import (
    AntesPosted,
    BetMade,
    BringInPosted,
    Called,
    CardBought,
    CardDeclined,
    CardsExposed,
    Checked,
    ChipsAdded,
    Completed,
    DealerDrawn,
    Dealt,
    DeclarationMade,
    DeclarationsOpened,
    Declared,
    Event,
    ExtraCardPaid,
    Folded,
    GameCalled,
    HandEnded,
    HandMucked,
    HandShown,
    HandStarted,
    HandVoided,
    LeaveAsked,
    MatchDeclined,
    PotAwarded,
    PotMatched,
    Raised,
    RollChosen,
    Rolled,
    SatIn,
    SatOut,
    SeatLeft,
    SeatTaken,
    StreetClosed,
    TableClosed,
    TableOpened,
    TablePaused,
    TableResumed,
    TimeGiven,
    UncalledReturned,
)
from doorcard.limits import Limits
from doorcard.tables import GameSpec, Seat, Snapshot, TableConfig
from doorcard.views import AUDITOR, SPECTATOR, Viewer, event_text, redact

KEY: Final = b"PUBLIC-KEY-OF-SEAT-1-32-BYTES-ok"
SEALED: Final = b"sealed-bytes-that-nobody-may-see"
SALT: Final = b"salt-of-one-card"
CHAIN: Final = b"chain-hash-before-this-commit-32"
REQUEST: Final = "request-7f3a"
SPEC: Final = GameSpec("razz", "", Limits(ante=1, bring_in=2, small_bet=5, big_bet=10))
CONFIG: Final = TableConfig(SPEC, 6)
SNAPSHOT: Final = Snapshot(
    1,
    CONFIG,
    (
        Seat(1, "ann", 90, KEY, requests=((REQUEST, 90),)),
        Seat(3, "bob", 80, KEY, requests=((REQUEST, 80),)),
        Seat(5, "cas", 70, KEY, sitting_out=True),
    ),
    4,
    77,
    3,
    False,
    240,
    0,
    0,
)
OPEN: Final = ((6, Card("As"), SALT), (9, Card("2c"), SALT))
BOUGHT: Final = CardBought(1, 10, 0, 20, (), (20, 21), SEALED)
EVENTS: Final[tuple[Event, ...]] = (
    TableOpened("t1", CONFIG),
    TableClosed(),
    TablePaused("maintenance"),
    TableResumed(),
    SeatTaken(1, "ann", 90, KEY, REQUEST),
    SeatLeft(1, "ann", 90),
    LeaveAsked(1),
    SatOut(1),
    SatIn(1),
    ChipsAdded(1, 10, REQUEST),
    HandVoided("wrong deck", ((1, 3), (3, 5))),
    HandStarted(5, "t1", 1, SPEC, 3, (1, 3), SNAPSHOT, CHAIN, "deck-key-1", SEALED, (CHAIN,) * 52),
    DealerDrawn(((1, Card("Kd")), (3, Card("Ks")))),
    AntesPosted(((1, 1), (3, 1)), ((3, 1),)),
    Dealt(
        1,
        None,
        ((1, 0), (3, 1)),
        ((1, 2, Card("Td"), SALT), (3, 3, Card("9h"), SALT)),
        (),
        (),
        None,
        ((1, SEALED), (3, SEALED)),
    ),
    CardsExposed(1, OPEN),
    BringInPosted(1, 2),
    Completed(1, 5, 5),
    BetMade(1, 10, 10),
    Raised(3, 20, 20),
    Called(1, 10),
    Checked(1),
    Folded(3),
    UncalledReturned(1, 10),
    StreetClosed(2),
    HandShown(1, OPEN),
    HandMucked(3),
    PotAwarded(0, 41, 1, ((1, "high", 20), (3, "low", 20))),
    HandEnded(5),
    GameCalled(1, 1),
    RollChosen(1, SEALED),
    Rolled(((1, 6, Card("As"), SALT), (3, 9, Card("2c"), SALT))),
    BOUGHT,
    CardDeclined(3),
    ExtraCardPaid(1, 3),
    PotMatched(3, 25),
    MatchDeclined(3),
    DeclarationMade(1, SEALED),
    Declared(3, "low"),
    DeclarationsOpened(((1, "high"), (3, "both"))),
    TimeGiven((1, 3), 12_500, ((7_000, 19_500),)),
)
OPENED: Final = {0: Card("2c"), 1: Card("Kh"), 20: Card("Jc"), 6: Card("As")}
VIEWERS: Final[tuple[Viewer, ...]] = (1, 3, 99, SPECTATOR, AUDITOR)


def of(kind: type[Event]) -> Event:
    return next(event for event in EVENTS if type(event) is kind)


def test_there_is_a_sample_of_every_event() -> None:
    assert {type(event) for event in EVENTS} == set(EVENT_TYPES.values())


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_keys_seals_hashes_salts_and_requests_are_shown_to_nobody(
    event: Event, viewer: Viewer
) -> None:
    told = json.dumps(redact(event, viewer, OPENED)) + event_text(event, viewer, OPENED)
    for secret in (KEY, SEALED, SALT, CHAIN):
        assert secret.decode() not in told
        assert secret.hex() not in told
    assert REQUEST not in told
    assert "deck-key-1" not in told


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_a_redacted_event_is_named_and_survives_json(event: Event) -> None:
    data = redact(event, SPECTATOR)
    assert data["event"] == type(event).__name__
    assert json.loads(json.dumps(data)) == data


def test_the_start_of_a_hand_tells_who_plays_for_what() -> None:
    assert redact(of(HandStarted), 1) == {
        "event": "HandStarted",
        "hand": 5,
        "game": "razz",
        "variant": "",
        "limits": {
            "structure": "fixed_limit",
            "ante": 1,
            "bring_in": 2,
            "small_bet": 5,
            "big_bet": 10,
            "min_bet": 0,
            "spread_min": 0,
            "spread_max": 0,
        },
        "house": {},
        "dealer": 3,
        "seats": [
            {"seat": 1, "player": "ann", "stack": 90},
            {"seat": 3, "player": "bob", "stack": 80},
        ],
    }


@pytest.mark.parametrize(
    ("viewer", "down"),
    [
        (1, ["2c", None]),
        (3, [None, "Kh"]),
        (99, [None, None]),
        (SPECTATOR, [None, None]),
        (AUDITOR, ["2c", "Kh"]),
    ],
)
def test_a_deal_shows_each_viewer_their_own_downcards(
    viewer: Viewer, down: list[str | None]
) -> None:
    assert redact(of(Dealt), viewer, OPENED) == {
        "event": "Dealt",
        "street": 1,
        "burned": False,
        "down": [{"seat": 1, "card": down[0]}, {"seat": 3, "card": down[1]}],
        "up": [{"seat": 1, "card": "Td"}, {"seat": 3, "card": "9h"}],
        "community": [],
        "reshuffled": False,
        "asked": [],
    }
    first, second = (card or "??" for card in down)
    told = event_text(of(Dealt), viewer, OPENED, {1: "ann", 3: "bob"})
    assert told == f"dealt: ann {first} Td, bob {second} 9h"


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_downcard_that_is_bought_or_thrown_away_is_its_owners(viewer: Viewer) -> None:
    data = redact(BOUGHT, viewer, OPENED)
    words = event_text(BOUGHT, viewer, OPENED)
    if viewer in (1, AUDITOR):
        assert (data["discard"], data["card"]) == ("2c", "Jc")
        assert words == "seat 1 pays 10, throws away 2c and gets Jc"
    else:
        assert (data["discard"], data["card"]) == (None, None)
        assert words == "seat 1 pays 10, throws away a downcard and gets an unseen card"
    assert (data["seat"], data["price"], data["face_up"], data["reshuffled"]) == (
        1,
        10,
        False,
        True,
    )


@pytest.mark.parametrize("viewer", VIEWERS)
def test_an_upcard_that_is_bought_or_thrown_away_is_everybodys(viewer: Viewer) -> None:
    """R17.1: it lies as the old one lay, so that was seen by everybody too."""
    event = CardBought(1, 10, 6, 20, ((20, Card("Jc"), SALT),))
    data = redact(event, viewer, OPENED)
    assert (data["face_up"], data["discard"], data["card"]) == (True, "As", "Jc")
    assert event_text(event, viewer) == "seat 1 pays 10, throws away an upcard and gets Jc"


@pytest.mark.parametrize("kind", [RollChosen, DeclarationMade])
def test_of_a_secret_choice_only_its_seat_is_told(kind: type[Event]) -> None:
    """R16.3, R17.6: the auditor, who may see all cards, has to wait for the opening too."""
    for viewer in VIEWERS:
        assert redact(of(kind), viewer, OPENED) == {"event": kind.__name__, "seat": 1}


def test_whoever_an_upcard_asks_something_is_named() -> None:
    event = Dealt(1, None, (), ((1, 2, Card("3d"), SALT),), due=((3, "u"),), asked=((1, "match"),))
    assert redact(event, SPECTATOR)["asked"] == [{"seat": 1, "kind": "match"}]


def test_a_mixed_table_names_all_its_games() -> None:
    other = SPEC._replace(game="seven_card_stud")
    event = TableOpened("t1", CONFIG._replace(others=(other,), change="orbit"))
    data = redact(event, SPECTATOR)
    assert isinstance(data["others"], list)
    assert [spec["game"] for spec in data["others"] if isinstance(spec, dict)] == [
        "seven_card_stud"
    ]
    assert data["change"] == "orbit"
    assert event_text(event, SPECTATOR) == "table t1 opens: Razz, Seven-card stud, 6 seats"


def test_a_reshuffle_tells_nothing_of_the_order() -> None:
    event = Dealt(5, 30, (), (), ((40, Card("6h"), SALT),), (40, 12, 30))
    data = redact(event, SPECTATOR)
    assert (data["burned"], data["reshuffled"], data["community"]) == (True, True, ["6h"])
    assert event_text(event, SPECTATOR) == "for everybody: 6h"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (TableOpened, "table t1 opens: Razz, 6 seats"),
        (SeatTaken, "ann sits down at seat 1 with 90"),
        (HandStarted, "hand 5: bob deals"),
        (DealerDrawn, "drawn for the deal: ann Kd, bob Ks"),
        (AntesPosted, "antes: ann 1, bob 1; dead antes: bob 1"),
        (BringInPosted, "ann brings it in for 2"),
        (Completed, "ann completes to 5"),
        (BetMade, "ann bets 10"),
        (Raised, "bob raises to 20"),
        (Called, "ann calls 10"),
        (UncalledReturned, "10 uncalled go back to ann"),
        (StreetClosed, ""),
        (HandShown, "ann shows As 2c"),
        (CardsExposed, "ann shows As 2c"),
        (HandMucked, "bob mucks"),
        (PotAwarded, "the pot of 41, rake 1: ann wins 20 (high), bob wins 20 (low)"),
        (HandVoided, "the hand is void (wrong deck); back go: ann 3, bob 5"),
        (SeatLeft, "ann leaves with 90"),
        (GameCalled, "ann calls game 2 of the mix"),
        (RollChosen, "ann has chosen a card to turn up"),
        (Rolled, "turned up: ann As, bob 2c"),
        (CardBought, "ann pays 10, throws away a downcard and gets an unseen card"),
        (CardDeclined, "bob wants no card"),
        (ExtraCardPaid, "ann pays 3 for an extra card"),
        (PotMatched, "bob puts in 25 to match the pot"),
        (MatchDeclined, "bob folds and does not match the pot"),
        (DeclarationMade, "ann has declared in secret"),
        (Declared, "bob declares low"),
        (DeclarationsOpened, "declared: ann high, bob both"),
        (TimeGiven, "12.5 s more for ann, bob: the store took no writes meanwhile"),
    ],
)
def test_events_in_words(kind: type[Event], words: str) -> None:
    assert event_text(of(kind), SPECTATOR, names={1: "ann", 3: "bob"}) == words


def test_seats_without_a_name_are_called_by_their_number() -> None:
    assert event_text(Checked(3), SPECTATOR) == "seat 3 checks"
    assert event_text(Checked(3), SPECTATOR, names={3: "a\nb"}) == "a?b checks"


def test_shown_cards_are_shown_to_everybody() -> None:
    shown = [str(card) for card in parse_cards("As 2c")]
    for viewer in VIEWERS:
        assert redact(of(HandShown), viewer)["cards"] == shown
        assert redact(of(CardsExposed), viewer)["cards"] == shown
