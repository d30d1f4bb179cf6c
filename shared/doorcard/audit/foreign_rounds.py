"""The streets of a hand played elsewhere: who got which cards, and what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from doorcard.cards import Card
from doorcard.errors import BadInput
from doorcard.formats.record import (
    AnteRecord,
    BetRecord,
    BuyRecord,
    ChoiceRecord,
    CommunityRecord,
    DealRecord,
    HandRecord,
    RollRecord,
    ShowRecord,
)
from doorcard.formats.streets import DealOrder, street_numbers
from doorcard.games import Game, Street

UNKNOWN: Final = "??"
Cards = tuple[Card | None, ...]


class Turn(NamedTuple):
    """One bet or other choice. A seat's cards are numbered as they came to it."""

    at: int
    """Its place in the record's actions."""
    action: BetRecord | ChoiceRecord
    card: int = -1
    """Which of the seat's cards is rolled or thrown away."""
    new: int = -1
    """Which of them is the bought one."""


@dataclass(slots=True)
class Round:
    """One street as recorded: what was dealt, then what was done."""

    street: int
    """1 is the initial deal."""
    name: str
    """What the record calls the street."""
    down: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Downcards by the number of the seat that got them: which of its cards they are."""
    up: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Upcards in the same way."""
    community: list[Card] = field(default_factory=list[Card])
    turns: list[Turn] = field(default_factory=list[Turn])

    @property
    def dealt(self) -> tuple[int, ...]:
        """Numbers of the seats that got cards of their own."""
        return tuple(self.down)

    @property
    def bets(self) -> list[tuple[int, BetRecord]]:
        """(place in the record's actions, action) of what was no other choice."""
        return [(t.at, t.action) for t in self.turns if isinstance(t.action, BetRecord)]


class Sorted(NamedTuple):
    """The streets of a record, and all cards that it tells of each seat."""

    rounds: tuple[Round, ...]
    own: Mapping[int, Cards]
    """Every card that came to each seat, in that order; None where it never became known."""
    held: Mapping[int, int]
    """How many cards each seat holds at the end."""


def sort_out(record: HandRecord, game: Game, streets: Sequence[Street]) -> Sorted:
    """Cut a record's actions into streets, and number each seat's cards.

    Raises:
        BadInput: the actions stand in an order that no hand can have, or contradict each other.
    """
    cutter = _Cutter(record, game, streets)
    shown: list[tuple[str, ShowRecord]] = []
    for place, action in enumerate(record.actions):
        where = f"actions.{place}"
        if isinstance(action, DealRecord):
            cutter.deal(where, action)
        elif isinstance(action, CommunityRecord):
            cutter.community(where, action)
        elif isinstance(action, BetRecord | ChoiceRecord):
            cutter.turn(where, place, action)
        elif isinstance(action, ShowRecord):
            cutter.learn(where, action.seat, action.cards)
            shown.append((where, action))
        elif isinstance(action, AnteRecord) and cutter.rounds:
            raise BadInput(f"{where}: an ante after the deal")
    for text, cards in record.cards.items():
        cutter.learn("cards", int(text), cards, whole=True)
    for where, show in shown:
        beyond = len(cutter.held[show.seat])
        cutter.learn(where, show.seat, [*[UNKNOWN] * beyond, *show.cards[beyond:]], whole=True)
    own = {
        seat: tuple(None if card == UNKNOWN else Card(card) for card in cards)
        for seat, cards in cutter.known.items()
    }
    return Sorted(
        tuple(cutter.rounds), own, {seat: len(held) for seat, held in cutter.held.items()}
    )


