"""Games put together from PokerKit's streets, openings and hands, as both engines play them.

Where it lacks a part, the part is made of its own: boards of five cards from its boards and its
hands, boards of a low game in which the ace is high from its high boards, and ace-to-six hands
from its table of hands in the order of ranks in which the ace is low.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pytest
from pokerkit import (
    Automation,
    BettingStructure,
    CombinationHand,
    Deck,
    EightOrBetterLowHand,
    Opening,
    RankOrder,
    RegularLowHand,
    Standard2Lookup,
    StandardHighHand,
    StandardLookup,
    StandardLowHand,
    State,
    Street,
)
from pokerkit.state import (
    _HighHandOpeningLookup as HighBoards,  # pyright: ignore[reportPrivateUsage]
)
from pokerkit.state import (
    _LowHandOpeningLookup as LowBoards,  # pyright: ignore[reportPrivateUsage]
)

from doorcard.limits import Limits, Scalar, Structure

__all__ = ["FORMS", "Form", "let_aces_be_high_doors"]


class FullBoards(HighBoards, StandardLookup):
    """High boards of up to five cards: five are a hand (R11.2)."""

    def _add_entries(self) -> None:
        HighBoards._add_entries(self)
        StandardLookup._add_entries(self)


class FullBoardState(State):
    """A hand in which boards of five cards can be compared."""

    _State__high_hand_opening_lookup = FullBoards()


class DeuceState(State):
    """A hand of low boards in which the ace is high (K4.1)."""

    _State__low_hand_opening_lookup = HighBoards()


class AceToSixLookup(Standard2Lookup):
    """Straights and flushes count, and the ace is always low (K6.1, K6.2)."""

    rank_order = RankOrder.REGULAR


class AceToSixLowHand(CombinationHand):
    """The lowest hand wins (K6)."""

    lookup = AceToSixLookup()
    card_count = 5
    low = True


Kinds = tuple[type[CombinationHand], ...]
HIGH: Final[Kinds] = (StandardHighHand,)
LOW: Final[Kinds] = (RegularLowHand,)
SIX: Final[Kinds] = (AceToSixLowHand,)
DEUCE: Final[Kinds] = (StandardLowHand,)
BOTH: Final[Kinds] = (StandardHighHand, RegularLowHand)
BOTH_SIX: Final[Kinds] = (StandardHighHand, AceToSixLowHand)
BOTH_DEUCE: Final[Kinds] = (StandardHighHand, StandardLowHand)
EIGHT: Final[Kinds] = (StandardHighHand, EightOrBetterLowHand)
FIVE: Final = ("du", "u", "u", "u")
SEVEN: Final = ("ddu", "u", "u", "u", "d")
MISSISSIPPI: Final = ("ddu", "uu", "u", "u")
LOW_RANKINGS: Final[dict[type[CombinationHand], str]] = {
    RegularLowHand: "a5",
    AceToSixLowHand: "a6",
    StandardLowHand: "27",
}


@dataclass(frozen=True)
class Form:
    """A game as both engines play it."""

    game: str
    deals: tuple[str, ...]
    hands: Kinds
    structure: Structure = "fixed_limit"
    variant: str = ""
    bring_in: int = 2
    """0: the best board opens."""

    def __str__(self) -> str:
        name = f"{self.game} {self.variant or 'usual'} {self.structure}"
        low = self.house.get("low_ranking")
        opened = "" if self.bring_in or not self.low_boards else " low_board_opens"
        return f"{name}{f' {low}' if low else ''}{opened}"

    @property
    def limits(self) -> Limits:
        return Limits(self.structure, 1, self.bring_in, 5, 10)

    @property
    def house(self) -> dict[str, Scalar]:
        """House rules that make the game this one: the low ranking, and who opens."""
        settings: dict[str, Scalar] = {}
        low = LOW_RANKINGS.get(self.hands[-1])
        if low is not None and self.game in RANKED_LOW:
            settings["low_ranking"] = low
        if self.low_boards and not self.bring_in:
            settings["opening"] = "low_board_opens"
        return settings

    @property
    def low_boards(self) -> bool:
        """Whether the low board acts first: there is no high half."""
        return self.hands[0].low

    @property
    def high_door(self) -> bool:
        """Whether the highest door brings it in (R5.2)."""
        return bool(self.bring_in) and (self.low_boards or self.variant == "high_bring_in")

    @property
    def ace_high_door(self) -> bool:
        """Whether that door's ace is high, which PokerKit has no opening for (R5.3)."""
        return self.high_door and self.hands[0] in (StandardHighHand, StandardLowHand)

    def kit_state(self, stacks: list[int]) -> State:
        """PokerKit's hand before its first card."""
        fixed = self.structure == "fixed_limit"
        boards = Opening.LOW_HAND if self.low_boards else Opening.HIGH_HAND
        first = Opening.HIGH_CARD if self.high_door else Opening.LOW_CARD
        streets = tuple(
            Street(
                place > 0,
                tuple(letter == "u" for letter in deal),
                0,
                draw_status=False,
                opening=first if self.bring_in and not place else boards,
                min_completion_betting_or_raising_amount=10 if fixed and place > 1 else 5,
                max_completion_betting_or_raising_count=4 if fixed else None,
            )
            for place, deal in enumerate(self.deals)
        )
        return self._state()(
            _AUTOMATIC,
            Deck.REGULAR if self.low_boards else Deck.STANDARD,
            self.hands,
            streets,
            _STRUCTURES[self.structure],
            True,
            1,
            0,
            self.bring_in,
            tuple(stacks),
            len(stacks),
        )

    def _state(self) -> type[State]:
        if self.deals == MISSISSIPPI:
            return FullBoardState
        return DeuceState if self.hands == DEUCE else State


