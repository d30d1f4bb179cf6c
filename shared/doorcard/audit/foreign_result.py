"""Compares how a recorded hand ended with how the engine ends it: pots, winners, stacks."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from doorcard.audit.foreign_deck import RecordedDeck
from doorcard.audit.foreign_hand import ForeignHand
from doorcard.cards import Card
from doorcard.engine import showdown
from doorcard.engine.awards import contender
from doorcard.engine.showdown import share_pot
from doorcard.engine.table import Hand, Table
from doorcard.engine.winners import Contender
from doorcard.errors import Refused
from doorcard.events import PotAwarded
from doorcard.formats.record import ResultRecord

Kind = Literal[
    "ante", "deal", "turn", "choice", "open_fold", "wager", "call", "action", "wild", "uncalled",
    "pots", "winners", "shares", "stacks",
]  # fmt: skip
AFTER_PLAY: Final = 1_000_000
"""Where the result stands: behind every action. Each step of it is 1000 further."""
CARD_TRIES: Final = 600
"""Sets of unseen downcards tried to reach the recorded winners."""
Shares = Sequence[tuple[int, str, int]]
"""(seat, part, chips)."""
Winners = tuple[frozenset[int], frozenset[int]]
"""Seats that win high and low; both the same where the pot is not halved."""


class Difference(NamedTuple):
    """The first thing in which the engine and the record do not agree."""

    kind: Kind
    at: int
    """How far the replay came: the action's place in the record, or past them all."""
    sentence: str
    street: int = 0
    soft: bool = False
    """Nothing but how the house spread its rake."""
    cut: bool = False
    """Nothing but that the record ends too early."""


class RecordedPot(NamedTuple):
    """One pot: what the engine holds in it, and what the record pays from it."""

    place: int
    """Its number in the engine."""
    name: str
    amount: int
    eligible: tuple[int, ...]
    """Players by index in deal order."""
    paid: Shares

    @property
    def rake(self) -> int:
        """What the house kept of it."""
        return self.amount - sum(chips for _, _, chips in self.paid)


def compare_result(
    hand: ForeignHand, table: Table, deck: RecordedDeck, returned: Sequence[tuple[int, int]]
) -> Difference | None:
    """Compare the end of a hand whose betting is over.

    Args:
        returned: (seat, chips) of the uncalled bets that the engine gave back.
    """
    state = table.hand
    assert state is not None, "a hand was played"
    result = _Result(hand, state, deck)
    difference = result.uncalled(returned)
    expect = hand.expect
    if difference is not None or expect is None:
        return difference
    return (
        result.pots(expect)
        or result.unseen(expect)
        or result.awards(table, expect)
        or result.stacks(expect)
    )


