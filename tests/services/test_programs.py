"""Single programs, started, fed and stopped as an operator does it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from doorcard.commands import OpenTable
from doorcard.streams.keys import dead_key, log_key, queue_key
from services.embedded import EmbeddedServer
from tests.services.harness import LIMITS, TABLE, House, buried, calm, settings_for, sit_down
from tests.services.processes import environment, finish, running, services, until
from tests.services.shops import RedisShop
from tests.services.test_metrics_programs import free_ports, page

ROLES = ("floor", "dealer", "betting", "showdown", "clock")


def lines_of(said: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.splitlines()]


@pytest.fixture
def settings(server: EmbeddedServer, server_client: Any, ring: Path) -> dict[str, str]:
    assert server_client.ping()
    return {
        "DOORCARD_REDIS_URL": server.url,
        "DOORCARD_PARTITIONS": "1",
        "DOORCARD_DECK_KEYS_FILE": str(ring),
        "DOORCARD_BLOCK_MS": "200",
    }


@pytest.fixture
def house(server_client: Any) -> House:
    """A house on the real server, whose workers here do nothing unless told."""
    return House(RedisShop(server_client), settings_for(claim_idle_ms=0))


# --- starting and stopping -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "sign"),
    [(role, signal.SIGTERM) for role in ROLES] + [("betting", signal.SIGINT)],
)
def test_an_idle_worker_stops_at_once_with_exit_0(
    settings: dict[str, str], role: str, sign: signal.Signals
) -> None:
    with running(role, **settings) as process:
        assert process.stderr is not None
        first = json.loads(process.stderr.readline())
        assert (first["event"], first["role"], first["level"]) == ("ready", role, "info")
        started = time.monotonic()
        code, said = finish(process, sign)
        assert time.monotonic() - started < 3
    assert code == 0
    assert [line["event"] for line in lines_of(said)] == ["stopped"]


def test_sigterm_drains_finishes_what_was_read_and_acknowledges_it(
    settings: dict[str, str], house: House, server_client: Any
) -> None:
    """Under load: what was read has its commit or its answer, and nothing is left handed out."""
    for number in range(300):
        table = f"p00.t{number}"
        house.send(open_table(), f"open-{number}", table=table)
    with running("floor", **settings) as process:
        until(lambda: len(house.log.tables()) > 20)
        code, said = finish(process, signal.SIGTERM)
    assert code == 0
    last = lines_of(said)[-1]
    assert (last["event"], last["left"]) == ("stopped", 0)
    key = queue_key("floor", "p00")
    assert len(house.log.tables()) == last["commits"] == 300 - server_client.xlen(key)


def open_table() -> OpenTable:
    return OpenTable("razz", LIMITS, seats=4)


def test_kill_9_while_working_loses_nothing(settings: dict[str, str], house: House) -> None:
    """Several times in a row, wherever it hits: every table is opened exactly once."""
    names = [f"p00.t{number}" for number in range(400)]
    for name in names:
        house.send(open_table(), "open", table=name)
    for share in (20, 120, 250):
        with running("floor", **settings) as process:
            until(lambda share=share: len(house.log.tables()) > share)  # type: ignore[misc]
            process.kill()
    house.settle()
    while house.shop.unfinished():
        house.claim()
        house.settle()
    assert house.log.tables() == sorted(names)
    assert [len(house.log.read(name)) for name in names] == [1] * 400


# --- what cannot work says why -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"DOORCARD_DECK_KEYS_FILE": ""}, "no deck key: set DOORCARD_DECK_KEYS_FILE or"),
        ({"DOORCARD_DECK_KEYS_FILE": "/nowhere/ring.json"}, "/nowhere/ring.json"),
        ({"DOORCARD_HEADS_FILE": "/nowhere/heads.jsonl"}, "heads cannot be written to /nowhere"),
        ({"DOORCARD_DURABILITY": "fsync"}, "durability fsync needs 'appendfsync always'"),
        ({"DOORCARD_REDIS_URL": "http://store"}, "is no Redis URL"),
    ],
    ids=["no key", "no file", "no heads", "no fsync", "no store"],
)
def test_a_worker_that_cannot_work_ends_with_one_line(
    settings: dict[str, str], changes: dict[str, str], why: str
) -> None:
    merged = {name: text for name, text in (settings | changes).items() if text}
    done = services("showdown", **merged)
    assert done.returncode == 2
    (line,) = lines_of(done.stderr)
    assert (line["event"], line["role"], line["level"]) == ("cannot work", "showdown", "critical")
    assert why in line["why"]


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("DOORCARD_PARTITIONS", "0", "1 or more is needed, not '0'"),
        ("DOORCARD_PARTITIONS", "5000", "1024 or less is needed, not '5000'"),
        ("DOORCARD_BATCH", "many", "a whole number is needed, not 'many'"),
        ("DOORCARD_BATCH", "", "a whole number is needed, not ''"),
        ("DOORCARD_TRACES", "perhaps", "true or false is needed, not 'perhaps'"),
        ("DOORCARD_DURABILITY", "forever", "'everysec', 'fsync' or 'replicated' is needed"),
    ],
)
def test_a_setting_that_makes_no_sense_is_one_sentence(name: str, text: str, wanted: str) -> None:
    done = services("betting", **{name: text})
    assert done.returncode == 2
    assert done.stderr.startswith(f"services: setting {name}: {wanted}")
    assert done.stderr.count("\n") == 1


def test_a_worker_waits_for_a_store_that_is_not_there_yet(tmp_path: Path) -> None:
    """Down at the start: a line now and then, no crash, and it begins when the store comes."""
    url = f"unix://{tmp_path}/s/server.sock"
    with running("betting", DOORCARD_REDIS_URL=url, DOORCARD_BLOCK_MS="100") as process:
        assert process.stderr is not None
        first = json.loads(process.stderr.readline())
        assert (first["event"], first["level"]) == ("store trouble, waiting", "warning")
        assert "ConnectionError" in first["error"]
        with EmbeddedServer.start(tmp_path / "s"):
            events = [json.loads(process.stderr.readline())["event"]]
            while events[-1] != "store is back":
                events.append(json.loads(process.stderr.readline())["event"])
            assert "ready" in events
            code, said = finish(process, signal.SIGTERM)
    assert code == 0, said


def test_an_error_that_nobody_expected_is_a_json_line_without_its_text(
    settings: dict[str, str],
) -> None:
    """The text of somebody else's error may quote what it tripped over."""
    program = (
        "import services.roles as roles, services.__main__ as main\n"
        "class Broken:\n"
        "    def __call__(self): raise ValueError('As Kd')\n"
        "roles.Turns = lambda *words: Broken()\n"
        "main.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "betting"],
        env=environment(**settings),
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    (line,) = lines_of(done.stderr)
    assert (line["event"], line["role"]) == ("ended by an error", "betting")
    assert line["error"].startswith("ValueError in __main__.Broken.__call__")
    assert "As" not in done.stderr


# --- the operator's programs ---------------------------------------------------------------------


def test_health_says_what_waits_and_fails_without_a_store(
    settings: dict[str, str], house: House
) -> None:
    house.send(open_table(), "open")
    done = services("health", **settings)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "store": "ok",
        "waiting": {"floor": 1, "dealer": 0, "betting": 0, "showdown": 0},
    }
    away = settings | {"DOORCARD_REDIS_URL": "unix:///nowhere/server.sock"}
    done = services("health", **away)
    assert done.returncode == 2
    assert done.stderr.startswith("services: the store does not answer: ")
    assert done.stderr.count("\n") == 1


