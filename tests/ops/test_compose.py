"""docker-compose.yml: valid, and each role gets what it needs and nothing more."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import pytest
import yaml
from pydantic import BaseModel

from services.embedded import EmbeddedServer
from tests.ops.conftest import python

if TYPE_CHECKING:
    from tests.ops.conftest import Image

ROOT: Final = Path(__file__).resolve().parents[2]
ROLES: Final = ("betting", "clock", "dealer", "floor", "showdown")
KEY_HOLDERS: Final = ("dealer", "showdown")


class Build(BaseModel):
    context: str
    dockerfile: str


class Healthcheck(BaseModel):
    test: list[str]
    interval: str
    timeout: str
    retries: int
    start_period: str


class Condition(BaseModel):
    condition: str


class Service(BaseModel):
    """What these tests look at in one service; the schema looks at the rest."""

    command: list[str]
    healthcheck: Healthcheck
    restart: str
    stop_grace_period: str
    read_only: bool
    cap_drop: list[str]
    security_opt: list[str]
    networks: list[str]
    image: str
    build: Build | None = None
    user: str | None = None
    environment: dict[str, str] = {}
    secrets: list[str] = []
    volumes: list[str] = []
    ports: list[str] = []
    depends_on: dict[str, Condition] = {}


class SecretFile(BaseModel):
    file: str


class Compose(BaseModel):
    services: dict[str, Service]
    secrets: dict[str, SecretFile]
    volumes: dict[str, None]


@pytest.fixture(scope="module")
def compose() -> Compose:
    return Compose.model_validate(yaml.safe_load(_text()))


def _text() -> str:
    return (ROOT / "docker-compose.yml").read_text("utf-8")


def valid(path: Path) -> bool:
    """Whether a file keeps the compose specification's own schema, which the checker brings."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    return subprocess.run([*command, path], check=False, capture_output=True).returncode == 0


def test_it_is_a_valid_compose_file() -> None:
    assert valid(ROOT / "docker-compose.yml")


def test_an_invalid_compose_file_is_found(tmp_path: Path) -> None:
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(_text().replace("stop_grace_period:", "stop_grace_time:"))
    assert not valid(broken)


def test_it_starts_the_store_and_every_role(compose: Compose) -> None:
    assert sorted(compose.services) == sorted(["redis", *ROLES])
    for role in ROLES:
        assert compose.services[role].command == ["python", "-m", "services", role]


@pytest.mark.parametrize("role", ROLES)
def test_the_command_of_a_role_is_one_that_the_image_has(
    compose: Compose, image: Image, role: str
) -> None:
    done = image.run([*compose.services[role].command, "--help"])
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout or "usage" in done.stdout


def test_a_role_that_is_not_there_is_an_error(image: Image) -> None:
    assert image.run(["python", "-m", "services", "croupier", "--help"]).returncode != 0


def test_every_worker_runs_from_the_one_image(compose: Compose) -> None:
    workers = [compose.services[role] for role in ROLES]
    assert {worker.image for worker in workers} == {"doorcard:latest"}
    for worker in workers:
        assert worker.build is not None
        assert (ROOT / worker.build.context / worker.build.dockerfile).is_file()
        assert worker.user is None  # the image's own, which is not root


def test_only_dealer_and_showdown_get_the_deck_keys(compose: Compose) -> None:
    for name, service in compose.services.items():
        expected = ["deck_keys"] if name in KEY_HOLDERS else []
        assert service.secrets == expected
        assert ("DOORCARD_DECK_KEYS_FILE" in service.environment) == (name in KEY_HOLDERS)
        assert not [text for text in service.volumes if "deck" in text]
    for name in KEY_HOLDERS:
        environment = compose.services[name].environment
        assert environment["DOORCARD_DECK_KEYS_FILE"] == "/run/secrets/deck_keys"


def test_each_role_is_its_own_user_of_the_store(compose: Compose) -> None:
    users = re.findall(
        r"^user (\w+) on ", (ROOT / "ops/users.acl").read_text("utf-8"), re.MULTILINE
    )
    for role in ROLES:
        url = compose.services[role].environment["DOORCARD_REDIS_URL"]
        password = rf"\$\{{DOORCARD_{role.upper()}_PASSWORD:\?run ops/make-secrets\}}"
        assert re.fullmatch(rf"redis://{role}:{password}@redis:6379/0", url)
        assert role in users


def test_the_store_is_configured_from_ops_and_keeps_its_log(compose: Compose) -> None:
    store = compose.services["redis"]
    mounts = dict(_mount(text) for text in store.volumes)
    configuration_file = store.command[-1]
    assert mounts[configuration_file] == "./ops/redis.conf"
    settings = _settings((ROOT / "ops/redis.conf").read_text("utf-8"))
    assert mounts[settings["aclfile"]] == "./ops/secrets/users.acl"
    assert mounts[settings["dir"]] == "log"
    assert settings["appendonly"] == "yes"
    assert settings["maxmemory-policy"] == "noeviction"
    assert list(compose.volumes) == ["log", "heads"]