class _Result:
    def __init__(self, hand: ForeignHand, state: Hand, deck: RecordedDeck) -> None:
        self._hand = hand
        self._state = state
        self._deck = deck
        self._numbers = [hand.seats[player.seat] for player in state.players]
        self._held = list(enumerate(showdown.hand_pots(state)))
        self._pots: list[RecordedPot] = []
        self._returned: dict[int, int] = {}
        self._soft: Difference | None = None

    # --- money in ----------------------------------------------------------------------------

    def uncalled(self, engine: Sequence[tuple[int, int]]) -> Difference | None:
        """Uncalled bets. A pot that one seat alone can win may be shown as returned (R12.8)."""
        recorded = list(self._hand.uncalled)
        for seat, chips in engine:
            if (seat, chips) not in recorded:
                said = _listed(f"{chips} to seat {seat}" for seat, chips in recorded)
                return _after(0, "uncalled", f"{chips} go back to seat {seat} uncalled", said)
            recorded.remove((seat, chips))
        for seat, chips in recorded:
            alone = [
                entry
                for entry in self._held
                if entry[1].amount == chips
                and [self._numbers[index] for index in entry[1].eligible] == [seat]
            ]
            if not alone or self._state.live == 1:
                return _after(0, "uncalled", f"nothing goes back to seat {seat} uncalled", chips)
            self._held.remove(alone[0])
            self._returned[seat] = chips
        return None

    def pots(self, expect: ResultRecord) -> Difference | None:
        """The pots before rake, and what the record takes from each."""
        total = sum(pot.amount for _, pot in self._held)
        if total != expect.pot:
            return _after(1, "pots", f"the pots hold {total} in all", expect.pot)
        if expect.collected is None:
            return None
        names = ["main", *(f"side{number}" for number in range(1, len(self._held)))]
        recorded = sorted({entry.pot for entry in expect.collected})
        named = list(zip(names, self._held, strict=True))
        if recorded != sorted(names):
            holds = _listed(f"{name} {pot.amount}" for name, (_, pot) in named)
            return _after(1, "pots", f"the pots are {holds}", _listed(recorded))
        for name, (place, pot) in named:
            paid: Shares = [(e.seat, e.part, e.amount) for e in expect.collected if e.pot == name]
            compared = RecordedPot(place, name, pot.amount, pot.eligible, paid)
            if compared.rake < 0:
                given = pot.amount - compared.rake
                return _after(1, "pots", f"the {name} pot holds {pot.amount}", f"{given} paid")
            self._pots.append(compared)
        kept = sum(pot.rake for pot in self._pots)
        if kept != expect.rake:
            held = f"the pots hold {total}, of which {total - kept} is paid"
            return _after(1, "pots", held, f"a rake of {expect.rake}")
        return None

    # --- who wins ----------------------------------------------------------------------------

    def unseen(self, expect: ResultRecord) -> Difference | None:
        """Find downcards for seats that nobody saw, so that the hand can end as recorded."""
        for pot in self._pots:
            for seat, _, _ in pot.paid:
                if seat in self._hand.mucked - self._hand.shown and len(pot.eligible) > 1:
                    # R14.5: who does not show wins nothing that others contest.
                    what = f"the {pot.name} pot cannot go to seat {seat}, which mucked"
                    return _after(2, "winners", what, _text(_winners(pot.paid)))
        live = [player for player in self._state.players if not player.folded]
        places = [
            place for player in live for place in player.down if not self._deck.is_bound(place)
        ]
        if not places or len(live) < 2:
            return None
        known = self._hand.known()
        pool = [card for card in self._deck.spare() if card not in known]
        if len(pool) < len(places):
            return _after(2, "winners", "there are too few cards left for the unseen hands", "more")
        shuffler = random.Random(0)  # noqa: S311 - repeatable, not secret
        for _ in range(CARD_TRIES):
            cards = dict(zip(places, shuffler.sample(pool, len(places)), strict=True))
            if self._ends_as_recorded(self._contenders(cards), expect):
                self._deck.bind(cards)
                return None
        return _after(
            2, "winners", "no cards that the unseen hands could hold give these winners",
            "; ".join(f"{pot.name}: {_text(_winners(pot.paid))}" for pot in self._pots),
        )  # fmt: skip

    def _ends_as_recorded(self, hands: Mapping[int, Contender], expect: ResultRecord) -> bool:
        if self._pots:
            return all(
                _winners(self._split(pot.eligible, 0, hands)) == _winners(pot.paid)
                for pot in self._pots
            )
        paid = {seat for _, pot in self._held for seat, _, _ in self._split(pot.eligible, 0, hands)}
        return paid == self._gainers(expect)

    def _contenders(self, cards: Mapping[int, Card]) -> dict[int, Contender]:
        """The hands at the showdown, with cards given in place of the deck's."""
        return {
            index: contender(
                self._state.rules,
                tuple(cards.get(i, self._deck.cards[i]) for i in player.down),
                player.up,
                self._state.community,
                self._state.wild,
            )
            for index, player in enumerate(self._state.players)
            if not player.folded
        }

    def _split(
        self, eligible: Sequence[int], amount: int, hands: Mapping[int, Contender]
    ) -> Shares:
        mine = {index: hands[index] for index in eligible if index in hands}
        shares = share_pot(self._state, amount, mine)
        return [(self._numbers[index], part, chips) for index, part, chips in shares]

    def _gainers(self, expect: ResultRecord) -> set[int]:
        """Seats that end with more than they had behind, where no pots are recorded."""
        behind = {
            number: player.stack + self._returned.get(number, 0)
            for number, player in zip(self._numbers, self._state.players, strict=True)
        }
        return {seat for seat, chips in behind.items() if expect.final_stacks[str(seat)] > chips}

    # --- money out ---------------------------------------------------------------------------

    def awards(self, table: Table, expect: ResultRecord) -> Difference | None:
        """Let the engine end the hand, and compare who wins how much of what."""
        ended = showdown.decide(table, self._deck)
        assert not isinstance(ended, Refused), "the betting is over"
        if expect.collected is None:
            return self._stacks_alone(ended.table, expect)
        awards = [event for event in ended.events if isinstance(event, PotAwarded)]
        for pot in self._pots:
            shares = [
                (self._hand.seats[seat], part, chips)
                for seat, part, chips in awards[pot.place].shares
            ]
            ours, theirs = _winners(shares), _winners(pot.paid)
            if ours != theirs:
                return _after(
                    2, "winners", f"the {pot.name} pot goes to {_text(ours)}", _text(theirs)
                )
            after_rake = shares
            if pot.rake:
                hands = self._contenders({})
                after_rake = list(self._split(pot.eligible, pot.amount - pot.rake, hands))
            uneven = _uneven(pot, shares, after_rake)
            if uneven is not None and not uneven.soft:
                return uneven
            self._soft = self._soft or uneven
        return None

    def _stacks_alone(self, ended: Table, expect: ResultRecord) -> Difference | None:
        """Without recorded pots: stacks as the engine's, but for the rake of those who win."""
        gainers = self._gainers(expect)
        for place, number in enumerate(self._hand.seats):
            stack = ended.seats[place].stack
            final = expect.final_stacks[str(number)]
            raked = expect.rake and number in gainers and 0 < stack - final <= expect.rake
            if stack != final and not raked:
                return _after(3, "shares", f"seat {number} ends with {stack}", final)
        return None

    def stacks(self, expect: ResultRecord) -> Difference | None:
        """The final stacks that follow from what was put in and what the record pays."""
        won = dict.fromkeys(self._numbers, 0)
        for pot in self._pots:
            for seat, _, chips in pot.paid:
                won[seat] += chips
        brought = sum(self._hand.stacks.values())
        if brought != sum(expect.final_stacks.values()) + expect.rake:
            return _after(3, "stacks", f"{brought} chips came to the hand", "another sum left it")
        if expect.collected is None:
            return None
        for number, player in zip(self._numbers, self._state.players, strict=True):
            stack = player.stack + self._returned.get(number, 0) + won[number]
            final = expect.final_stacks[str(number)]
            if stack != final:
                return _after(3, "stacks", f"seat {number} ends with {stack}", final)
        return self._soft


