"""``python -m services ROLE``: every program of the service; exits as ``doorcard`` does."""

from __future__ import annotations

import signal

if __name__ == "__main__":  # what is loaded below takes a while, and Ctrl-C may come in it
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from pydantic import ValidationError

from doorcard.cli.program import EXIT_CODES, run_program, say
from doorcard.cli.usage import plain_words, run_app
from doorcard.errors import DoorcardError
from services.settings import Settings, unknown_settings
from services.typed import folder

app = typer.Typer(
    epilog=EXIT_CODES,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The programs of the Doorcard service. Settings come from DOORCARD_… variables.",
)

dead_app = typer.Typer(help="Messages that nobody could handle.")
app.add_typer(dead_app, name="dead")
keys_app = typer.Typer(help="The deck keys of dealer, showdown and auditors.")
app.add_typer(keys_app, name="keys")


@app.command()
def dealer() -> None:
    """Start hands, post antes, deal. Holds the deck key.

    Example: DOORCARD_DECK_KEYS_FILE=keys.json python -m services dealer
    """
    _worker("dealer")


@app.command()
def betting() -> None:
    """Decide players' actions and time-outs. Sees no hidden card.

    Example: DOORCARD_REDIS_URL=redis://store:6379/0 python -m services betting
    """
    _worker("betting")


@app.command()
def showdown() -> None:
    """Show hands, award pots, take rake. Holds the deck key.

    Example: DOORCARD_DECK_KEYS_FILE=keys.json python -m services showdown
    """
    _worker("showdown")


@app.command()
def floor() -> None:
    """Open and close tables, seat players, move chips, void hands.

    Example: python -m services floor
    """
    _worker("floor")


@app.command()
def clock() -> None:
    """Move due timers into the queues of who decides them.

    Example: python -m services clock
    """
    _worker("clock")