def test_a_full_store_is_said_by_the_clock_and_by_health(
    settings: dict[str, str], server_client: Any
) -> None:
    """Senders are refused before a worker has anything to hold: only the clock still writes."""
    port = free_ports(1)
    server_client.config_set("maxmemory", 1)
    try:
        with running("clock", DOORCARD_METRICS_PORT=str(port), **settings) as process:
            assert process.stderr is not None
            said = json.loads(process.stderr.readline())
            while said["event"] == "metrics are served":
                said = json.loads(process.stderr.readline())
            assert (said["event"], said["level"]) == ("the store takes no writes, waiting", "error")
            until(lambda: "doorcard_store_full{" in page(port, "/metrics"))
            assert 'doorcard_store_full{role="clock"} 1.0' in page(port, "/metrics")
            assert "doorcard_queue_messages{" in page(port, "/metrics")
            probe = services("probe", DOORCARD_METRICS_PORT=str(port))
            assert (probe.returncode, "the store takes no writes" in probe.stdout) == (1, True)
            done = services("health", **settings)
            assert done.returncode == 1
            assert json.loads(done.stdout)["store"] == "the store takes no writes"
            server_client.config_set("maxmemory", 0)
            assert json.loads(process.stderr.readline())["event"] == "ready"
            assert json.loads(process.stderr.readline())["event"] == "the store takes writes again"
            finish(process, signal.SIGTERM)
    finally:
        server_client.config_set("maxmemory", 0)
    assert services("health", **settings).returncode == 0


