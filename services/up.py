"""``python -m services up``: a whole service on one machine, with bots at its tables."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from redis.exceptions import ResponseError

from doorcard.client import Client
from doorcard.commands import OpenTable
from doorcard.errors import BadInput, BadLog, StoreError
from doorcard.events import TableClosed
from doorcard.fairness.keys import DeckKeyRing, SeatKey
from doorcard.games import GAMES
from doorcard.local import usual_limits
from doorcard.streams import keys
from doorcard.streams.connection import connect, primaries
from doorcard.streams.heads import read_commit
from doorcard.views.text import counted
from services.bots import BotRoom
from services.embedded import EmbeddedServer
from services.embedded_folder import claim_folder, release_folder
from services.settings import Settings
from services.traces_export import player_client
from services.typed import ALL_GAMES
from services.up_play import StoreWatch, play
from services.up_screen import Screen, open_screen
from services.up_summary import Summary, afterwards, summarise
from services.up_workers import workers_running

WORKERS_COMMANDS: Final = (b"cmd=xreadgroup", b"cmd=fcall", b"cmd=xinfo|consumers")
LOOKS_FOR_WORKERS: Final = 5
LOOK_PAUSE_S: Final = 0.05
SEATS: Final = 6
LINE_UP: Final = (
    ("seven_card_stud", "", 6),
    ("razz", "", 6),
    ("stud_high_low_8", "", 6),
    ("five_card_stud", "", 6),
    ("five_card_stud", "low_bring_in", 6),
    ("roll_your_own", "", 6),
    ("five_card_high_low_declare", "", 6),
    ("five_card_high_low_buy", "", 6),
    ("baseball", "", 6),
    ("queens_and_after", "", 6),
)
"""(game, variant, seats) of the tables that are opened unless games are named."""


class Order(NamedTuple):
    """What ``up`` was asked to do."""

    data: Path
    redis_url: str | None
    hands: int
    games: tuple[str, ...]
    workers: int
    """Processes of each role; one clock."""


def up(order: Order, settings: Settings) -> int:
    """Run the service until all hands are played or Ctrl-C; return the exit code.

    Raises:
        BadInput: a game is unknown, or the data folder cannot be used.
        BadKey: the data folder's deck keys cannot be used.
        StoreError: the folder is in use, the store failed, or a worker ended by itself.
    """
    line_up = chosen_games(order.games)
    with ExitStack() as stack:
        stack.enter_context(_terminated_like_interrupted())
        screen = stack.enter_context(open_screen(order.hands))
        stack.enter_context(_data_folder(order.data))
        try:
            summary, finished = _serve(order, settings, line_up, screen, stack)
        except KeyboardInterrupt:
            screen.say("stopped before any table was open")
            return 130
        screen.close()
    print(summary.text())
    if summary.problems:
        return 1
    return 0 if finished or not order.hands else 130


def chosen_games(names: tuple[str, ...]) -> tuple[tuple[str, str, int], ...]:
    """The line-up for some game ids, or the usual one for none; ``all`` stands for every game.

    Raises:
        BadInput: a name is no game.
    """
    wanted = tuple(GAMES) if ALL_GAMES in names else names
    for name in wanted:
        if name not in GAMES:
            raise BadInput(f"there is no game called {name!r}; the games are {', '.join(GAMES)}")
    if not wanted:
        return LINE_UP
    usual = tuple(entry for entry in LINE_UP if entry[0] in wanted)
    others = [name for name in dict.fromkeys(wanted) if name not in {game for game, _, _ in usual}]
    return usual + tuple((name, "", min(SEATS, GAMES[name].seats_max)) for name in others)


def _serve(
    order: Order,
    settings: Settings,
    line_up: tuple[tuple[str, str, int], ...],
    screen: Screen,
    stack: ExitStack,
) -> tuple[Summary, bool]:
    """Start everything, play, stop the workers, and add up; the store runs until ``stack`` ends."""
    url, server = order.redis_url, None
    if url is not None:
        _require_no_workers(url)
    else:
        server = stack.enter_context(EmbeddedServer.start(order.data / "store"))
        url = server.url
        for notice in server.notices:
            screen.say(notice)
    ring = _deck_keys(order.data, screen)
    client = stack.enter_context(player_client(url, f"up-{os.getpid()}", settings))
    room = BotRoom(client, order.hands, _seat_keys(order.data))
    with workers_running(order.data, settings, url, order.workers) as workers:
        played = False
        try:
            _fill(client, room, line_up, settings, screen)
            store = StoreWatch(url, server, keys.partition_names(settings.partitions))
            play(room, workers, screen, store, order.data / "logs")
            played = room.over
        except KeyboardInterrupt:
            screen.say("stopping")
        screen.show(room, last=True)
    try:
        if server is not None:
            server.require_answer()  # one that hangs would be waited for much longer below
        summary = summarise(client, room, ring, order.data / "heads.jsonl")
    except KeyboardInterrupt:
        screen.say("stopped before everything was added up; what was played is in the store")
        raise SystemExit(130) from None
    then = afterwards(room, order.data, None if order.redis_url else url)
    return summary._replace(afterwards=then), played


def _fill(
    client: Client,
    room: BotRoom,
    line_up: tuple[tuple[str, str, int], ...],
    settings: Settings,
    screen: Screen,
) -> None:
    """Go on at the tables that an earlier run left open, and open new ones for what is missing."""
    known = client.log.tables()
    left = left_open(client, room, known)
    playing = {
        (config.spec.game, config.spec.variant)
        for name in left
        if (config := room.tables[name].config) is not None
    }
    if left:
        others = playing - {(game, variant) for game, variant, _ in line_up}
        besides = ", whatever --games says; for those games alone take another --data"
        screen.say(f"going on at {counted(len(left), 'table')}{besides if others else ''}")
    new: list[tuple[str, OpenTable]] = []
    partitions = keys.partition_names(settings.partitions)
    for number, (game, variant, seats) in enumerate(line_up):
        if (game, variant) in playing:
            continue
        label = f"{game}-{variant}" if variant else game
        count = sum(1 for name in known if name.partition(".")[2].rpartition("-")[0] == label)
        name = f"{partitions[number % len(partitions)]}.{label}-{count + 1}"
        stakes = usual_limits(game, variant)
        new.append((name, OpenTable(game, stakes, variant, seats=seats)))
    room.enter(left)
    room.open(new)
    screen.name_tables(room.tables)


def left_open(client: Client, room: BotRoom, known: list[str]) -> list[str]:
    """The tables of an earlier run that are not closed; the room follows them.

    Raises:
        BadInput: one of them cannot be folded: its log is damaged, or is of another version.
    """
    try:
        left = [name for name in known if not _is_closed(client, name)]
        room.follower.follow(left)
    except BadLog as error:
        raise BadInput(
            f"{error}; to play, move the data folder away or take another one with --data"
        ) from error
    return left


def _is_closed(client: Client, table: str) -> bool:
    """Whether a table's last commit closed it; what was played there does not matter then."""
    return any(
        isinstance(event, TableClosed)
        for last in client.log.read_back(table, None, 1)
        for event in read_commit(table, last).events
    )


