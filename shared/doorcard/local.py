"""A whole table in one process: no server, no clock, nothing but the standard library.

For notebooks, tests, simulations and a game in the terminal. Each hand is dealt from a fresh
random deck; a deck of one's own choice is to be had from ``doorcard.testing`` only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields

from doorcard.cards import Card
from doorcard.commands import (
    Act,
    ActionName,
    Choice,
    Choose,
    FloorCommand,
    OpenTable,
    SitDown,
    TimeOut,
)
from doorcard.engine import betting, dealer, floor, invariants, showdown
from doorcard.engine.choices import Choices, choices, own_places
from doorcard.engine.dealer import NO_SECRETS, HandSecrets
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.deck import Deck
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal
from doorcard.engine.reducer import stamp
from doorcard.engine.spec_check import check_spec
from doorcard.engine.table import NO_CHAIN, NOBODY, Table
from doorcard.errors import BadInput, NotAllowed, Refused
from doorcard.events import Event
from doorcard.fairness.deck import FairDeck, leaves
from doorcard.fairness.seed import new_seed
from doorcard.limits import Limits, Scalar
from doorcard.tables import GameSpec
from doorcard.views import NOTHING, SPECTATOR, TableView, Viewer, render, view

NO_HOUSE_RULES: Mapping[str, Scalar] = {}


class LocalTable:
    """A table that deals, decides and pays as soon as it is asked.

    Everything that a table refuses is raised as ``NotAllowed`` and changes nothing. Chips, seats
    and all other numbers must be integers: anything else is a ``BadInput``.
    """

    def __init__(self, opened: Decided, next_deck: Callable[[], Deck]) -> None:
        self._next_deck = next_deck
        self._deck: Deck | None = None
        self._table = Table()
        self._commits: list[tuple[Event, ...]] = []
        self._append(opened)

    @classmethod
    def open(
        cls,
        game: str,
        *,
        limits: Limits | None = None,
        seats: int | None = None,
        variant: str = "",
        house: Mapping[str, Scalar] = NO_HOUSE_RULES,
    ) -> LocalTable:
        """Open a table.

        Args:
            game: a game's id, as in ``razz``.
            limits: the stakes; ``usual_limits`` if not given.
            seats: places at the table; the game's usual number if not given.
            variant: one of the game's variants; empty for its default.
            house: house rules by name (R20).

        Raises:
            BadInput: the seats are no integer.
            NotAllowed: there is no such game or variant, or the settings make no sense.
        """
        return cls(opened_table(game, limits, seats, variant, house), _fresh_deck)

    @property
    def table(self) -> Table:
        """The folded state, with everything in it; to be read only."""
        return self._table

    @property
    def events(self) -> tuple[Event, ...]:
        """All that ever happened here."""
        return tuple([event for commit in self._commits for event in commit])

    @property
    def commits(self) -> tuple[tuple[Event, ...], ...]:
        """The same, the events of each decision together."""
        return tuple(self._commits)

    @property
    def legal(self) -> Legal | None:
        """What the seat that is asked to bet may do; None when none is."""
        return legal(self._table)

    @property
    def choices(self) -> Choices | None:
        """The choice that is due and is no bet (R16, R17); None where there is none."""
        return choices(self._table)

    @property
    def stacks(self) -> dict[int, int]:
        """The chips of each taken seat."""
        table = self._table
        return {number: table.stack(number) for number in sorted(table.seats)}

    def sit(self, player: str, chips: int, seat: int | None = None) -> int:
        """Seat a player, on the first free seat if none is named; returns the seat's number.

        Raises:
            BadInput: the chips or the seat are no integer.
            NotAllowed: the seat is taken or unknown, or the player or the chips are refused.
        """
        if seat is None:
            seat = self._free_seat()
        self.do(SitDown(seat, player, chips, f"sit-{len(self._commits) + 1}"))
        return seat

    def deal(self) -> tuple[Event, ...]:
        """Start the next hand, up to the first decision; returns what happened.

        Raises:
            NotAllowed: a hand is in progress, or fewer than two players can be dealt in.
        """
        table = self._table
        if table.in_hand:
            raise NotAllowed(Refused("dealer/hand_running", "A hand is in progress."))
        if not table.ready_to_deal:
            raise NotAllowed(
                Refused(
                    "dealer/not_ready", "A hand needs an open table and two players with chips."
                )
            )
        before = len(self._commits)
        deck = self._deck = self._next_deck()
        self._append(dealer.decide(table, deck, _secrets(deck)))
        self._run(deck)
        return self._since(before)

    def act(self, action: ActionName, to: int | None = None) -> tuple[Event, ...]:
        """Act for the seat that is asked; returns what happened, up to the next decision.

        Args:
            action: ``bring_in``, ``complete``, ``bet``, ``raise``, ``call``, ``check``, ``fold``.
            to: for a wager: the seat's contribution to the round afterwards, in chips (R6.7). Not
                needed where only one amount is legal.

        Raises:
            BadInput: ``to`` is no integer.
            NotAllowed: nobody is asked, or the action is not legal.
        """
        options = self.legal
        if options is None:
            raise NotAllowed(Refused("betting/nobody_asked", "No seat is asked to act now."))
        return self.do(Act(options.seat, options.decision, action, to))

    def choose(
        self,
        choice: Choice,
        card: str | int | None = None,
        direction: str = "",
        seat: int | None = None,
    ) -> tuple[Event, ...]:
        """Answer a choice that is no bet; returns what happened, up to the next decision.

        Args:
            choice: ``roll``, ``buy``, ``take``, ``decline``, ``match``, ``fold`` or ``declare``.
            card: the seat's own card that is turned up or thrown away, as in ``Kd``, or its place
                in the deck, as views name it.
            direction: ``high``, ``low`` or ``both``, to declare.
            seat: who answers, where several are asked; the first of them if not given.

        Raises:
            BadCard: the text names no card.
            BadInput: the seat or the place is no integer.
            NotAllowed: nobody is asked to choose, or the answer is refused.
        """
        due = self.choices
        if due is None:
            raise NotAllowed(Refused("choice/nobody_asked", "No seat is asked to choose now."))
        asked = due.seats[0] if seat is None else _require_integer("seat", seat)
        if isinstance(card, str | Card):
            place: int | None = self._place(asked, Card(card))
        else:
            place = None if card is None else _require_integer("place", card)
        return self.do(answer(self._table, asked, choice, place, direction))

    def time_out(self) -> tuple[Event, ...]:
        """Let the time of all seats that are asked run out (R18.1, R18.2); returns what happened.

        Raises:
            NotAllowed: nobody is asked.
        """
        return self.do(TimeOut(self._table.decision))

    def do(self, command: Act | Choose | TimeOut | FloorCommand) -> tuple[Event, ...]:
        """Carry out any command; returns what happened, up to the next decision.

        Raises:
            BadInput: a number in it is no integer.
            NotAllowed: the command is refused.
        """
        _require_integers(command)
        before = len(self._commits)
        if isinstance(command, Act | Choose | TimeOut):
            self._append(self._decide(command))
        else:
            self._append(floor.decide(self._table, command))
        if self._deck is not None:
            self._run(self._deck)
        return self._since(before)

    def view(self, seat: Viewer = SPECTATOR) -> TableView:
        """The table as a seat, a spectator or the auditor sees it.

        Raises:
            BadInput: the seat is no integer.
        """
        if not isinstance(seat, str):
            _require_integer("seat", seat)
        deck = self._deck
        opened = NOTHING if deck is None else dict(enumerate(deck.cards))
        last = self._commits[-1] if self._commits else ()
        return view(self._table, seat, opened, last)

    def text(self, seat: Viewer = SPECTATOR) -> str:
        """The same in a few lines of text."""
        return render(self.view(seat))

    def opened(self) -> Mapping[int, Card]:
        """All cards of the hand's deck by index, for ``redact`` and ``event_text``."""
        return NOTHING if self._deck is None else dict(enumerate(self._deck.cards))

    def _place(self, seat: int, card: Card) -> int:
        """Where a seat's own card lies in the deck."""
        table, deck = self._table, self._deck
        hand = table.hand
        if deck is not None and hand is not None and hand.index_of(seat) != NOBODY:
            for place in own_places(table, seat, down_only=False):
                if deck.cards[place] == card:
                    return place
        raise NotAllowed(Refused("dealer/not_your_card", f"Seat {seat} has no {card}.", seat))

    def _free_seat(self) -> int:
        config = self._table.config
        places = config.seats if config is not None else 0
        for number in range(places):
            if number not in self._table.seats:
                return number
        raise NotAllowed(Refused("floor/table_full", f"All {places} seats are taken."))

    def _run(self, deck: Deck) -> None:
        """Deal, show and pay until a seat is asked or the hand is over and everybody paid out."""
        while (table := self._table).in_hand or table.awaited == "floor":
            if table.absent:  # R18.4, R18.7: they have no time at all
                self._append(self._decide(TimeOut(table.decision, absent_only=True)))
            elif table.asked:
                return
            elif table.awaited == "dealer":
                self._append(dealer.decide(table, deck))
            elif table.awaited == "showdown":
                self._append(showdown.decide(table, deck))
            else:
                self._append(floor.settle_leavers(table))

    def _decide(self, command: Act | Choose | TimeOut) -> Decided | Refused:
        """Let the role decide that the seats' answer is for."""
        if self._table.awaited == "dealer" and self._deck is not None:
            if isinstance(command, Act):
                return Refused("choice/not_a_bet", "The seat is asked for a choice.", command.seat)
            return decide_choice(self._table, command, self._deck)
        return betting.decide(self._table, command)

    def _append(self, outcome: Decided | Refused) -> None:
        if isinstance(outcome, Refused):
            raise NotAllowed(outcome)
        events, after = outcome
        if not events:
            return
        invariants.check(after, events)
        before = self._table
        stamp(after, asked_before=before.decision, seq=before.seq + 1, chain=NO_CHAIN, time_ms=0)
        self._table = after
        self._commits.append(events)

    def _since(self, before: int) -> tuple[Event, ...]:
        return tuple([event for commit in self._commits[before:] for event in commit])


