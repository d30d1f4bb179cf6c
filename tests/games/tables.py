"""Hands dealt from a given deck, and played down quietly to what a test is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from doorcard.cards import parse_cards
from doorcard.commands import Choose, TimeOut
from doorcard.engine import betting
from doorcard.engine.awards import contender, split_pot
from doorcard.engine.choices import choices
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.legal import legal
from doorcard.engine.ruleset import Ruleset, ruleset
from doorcard.engine.winners import Contender
from doorcard.errors import Refused
from doorcard.limits import BRING_IN_OPENINGS, Limits, Scalar
from doorcard.tables import GameSpec
from doorcard.testing import StackedDeck
from tests.engine.play import NOTHING, Play, letter
from tests.engine.random_play import opened_by_bring_in

OPEN: Final = Limits("fixed_limit", ante=1, bring_in=0, small_bet=5, big_bet=10)
FORCED: Final = OPEN._replace(bring_in=2)
"""The stakes of the rules' examples, without and with a bring-in."""


def limits_of(game: str, variant: str, house: Mapping[str, Scalar]) -> Limits:
    """The usual stakes for a game as it is opened."""
    opening = house.get("opening")
    if opening is None:
        return FORCED if opened_by_bring_in(game, variant) else OPEN
    return FORCED if opening in BRING_IN_OPENINGS else OPEN


def dealt(
    game: str,
    deck: str = "",
    stacks: Sequence[int] = (100, 100),
    variant: str = "",
    limits: Limits | None = None,
    house: Mapping[str, Scalar] = NOTHING,
    **more: Scalar,
) -> Play:
    """A hand from this deck, burns included, just dealt; the last seat deals.

    Args:
        more: house rules by name, besides those in ``house``.
    """
    house = {**house, **more}
    stakes = limits or limits_of(game, variant, house)
    draw = [f"{rank}c" for rank in "23456789T"[: len(stacks) - 1]]
    stacked = StackedDeck(deck, button_cards=[*draw, "As"])
    play = Play(stacks, game=game, variant=variant, limits=stakes, house=house, deck=stacked)
    return play.start()


def quietly(play: Play, *, street: int = 9) -> Play:
    """Check and call until a choice is due, a street is reached or the hand is over."""
    while (options := legal(play.table)) is not None and play.hand.street < street:
        name = "check" if options.check else "call" if options.call is not None else "bring_in"
        play.do(f"{letter(options.seat)} {name}")
    return play


def held(play: Play, seat: str) -> str:
    """A seat's cards as ``down down | up up``."""
    player = play.hand.players[play.hand.index_of(ord(seat) - ord("A"))]
    down = " ".join(str(play.deck.cards[place]) for place in player.down)
    return f"{down} | {' '.join(map(str, player.up))}"


def due(play: Play) -> tuple[str, str]:
    """What is asked, and of whom: ``("roll", "AB")``."""
    return play.due.kind, "".join(letter(seat) for seat in play.due.seats)


def place_of(play: Play, card: str) -> int:
    """The deck index of a card."""
    return [str(held) for held in play.deck.cards].index(card)


def refused(play: Play, command: Choose | TimeOut) -> str:
    """The code of a refusal, which must say something and leave the table as it is."""
    before = play.table.draft()
    due_now = choices(play.table)
    declares = due_now is None or due_now.kind == "declare"
    decide = betting.decide if declares else None
    outcome = (
        decide(play.table, command) if decide else decide_choice(play.table, command, play.deck)
    )
    assert isinstance(outcome, Refused), "it was granted"
    assert outcome.sentence.endswith(".")
    assert play.table == before
    return outcome.code


def rules_for(game: str, **house: Scalar) -> Ruleset:
    """A game's rules at the usual stakes."""
    return ruleset(GameSpec(game, "", limits_of(game, "", house), tuple(sorted(house.items()))))


def payouts(
    rules: Ruleset, amount: int, hands: Sequence[str], declared: Sequence[str] = ()
) -> list[int]:
    """What each hand, written ``down | up | last down``, gets of a pot."""
    held: dict[int, Contender] = {}
    for index, hand in enumerate(hands):
        first, up, *last = [parse_cards(part) for part in hand.split("|")]
        down = first + (last[0] if last else ())
        held[index] = contender(rules, down, up, (), rules.wild)
    said = dict(enumerate(declared)) if declared else None
    got = [0] * len(hands)
    for index, _, chips in split_pot(rules, amount, held, said, rules.wild).shares:
        got[index] += chips
    return got


def run_out(play: Play, *, left: int) -> None:
    """Throw all but some of the stub away, as if it had been bought."""
    hand = play.hand
    hand.discards += hand.stub[left:]
    hand.stub = hand.stub[:left]
