"""Plays a recorded hand through the engine and stops at the first difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from doorcard.audit.foreign_antes import all_in_words, antes_differ
from doorcard.audit.foreign_choices import choice_command, choice_words, payment_problem
from doorcard.audit.foreign_deck import RecordedDeck, stand_ins
from doorcard.audit.foreign_hand import WAGERS, ForeignHand
from doorcard.audit.foreign_result import Difference, Kind, compare_result
from doorcard.audit.foreign_rounds import Round, Turn
from doorcard.audit.foreign_setup import Setup, opened_for
from doorcard.cards import CARDS, Card
from doorcard.commands import Act, ActionName, Choose
from doorcard.engine import betting, dealer, showdown
from doorcard.engine.betting import options_text
from doorcard.engine.choices import Choices, choices
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.dealer_position import deal_order
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.engine.table import NOBODY, Hand, Player
from doorcard.errors import BadInput, Refused
from doorcard.events import Dealt, StreetClosed, UncalledReturned
from doorcard.formats.record import BetRecord


def replay(hand: ForeignHand, setup: Setup) -> Difference | None:
    """Play a recorded hand; None where the engine agrees with all of it.

    Raises:
        BadInput: no such table can be opened.
    """
    return _Replay(hand, setup).run()


class _Replay:
    def __init__(self, hand: ForeignHand, setup: Setup) -> None:
        self._hand = hand
        self._table = opened_for(hand, setup)
        config = self._table.config
        assert config is not None, "just opened"
        self._rules: Ruleset = ruleset(config.spec)
        self._deck = RecordedDeck(setup.dealer)
        order = deal_order(setup.dealer, range(len(hand.seats)))
        self._stand_ins = stand_ins(hand, self._rules, [hand.seats[place] for place in order])
        self._returned: list[tuple[int, int]] = []
        self._given: dict[int, tuple[int, int]] = {}
        """(downcards, upcards) that each seat number has got on this street."""
        self._places: dict[tuple[int, int], int] = {}
        """Deck index of a seat number's card, which is named by the order in which it came."""
        self._common = 0
        """Common cards on this street."""
        self._round = 1
        self._checked = False
        """Whether the cards of this street have been compared."""

    def run(self) -> Difference | None:
        for turn in self._hand.rounds:
            difference = self._street(turn)
            if difference is not None:
                return difference
        return self._unfinished() or compare_result(
            self._hand, self._table, self._deck, self._returned
        )

    def _unfinished(self) -> Difference | None:
        """Whether more would have to follow, or fewer cards were dealt than are listed."""
        last = self._hand.rounds[-1]

        def cut(kind: Kind, sentence: str) -> Difference:
            return Difference(kind, self._hand.length, sentence, last.street, cut=True)

        pending = self._pending()
        if pending:
            return cut("turn", f"the record ends while {pending}")
        if self._table.awaited != "showdown":
            return cut("deal", f"the record ends after {last.name}, and the hand goes on")
        state = self._state()
        if state.live > 1 and not self._hand.shown | self._hand.mucked:
            return cut("deal", "the record ends before the showdown")
        for player in state.players:
            number = self._hand.seats[player.seat]
            held = len(player.down) + len(player.up)
            if self._hand.held[number] > held:
                sentence = f"seat {number} gets {held} cards; the record lists more"
                return Difference("deal", self._hand.length, sentence)
        if self._hand.wild is not None and self._hand.wild != state.wild:
            sentence = "other cards are wild at the end than the record says"
            return Difference("wild", self._hand.length, sentence)
        return None

    def _state(self) -> Hand:
        state = self._table.hand
        assert state is not None, "a hand was begun"
        return state

    def _pending(self) -> str:
        """Who is asked for what; empty where nobody is."""
        due = choices(self._table)
        if due is not None:
            seats = ", ".join(str(self._hand.seats[seat]) for seat in due.seats)
            return f"seat {seats} is to choose (legal is {', '.join(due.answers)})"
        options = legal(self._table)
        if options is None:
            return ""
        return f"seat {self._hand.seats[options.seat]} is to act ({options_text(options)})"

    # --- a street ----------------------------------------------------------------------------

    def _street(self, turn: Round) -> Difference | None:
        at = turn.turns[0].at if turn.turns else 0
        pending = self._pending()
        if pending:
            return Difference(
                "turn", at, f"{pending}; the record deals {turn.name}", turn.street - 1
            )
        if self._table.awaited != "dealer":
            return Difference("turn", at, f"the hand is over; the record deals {turn.name}")
        self._given = dict.fromkeys(self._hand.seats, (0, 0))
        self._round = 1
        self._checked = False
        difference = self._deal(turn, at)
        for entry in () if difference is not None else turn.turns:
            difference = self._take_turn(turn, entry)
            if difference is not None:
                return difference
        return difference or (None if self._checked else self._dealt(turn, at))

    def _deal(self, turn: Round, at: int) -> Difference | None:
        dealt = self._bound_deal(turn)
        event = next(event for event in dealt.events if isinstance(event, Dealt))
        self._take(dealt)
        self._note_cards(turn, event)
        self._common = len(event.community)
        difference = antes_differ(self._hand, dealt.events)
        if difference is None and not self._state().due and not event.asked:
            difference = self._dealt(turn, at)
        return difference

    def _bound_deal(self, turn: Round) -> Decided:
        """Deal with the recorded cards lying where the engine deals from.

        What is dealt may depend on the cards before (R17.7): so it is tried until they fit.
        """
        found: dict[int, Card] = {}
        for _ in CARDS:
            deck = self._deck.with_cards(found)
            dealt = dealer.decide(self._table, deck)
            if isinstance(dealt, Refused):
                raise BadInput(dealt.sentence)
            event = next(event for event in dealt.events if isinstance(event, Dealt))
            recorded = self._recorded(turn, event)
            if recorded == found:
                break
            found = recorded
        else:
            raise BadInput(f"{turn.name}: these cards cannot be dealt")
        self._deck = deck
        return dealt

    def _recorded(self, turn: Round, event: Dealt) -> dict[int, Card]:
        """The recorded cards by the deck indices that the engine deals them from."""
        found = {place: self._card(*which) for place, which in self._which(turn, event)}
        for (place, _, _), card in zip(event.community, turn.community, strict=False):
            found[place] = card
        return {place: card for place, card in found.items() if card is not None}

    def _which(self, turn: Round, event: Dealt) -> Iterator[tuple[int, tuple[int, int]]]:
        """(deck index, (seat number, which of its cards)) of what the record lists, too."""
        sides = (
            (0, turn.down, event.down),
            (1, turn.up, tuple((seat, place) for seat, place, _, _ in event.up)),
        )
        for side, listed, dealt in sides:
            given = {number: counts[side] for number, counts in self._given.items()}
            for seat, place in dealt:
                number = self._hand.seats[seat]
                which = listed.get(number, [])[given[number] : given[number] + 1]
                given[number] += 1
                for card in which:
                    yield place, (number, card)

    def _note_cards(self, turn: Round, event: Dealt) -> None:
        self._places.update((which, place) for place, which in self._which(turn, event))
        for seat, number in enumerate(self._hand.seats):
            down, up = self._given[number]
            down += sum(owner == seat for owner, _ in event.down)
            up += sum(owner == seat for owner, _, _, _ in event.up)
            self._given[number] = (down, up)

    def _card(self, number: int, which: int) -> Card | None:
        known = self._hand.own[number][which]
        return known if known is not None else self._stand_ins.get((number, which))

    def _dealt(self, turn: Round, at: int) -> Difference | None:
        """Whether everybody got the cards that the record lists."""
        self._checked = True
        if self._common != len(turn.community):
            common = "one common card is due" if self._common else "every seat gets a card"
            return Difference("deal", at, f"{turn.name}: {common}", turn.street)
        seats = {number for number, counts in self._given.items() if counts != (0, 0)}
        if seats != set(turn.dealt):
            wrong = min(seats ^ set(turn.dealt))
            said = "gets no card" if wrong not in seats else "gets a card"
            cut = turn is self._hand.rounds[-1] and not turn.turns and seats > set(turn.dealt)
            sentence = f"{turn.name}: seat {wrong} {said}"
            return Difference("deal", at, sentence, turn.street, cut=cut)
        for number, counts in self._given.items():
            if number in seats and counts != (len(turn.down[number]), len(turn.up[number])):
                down, up = counts
                sentence = f"{turn.name}: seat {number} gets {down} cards down and {up} up"
                return Difference("deal", at, sentence, turn.street)
        return None

    def _take(self, decided: Decided) -> None:
        """Go on from what was decided."""
        self._table = decided.table
        for event in decided.events:
            if isinstance(event, UncalledReturned):
                self._returned.append((self._hand.seats[event.seat], event.amount))
            elif isinstance(event, StreetClosed):
                self._round += 1

    # --- a choice ----------------------------------------------------------------------------

    def _take_turn(self, turn: Round, entry: Turn) -> Difference | None:
        action = entry.action
        due = choices(self._table)
        folds = due is not None and due.kind == "match" and action.a == "fold"
        if isinstance(action, BetRecord) and not folds:
            return self._act(turn, entry.at, action)
        difference = self._choose(turn, entry, due)
        while difference is None and self._table.awaited == "dealer" and not self._table.asked:
            if not self._state().due:
                break
            difference = self._deal(turn, entry.at)
        return difference

    def _choose(self, turn: Round, entry: Turn, due: Choices | None) -> Difference | None:
        said = f"seat {entry.action.seat} {choice_words(entry)}"

        def differs(sentence: str) -> Difference:
            text = f"{turn.name}: {sentence}; in the record {said}"
            return Difference("choice", entry.at, text, turn.street)

        number = entry.action.seat
        seat = self._hand.seats.index(number) if number in self._hand.seats else NOBODY
        if due is None or seat not in due.seats:
            return differs(self._pending() or "nobody is asked")
        state = self._state()
        player = state.players[state.index_of(seat)]
        place = self._places.get((number, entry.card))
        command = choice_command(entry, due, player, place)
        problem = payment_problem(entry, due, player)
        if command is None or problem:
            return differs(problem or self._pending())
        if command.choice == "buy":
            self._bind_bought(number, entry.new)
        return self._decide_choice(command, differs)

    def _bind_bought(self, number: int, which: int) -> None:
        """R17.4: the next card of the stub, or of the burns where that is empty."""
        state = self._state()
        place = (state.stub or self._deck.reshuffled(state.burns, 0))[0]
        self._places[number, which] = place
        card = self._hand.own[number][which]
        self._deck = self._deck.with_cards({} if card is None else {place: card})

    def _decide_choice(
        self, command: Choose, differs: Callable[[str], Difference]
    ) -> Difference | None:
        by_betting = self._table.awaited == "betting"
        decided = (
            betting.decide(self._table, command)
            if by_betting
            else decide_choice(self._table, command, self._deck)
        )
        while not isinstance(decided, Refused):
            self._take(decided)
            if self._state().phase == "open_roll":
                decided = dealer.decide(self._table, self._deck)
            elif self._state().phase == "open_declare":
                decided = showdown.decide(self._table, self._deck)
            else:
                return None
        return differs(decided.sentence)

    # --- an action ---------------------------------------------------------------------------

    def _act(self, turn: Round, at: int, action: BetRecord) -> Difference | None:
        def differs(kind: Kind, sentence: str) -> Difference:
            return Difference(kind, at, f"{turn.name}: {sentence}", turn.street)

        options = legal(self._table)
        said = f"seat {action.seat} {_words(action)}"
        if options is None:
            over = self._pending() or "the betting is over"
            return differs("turn", f"{over}; in the record {said}")
        number = self._hand.seats[options.seat]
        asked = f"seat {number} is to act ({options_text(options)})"
        if number != action.seat:
            return differs("turn", f"{asked}; in the record {said}")
        if action.round != self._round:
            return differs("turn", f"this is betting round {self._round}; in the record {said}")
        state = self._state()
        player = state.players[state.to_act]
        command = self._command(turn, state, options, action)
        if not isinstance(command, Act):
            return differs(command, f"{asked}; in the record {said}")
        added = _added(options, command, player)
        if (action.amount, action.to) != (added, player.bet + added):
            text = f"{asked} and adds {added} to make {player.bet + added}"
            return differs("call" if command.action == "call" else "action", f"{text}; {said}")
        all_in = bool(added) and added == player.stack
        if action.all_in != all_in:
            return differs("action", all_in_words(number, all_in=all_in))
        decided = betting.decide(self._table, command)
        if isinstance(decided, Refused):
            return differs("action", decided.sentence)
        self._take(decided)
        return None

    def _command(self, turn: Round, state: Hand, options: Legal, action: BetRecord) -> Act | Kind:
        """The recorded action as a command, or the kind of the difference."""
        wager = options.wager
        name: ActionName = action.a
        to: int | None = None
        if name in WAGERS:
            if wager is None or not wager.allows(action.to):
                return "wager"
            if name not in (wager.kind, self._wager_name(turn, state)):
                return "action"
            name, to = wager.kind, action.to
        elif name == "bring_in" and options.bring_in is None:
            # R5.8: who acts first after a bring-in of nothing opens by calling it.
            if options.call is None or any(player.bet for player in state.players):
                return "action"
            name = "call"
        elif name == "fold" and not options.fold:
            return "open_fold" if options.bring_in is None else "action"
        elif name == "call" and options.call is None:
            return "call"
        elif name == "check" and not options.check:
            return "action"
        return Act(options.seat, options.decision, name, to)

    def _wager_name(self, turn: Round, state: Hand) -> ActionName:
        """What records call a wager: the first above a bring-in completes, whatever its size."""
        if state.last_wager != NOBODY:
            return "raise"
        return "complete" if turn.street == 1 and self._rules.bring_in else "bet"


def _added(options: Legal, command: Act, player: Player) -> int:
    """Chips that a legal command puts in."""
    if command.to is not None:
        return command.to - player.bet
    if command.action == "bring_in":
        return options.bring_in or 0
    return options.call or 0 if command.action == "call" else 0


_VERBS: Final = {
    "bring_in": "brings in", "complete": "completes", "bet": "bets", "raise": "raises",
    "call": "calls", "check": "checks", "fold": "folds",
}  # fmt: skip


def _words(action: BetRecord) -> str:
    verb = _VERBS[action.a]
    if action.a in WAGERS:
        return f"{verb} {action.amount} to {action.to}"
    return f"{verb} {action.amount}" if action.amount else verb
