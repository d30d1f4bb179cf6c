"""``up``: one command, many processes, and none of them left behind."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest

from doorcard.audit.verify import verify_table
from doorcard.fairness.keys import DeckKeyRing
from doorcard.streams.connection import connect
from doorcard.streams.keys import partition_names
from doorcard.streams.redis_log import RedisLog
from services.embedded import EmbeddedServer
from services.up import LINE_UP
from tests.services.conftest import Evening
from tests.services.processes import (
    environment,
    family,
    finish,
    hands_in,
    log_lines,
    running,
    services,
    stopped,
    tables_of,
    until,
    workers_of,
)

SUMMARY: Final = re.compile(
    r"hands +(?P<hands>\d+) at (?P<tables>\d+) tables?\n"
    r"actions +(?P<actions>\d+) in [\d.]+ s, \d+ a second\n"
    r"command→commit +p50 [\d.]+ ms, p99 [\d.]+ ms\n"
    r"chips +(?P<in>\d+) in = (?P<out>\d+) out \+ (?P<on>\d+) on tables \+ (?P<rake>\d+) rake\n"
    r"chains verified +(?P<verified>\d+) of (?P<all>\d+)\n"
)

DOORCARD: Final = "from doorcard.cli import main; raise SystemExit(main())"


def summary(said: str) -> dict[str, int]:
    found = SUMMARY.search(said)
    assert found is not None, said
    return {name: int(text) for name, text in found.groupdict().items()}


def verify_all(data: Path) -> int:
    """Verify every log in a folder with its keys and heads; how many tables."""
    ring = DeckKeyRing.load(data / "deck-keys.json")
    with EmbeddedServer.start(data / "store") as server:
        client: Any = connect(server.url)
        log = RedisLog(client, partitions=partition_names(4))
        for table in log.tables():
            report = verify_table(log, table, ring=ring, heads=data / "heads.jsonl")
            assert report.problem is None, report.problem
            assert "decks" in report.checked or not report.hands
        client.close()
        return len(log.tables())


# --- an ordinary run -----------------------------------------------------------------------------


def test_an_evening_ends_with_a_summary_in_which_everything_adds_up(evening: Evening) -> None:
    assert evening.code == 0, evening.said
    figures = summary(evening.said)
    assert (figures["hands"], figures["tables"]) == (200, len(LINE_UP))
    assert figures["actions"] > 2_000
    assert figures["in"] == figures["out"] + figures["on"] + figures["rake"]
    assert figures["on"] == 0
    assert figures["verified"] == figures["all"] == len(LINE_UP)
    assert "problem" not in evening.said
    assert "late" not in evening.said
    assert "made a development deck key" in evening.said
    assert hands_in(evening.data) == 200


def test_nothing_but_json_is_logged_and_nothing_went_wrong(evening: Evening) -> None:
    lines = [line for written in log_lines(evening.data).values() for line in written]
    assert [line for line in lines if line["level"] not in ("debug", "info")] == []


def test_what_it_says_at_its_end_works(data: Path) -> None:
    done = services("up", "--hands", "1", "--games", "razz", "--data", str(data))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nat p00.razz-1\n" in done.stdout
    assert "hands            1 at 1 table\n" in done.stdout
    start, see = (shlex.split(line)[2:] for line in done.stdout.splitlines()[-2:])
    assert start[1:3] == ["-m", "services"]
    with running(*start[3:]) as store:
        assert store.stdout is not None
        assert store.stdout.readline().startswith("url ")
        shown = subprocess.run(
            [sys.executable, "-c", DOORCARD, *see[2:]],
            env=environment(), check=True, capture_output=True, text=True,
        )  # fmt: skip
        assert "razz" in shown.stdout.lower()


def test_it_says_something_at_once(data: Path) -> None:
    started = time.monotonic()
    with running("up", "--hands", "1", "--games", "razz", "--data", str(data)) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        took_s = time.monotonic() - started
        assert first.startswith("made a development deck key")
        assert took_s < 6, "two seconds on a machine that has nothing else to do"
        code, said = finish(process)
    assert code == 0, said
    assert summary(said)["tables"] == 1


# --- stopping and starting again -----------------------------------------------------------------


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_cleanly_and_goes_on_in_the_middle_of_a_hand(
    data: Path, sign: signal.Signals
) -> None:
    with running("up", "--hands", "0", "--data", str(data)) as process:
        until(lambda: hands_in(data) > 4, process)
        code, said = finish(process, sign)
    assert code == 0, said
    figures = summary(said)
    assert figures["on"] > 0
    assert figures["verified"] == len(LINE_UP)
    assert family(data) == {}
    assert verify_all(data) == len(LINE_UP)
    for lines in log_lines(data).values():
        assert lines[-1]["event"] == "stopped"
    done = services("up", "--hands", "2", "--data", str(data))
    assert done.returncode == 0, done.stderr
    assert f"going on at {len(LINE_UP)} tables\n" in done.stdout
    figures = summary(done.stdout)
    assert (figures["hands"], figures["on"], figures["verified"]) == (
        2 * len(LINE_UP),
        0,
        len(LINE_UP),
    )


def test_kill_9_leaves_nobody_behind_and_the_next_start_goes_on(data: Path) -> None:
    with running(
        "up", "--hands", "0", "--games", "razz,five_card_stud", "--data", str(data)
    ) as process:
        until(lambda: hands_in(data) > 4, process)
        workers = workers_of(process.pid)
        assert len(workers) == 5
        process.kill()
        process.wait()
        until(lambda: workers_of(process.pid) == {})
    left = family(data)
    assert ["valkey-server" in command for command in left.values()] == [True]
    done = services("up", "--hands", "1", "--games", "razz", "--data", str(data))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"left behind was stopped (process {next(iter(left))})" in done.stdout
    assert "going on at 3 tables, whatever --games says" in done.stdout
    assert family(data) == {}
    assert verify_all(data) == 3
    lines = [line for lines in log_lines(data).values() for line in lines]
    assert len([line for line in lines if line["event"] == "parent is gone, stopping"]) == 5


def test_a_live_data_folder_is_refused_with_the_reason(data: Path) -> None:
    with running("up", "--hands", "0", "--games", "razz", "--data", str(data)) as first:
        until(lambda: hands_in(data) > 1, first)
        done = services("up", "--data", str(data))
        assert done.returncode == 2
        assert f"is in use by process {first.pid}" in done.stderr
        assert "Traceback" not in done.stderr
        assert first.poll() is None
        assert finish(first, signal.SIGINT)[0] == 0


def test_ctrl_c_before_the_end_is_no_success(data: Path) -> None:
    with running("up", "--hands", "9999", "--games", "razz", "--data", str(data)) as process:
        until(lambda: hands_in(data) > 1, process)
        code, said = finish(process, signal.SIGINT)
    assert code == 130
    assert summary(said)["verified"] == 1


# --- a store of one's own, more workers ----------------------------------------------------------


def test_it_runs_on_another_store_with_several_workers_a_role(data: Path) -> None:
    with EmbeddedServer.start(data.with_name("store")) as server:
        words = ("up", "--hands", "4", "--workers", "2", "--redis", server.url, "--data", str(data))
        with running(*words, DOORCARD_PARTITIONS="2") as process:
            until(lambda: hands_in(data) > 1, process)
            with stopped(process):  # its four hands must not be over before the second is refused
                roles = sorted(workers_of(process.pid).values())
                assert roles == sorted(["clock", *("betting", "dealer", "floor", "showdown") * 2])
                second = services("up", "--redis", server.url, "--data", str(data))
                assert (second.returncode, "is in use by process" in second.stderr) == (2, True)
            code, said = finish(process)
        assert code == 0, said
        assert summary(said)["verified"] == len(LINE_UP)
        assert {name[:3] for name in tables_of(server.url, 2)} == {"p00", "p01"}
        assert not (data / "store").exists()


def test_a_store_whose_messages_others_take_is_refused(data: Path) -> None:
    """Its workers have another deck key."""
    with EmbeddedServer.start(data.with_name("store")) as server:
        words = ("up", "--hands", "0", "--games", "razz", "--redis", server.url)
        with running(*words, "--data", str(data)) as process:
            until(lambda: hands_in(data) > 1, process)
            done = services(*words, "--data", str(data.with_name("other")))
            assert done.returncode == 2
            assert "services: workers are at work in that store" in done.stderr
            assert finish(process, signal.SIGINT)[0] == 0
