"""A deck that deals a recorded hand, and cards to stand in for those that nobody recorded."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from doorcard.audit.foreign_hand import WAGERS, ForeignHand
from doorcard.audit.foreign_rounds import Round
from doorcard.cards import CARDS, Card, ace_low
from doorcard.engine.ruleset import Ruleset
from doorcard.limits import BRING_IN_OPENINGS
from doorcard.rankings import board_key

TRIES: Final = 60
"""Fresh starts in the search for upcards."""
LEADER_TRIES: Final = 12
"""Cards tried for the seat that must open, each start."""
Place = tuple[int, int]
"""(seat, which of its cards)."""


class RecordedDeck:
    """Deals given cards to given places; what is not bound yet may still become anything."""

    __slots__ = ("_bound", "button_cards", "cards", "salts")

    def __init__(self, dealer: int | None = None) -> None:
        """Make a deck with nothing bound.

        Args:
            dealer: the player, counted clockwise, who draws the highest card for the deal.
        """
        self._bound: dict[int, Card] = {}
        self.cards: tuple[Card, ...] = CARDS
        self.salts: tuple[bytes, ...] = (b"",) * len(CARDS)
        place = dealer or 0
        self.button_cards: tuple[Card, ...] = (*CARDS[:place], CARDS[-1], *CARDS[place:-1])

    def with_cards(self, cards: Mapping[int, Card]) -> RecordedDeck:
        """This deck with some more cards at places of their own."""
        deck = RecordedDeck()
        deck.button_cards = self.button_cards
        deck._bound = self._bound.copy()
        deck.bind(cards)
        return deck

    def bind(self, cards: Mapping[int, Card]) -> None:
        """Put cards at places of the deck for good."""
        self._bound.update(cards)
        used = set(self._bound.values())
        rest = iter([card for card in CARDS if card not in used])
        self.cards = tuple(
            self._bound[place] if place in self._bound else next(rest)
            for place in range(len(CARDS))
        )

    def is_bound(self, place: int) -> bool:
        """Whether the card at a place is settled."""
        return place in self._bound

    def spare(self) -> list[Card]:
        """The cards that are bound nowhere."""
        used = set(self._bound.values())
        return [card for card in CARDS if card not in used]

    def reshuffled(self, pool: tuple[int, ...], count: int) -> tuple[int, ...]:  # noqa: ARG002 - a Deck
        """The pool as it is: cards are bound where they are needed."""
        return pool


def stand_ins(hand: ForeignHand, rules: Ruleset, order: Sequence[int]) -> dict[Place, Card]:
    """Cards for the upcards that nobody recorded, so that the recorded seats open each street.

    Args:
        order: the seats in deal order, for boards tied by position.

    Where no cards do that, any are given, and the replay shows the difference.
    """
    unknown = [place for place, card in _upcards(hand).items() if card is None]
    if not unknown:
        return {}
    for start in range(TRIES):
        search = _Search(hand, rules, order, start)
        if search.run():
            return search.chosen
    spare = [card for card in CARDS if card not in hand.known()]
    return dict(zip(unknown, spare, strict=False))


def _upcards(hand: ForeignHand) -> dict[Place, Card | None]:
    """Every upcard that was dealt, by its place among its seat's own cards."""
    return {
        (seat, place): hand.own[seat][place]
        for turn in hand.rounds
        for seat, places in turn.up.items()
        if seat in hand.own
        for place in places
    }