def test_a_store_that_keeps_nothing_is_refused_by_workers_and_named_by_health(
    settings: dict[str, str], server_client: Any
) -> None:
    server_client.config_set("appendonly", "no")
    try:
        for durability in ("everysec", "fsync"):
            done = services("betting", DOORCARD_DURABILITY=durability, **settings)
            assert done.returncode == 2
            (line,) = done.stderr.splitlines()
            assert "the store keeps nothing" in json.loads(line)["why"]
        done = services("health", **settings)
        said = json.loads(done.stdout)["store"]
        assert (done.returncode, said) == (1, "the store keeps nothing on a disk")
    finally:
        server_client.config_set("appendonly", "yes")
    assert services("health", **settings).returncode == 0


def test_paused_and_resume(settings: dict[str, str], house: House) -> None:
    """What came to nothing during the pause is put back: the wake-up, and the timer."""
    house.open(2)
    other = "p00.other"
    house.send(open_table(), "open-other", table=other)
    for seat in range(2):
        house.send(sit_down(seat), f"sit-{seat}", table=other)
    house.settle(("floor",))
    house.log.pause(TABLE, "looked at")
    house.log.pause(other, "also")
    house.settle()  # the other table's wake-up for the dealer is refused and gone
    assert house.table(other).hands == 0
    assert house.shop.unfinished() == {}
    done = services("paused", **settings)
    assert done.stdout.splitlines() == [f"{other}  also", f"{TABLE}  looked at"]
    for table in (other, TABLE):
        done = services("resume", table, **settings)
        assert (done.returncode, done.stdout) == (0, f"{table} goes on\n")
    house.settle()
    assert house.table(other).hands == 1
    assert services("paused", **settings).stdout == "no table is paused\n"
    done = services("resume", TABLE, **settings)
    assert (done.returncode, done.stderr) == (2, f"services: table {TABLE} is not paused\n")
    done = services("resume", "p00.nobody", **settings)
    assert (done.returncode, done.stderr) == (2, "services: there is no table p00.nobody\n")


def test_the_floors_commands_say_what_came_of_them(settings: dict[str, str], house: House) -> None:
    house.open(2)
    with running("floor", **settings) as floor:
        for words, code, said in (
            (["close", TABLE], 1, "A hand is in progress: stop-dealing lets no other begin"),
            (["stop-dealing", TABLE, "late"], 0, f"no new hand begins at {TABLE}"),
            (["void", TABLE, "a card was seen"], 0, f"the hand at {TABLE} is void"),
            (["void", TABLE, "again"], 1, "No hand is in progress"),
            (["start-dealing", TABLE], 0, f"hands begin again at {TABLE}"),
            (["close", TABLE], 0, f"{TABLE} is closed"),
        ):
            done = services(*words, **settings)
            assert (done.returncode, done.stdout.partition("\n")[0][: len(said)]) == (code, said)
        assert finish(floor, signal.SIGTERM)[0] == 0
    assert house.table().closed
    done = services("void", "p00.nobody", "why", **settings)
    assert (done.returncode, done.stderr) == (2, "services: there is no table p00.nobody\n")