def _require_no_workers(url: str) -> None:
    """Refuse a store whose messages others take: their deck keys are not the data folder's.

    Whoever reads queues or calls functions is a worker or a clock. It is looked for a few times,
    because a busy one does other things too. A store that does not say who is connected is taken
    as it is, and so is a cluster.

    Raises:
        StoreError: workers are at work there.
    """
    (store, *others) = primaries(connect(url))
    if others:
        return
    for look in range(LOOKS_FOR_WORKERS):
        if look:
            time.sleep(LOOK_PAUSE_S)
        try:
            connected: bytes = store.execute_command("CLIENT", "LIST")
        except ResponseError:
            return
        if any(command in connected for command in WORKERS_COMMANDS):
            raise StoreError(
                "workers are at work in that store, with deck keys of their own: "
                "stop them first, or name another store"
            )


@contextmanager
def _terminated_like_interrupted() -> Generator[None]:
    """Let SIGTERM, and a terminal that is closed, do what Ctrl-C does: ``KeyboardInterrupt``."""
    signs = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
        signs.append(signal.SIGHUP)
    before = {sign: signal.signal(sign, signal.default_int_handler) for sign in signs}
    try:
        yield
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)


@contextmanager
def _data_folder(data: Path) -> Generator[None]:
    """The data folder, made if need be, and locked."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = claim_folder(data)
    except OSError as error:
        raise BadInput(f"the data folder {data} cannot be used: {error.strerror}") from None
    try:
        yield
    finally:
        release_folder(lock)


def _deck_keys(data: Path, screen: Screen) -> DeckKeyRing:
    ring = DeckKeyRing.create(data / "deck-keys.json")
    if ring.is_new:
        if (data / "heads.jsonl").exists():
            screen.say(
                f"{data / 'deck-keys.json'} is gone: decks of hands that were played cannot be "
                "opened any more, unless you stop and bring it back"
            )
        screen.say(f"made a development deck key in {data / 'deck-keys.json'}; keep it secret")
    return ring


def _seat_keys(data: Path) -> dict[str, bytes]:
    """The bots' public keys; the private ones stay in the data folder, as a player's would."""
    path = data / "bot-keys.json"
    if not path.exists():
        made = {f"bot-{seat}": SeatKey.generate() for seat in range(10)}
        text = json.dumps({name: key.private_bytes.hex() for name, key in made.items()})
        unfinished = path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        unfinished.rename(path)
    try:
        stored: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        return {name: SeatKey(bytes.fromhex(private)).public for name, private in stored.items()}
    except (ValueError, AttributeError, TypeError):
        raise BadInput(f"{path} does not hold the bots' keys; move it away") from None