class _Search:
    """One attempt to choose the unknown upcards, street by street."""

    def __init__(self, hand: ForeignHand, rules: Ruleset, order: Sequence[int], start: int) -> None:
        self.chosen: dict[Place, Card] = {}
        self._hand = hand
        self._rules = rules
        self._order = order
        self._pool = [card for card in CARDS if card not in hand.known()]
        random.Random(start).shuffle(self._pool)  # noqa: S311 - repeatable, not secret
        self._boards: dict[int, tuple[Card, ...]] = dict.fromkeys(hand.seats, ())
        self._folded: set[int] = set()
        self._all_in = {seat for seat, ante in hand.antes.items() if ante.all_in}
        self._community: tuple[Card, ...] = ()

    def run(self) -> bool:
        """Whether cards were found that let the recorded seat open every street."""
        for turn in self._hand.rounds:
            if not self._street(turn):
                return False
            for _, action in turn.bets:
                if action.a == "fold":
                    self._folded.add(action.seat)
                if action.all_in:
                    self._all_in.add(action.seat)
        return True

    def _street(self, turn: Round) -> bool:
        unknown: dict[int, int] = {}
        if turn.community:
            self._community += tuple(turn.community)
        else:
            unknown = self._take(turn)
        openers = self._openers(turn)
        if openers is None:
            found: dict[int, Card] | None = dict(zip(unknown, self._pool, strict=False))
        else:
            found = next(self._choices(turn, list(unknown), openers), None)
        if found is None or len(found) < len(unknown):
            return False
        for seat, card in found.items():
            self.chosen[seat, unknown[seat]] = card
            self._boards[seat] += (card,)
            self._pool.remove(card)
        return True

    def _take(self, turn: Round) -> dict[int, int]:
        """Add the street's known upcards to the boards; (seat: which card) of the unknown."""
        unknown: dict[int, int] = {}
        for seat, places in turn.up.items():
            for place in places if seat in self._boards else ():
                card = self._hand.own[seat][place]
                if card is None and seat in unknown:  # any card will do for the second of them
                    card = self.chosen[seat, place] = self._pool.pop()
                if card is None:
                    unknown[seat] = place
                else:
                    self._boards[seat] += (card,)
        return unknown

    def _openers(self, turn: Round) -> list[int] | None:
        """Seats whose boards may lead: who acted first, and all-in seats just before (R6.2)."""
        if not turn.bets:
            return None
        seat = turn.bets[0][1].seat
        live = [other for other in self._hand.seats if other not in self._folded]
        if seat not in live:
            return None
        openers = [seat]
        place = live.index(seat)
        for step in range(1, len(live)):
            before = live[place - step]
            if before not in self._all_in:
                break
            openers.append(before)
        return openers

    def _choices(
        self, turn: Round, unknown: list[int], openers: list[int]
    ) -> Iterator[dict[int, Card]]:
        """Cards for the unknown upcards with which one of the openers leads."""
        pair = _big_bet_early(turn, self._rules)
        for opener in openers:
            cards: Iterable[Card | None] = [None]
            if opener in unknown:
                cards = self._pairing(opener, pair)[:LEADER_TRIES]
            for card in cards:
                found = self._behind(turn.street, unknown, opener, card, pair=pair)
                if found is not None:
                    yield found

    def _behind(
        self, street: int, unknown: list[int], opener: int, card: Card | None, *, pair: bool
    ) -> dict[int, Card] | None:
        """Cards that keep every other board behind the opener's, or None."""
        found = {} if card is None else {opener: card}
        lead = self._rank(street, opener, card)
        live = [seat for seat in self._hand.seats if seat not in self._folded]
        for seat in live:
            if seat == opener:
                continue
            if seat not in unknown:
                if self._rank(street, seat, None) < lead:
                    return None
                continue
            for other in self._pairing(seat, pair):
                if other not in found.values() and self._rank(street, seat, other) > lead:
                    found[seat] = other
                    break
            else:
                return None
        if pair and not any(self._shows_pair(seat, found.get(seat)) for seat in live):
            return None
        return found

    def _pairing(self, seat: int, wanted: bool) -> list[Card]:  # noqa: FBT001
        """The unused cards, those that pair the seat's board first where a pair is wanted."""
        if not wanted:
            return self._pool
        ranks = {card.rank for card in self._boards[seat]}
        return sorted(self._pool, key=lambda card: card.rank not in ranks)

    def _shows_pair(self, seat: int, card: Card | None) -> bool:
        ranks = [own.rank for own in (*self._boards[seat], card) if own is not None]
        return len(set(ranks)) < len(ranks)

    def _rank(self, street: int, seat: int, card: Card | None) -> tuple[int, ...]:
        """A key that is smallest for the board that opens (R5.2, R5.3, R11)."""
        rules = self._rules
        board = self._boards[seat] if card is None else (*self._boards[seat], card)
        if not board:
            return (99,)
        if street == 1 and rules.opening in BRING_IN_OPENINGS:
            if rules.opening == "low_card_bring_in":
                return (int(board[0]),)
            rank, suit = ace_low(board[0]) if rules.ace_low else (board[0].rank, board[0].suit)
            return (-rank, -suit)
        sign = 1 if rules.low_board_first else -1
        key = board_key(rules.board_order, board + self._community)
        if not rules.by_suit:
            return (*(sign * part for part in key), self._order.index(seat))
        highest = max(ace_low(own) if rules.ace_low else (own.rank, own.suit) for own in board)
        return (*(sign * part for part in key), sign * highest[0], sign * highest[1])


def _big_bet_early(turn: Round, rules: Ruleset) -> bool:
    """Whether a big bet was made on the second street, which needs a pair in view (R7.3)."""
    limits = rules.limits
    if turn.street != 2 or rules.structure != "fixed" or rules.pair_option == "none":
        return False
    level = 0
    for _, action in turn.bets:
        if action.a in WAGERS:
            if action.to - level >= limits.big_bet:
                return True
            level = max(level, action.to)
    return False