class _Cutter:
    def __init__(self, record: HandRecord, game: Game, streets: Sequence[Street]) -> None:
        self.rounds: list[Round] = []
        self.known: dict[int, list[str]] = {seat.seat: [] for seat in record.seats}
        """Every card that came to a seat, as it is written."""
        self.held: dict[int, list[int]] = {seat: [] for seat in self.known}
        """Which of them it holds, in the order dealt."""
        self._streets = streets
        self._numbers = street_numbers(streets)
        self._order = DealOrder(streets)
        self._in_parts = game.extra_card_rank is not None or game.match_pot_rank is not None

    def deal(self, where: str, action: DealRecord) -> None:
        """Cards of one seat: of the next street, or of the one that is being dealt."""
        if action.street not in self._numbers:
            raise BadInput(f"{where}: there is no street {action.street} in this game")
        street = self._numbers.index(action.street) + 1
        if street == len(self.rounds) + 1:
            self._open()
        turn = self.rounds[-1] if self.rounds else None
        again = turn is not None and (turn.turns or action.seat in turn.dealt)
        wrong = turn is None or street != turn.street or turn.community
        if turn is None or wrong or (again and not self._in_parts):
            raise BadInput(f"{where}: cards of street {action.street} out of order")
        if not self._in_parts:
            self._check_deal(where, action, self._streets[street - 1].deal)
        self._give(turn, action)

    def community(self, where: str, action: CommunityRecord) -> None:
        """A card of the next street, or one more of a street that is dealt in common."""
        turn = self.rounds[-1] if self.rounds else None
        more = (
            turn is not None
            and not turn.turns
            and 0 < len(turn.community) < len(self._streets[turn.street - 1].deal)
        )
        if action.card == UNKNOWN or not (more or 0 < len(self.rounds) < len(self._numbers)):
            raise BadInput(f"{where}: a common card is unknown or out of order")
        if not more:
            self._open()
        self.rounds[-1].community.append(Card(action.card))

    def turn(self, where: str, place: int, action: BetRecord | ChoiceRecord) -> None:
        """A bet or another choice on the street that was dealt last."""
        if not self.rounds:
            raise BadInput(f"{where}: betting before any card is dealt")
        turn = Turn(place, action)
        if isinstance(action, RollRecord):
            turn = turn._replace(card=self._held_card(where, action))
            self._tell(where, action.seat, turn.card, action.card)
        elif isinstance(action, BuyRecord):
            which = self._held_card(where, action)
            new = len(self.known[action.seat])
            turn = turn._replace(card=which, new=new)
            self._tell(where, action.seat, turn.card, action.discard)
            self.known[action.seat].append(action.card)
            self.held[action.seat][action.place] = new
        self.rounds[-1].turns.append(turn)

    def learn(self, where: str, seat: int, cards: Sequence[str], *, whole: bool = False) -> None:
        """Cards that a seat turned out to hold; ``whole``: it got no others than these."""
        held = self.held.get(seat)
        if held is None:
            raise BadInput(f"{where}: seat {seat} was not dealt in")
        while whole and len(held) < len(cards):
            held.append(len(self.known[seat]))
            self.known[seat].append(UNKNOWN)
        for which, card in zip(held, cards, strict=False):
            self._tell(where, seat, which, card)

    def _give(self, turn: Round, action: DealRecord) -> None:
        """Number a seat's new cards as they came. A seat not dealt in is left to the replay."""
        known = self.known.get(action.seat, [])
        cards = [*action.down, *action.up]
        split = len(action.down)
        order = self._order.sorted(turn.street, action.seat, range(split), range(split, len(cards)))
        numbers = {which: len(known) + place for place, which in enumerate(order)}
        known += [cards[which] for which in order]
        self.held.get(action.seat, []).extend(sorted(numbers.values()))
        turn.down.setdefault(action.seat, []).extend(numbers[i] for i in range(split))
        turn.up.setdefault(action.seat, []).extend(numbers[i] for i in range(split, len(cards)))

    def _open(self) -> None:
        number = self._numbers[len(self.rounds)]
        self.rounds.append(Round(len(self.rounds) + 1, f"street {number}"))

    def _held_card(self, where: str, action: RollRecord | BuyRecord) -> int:
        held = self.held.get(action.seat, [])
        if action.place >= len(held):
            raise BadInput(f"{where}: seat {action.seat} holds no card {action.place}")
        return held[action.place]

    def _tell(self, where: str, seat: int, which: int, card: str) -> None:
        known = self.known[seat]
        if known[which] == UNKNOWN:
            known[which] = card
        elif card not in (UNKNOWN, known[which]):
            raise BadInput(f"{where}: seat {seat} holds {known[which]}, not {card}")

    def _check_deal(self, where: str, action: DealRecord, deal: str) -> None:
        down, up = len(action.down), len(action.up)
        if (down, up) != (deal.count("d"), deal.count("u")):
            raise BadInput(f"{where}: {down} cards down and {up} up are not what this street deals")