def answer(
    table: Table, seat: int, choice: Choice, place: int | None = None, direction: str = ""
) -> Choose:
    """A seat's answer to the choice that is due, as a table without keys takes it.

    A secret answer travels as plain text where a player's program would seal it: there is nobody
    in between. What its seal would hide until the end is looked at here, so that nobody turns up
    another card than the one meant.

    Args:
        place: deck index of the card that is turned up or thrown away.

    Raises:
        NotAllowed: the secret answer names no downcard of the seat, or no direction.
    """
    due = choices(table)
    if due is None or not due.secret or choice not in due.answers or seat not in due.seats:
        return Choose(seat, table.decision, choice, place, direction)
    if choice == "declare":
        if direction not in due.directions:
            wanted = " or ".join(due.directions)
            raise NotAllowed(Refused("choice/bad_direction", f"Declare {wanted}.", seat))
        return Choose(seat, due.decision, choice, sealed=direction.encode())
    if place not in own_places(table, seat, down_only=True):
        raise NotAllowed(
            Refused("dealer/not_your_card", "Name one of the seat's own downcards.", seat)
        )
    return Choose(seat, due.decision, choice, sealed=str(place).encode())


def opened_table(
    game: str,
    limits: Limits | None = None,
    seats: int | None = None,
    variant: str = "",
    house: Mapping[str, Scalar] = NO_HOUSE_RULES,
) -> Decided:
    """Decide to open a table as ``LocalTable.open`` does.

    Raises:
        BadInput: the seats are no integer.
        NotAllowed: there is no such game or variant, or the settings make no sense.
    """
    if limits is None:
        limits = usual_limits(game, variant, house)
    command = OpenTable(game, limits, variant, tuple(house.items()), seats)
    _require_integers(command)
    decided = floor.open_table("local", command)
    if isinstance(decided, Refused):
        raise NotAllowed(decided)
    return decided