def let_aces_be_high_doors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the order by which PokerKit finds the highest door, for one test.

    Its low boards were made from that order before, and stay as they are.
    """
    monkeypatch.setattr(LowBoards, "rank_order", RankOrder.STANDARD)


RANKED_LOW: Final = ("five_card_lowball", "five_card_high_low", "stud_high_low")
"""Games in which the house chooses the low ranking (G2, G3, G17)."""
_AUTOMATIC: Final = tuple(
    automation
    for automation in Automation
    if automation
    not in (Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING)
)
_STRUCTURES: Final = {
    "fixed_limit": BettingStructure.FIXED_LIMIT,
    "pot_limit": BettingStructure.POT_LIMIT,
    "no_limit": BettingStructure.NO_LIMIT,
}
_BIG_BET: Final[tuple[Structure, ...]] = ("pot_limit", "no_limit")
FORMS: Final = (
    Form("five_card_stud", FIVE, HIGH, variant="low_bring_in"),
    Form("five_card_stud", FIVE, HIGH, variant="high_bring_in"),
    Form("five_card_stud", FIVE, HIGH, variant="traditional", bring_in=0),
    *(Form("five_card_lowball", FIVE, kinds) for kinds in (LOW, SIX, DEUCE)),
    *(Form("five_card_lowball", FIVE, kinds, bring_in=0) for kinds in (LOW, SIX, DEUCE)),
    *(Form("five_card_high_low", FIVE, kinds) for kinds in (BOTH, BOTH_SIX, BOTH_DEUCE)),
    Form("five_card_high_low", FIVE, BOTH, variant="high_bring_in"),
    *(Form("stud_high_low", SEVEN, kinds) for kinds in (BOTH, BOTH_SIX, BOTH_DEUCE)),
    Form("seven_card_stud", SEVEN, HIGH, variant="no_bring_in", bring_in=0),
    Form("razz", SEVEN, LOW, variant="no_bring_in", bring_in=0),
    Form("mississippi", MISSISSIPPI, HIGH),
    Form("mississippi", MISSISSIPPI, HIGH, variant="no_bring_in", bring_in=0),
    *(
        form
        for structure in _BIG_BET
        for form in (
            Form("five_card_stud", FIVE, HIGH, structure, "low_bring_in"),
            Form("five_card_stud", FIVE, HIGH, structure, "high_bring_in"),
            Form("five_card_lowball", FIVE, LOW, structure),
            Form("five_card_lowball", FIVE, SIX, structure),
            Form("five_card_lowball", FIVE, DEUCE, structure),
            Form("five_card_high_low", FIVE, BOTH, structure),
            Form("seven_card_stud", SEVEN, HIGH, structure),
            Form("razz", SEVEN, LOW, structure),
            Form("stud_high_low_8", SEVEN, EIGHT, structure),
            Form("stud_high_low", SEVEN, BOTH, structure),
            Form("mississippi", MISSISSIPPI, HIGH, structure),
        )
    ),
)
