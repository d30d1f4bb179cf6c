"""What goes wrong while ``up`` plays is said, and nothing is left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from doorcard.client import Client
from doorcard.commands import OpenTable
from doorcard.local import usual_limits
from doorcard.streams.connection import connect
from doorcard.streams.keys import partition_names
from doorcard.streams.redis_log import RedisLog
from services.embedded import EmbeddedServer
from services.up_play import Stillness
from tests.services.processes import (
    environment,
    family,
    finish,
    hands_in,
    hear,
    running,
    services,
    tables_of,
    until,
    workers_of,
)


def test_an_unknown_game_is_one_sentence(data: Path) -> None:
    done = services("up", "--games", "razz,go_fish", "--data", str(data))
    assert done.returncode == 2
    assert done.stderr.startswith("services: there is no game called 'go_fish'; there are ")
    assert done.stderr.count("\n") == 1
    assert not data.exists()


@pytest.mark.parametrize("place", ["a-file", "a-file/below", "/proc/doorcard"])
def test_a_data_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "a-file").write_text("no folder")
    done = services("up", "--data", str(tmp_path / place))
    assert done.returncode == 2
    assert re.fullmatch(r"services: the data folder \S+ cannot be used: [^\n]+\n", done.stderr)


def test_an_empty_name_is_no_data_folder() -> None:
    for words in (("up", "--hands", "1"), ("store",)):
        done = services(*words, "--data", "")
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "a folder has a name" in done.stderr


def test_a_key_ring_that_is_gone_is_missed(data: Path) -> None:
    words = ("up", "--hands", "1", "--games", "razz", "--data", str(data))
    assert services(*words).returncode == 0
    (data / "deck-keys.json").unlink()
    done = services(*words)
    assert "deck-keys.json is gone: decks of hands that were played cannot be opened" in done.stdout


def test_keys_of_bots_that_make_no_sense_are_said(data: Path) -> None:
    data.mkdir()
    (data / "bot-keys.json").write_text("[]")
    done = services("up", "--data", str(data))
    assert done.returncode == 2
    assert "bot-keys.json does not hold the bots' keys" in done.stderr
    assert family(data) == {}


def test_a_worker_that_ends_by_itself_ends_the_run(data: Path) -> None:
    with running("up", "--hands", "0", "--games", "razz", "--data", str(data)) as process:
        until(lambda: hands_in(data) > 1, process)
        victim = next(pid for pid, role in workers_of(process.pid).items() if role == "betting")
        os.kill(victim, signal.SIGKILL)
        code, said = finish(process)
    assert code == 2
    assert "services: the betting worker ended with code -9: " in said
    assert family(data) == {}


def test_a_worker_that_cannot_work_says_why(data: Path) -> None:
    data.mkdir()
    (data / "heads.jsonl").mkdir()
    done = services("up", "--data", str(data))
    assert done.returncode == 2
    assert "the showdown worker ended with code 2: heads cannot be written to" in done.stderr
    assert family(data) == {}


def test_a_store_that_ends_by_itself_ends_the_run(data: Path) -> None:
    with running("up", "--hands", "0", "--games", "razz", "--data", str(data)) as process:
        until(lambda: hands_in(data) > 1, process)
        server = next(pid for pid, words in family(data).items() if "valkey-server" in words)
        os.kill(server, signal.SIGKILL)
        code, said = finish(process)
    assert code == 2
    assert f"services: the store ended by itself; see {data}/store/server.log" in said
    assert family(data) == {}


def test_files_that_are_taken_away_end_the_run(data: Path) -> None:
    with running("up", "--hands", "0", "--games", "razz", "--data", str(data)) as process:
        until(lambda: hands_in(data) > 1, process)
        (data / "store" / "appendonlydir").rename(data / "elsewhere")
        code, said = finish(process)
    assert code == 2
    assert "were taken away under the running store" in said
    assert "chains verified" not in said
    assert family(data) == {}


def test_a_store_that_is_told_to_keep_nothing_ends_the_run(data: Path) -> None:
    with running("up", "--hands", "0", "--games", "razz", "--data", str(data)) as process:
        until(lambda: hands_in(data) > 1, process)
        client: Any = connect(f"unix://{data}/store/server.sock")
        client.config_set("appendonly", "no")
        client.close()
        code, said = finish(process)
    assert code == 2
    assert "'appendonly no' in the running store" in said
    assert family(data) == {}


def test_a_store_that_is_full_is_said_and_one_that_was_emptied_ends_the_run(data: Path) -> None:
    with running("up", "--hands", "0", "--games", "razz", "--data", str(data)) as process:
        until(lambda: hands_in(data) > 1, process)
        client: Any = connect(f"unix://{data}/store/server.sock")
        (dealer,) = [pid for pid, role in workers_of(process.pid).items() if role == "dealer"]
        os.kill(dealer, signal.SIGSTOP)
        time.sleep(1.0)  # nobody is asked for anything any more, so no bot is turned away
        client.config_set("maxmemory", 1)
        hear(process, "waiting: The store takes no writes")
        client.config_set("maxmemory", 0)
        hear(process, "the queues take commands again\n")
        os.kill(dealer, signal.SIGCONT)
        client.flushall()
        client.close()
        code, said = finish(process)
    assert code == 2
    assert "commits that were seen the store holds none any more" in said
    assert "Traceback" not in said


def test_standing_still_is_said_once_until_something_happens() -> None:
    stillness = Stillness(100.0)
    asked = [(0, 100.0), (0, 114.0), (0, 115.0), (0, 300.0), (7, 301.0), (7, 315.0), (7, 316.0)]
    assert [stillness.begins(*at) for at in asked] == [False, False, True] + [False] * 3 + [True]


def test_a_closed_terminal_leaves_nobody_behind(data: Path) -> None:
    with running("up", "--hands", "0", "--games", "razz", "--data", str(data)) as process:
        until(lambda: hands_in(data) > 1, process)
        code, said = finish(process, signal.SIGHUP)
    assert code == 0
    assert "chains verified  1 of 1" in said
    assert family(data) == {}


def test_output_that_cannot_be_written_is_one_sentence(data: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "services", "up", "--hands", "1", "--data", str(data)],
            env=environment(),
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    sentence = "services: standard output cannot be written: No space left on device\n"
    assert done.stderr.endswith(sentence)
    assert "Traceback" not in done.stderr
    assert family(data) == {}


def test_a_paused_table_is_waited_for_and_goes_on_when_it_is_resumed(data: Path) -> None:
    with EmbeddedServer.start(data.with_name("store")) as server:
        words = ("up", "--hands", "0", "--games", "razz,soko", "--redis", server.url)
        with running(*words, "--data", str(data)) as process:
            until(lambda: hands_in(data) > 1, process)
            client: Any = connect(server.url)
            log = RedisLog(client, partitions=partition_names(4))
            held, other = sorted(log.tables())
            services("pause", held, "somebody looks", DOORCARD_REDIS_URL=server.url)
            hear(process, f"table {held} is paused: somebody looks")
            stands, went = len(log.read(held)), len(log.read(other))
            until(lambda: len(log.read(other)) >= went + 10, process)
            assert len(log.read(held)) == stands
            services("resume", held, DOORCARD_REDIS_URL=server.url)
            hear(process, f"table {held} goes on")
            until(lambda: len(log.read(held)) >= stands + 10, process)
            client.close()
            code, said = finish(process, signal.SIGINT)
    assert code == 0, said
    assert "problem" not in said


def test_what_is_left_when_all_others_are_done_may_be_paused(data: Path) -> None:
    with EmbeddedServer.start(data.with_name("store")) as server:
        words = ("up", "--hands", "200", "--games", "razz", "--redis", server.url)
        with running(*words, "--data", str(data)) as process:
            until(lambda: hands_in(data) > 1, process)
            (table,) = tables_of(server.url, 4)
            services("pause", table, "somebody looks", DOORCARD_REDIS_URL=server.url)
            code, said = finish(process)
    assert code == 1
    assert f"problem: table {table} is paused: somebody looks; `python -m services resume" in said
    assert "chains verified  1 of 1" in said


def test_a_run_that_was_stopped_while_tables_opened_is_gone_on_with(data: Path) -> None:
    """Its requests lie in the queues, and are answered in the next run."""
    words = ("up", "--hands", "1", "--games", "razz", "--data", str(data))
    with EmbeddedServer.start(data / "store") as server:
        before = Client.connect(server.url, "up-1", 4)
        command = OpenTable("razz", usual_limits("razz", ""), "", seats=6)
        before.send("p00.razz-1", command, request_id="p00.razz-1-open")
    done = services(*words)
    assert done.returncode == 0, done.stderr
    assert "chains verified  1 of 1" in done.stdout


def test_a_table_of_that_name_that_is_another_is_not_taken(data: Path) -> None:
    with EmbeddedServer.start(data / "store") as server:
        before = Client.connect(server.url, "up-1", 4)
        before.send("p00.razz-1", OpenTable("soko", usual_limits("soko", ""), "", seats=6))
    done = services("up", "--hands", "1", "--games", "razz", "--data", str(data))
    assert done.returncode == 2
    assert (
        done.stderr
        == "services: table p00.razz-1 was not opened: Table p00.razz-1 is open already.\n"
    )
