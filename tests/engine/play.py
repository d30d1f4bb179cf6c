"""Plays hands for the tests of the engine: seats are letters, cards are given by seat.

After every decision the chips and cards are checked and every amount must be a whole number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar, cast

from doorcard.cards import CARDS, Card, parse_cards
from doorcard.commands import (
    Act,
    ActionName,
    Choose,
    FloorCommand,
    OpenTable,
    SitDown,
    TimeOut,
)
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.choices import Choices, choices
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.deck import Deck
from doorcard.engine.invariants import check
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal
from doorcard.engine.streets import street_mode
from doorcard.engine.table import Hand, Table
from doorcard.errors import Refused
from doorcard.events import Event, HandStarted, PotAwarded
from doorcard.limits import Limits, Scalar

E = TypeVar("E", bound=Event)
STUD: Final = Limits("fixed_limit", ante=2, bring_in=5, small_bet=10, big_bet=20)
"""The stakes of the field reports (F1)."""
NO_BRING_IN: Final = STUD._replace(bring_in=0)
NOTHING: Final[Mapping[str, Scalar]] = {}


class SeatedCards:
    """A deck that gives each seat the cards named for it, whoever has folded before.

    A seat's cards are listed in the order received; ``?`` and cards not listed are any others.
    The ``drawn``-th player, the last unless said otherwise, wins the draw for the first deal.
    """

    def __init__(self, hands: Sequence[str], *, community: str = "", drawn: int = -1) -> None:
        self._hands = [hand.split() for hand in hands]
        self._shared = community.split()
        named = [text for hand in self._hands for text in hand if text != "?"] + self._shared
        parse_cards(named)
        self._others = [card for card in CARDS if str(card) not in named]
        self._placed: dict[int, Card] = {}
        draw = list(CARDS[: max(len(hands), 1)])
        draw[drawn] = CARDS[51]
        self.button_cards = tuple(draw)
        self.salts = (b"",) * 52
        self.pools: dict[int, str] = {}

    @property
    def cards(self) -> tuple[Card, ...]:
        used = set(self._placed.values())
        rest = iter([card for card in CARDS if card not in used])
        placed = self._placed
        return tuple(placed[place] if place in placed else next(rest) for place in range(52))

    def reshuffled(self, pool: tuple[int, ...], count: int) -> tuple[int, ...]:
        """The pool as it is: the next cards for the seats are placed into it."""
        del count
        return tuple(pool)

    def before_street(self, hand: Hand | None) -> None:
        """Put the cards of the coming street into their places."""
        if hand is None or hand.phase == "over" or hand.street == 0:
            return
        deal = hand.rules.streets[hand.street].deal
        mode = street_mode(hand)
        burning = hand.rules.house.burn
        if mode == "community":
            burned = burning and len(hand.stub) > len(deal)
            for place, text in zip(hand.stub[int(burned) :], self._shared, strict=False):
                self._place(place, text)
            return
        if mode == "individual":
            places = hand.stub[int(burning) :]
        else:
            # Reuse (R3.2): down to one card, then the pool, of which one is burned if it can be.
            first = hand.stub[1:-1] if len(hand.stub) > 1 else ()
            burned_now = hand.stub[:1] if len(hand.stub) > 1 else ()
            pool = (*hand.stub[-1:], *hand.burns, *burned_now)
            rest = hand.live * len(deal) - len(first)
            places = first + pool[int(len(pool) > rest) :]
        self._give([p.seat for p in hand.players if not p.folded], deal, places, hand)

    def start(self, seats: Sequence[int], deal: str) -> None:
        """Put the cards of the initial deal into their places, for seats in deal order."""
        self._placed.clear()
        self._give(seats, deal, range(52), None)

    def _give(
        self, seats: Sequence[int], deal: str, places: Iterable[int], hand: Hand | None
    ) -> None:
        place = iter(places)
        for turn in range(len(deal)):
            for seat in seats:
                held = 0
                if hand is not None:
                    player = hand.players[hand.index_of(seat)]
                    held = len(player.up) + len(player.down)
                listed = self._hands[seat] if seat < len(self._hands) else []
                text = listed[held + turn] if held + turn < len(listed) else "?"
                self._place(next(place), text)

    def _place(self, place: int, text: str) -> None:
        card = self._others.pop() if text == "?" else Card(text)
        self._placed[place] = card


class Play:
    """One table: seat A is seat 0. Words are as in ``"A bet 20"``."""

    def __init__(
        self,
        stacks: Sequence[int] = (),
        hands: Sequence[str] = (),
        *,
        game: str = "seven_card_stud",
        variant: str = "",
        limits: Limits = STUD,
        house: Mapping[str, Scalar] = NOTHING,
        drawn: int = -1,
        community: str = "",
        seats: int | None = None,
        deck: Deck | None = None,
    ) -> None:
        places = seats or max(len(stacks), 2)
        opened = floor.open_table(
            "p00.test", OpenTable(game, limits, variant, tuple(house.items()), places)
        )
        assert isinstance(opened, Decided), opened
        self.table: Table = opened.table
        self.events: list[Event] = list(opened.events)
        self.commits: list[tuple[Event, ...]] = [opened.events]
        in_hand = [""] * sum(stack > 0 for stack in stacks)
        self.cards = SeatedCards(hands or in_hand, community=community, drawn=drawn)
        self.deck: Deck = deck or self.cards
        for seat, stack in enumerate(stacks):
            if stack:
                self.floor(SitDown(seat, f"p{seat}", stack, f"r{seat}"))

    # --- what is asked ---------------------------------------------------------------------

    def start(self) -> Play:
        """Start a hand and deal until a seat is asked or the hand is over."""
        before = self.table.hands
        self._run(allow_new=True)
        assert self.table.hands == before + 1, "no hand was started"
        return self

    def next_hand(self, hands: Sequence[str]) -> Play:
        """Start another hand with these cards."""
        self.cards = SeatedCards(hands)
        self.deck = self.cards
        return self.start()

    def do(self, *actions: str) -> Play:
        """Play some actions; each must be granted."""
        for action in actions:
            outcome = self.ask(action)
            assert isinstance(outcome, Decided), f"{action}: {outcome}"
            self._append(outcome)
            self._run(allow_new=False)
        return self

    def ask(
        self, action: str, *, decision: int | None = None, player: str | None = None
    ) -> Decided | Refused:
        """What the table answers to an action; nothing is appended."""
        seat, name, *to = action.split()
        number = self.table.decision if decision is None else decision
        command = Act(seat_of(seat), number, _name(name), int(to[0]) if to else None, player)
        return betting.decide(self.table, command)

    def choose(self, *answers: str) -> Play:
        """Answer choices that are due: ``A roll 7c``, ``B buy Kd``, ``C decline``, ``A low``."""
        for answer in answers:
            due = choices(self.table)
            assert due is not None, "no choice is due"
            command = self._choice(due, *answer.split())
            declares = due.kind == "declare"
            decide = betting.decide if declares else partial(decide_choice, deck=self.deck)
            outcome = decide(self.table, command)
            assert isinstance(outcome, Decided), f"{answer}: {outcome}"
            self._append(outcome)
            self._run(allow_new=False)
        return self

    def refusal(self, action: str) -> str:
        """The code of a refusal, which must leave the table as it is."""
        before = self.table.draft()
        outcome = self.ask(action)
        assert isinstance(outcome, Refused), f"{action} was granted"
        assert outcome.sentence
        assert self.table == before
        return outcome.code

    def time_out(self, decision: int | None = None) -> Decided | Refused:
        """Let the time run out; what is granted is appended."""
        number = self.table.decision if decision is None else decision
        command = TimeOut(number)
        if choices(self.table) is not None and self.table.awaited == "dealer":
            outcome = decide_choice(self.table, command, self.deck)
        else:
            outcome = betting.decide(self.table, command)
        if isinstance(outcome, Decided):
            self._append(outcome)
            self._run(allow_new=False)
        return outcome

    def floor(self, command: FloorCommand) -> Decided | Refused:
        """Ask the floor; what is granted is appended."""
        outcome = floor.decide(self.table, command)
        if isinstance(outcome, Decided):
            self._append(outcome)
        return outcome

    def settle(self) -> None:
        """Pay out who asked to leave."""
        outcome = floor.settle_leavers(self.table)
        assert isinstance(outcome, Decided), outcome
        self._append(outcome)

    # --- what is seen ----------------------------------------------------------------------

    @property
    def hand(self) -> Hand:
        """The hand in progress, or the last one."""
        assert self.table.hand is not None
        return self.table.hand

    @property
    def legal(self) -> Legal:
        """The options of the seat that is asked."""
        options = legal(self.table)
        assert options is not None, "no seat is asked"
        return options

    @property
    def asked(self) -> str | None:
        """The seat that is asked, as a letter."""
        options = legal(self.table)
        return None if options is None else letter(options.seat)

    def options(self) -> str:
        """The options in words: ``A: fold, call 10, raise 20 40``."""
        return words(self.legal)

    def stacks(self) -> list[int]:
        """Chips of every taken seat, by seat."""
        return [self.table.stack(seat) for seat in sorted(self.table.seats)]

    def stack(self, seat: str) -> int:
        """Chips of one seat."""
        return self.table.stack(seat_of(seat))

    def pots(self) -> list[int]:
        """Amounts of the pots that were awarded, rake included."""
        return [award.amount for award in self.of(PotAwarded)]

    def shares(self) -> list[dict[str, int]]:
        """Who got how much of each pot."""
        found: list[dict[str, int]] = []
        for award in self.of(PotAwarded):
            got: dict[str, int] = {}
            for seat, _, chips in award.shares:
                got[letter(seat)] = got.get(letter(seat), 0) + chips
            found.append(got)
        return found

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind in the last hand."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def due(self) -> Choices:
        """The choice that is due."""
        due = choices(self.table)
        assert due is not None, "no choice is due"
        return due

    # --- inside ----------------------------------------------------------------------------

    def _run(self, *, allow_new: bool) -> None:
        """Let dealer and showdown work until a seat is asked or the hand is over."""
        while self.table.awaited in ("dealer", "showdown") and choices(self.table) is None:
            if self.table.awaited == "showdown":
                outcome = showdown.decide(self.table, self.deck)
            elif self.table.in_hand:
                if self.deck is self.cards:
                    self.cards.before_street(self.hand)
                outcome = dealer.decide(self.table, self.deck)
            elif allow_new:
                allow_new = False
                outcome = self._first_deal()
            else:
                return
            assert isinstance(outcome, Decided), outcome
            self._append(outcome)

    def _choice(self, due: Choices, seat: str, answer: str, card: str = "") -> Choose:
        number = seat_of(seat)
        if due.kind == "declare":
            return choose(number, due, "declare", answer)
        place = str(self.deck.cards.index(Card(card))) if card else ""
        return choose(number, due, answer, place)

    def _first_deal(self) -> Decided | Refused:
        """Look who is dealt in, place their cards, then deal."""
        self.events = []
        if self.deck is not self.cards:
            return dealer.decide(self.table, self.deck)
        trial = dealer.decide(self.table, self.deck)
        assert isinstance(trial, Decided), trial
        started = trial.events[0]
        assert isinstance(started, HandStarted)
        hand = trial.table.hand
        assert hand is not None
        self.cards.start(started.players, hand.rules.streets[0].deal)
        return dealer.decide(self.table, self.deck)

    def _append(self, outcome: Decided) -> None:
        self.table = outcome.table
        self.events += outcome.events
        self.commits.append(outcome.events)
        check(self.table, outcome.events)
        for event in outcome.events:
            require_whole_amounts(event)


def choose(seat: int, due: Choices, answer: str, detail: str = "") -> Choose:
    """The command for an answer; its card's place or its direction is sealed where secret."""
    match answer:
        case "declare":
            command = Choose(seat, due.decision, answer, direction=detail)
        case "roll" | "buy" | "take" | "decline" | "match" | "fold":
            command = Choose(seat, due.decision, answer, int(detail) if detail else None)
        case _:
            raise ValueError(f"{answer!r} answers no choice")
    if due.secret:
        return replace(command, place=None, direction="", sealed=detail.encode())
    return command