def usual_limits(
    game: str, variant: str = "", house: Mapping[str, Scalar] = NO_HOUSE_RULES
) -> Limits:
    """Stakes to start with: fixed limit 5/10, ante 1 and bring-in 2, or ante 2 without (R4.5).

    Raises:
        NotAllowed: there is no such game or variant, or the house rules make no sense.
    """
    limits = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
    spec = GameSpec(game, variant, limits, tuple(sorted(house.items())))
    refused = check_spec(spec)
    if refused is not None and refused.code == "limits/bad_bring_in":
        limits = limits._replace(ante=2, bring_in=0)
        refused = check_spec(spec._replace(limits=limits))
    if refused is not None:
        raise NotAllowed(refused)
    return limits


def _require_integers(command: Act | Choose | TimeOut | FloorCommand) -> None:
    """Raise ``BadInput`` unless every number in a command is an integer, as its type says."""
    for field in fields(command):
        value = getattr(command, field.name)
        if field.type == "int" or (field.type == "int | None" and value is not None):
            _require_integer(field.name, value)


def _require_integer(name: str, value: object) -> int:
    """A value that must be an integer; raises ``BadInput`` for anything else, a bool too."""
    if type(value) is not int:
        raise BadInput(f"{name} must be an integer, not {value!r:.80}")
    return value


def _fresh_deck() -> Deck:
    return FairDeck(new_seed())


def _secrets(deck: Deck) -> HandSecrets:
    """The commitments to a fair deck; a stacked one has none."""
    return HandSecrets(leaves=leaves(deck)) if isinstance(deck, FairDeck) else NO_SECRETS
