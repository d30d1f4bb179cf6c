"""A hand played elsewhere, sorted out for a replay: stakes, rounds, and every card by its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from doorcard.cards import Card
from doorcard.errors import BadInput
from doorcard.formats.record import (
    AnteRecord,
    BetRecord,
    CommunityRecord,
    DealRecord,
    HandRecord,
    MuckRecord,
    ResultRecord,
    ShowRecord,
    UncalledRecord,
)
from doorcard.games import GAMES, Game
from doorcard.limits import BRING_IN_OPENINGS, Limits, Scalar

WAGERS: Final = ("complete", "bet", "raise")
UNKNOWN: Final = "??"
Cards = tuple[Card | None, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """One street as recorded: what was dealt, then what was done."""

    street: int
    """1 is the initial deal."""
    name: str
    """What the record calls the street."""
    dealt: tuple[int, ...]
    """Numbers of the seats that got cards of their own."""
    community: Card | None
    bets: tuple[tuple[int, BetRecord], ...]
    """(place in the record's actions, action)."""


@dataclass(frozen=True, slots=True)
class ForeignHand:
    """One recorded hand. Seats are named by the record's numbers."""

    id: str
    game: Game
    variant: str
    limits: Limits
    house: tuple[tuple[str, Scalar], ...]
    """House rules that the record itself tells."""
    stacks: Mapping[int, int]
    """Chips before the ante by seat, clockwise."""
    antes: Mapping[int, AnteRecord]
    rounds: tuple[Round, ...]
    own: Mapping[int, Cards]
    """Every card listed of each seat, in the order dealt; None where it never became known."""
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
        return own | {turn.community for turn in self.rounds if turn.community is not None}


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
    rounds = _rounds(record, game)
    if not rounds:
        raise BadInput("actions: no cards are dealt, so this is no whole hand")
    hand = ForeignHand(
        record.id,
        game,
        _variant(record, game, rounds[0]),
        _limits(record, rounds[0]),
        _told(record, game),
        stacks,
        _antes(record),
        rounds,
        _own_cards(record, stacks),
        tuple((a.seat, a.amount) for a in record.actions if isinstance(a, UncalledRecord)),
        frozenset(a.seat for a in record.actions if isinstance(a, ShowRecord)),
        frozenset(a.seat for a in record.actions if isinstance(a, MuckRecord)),
        record.expect,
        len(record.actions),
    )
    _check_cards(hand)
    _check_result(hand)
    return hand


# --- streets ---------------------------------------------------------------------------------


def _rounds(record: HandRecord, game: Game) -> tuple[Round, ...]:
    """Cut the actions into streets, and refuse an order that no hand can have."""
    numbers = street_numbers(game)
    rounds: list[Round] = []
    dealt: list[int] = []
    bets: list[tuple[int, BetRecord]] = []
    community: Card | None = None

    def close() -> None:
        if dealt or community is not None:
            street = len(rounds) + 1
            name = f"street {numbers[street - 1]}"
            rounds.append(Round(street, name, tuple(dealt), community, tuple(bets)))
        dealt.clear()
        bets.clear()

    for place, action in enumerate(record.actions):
        if isinstance(action, DealRecord):
            if action.street not in numbers:
                raise BadInput(f"actions.{place}: there is no street {action.street} in this game")
            street = numbers.index(action.street) + 1
            opened = len(rounds) + (1 if dealt or community is not None else 0)
            if street == opened + 1:
                close()
                community = None
            elif street != opened or bets or community is not None or action.seat in dealt:
                raise BadInput(f"actions.{place}: cards of street {action.street} out of order")
            _check_deal(place, action, game.streets[street - 1].deal, game)
            dealt.append(action.seat)
        elif isinstance(action, CommunityRecord):
            close()
            if action.card == UNKNOWN or not 0 < len(rounds) < len(numbers):
                raise BadInput(f"actions.{place}: a common card is unknown or out of order")
            community = Card(action.card)
        elif isinstance(action, BetRecord):
            if not dealt and community is None:
                raise BadInput(f"actions.{place}: betting before any card is dealt")
            bets.append((place, action))
        elif isinstance(action, AnteRecord) and (dealt or rounds):
            raise BadInput(f"actions.{place}: an ante after the deal")
    close()
    return tuple(rounds)


def street_numbers(game: Game) -> tuple[int, ...]:
    """What records call a game's streets: the cards that a player holds after each."""
    held = 0
    numbers: list[int] = []
    for street in game.streets:
        held += len(street.deal)
        numbers.append(held)
    return tuple(numbers)


def _check_deal(place: int, action: DealRecord, deal: str, game: Game) -> None:
    down, up = len(action.down), len(action.up)
    if (down, up) == (deal.count("d"), deal.count("u")):
        return
    if (down, up) == (1, 0) and _last_down(action, game):
        return
    raise BadInput(f"actions.{place}: {down} cards down and {up} up are not what this street deals")


def _last_down(action: DealRecord, game: Game) -> bool:
    return "last_card_down" in game.modifiers and action.street == street_numbers(game)[-1]


def _antes(record: HandRecord) -> dict[int, AnteRecord]:
    antes: dict[int, AnteRecord] = {}
    for place, action in enumerate(record.actions):
        if isinstance(action, AnteRecord):
            if action.seat in antes:
                raise BadInput(f"actions.{place}: seat {action.seat} antes twice")
            antes[action.seat] = action
    return antes


# --- what is played --------------------------------------------------------------------------


def _told(record: HandRecord, game: Game) -> tuple[tuple[str, Scalar], ...]:
    """House rules that cannot be missed in a record: the last card of a five-card game down."""
    for action in record.actions:
        if isinstance(action, DealRecord) and _last_down(action, game) and action.down:
            return () if "d" in game.streets[-1].deal else (("last_card_down", True),)
    return ()


def _variant(record: HandRecord, game: Game, first: Round) -> str:
    """The variant with or without a bring-in, whichever the record shows; empty for the default."""
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


def _own_cards(record: HandRecord, stacks: Mapping[int, int]) -> dict[int, Cards]:
    """Each seat's cards from all that the record says about them."""
    dealt: dict[int, list[str]] = {seat: [] for seat in stacks}
    for action in record.actions:
        if isinstance(action, DealRecord) and action.seat in dealt:
            dealt[action.seat] += [*action.down, *action.up]
    for text, cards in record.cards.items():
        _learn(dealt, int(text), cards, "cards")
    for place, action in enumerate(record.actions):
        if isinstance(action, ShowRecord):
            _learn(dealt, action.seat, action.cards, f"actions.{place}")
    return {
        seat: tuple(None if card == UNKNOWN else Card(card) for card in cards)
        for seat, cards in dealt.items()
    }


def _learn(dealt: dict[int, list[str]], seat: int, cards: list[str], where: str) -> None:
    held = dealt.get(seat)
    if held is None:
        raise BadInput(f"{where}: seat {seat} was not dealt in")
    held += [UNKNOWN] * (len(cards) - len(held))
    for i, card in enumerate(cards):
        if held[i] == UNKNOWN:
            held[i] = card
        elif card not in (UNKNOWN, held[i]):
            raise BadInput(f"{where}: seat {seat} holds {held[i]}, not {card}")


def _check_cards(hand: ForeignHand) -> None:
    seen: set[Card] = set()
    everything = [card for cards in hand.own.values() for card in cards]
    everything += [turn.community for turn in hand.rounds]
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