def require_whole_amounts(value: object) -> None:
    """Every number in an event is a whole one, and none is negative."""
    if isinstance(value, tuple | list):
        for part in cast("Iterable[object]", value):
            require_whole_amounts(part)
    else:
        assert not isinstance(value, float), value
        assert not isinstance(value, int) or value >= 0, value


def seat_of(name: str) -> int:
    """The number of a seat: A is 0."""
    return ord(name) - ord("A")


def letter(seat: int) -> str:
    """The letter of a seat: 0 is A."""
    return chr(ord("A") + seat)


def words(options: Legal) -> str:
    """Options as one line: ``A: fold, call 10, raise 20 40``."""
    said = [name for name in ("fold", "check") if getattr(options, name)]
    if options.bring_in is not None:
        said.append(f"bring_in {options.bring_in}")
    if options.call is not None:
        said.append(f"call {options.call}")
    wager = options.wager
    if wager is not None:
        amounts = " ".join(map(str, wager.totals)) or f"{wager.low}-{wager.high}"
        said.append(f"{wager.kind} {amounts}")
    return f"{letter(options.seat)}: {', '.join(said)}"


def _name(text: str) -> ActionName:
    match text:
        case "bring_in" | "complete" | "bet" | "raise" | "call" | "check" | "fold":
            return text
        case _:
            raise ValueError(f"{text!r} is no action")