@app.command()
def up(
    hands: Annotated[int, typer.Option(min=0, help="Hands a table; 0 until Ctrl-C.")] = 20,
    games: Annotated[str, typer.Option(help="Game ids, separated by commas; empty for all.")] = "",
    data: Annotated[Path, typer.Option(parser=folder, help="Data folder.")] = Path(".doorcard"),
    redis: Annotated[
        str | None, typer.Option(help="Use this store, in which no other `up` plays.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=16, help="Processes of each role.")] = 1,
) -> None:
    """Run a whole service on this machine with bots at its tables.

    Example: python -m services up --hands 5 --games razz,seven_card_stud
    """
    from services.typed import game_ids
    from services.up import Order
    from services.up import up as run_up

    raise SystemExit(run_up(Order(data, redis, hands, game_ids(games), workers), _settings()))


@app.command()
def store(
    data: Annotated[Path, typer.Option(parser=folder, help="Data folder, as `up` has it.")] = Path(
        ".doorcard"
    ),
    fsync: Annotated[bool, typer.Option(help="Write to disk before every answer.")] = False,
    primaries: Annotated[
        int, typer.Option(min=1, max=16, help="More than one: a cluster, without replicas.")
    ] = 1,
) -> None:
    """Run a data folder's store alone, in the foreground; its URL is the first line.

    Example: python -m services store --data /srv/doorcard
    """
    from services.upkeep import run_store

    run_store(data, fsync=fsync, primaries=primaries)


@app.command()
def health() -> None:
    """Exit 0 if the store answers and takes writes, and say what waits in its queues.

    Example: python -m services health
    """
    from services.upkeep import health as look

    _answer(look(_settings()))


@app.command()
def probe() -> None:
    """Exit 0 if the worker on this machine's metrics port is ready, and say why it is not.

    Example: DOORCARD_METRICS_PORT=9400 python -m services probe
    """
    from services.health import probe as ask

    answer, ready = ask(_settings())
    _answer((answer.rstrip(), ready))


@app.command()
def recover() -> None:
    """Make timers, wake-ups, feeds and the lists of tables anew from the logs.

    Example: python -m services recover
    """
    from services.upkeep import recover as put_back

    _answer(put_back(_settings()))


@app.command()
def pause(table: str, reason: str) -> None:
    """Let nobody but the floor commit to a table, not even in a hand, until it is resumed.

    Example: python -m services pause p00.razz-1 "a player disputes hand 12"
    """
    from services.upkeep import pause as stop

    stop(_settings(), table, reason)
    print(f"{table} is paused")


@app.command()
def paused() -> None:
    """List the paused tables, each with its reason.

    Example: python -m services paused
    """
    from services.upkeep import paused as look

    found = look(_settings())
    for table, reason in sorted(found.items()):
        print(f"{table}  {reason}")
    if not found:
        print("no table is paused")


@app.command()
def resume(table: str) -> None:
    """Let a paused table go on.

    Example: python -m services resume p00.razz-1
    """
    from services.upkeep import resume as go_on

    go_on(_settings(), table)
    print(f"{table} goes on")


@app.command()
def void(table: str, reason: str) -> None:
    """Have the floor void the hand in progress; every contribution goes back.

    Example: python -m services void p00.razz-1 "a player saw a folded card"
    """
    from services.desk import void as ask

    _answer(ask(_settings(), table, reason))


@app.command()
def close(table: str) -> None:
    """Have the floor pay out every seat and close a table, between hands.

    Example: python -m services close p00.razz-1
    """
    from services.desk import close as ask

    _answer(ask(_settings(), table))


@app.command()
def stop_dealing(table: str, reason: str) -> None:
    """Have the floor let no new hand begin; one in progress is played to its end.

    Example: python -m services stop-dealing p00.razz-1 "the room closes"
    """
    from services.desk import stop_dealing as ask

    _answer(ask(_settings(), table, reason))


@app.command()
def start_dealing(table: str) -> None:
    """Have the floor let hands begin again after stop-dealing.

    Example: python -m services start-dealing p00.razz-1
    """
    from services.desk import start_dealing as ask

    _answer(ask(_settings(), table))


@app.command()
def archive(
    folder: Annotated[Path, typer.Option(help="Where each table's file is.")],
    tables: Annotated[list[str] | None, typer.Argument(metavar="[TABLE]...")] = None,
    every: Annotated[bool, typer.Option("--all", help="All tables.")] = False,
    keep_hands: Annotated[int, typer.Option(min=1, help="Ended hands that stay.")] = 20,
    anew: Annotated[bool, typer.Option("--anew", help="Begin other files than before.")] = False,
) -> None:
    """Move old hands out of the logs into files, each verified, written and read back first.

    Example: python -m services archive --all --folder /srv/archive
    """
    from services import archive as moving

    if every == bool(tables):
        raise typer.BadParameter("name the tables to archive, or use --all")
    order = moving.Order(tables or [], folder, keep_hands, anew)
    raise SystemExit(moving.archive(_settings(), order, print))


@dead_app.command("list")
def dead_list() -> None:
    """List the dead letters, one a line.

    Example: python -m services dead list
    """
    from services.upkeep import letter_lines

    print("\n".join(letter_lines(_settings()) or ["there are no dead letters"]))


@dead_app.command("show")
def dead_show(letter: str) -> None:
    """Show a dead letter, and what the message in it says; bytes are written as hex.

    Example: python -m services dead show 1764500000000-0
    """
    from services.upkeep import letter_text

    print(letter_text(_settings(), letter))


@dead_app.command("retry")
def dead_retry(letter: str) -> None:
    """Put a dead letter back into its queue and let its table go on.

    Example: python -m services dead retry 1764500000000-0
    """
    from services.upkeep import retry_dead

    print(f"back in {retry_dead(_settings(), letter).queue}")


@dead_app.command("drop")
def dead_drop(letter: str) -> None:
    """Delete a dead letter for good; its table stays paused until it is resumed.

    Example: python -m services dead drop 1764500000000-0
    """
    from services.upkeep import drop_dead

    print(f"dropped the letter of {drop_dead(_settings(), letter).queue}")


@keys_app.command("list")
def keys_list() -> None:
    """List the ids in the key ring; the current key of each kind is marked.

    Example: DOORCARD_DECK_KEYS_FILE=keys.json python -m services keys list
    """
    from services.upkeep import key_ids

    print("\n".join(key_ids(_settings())))


@keys_app.command("add")
def keys_add(key_id: str) -> None:
    """Add a new deck key; the current one stays current, so that every holder can learn it first.

    Example: DOORCARD_DECK_KEYS_FILE=keys.json python -m services keys add 2027-a
    """
    from services.upkeep import change_keys

    change_keys(_settings(), lambda ring: ring.add(key_id))
    print(f"added {key_id}; give the ring to all dealers and showdowns, then: keys use {key_id}")


@keys_app.command("use")
def keys_use(key_id: str) -> None:
    """Seal the seeds of new hands to this deck key from the next start of a dealer on.

    Example: DOORCARD_DECK_KEYS_FILE=keys.json python -m services keys use 2027-a
    """
    from services.upkeep import change_keys

    change_keys(_settings(), lambda ring: ring.make_current(key_id))
    print(f"{key_id} is current; restart the dealers, one after another")


def _worker(role: str) -> None:
    from services.logs import set_up_logs
    from services.roles import run_clock, run_worker

    settings = _settings(says_unknown=False)
    logger = set_up_logs(settings.log_level, role)
    for sentence in unknown_settings(os.environ):
        logger.warning("unknown setting", why=sentence)
    try:
        if role == "clock":
            run_clock(settings, logger)
        else:
            run_worker(role, settings, logger)
    except (DoorcardError, OSError) as error:
        logger.critical("cannot work", why=str(error))
        raise SystemExit(2) from None


def _answer(answer: tuple[str, bool]) -> NoReturn:
    """Say what came of it; exit 1 if the answer is no."""
    print(answer[0])
    raise SystemExit(0 if answer[1] else 1)


def _settings(*, says_unknown: bool = True) -> Settings:
    """The settings; what else is set that looks like one is said once."""
    if says_unknown:
        for sentence in unknown_settings(os.environ):
            say("services", sentence)
    try:
        return Settings()
    except ValidationError as error:
        name = "DOORCARD_" + "_".join(map(str, error.errors()[0]["loc"])).upper()
        _fail(f"setting {name}: {plain_words(error)}")


def _fail(sentence: str) -> NoReturn:
    say("services", sentence)
    raise SystemExit(2)


def main() -> NoReturn:
    """Run a program; what is wrong is said in one sentence."""
    raise SystemExit(run_program("services", _run))


def _run() -> int:
    try:
        return run_app(app, "services", "python -m services", sys.argv[1:])
    except Exception as error:
        from services.failures import sentence_of

        if (sentence := sentence_of(error)) is None:
            raise
        _fail(sentence)


if __name__ == "__main__":
    main()