def _after(step: int, kind: Kind, ours: str, theirs: object) -> Difference:
    return Difference(kind, AFTER_PLAY + 1000 * step, f"{ours}; the record has {theirs}")


def _winners(shares: Shares) -> Winners:
    parts = {part: {seat for seat, named, _ in shares if named == part} for _, part, _ in shares}
    everybody = frozenset(seat for seat, _, _ in shares)
    high = frozenset(parts.get("high", everybody))
    low = frozenset(parts.get("low") or parts.get("spade") or everybody)
    return (high, low) if "all" not in parts else (everybody, everybody)


def _text(winners: Winners) -> str:
    high, low = (_listed(f"seat {seat}" for seat in sorted(half)) for half in winners)
    return high if winners[0] == winners[1] else f"{high} for high, {low} for the other half"


def _uneven(pot: RecordedPot, before: Shares, after: Shares) -> Difference | None:
    """Whether the right winners got wrong amounts; soft where the rake can explain them."""
    by_part = {part for _, part, _ in after} == {part for _, part, _ in pot.paid}
    ours, theirs = _totals(after, by_part=by_part), _totals(pot.paid, by_part=by_part)
    if ours == theirs:
        return None
    unraked = _totals(before, by_part=by_part)
    soft = all(0 <= chips - theirs.get(key, 0) <= pot.rake for key, chips in unraked.items())
    said = _listed(f"{chips} to seat {seat}" for (seat, _), chips in ours.items())
    paid = _listed(f"{chips} to seat {seat}" for (seat, _), chips in theirs.items())
    different = _after(2, "shares", f"the {pot.name} pot pays {said}", paid)
    return different._replace(at=different.at + pot.place, soft=soft)


def _totals(shares: Shares, *, by_part: bool) -> dict[tuple[int, str], int]:
    totals: dict[tuple[int, str], int] = {}
    for seat, part, chips in shares:
        key = (seat, part if by_part else "")
        totals[key] = totals.get(key, 0) + chips
    return totals


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "nothing"
