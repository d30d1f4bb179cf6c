"""A hand played elsewhere, sorted out for a replay: stakes, rounds, and every card by its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from doorcard.audit.foreign_rounds import Cards, Round, sort_out
from doorcard.cards import Card
from doorcard.errors import BadInput
from doorcard.formats.record import (
    AnteRecord,
    DealRecord,
    HandRecord,
    MuckRecord,
    ResultRecord,
    ShowRecord,
    UncalledRecord,
)
from doorcard.formats.streets import street_numbers, streets_in_force
from doorcard.games import GAMES, Game
from doorcard.limits import BRING_IN_OPENINGS, Limits, Scalar

WAGERS: Final = ("complete", "bet", "raise")


@dataclass(frozen=True, slots=True)
class ForeignHand:
    """One recorded hand. Seats are named by the record's numbers."""

    id: str
    game: Game
    variant: str
    limits: Limits
    house: tuple[tuple[str, Scalar], ...]
    """House rules that the record itself tells."""
    told: bool
    """Whether the record tells all of them, and the dealer position: nothing is assumed."""
    dealer: int | None
    """The player on the dealer position, counted clockwise; None for a house dealer."""
    stacks: Mapping[int, int]
    """Chips before the ante by seat, clockwise."""
    antes: Mapping[int, AnteRecord]
    dead: Mapping[int, AnteRecord]
    """Dead antes (R18.8)."""
    rounds: tuple[Round, ...]
    own: Mapping[int, Cards]
    """Every card listed of each seat, in the order it came; None where it never became known."""
    held: Mapping[int, int]
    """How many of them each seat holds at the end."""
    wild: frozenset[Card] | None
    """The cards that were wild at the end, where the record tells them."""
    uncalled: tuple[tuple[int, int], ...]
    """(seat, chips) that went back."""
    shown: frozenset[int]
    """Seats whose cards the record shows or lists, at any time."""
    mucked: frozenset[int]
    expect: ResultRecord | None
    length: int
    """How many actions are recorded."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats dealt in, clockwise from the lowest number."""
        return tuple(self.stacks)

    def known(self) -> set[Card]:
        """Every card that the record names."""
        own = {card for cards in self.own.values() for card in cards if card is not None}
        return own | {card for turn in self.rounds for card in turn.community}


def foreign_hand(record: HandRecord) -> ForeignHand:
    """Sort out a record.

    Raises:
        BadInput: the record contradicts itself, is of a game that is not played here, or holds
            only a part of a hand.
    """
    game = GAMES.get(record.game)
    if game is None:
        raise BadInput(f"there is no game called {record.game!r} here")
    stacks = {seat.seat: seat.stack for seat in sorted(record.seats, key=lambda seat: seat.seat)}
    if len(stacks) != len(record.seats):
        raise BadInput("seats: a seat is listed twice")
    house = _told(record, game)
    streets = streets_in_force(game, record.variant, dict(house))
    rounds, own, held = sort_out(record, game, streets)
    if not rounds:
        raise BadInput("actions: no cards are dealt, so this is no whole hand")
    hand = ForeignHand(
        record.id,
        game,
        _variant(record, game, rounds[0]),
        _limits(record, rounds[0]),
        house,
        record.house is not None,
        _dealer(record, stacks),
        stacks,
        _antes(record, "ante"),
        _antes(record, "dead_ante"),
        rounds,
        own,
        held,
        None if record.wild is None else frozenset(map(Card, record.wild)),
        tuple((a.seat, a.amount) for a in record.actions if isinstance(a, UncalledRecord)),
        frozenset(a.seat for a in record.actions if isinstance(a, ShowRecord)),
        frozenset(a.seat for a in record.actions if isinstance(a, MuckRecord)),
        record.expect,
        len(record.actions),
    )
    _check_cards(hand)
    _check_result(hand)
    return hand


def _antes(record: HandRecord, kind: str) -> dict[int, AnteRecord]:
    antes: dict[int, AnteRecord] = {}
    for place, action in enumerate(record.actions):
        if isinstance(action, AnteRecord) and action.a == kind:
            if action.seat in antes:
                raise BadInput(f"actions.{place}: seat {action.seat} antes twice")
            antes[action.seat] = action
    return antes


