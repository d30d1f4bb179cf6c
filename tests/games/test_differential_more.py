"""More games against PokerKit, which is told how to play them: the same turns, amounts, stacks.

Its streets, openings and hands are put together into every form of five-card stud, lowball and
high-low without a qualifier, into Mississippi, and into pot-limit and no-limit forms. The known
differences are those of ``tests/engine/test_differential.py``.

Left out is what PokerKit has no part for: a spread structure, ties by suit on later streets, wild
cards, Sökö and the choices that are no bets.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Final

import pytest
from pokerkit import Hand as KitHand

from doorcard.cards import CARDS, format_cards
from doorcard.commands import Act, ActionName
from doorcard.engine import betting
from doorcard.engine.decided import Decided
from doorcard.engine.options import Legal
from doorcard.engine.showdown import hand_pots
from doorcard.engine.table import Hand
from doorcard.testing import StackedDeck
from tests.engine.kit import LIKE_KIT, kit_act
from tests.engine.random_play import actions_of, granted, seated
from tests.engine.test_differential import KNOWN, Match, hand_of
from tests.games.kit_forms import FORMS, Form, let_aces_be_high_doors

HANDS: Final = int(os.environ.get("DOORCARD_DIFFERENTIAL_HANDS", "60"))
"""Random hands a form; more for a soak."""


class FormMatch(Match):
    """One hand of a form in both engines."""

    def __init__(self, form: Form, stacks: list[int], rng: random.Random) -> None:
        self.form = form
        self.game = form.game
        self.rng = rng
        cards = list(CARDS)
        rng.shuffle(cards)
        draw = [str(CARDS[seat]) for seat in range(len(stacks) - 1)]
        self.deck = StackedDeck(map(str, cards), button_cards=[*draw, "As"])
        house = {**LIKE_KIT, "opener_tie": "position", **form.house}
        self.table = seated(
            form.game, stacks, variant=form.variant, limits=form.limits, house=house
        )
        self.kit = form.kit_state(stacks)
        self.seen: Counter[str] = Counter()
        self.short = False

    def _same_options(self, options: Legal) -> bool:
        if self.form.structure == "fixed_limit":
            return super()._same_options(options)
        if not self._same_but_wagers(options):
            return False
        if self._range() != self._kit_range():
            self.seen[self._why_big(options, hand_of(self.table))] += 1
        return True

    def _range(self) -> tuple[int, int] | None:
        options = hand_of(self.table).options
        assert options is not None
        wager = options.wager
        return None if wager is None else (wager.low, wager.high)

    def _kit_range(self) -> tuple[int, int] | None:
        low = self.kit.min_completion_betting_or_raising_to_amount
        high = self.kit.max_completion_betting_or_raising_to_amount
        return None if low is None or high is None else (low, high)

    def _why_big(self, options: Legal, hand: Hand) -> str:
        player = hand.players[hand.to_act]
        if options.bring_in is not None:
            assert player.stack <= self.form.bring_in
            assert options.wager is None
            return "R5.5"
        if self.short:
            return "R9.2"
        others = [o for o in hand.players if o is not player and not o.folded and o.stack]
        assert self._kit_range() is None
        assert all(other.bet + other.stack <= hand.level for other in others)
        return "R6.8"

    def _act(self, options: Legal) -> Decided:
        if self.form.structure == "fixed_limit":
            return super()._act(options)
        common: list[tuple[ActionName, int | None]] = actions_of(options._replace(wager=None))
        name, to = self.rng.choice(common)
        wager = options.wager
        if wager is not None and self._range() == self._kit_range() and self.rng.random() < 0.5:
            near = min(wager.high, wager.low + self.rng.randrange(12))
            name, to = wager.kind, self.rng.choice((wager.low, near, near, wager.high))
            hand = hand_of(self.table)
            player = hand.players[hand.to_act]
            size = max(hand.rules.unit, hand.raise_size)
            short = to - (hand.level if hand.full else 0) < size
            self.short |= short and to == player.bet + player.stack
        kit_act(self.kit, name, to)
        return granted(betting.decide(self.table, Act(options.seat, options.decision, name, to)))

    def _same_winners(self, before: Hand, after: Hand) -> None:
        for pot, award in zip(hand_pots(before), after.awards, strict=True):
            won: set[int] = set()
            for kind in self.form.hands:
                worth: dict[int, KitHand | None] = {}
                for index in pot.eligible:
                    player = before.players[index]
                    cards = (*(self.deck.cards[place] for place in player.down), *player.up)
                    worth[index] = kind.from_game_or_none(format_cards(cards).replace(" ", ""))
                best = max((hand for hand in worth.values() if hand is not None), default=None)
                won.update(i for i, hand in worth.items() if hand is not None and hand == best)
            assert {seat for seat, _, _ in award.shares} == won

    def _why_other_stacks(self, after: Hand, ours: list[int], theirs: list[int]) -> str:
        if len(self.form.hands) == 2 and len(after.awards) > 1:
            assert sum(ours) == sum(theirs)
            return "R15.1"
        return super()._why_other_stacks(after, ours, theirs)


def stacks_for(rng: random.Random) -> list[int]:
    """Two to seven stacks: a few short ones among deep ones."""
    return [
        rng.choice((1, 2, 3, 7, 12, 30)) if rng.random() < 0.15 else rng.randint(100, 900)
        for _ in range(rng.randint(2, 7))
    ]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_random_hands_are_the_same_in_both_engines(
    form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R5, R6.6, R7.2, R8.1, R10.2, R10.3, R10.6, R11.1, R12, R15.2: but for known differences."""
    if form.ace_high_door:
        let_aces_be_high_doors(monkeypatch)
    seen: Counter[str] = Counter()
    undisturbed = 0
    for seed in range(HANDS):
        rng = random.Random(f"{form} {seed}")
        try:
            met = FormMatch(form, stacks_for(rng), rng).play()
        except AssertionError as error:
            error.add_note(f"{form}, seed {seed}")
            raise
        seen += met
        undisturbed += not met
    assert set(seen) <= set(KNOWN)
    assert undisturbed > HANDS // 2
