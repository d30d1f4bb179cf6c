"""docker-compose.cluster.yml: valid, the roles as on one server, and nodes for a cluster."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from redis import Redis
from redis.exceptions import ConnectionError as Gone

from doorcard.client import Client
from doorcard.commands import OpenTable
from doorcard.limits import Limits
from doorcard.streams.connection import connect
from doorcard.streams.keys import partition_names
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from services.embedded import bundled_binary
from services.roles import StoreClock
from services.settings import Settings
from tests.ops.test_compose import KEY_HOLDERS, ROLES, valid

ROOT: Final = Path(__file__).resolve().parents[2]
NODES: Final = tuple(f"node-{number}" for number in range(1, 7))
OWN: Final = frozenset({"DOORCARD_REDIS_URL", "DOORCARD_PARTITIONS"})
"""Settings that differ from those on one server."""


def load(name: str) -> dict[str, Any]:
    """A compose file as its services see it."""
    loaded: dict[str, Any] = yaml.safe_load((ROOT / name).read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return load("docker-compose.cluster.yml")


def test_it_is_a_valid_compose_file() -> None:
    assert valid(ROOT / "docker-compose.cluster.yml")


def test_it_starts_six_nodes_and_every_role(compose: dict[str, Any]) -> None:
    assert sorted(compose["services"]) == sorted([*NODES, "form", *ROLES])
    assert set(compose["volumes"]) == {*NODES, "heads"}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_what_it_is_on_one_server(compose: dict[str, Any], role: str) -> None:
    single, ours = load("docker-compose.yml")["services"][role], compose["services"][role]
    assert ours["depends_on"] == {"form": {"condition": "service_completed_successfully"}}
    assert set(ours) == set(single)
    for name in set(single) - {"depends_on", "environment"}:
        assert ours[name] == single[name], name
    settings, theirs = ours["environment"], single["environment"]
    assert {name: settings[name] for name in set(settings) - OWN} == {
        name: theirs[name] for name in set(theirs) - OWN
    }
    assert ("DOORCARD_DECK_KEYS_FILE" in settings) == (role in KEY_HOLDERS)


def test_each_role_is_its_own_user_of_the_cluster(compose: dict[str, Any]) -> None:
    for role in ROLES:
        url = compose["services"][role]["environment"]["DOORCARD_REDIS_URL"]
        password = rf"\$\{{DOORCARD_{role.upper()}_PASSWORD:\?run ops/make-secrets\}}"
        found = re.fullmatch(rf"redis\+cluster://{role}:{password}@(.+)", url)
        assert found
        assert set(found[1].split(",")) < {f"{node}:6379" for node in NODES}
        connect(re.sub(r"\$\{.*?\}", "password", url))
    partitions = {compose["services"][role]["environment"]["DOORCARD_PARTITIONS"] for role in ROLES}
    assert len(partitions) == 1
    assert Settings(partitions=int(partitions.pop())).partitions >= 6


def test_it_asks_for_no_password_that_is_not_made(compose: dict[str, Any]) -> None:
    users = re.findall(r">change-me-(\w+) ", (ROOT / "ops/users.acl").read_text("utf-8"))
    asked = set(re.findall(r"\$\{(\w+):", str(compose["services"])))
    assert {"DOORCARD_ADMIN_PASSWORD", "DOORCARD_REPLICA_PASSWORD"} < asked
    assert asked <= {f"DOORCARD_{user.upper()}_PASSWORD" for user in users}


def test_nodes_keep_their_logs_and_addresses_and_are_not_published(
    compose: dict[str, Any],
) -> None:
    (network,) = compose["networks"].values()
    assert network["internal"] is True
    subnet = network["ipam"]["config"][0]["subnet"].removesuffix("0/24")
    addresses = {compose["services"][node]["networks"]["store"]["ipv4_address"] for node in NODES}
    assert len(addresses) == len(NODES)
    assert all(address.startswith(subnet) for address in addresses)
    for node in NODES:
        service = compose["services"][node]
        assert f"{node}:/data" in service["volumes"]
        assert "ports" not in service
        assert (service["user"], service["read_only"]) == ("valkey", True)
    forming = compose["services"]["form"]["command"][-1]
    assert set(re.findall(r"[\d.]+(?=:6379)", forming)) == addresses
    assert set(compose["services"]["form"]["depends_on"]) == set(NODES)


@pytest.fixture(scope="module")
def node_url(compose: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster of one node, started as the file says, with the operators' files; its address."""
    home, port = tmp_path_factory.mktemp("node"), _free_port()
    program, _, *options = compose["services"]["node-1"]["command"]
    assert program == "valkey-server"
    settings = home / "redis.conf"
    text = (ROOT / "ops/redis.conf").read_text("utf-8")
    settings.write_text(text.replace("\ndir /data\n", f"\ndir {home}\n"))
    place = ["--aclfile", str(ROOT / "ops/users.acl"), "--port", str(port), "--bind", "127.0.0.1"]
    node = subprocess.Popen(
        [bundled_binary(), settings, *options, *place], stdout=subprocess.DEVNULL
    )
    admin: Any = Redis(port=port, username="admin", password="change-me-admin", protocol=2)
    try:
        _in_the_end(admin.ping)
        admin.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        _in_the_end(lambda: b"cluster_state:ok" in admin.execute_command("CLUSTER", "INFO"))
        yield f"127.0.0.1:{port}"
    finally:
        admin.close()
        node.kill()
        node.wait()


def test_every_role_may_do_its_work_on_such_a_node(node_url: str) -> None:
    names = partition_names(6)
    clients: list[Any] = []

    def client_of(user: str) -> Any:
        clients.append(connect(f"redis+cluster://{user}:change-me-{user}@{node_url}"))
        return clients[-1]

    for role in ("floor", "dealer", "betting", "showdown"):
        redis = client_of(role)
        log, queues = RedisLog(redis, partitions=names), Queues(redis)
        log.prepare()
        queues.ensure_groups(role, names)
        assert queues.read(role, names, 10, block_ms=20) == []
        assert queues.claim(role, names, 0, 10) == []
        assert abs(StoreClock(log).now_ms() - time.time() * 1000) < 1000
    redis = client_of("client")
    player = Client(RedisLog(redis, partitions=names), Queues(redis), "ann", names)
    opening = OpenTable("razz", Limits(ante=1, bring_in=2, small_bet=5, big_bet=10))
    player.send("p03.razz", opening)
    assert player.replies(block_ms=20) == []
    assert player.news(20) == []
    assert len(Queues(client_of("floor")).read("floor", names, 10, block_ms=20)) == 1
    assert Queues(client_of("clock")).fire_many(names, 10) == 0
    for client in clients:
        client.close()


def _in_the_end(is_so: Any) -> None:
    give_up_s = time.monotonic() + 20
    while True:
        assert time.monotonic() < give_up_s
        try:
            if is_so():
                return
        except Gone:
            pass
        time.sleep(0.05)


def _free_port() -> int:
    """A port low enough for the one that nodes listen on for each other, 10000 above it."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port: int = listener.getsockname()[1]
        if port < 55_536:
            return port
