"""What is typed at the prompt of ``doorcard play``: bets, and choices that are no bets."""

from __future__ import annotations

import re
from typing import Final

from doorcard.cards import BadCard, Card
from doorcard.commands import Act, ActionName, Choice
from doorcard.engine.options import Legal
from doorcard.views import ChoiceView, answers_words, options_words

HELP: Final = """\
  f               fold              k               check
  c               call, or check    b               bring in, or bet
  r, r 20         complete, bet or raise, to a total of 20 in this round
  ?               this help         q               quit (your hand is folded)
Whole words work too: fold, check, call, bring in, complete, bet 20, raise to 20.
In games with choices: roll 7c (roll alone: the card received last), buy Kd (throw it away \
and pay for another one), take, match, decline or d, and high, low or both to declare."""
Answer = tuple[Choice, int | None, str]
"""(choice, place of the card, direction), as ``doorcard.local.answer`` takes them."""


def read_action(line: str, options: Legal) -> Act | str:
    """What a line typed at the prompt means: an action, or one sentence about what is wrong.

    Only what is legal becomes an action.
    """
    words = line.strip().lower().replace("bring in", "bring_in").replace("bring-in", "bring_in")
    verb, _, rest = words.partition(" ")
    if not verb:
        return f"Say what to do: {', '.join(options_words(options))}."
    if verb not in _VERBS:
        return f"{line.strip()!r} is no action; ? explains them."
    amount = rest.removeprefix("to ").strip()
    if amount and not re.fullmatch(r"[0-9]{1,16}", amount):
        return f"{amount!r} is not a whole number of chips."
    to = int(amount) if amount else None
    action = _action(verb, to, options)
    if action is None:
        return f"You cannot {_VERBS[verb]} now; you may {', '.join(options_words(options))}."
    return _act(action, to, options)


def _action(verb: str, to: int | None, options: Legal) -> ActionName | None:
    """The action that a verb names among those on offer."""
    meant = _VERBS[verb]
    if meant == "fold":
        return "fold" if options.fold else None
    if meant == "check" or (verb == "c" and options.check):
        return "check" if options.check else None
    if meant == "call":
        return "call" if options.call is not None else None
    if options.bring_in is not None and (meant == "bring in" or (verb == "b" and to is None)):
        return "bring_in"
    wager = options.wager
    if wager is None or (len(verb) > 1 and meant != wager.kind):
        return None
    return wager.kind


def _act(action: ActionName, to: int | None, options: Legal) -> Act | str:
    wager = options.wager
    if wager is None or action != wager.kind:
        known = {"call": options.call, "bring_in": options.bring_in}.get(action)
        if to not in (None, known):
            return f"The amount is not yours to choose there: {', '.join(options_words(options))}."
        return Act(options.seat, options.decision, action)
    if to is None and wager.low != wager.high:
        return f"Say to how much: {', '.join(options_words(options))}."
    if to is not None and not wager.allows(to):
        return f"You cannot {action} to {to}; you may {', '.join(options_words(options))}."
    return Act(options.seat, options.decision, action, to)


def read_choice(line: str, due: ChoiceView) -> Answer | str:
    """What a line means as an answer to the choice that is due; one sentence if it is none.

    Only what is on offer becomes an answer.
    """
    verb, _, rest = line.strip().lower().replace("declare ", "").partition(" ")
    offer = f"you may {' or '.join(answers_words(due))}"
    if not verb:
        return f"Say what to do: {offer}."
    if due.kind == "declare":
        return _declared(line, verb, due, offer)
    choice = _CHOICES.get(verb)
    if choice is None:
        return f"{line.strip()!r} is no answer; ? explains them."
    if choice not in due.answers:
        return f"You cannot {choice} now; {offer}."
    if choice not in ("roll", "buy"):
        return choice, None, ""
    return _with_card(choice, rest.removeprefix("for ").strip(), due)


def _declared(line: str, verb: str, due: ChoiceView, offer: str) -> Answer | str:
    for direction in due.directions:
        if verb in (direction, direction[0]):
            return "declare", None, direction
    return f"{line.strip()!r} is nothing to declare; {offer}."


def _with_card(choice: Choice, text: str, due: ChoiceView) -> Answer | str:
    own = ", ".join(str(card.card) for card in due.own)
    if not text:
        last = due.own[-1]
        return (choice, last.place, "") if choice == "roll" else f"Say which card: {own}."
    try:
        card = Card(text[0].upper() + text[1:])
    except BadCard:
        return f"{text!r} is no card; yours are {own}."
    for held in due.own:
        if held.card == card:
            return choice, held.place, ""
    return f"You cannot {choice} {card}; yours are {own}."


_VERBS: Final = {
    "f": "fold",
    "fold": "fold",
    "k": "check",
    "check": "check",
    "c": "call",
    "call": "call",
    "b": "bet",
    "bet": "bet",
    "bring_in": "bring in",
    "complete": "complete",
    "r": "raise",
    "raise": "raise",
}
"""What each word means; ``b`` and ``r`` alone stand for any wager that is on offer, and ``c`` for a
check where that is free."""
_CHOICES: Final[dict[str, Choice]] = {
    "roll": "roll",
    "r": "roll",
    "turn": "roll",
    "buy": "buy",
    "b": "buy",
    "take": "take",
    "t": "take",
    "match": "match",
    "m": "match",
    "decline": "decline",
    "d": "decline",
    "fold": "fold",
    "f": "fold",
}
