"""Golden hands: whole hands as text, replayed and compared, and searched for leaks by themselves.

A change of any rule, of any event or of anything that anybody sees is a changed line in one of
these files. ``pytest tests/golden --rewrite-golden`` writes them anew; read the difference.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import pytest

from doorcard.games import GAMES
from tests.golden.playthrough import read_script, written

FOLDER: Final = Path(__file__).parent
HANDS: Final = tuple(sorted(FOLDER.rglob("*.hand")))
CARD: Final = re.compile(r"\b[2-9TJQKA][cdhs]\b")
WILD: Final = re.compile(r", wild [^,]*$")
"""Cards that are named because they are wild, whoever holds them."""
LINE: Final = re.compile(r"(\d*)([.|]) (.*)")
HANDS_A_GAME_MIN: Final = 3


@pytest.fixture(params=HANDS, ids=lambda path: path.relative_to(FOLDER).with_suffix("").as_posix())
def hand(request: pytest.FixtureRequest) -> Path:
    return cast("Path", request.param)


def test_the_hand_is_as_it_was(hand: Path, request: pytest.FixtureRequest) -> None:
    before = hand.read_text("utf-8")
    now = written(read_script(before))
    if request.config.getoption("--rewrite-golden", default=False) and now != before:
        hand.write_text(now, "utf-8")
        before = now
    assert now == before


def test_the_hand_lies_in_the_folder_of_its_game(hand: Path) -> None:
    script = read_script(hand.read_text("utf-8"))
    assert script.game == hand.parent.name
    assert script.variant in GAMES[script.game].variants


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_golden_hands_and_so_has_every_variant(game: str) -> None:
    scripts = [read_script(path.read_text("utf-8")) for path in HANDS]
    played = Counter(script.variant for script in scripts if script.game == game)
    assert played.total() >= HANDS_A_GAME_MIN
    assert sorted(played) == sorted(GAMES[game].variants or {""})


@pytest.mark.parametrize("section", range(1, 19))
def test_every_section_of_the_games_is_shown_by_a_hand(section: int) -> None:
    """G1 to G18: their worked examples are golden hands, and the first lines say which."""
    titles = [path.read_text("utf-8").partition("\n")[0] for path in HANDS]
    assert [title for title in titles if re.search(rf"\(.*\bG{section}\b.*\)\.$", title)]


# --- secrecy, from the text alone ------------------------------------------------------------


class Reader:
    """Reads a golden hand line by line and knows which cards whom may be shown by then.

    It uses nothing of the library: the deck from the header and the log's own events say it all.
    """

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        deck = next(line for line in self.lines if line.startswith("deck: "))
        self.deck = deck.removeprefix("deck: ").split()
        self.public: set[str] = set()
        self.own: dict[str, set[str]] = {}
        self.seen: dict[str, set[str]] = {}
        """Cards that stand in the lines of a seat, of the spectator (no name) or the auditor."""
        self.thrown: set[str] = set()
        """Cards that were changed for others: no view of the end shows them."""
        self.gone: set[str] = set()
        """Seats whose player has left: nothing of them is seen any more."""

    def owners(self) -> list[str]:
        """The seats that have lines of their own."""
        return sorted({found[1] for line in self.lines if (found := LINE.fullmatch(line))} - {""})

    def leaks(self) -> Iterator[str]:
        """Each line that shows a card to somebody who may not see it."""
        auditor = False
        for line in self.lines:
            if line.startswith("{"):
                yield from self._log_line(line)
                self._learn(json.loads(line))
            elif (found := LINE.fullmatch(line)) is not None:
                viewer = "auditor" if auditor else found[1]
                cards: set[str] = set(CARD.findall(WILD.sub("", found[3])))
                if "drawn for the deal" in line:  # from another deck, and public (R2.9)
                    cards = set()
                self.seen.setdefault(viewer, set()).update(cards)
                if cards - self._allowed(viewer):
                    yield line
            auditor = auditor or line == "auditor"

    def _allowed(self, viewer: str) -> set[str]:
        if viewer == "auditor":
            return self.public.union(*self.own.values())
        return self.public | self.own.get(viewer, set())

    def _log_line(self, line: str) -> Iterator[str]:
        """The log itself names a face-down card by its place only."""
        event = json.loads(line)
        if event["event"] == "DealerDrawn":
            return
        shown = {card for _, card, _ in _open_cards(event)}
        if set(CARD.findall(line)) - self.public - shown:
            yield line

    def _learn(self, event: dict[str, Any]) -> None:
        for place, card, _ in _open_cards(event):
            assert self.deck[place] == card
            self.public.add(card)
        down: list[tuple[int, int]] = event.get("down", [])
        for seat, place in down:
            self._give(seat, place)
        if event["event"] == "CardBought":
            discard: int = event["discard"]
            self.thrown.add(self.deck[discard])
            if not event["shown"]:
                self._give(event["seat"], event["place"])
        if event["event"] == "SeatLeft":
            self.gone.add(str(event["seat"]))

    def _give(self, seat: int, place: int) -> None:
        self.own.setdefault(str(seat), set()).add(self.deck[place])


def _open_cards(event: dict[str, Any]) -> list[tuple[int, str, str]]:
    """(place, card, salt) of every card that an event turns face up."""
    found: list[tuple[int, str, str]] = [tuple(entry[1:]) for entry in event.get("up", [])]
    found += event.get("community", [])
    found += event.get("shown", [])
    if event["event"] == "Rolled":
        found += [tuple(entry[1:]) for entry in event["cards"]]
    if event["event"] in {"HandShown", "CardsExposed"}:
        found += event["cards"]
    return found


def test_nobody_sees_a_card_that_is_not_theirs(hand: Path) -> None:
    reader = Reader(hand.read_text("utf-8"))
    assert list(reader.leaks()) == []


def test_everybody_sees_what_is_theirs(hand: Path) -> None:
    reader = Reader(hand.read_text("utf-8"))
    list(reader.leaks())
    assert reader.own
    assert reader.seen[""] == reader.public
    for seat, cards in reader.own.items():
        assert cards <= reader.seen[seat]
        assert cards - reader.thrown <= reader.seen["auditor"] or seat in reader.gone


def test_a_leak_is_found_in_every_line_of_the_first_deal(hand: Path) -> None:
    text = hand.read_text("utf-8")
    reader = Reader(text)
    dealt = next(line for line in reader.lines if '"event": "Dealt"' in line)
    seat, place = json.loads(dealt)["down"][0]
    first, *_ = re.split(r"\n(?:> |auditor$)", text[text.index("commit") :], flags=re.MULTILINE)
    end = text.index("commit") + len(first)
    hidden = [match.start() for match in re.finditer(r"\?\? ", text[:end])]
    viewers = {text[text.rindex("\n", 0, start) + 1] for start in hidden}
    assert viewers == {".", "|"} | set(reader.owners())
    for start in hidden:
        changed = f"{text[:start]}{reader.deck[place]} {text[start + 3 :]}"
        own_line = text[text.rindex("\n", 0, start) + 1] == str(seat)
        assert bool(list(Reader(changed).leaks())) != own_line


# --- what the hands are about ----------------------------------------------------------------


@cache
def _all_text() -> str:
    return "\n".join(path.read_text("utf-8") for path in HANDS)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\(all-in\)",  # somebody is all-in
        r'"PotAwarded", "pot": 2',  # two side pots
        r"side pot 1 of .*high.*low",  # a side pot in halves
        r'"rake": [1-9]',
        r'"UncalledReturned"',
        r"wins 50 \(high\), .* wins 25 \(low\), .* wins 24 \(low\)",  # a quarter and an odd chip
        r'"community": \[\[',  # a card for everybody
        r"(?m)^> time out$",
        r"> 0 bring_in\n\ncommit \d+ betting\n.*\"amount\": 1\}",  # posted all-in for less
        r"bet to 5 or 10",  # the pair option
        r"players: \S+ \S+\n",  # heads-up
        r'"CardsExposed"',
        r'"HandVoided"',
        r'"SeatLeft"',
        r'"HandMucked"',
    ],
)
def test_the_hands_show(pattern: str) -> None:
    assert re.search(pattern, _all_text())


def test_a_hand_that_everybody_else_folds_shows_nothing() -> None:
    """R6.11, S-27: no card but the upcards, and none of the next street."""
    text = (FOLDER / "seven_card_stud" / "fold_out.hand").read_text("utf-8")
    assert "HandShown" not in text
    assert text.count('"event": "Dealt"') == 2
    last = text.split("auditor")[0].rsplit("commit", 1)[1]
    assert "| D  3 dee 214   ?? ?? | 3d 7h" in last
