"""``doorcard play``: you against bots in the terminal, in this process, without a server."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Final

import typer

from doorcard.bots import BOTS, Bot, choice_of
from doorcard.cli.answers import HELP, read_action, read_choice
from doorcard.cli.output import console, game_named, nearest, wrapped
from doorcard.commands import Act, AddChips, Choose
from doorcard.errors import BadInput
from doorcard.events import Event
from doorcard.local import LocalTable, answer
from doorcard.views import event_text
from doorcard.views.text import counted

if TYPE_CHECKING:
    from rich.console import Console

YOU: Final = 0
"""Your seat. Hand histories call its player the hero."""
NAMES: Final = ("hero", "ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal", "ida")


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
    if sys.stdin is None:
        raise BadInput("play reads standard input, and that is closed")
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
                return f"You are out of chips after {counted(played, 'hand')}."
            self._buy_in_again()
            if not self._play_hand():
                break
            played += 1
        chips = self.table.stacks[YOU]
        won = chips - self.buy_in
        result = "even" if not won else f"{abs(won)} {'won' if won > 0 else 'lost'}"
        return f"You leave with {counted(chips, 'chip')} after {counted(played, 'hand')}: {result}."

    def _play_hand(self) -> bool:
        """Play one hand; False when you quit."""
        self._tell(self.table.deal())
        while self.table.table.asked:
            command = self._ask() if YOU in self.table.table.asked else self._bot_command()
            if command is None:
                return False
            self._tell(self.table.do(command))
        self._show("\n".join(["", self.table.text(YOU), ""]))
        return True

    def _buy_in_again(self) -> None:
        """Bots without chips bring new ones, so that the game goes on."""
        for seat, chips in self.table.stacks.items():
            if seat != YOU and not chips:
                request = f"again-{len(self.table.commits)}"
                self._tell(self.table.do(AddChips(seat, NAMES[seat], self.buy_in, request)))

    def _bot_command(self) -> Act | Choose:
        """What the first of the bots that are asked does."""
        options = self.table.legal
        if options is not None:
            return self.bot(options, self.chance)
        table, due = self.table.table, self.table.choices
        hand = table.hand
        assert due is not None, "a bot is asked"
        assert hand is not None, "a bot is asked"
        seat = due.seats[0]
        player = hand.players[hand.index_of(seat)]
        chosen = choice_of(due, seat, player.down, player.up_places, self.chance)
        return answer(table, seat, *chosen)

    def _ask(self) -> Act | Choose | None:
        """Ask until the answer makes sense; None to quit."""
        text = self.table.text(YOU).replace(f"\nseat {YOU} may ", "\nyou may ")
        self._show(f"\n{text}")
        while True:
            try:
                line = input("? for help > ")
            except EOFError:
                print()
                return None
            except KeyboardInterrupt:
                print()
                raise
            if line.strip().lower() in {"q", "quit", "exit"}:
                return None
            if line.strip() in {"?", "help"}:
                print(wrapped(HELP))
                continue
            meant = self._read(line)
            if not isinstance(meant, str):
                return meant
            print(meant)

    def _read(self, line: str) -> Act | Choose | str:
        """What a line means for what is asked now; one sentence if it makes no sense."""
        options = self.table.legal
        if options is not None:
            return read_action(line, options)
        choice = self.table.view(YOU).choice
        assert choice is not None, "your seat is asked for a bet or a choice"
        read = read_choice(line, choice)
        return read if isinstance(read, str) else answer(self.table.table, YOU, *read)

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


_RED_CARDS: Final = r"\b[2-9TJQKA][dh]\b"
_YOUR_TURN: Final = r"(?m)^you may .*"
