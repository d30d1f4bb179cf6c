"""``doorcard play``: prompts, answers that make no sense, and every way to stop."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import time
from typing import Final, cast

import pytest

from doorcard.bots import calling
from doorcard.cards import Card
from doorcard.cli import main
from doorcard.cli.answers import read_action, read_choice
from doorcard.cli.output import console
from doorcard.cli.play import Sitting
from doorcard.commands import Act, ActionName
from doorcard.engine.options import Legal, Wager
from doorcard.games import GAMES
from doorcard.testing import stacked_table
from doorcard.views import ChoiceView, PlaceView

PROGRAM: Final = "import sys; from doorcard.cli import main; sys.exit(main(sys.argv[1:]))"
RAISE: Final = Legal(
    0, 7, fold=True, check=False, call=5, bring_in=None, wager=Wager("raise", (10,), 10, 10)
)
PAIR: Final = Legal(
    0, 7, fold=False, check=True, call=None, bring_in=None, wager=Wager("bet", (5, 10), 5, 10)
)
OPEN: Final = Legal(
    0, 7, fold=False, check=False, call=None, bring_in=2, wager=Wager("complete", (5,), 5, 5)
)
NO_LIMIT: Final = Legal(
    0, 7, fold=False, check=False, call=None, bring_in=2, wager=Wager("bet", (), 5, 90)
)
CAPPED: Final = RAISE._replace(wager=None)


EVERYTHING: Final = "c\nk\nb\nroll\nd\nlow\nmatch\n"


def play(
    typed: str,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> tuple[int, str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    code = main(["play", *arguments])
    out, err = capsys.readouterr()
    assert err == ""
    return code, out


# --- what a line means -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "options", "action", "to"),
    [
        ("f", RAISE, "fold", None),
        ("fold", RAISE, "fold", None),
        ("c", RAISE, "call", None),
        ("call", RAISE, "call", None),
        ("call 5", RAISE, "call", None),
        ("r", RAISE, "raise", None),
        ("R 10", RAISE, "raise", 10),
        (" raise  10 ", RAISE, "raise", 10),
        ("raise to 10", RAISE, "raise", 10),
        ("k", PAIR, "check", None),
        ("b 5", PAIR, "bet", 5),
        ("bet 10", PAIR, "bet", 10),
        ("r 10", PAIR, "bet", 10),
        ("b", OPEN, "bring_in", None),
        ("bring in", OPEN, "bring_in", None),
        ("bring-in 2", OPEN, "bring_in", None),
        ("r", OPEN, "complete", None),
        ("complete", OPEN, "complete", None),
        ("complete to 5", OPEN, "complete", 5),
        ("b", NO_LIMIT, "bring_in", None),
        ("b 40", NO_LIMIT, "bet", 40),
        ("c", PAIR, "check", None),
    ],
)
def test_what_is_typed_becomes_an_action(
    line: str, options: Legal, action: str, to: int | None
) -> None:
    answer = read_action(line, options)
    assert isinstance(answer, Act)
    assert answer == Act(0, 7, cast("ActionName", action), to)


@pytest.mark.parametrize(
    ("line", "options", "sentence"),
    [
        ("", RAISE, "Say what to do: fold, call 5, raise to 10."),
        ("   ", RAISE, "Say what to do"),
        ("shove", RAISE, "'shove' is no action; ? explains them."),
        ("12", RAISE, "'12' is no action"),
        ("k", RAISE, "You cannot check now; you may fold, call 5, raise to 10."),
        ("f", PAIR, "You cannot fold now"),
        ("call", PAIR, "You cannot call now; you may check, bet to 5 or 10."),
        ("f", OPEN, "You cannot fold now; you may bring in 2, complete to 5."),
        ("bet", RAISE, "You cannot bet now"),
        ("raise 10", PAIR, "You cannot raise now"),
        ("r", CAPPED, "You cannot raise now; you may fold, call 5."),
        ("r 11", RAISE, "You cannot raise to 11; you may fold, call 5, raise to 10."),
        ("r 0", RAISE, "You cannot raise to 0"),
        ("r -10", RAISE, "'-10' is not a whole number of chips."),
        ("r 10.5", RAISE, "'10.5' is not a whole number of chips."),
        ("r 1e3", RAISE, "'1e3' is not a whole number of chips."),
        ("r ten", RAISE, "'ten' is not a whole number of chips."),
        ("r " + "9" * 40, RAISE, "is not a whole number of chips."),
        ("r \u0661\u0660", RAISE, "is not a whole number of chips."),
        ("r 10 20", RAISE, "'10 20' is not a whole number of chips."),
        ("b", PAIR, "Say to how much: check, bet to 5 or 10."),
        ("b 91", NO_LIMIT, "You cannot bet to 91; you may bring in 2, bet to 5-90."),
        ("call 6", RAISE, "The amount is not yours to choose there"),
        ("fold 3", RAISE, "The amount is not yours to choose there"),
        ("bring in 3", OPEN, "The amount is not yours to choose there"),
    ],
)
def test_what_makes_no_sense_is_explained(line: str, options: Legal, sentence: str) -> None:
    answer = read_action(line, options)
    assert isinstance(answer, str)
    assert sentence in answer


ROLL: Final = ChoiceView(
    "roll",
    (0, 1),
    True,
    0,
    ("roll",),
    (),
    (PlaceView(3, Card("As"), face_up=False), PlaceView(9, Card("7c"), face_up=False)),
)
BUY: Final = ROLL._replace(
    kind="buy",
    secret=False,
    price=10,
    answers=("buy", "decline"),
    own=(*ROLL.own, PlaceView(12, Card("Kd"), face_up=True)),
)
TAKE: Final = BUY._replace(kind="extra", answers=("take", "decline"), own=())
MATCH: Final = BUY._replace(kind="match", answers=("match", "fold"), own=())
DECLARE: Final = BUY._replace(
    kind="declare", price=0, answers=("declare",), directions=("high", "low"), own=()
)


@pytest.mark.parametrize(
    ("line", "due", "answer"),
    [
        ("roll 7c", ROLL, ("roll", 9, "")),
        ("ROLL 7C", ROLL, ("roll", 9, "")),
        ("turn as", ROLL, ("roll", 3, "")),
        ("roll", ROLL, ("roll", 9, "")),
        ("buy Kd", BUY, ("buy", 12, "")),
        ("b as", BUY, ("buy", 3, "")),
        ("buy for As", BUY, ("buy", 3, "")),
        ("d", BUY, ("decline", None, "")),
        ("t", TAKE, ("take", None, "")),
        ("decline", TAKE, ("decline", None, "")),
        ("match", MATCH, ("match", None, "")),
        ("f", MATCH, ("fold", None, "")),
        ("high", DECLARE, ("declare", None, "high")),
        ("declare low", DECLARE, ("declare", None, "low")),
        ("l", DECLARE, ("declare", None, "low")),
    ],
)
def test_what_is_typed_becomes_a_choice(line: str, due: ChoiceView, answer: object) -> None:
    assert read_choice(line, due) == answer


@pytest.mark.parametrize(
    ("line", "due", "sentence"),
    [
        ("", ROLL, "Say what to do: you may roll As or 7c."),
        ("shove", ROLL, "'shove' is no answer; ? explains them."),
        ("buy As", ROLL, "You cannot buy now; you may roll As or 7c."),
        ("roll Kd", ROLL, "You cannot roll Kd; yours are As, 7c."),
        ("roll 10c", ROLL, "'10c' is no card; yours are As, 7c."),
        ("buy", BUY, "Say which card: As, 7c, Kd."),
        ("take", MATCH, "You cannot take now; you may match the pot of 10 or fold."),
        ("both", DECLARE, "'both' is nothing to declare; you may declare high or low."),
        ("check", DECLARE, "'check' is nothing to declare"),
    ],
)
def test_a_choice_that_makes_no_sense_is_explained(
    line: str, due: ChoiceView, sentence: str
) -> None:
    answer = read_choice(line, due)
    assert isinstance(answer, str)
    assert sentence in answer


# --- the game in the terminal ----------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_game_of_several_hands_is_played_to_its_end(
    game: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At every prompt one of these lines is legal; the others are explained and asked again."""
    for variant in GAMES[game].variants:
        arguments = [game, "--variant", variant, "--hands", "3", "--seats", "3"]
        code, out = play(EVERYTHING * 400, arguments, monkeypatch, capsys)
        assert code == 0
        check_played_out(out)


