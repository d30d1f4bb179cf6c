"""The service as ops/ sets it up: redis.conf, and each role as its own user of the store."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from redis.exceptions import RedisError

from doorcard.audit.verify import verify_table
from doorcard.client import Client
from doorcard.commands import OpenTable
from doorcard.fairness.keys import DeckKeyRing
from doorcard.limits import Limits
from doorcard.streams.connection import connect
from doorcard.streams.delivery import Outgoing
from doorcard.streams.keys import partition_names
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from doorcard.tables import Role
from services.bots import BotRoom
from services.embedded import bundled_binary
from tests.services.processes import PATIENCE_S, ROOT, finish, running, services

PARTITIONS = 2
ROLES: tuple[Any, ...] = ("floor", "dealer", "betting", "showdown", "clock")
LIMITS = Limits(ante=1, bring_in=2, small_bet=5, big_bet=10)
TABLES = ("p00.razz-1", "p01.stud-1")


class Store:
    """A server with the operators' files; every user's password is the placeholder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def url(self, user: str) -> str:
        return f"unix://{user}:change-me-{user}@{self.folder}/server.sock"


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with TemporaryDirectory(prefix="doorcard-") as parent:
        folder = Path(parent).resolve()
        text = (ROOT / "ops/redis.conf").read_text("utf-8")
        settings = folder / "redis.conf"
        settings.write_text(text.replace("\ndir /data\n", f"\ndir {folder}\n"))
        acl = ["--aclfile", str(ROOT / "ops/users.acl")]
        listen = ["--port", "0", "--unixsocket", str(folder / "server.sock")]
        with subprocess.Popen(
            [str(bundled_binary()), str(settings), *acl, *listen],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as server:
            found = Store(folder)
            _await(found)
            yield found
            server.kill()


def _await(store: Store) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        try:
            connect(store.url("admin")).execute_command("PING")
        except RedisError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not start")


def settings(store: Store, user: str, ring: Path) -> dict[str, str]:
    found = {
        "DOORCARD_REDIS_URL": store.url(user),
        "DOORCARD_PARTITIONS": str(PARTITIONS),
        "DOORCARD_BLOCK_MS": "200",
    }
    if user in ("dealer", "showdown"):
        found["DOORCARD_DECK_KEYS_FILE"] = str(ring)
    if user == "showdown":
        found["DOORCARD_HEADS_FILE"] = str(store.folder / "heads.jsonl")
    return found


def test_every_role_plays_its_part_with_its_own_rights(store: Store) -> None:
    """Players, too, come as the user that gateways have. Then an auditor verifies it all."""
    path = store.folder / "deck-keys.json"
    ring = DeckKeyRing.create(path)
    with ExitStack() as stack:
        workers = {
            role: stack.enter_context(running(role, **settings(store, role, path)))
            for role in ROLES
        }
        room = BotRoom(Client.connect(store.url("client"), "bots", PARTITIONS), hands=3)
        games = ("razz", "seven_card_stud")
        room.open(
            [
                (name, OpenTable(game, LIMITS, seats=4))
                for name, game in zip(TABLES, games, strict=True)
            ]
        )
        give_up = time.monotonic() + PATIENCE_S
        while not room.over:
            assert time.monotonic() < give_up, room.refusals
            room.step(50)
        for role in ROLES:
            done = services("health", **settings(store, role, path))
            assert done.returncode == 0, f"{role}: {done.stderr}"
            assert json.loads(done.stdout)["store"] == "ok"
        for role, worker in workers.items():
            code, said = finish(worker, signal.SIGTERM)
            assert code == 0, f"{role}: {said}"
            events = {json.loads(line)["event"] for line in said.splitlines()}
            assert events == {"ready", "stopped"}, f"{role}: {said}"
    assert (room.hands_played, dict(room.refusals)) == (6, {})
    log = RedisLog(connect(store.url("auditor")), partitions=partition_names(PARTITIONS))
    for table in TABLES:
        heads = store.folder / "heads.jsonl"
        assert verify_table(log, table, ring=ring, heads=heads).problem is None


@pytest.mark.parametrize("role", [role for role in ROLES if role != "clock"])
def test_what_was_given_up_is_given_again_with_each_roles_rights(store: Store, role: Role) -> None:
    """And held, buried or answered: everything that a worker may ever have to do."""
    queues = Queues(connect(store.url(role)))
    other = {"p00": "p00.given-1"}
    queues.ensure_groups(role, tuple(other))
    for number in range(3):
        assert isinstance(queues.send(role, other["p00"], b"%d" % number), str)
    assert len(queues.read(role, ["p00"], 10)) == 3
    assert queues.claim(role, ["p00"], 0, 10) == []
    time.sleep(0.002)
    first, second, third = queues.claim(role, ["p00"], 0, 10)
    queues.hold([first])
    queues.bury(second, None, "a test")
    queues.finish([Outgoing("p00", "somebody", b"an answer")], [first, third])
    assert queues.claim(role, ["p00"], 0, 10) == []
    assert queues.length(role, "p00") == 0
    admin = Queues(connect(store.url("admin")))
    admin.drop_dead("p00", admin.dead("p00")[0])


def test_an_operator_comes_as_admin(store: Store) -> None:
    own = {"DOORCARD_REDIS_URL": store.url("admin"), "DOORCARD_PARTITIONS": str(PARTITIONS)}
    table = "p00.operated-1"
    with running("floor", **settings(store, "floor", store.folder)):
        operator = Client.connect(store.url("client"), "operator", PARTITIONS)
        assert operator.request(table, OpenTable("razz", LIMITS), timeout_s=PATIENCE_S).ok
    for words in (
        ["recover"],
        ["pause", table, "a look"],
        ["paused"],
        ["resume", table],
        ["dead", "list"],
        ["health"],
    ):
        done = services(*words, **own)
        assert done.returncode == 0, done.stderr
    done = services("dead", "list", **(own | {"DOORCARD_REDIS_URL": store.url("betting")}))
    assert done.returncode == 2
    assert done.stderr.startswith("services: the store cannot be used: ")
