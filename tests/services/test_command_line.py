"""What is typed behind ``python -m services``: one plain line about what makes no sense."""

from __future__ import annotations

import pytest

from services.typed import game_ids
from tests.services.processes import services


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["juggle"], "No such command 'juggle'. (see 'python -m services --help')"),
        (["dead"], "Missing command. (see 'python -m services dead --help')"),
        (["pause"], "Missing argument 'table'. (see 'python -m services pause --help')"),
        (["up", "--hands", "few"], "'--hands': a whole number is needed, not 'few' (see "),
        (["up", "--games", "raz"], "there is no game called 'raz'; did you mean razz?"),
        (["archive", "--folder", "x"], "name the tables to archive, or use --all (see "),
    ],
)
def test_bad_words_are_one_line_as_those_of_doorcard(words: list[str], sentence: str) -> None:
    done = services(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("services: ")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_games_are_taken_in_every_spelling() -> None:
    assert game_ids("Razz, seven-card stud,") == ("razz", "seven_card_stud")
    assert game_ids("ALL") == ("all",)
    assert game_ids(" ") == ()