def _mount(text: str) -> tuple[str, str]:
    source, target, *_ = text.split(":")
    return target, source


def _settings(text: str) -> dict[str, str]:
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and line[0] != "#"]
    return {line[0]: line[1] for line in lines}


def test_the_store_is_not_published_and_not_root(compose: Compose) -> None:
    store = compose.services["redis"]
    assert store.ports == []
    assert store.user == "valkey"
    assert store.networks == ["store"]


def test_workers_wait_for_the_store(compose: Compose) -> None:
    for role in ROLES:
        waits = {name: on.condition for name, on in compose.services[role].depends_on.items()}
        assert waits == {"redis": "service_healthy"}


def test_every_service_is_checked_restarted_drained_and_locked_down(compose: Compose) -> None:
    for service in compose.services.values():
        assert service.restart == "unless-stopped"
        assert int(service.stop_grace_period.removesuffix("s")) >= 30
        assert service.read_only
        assert service.cap_drop == ["ALL"]
        assert service.security_opt == ["no-new-privileges:true"]
        assert service.healthcheck.retries >= 3


def test_showdown_alone_writes_heads_into_a_folder_of_the_images_user(compose: Compose) -> None:
    for role in ROLES:
        service = compose.services[role]
        mounts = dict(_mount(text) for text in service.volumes)
        if role != "showdown":
            assert mounts == {}
            continue
        (folder,) = mounts
        assert mounts[folder] == "heads"
        assert service.environment["DOORCARD_HEADS_FILE"] == f"{folder}/heads.jsonl"
        dockerfile = (ROOT / "ops/Dockerfile").read_text("utf-8")
        assert f"install --directory --owner=doorcard --group=doorcard {folder}\n" in dockerfile


def test_the_health_check_tells_a_worker_that_works_from_one_that_cannot(
    compose: Compose, image: Image
) -> None:
    betting = compose.services["betting"]
    _, *command = betting.healthcheck.test
    with TemporaryDirectory(prefix="doorcard-") as parent, ExitStack() as stack:
        server = stack.enter_context(EmbeddedServer.start(Path(parent) / "store"))
        own = {"DOORCARD_REDIS_URL": server.url, "DOORCARD_METRICS_PORT": str(_free_port())}
        there = image._replace(environment={**image.environment, **betting.environment, **own})
        assert there.run(command).returncode == 1
        worker = stack.enter_context(
            subprocess.Popen(
                python(betting.command),
                cwd=there.app,
                env=there.environment,
                stderr=subprocess.DEVNULL,
            )
        )
        stack.callback(worker.kill)
        assert json.loads(_in_the_end(there, command, 0))["ready"] is True
        server.stop()
        reasons = json.loads(_in_the_end(there, command, 1))["why"]
        assert set(reasons) <= {
            "the store does not answer as it should",
            "the last turn was too long ago",
        }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _in_the_end(image: Image, command: list[str], code: int) -> str:
    """What a command prints once it exits with a code."""
    give_up = time.monotonic() + 60
    while (done := image.run(command)).returncode != code:
        assert time.monotonic() < give_up, done
        time.sleep(0.2)
    return done.stdout


def test_every_worker_serves_its_metrics_where_prometheus_looks(compose: Compose) -> None:
    scrape = yaml.safe_load((ROOT / "ops/prometheus/prometheus.yml").read_text("utf-8"))
    (job,) = scrape["scrape_configs"]
    (found,) = job["dns_sd_configs"]
    assert sorted(found["names"]) == sorted(ROLES)
    for role in ROLES:
        environment = compose.services[role].environment
        assert environment["DOORCARD_METRICS_PORT"] == str(found["port"])
        assert environment["DOORCARD_METRICS_ADDRESS"] == "0.0.0.0"  # noqa: S104
        assert compose.services[role].ports == []  # the network is the boundary


def test_the_health_checks_are_commands_that_exist(compose: Compose, image: Image) -> None:
    for role in ROLES:
        how, *command = compose.services[role].healthcheck.test
        assert how == "CMD"
        assert image.run([*command, "--help"]).returncode == 0
    how, command_line = compose.services["redis"].healthcheck.test
    assert how == "CMD-SHELL"
    assert "--user health " in command_line
    acl = (ROOT / "ops/users.acl").read_text("utf-8")
    assert re.search(r"^user health on nopass .*\+ping\b", acl, re.MULTILINE)