# --- what is played --------------------------------------------------------------------------


def _told(record: HandRecord, game: Game) -> tuple[tuple[str, Scalar], ...]:
    """The house rules that a record tells, or those that cannot be missed in it."""
    if record.house is not None:
        if record.variant and record.variant not in game.variants:
            raise BadInput(f"variant: {game.name} has none called {record.variant!r}")
        return tuple(
            (name, tuple(value) if isinstance(value, list) else value)
            for name, value in record.house.items()
        )
    if ("last_card_down", True) not in game.other_streets:
        return ()
    last = street_numbers(game.streets)[-1]
    for action in record.actions:
        if isinstance(action, DealRecord) and action.street == last and action.down:
            return (("last_card_down", True),)
    return ()


def _dealer(record: HandRecord, stacks: Mapping[int, int]) -> int | None:
    if record.dealer is None:
        return None
    if record.dealer not in stacks:
        raise BadInput(f"dealer: seat {record.dealer} was not dealt in")
    return list(stacks).index(record.dealer)


def _variant(record: HandRecord, game: Game, first: Round) -> str:
    """The variant with or without a bring-in, whichever the record shows; empty for the default."""
    if record.house is not None:
        return record.variant
    wanted = _has_bring_in(record, game, first)
    if (game.opening in BRING_IN_OPENINGS) == wanted:
        return ""
    fitting = [
        name
        for name, switches in game.variants.items()
        if (switches.get("opening", game.opening) in BRING_IN_OPENINGS) == wanted
    ]
    low_first = [name for name in fitting if game.variants[name].get("opening") == _LOW_CARD]
    return (low_first or fitting or [""])[0]


_LOW_CARD: Final = "low_card_bring_in"


def _has_bring_in(record: HandRecord, game: Game, first: Round) -> bool:
    names = {action.a for _, action in first.bets}
    if record.bring_in or names & {"bring_in", "complete"}:
        return True
    if record.bring_in == 0 or names & {"check", "bet"}:
        return False
    return game.opening in BRING_IN_OPENINGS


def _limits(record: HandRecord, first: Round) -> Limits:
    names = {action.a for _, action in first.bets}
    game = GAMES[record.game]
    bring_in = record.bring_in or 0
    if not bring_in and _has_bring_in(record, game, first):
        bring_in = _likely_bring_in(record, first)
    if not bring_in and names & {"bring_in"}:
        raise BadInput("bring_in: posted, but its amount is 0")
    spread = record.structure == "spread_limit"
    return Limits(
        record.structure,
        record.ante,
        bring_in,
        0 if spread else record.small_bet,
        0 if spread else record.big_bet,
        spread_min=record.small_bet if spread else 0,
        spread_max=record.big_bet if spread else 0,
    )


def _likely_bring_in(record: HandRecord, first: Round) -> int:
    """A bring-in that fits where the record does not tell it.

    Posted in full, or called in full, it shows. Posted all-in it was more than that. Where
    nobody posted one, or nobody had to call it, any amount gives the same hand.
    """
    least = 1
    for _, action in first.bets:
        if action.a == "bring_in" and not action.all_in:
            return action.amount
        if action.a == "bring_in":
            least = action.amount + 1
        elif action.a == "call" and not action.all_in and action.to >= least:
            return action.to
        elif action.a in WAGERS:
            break
    return max(1, min(least, record.small_bet))


# --- cards -----------------------------------------------------------------------------------


def _check_cards(hand: ForeignHand) -> None:
    seen: set[Card] = set()
    everything = [card for cards in hand.own.values() for card in cards]
    everything += [card for turn in hand.rounds for card in turn.community]
    for card in everything:
        if card is not None:
            if card in seen:
                raise BadInput(f"cards: {card} occurs twice")
            seen.add(card)


def _check_result(hand: ForeignHand) -> None:
    if hand.expect is not None and {int(text) for text in hand.expect.final_stacks} != set(
        hand.seats
    ):
        raise BadInput("expect.final_stacks: these are not the seats that were dealt in")
