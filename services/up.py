"""``python -m services up``: a whole service on one machine, with bots at its tables."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from doorcard.client import Client
from doorcard.commands import OpenTable
from doorcard.errors import BadInput, StoreError
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.games import GAMES
from doorcard.limits import Limits
from doorcard.streams import keys
from services.bots import BotRoom
from services.embedded import EmbeddedServer
from services.settings import Settings
from services.up_screen import Screen, open_screen
from services.up_summary import Summary, summarise

WORKERS: Final = ("floor", "dealer", "betting", "showdown", "clock")
STOP_WAIT_S: Final = 10.0
STAKES: Final = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
OPEN_STAKES: Final = STAKES._replace(bring_in=0, ante=2)
"""For games that are opened by a board: a larger ante and no bring-in (R4.5)."""
LINE_UP: Final = (
    ("seven_card_stud", "", 6),
    ("razz", "", 6),
    ("stud_high_low_8", "", 6),
    ("five_card_stud", "", 6),
    ("five_card_stud", "low_bring_in", 6),
)
"""(game, variant, seats) of the tables that are opened unless games are named."""


class Plan(NamedTuple):
    """What ``up`` was asked to do."""

    data: Path
    redis_url: str | None
    hands: int
    games: tuple[str, ...]
    workers: int
    """Processes of each role; one clock."""


class WorkerDied(Exception):
    """One of the workers ended by itself."""


def up(plan: Plan, settings: Settings) -> int:
    """Run the service until all hands are played or Ctrl-C; return the exit code."""
    line_up = chosen_games(plan.games)
    plan.data.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        screen = stack.enter_context(open_screen(plan.hands))
        url = plan.redis_url
        if url is None:
            server = stack.enter_context(EmbeddedServer.start(plan.data / "store"))
            url = server.url
            for notice in server.notices:
                screen.say(notice)
        ring = _deck_keys(plan.data, screen)
        processes = stack.enter_context(_workers(plan, settings, url))
        client = Client.connect(url, f"up-{os.getpid()}", settings.partitions)
        room = BotRoom(client, plan.hands, _seat_keys(plan.data))
        room.enter(_tables(client, room, line_up, settings, screen))
        finished = _play(room, processes, screen)
        summary = summarise(client, room, ring, plan.data / "heads.jsonl", screen.elapsed_s())
    return _report(summary, finished=finished, endless=plan.hands == 0)


def chosen_games(names: Sequence[str]) -> tuple[tuple[str, str, int], ...]:
    """The line-up for some game ids, or the whole one for none.

    Raises:
        BadInput: a name is no game.
    """
    for name in names:
        if name not in GAMES:
            raise BadInput(f"there is no game called {name!r}; the games are {', '.join(GAMES)}")
    return tuple(entry for entry in LINE_UP if not names or entry[0] in names)


def _deck_keys(data: Path, screen: Screen) -> DeckKeyRing:
    ring = DeckKeyRing.create(data / "deck-keys.json")
    if ring.is_new:
        screen.say(f"made a development deck key in {data / 'deck-keys.json'}; keep it secret")
    return ring


def _seat_keys(data: Path) -> dict[str, bytes]:
    """The bots' public keys; the private ones stay in the data folder, as a player's would."""
    path = data / "bot-keys.json"
    if not path.exists():
        made = {f"bot-{seat}": SeatKey.generate() for seat in range(10)}
        text = json.dumps({name: key.private_bytes.hex() for name, key in made.items()})
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    stored: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return {name: SeatKey(bytes.fromhex(private)).public for name, private in stored.items()}


@contextmanager
def _workers(
    plan: Plan, settings: Settings, url: str
) -> Iterator[list[tuple[str, subprocess.Popen[bytes]]]]:
    """One process a role, told to stop and waited for at the end."""
    logs = plan.data / "logs"
    logs.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "DOORCARD_REDIS_URL": url,
        "DOORCARD_PARTITIONS": str(settings.partitions),
        "DOORCARD_HEADS_FILE": str(plan.data / "heads.jsonl"),
    }
    environment.pop("DOORCARD_DECK_KEYS", None)
    processes: list[tuple[str, subprocess.Popen[bytes]]] = []
    try:
        for role in WORKERS:
            for _ in range(1 if role == "clock" else plan.workers):
                own = dict(environment)
                if role in ("dealer", "showdown"):
                    own["DOORCARD_DECK_KEYS_FILE"] = str(plan.data / "deck-keys.json")
                with (logs / f"{role}.log").open("ab") as log:
                    process = subprocess.Popen(
                        [sys.executable, "-m", "services", role],
                        env=own,
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,  # Ctrl-C is for `up`, which stops the workers
                    )
                processes.append((role, process))
        yield processes
    finally:
        _stop(processes)


def _stop(processes: Sequence[tuple[str, subprocess.Popen[bytes]]]) -> None:
    for _, process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    give_up = time.monotonic() + STOP_WAIT_S
    for _, process in processes:
        try:
            process.wait(max(0.1, give_up - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _tables(
    client: Client,
    room: BotRoom,
    line_up: Sequence[tuple[str, str, int]],
    settings: Settings,
    screen: Screen,
) -> list[str]:
    """The tables left open by an earlier run, and new ones for what is missing."""
    known = client.log.tables()
    room.follower.follow(known)
    left = [name for name in known if not room.tables[name].closed]
    if left:
        screen.say(f"resuming {len(left)} tables")
    closed = [name for name in known if name not in left]
    for name in closed:
        del room.tables[name]
    playing = {
        (config.spec.game, config.spec.variant)
        for name in left
        if (config := room.tables[name].config) is not None
    }
    partitions = keys.partition_names(settings.partitions)
    for number, (game, variant, seats) in enumerate(line_up):
        if (game, variant) in playing:
            continue
        label = f"{game}-{variant}" if variant else game
        count = sum(1 for name in known if name.partition(".")[2].rpartition("-")[0] == label)
        name = f"{partitions[number % len(partitions)]}.{label}-{count + 1}"
        opening = variant or GAMES[game].opening
        stakes = STAKES if "bring_in" in opening else OPEN_STAKES
        reply = client.request(name, OpenTable(game, stakes, variant, seats=seats), timeout_s=30)
        if not reply.ok:
            raise StoreError(f"table {name} was not opened: {reply.sentence}")
        left.append(name)
    return left


def _play(
    room: BotRoom, processes: Sequence[tuple[str, subprocess.Popen[bytes]]], screen: Screen
) -> bool:
    """Play until all tables are closed (True) or Ctrl-C (False)."""
    try:
        while not room.over:
            room.step(block_ms=100)
            screen.show(room)
            for role, process in processes:
                if process.poll() is not None:
                    raise WorkerDied(f"the {role} worker ended with code {process.returncode}")
    except KeyboardInterrupt:
        screen.say("stopping")
        return False
    return True


def _report(summary: Summary, *, finished: bool, endless: bool) -> int:
    print(summary.text())
    if summary.problems:
        return 1
    return 0 if finished or endless else 130