def test_a_table_whose_log_is_broken_is_not_resumed(
    settings: dict[str, str], house: House, server_client: Any
) -> None:
    house.open(2)
    house.log.pause(TABLE, "broken")
    last = house.table().seq
    server_client.xdel(log_key(TABLE), f"{last}-0")
    done = services("resume", TABLE, **settings)
    assert done.returncode == 2
    assert done.stderr == f"services: table {TABLE}: commit {last} is missing, {last} was there\n"
    assert house.log.paused() == {TABLE: "broken"}


def test_a_letter_put_back_ends_no_pause_of_another_reason(
    settings: dict[str, str], house: House
) -> None:
    house.open(2)
    house.send(calm(house.table()), "act")
    (delivery,) = house.queues.read("betting", ["p00"], 10)
    house.log.pause(TABLE, "a dispute")
    house.queues.bury(delivery, TABLE, "nobody could")
    (letter,) = house.queues.dead("p00")
    assert services("dead", "retry", letter.id, **settings).returncode == 0
    assert house.log.paused() == {TABLE: "a dispute"}
    house.settle()
    assert house.commits()[-1].cause != "act"


def test_dead_letters_are_listed_retried_and_dropped(
    settings: dict[str, str], house: House, server_client: Any
) -> None:
    _, letter = buried(house)
    done = services("dead", "list", **settings)
    assert done.stdout == f"{letter.id}  p00  table {TABLE}  deliveries 1  nobody could\n"
    done = services("dead", "retry", letter.id, **settings)
    assert (done.returncode, done.stdout) == (0, f"back in {queue_key('betting', 'p00')}\n")
    house.settle()
    assert house.commits()[-1].cause == "act"
    assert house.log.paused() == {}
    done = services("dead", "retry", letter.id, **settings)
    assert (done.returncode, done.stderr) == (2, f"services: there is no dead letter {letter.id}\n")
    house.send(calm(house.table()), "more")
    (delivery,) = house.queues.read("betting", ["p00"], 10)
    house.queues.bury(delivery, TABLE, "again")
    (letter,) = house.queues.dead("p00")
    done = services("dead", "drop", letter.id, **settings)
    assert done.returncode == 0
    assert server_client.xlen(dead_key("p00")) == 0
    assert house.log.paused() == {TABLE: "again"}
    assert services("dead", "list", **settings).stdout == "there are no dead letters\n"


@pytest.mark.parametrize("words", [["recover"], ["up", "--data", "{data}", "--redis"]])
def test_a_store_that_is_not_there_is_one_sentence(tmp_path: Path, words: list[str]) -> None:
    url = "unix:///nowhere/server.sock"
    words = [word.format(data=tmp_path) for word in words]
    if words[-1] == "--redis":
        words.append(url)
    done = services(*words, DOORCARD_REDIS_URL=url)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("services: the store cannot be used: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["--help"], ["up", "--help"], ["recover", "--help"], []])
def test_help_has_an_example(words: list[str]) -> None:
    done = services(*words)
    assert done.returncode in (0, 2)
    assert "Usage" in done.stdout + done.stderr
    if words and words[0] != "--help":
        assert "Example: " in done.stdout


def test_store_and_up_mean_the_same_folder_by_data() -> None:
    with TemporaryDirectory(prefix="doorcard-") as folder:
        for data in (folder, f"{folder}/store"):  # the second is a store's own folder by then
            with running("store", "--data", data) as process:
                assert process.stdout is not None
                assert process.stdout.readline() == f"url unix://{folder}/store/server.sock\n"
                assert finish(process, signal.SIGTERM)[0] == 0
        assert [path.name for path in Path(folder).iterdir()] == ["store"]
        assert not (Path(folder) / "store/store").exists()


def test_ctrl_c_while_a_program_is_loaded_ends_it_without_a_word(tmp_path: Path) -> None:
    with running("up", "--data", str(tmp_path / "data")) as process:
        until(lambda: "pydantic" in Path(f"/proc/{process.pid}/maps").read_text(), process)
        assert finish(process, signal.SIGINT) == (-signal.SIGINT, "")
