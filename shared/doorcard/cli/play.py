"""``doorcard play``: you against bots in the terminal, in this process, without a server."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Final

import typer

from doorcard.bots import BOTS, Bot
from doorcard.cli.output import console, game_named, nearest
from doorcard.commands import Act, ActionName, AddChips
from doorcard.engine.options import Legal
from doorcard.errors import BadInput
from doorcard.events import Event
from doorcard.local import LocalTable
from doorcard.views import event_text, options_words

if TYPE_CHECKING:
    from rich.console import Console

YOU: Final = 0
"""Your seat. Hand histories call its player the hero."""
NAMES: Final = ("hero", "ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal", "ida")
HELP: Final = """\
  f               fold              k               check
  c               call              b               bring in, or bet
  r, r 20         complete, bet or raise, to a total of 20 in this round
  ?               this help         q               quit (your hand is folded)
Whole words work too: fold, check, call, bring in, complete, bet 20, raise to 20."""


def register(app: typer.Typer) -> None:
    """Add ``play``."""
    app.command("play")(play)


def play(
    game: str = typer.Argument(help="A game's id, as `doorcard games` lists it."),
    seats: int = typer.Option(4, min=2, max=len(NAMES), help="Players, you included."),
    variant: str = typer.Option("", help="One of the game's variants."),
    stack: int = typer.Option(200, min=1, help="Chips that everybody starts with."),
    hands: int = typer.Option(0, min=0, help="Hands to play; 0: until you quit."),
    bots: str = typer.Option("calling", help=f"How the others play: {', '.join(BOTS)}."),
) -> None:
    """Play against bots in the terminal; no server is needed.

    Example: `doorcard play razz --seats 3 --hands 5`
    """
    chosen = game_named(game)
    bot = BOTS.get(bots)
    if bot is None:
        raise BadInput(f"there are no bots called {bots!r}{nearest(bots, BOTS)}")
    table = LocalTable.open(chosen.id, variant=variant, seats=seats)
    for name in NAMES[:seats]:
        table.sit(name, stack)
    _forgive_odd_bytes(sys.stdin)
    print(Sitting(table, bot, stack, console()).play(hands))


class Sitting:
    """You at a table with bots, hand after hand."""

    def __init__(self, table: LocalTable, bot: Bot, buy_in: int, out: Console) -> None:
        self.table = table
        self.bot = bot
        self.buy_in = buy_in
        self.out = out
        self.chance: Random = SystemRandom()

    def play(self, hands: int) -> str:
        """Play until the hands are played, you quit, or you have no chips; says how it ended."""
        played = 0
        while not hands or played < hands:
            if not self.table.stacks[YOU]:
                return f"You are out of chips after {_count(played, 'hand')}."
            self._buy_in_again()
            if not self._play_hand():
                break
            played += 1
        return (
            f"You leave with {self.table.stacks[YOU]} of {self.buy_in} chips after "
            f"{_count(played, 'hand')}."
        )

    def _play_hand(self) -> bool:
        """Play one hand; False when you quit."""
        self._tell(self.table.deal())
        while (options := self.table.legal) is not None:
            if options.seat != YOU:
                act = self.bot(options, self.chance)
            else:
                answer = self._ask(options)
                if answer is None:
                    return False
                act = answer
            self._tell(self.table.do(act))
        self._show("\n".join(["", self.table.text(YOU), ""]))
        return True

    def _buy_in_again(self) -> None:
        """Bots without chips bring new ones, so that the game goes on."""
        for seat, chips in self.table.stacks.items():
            if seat != YOU and not chips:
                request = f"again-{len(self.table.commits)}"
                self._tell(self.table.do(AddChips(seat, NAMES[seat], self.buy_in, request)))

    def _ask(self, options: Legal) -> Act | None:
        """Ask until the answer is an action; None to quit."""
        self._show("\n".join(["", self.table.text(YOU)]))
        while True:
            try:
                line = input("? for help > ")
            except EOFError:
                print()
                return None
            if line.strip().lower() in {"q", "quit", "exit"}:
                return None
            if line.strip() in {"?", "h", "help"}:
                print(HELP)
                continue
            answer = read_action(line, options)
            if isinstance(answer, Act):
                return answer
            print(answer)

    def _tell(self, events: Iterable[Event]) -> None:
        opened = self.table.opened()
        names = dict(enumerate(NAMES))
        texts = (event_text(event, YOU, opened, names) for event in events)
        for text in filter(None, texts):
            self._show(f"  {text}")

    def _show(self, text: str) -> None:
        from rich.text import Text  # noqa: PLC0415  # `--help` needs none of it

        styled = Text(text)
        styled.highlight_regex(_RED_CARDS, "red")
        styled.highlight_regex(_YOUR_TURN, "bold")
        self.out.print(styled)


def _forgive_odd_bytes(stream: object) -> None:
    """Bytes that are no text become question marks, which are bad input like any other."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")


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
    if meant == "check":
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


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
"""What each word means; ``b`` and ``r`` alone stand for any wager that is on offer."""
_RED_CARDS: Final = r"\b[2-9TJQKA][dh]\b"
_YOUR_TURN: Final = r"seat 0 may .*"
