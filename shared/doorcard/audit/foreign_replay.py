"""Plays a recorded hand through the engine and stops at the first difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from doorcard.audit.foreign_deck import RecordedDeck, stand_ins
from doorcard.audit.foreign_hand import WAGERS, ForeignHand, Round
from doorcard.audit.foreign_result import Difference, Kind, compare_result
from doorcard.cards import Card
from doorcard.commands import Act, ActionName, OpenTable, SitDown
from doorcard.engine import betting, dealer, floor
from doorcard.engine.betting import options_text
from doorcard.engine.dealer_position import deal_order
from doorcard.engine.decided import Decided
from doorcard.engine.legal import legal
from doorcard.engine.options import Legal
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.engine.streets import deal_street
from doorcard.engine.table import NOBODY, Hand, Player, Table
from doorcard.errors import BadInput, Refused
from doorcard.events import AntesPosted, Dealt, UncalledReturned
from doorcard.formats.record import BetRecord
from doorcard.limits import Scalar


@dataclass(frozen=True, slots=True)
class Setup:
    """What a record does not tell and a replay has to assume."""

    house: tuple[tuple[str, Scalar], ...] = ()
    """House rules beside the defaults, in the order in which they were found to be needed."""
    dealer: int | None = None
    """The player on the dealer position, counted clockwise; None for a house dealer (R2.2)."""


def replay(hand: ForeignHand, setup: Setup) -> Difference | None:
    """Play a recorded hand; None where the engine agrees with all of it.

    Raises:
        BadInput: no such table can be opened.
    """
    return _Replay(hand, setup).run()


class _Replay:
    def __init__(self, hand: ForeignHand, setup: Setup) -> None:
        self._hand = hand
        self._table = _open(hand, setup)
        config = self._table.config
        assert config is not None, "just opened"
        self._rules: Ruleset = ruleset(config.spec)
        self._deck = RecordedDeck(setup.dealer)
        self._order = deal_order(setup.dealer, range(len(hand.seats)))
        seats = [hand.seats[place] for place in self._order]
        self._stand_ins = stand_ins(hand, self._rules, seats)
        self._returned: list[tuple[int, int]] = []

    def run(self) -> Difference | None:
        for turn in self._hand.rounds:
            difference = self._street(turn)
            if difference is not None:
                return difference
        last = self._hand.rounds[-1]
        if self._table.awaited == "betting":
            options = _asked(self._table)
            seat = self._hand.seats[options.seat]
            sentence = f"the record ends while seat {seat} is to act ({options_text(options)})"
            return Difference("turn", self._hand.length, sentence, last.street, cut=True)
        if self._table.awaited != "showdown":
            sentence = f"the record ends after {last.name}, and the hand goes on"
            return Difference("deal", self._hand.length, sentence, last.street, cut=True)
        state = self._table.hand
        assert state is not None, "a hand was played"
        if state.live > 1 and not self._hand.shown | self._hand.mucked:
            sentence = "the record ends before the showdown"
            return Difference("deal", self._hand.length, sentence, last.street, cut=True)
        for player in state.players:
            number = self._hand.seats[player.seat]
            held = len(player.down) + len(player.up)
            if len(self._hand.own[number]) > held:
                sentence = f"seat {number} gets {held} cards; the record lists more"
                return Difference("deal", self._hand.length, sentence)
        return compare_result(self._hand, self._table, self._deck, self._returned)

    # --- a street ----------------------------------------------------------------------------

    def _street(self, turn: Round) -> Difference | None:
        at = turn.bets[0][0] if turn.bets else 0
        if self._table.awaited == "betting":
            options = _asked(self._table)
            asked = f"seat {self._hand.seats[options.seat]} is to act ({options_text(options)})"
            return Difference("turn", at, f"{asked}; the record deals {turn.name}", turn.street - 1)
        if self._table.awaited != "dealer":
            return Difference("turn", at, f"the hand is over; the record deals {turn.name}")
        self._bind_cards(turn)
        dealt = dealer.decide(self._table, self._deck)
        if isinstance(dealt, Refused):
            raise BadInput(dealt.sentence)
        self._table = dealt.table
        difference = self._antes(dealt) or self._dealt(turn, dealt, at)
        for place, action in () if difference is not None else turn.bets:
            difference = self._act(turn, place, action)
            if difference is not None:
                break
        return difference

    def _bind_cards(self, turn: Round) -> None:
        """Put the recorded cards where the engine is going to deal from."""
        state = self._table.hand
        if state is None:
            deal = self._rules.streets[0].deal
            places = [(seat, i) for i in range(len(deal)) for seat in self._order]
            found = {place: self._card(*held) for place, held in enumerate(places)}
        else:
            coming = deal_street(state, self._deck)
            held = {player.seat: len(player.down) + len(player.up) for player in state.players}
            found = {}
            for seat, place in (*coming.down, *((up[0], up[1]) for up in coming.up)):
                found[place] = self._card(seat, held[seat])
                held[seat] += 1
            for place, _, _ in coming.community:
                found[place] = turn.community
        self._deck.bind({place: card for place, card in found.items() if card is not None})

    def _card(self, seat: int, place: int) -> Card | None:
        number = self._hand.seats[seat]
        cards = self._hand.own[number]
        known = cards[place] if place < len(cards) else None
        return known if known is not None else self._stand_ins.get((number, place))

    def _antes(self, dealt: Decided) -> Difference | None:
        for event in dealt.events:
            if not isinstance(event, AntesPosted):
                continue
            unknown = set(self._hand.antes) - set(self._hand.seats)
            for seat in unknown:
                return Difference("ante", 0, f"seat {seat} antes and was not dealt in")
            for place, amount in event.antes:
                number = self._hand.seats[place]
                recorded = self._hand.antes.get(number)
                all_in = amount == self._hand.stacks[number]
                paid = recorded.amount if recorded is not None else 0
                if paid != amount:
                    return Difference("ante", 0, f"seat {number} antes {amount}, not {paid}")
                if recorded is not None and recorded.all_in != all_in:
                    return Difference("ante", 0, _flag(number, all_in=all_in))
        return None

    def _dealt(self, turn: Round, decided: Decided, at: int) -> Difference | None:
        event = next(event for event in decided.events if isinstance(event, Dealt))
        if bool(event.community) != (turn.community is not None):
            common = "one common card is due" if event.community else "every seat gets a card"
            return Difference("deal", at, f"{turn.name}: {common}", turn.street)
        places = [down[0] for down in event.down] + [up[0] for up in event.up]
        seats = {self._hand.seats[place] for place in places}
        if seats != set(turn.dealt):
            wrong = min(seats ^ set(turn.dealt))
            said = "gets no card" if wrong not in seats else "gets a card"
            cut = turn is self._hand.rounds[-1] and not turn.bets and seats > set(turn.dealt)
            sentence = f"{turn.name}: seat {wrong} {said}"
            return Difference("deal", at, sentence, turn.street, cut=cut)
        return None

    # --- an action ---------------------------------------------------------------------------

    def _act(self, turn: Round, at: int, action: BetRecord) -> Difference | None:
        def differs(kind: Kind, sentence: str) -> Difference:
            return Difference(kind, at, f"{turn.name}: {sentence}", turn.street)

        options = legal(self._table)
        said = f"seat {action.seat} {_words(action)}"
        if options is None:
            return differs("turn", f"the betting is over; in the record {said}")
        number = self._hand.seats[options.seat]
        asked = f"seat {number} is to act ({options_text(options)})"
        if number != action.seat:
            return differs("turn", f"{asked}; in the record {said}")
        state = self._table.hand
        assert state is not None, "a seat is asked"
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
            return differs("action", _flag(number, all_in=all_in))
        decided = betting.decide(self._table, command)
        if isinstance(decided, Refused):
            return differs("action", decided.sentence)
        self._table = decided.table
        self._returned += [
            (self._hand.seats[event.seat], event.amount)
            for event in decided.events
            if isinstance(event, UncalledReturned)
        ]
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


def _open(hand: ForeignHand, setup: Setup) -> Table:
    house = {**dict(hand.house), **dict(setup.house)}
    if setup.dealer is None:
        house["dealer_mode"] = "fixed"
    opened = floor.open_table(
        "audit",
        OpenTable(
            hand.game.id, hand.limits, hand.variant, tuple(house.items()), seats=len(hand.seats)
        ),
    )
    if isinstance(opened, Refused):
        raise BadInput(opened.sentence)
    table = opened.table
    for place, (number, stack) in enumerate(hand.stacks.items()):
        seated = floor.decide(table, SitDown(place, f"seat {number}", stack, f"sit {number}"))
        if isinstance(seated, Refused):
            raise BadInput(seated.sentence)
        table = seated.table
    return table


def _asked(table: Table) -> Legal:
    options = legal(table)
    assert options is not None, "a seat is asked"
    return options


def _added(options: Legal, command: Act, player: Player) -> int:
    """Chips that a legal command puts in."""
    if command.to is not None:
        return command.to - player.bet
    if command.action == "bring_in":
        return options.bring_in or 0
    return options.call or 0 if command.action == "call" else 0


def _flag(seat: int, *, all_in: bool) -> str:
    return f"seat {seat} is {'' if all_in else 'not '}all-in; the record says otherwise"


_VERBS: Final = {
    "bring_in": "brings in", "complete": "completes", "bet": "bets", "raise": "raises",
    "call": "calls", "check": "checks", "fold": "folds",
}  # fmt: skip


def _words(action: BetRecord) -> str:
    verb = _VERBS[action.a]
    if action.a in WAGERS:
        return f"{verb} {action.amount} to {action.to}"
    return f"{verb} {action.amount}" if action.amount else verb