def check_played_out(out: str) -> None:
    assert re.search(r"^You (leave with \d+ chips?|are out of chips) after", out.splitlines()[-1])
    assert "hand 1 is over" in out
    assert "\nyou may " in out
    assert "seat 0 may" not in out


def test_the_prompt_shows_ones_own_cards_and_nobody_elses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out = play("q\n", ["razz", "--seats", "3"], monkeypatch, capsys)
    rows = [line for line in out.splitlines() if re.match(r"[D ][> ] ?\d+ \w+ +\d+", line)]
    assert len(rows) == 3
    assert "??" not in rows[0]
    assert all(row.count("??") == 2 for row in rows[1:])
    dealt = next(line for line in out.splitlines() if line.startswith("  dealt:"))
    assert dealt.count("??") == 4


def test_help_is_shown_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = play("?\nnonsense\nq\n", ["razz"], monkeypatch, capsys)
    assert code == 0
    assert "complete, bet or raise" in out
    assert "'nonsense' is no action" in out
    assert re.search(r"You leave with \d+ chips after 0 hands: (even|\d+ lost)\.\n$", out)


def test_the_end_of_input_ends_the_game_cleanly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = play("", ["seven_card_stud"], monkeypatch, capsys)
    assert code == 0
    assert "You leave with" in out


def test_a_player_without_chips_is_out() -> None:
    """The ante takes the last chip, and kings lose to a wheel."""
    table = stacked_table("razz", "Kc Ac Kd 2c Kh 3c  9d Ks 4c  9h Qs 5c")
    table.sit("hero", 1)
    table.sit("ann", 50)
    assert Sitting(table, calling, 1, console()).play(0) == "You are out of chips after 1 hand."


def test_bots_without_chips_bring_new_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    table = stacked_table("razz", "Ac Kc 2c Kd 3c Kh  9d 4c Ks  9h 5c Qs")
    table.sit("hero", 50)
    table.sit("ann", 1)
    sitting = Sitting(table, calling, 50, console())
    assert sitting.play(1) == "You leave with 51 chips after 1 hand: 1 won."
    assert sitting.play(1) == "You leave with 50 chips after 0 hands: even."
    assert "ann adds 50" in capsys.readouterr().out


def test_without_a_terminal_the_output_is_plain() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "play", "razz", "--seats", "2"],
        input=b"\xff\xfe\nq\n",
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
    assert b"is no action" in done.stdout


def test_ctrl_c_ends_the_game_without_a_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-c", PROGRAM, "play", "razz"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        seen = b""
        while b"? for help" not in seen:
            seen += process.stdout.read(1)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stdout.read() == b" > \n"
        assert b"Traceback" not in process.stderr.read()


def test_the_help_at_the_prompt_fits_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdin", io.StringIO("?\nq\n"))
    assert main(["play", "razz"]) == 0
    said = capsys.readouterr().out
    assert "to declare." in said
    assert max(map(len, said.splitlines())) <= 80
